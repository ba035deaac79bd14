import type { JournalDetail, Suggestion } from '../../../../engine/contract/types.gen.js'
import { outgoingOf } from '../../outgoing/outgoing.js'
import { resend } from '../../outgoing/send.js'
import { Action } from '../../parts/action.js'
import { Long } from '../../parts/text.js'

type Problem = { type?: string; loc?: (string | number)[]; msg: string; input?: unknown; ctx?: { error?: string } }
type Advice = NonNullable<JournalDetail['advice']>[number]

/** The check of a request: each wrong place with the sent value, what the contract says, and valid values. */
export function RequestChecks({ exchange }: { exchange: JournalDetail }) {
  const { checks, advice = [], corrected, violations } = exchange
  const check = checks.find((it) => it.check === 'request')
  if (!check) return <p class="quiet">Not reached.</p>
  return (
    <>
      {check.held && <p>The request keeps the contract.</p>}
      <WrongPlaces problems={check.problems} advice={advice} violations={violations} />
      {corrected && (
        <div class="buttons">
          <Action
            class="primary"
            run={() => {
              const { body: _, ...outgoing } = { ...outgoingOf(exchange), url: corrected.url }
              const sent = corrected.body === undefined ? {} : { body: { text: JSON.stringify(corrected.body) } }
              return resend({ ...outgoing, ...sent }, 'corrected')
            }}
          >
            Resend {inWords(advice)}
          </Action>
        </div>
      )}
    </>
  )
}

/** The wrong places of a request, and those that are only reported. */
export function WrongPlaces({
  problems,
  advice = [],
  violations
}: {
  problems: readonly object[]
  advice?: readonly Advice[] | undefined
  violations: readonly string[]
}) {
  const wrong = (problems as readonly Problem[]).filter(({ loc }) => loc !== undefined)
  const unknown = violations.filter((violation) => violation.endsWith('is not in the contract'))
  const adviceAt = (loc: Problem['loc']) => advice.find((it) => it.loc.join('.') === loc?.join('.'))
  return (
    <>
      {wrong.length > 0 && <p>{wrong.length === 1 ? 'One place is' : `${wrong.length} places are`} wrong:</p>}
      {wrong.length > 0 && (
        <ul class="wrong">
          {wrong.map((problem) => (
            <Wrong key={problem.loc?.join('.')} problem={problem} advice={adviceAt(problem.loc)} />
          ))}
        </ul>
      )}
      {unknown.length > 0 && (
        <>
          <p>{wrong.length > 0 ? 'Also reported, but no reason to refuse it:' : 'Let through, but reported:'}</p>
          <ul>
            {unknown.map((violation) => (
              <li key={violation}>
                <span class="tag bad">violation</span> <Long text={violation} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function Wrong({
  problem: { type, loc = [], msg, input, ctx },
  advice
}: {
  problem: Problem
  advice: Advice | undefined
}) {
  // The position of a mistake in JSON is not a place in the contract.
  const isMalformed = type === 'json_invalid'
  return (
    <li>
      <p>
        <code>{isMalformed ? 'body' : loc.join('.')}</code>{' '}
        {isMalformed ? (
          <>
            is not JSON: {ctx?.error ?? msg}, at character {loc[1]}
          </>
        ) : (
          <>
            {input !== undefined && input !== null && type !== 'missing' && <code>{short(input)}</code>} {msg}
          </>
        )}
      </p>
      {advice?.says !== undefined && <p class="quiet">The contract: {advice.says}</p>}
      {advice?.value !== undefined && (
        <p class="quiet">
          Good: <code>{short(advice.value)}</code>
        </p>
      )}
    </li>
  )
}

export function inWords(advice: readonly Advice[]): string {
  const words = advice.flatMap(({ loc, value, remove }) =>
    remove ? [`without ${loc.at(-1)}`] : value === undefined ? [] : [`with ${loc.at(-1)}: ${short(value)}`]
  )
  return words.length <= 2 ? words.join(', ') : `with ${words.length} corrections`
}

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Near misses, ways to make the mock answer, and its own failures. */
export function Findings({ exchange }: { exchange: JournalDetail }) {
  const { operation, near_misses = [], suggestions = [], failure } = exchange
  return (
    <>
      {operation === null && near_misses.length > 0 && (
        <>
          <h4>Did you mean</h4>
          <ul>
            {near_misses.map(({ operation, method, path, difference }) => (
              <li key={operation}>
                <span class="method">{method}</span> <bdi>{path}</bdi> <span class="quiet">{difference}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {suggestions.length > 0 && <Suggestions list={suggestions} />}
      {failure !== undefined && <pre class="failure">{failure}</pre>}
    </>
  )
}

/** Ways to make the mock answer, with copy buttons. */
function Suggestions({ list }: { list: Suggestion[] }) {
  return (
    <>
      <h4>What to do</h4>
      <ul>
        {list.map(({ do: what, text, override, openapi }) => (
          <li key={what}>
            {text}
            {(override ?? openapi) !== undefined && <pre>{JSON.stringify(override ?? openapi, undefined, 2)}</pre>}
          </li>
        ))}
      </ul>
    </>
  )
}
