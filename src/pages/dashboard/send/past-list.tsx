import { Status } from '../parts/status.js'
import { Short } from '../parts/text.js'
import { wallTime } from '../parts/time.js'
import { type PastRequest, past } from './kept.js'

/** What this tab sent. Each can be taken up again. */
export function PastList({ onTake }: { onTake: (entry: PastRequest) => void }) {
  if (past.value.length === 0) return null
  return (
    <section class="past" aria-label="Sent before">
      <h2>Sent before</h2>
      <ul>
        {past.value.map((entry) => (
          <li key={entry.at}>
            <button type="button" class="plain-row" onClick={() => onTake(entry)}>
              <span class="quiet number">{wallTime(entry.at).slice(0, 8)}</span>
              <span class="method">{entry.method}</span> <Short text={entry.url} most={70} />
              {entry.answers.map(({ user, status }) => (
                <span key={user} class="quiet">
                  {user || 'nobody'} <Status status={status} />
                </span>
              ))}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
