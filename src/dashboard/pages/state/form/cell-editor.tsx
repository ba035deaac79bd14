import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Refused } from '../../client.js'
import { Options } from '../../parts/field.js'
import { sayFailed } from '../../parts/toasts.js'
import type { RowNames } from '../labels.js'
import { type AnyRow, type CollectionName, choicesOf, draftOf, type Field, meaningOf } from './fields.js'
import { Picker } from './picker.js'
import { conflictText, saveRow } from './save-row.js'

interface Props {
  collection: CollectionName
  row: AnyRow
  field: Field
  names: RowNames
  label: string
  onClose: (isSaved: boolean) => void
}

/** Edits one value in its cell. Enter saves it, Escape cancels. Errors of the contract appear below. */
export function CellEditor({ collection, row, field, names, label, onClose }: Props) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState(row)
  const [draft, setDraft] = useState(draftOf(row[field.name]) ?? '')
  const [error, setError] = useState<string>()
  const isBusy = useRef(false)
  const choices = choicesOf(field)
  const isNullable = field.types.includes('null')
  useEffect(() => box.current?.querySelector<HTMLElement>('input, select')?.focus(), [])

  const save = async (text = draft) => {
    if (isBusy.current) return
    const value = text === '' && isNullable ? null : meaningOf(field, text)
    if (JSON.stringify(value) === JSON.stringify(loaded[field.name])) return onClose(false)
    isBusy.current = true
    try {
      const { conflicts, now } = await saveRow(collection, loaded, { [field.name]: value })
      const [conflict] = conflicts
      if (!conflict) return onClose(true)
      setLoaded(now)
      setError(conflictText(conflict))
    } catch (problem) {
      if (problem instanceof Refused) setError(problem.reasons)
      else sayFailed(problem as Error)
    } finally {
      isBusy.current = false
    }
  }
  const giveUp = () => {
    // The input loses the focus when it is removed, which would save it.
    isBusy.current = true
    onClose(false)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save()
    else if (event.key === 'Escape') giveUp()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const shared = {
    'aria-label': label,
    ...(error && { 'aria-invalid': 'true' as const, 'aria-describedby': id })
  }
  const change = ({ currentTarget }: { currentTarget: { value: string } }) => setDraft(currentTarget.value)
  return (
    <div
      ref={box}
      class="editor"
      onFocusOut={({ relatedTarget }) => {
        if (!box.current?.contains(relatedTarget as Node | null) && error === undefined) void save()
      }}
    >
      {choices ? (
        <select {...shared} value={draft} onChange={change} onKeyDown={press}>
          {isNullable && <option value="">null</option>}
          <Options options={choices} />
        </select>
      ) : field.references ? (
        <Picker
          target={field.references}
          names={names}
          shared={shared}
          isSelected
          value={draft}
          onChange={setDraft}
          onKeyDown={press}
        />
      ) : (
        <input
          {...shared}
          type="text"
          dir="auto"
          autoComplete="off"
          spellcheck={false}
          value={draft}
          placeholder={isNullable ? 'null' : undefined}
          onInput={change}
          onKeyDown={press}
        />
      )}
      {error !== undefined && (
        <p id={id} class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
