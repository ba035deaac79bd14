import { useState } from 'preact/hooks'
import type { JournalDetail } from '../../../../contract/types.gen.js'
import { call } from '../../client.js'
import { useLoad } from '../../load.js'
import { Dialog } from '../../parts/dialog.js'
import { Pending } from '../../parts/page.js'
import { Status } from '../../parts/status.js'
import { wallTime } from '../../parts/time.js'
import { href, route } from '../../route.js'
import { Sides } from './sides.js'

/** Chooses another exchange to compare with: the latest of the same operation. */
export function CompareButton({ exchange }: { exchange: JournalDetail }) {
  const [isOpen, open] = useState(false)
  return (
    <>
      <button type="button" onClick={() => open(true)}>
        Compare…
      </button>
      {isOpen && (
        <Dialog title="Compare with" onClose={() => open(false)}>
          <Others exchange={exchange} onChoose={() => open(false)} />
        </Dialog>
      )}
    </>
  )
}

function Others({ exchange: { id, operation }, onChoose }: { exchange: JournalDetail; onChoose: () => void }) {
  const query = operation === null ? { unmatched: true } : { operation }
  const loaded = useLoad(() => call('listRequests', { query: { ...query, limit: 20 } }), id)
  const others = loaded.value?.requests.filter((it) => it.id !== id)
  if (!others) return <Pending loaded={loaded} />
  if (others.length === 0) return <p>There is no other exchange of this operation.</p>
  return (
    <ul class="others">
      {others.map((other) => (
        <li key={other.id}>
          <a
            href={href('requests', [id], { ...Object.fromEntries(route.value.query), with: other.id })}
            onClick={onChoose}
          >
            {other.id} <Status status={other.status} /> {other.method} <bdi class="code">{other.url}</bdi>
          </a>{' '}
          <span class="quiet number">
            {other.user ?? 'nobody'}, {wallTime(other.real_time)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The exchange beside the one that the address names. */
export function Compared({ exchange, id }: { exchange: JournalDetail; id: string }) {
  const loaded = useLoad(() => call('getRequest', { path: { id } }), id)
  const { with: _, ...query } = Object.fromEntries(route.value.query)
  return (
    <section class="what-if" aria-label="Comparison">
      <h3>
        Compared with {id} <a href={href('requests', [exchange.id], query)}>End</a>
      </h3>
      {loaded.value ? (
        <Sides left={{ label: id, exchange: loaded.value }} right={{ label: exchange.id, exchange }} />
      ) : (
        <Pending loaded={loaded} />
      )}
    </section>
  )
}
