import { useEffect, useRef } from 'preact/hooks'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Head, Pending } from '../parts/page.js'
import { Timeline } from '../ribbon/timeline.js'
import { href, momentShown, route } from '../route.js'
import { RowForm } from './form/row-form.js'
import { several } from './labels.js'
import { Row } from './row.js'
import { Rows } from './rows.js'
import { Snapshots } from './snapshots.js'

/** The state: collections, their rows, snapshots and resets. */
export function State() {
  const { rest, query } = route.value
  const [chosen, id] = rest
  const at = momentShown()
  const loaded = useLoad(() => call('listCollections', { query: { ...(at && { at }) } }), `collections ${at}`, {
    live: true
  })
  const collections = loaded.value?.collections
  const collection = collections?.find(({ name }) => name === chosen)
  const list = useRef<HTMLElement>(null)
  const isListed = collections !== undefined
  useEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [chosen, isListed]
  )
  const content = () => {
    if (!collections) return <Pending loaded={loaded} />
    if (chosen === undefined) {
      return at === undefined ? (
        <Snapshots onChange={loaded.reload} />
      ) : (
        <p class="quiet">Choose a collection to see its rows as they were.</p>
      )
    }
    if (!collection) return <p class="problem">There is no collection “{chosen}”.</p>
    if (id === undefined) return <Rows key={chosen} collection={collection} />
    if (id === 'new') return <RowForm collection={collection} />
    return <Row key={`${chosen} ${id}`} collection={collection} id={id} isEdited={query.has('edit')} />
  }
  return (
    <>
      <Head title="State" />
      <Timeline />
      <div class="sides">
        <nav ref={list} aria-label="Collections" class="collections">
          <a href={href('state')} aria-current={chosen === undefined ? 'page' : undefined}>
            Snapshots and reset
          </a>
          {collections?.map(({ name, rows }) => (
            <a key={name} href={href('state', [name])} aria-current={name === chosen ? 'page' : undefined}>
              {several(name)} <span class="quiet number">{rows.toLocaleString('en')}</span>
            </a>
          ))}
        </nav>
        <section class="content" aria-label={chosen === undefined ? 'Snapshots and reset' : several(chosen)}>
          {content()}
        </section>
      </div>
    </>
  )
}
