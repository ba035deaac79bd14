import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { changes } from '../client.js'
import { numberIn } from '../json/values.js'
import { Button, Link } from '../parts/actions.js'
import { Check, errorText, type FieldError, GeneralErrors, TextField, useForm } from '../parts/fields.js'
import { Named, Note } from '../parts/text.js'
import { go, href } from '../route.js'
import { undoable } from '../undo.js'
import { NullCheck, TextInput } from './field-input.js'
import { type AnyRow, blankOf, Conflict, draftOf, type Field, saveRow } from './fields.js'
import { one, type RowNames, titleOf, worded } from './labels.js'

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

interface Props {
  field: Field
  /** Undefined: there is none yet. */
  value: unknown
  names: RowNames
  /** Its place in the row, such as `tools.0.name`. */
  path: string
  /** How an item of a list is called, such as "Starter messages 1". */
  title?: string
  isFixed?: boolean
  /** The errors at its place and in it. */
  errors: readonly FieldError[]
  onChange: (value: unknown) => void
}

/** The input of a value: its fields if it is an object, its items if it is a list. What has no known form is JSON. */
function FieldInput(props: Props) {
  const { field, value, names, path, errors, onChange, isFixed = false } = props
  const { name, types, format, references, description } = field
  const { title = worded(name) } = props
  const [isJson, asJson] = useState(false)
  const hasParts = isList(field, value) || isObject(field, value)
  const about = (
    <span class="quiet">
      {types.filter((type) => type !== 'null').join(' or ')} {format}{' '}
      {references && `of ${one(references).toLowerCase()}`}
    </span>
  )
  const label = props.title ? title : [<Named key={name} name={name} />, ' ', about]
  if (!hasParts || isJson) {
    // An empty item is saved as an empty text.
    const placeholder = props.title && types.includes('string') ? 'empty text' : undefined
    const shared = { field, label, title, value, names, isFixed, onChange, placeholder }
    const input = <TextInput {...shared} error={errorText(errors, path)} />
    if (!hasParts) return input
    return (
      <div class="as-json">
        {input}
        <Button class="more" text="Edit by fields" aria-label={`Edit by fields: ${title}`} run={() => asJson(false)} />
      </div>
    )
  }
  return (
    <fieldset class="parts">
      <legend>{label}</legend>
      <div class="line">
        <NullCheck {...{ field, title, value, onChange }} />
        <Button class="more" text="Edit as JSON" aria-label={`Edit as JSON: ${title}`} run={() => asJson(true)} />
      </div>
      <Note class="quiet" text={description} />
      {value !== null && <Parts {...props} title={title} />}
    </fieldset>
  )
}

function isList({ items }: Field, value: unknown): boolean {
  return items !== undefined && (Array.isArray(value) || (value ?? null) === null)
}

function isObject({ fields }: Field, value: unknown): boolean {
  return fields !== undefined && typeof (value ?? {}) === 'object' && !Array.isArray(value)
}

function isInPart({ path }: FieldError, { path: at, field, value }: Props): boolean {
  const [part] = path === at ? [] : path.slice(at.length + 1).split('.')
  if (part === undefined) return false
  return isList(field, value)
    ? part in ((value ?? []) as object)
    : field.fields?.some(({ name }) => name === part) === true
}

/** The inputs in an object or a list, after the errors that belong to none of them. */
function Parts(props: Props & { title: string }) {
  const { field, value, names, path, errors, onChange } = props
  const own = errorText(
    errors.filter((it) => !isInPart(it, props)),
    path
  )
  const object = (value ?? {}) as Record<string, unknown>
  return (
    <>
      {own && (
        <p class="error" tabIndex={-1}>
          {own}
        </p>
      )}
      {isList(field, value) && <Items {...props} items={(value ?? []) as unknown[]} />}
      {!isList(field, value) &&
        field.fields?.map((it) => (
          <FieldInput
            key={it.name}
            field={it}
            value={object[it.name]}
            names={names}
            path={`${path}.${it.name}`}
            errors={errorsIn(errors, `${path}.${it.name}`)}
            onChange={(next) => onChange({ ...object, [it.name]: it.required || next !== '' ? next : undefined })}
          />
        ))}
    </>
  )
}

function errorsIn(errors: readonly FieldError[], at: string): FieldError[] {
  return errors.filter(({ path }) => path === at || path.startsWith(`${at}.`))
}

/** The items of a list, which are added, removed and moved. */
function Items({ field, names, path, errors, onChange, title, items }: Props & { title: string; items: unknown[] }) {
  const box = useRef<HTMLDivElement>(null)
  /** What the focus belongs to after the next change. */
  const nextFocus = useRef<string | undefined>(undefined)
  /** Errors of items that have changed their places. */
  const [past, forget] = useState<readonly FieldError[]>([])
  useLayoutEffect(() => {
    if (nextFocus.current === undefined) return
    box.current?.querySelector<HTMLElement>(nextFocus.current)?.focus()
    nextFocus.current = undefined
  }, [items])
  const item: Field = { ...(field.items as Field), references: field.references }
  const change = (next: unknown[], focus: string) => {
    nextFocus.current = focus
    forget(errors)
    onChange(next)
  }
  const itemAt = (at: number) => `:scope > .item:nth-child(${at + 1})`
  const move = (at: number, to: number) => {
    const others = items.toSpliced(at, 1)
    const button = `${itemAt(to)} .moves :nth-child(${to > at ? 2 : 1})`
    change(others.toSpliced(to, 0, items[at]), button)
  }
  const remove = (at: number) => {
    const next = Math.min(at, items.length - 2)
    change(items.toSpliced(at, 1), next < 0 ? ':scope > button' : `${itemAt(next)} .moves :last-child`)
  }
  const add = () => change([...items, blankOf(item)], `${itemAt(items.length)} :is(input, select, textarea)`)
  return (
    <div ref={box} class="items">
      {items.map((value, at) => {
        const place = `${path}.${at}`
        const name = `${title} ${at + 1}`
        const shared = {
          field: item,
          value,
          names,
          path: place,
          title: name,
          errors: errorsIn(errors, place).filter((it) => !past.includes(it)),
          onChange: (next: unknown) => onChange(items.with(at, next))
        }
        return (
          <fieldset key={at} class="item" aria-label={name}>
            <div class="moves">
              <Button text="↑" aria-label={`Move ${name} up`} disabled={at === 0} run={() => move(at, at - 1)} />
              <Button
                text="↓"
                aria-label={`Move ${name} down`}
                disabled={at === items.length - 1}
                run={() => move(at, at + 1)}
              />
              <Button text="×" aria-label={`Remove ${name}`} run={() => remove(at)} />
            </div>
            {isObject(item, value) && value !== null ? <Parts {...shared} /> : <FieldInput {...shared} />}
          </fieldset>
        )
      })}
      <Button text="Add an item" aria-label={`Add an item to ${title}`} run={add} />
    </div>
  )
}
