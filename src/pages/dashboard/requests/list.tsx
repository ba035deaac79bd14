import { memo } from 'preact/compat'
import type { JournalEntry } from '../../../contract/types.gen.js'
import { Status } from '../parts/status.js'
import { count, Short } from '../parts/text.js'
import { milliseconds } from '../parts/time.js'
import { href, route } from '../route.js'

/** Exchanges, newest first. */
export function List({ requests, chosen }: { requests: JournalEntry[]; chosen: string | undefined }) {
  return (
    <table class="journal">
      <caption class="hidden">Exchanges, newest first</caption>
      <thead>
        <tr>
          <th scope="col" class="side">
            Time
          </th>
          <th scope="col">Request</th>
          <th scope="col">Status</th>
          <th scope="col" class="side right">
            Took
          </th>
          <th scope="col">Remarks</th>
        </tr>
      </thead>
      <tbody>
        {requests.map((entry) => (
          <Row key={entry.id} entry={entry} isChosen={entry.id === chosen} />
        ))}
      </tbody>
    </table>
  )
}

/** Exchanges in the journal never change. */
const Row = memo(
  function Row({ entry, isChosen }: { entry: JournalEntry; isChosen: boolean }) {
    const { id, time, method, url, operation, status, duration_ms } = entry
    return (
      <tr class={isChosen ? 'chosen' : undefined}>
        <td class="side number">{time.slice(11, 23)}</td>
        <td class="request">
          <a href={href('requests', [id], Object.fromEntries(route.peek().query))} aria-current={isChosen || undefined}>
            <span class="method">{method}</span> <Short text={url} most={160} />
          </a>
          <span class="quiet">{operation ?? 'no operation'}</span>
        </td>
        <td>
          <Status status={status} />
        </td>
        <td class="side right number">{milliseconds(duration_ms)}</td>
        <td class="remarks">
          <Remarks entry={entry} />
        </td>
      </tr>
    )
  },
  (a, b) => a.entry.id === b.entry.id && a.entry.time === b.entry.time && a.isChosen === b.isChosen
)

function Remarks({ entry: { violations, override, fault, failure, assumptions } }: { entry: JournalEntry }) {
  return (
    <>
      {violations.length > 0 && <span class="tag bad">{count(violations.length, 'violation')}</span>}
      {failure !== undefined && <span class="tag bad">failure</span>}
      {fault !== undefined && <span class="tag warn">fault</span>}
      {override !== undefined && <span class="tag accent">{override === 'Prefer' ? 'forced' : 'override'}</span>}
      {assumptions.length > 0 && <span class="tag plain">{count(assumptions.length, 'assumption')}</span>}
    </>
  )
}
