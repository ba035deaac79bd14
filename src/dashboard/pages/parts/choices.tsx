import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Gone } from '../client.js'
import { sayFailed } from './actions.js'
import type { InputProps } from './fields.js'

export interface Choice {
  id: string
  label: string
  hint?: string | undefined
  group?: string
}

interface ListboxProps<Item extends Choice> {
  label: string
  choices: readonly Item[]
  onChoose: (choice: Item) => void
  /** The index at the start. -1: nothing is chosen, which the arrow keys also reach. */
  start?: -1 | 0
  /** Whether the list is not loaded yet. Arrow keys count all the same. */
  isWaiting?: boolean
}

/** The range of the arrow keys before a list is loaded. No list is longer. */
const longest = 1000

/** An input with a list of choices: its ARIA properties, its keys and the list. */
export function useListbox<Item extends Choice>(props: ListboxProps<Item>) {
  const { label, choices, onChoose, start = -1, isWaiting = false } = props
  const id = useId()
  const [active, setActive] = useState<number>(start)
  const at = isWaiting ? -1 : Math.min(active, choices.length - 1)
  const choice = choices[at]
  /** Returns whether the key was for the list. */
  const press = ({ key }: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    const [from, count] = isWaiting ? [active, longest] : [at, choices.length]
    const size = count - start
    if (step !== undefined && size > 0) setActive(((from - start + step + size) % size) + start)
    else if (key === 'Enter' && choice) onChoose(choice)
    else return false
    return true
  }
  const input = {
    role: 'combobox' as const,
    list: undefined,
    'aria-autocomplete': 'list' as const,
    'aria-expanded': choices.length > 0,
    'aria-controls': id,
    'aria-activedescendant': choice ? `${id}-${at}` : undefined,
    autoComplete: 'off',
    spellcheck: false
  }
  const list = <Choices id={id} label={label} choices={choices} at={at} onChoose={onChoose} />
  return { active, reset: () => setActive(start), press, input, list }
}

function Choices<Item extends Choice>(props: ListboxProps<Item> & { id: string; at: number }) {
  const { id, label, choices, at: active, onChoose } = props
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, choices])
  return (
    <div ref={box} id={id} class="choices" role="listbox" aria-label={label} hidden={choices.length === 0}>
      {choices.map((choice, at) => [
        choice.group !== undefined && choice.group !== choices[at - 1]?.group && (
          <div key={`group ${choice.group}`} class="group" role="presentation">
            {choice.group}
          </div>
        ),
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
        <div
          key={choice.id}
          id={`${id}-${at}`}
          class="choice"
          role="option"
          aria-selected={at === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
        >
          <bdi>{choice.label}</bdi>
          {choice.hint !== undefined && <bdi class="quiet">{choice.hint}</bdi>}
        </div>
      ])}
    </div>
  )
}

interface ComboboxProps {
  shared?: Partial<InputProps>
  value: string
  label: string
  placeholder?: string | undefined
  isDisabled?: boolean | undefined
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
  isSelected?: boolean | undefined
}

/** A text input with a list of choices, which follows the text. Keys that are pressed before the list is loaded wait for it. */
export function Combobox(props: ComboboxProps) {
  const { shared, value, label, load, takesOnly = false, opensAtOnce = true, isSelected = false } = props
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  /** Whether Enter was pressed before the list for the text was loaded. */
  const [isHurried, hurry] = useState(false)
  const loaded = useLater(load, isOpen ? value : undefined, 120)
  const isWaiting = isOpen && !loaded.isCurrent
  const choices = (isOpen && loaded.value) || []
  const open = (isOpen: boolean) => {
    setOpen(isOpen)
    listbox.reset()
    hurry(false)
    if (!isOpen) props.onClose?.()
  }
  const take = (choice: Choice) => {
    open(false)
    props.onChoose(choice)
  }
  const listbox = useListbox({ label, choices, onChoose: take, isWaiting })
  const only = takesOnly && !isWaiting && choices.length === 1 ? choices[0] : undefined
  // Before the next key, which would be selected too, and lost.
  useLayoutEffect(() => {
    if (isSelected) input.current?.select()
  }, [])
  useLayoutEffect(() => {
    if (!isHurried || isWaiting) return
    hurry(false)
    const choice = choices[Math.min(listbox.active, choices.length - 1)] ?? only
    if (choice) take(choice)
  }, [isHurried, isWaiting])

  const press = (event: KeyboardEvent) => {
    const { key } = event
    if (event.ctrlKey || event.metaKey) return props.onKeyDown?.(event)
    if (key === 'ArrowDown' && !isOpen) open(true)
    else if (key === 'Enter' && isWaiting && (listbox.active >= 0 || takesOnly)) hurry(true)
    else if (key === 'Escape' && choices.length > 0) open(false)
    else if (!listbox.press(event)) {
      if (key !== 'Enter' || !only) return props.onKeyDown?.(event)
      take(only)
    }
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
        {...listbox.input}
        onInput={(event) => {
          open(true)
          props.onInput(event.currentTarget.value)
        }}
        onKeyDown={press}
        onClick={() => isOpen || open(true)}
        onFocus={() => opensAtOnce && open(true)}
        onBlur={() => open(false)}
      />
      {listbox.list}
    </div>
  )
}

/** The value for a key, loaded once the key has stayed the same for a moment. Until then it is the earlier one. */
export function useLater<T>(load: () => T | Promise<T>, key: string | undefined, pause: number) {
  const current = useMemo(() => ({}), [key])
  const [latest, set] = useState<{ of: object; value: T }>()
  useEffect(() => {
    if (key === undefined) return
    let isOver = false
    const run = async () => {
      const value = await load()
      if (!isOver) set({ of: current, value })
    }
    // The page already shows that the mock is gone.
    const timer = setTimeout(() => run().catch((error) => error instanceof Gone || sayFailed(error)), pause)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [key])
  return { value: latest?.value, isCurrent: latest?.of === current }
}
