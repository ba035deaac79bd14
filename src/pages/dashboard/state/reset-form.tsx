import { useRef, useState } from 'preact/hooks'
import { Refused } from '../client.js'
import { useErrors } from '../parts/errors.js'
import { count } from '../parts/text.js'
import { sayFailed } from '../parts/toasts.js'
import { undoable } from '../undo/undo.js'

const fixtureSets = ['empty', 'demo', 'large', 'awkward'] as const
type FixtureSet = (typeof fixtureSets)[number]

/** Goes back to the start, or to another one. */
export function ResetForm({ onChange }: { onChange: () => Promise<void> }) {
  const form = useRef<HTMLFormElement>(null)
  const { errors, show } = useErrors(form, ['fixtures', 'scale', 'seed', 'now'])
  const [fixtures, setFixtures] = useState<FixtureSet | ''>('')
  const [scale, setScale] = useState('')
  const [seed, setSeed] = useState('')
  const [now, setNow] = useState('')
  const reset = async (event: Event) => {
    event.preventDefault()
    show(undefined)
    try {
      const body = {
        ...(fixtures && { fixtures }),
        ...(scale && { scale: numberIn(scale) }),
        ...(seed && { seed: numberIn(seed) }),
        ...(now && { now })
      }
      await undoable('resetSandbox', { body, query: { keep_journal: true } }, ({ rows }) => {
        const total = Object.values(rows).reduce((sum, number) => sum + (number as number), 0)
        return `Back to the start: ${count(total, 'row')}.`
      })
      await onChange()
    } catch (error) {
      if (error instanceof Refused) show(error.problem)
      else sayFailed(error as Error)
    }
  }
  const inputs = [
    { name: 'scale', label: 'Scale', value: scale, set: setScale },
    { name: 'seed', label: 'Seed', value: seed, set: setSeed },
    { name: 'now', label: 'Clock (ISO 8601)', value: now, set: setNow }
  ]
  return (
    <form ref={form} noValidate onSubmit={(event) => void reset(event)}>
      <h2>Reset</h2>
      <p class="quiet">
        Back to the start: rows, clock, choices and overrides. What is left empty is as the mock was started. Snapshots,
        journal and coverage stay.
      </p>
      <div class="line">
        <label>
          <span>Fixtures</span>
          <select value={fixtures} onChange={(event) => setFixtures(event.currentTarget.value as FixtureSet)}>
            <option value="">as at the start</option>
            {fixtureSets.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {inputs.map(({ name, label, value, set }) => {
          const error = errors.byField.get(name)?.join(' ')
          return (
            <label key={name}>
              <span>{label}</span>
              <input
                type="text"
                autoComplete="off"
                value={value}
                aria-invalid={error ? 'true' : undefined}
                onInput={(event) => set(event.currentTarget.value)}
              />
              {error && <span class="error">{error}</span>}
            </label>
          )
        })}
        <button type="submit" class="danger">
          Reset
        </button>
      </div>
      {errors.general.map((text) => (
        <p key={text} class="error" role="alert">
          {text}
        </p>
      ))}
    </form>
  )
}

/** Invalid numbers are sent unchanged, so that the contract reports the error. */
function numberIn(text: string): number {
  return (Number.isNaN(Number(text)) ? text : Number(text)) as number
}
