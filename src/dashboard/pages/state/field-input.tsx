import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Refused } from '../client.js'
import { jsonIn } from '../json/values.js'
import { sayFailed } from '../parts/actions.js'
import { type Choice, Combobox } from '../parts/choices.js'
import { Check, type InputProps, Field as Labelled, Options } from '../parts/fields.js'
import { Named, Note } from '../parts/text.js'
import {
  type AnyRow,
  type CollectionName,
  choicesOf,
  conflictText,
  type Draft,
  draftOf,
  type Field,
  findRows,
  saveRow,
  valueIn
} from './fields.js'
import { one, type RowNames, several, titleOf, worded } from './labels.js'

interface ValueInputProps {
  field: Field
  draft: Draft
  names: RowNames
  shared: InputProps
  onChange: (text: string) => void
  isDisabled?: boolean
  isSelected?: boolean
  placeholder?: string | undefined
  onKeyDown?: (event: KeyboardEvent) => void
  children?: ComponentChildren
}

/** The input of one value on a line: a choice, a row of another collection, or a text. */
function ValueInput(props: ValueInputProps) {
  const { field, draft, names, shared, onChange, isDisabled = false, onKeyDown } = props
  const choices = choicesOf(field)
  const common = { ...shared, disabled: isDisabled, value: draft ?? '', onKeyDown }
  const change = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value)
  if (choices) {
    return (
      <select {...common} onChange={change}>
        {props.children}
        <Options options={choices} />
      </select>
    )
  }
  if (field.references && !field.types.includes('array')) {
    const { isSelected } = props
    const picker = { names, shared, isDisabled, isSelected, value: draft ?? '', onChange, onKeyDown }
    return <Picker target={field.references} {...picker} />
  }
  const text = { dir: 'auto', autoComplete: 'off', spellcheck: false, placeholder: props.placeholder } as const
  return <input type="text" {...common} {...text} onInput={change} />
}

interface FieldInputProps {
  field: Field
  draft: Draft
  names: RowNames
  isFixed: boolean
  error: string | undefined
  onChange: (draft: Draft) => void
}

/** Browsers take seconds to lay out an input with a very long text. */
const most = 20_000

/** The input of one field: that of its value, or lines of text or JSON. A very long text is shown in part at first. */
export function FieldInput({ field, draft, names, isFixed, error, onChange }: FieldInputProps) {
  const { name, types, format, references, description } = field
  const text = draft ?? ''
  const [isWhole, setWhole] = useState(text.length <= most)
  const isDisabled = isFixed || draft === null
  const choices = choicesOf(field)
  const isList = types.includes('array')
  const ids = references && isList ? idsIn(text) : undefined
  const isLong = types.includes('object') || isList || text.includes('\n') || text.length > 80
  const label = (
    <>
      <Named name={name} />{' '}
      <span class="quiet">
        {types.filter((type) => type !== 'null').join(' or ')} {format}{' '}
        {references && `of ${one(references).toLowerCase()}`}
      </span>
    </>
  )
  const input = (shared: InputProps) => {
    if (references && ids) {
      const change = (next: Id[]) => onChange(JSON.stringify(next))
      const list = { names, isDisabled, shared, ids, onChange: change }
      return <ListPicker target={references} label={worded(name)} {...list} />
    }
    if (choices || !isLong || (references && !isList)) {
      return (
        <ValueInput
          field={field}
          draft={draft}
          names={names}
          shared={shared}
          onChange={onChange}
          isDisabled={isDisabled}
        >
          {text === '' && <option value="">—</option>}
        </ValueInput>
      )
    }
    return (
      <textarea
        {...shared}
        disabled={isDisabled}
        class="code"
        dir="auto"
        spellcheck={false}
        rows={Math.min(16, Math.max(3, text.slice(0, 5000).split('\n').length))}
        readOnly={!isWhole}
        value={isWhole ? text : `${text.slice(0, 2000)}…`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <Labelled label={label} hint={description} error={error}>
      {(shared) => (
        <>
          {input(shared)}
          {!isWhole && draft !== null && (
            <button type="button" onClick={() => setWhole(true)}>
              Edit all {draft.length.toLocaleString('en')} characters<span class="hidden"> of {worded(name)}</span>
            </button>
          )}
          {types.includes('null') && (
            <Check isOn={draft === null} onChange={(isNull) => onChange(isNull ? null : (choices?.[0] ?? ''))}>
              null<span class="hidden"> for {worded(name)}</span>
            </Check>
          )}
        </>
      )}
    </Labelled>
  )
}

/** The ids in the text of a list. Undefined if it is something else. */
function idsIn(text: string): Id[] | undefined {
  if (text === '') return []
  const value = jsonIn(text)
  return Array.isArray(value) ? value : undefined
}

interface PickerProps {
  target: string
  names: RowNames
  isDisabled: boolean
  shared: InputProps
  isSelected?: boolean | undefined
  value: string
  onChange: (id: string) => void
  /** Called with a choice instead of onChange. */
  onTake?: (choice: Choice) => void
  onKeyDown?: ((event: KeyboardEvent) => void) | undefined
}

type Id = string | number

/** The names of rows, with those that were chosen since they were loaded. */
function useNames(target: string, names: RowNames) {
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const nameOf = (id: Id) => chosen[id] ?? titleOf(names, target, id)
  const learn = ({ id, label }: Choice) => setChosen((before) => ({ ...before, [id]: label }))
  return { nameOf, learn }
}

/** An input that suggests the rows of a collection by name. Other text is passed on unchanged. */
function Picker({ target, names, value, onChange, onTake, ...props }: PickerProps) {
  const [text, setText] = useState<string>()
  const { nameOf, learn } = useNames(target, names)
  return (
    <Combobox
      {...props}
      label={several(target)}
      placeholder={`Search ${several(target).toLowerCase()}`}
      value={text ?? (value === '' ? '' : nameOf(value))}
      load={() => findRows(target, text ?? '')}
      onInput={(next) => {
        setText(next)
        onChange(next)
      }}
      onChoose={(choice) => {
        learn(choice)
        if (onTake) onTake(choice)
        else onChange(choice.id)
      }}
      onClose={() => setText(undefined)}
      opensAtOnce={false}
    />
  )
}

interface ListProps extends Pick<PickerProps, 'target' | 'names' | 'isDisabled' | 'shared'> {
  ids: readonly Id[]
  onChange: (ids: Id[]) => void
  label: string
}

/** References to several rows: each by its name, with a button that removes it, and an input that adds one. */
function ListPicker({ ids, onChange, label, ...props }: ListProps) {
  const [added, setAdded] = useState('')
  const { nameOf, learn } = useNames(props.target, props.names)
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
            disabled={props.isDisabled}
            aria-label={`Remove ${nameOf(id)} from ${label}`}
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
        onTake={(choice) => {
          learn(choice)
          add(choice.id)
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

interface CellEditorProps {
  collection: CollectionName
  row: AnyRow
  field: Field
  names: RowNames
  onClose: () => void
}

/** Edits one value in its cell. Enter saves it, Escape cancels. Errors of the contract appear below. */
export function CellEditor({ collection, row, field, names, onClose }: CellEditorProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState(row)
  const [draft, setDraft] = useState(draftOf(row[field.name]) ?? '')
  const [error, setError] = useState<string>()
  const isBusy = useRef(false)
  const isNullable = field.types.includes('null')
  useEffect(() => box.current?.querySelector<HTMLElement>('input, select')?.focus(), [])

  const save = async () => {
    if (isBusy.current) return
    const value = draft === '' && isNullable ? null : valueIn(field, draft)
    if (JSON.stringify(value) === JSON.stringify(loaded[field.name])) return onClose()
    isBusy.current = true
    try {
      const { conflicts, now } = await saveRow(collection, loaded, { [field.name]: value })
      const [conflict] = conflicts
      if (!conflict) return onClose()
      setLoaded(now)
      setError(conflictText(conflict))
    } catch (problem) {
      if (problem instanceof Refused) setError(problem.reasons)
      else sayFailed(problem as Error)
    } finally {
      isBusy.current = false
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save()
    else if (event.key === 'Escape') {
      // The input loses the focus when it is removed, which would save it.
      isBusy.current = true
      onClose()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const shared: InputProps = { 'aria-label': `${field.name} of ${titleOf(names, collection, row.id)}` }
  if (error) Object.assign(shared, { 'aria-invalid': 'true', 'aria-describedby': id })
  return (
    <div
      ref={box}
      class="editor"
      onFocusOut={({ relatedTarget }) => {
        if (!box.current?.contains(relatedTarget as Node | null) && error === undefined) void save()
      }}
    >
      <ValueInput
        field={field}
        draft={draft}
        names={names}
        shared={shared}
        onChange={setDraft}
        isSelected
        placeholder={isNullable ? 'null' : undefined}
        onKeyDown={press}
      >
        {isNullable && <option value="">null</option>}
      </ValueInput>
      <Note id={id} class="error" role="alert" text={error} />
    </div>
  )
}
