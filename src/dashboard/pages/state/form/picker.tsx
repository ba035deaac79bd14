import { useState } from 'preact/hooks'
import type { Choice } from '../../parts/choices.js'
import { Combobox } from '../../parts/combobox.js'
import type { InputProps } from '../../parts/field.js'
import { findRows } from '../find-rows.js'
import { type RowNames, several, titleOf } from '../labels.js'

interface Props {
  /** The collection to choose from. */
  target: string
  names: RowNames
  isDisabled?: boolean
  shared: Partial<InputProps> & { 'aria-label'?: string }
  isSelected?: boolean
}

interface PickerProps extends Props {
  value: string
  onChange: (id: string) => void
  /** Called with a choice instead of onChange. */
  onTake?: (choice: Choice) => void
  onKeyDown?: (event: KeyboardEvent) => void
}

type Id = string | number

/** An input that suggests the rows of a collection by name. Other text is passed on unchanged. */
export function Picker({ target, names, value, onChange, onTake, ...props }: PickerProps) {
  const [text, setText] = useState<string>()
  const [ownNames, setOwnNames] = useState<Record<string, string>>({})
  const name = value === '' ? '' : (ownNames[value] ?? titleOf(names, target, value))
  return (
    <Combobox
      {...props}
      label={several(target)}
      placeholder={`Search ${several(target).toLowerCase()}`}
      value={text ?? name}
      load={() => findRows(target, text ?? '')}
      onInput={(next) => {
        setText(next)
        onChange(next)
      }}
      onChoose={(choice) => {
        setOwnNames((before) => ({ ...before, [choice.id]: choice.label }))
        if (onTake) onTake(choice)
        else onChange(choice.id)
      }}
      onClose={() => setText(undefined)}
      opensAtOnce={false}
    />
  )
}

/** References to several rows: each by its name, with a button that removes it, and an input that adds one. */
export function ListPicker({
  ids,
  onChange,
  label,
  ...props
}: Props & { ids: readonly Id[]; onChange: (ids: Id[]) => void; label: string }) {
  const { target, names, isDisabled = false } = props
  const [added, setAdded] = useState('')
  const [ownNames, setOwnNames] = useState<Record<string, string>>({})
  const nameOf = (id: Id) => ownNames[String(id)] ?? titleOf(names, target, id)
  const add = (text: string) => {
    setAdded('')
    const id = /^-?\d+$/.test(text) ? Number(text) : text
    if (text !== '' && !ids.includes(id)) onChange([...ids, id])
  }
  return (
    <div class="chips">
      {ids.map((id) => (
        <span key={id} class="chip">
          <bdi>{nameOf(id)}</bdi>
          <button
            type="button"
            disabled={isDisabled}
            aria-label={`Take ${nameOf(id)} out of ${label}`}
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
          setOwnNames((before) => ({ ...before, [id]: name }))
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
