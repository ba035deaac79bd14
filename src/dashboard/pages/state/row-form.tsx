import { useLayoutEffect, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { changes } from '../client.js'
import { numberIn } from '../json/values.js'
import { Button, Link } from '../parts/actions.js'
import { Check, GeneralErrors, TextField, useForm } from '../parts/fields.js'
import { go, href } from '../route.js'
import { undoable } from '../undo.js'
import { type AnyRow, Conflict, draftOf, saveRow } from './fields.js'
import { one, type RowNames, titleOf } from './labels.js'
import { FieldInput } from './nested.js'

/** The fields that were changed in a form, each with the value that it had then. The others follow the row. */
type Edits = Record<string, { value: unknown; before: unknown }>

export function RowForm(props: { collection: CollectionInfo; row?: AnyRow; names?: RowNames }) {
  const { collection, row, names } = props
  const { name, fields } = collection
  const [traits, setTraits] = useState<string[]>([])
  const [number, setNumber] = useState('')
  const inputs = [...fields.map((field) => field.name), 'count']
  const { form, texts: edits, setTexts: setEdits, general, errorOf, errorsOf, submit } = useForm<Edits>(inputs)
  const edit = (field: string, value: unknown) =>
    setEdits((all) => ({ ...all, [field]: { value, before: all[field] ? all[field].before : row?.[field] } }))

  const valueNow = (field: string) => (edits[field] ? edits[field].value : row?.[field])
  const changed = fields
    .filter(({ name: field }) => edits[field] && draftOf(valueNow(field)) !== draftOf(edits[field].before))
    .map((field) => [field.name, valueNow(field.name)])
  const saveOld = async (old: AnyRow) => {
    const before = Object.fromEntries(Object.entries(edits).map(([field, it]) => [field, it.before]))
    await saveRow(name, { ...old, ...before }, Object.fromEntries(changed)).catch((error) => {
      if (!(error instanceof Conflict)) throw error
      const entries = Object.entries(edits).map(([field, { value }]) => [field, { value, before: error.now[field] }])
      setEdits(Object.fromEntries(entries))
      changes.value += 1
      throw error
    })
    go(href('state', [name, String(old.id)]))
  }
  const saveNew = async () => {
    const query = { ...(traits.length > 0 && { trait: traits.join() }), ...(number && { count: numberIn(number) }) }
    const input = { path: { collection: name }, query, body: Object.fromEntries(changed) } as never
    const added = await undoable('addRow', input, (reply) => {
      const rows = reply.rows as unknown[] | undefined
      return rows ? `${rows.length} rows were added.` : `${one(name)} was added.`
    })
    go(href('state', added.rows ? [name] : [name, String(added.id)]))
  }
  const leave = href('state', row ? [name, row.id] : [name])
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>(':is(input, select, textarea):enabled')?.focus(), [])
  const close = ({ key, defaultPrevented }: KeyboardEvent) => key === 'Escape' && !defaultPrevented && go(leave)
  return (
    <aside class="side panel" aria-label={row ? 'Edited row' : 'New row'} onKeyDown={close}>
      <form ref={form} class="fields" noValidate onSubmit={submit(() => (row ? saveOld(row) : saveNew()))}>
        <h2>{row ? `Edit ${titleOf(names, name, row.id)}` : `Add ${one(name).toLowerCase()}`}</h2>
        {!row && (
          <fieldset>
            <legend>Filled in by the mock</legend>
            <p class="quiet">The mock fills in what you leave empty below.</p>
            <div class="buttons">
              {Object.entries(collection.traits).map(([trait, description]) => (
                <Check
                  key={trait}
                  title={description}
                  isOn={traits.includes(trait)}
                  onChange={(isOn) => setTraits(isOn ? [...traits, trait] : traits.filter((it) => it !== trait))}
                >
                  {trait}
                </Check>
              ))}
            </div>
            <TextField
              label="How many"
              error={errorOf('count')}
              inputMode="numeric"
              placeholder="1"
              value={number}
              onChange={setNumber}
            />
          </fieldset>
        )}
        <GeneralErrors texts={general} />
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={valueNow(field.name)}
            names={names}
            path={field.name}
            isFixed={row !== undefined && field.name === 'id'}
            errors={errorsOf(field.name)}
            onChange={(value) => edit(field.name, value)}
          />
        ))}
        <div class="buttons sticky">
          <Button type="submit" class="primary" text={row ? 'Save' : 'Add'} />
          <Link text="Cancel" href={leave} />
        </div>
      </form>
    </aside>
  )
}
