import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../parts/actions.js'
import { errorText, type FieldError } from '../parts/fields.js'
import { Named, Note } from '../parts/text.js'
import { NullCheck, TextInput } from './field-input.js'
import { blankOf, type Field } from './fields.js'
import { one, type RowNames, worded } from './labels.js'

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
export function FieldInput(props: Props) {
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

/** Whether an error is at a part that has an input. */
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
