import type { RequestCheck } from '../../../contract/types.gen.js'
import { paramsIn } from '../operations.js'
import { inWords, WrongPlaces } from '../requests/exchange/findings.js'
import { type Draft, pretty } from './draft.js'
import type { OperationForm } from './operation.js'

/** What the contract says of the request, and one step to correct it. */
export function Checked({
  check,
  draft,
  known,
  set
}: {
  check: RequestCheck | undefined
  draft: Draft
  known: OperationForm | undefined
  set: (change: Partial<Draft>) => void
}) {
  if (!check) return null
  const { held, problems, violations, advice, corrected, near_misses = [] } = check
  const correct = () => {
    if (!corrected) return
    const body = corrected.body === undefined ? '' : pretty(corrected.body)
    if (!known) return set({ url: corrected.url, body })
    const [, search = ''] = corrected.url.split('?')
    const given = new URLSearchParams(search)
    const query = Object.fromEntries(Object.keys(draft.query).map((name) => [name, given.getAll(name).join(',')]))
    set({ query, more: '', body, path: { ...draft.path, ...paramsIn(known, corrected.url) } })
  }
  return (
    <section class={`verdict ${held ? 'is-good' : 'is-bad'}`} aria-label="What the contract says" aria-live="polite">
      {held && <p>The request keeps the contract.</p>}
      {check.operation === null && (
        <>
          <p>No operation has this method and path.</p>
          <ul>
            {near_misses.map(({ operation, method, path }) => (
              <li key={operation}>
                <span class="method">{method}</span> <bdi>{path}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <WrongPlaces problems={problems} advice={advice} violations={violations} />
      {corrected && (
        <div class="buttons">
          <button type="button" onClick={correct}>
            Correct it {inWords(advice ?? [])}
          </button>
        </div>
      )}
    </section>
  )
}
