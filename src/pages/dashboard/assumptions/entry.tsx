import { useState } from 'preact/hooks'
import type { AssumptionEntry, Coverage } from '../../../contract/types.gen.js'
import { count } from '../parts/text.js'
import { TextForm } from '../parts/text-form.js'
import { queryText } from '../requests/query.js'
import { href } from '../route.js'

interface Props {
  entry: AssumptionEntry
  /** How many responses rested on it, and of which operations. */
  use: Coverage['assumptions'][number] | undefined
  /** Whether it is that of an earlier moment, which nobody changes. */
  isPast: boolean
  change: (id: string, choice: string) => Promise<void>
}

/** One entry of the ledger: its question, its choice and its uses. */
export function Entry({ entry, use, isPast, change }: Props) {
  const { id, question, choices, choice, default: documented, observed, reason, place, fixed = false } = entry
  const [error, setError] = useState<string>()
  const choose = (next: string) =>
    change(id, next).then(
      () => setError(undefined),
      (refused: Error) => setError(refused.message)
    )
  // A choice such as after-<n>-reads stands for many.
  const names = Object.keys(choices)
  const exact = names.filter((name) => !name.includes('<'))
  const patterns = names.filter((name) => name.includes('<'))
  if (!exact.includes(choice)) exact.push(choice)
  return (
    <li>
      <div>
        <h3>{question}</h3>
        <p>{choices[choice]}</p>
        <div class="about">
          <p class="quiet">
            <code>{id}</code> · {place.join(', ')}
            {use && (
              <>
                {' '}
                · Relied on {count(use.uses, 'time')} by{' '}
                {use.operations.map((operation, at) => (
                  <span key={operation}>
                    {at > 0 && ', '}
                    <a href={href('requests', [], { q: queryText({ assumed: id, op: operation }) })}>{operation}</a>
                  </span>
                ))}
              </>
            )}
            {choice !== documented && <span class="tag accent">not the default</span>}
          </p>
          <details>
            <summary>Why, and what else</summary>
            <p>{reason}</p>
            <dl class="headers">
              {names.map((name) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{choices[name]}</dd>
                </div>
              ))}
            </dl>
          </details>
        </div>
      </div>
      <div class="line">
        <label>
          <span class="hidden">Choice in force</span>
          <select
            value={choice}
            disabled={fixed || isPast}
            onChange={(event) => void choose(event.currentTarget.value)}
            aria-label={`Choice for ${id}`}
          >
            {exact.map((name) => (
              <option key={name} value={name}>
                {name}
                {name === documented && ' (documented)'}
                {name === observed && name !== documented && ' (observed)'}
              </option>
            ))}
          </select>
        </label>
        {!isPast &&
          patterns.map((pattern) => (
            <TextForm
              key={pattern}
              label={`Or ${pattern}`}
              verb="Set"
              verbLabel={`Set ${id} to ${pattern}`}
              run={(text) => change(id, text)}
            />
          ))}
        {error !== undefined && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
      </div>
    </li>
  )
}
