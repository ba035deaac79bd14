import { useRef, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../contract/types.gen.js'
import { call, Refused } from '../client.js'
import { useErrors } from '../parts/errors.js'
import { say, sayFailed } from '../parts/toasts.js'
import { go, href } from '../route.js'
import { FieldInput } from './field-input.js'
import { type AnyRow, type CollectionName, type Draft, draftOf, meaningOf } from './fields.js'

/** Edits or adds a row. The contract's errors appear next to their fields. */
export function RowForm({ collection, row }: { collection: CollectionInfo; row?: AnyRow }) {
  const name = collection.name as CollectionName
  const { fields } = collection
  const [drafts, setDrafts] = useState<Record<string, Draft>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, draftOf(row?.[field.name])]))
  )
  const form = useRef<HTMLFormElement>(null)
  const { errors, show } = useErrors(
    form,
    fields.map((field) => field.name)
  )
  const save = async (event: Event) => {
    event.preventDefault()
    // Untouched fields of a new row are made by the mock.
    const given = fields.filter(({ name: field }) => row || drafts[field] !== '')
    const values = given.map((field) => [field.name, meaningOf(field, drafts[field.name] as Draft)] as const)
    const body: Record<string, unknown> = Object.fromEntries(values)
    try {
      const saved = row
        ? await call('replaceRow', { path: { collection: name, id: String(row.id) }, body })
        : await call('addRow', { path: { collection: name }, body })
      say(row ? 'Saved.' : `${name} ${saved.id} was added.`)
      go(href('state', [name, String(saved.id)]))
    } catch (error) {
      if (error instanceof Refused) show(error.problem)
      else sayFailed(error as Error)
    }
  }
  return (
    <form ref={form} class="fields" noValidate onSubmit={(event) => void save(event)}>
      <h2>{row ? `Edit ${name} ${row.id}` : `Add to ${name}`}</h2>
      {!row && <p class="quiet">What is left empty is made to fit the rest.</p>}
      {errors.general.length > 0 && (
        <div class="problem" role="alert">
          {errors.general.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          draft={drafts[field.name] as Draft}
          isFixed={row !== undefined && field.name === 'id'}
          hint={field.description}
          error={errors.byField.get(field.name)?.join(' ')}
          onChange={(draft) => setDrafts((before) => ({ ...before, [field.name]: draft }))}
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
