import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Choice, Choices, comboboxOf, moved } from './choices.js'
import type { InputProps } from './field.js'
import { useLater } from './later.js'

interface Props {
  shared?: Partial<InputProps> & { 'aria-label'?: string }
  value: string
  /** The label of the list. */
  label: string
  placeholder?: string | undefined
  isDisabled?: boolean | undefined
  /** The choices for the value. */
  load: () => Promise<Choice[]> | Choice[]
  onInput: (value: string) => void
  onChoose: (choice: Choice) => void
  onClose?: () => void
  /** Receives the keys that are not for the list. */
  onKeyDown?: ((event: KeyboardEvent) => void) | undefined
  /** Whether Enter takes the only choice for a text. */
  takesOnly?: boolean
  /** Whether the list opens on focus, and not only on a click, a key or a text. */
  opensAtOnce?: boolean
  /** Whether the text is selected at the start. */
  isSelected?: boolean | undefined
}

/** The range of the arrow keys before the list is loaded. No list is longer. */
const longest = 1000

/** A text input with a list of choices, which follows the text. Keys that are pressed before the list is loaded wait for it. */
export function Combobox(props: Props) {
  const { shared, value, label, load, takesOnly = false, opensAtOnce = true, isSelected = false } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  /** Whether Enter was pressed before the list for the text was loaded. */
  const [isHurried, hurry] = useState(false)
  const list = useLater(load, isOpen ? value : undefined, 120)
  const isWaiting = isOpen && !list.isCurrent
  const choices = (isOpen && list.value) || []
  const at = isWaiting ? -1 : Math.min(active, choices.length - 1)
  const only = takesOnly && !isWaiting && choices.length === 1 ? choices[0] : undefined
  const choice = choices[at] ?? only

  const open = (isOpen: boolean) => {
    setOpen(isOpen)
    setActive(-1)
    hurry(false)
    if (!isOpen) props.onClose?.()
  }
  const take = (choice: Choice) => {
    open(false)
    props.onChoose(choice)
  }
  useEffect(() => {
    if (isSelected) input.current?.select()
  }, [])
  useEffect(() => {
    if (!isHurried || isWaiting) return
    hurry(false)
    if (choice) take(choice)
  }, [isHurried, isWaiting])

  const press = (event: KeyboardEvent) => {
    const next = isWaiting ? moved(event.key, active, longest, true) : moved(event.key, at, choices.length, true)
    if (event.ctrlKey || event.metaKey) return props.onKeyDown?.(event)
    if (event.key === 'ArrowDown' && !isOpen) open(true)
    else if (next !== undefined) setActive(next)
    else if (event.key === 'Enter' && choice) take(choice)
    else if (event.key === 'Enter' && isWaiting && (active >= 0 || takesOnly)) hurry(true)
    else if (event.key === 'Escape' && choices.length > 0) open(false)
    else return props.onKeyDown?.(event)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="combo">
      <input
        ref={input}
        aria-label={shared ? undefined : label}
        {...shared}
        type="text"
        dir="auto"
        disabled={props.isDisabled ?? false}
        placeholder={props.placeholder}
        value={value}
        {...comboboxOf(id, choices, at)}
        onInput={(event) => {
          open(true)
          props.onInput(event.currentTarget.value)
        }}
        onKeyDown={press}
        onClick={() => isOpen || open(true)}
        onFocus={() => opensAtOnce && open(true)}
        onBlur={() => open(false)}
      />
      <Choices id={id} label={label} choices={choices} active={at} onChoose={take} />
    </div>
  )
}
