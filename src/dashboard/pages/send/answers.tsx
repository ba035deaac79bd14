import type { JournalDetail } from '../../../engine/contract/types.gen.js'
import { Diff, differences } from '../json/diff.js'
import { JsonText } from '../json/json.js'
import { jsonIn } from '../json/text.js'
import type { ReceivedAnswer } from '../outgoing/send.js'
import { faultText } from '../overrides/draft.js'
import { Status } from '../parts/status.js'
import { count, Long } from '../parts/text.js'
import { milliseconds } from '../parts/time.js'
import { RowChanges } from '../requests/exchange/changes.js'
import { href } from '../route.js'
import { ShareExchange } from '../share/share-exchange.js'

/** The answer to one user. */
export interface UserAnswer {
  user: string
  sent: ReceivedAnswer
  /** The exchange in the journal, if it is there. */
  exchange: JournalDetail | undefined
  /** Whether it was sent to a copy of the sandbox that is gone by now. */
  isInCopy: boolean
}

/** The answers of all users side by side. The later ones are compared with the first. */
export function Answers({ answers }: { answers: readonly UserAnswer[] }) {
  const [first] = answers
  return (
    <div class="answers">
      <h2 class="hidden">Answers</h2>
      {answers.map((answer) => (
        <Answer key={`${answer.user} ${answer.sent.id}`} answer={answer} first={answer === first ? undefined : first} />
      ))}
    </div>
  )
}

function Answer({
  answer: { user, sent, exchange, isInCopy },
  first
}: {
  answer: UserAnswer
  first: UserAnswer | undefined
}) {
  const { status, id, took, text } = sent
  const name = user || 'nobody'
  const body = jsonIn(text)
  const isSame = first !== undefined && first.sent.status === status && first.sent.text === text
  const apart = first && !isSame ? differences(jsonIn(first.sent.text), body) : []
  const violations = exchange?.violations ?? []
  return (
    <section class="card panel" aria-label={`Answer to ${name}`}>
      <h3>
        {name} <Status status={status} />
        <span class="quiet number">{milliseconds(took)}</span>
        {isInCopy ? (
          <span class="tag plain">in a copy</span>
        ) : (
          id !== undefined && <a href={href('requests', [id])}>{id}</a>
        )}
      </h3>
      {violations.length > 0 && (
        <p>
          <span class="tag bad">{count(violations.length, 'violation')}</span> <Long text={violations.join('; ')} />
        </p>
      )}
      {status === 0 && <p>{exchange?.fault === undefined ? 'There was no answer' : faultText(exchange.fault)}.</p>}
      {exchange && exchange.changes.length > 0 && (
        <>
          <h4>Rows changed</h4>
          <RowChanges changes={exchange.changes} />
        </>
      )}
      {isSame ? (
        <p class="quiet">The same answer as {first.user || 'nobody'}.</p>
      ) : (
        <>
          {text === '' && status !== 0 && <p class="quiet">No body.</p>}
          {text !== '' && <JsonText value={body} label={`Answer's body to ${name}`} />}
          {apart.length > 0 && apart.length <= mostApart && first?.sent.status === status && (
            <details>
              <summary>
                {count(apart.length, 'difference')} from {first?.user || 'nobody'}
              </summary>
              <Diff list={apart} label={`Differences from ${first?.user || 'nobody'}`} />
            </details>
          )}
        </>
      )}
      {exchange && !isInCopy && (
        <div class="buttons">
          <ShareExchange exchange={exchange} />
        </div>
      )}
    </section>
  )
}

/** More differences than these are less helpful than the two bodies. */
const mostApart = 60
