import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Something that can be chosen from a list below an input. */
export interface Choice {
  id: string
  label: string
  hint?: string | undefined
  /** The heading of a group of choices. */
  group?: string
}

/** The ARIA properties of an input with a list of choices. */
export function comboboxOf(list: string, choices: readonly Choice[], active: number) {
  return {
    role: 'combobox' as const,
    list: undefined,
    'aria-autocomplete': 'list' as const,
    'aria-expanded': choices.length > 0,
    'aria-controls': list,
    'aria-activedescendant': choices[active] ? `${list}-${active}` : undefined,
    autoComplete: 'off',
    spellcheck: false
  }
}

/** The index after an arrow key. -1 means that nothing is chosen, which `canBeNone` allows. */
export function moved(key: string, active: number, count: number, canBeNone: boolean): number | undefined {
  const least = canBeNone ? -1 : 0
  const size = count - least
  if (size <= 0) return undefined
  if (key === 'ArrowDown') return ((active - least + 1) % size) + least
  if (key === 'ArrowUp') return ((active - least - 1 + size) % size) + least
  return undefined
}

/** The list of choices below an input. */
export function Choices({
  id,
  label,
  choices,
  active,
  onChoose,
  icon
}: {
  id: string
  label: string
  choices: readonly Choice[]
  active: number
  onChoose: (choice: Choice) => void
  icon?: (choice: Choice) => ComponentChildren
}) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, choices])
  return (
    <div ref={box} id={id} class="choices" role="listbox" aria-label={label} hidden={choices.length === 0}>
      {choices.map((choice, at) => {
        const { id: value, label: text, hint, group } = choice
        return [
          group !== undefined && group !== choices[at - 1]?.group && (
            <div key={`group ${group}`} class="group" role="presentation">
              {group}
            </div>
          ),
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          <div
            key={value}
            id={`${id}-${at}`}
            class="choice"
            role="option"
            aria-selected={at === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(choice)}
          >
            {icon?.(choice)}
            <bdi>{text}</bdi>
            {hint !== undefined && <bdi class="quiet">{hint}</bdi>}
          </div>
        ]
      })}
    </div>
  )
}
