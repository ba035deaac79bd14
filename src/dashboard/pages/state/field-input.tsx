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

/** An input that suggests the rows of a collection by name. Other text is passed on unchanged. */
function Picker(props: ValueProps & { target: string }) {
  const { target, names, draft, onChange, shared, isDisabled, isSelected, onKeyDown } = props
  const [text, setText] = useState<string>()
  /** The row that was chosen here, whose name is not loaded. */
  const [chosen, choose] = useState<Choice>()
  const name = draft && (chosen?.id === draft ? chosen.label : titleOf(names, target, draft))
  return (
    <Combobox
      {...{ shared, isDisabled, isSelected, onKeyDown }}
      label={several(target)}
      placeholder={`Search ${several(target).toLowerCase()}`}
      load={() => findRows(target, text ?? '')}
      opensAtOnce={false}
      value={text ?? name ?? ''}
      onInput={(next) => {
        setText(next)
        onChange(next)
      }}
      onChoose={(choice) => {
        choose(choice)
        onChange(choice.id)
      }}
      onClose={() => setText(undefined)}
    />
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
  placeholder: string | undefined
  error: string | undefined
  onChange: (value: unknown) => void
}

/** Browsers take seconds to lay out an input with a very long text. */
const most = 20_000

/** The input of one value: on a line, or lines of text or JSON. A very long text is shown in part at first. */
export function TextInput(props: TextInputProps) {
  const { field, label, title, value, names, isFixed, placeholder, error, onChange } = props
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
    if (choicesOf(field) || !isLong || (references && !isList)) {
      const none = text === '' ? '—' : undefined
      return <ValueInput {...{ field, draft, names, shared, isDisabled, none, placeholder }} onChange={change} />
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
