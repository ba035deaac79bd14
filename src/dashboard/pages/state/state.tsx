import { useEffect, useRef } from 'preact/hooks'
import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { call } from '../client.js'
import { useCall, useLoad } from '../load.js'
import { Action } from '../parts/action.js'
import { DialogButton } from '../parts/dialog.js'
import { Named } from '../parts/named.js'
import { Head, Pending } from '../parts/page.js'
import { Timeline } from '../ribbon/timeline.js'
import { atMoment, go, href, momentShown, route } from '../route.js'
import { undoable } from '../undo/undo.js'
import type { AnyRow, CollectionName } from './form/fields.js'
import { RowForm } from './form/row-form.js'
import { one, several, titleOf } from './labels.js'
import { hasLifecycle, Lifecycle } from './lifecycle.js'
import { Rows } from './rows.js'
import { Snapshots } from './snapshots.js'
import { Value } from './value.js'

/** The state: collections, their rows, snapshots and resets. */
export function State() {
  const { rest, query } = route.value
  const [chosen, id] = rest
  const at = momentShown()
  const loaded = useCall('listCollections', { query: atMoment() }, { live: true })
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

/** One row as it is now: its fields, with the names of the rows that it refers to. It can be edited or deleted. */
function Row({ collection, id, isEdited }: { collection: CollectionInfo; id: string; isEdited: boolean }) {
  const name = collection.name as CollectionName
  const at = momentShown()
  const path = { collection: name, id }
  const load = async () => {
    const where = JSON.stringify({ id: `=${id.toLowerCase()}` })
    const query = { ...atMoment(), names: true, where }
    const { rows, names } = await call('listRows', { path: { collection: name }, query })
    // A row that is gone gets the control API's own error.
    return { row: (rows[0] ?? (await call('getRow', { path, query: atMoment() }))) as AnyRow, names }
  }
  const loaded = useLoad(load, `${name} ${id} ${at}`, { live: true })
  const { value, error } = loaded
  if (!value || error) return <Pending loaded={loaded} />
  const { row, names } = value
  if (isEdited && at === undefined) return <RowForm collection={collection} row={row} names={names} />
  const title = titleOf(names, name, row.id)
  const remove = async (close: () => void) => {
    close()
    await undoable('removeRow', { path }, `${one(name)} ${title} was deleted.`)
    go(href('state', [name]))
  }
  return (
    <>
      <p>
        <a href={href('state', [name])}>{several(name)}</a>
      </p>
      <div class="head">
        <h2>
          <bdi>{title}</bdi>{' '}
          <span class="quiet">
            {one(name)} <code>{id}</code>
          </span>
        </h2>
        {at === undefined && (
          <div class="buttons">
            <a class="button" href={href('state', [name, id], { edit: 'true' })}>
              Edit
            </a>
            <DialogButton label="Delete" title={`Delete ${title}?`}>
              {(close) => (
                <>
                  <p>A row cannot be deleted while other rows refer to it.</p>
                  <div class="buttons">
                    <Action class="danger" run={() => remove(close)}>
                      Delete
                    </Action>
                    <button type="button" onClick={close}>
                      Cancel
                    </button>
                  </div>
                </>
              )}
            </DialogButton>
          </div>
        )}
      </div>
      {hasLifecycle(name) && <Lifecycle collection={name} row={row} at={at} onMoved={loaded.reload} />}
      <dl class="row">
        {collection.fields.map((field) => (
          <div key={field.name}>
            <dt title={field.description}>
              <Named name={field.name} />
            </dt>
            <dd>
              <Value field={field} value={row[field.name]} names={names} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
