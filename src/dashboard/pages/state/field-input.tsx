import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isSame } from '../json/values.js'
import { Button } from '../parts/actions.js'
import { type Choice, Combobox } from '../parts/choices.js'
import { Check, type InputProps, Field as Labelled, Options } from '../parts/fields.js'
import { grouped } from '../parts/text.js'
import { blankOf, choicesOf, type Draft, draftOf, type Field, findRows, valueIn } from './fields.js'
import { type RowNames, several, titleOf } from './labels.js'

interface ValueProps {
  field: Field
  draft: Draft
  names: RowNames
  shared: InputProps
  onChange: (text: string) => void
  isDisabled?: boolean
  isSelected?: boolean
  placeholder?: string | undefined
  onKeyDown?: (event: KeyboardEvent) => void
  /** The text of no value, in a choice. */
  none?: string | undefined
}

/** The input of one value on a line: a choice, a row of another collection, or a text. */
export function ValueInput(props: ValueProps) {
  const { field, draft, shared, onChange, isDisabled = false, placeholder, onKeyDown, none } = props
  const choices = choicesOf(field)
  const common = { ...shared, disabled: isDisabled, value: draft ?? '', onKeyDown }
  const change = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value)
  if (choices) {
    return (
      <select {...common} onChange={change}>
        <Options options={[...(none === undefined ? [] : [['', none] as const]), ...choices]} />
      </select>
    )
  }
  if (field.references && !field.types.includes('array')) return <Picker {...props} target={field.references} />
  const text = { dir: 'auto', autoComplete: 'off', spellcheck: false, placeholder } as const
  return <input type="text" {...common} {...text} onInput={change} />
}

/** The properties of an input that suggests the rows of a collection by name. Other text is passed on unchanged. */
function suggestions(target: string, text: string) {
  const placeholder = `Search ${several(target).toLowerCase()}`
  return { label: several(target), placeholder, load: () => findRows(target, text), opensAtOnce: false }
}

type Id = string | number

/** The names of rows, with those that were chosen since they were loaded. */
function useNames(target: string, names: RowNames) {
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const nameOf = (id: Id) => chosen[id] ?? titleOf(names, target, id)
  const learn = ({ id, label }: Choice) => setChosen((before) => ({ ...before, [id]: label }))
  return { nameOf, learn }
}

function Picker(props: ValueProps & { target: string }) {
  const { target, names, draft, onChange, shared, isDisabled, isSelected, onKeyDown } = props
  const [text, setText] = useState<string>()
  const { nameOf, learn } = useNames(target, names)
  return (
    <Combobox
      {...{ shared, isDisabled, isSelected, onKeyDown }}
      {...suggestions(target, text ?? '')}
      value={text ?? (draft ? nameOf(draft) : '')}
      onInput={(next) => {
        setText(next)
        onChange(next)
      }}
      onChoose={(choice) => {
        learn(choice)
        onChange(choice.id)
      }}
      onClose={() => setText(undefined)}
    />
  )
}

interface ListProps {
  target: string
  names: RowNames
  isDisabled: boolean
  shared: InputProps
  ids: readonly Id[]
  onChange: (ids: unknown) => void
  label: string
}

/** References to several rows: each by its name, with a button that removes it, and an input that adds one. */
function ListPicker({ target, names, isDisabled, shared, ids, onChange, label }: ListProps) {
  const [text, setText] = useState('')
  const { nameOf, learn } = useNames(target, names)
  const add = (text: string) => {
    setText('')
    const id = /^-?\d+$/.test(text) ? Number(text) : text
    if (text !== '' && !ids.includes(id)) onChange([...ids, id])
  }
  const remove = (id: Id) => onChange(ids.filter((it) => it !== id))
  return (
    <div class="chips" onFocusOut={() => add(text)}>
      {ids.map((id) => (
        <span key={id} class="chip">
          <bdi>{nameOf(id)}</bdi>
          <Button
            text="×"
            aria-label={`Remove ${nameOf(id)} from ${label}`}
            disabled={isDisabled}
            run={() => remove(id)}
          />
        </span>
      ))}
      <Combobox
        {...{ shared, isDisabled }}
        {...suggestions(target, text)}
        value={text}
        onInput={setText}
        onChoose={(choice) => {
          learn(choice)
          add(choice.id)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || text === '') return
          event.preventDefault()
          add(text)
        }}
      />
    </div>
  )
}

interface TextInputProps {
  field: Field
  label: ComponentChildren
  /** How the field is called where it is not seen, such as "Starter messages 1". */
  title: string
  value: unknown
  names: RowNames
  isFixed: boolean
  error: string | undefined
  onChange: (value: unknown) => void
}

/** Browsers take seconds to lay out an input with a very long text. */
const most = 20_000

/** The input of one value: on a line, or lines of text or JSON. A very long text is shown in part at first. */
export function TextInput({ field, label, title, value, names, isFixed, error, onChange }: TextInputProps) {
  const { types, references, description } = field
  // "1." is a step to "1.5", and not the number 1.
  const [typed, type] = useState<Draft>(null)
  const draft = typed !== null && isSame(valueIn(field, typed), value) ? typed : draftOf(value)
  const text = draft ?? ''
  const change = (draft: string) => {
    type(draft)
    onChange(valueIn(field, draft))
  }
  const [isWhole, setWhole] = useState(text.length <= most)
  const isDisabled = isFixed || draft === null
  const isList = types.includes('array')
  const isLong = types.length === 0 || types.includes('object') || isList || text.includes('\n') || text.length > 80
  const input = (shared: InputProps) => {
    if (references && isList && (value === undefined || Array.isArray(value))) {
      return (
        <ListPicker {...{ names, isDisabled, shared, onChange }} ids={value ?? []} target={references} label={title} />
      )
    }
    if (choicesOf(field) || !isLong || (references && !isList)) {
      const none = text === '' ? '—' : undefined
      return <ValueInput {...{ field, draft, names, shared, isDisabled, none }} onChange={change} />
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
        onInput={(event) => change(event.currentTarget.value)}
      />
    )
  }
  return (
    <Labelled label={label} hint={description} error={error}>
      {(shared) => (
        <>
          {input(shared)}
          {!isWhole && draft !== null && (
            <Button
              text={`Edit all ${grouped(draft.length)} characters`}
              about={`of ${title}`}
              run={() => setWhole(true)}
            />
          )}
          <NullCheck {...{ field, title, value, onChange }} />
        </>
      )}
    </Labelled>
  )
}

type NullProps = Pick<TextInputProps, 'field' | 'title' | 'value' | 'onChange'>

export function NullCheck({ field, title, value, onChange }: NullProps) {
  if (!field.types.includes('null')) return null
  return (
    <Check isOn={value === null} onChange={(isNull) => onChange(isNull ? null : blankOf(field))}>
      null<span class="hidden"> for {title}</span>
    </Check>
  )
}
