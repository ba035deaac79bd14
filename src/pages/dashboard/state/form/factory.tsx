import { TextField } from '../../parts/field.js'
import { Check } from '../../parts/line.js'

interface Props {
  traits: Record<string, string>
  chosen: readonly string[]
  onTraits: (traits: string[]) => void
  count: string
  onCount: (count: string) => void
  error: string | undefined
}

/** How many rows the mock makes, and of which sort. */
export function Factory({ traits, chosen, onTraits, count, onCount, error }: Props) {
  const names = Object.entries(traits)
  return (
    <fieldset>
      <legend>Made by the mock</legend>
      <p class="quiet">What you leave empty below is made to fit the rest.</p>
      {names.length > 0 && (
        <div class="buttons">
          {names.map(([trait, description]) => (
            <Check
              key={trait}
              title={description}
              isOn={chosen.includes(trait)}
              onChange={(isOn) => onTraits(isOn ? [...chosen, trait] : chosen.filter((it) => it !== trait))}
            >
              {trait}
            </Check>
          ))}
        </div>
      )}
      <TextField label="How many" error={error} inputMode="numeric" placeholder="1" value={count} onChange={onCount} />
    </fieldset>
  )
}
