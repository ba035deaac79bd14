import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { call } from '../../client.js'
import { type Choice, Choices, comboboxOf, moved } from '../../parts/choices.js'
import type { InputProps } from '../../parts/field.js'
import { type RowNames, several, shortId, titleOf } from '../labels.js'
import type { AnyRow, CollectionName } from './fields.js'

const most = 30

interface Props {
  /** The collection to choose from. */
  target: string
  names: RowNames
  disabled?: boolean
  shared: Partial<InputProps> & { 'aria-label'?: string }
  autoFocus?: boolean
}

type Id = string | number

/** An input that suggests the rows of a collection by name. What is typed instead is passed on as it is. */
export function Picker({
  value,
  onChange,
  onTake,
  onKeyDown,
  ...props
}: Props & {
  value: string
  onChange: (id: string) => void
  /** Called with a choice in the place of onChange. */
  onTake?: (choice: Choice) => void
  onKeyDown?: (event: KeyboardEvent) => void
}) {
  const { target, names, disabled = false, shared, autoFocus = false } = props
  const list = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState<string>()
  const [choices, setChoices] = useState<Choice[]>([])
  const [active, setActive] = useState(-1)
  const [known, setKnown] = useState<Record<string, string>>({})
  const isOpen = text !== undefined
  useEffect(() => {
    if (autoFocus) input.current?.select()
  }, [])
  useEffect(() => {
    if (text === undefined) return setChoices([])
    let isOver = false
    const timer = setTimeout(() => {
      findRows(target, text).then(
        (found) => !isOver && setChoices(found),
        () => {}
      )
    }, 100)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text, target])
  const take = (choice: Choice) => {
    setKnown((before) => ({ ...before, [choice.id]: choice.label }))
    setText(undefined)
    setActive(-1)
    if (onTake) onTake(choice)
    else onChange(choice.id)
  }
  const press = (event: KeyboardEvent) => {
    const next = isOpen ? moved(event.key, active, choices.length, true) : undefined
    if (next !== undefined) setActive(next)
    else if (!isOpen && event.key === 'ArrowDown') setText('')
    else if (event.key === 'Enter' && choices[active]) take(choices[active])
    else if (event.key === 'Escape' && isOpen && choices.length > 0) setText(undefined)
    else return onKeyDown?.(event)
    event.preventDefault()
    event.stopPropagation()
  }
  const shown = value === '' ? '' : (known[value] ?? titleOf(names, target, value))
  return (
    <div class="picker">
      <input
        ref={input}
        {...shared}
        {...comboboxOf(list, isOpen ? choices : [], active)}
        type="text"
        dir="auto"
        disabled={disabled}
        value={text ?? shown}
        placeholder={`Search ${several(target).toLowerCase()}`}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setActive(-1)
          onChange(currentTarget.value)
        }}
        onClick={() => !disabled && setText((before) => before ?? '')}
        onKeyDown={press}
        onBlur={() => setText(undefined)}
      />
      <Choices id={list} label={several(target)} choices={isOpen ? choices : []} active={active} onChoose={take} />
    </div>
  )
}

/** References to several rows: each by its name, with a button that takes it out, and an input that adds one. */
export function ListPicker({
  ids,
  onChange,
  label,
  ...props
}: Props & { ids: readonly Id[]; onChange: (ids: Id[]) => void; label: string }) {
  const { target, names, disabled = false } = props
  const [added, setAdded] = useState('')
  const [known, setKnown] = useState<Record<string, string>>({})
  const add = (text: string) => {
    setAdded('')
    const id = /^-?\d+$/.test(text) ? Number(text) : text
    if (text !== '' && !ids.includes(id)) onChange([...ids, id])
  }
  return (
    <div class="chips">
      {ids.map((id) => (
        <span key={id} class="chip">
          <bdi>{known[String(id)] ?? titleOf(names, target, id)}</bdi>
          <button
            type="button"
            disabled={disabled}
            aria-label={`Take ${known[String(id)] ?? titleOf(names, target, id)} out of ${label}`}
            onClick={() => onChange(ids.filter((it) => it !== id))}
          >
            ×
          </button>
        </span>
      ))}
      <Picker
        {...props}
        value={added}
        onChange={setAdded}
        onTake={({ id, label: name }) => {
          setKnown((before) => ({ ...before, [id]: name }))
          add(id)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || added === '') return
          event.preventDefault()
          add(added)
        }}
      />
    </div>
  )
}

async function findRows(target: string, text: string): Promise<Choice[]> {
  const path = { collection: target as CollectionName }
  const { rows, names } = await call('listRows', { path, query: { q: text, limit: most, names: true } })
  return (rows as AnyRow[]).map(({ id }) => ({
    id: String(id),
    label: titleOf(names, target, id),
    hint: names?.[target]?.[String(id)] === undefined ? undefined : shortId(id)
  }))
}
