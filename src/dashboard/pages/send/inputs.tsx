import type { CollectionInfo, RequestCheck } from '../../../engine/contract/types.gen.js'
import { pretty } from '../json/values.js'
import { Combobox } from '../parts/choices.js'
import { plainly } from '../parts/errors.js'
import { Field, FillIn, TextField } from '../parts/fields.js'
import { findRows } from '../state/fields.js'
import type { FormParts } from './draft.js'

/** The parameters of path and query. Ids are suggested by the names of their rows. */
export function Parameters({ draft, set, operation, check, collections }: FormParts) {
  return operation?.parameters.map(({ name, in: place, required, description, values, type }) => {
    if (place !== 'path' && place !== 'query') return null
    const value = draft[place][name] ?? ''
    const onChange = (next: string) => set({ [place]: { ...draft[place], [name]: next } })
    const labels = {
      label: <Labelled name={name} about={`${place}, ${type}`} isOptional={!required} />,
      hint: description,
      error: place === 'path' && value === '' ? 'Enter a value.' : errorsAt(check, place, name)
    }
    const key = `${place} ${name}`
    const collection = collectionOf(name, operation.path, collections)
    if (!values && collection === undefined) {
      return <TextField key={key} {...labels} value={value} onChange={onChange} />
    }
    const load = () => {
      if (!values) return findRows(collection as string, /^\d+$|-/.test(value) ? '' : value)
      const isWhole = values.includes(value)
      const matching = values.filter((it) => isWhole || it.toLowerCase().includes(value.toLowerCase()))
      return matching.map((id) => ({ id, label: id }))
    }
    return (
      <Field key={key} {...labels}>
        {(shared) => (
          <Combobox
            shared={shared}
            value={value}
            label={values ? `Values of ${name}` : `Rows of ${collection}`}
            placeholder={collection === undefined ? undefined : `a name or an id of ${collection}`}
            load={load}
            onInput={onChange}
            onChoose={({ id }) => onChange(id)}
          />
        )}
      </Field>
    )
  })
}

function Labelled({ name, about, isOptional }: { name: string; about: string; isOptional: boolean }) {
  return (
    <>
      {name} <span class="quiet">{isOptional ? `${about}, optional` : about}</span>
    </>
  )
}

function errorsAt(check: RequestCheck | undefined, place: string, name: string): string | undefined {
  const problems = (check?.problems ?? []) as { loc?: (string | number)[]; msg: string }[]
  const texts = problems.filter(({ loc }) => loc?.[0] === place && loc[1] === name).map(({ msg }) => plainly(msg))
  return texts.join(' ') || undefined
}

/** A body of JSON or another text, with examples. */
export function TextBody({ draft: { body }, set, operation }: FormParts) {
  const { kind, type, examples = {} } = operation?.body ?? {}
  return (
    <>
      <TextField
        label={kind === 'text' ? `Body (${type})` : 'Body (JSON)'}
        rows={Math.min(22, Math.max(5, body.split('\n').length + 1))}
        value={body}
        onChange={(body) => set({ body })}
      />
      <div class="line">
        <FillIn
          label="Example"
          examples={Object.entries(examples)}
          onChoose={(value) => set({ body: pretty(value) })}
        />
      </div>
    </>
  )
}

export function FormBody({ draft, set, operation, files, setFiles }: FormParts) {
  return operation?.body?.fields.map(({ name, required, description, isFile, isList }) => {
    const type = isFile ? (isList ? 'files' : 'file') : 'text'
    const label = <Labelled name={name} about={type} isOptional={!required} />
    if (isFile) {
      return (
        <Field key={name} label={label} hint={description}>
          {(shared) => (
            <input
              {...shared}
              type="file"
              multiple={isList}
              onChange={(event) => setFiles({ ...files, [name]: [...(event.currentTarget.files ?? [])] })}
            />
          )}
        </Field>
      )
    }
    return (
      <TextField
        key={name}
        label={label}
        hint={description}
        value={draft.fields[name] ?? ''}
        onChange={(value) => set({ fields: { ...draft.fields, [name]: value } })}
      />
    )
  })
}

/** The collection whose ids a parameter or field has, by its name and the path that it is in. */
function collectionOf(name: string, path: string, collections: readonly CollectionInfo[]): string | undefined {
  const references = collections.flatMap(({ fields }) => fields.filter((it) => it.references !== undefined))
  const target = references.find((field) => field.name === name || field.name === `${name}s`)?.references
  if (target !== undefined) return target
  // `/api/notes/{id}` is of notes.
  const [, base] = (name === 'id' ? /\/([^/{}]+)\/\{id\}/.exec(path) : /^(.+?)(?:_ids?|Ids?)$/.exec(name)) ?? []
  if (base === undefined) return undefined
  const stem = singular(base)
  return collections.find(({ name }) => singular(name) === stem || singular(name).endsWith(`_${stem}`))?.name
}

/** `openOrders` as open_order. */
function singular(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
    .replace(/s$/, '')
}
