import type { JournalDetail } from '../../../../engine/contract/types.gen.js'
import { Diff, differences } from '../../json/diff.js'
import { Status } from '../../parts/status.js'
import { count } from '../../parts/text.js'
import { milliseconds } from '../../parts/time.js'
import { RowChanges } from './changes.js'

interface ComparedExchange {
  label: string
  exchange: JournalDetail
}

/** Two exchanges side by side, and where their bodies differ. */
export function Sides({ left, right }: { left: ComparedExchange; right: ComparedExchange }) {
  const [a, b] = [left.exchange, right.exchange]
  const asked = differences(a.request.body, b.request.body)
  const answered = differences(a.response.body, b.response.body)
  return (
    <div class="compared">
      <div class="two">
        {[left, right].map(({ label, exchange }) => (
          <Summary key={label} label={label} exchange={exchange} />
        ))}
      </div>
      {asked.length > 0 && (
        <>
          <h4>{count(asked.length, 'difference')} in the request</h4>
          <Diff list={asked} label="Differences of the requests" />
        </>
      )}
      <h4>{answered.length === 0 ? 'The same answer' : `${count(answered.length, 'difference')} in the answer`}</h4>
      {answered.length > 0 && <Diff list={answered} label="Differences of the answers" />}
    </div>
  )
}

function Summary({ label, exchange }: ComparedExchange) {
  const { method, url, status, user, duration_ms, rests_on, changes, refusal } = exchange
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      <p>
        <Status status={status} /> <span class="method">{method}</span> <bdi class="code">{url}</bdi>
      </p>
      <p class="quiet">
        as {user ?? 'nobody'}, {milliseconds(duration_ms)}
        {refusal !== undefined && `, refused as ${refusal}`}
      </p>
      {rests_on.length > 0 && (
        <p class="quiet">Rests on {rests_on.map(({ id, choice }) => `${id} (${choice})`).join(', ')}</p>
      )}
      <RowChanges changes={changes} />
    </section>
  )
}
