import { useEffect, useId, useState } from 'preact/hooks'
import { type Choice, Choices, comboboxOf, moved } from './choices.js'
import type { InputProps } from './field.js'
import { sayFailed } from './toasts.js'

/** A text input with a list of choices, which follows the text. */
export function Combobox({
  shared,
  value,
  label,
  placeholder,
  load,
  onInput,
  onChoose,
  takesOnly = false
}: {
  shared?: InputProps
  value: string
  /** What the list has. */
  label: string
  placeholder?: string | undefined
  /** The choices for a text. */
  load: (text: string) => Promise<Choice[]> | Choice[]
  onInput: (value: string) => void
  onChoose: (choice: Choice) => void
  /** Whether Enter takes the only choice for a text. */
  takesOnly?: boolean
}) {
  const id = useId()
  const [isOpen, open] = useState(false)
  const [choices, setChoices] = useState<Choice[]>([])
  const [active, setActive] = useState(-1)
  useEffect(() => {
    if (!isOpen) return
    let isOver = false
    const timer = setTimeout(() => {
      Promise.resolve(load(value)).then((found) => isOver || setChoices(found), sayFailed)
    }, 120)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isOpen, value])
  const shown = isOpen ? choices : []
  const take = (choice: Choice) => {
    open(false)
    setActive(-1)
    onChoose(choice)
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return
    if (event.key === 'ArrowDown' && !isOpen) open(true)
    const next = moved(event.key, active, shown.length, true)
    const choice = shown[active] ?? (takesOnly && shown.length === 1 ? shown[0] : undefined)
    if (next !== undefined) setActive(next)
    else if (event.key === 'Enter' && choice) take(choice)
    else if (event.key === 'Escape' && shown.length > 0) open(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="combo">
      <input
        {...shared}
        type="text"
        aria-label={shared ? undefined : label}
        placeholder={placeholder}
        value={value}
        {...comboboxOf(id, shown, active)}
        onInput={(event) => {
          open(true)
          setActive(-1)
          onInput(event.currentTarget.value)
        }}
        onKeyDown={press}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
      />
      <Choices id={id} label={label} choices={shown} active={active} onChoose={take} />
    </div>
  )
}
