import { useRef, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { pretty } from '../json/text.js'
import { Combobox } from '../parts/combobox.js'
import { Field, TextField } from '../parts/field.js'
import { LineSelect } from '../parts/line.js'
import { findRows } from '../state/find-rows.js'
import type { DraftProps, Files } from './draft.js'
import { collectionOf, fieldAt, withId } from './ids.js'
import type { FormField } from './operation.js'

interface Props extends DraftProps {
  collections: readonly CollectionInfo[]
}

/** A JSON body, with examples, and with ids of rows to insert at the caret. */
export function JsonBody({ draft, set, operation, collections }: Props) {
  const text = useRef<HTMLTextAreaElement>(null)
  const [wanted, want] = useState('')
  const [field, setField] = useState<string>()
  const examples = operation?.body && 'examples' in operation.body ? Object.entries(operation.body.examples) : []
  const collection = field === undefined ? undefined : collectionOf(field, '', collections)
  const look = () => {
    const { value, selectionStart } = text.current as HTMLTextAreaElement
    setField(fieldAt(value, selectionStart))
  }
  const insert = (id: string) => {
    const { value, selectionStart } = text.current as HTMLTextAreaElement
    const { text: body, end } = withId(value, selectionStart, id)
    set({ body })
    want('')
    requestAnimationFrame(() => {
      text.current?.focus()
      text.current?.setSelectionRange(end, end)
    })
  }
  return (
    <>
      <Field label={operation?.body?.kind === 'text' ? `Body (${operation.body.type})` : 'Body (JSON)'}>
        {(shared) => (
          <textarea
            {...shared}
            ref={text}
            class="code"
            dir="auto"
            spellcheck={false}
            rows={Math.min(22, Math.max(5, draft.body.split('\n').length + 1))}
            value={draft.body}
            onInput={(event) => {
              set({ body: event.currentTarget.value })
              look()
            }}
            onKeyUp={look}
            onClick={look}
          />
        )}
      </Field>
      <div class="line">
        {examples.length > 0 && (
          <LineSelect
            label="Example"
            value=""
            onChange={(at) => at !== '' && set({ body: pretty(examples[Number(at)]?.[1]) })}
            options={[['', 'fill in from…'], ...examples.map(([name], at) => [String(at), name] as const)]}
          />
        )}
        {collection !== undefined && (
          <Field label={`An id of ${collection} for ${field}`}>
            {(shared) => (
              <Combobox
                shared={shared}
                label={`Rows of ${collection}`}
                placeholder="a name"
                value={wanted}
                load={() => findRows(collection, wanted)}
                onInput={want}
                onChoose={({ id }) => insert(id)}
              />
            )}
          </Field>
        )}
      </div>
    </>
  )
}

interface FormProps extends Omit<DraftProps, 'operation'> {
  fields: FormField[]
  files: Files
  setFiles: (files: Files) => void
}

/** The fields of a form. Files are sent as the browser has them. */
export function FormBody({ draft, set, fields, files, setFiles }: FormProps) {
  return (
    <>
      {fields.map(({ name, required, description, isFile, isList }) => {
        const type = isFile ? (isList ? 'files' : 'file') : 'text'
        const label = (
          <>
            {name} <span class="quiet">{required ? type : `${type}, optional`}</span>
          </>
        )
        return isFile ? (
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
        ) : (
          <TextField
            key={name}
            label={label}
            hint={description}
            value={draft.fields[name] ?? ''}
            onChange={(value) => set({ fields: { ...draft.fields, [name]: value } })}
          />
        )
      })}
    </>
  )
}
