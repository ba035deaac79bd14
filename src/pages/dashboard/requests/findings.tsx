import type { JournalDetail, Suggestion } from '../../../contract/types.gen.js'
import { Long } from '../parts/text.js'

/** The mock's findings: checks, violations, near misses and its own failures. */
export function Findings({ exchange }: { exchange: JournalDetail }) {
  const { operation, checks, violations, near_misses = [], suggestions = [], failure } = exchange
  return (
    <section aria-label="Checks">
      <h3>Checks</h3>
      <ul class="checks">
        {checks.map(({ check, held, problems }) => (
          <li key={check}>
            <span class={`tag ${held ? 'good' : 'bad'}`}>{held ? 'held' : 'failed'}</span> {check}
            {problems.length > 0 &&
              `: ${problems.length === 1 ? 'one place' : `${problems.length} places`}, marked below`}
          </li>
        ))}
        {checks.length === 0 && <li class="quiet">None was reached.</li>}
        {violations.map((violation) => (
          <li key={violation}>
            <span class="tag bad">violation</span> <Long text={violation} />
          </li>
        ))}
      </ul>
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
    </section>
  )
}

/** Ways to make the mock answer, with copy buttons. */
function Suggestions({ list }: { list: Suggestion[] }) {
  return (
    <>
      <h4>What to do</h4>
      <ul class="suggestions">
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
