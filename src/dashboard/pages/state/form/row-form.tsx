import { useEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../../engine/contract/types.gen.js'
import { numberIn } from '../../json/text.js'
import { GeneralErrors, useErrors } from '../../parts/errors.js'
import { TextField } from '../../parts/field.js'
import { Check } from '../../parts/line.js'
import { go, href } from '../../route.js'
import { undoable } from '../../undo/undo.js'
import { one, type RowNames, titleOf, worded } from '../labels.js'
import { FieldInput } from './field-input.js'
import { type AnyRow, type CollectionName, type Draft, draftOf, meaningOf } from './fields.js'
import { type Conflict, conflictText, isSame, saveRow } from './save-row.js'

interface Props {
  collection: CollectionInfo
  row?: AnyRow
  names?: RowNames
}

/** Edits a row, or adds some. The contract's errors appear next to their fields. */
export function RowForm({ collection, row, names }: Props) {
  const name = collection.name as CollectionName
  const { fields } = collection
  const [loaded, setLoaded] = useState(row)
  const [drafts, setDrafts] = useState<Record<string, Draft>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, draftOf(row?.[field.name])]))
  )
  /** The fields that were changed here. Changes of others to the rest stay. */
  const touched = useRef(new Set<string>())
  const [traits, setTraits] = useState<string[]>([])
  const [number, setNumber] = useState('')
  const { form, general, errorOf, show, submit } = useErrors([...fields.map((field) => field.name), 'count'])

  /** The form's values of these fields. */
  const valuesOf = (part: typeof fields): Record<string, unknown> =>
    Object.fromEntries(part.map((field) => [field.name, meaningOf(field, drafts[field.name] as Draft)]))
  const saveOld = async (old: AnyRow) => {
    const changed = valuesOf(
      fields.filter((field) => touched.current.has(field.name) && drafts[field.name] !== draftOf(old[field.name]))
    )
    const { conflicts, now } = await saveRow(name, old, changed)
    if (conflicts.length === 0) return go(href('state', [name, String(old.id)]))
    setLoaded(now)
    const others = fields.filter((field) => !touched.current.has(field.name))
    setDrafts((before) => ({
      ...before,
      ...Object.fromEntries(others.map((field) => [field.name, draftOf(now[field.name])]))
    }))
    show({ detail: '', errors: conflicts.map((it) => ({ field: it.field, detail: conflictText(it) })) })
  }
  const saveNew = async () => {
    // The mock fills in the fields that are left empty.
    const body = valuesOf(fields.filter(({ name: field }) => drafts[field] !== ''))
    const query = { ...(traits.length > 0 && { trait: traits.join() }), ...(number && { count: numberIn(number) }) }
    const input = { path: { collection: name }, query, body } as never
    const added = await undoable('addRow', input, (reply) => {
      const rows = reply.rows as unknown[] | undefined
      return rows ? `${rows.length} rows were added.` : `${one(name)} was added.`
    })
    go(href('state', added.rows ? [name] : [name, String(added.id)]))
  }
  const [theirs, setTheirs] = useState<readonly Conflict[]>([])
  useEffect(() => {
    if (!row || !loaded) return
    const other = fields.map((field) => field.name).filter((it) => !isSame(row[it], loaded[it]))
    if (other.length === 0) return setTheirs([])
    const isEdited = (it: string) => touched.current.has(it)
    take(
      row,
      other.filter((it) => !isEdited(it))
    )
    setTheirs(other.filter(isEdited).map((field) => ({ field, now: row[field] })))
  }, [row])
  /** Continues from these fields of a row. */
  const take = (from: AnyRow, names: readonly string[]) => {
    const part = Object.fromEntries(names.map((it) => [it, from[it]]))
    const drafted = Object.fromEntries(names.map((it) => [it, draftOf(from[it])]))
    for (const it of names) touched.current.delete(it)
    setLoaded((before) => before && { ...before, ...part })
    setDrafts((before) => ({ ...before, ...drafted }))
    setTheirs((before) => before.filter(({ field }) => !names.includes(field)))
  }
  return (
    <form ref={form} class="fields" noValidate onSubmit={submit(() => (loaded ? saveOld(loaded) : saveNew()))}>
      <h2>{row ? `Edit ${titleOf(names, name, row.id)}` : `Add ${one(name).toLowerCase()}`}</h2>
      {!row && (
        <Factory
          traits={collection.traits}
          chosen={traits}
          onTraits={setTraits}
          count={number}
          onCount={setNumber}
          error={errorOf('count')}
        />
      )}
      <GeneralErrors texts={general} />
      {theirs.length > 0 && (
        <div class="note" role="status">
          <p>Somebody else has changed what you edit:</p>
          <ul>
            {theirs.map(({ field, now }) => (
              <li key={field}>
                {worded(field)} is now <code>{JSON.stringify(now)}</code>, and here{' '}
                <code>{JSON.stringify(drafts[field])}</code>{' '}
                <button type="button" onClick={() => row && take(row, [field])}>
                  Take theirs<span class="hidden"> for {worded(field)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          draft={drafts[field.name] as Draft}
          names={names}
          isFixed={row !== undefined && field.name === 'id'}
          hint={field.description}
          error={errorOf(field.name)}
          onChange={(draft) => {
            touched.current.add(field.name)
            setDrafts((before) => ({ ...before, [field.name]: draft }))
          }}
        />
      ))}
      <div class="buttons sticky">
        <button type="submit" class="primary">
          {row ? 'Save' : 'Add'}
        </button>
        <a class="button" href={href('state', row ? [name, row.id] : [name])}>
          Cancel
        </a>
      </div>
    </form>
  )
}

interface FactoryProps {
  traits: Record<string, string>
  chosen: readonly string[]
  onTraits: (traits: string[]) => void
  count: string
  onCount: (count: string) => void
  error: string | undefined
}

/** How many rows the mock creates, and of which sort. */
function Factory({ traits, chosen, onTraits, count, onCount, error }: FactoryProps) {
  const names = Object.entries(traits)
  return (
    <fieldset>
      <legend>Made by the mock</legend>
      <p class="quiet">What you leave empty below is made to fit the rest.</p>
      {names.length > 0 && (
        <div class="buttons">
          {names.map(([trait, description]) => (
            <Check
              key={trait}
              title={description}
              isOn={chosen.includes(trait)}
              onChange={(isOn) => onTraits(isOn ? [...chosen, trait] : chosen.filter((it) => it !== trait))}
            >
              {trait}
            </Check>
          ))}
        </div>
      )}
      <TextField label="How many" error={error} inputMode="numeric" placeholder="1" value={count} onChange={onCount} />
    </fieldset>
  )
}
