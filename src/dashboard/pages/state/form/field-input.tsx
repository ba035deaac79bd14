import { useState } from 'preact/hooks'
import { jsonIn } from '../../json/text.js'
import { Field as Labelled, Options } from '../../parts/field.js'
import { Check } from '../../parts/line.js'
import { Named } from '../../parts/named.js'
import { one, type RowNames, worded } from '../labels.js'
import { choicesOf, type Draft, type Field } from './fields.js'
import { ListPicker, Picker } from './picker.js'

interface Props {
  field: Field
  draft: Draft
  names: RowNames
  isFixed: boolean
  hint: string | undefined
  error: string | undefined
  onChange: (draft: Draft) => void
}

/** Browsers take seconds to lay out an input with a very long text. */
const most = 20_000

/** The input of one field: a choice, a line, or lines of text or JSON. A very long text is shown in part at first. */
export function FieldInput({ field, draft, names, isFixed, hint, error, onChange }: Props) {
  const { name, types, format, references } = field
  const [isWhole, setWhole] = useState((draft ?? '').length <= most)
  const text = isWhole || draft === null ? (draft ?? '') : `${draft.slice(0, 2000)}…`
  const isNullable = types.includes('null')
  const isDisabled = isFixed || draft === null
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  const choices = choicesOf(field)
  const ids = references && types.includes('array') ? idsIn(draft) : undefined
  const isLong =
    types.includes('object') || types.includes('array') || /\n/.test(draft ?? '') || (draft ?? '').length > 80
  const label = (
    <>
      <Named name={name} />{' '}
      <span class="quiet">
        {types.filter((type) => type !== 'null').join(' or ')} {format}{' '}
        {references && `of ${one(references).toLowerCase()}`}
      </span>
    </>
  )
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(shared) => (
        <>
          {choices ? (
            <select {...shared} disabled={isDisabled} value={draft ?? ''} onChange={change}>
              {(draft === '' || draft === null) && <option value="">—</option>}
              <Options options={choices} />
            </select>
          ) : references && ids ? (
            <ListPicker
              target={references}
              names={names}
              isDisabled={isDisabled}
              shared={shared}
              label={worded(name)}
              ids={ids}
              onChange={(next) => onChange(JSON.stringify(next))}
            />
          ) : references && !types.includes('array') ? (
            <Picker
              target={references}
              names={names}
              isDisabled={isDisabled}
              shared={shared}
              value={draft ?? ''}
              onChange={onChange}
            />
          ) : isLong ? (
            <textarea
              {...shared}
              disabled={isDisabled}
              class="code"
              dir="auto"
              spellcheck={false}
              rows={rowsOf(draft)}
              readOnly={!isWhole}
              value={text}
              onInput={change}
            />
          ) : (
            <input
              {...shared}
              disabled={isDisabled}
              type="text"
              dir="auto"
              autoComplete="off"
              spellcheck={false}
              value={draft ?? ''}
              onInput={change}
            />
          )}
          {!isWhole && draft !== null && (
            <button type="button" onClick={() => setWhole(true)}>
              Edit all {draft.length.toLocaleString('en')} characters<span class="hidden"> of {worded(name)}</span>
            </button>
          )}
          {isNullable && (
            <Check isOn={draft === null} onChange={(isNull) => onChange(isNull ? null : (choices?.[0] ?? ''))}>
              null<span class="hidden"> for {worded(name)}</span>
            </Check>
          )}
        </>
      )}
    </Labelled>
  )
}

/** The ids in the draft of a list. Undefined if it is something else. */
function idsIn(draft: Draft): (string | number)[] | undefined {
  if (draft === null || draft === '') return []
  const value = jsonIn(draft)
  return Array.isArray(value) ? value : undefined
}

function rowsOf(draft: Draft): number {
  return Math.min(16, Math.max(3, (draft ?? '').slice(0, 5000).split('\n').length))
}
