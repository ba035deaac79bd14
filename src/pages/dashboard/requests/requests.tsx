import { useState } from 'preact/hooks'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Action } from '../parts/action.js'
import { Head, Pending } from '../parts/page.js'
import { count } from '../parts/text.js'
import { route } from '../route.js'
import { Exchange } from './exchange.js'
import { Filters } from './filters.js'
import { List } from './list.js'

const step = 200

/** The live journal, and one exchange in full. */
export function Requests() {
  const { query, rest } = route.value
  const [isFollowed, follow] = useState(true)
  const [limit, setLimit] = useState(step)
  const filters = Object.fromEntries(query)
  const journal = useLoad(
    () => call('listRequests', { query: { ...filters, limit } }),
    JSON.stringify([filters, limit]),
    { live: isFollowed }
  )
  const { value } = journal
  const chosen = rest[0]
  return (
    <>
      <Head title="Requests">
        <div class="buttons">
          <button type="button" aria-pressed={!isFollowed} onClick={() => follow(!isFollowed)}>
            Pause
          </button>
          <Action run={() => clear(journal.reload)}>Clear</Action>
        </div>
      </Head>
      <div class={chosen === undefined ? 'split' : 'split open'}>
        <section aria-label="Journal" class="first">
          <Filters />
          {value ? (
            <>
              <p class="quiet" aria-live="off">
                {count(value.total, 'exchange')}
                {value.requests.length < value.total &&
                  `, the last ${value.requests.length.toLocaleString('en')} shown`}
                {!isFollowed && ', paused'}
              </p>
              <List requests={value.requests} chosen={chosen} />
              {value.requests.length < value.total && (
                <button type="button" onClick={() => setLimit(limit + step)}>
                  Show {step} more
                </button>
              )}
            </>
          ) : (
            <Pending loaded={journal} />
          )}
        </section>
        {chosen !== undefined && <Exchange key={chosen} id={chosen} />}
      </div>
    </>
  )
}

async function clear(reload: () => Promise<void>): Promise<string> {
  const { removed } = await call('clearRequests')
  await reload()
  return `The journal is empty: ${count(removed, 'exchange')} removed.`
}
