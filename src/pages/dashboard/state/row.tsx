import { useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../contract/types.gen.js'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Action } from '../parts/action.js'
import { Confirm } from '../parts/dialog.js'
import { Pending } from '../parts/page.js'
import { go, href, momentShown } from '../route.js'
import type { AnyRow, CollectionName } from './fields.js'
import { RowForm } from './row-form.js'
import { Value } from './value.js'

/** One row as it is now: its fields, with links for references. It can be edited or removed. */
export function Row({ collection, id, isEdited }: { collection: CollectionInfo; id: string; isEdited: boolean }) {
  const name = collection.name as CollectionName
  const at = momentShown()
  const loaded = useLoad(
    () => call('getRow', { path: { collection: name, id }, query: { stored: isEdited, ...(at && { at }) } }),
    `${name} ${id} ${isEdited} ${at}`,
    {
      live: !isEdited
    }
  )
  const [isAsked, ask] = useState(false)
  const { value, error } = loaded
  if (!value || error) return <Pending loaded={loaded} />
  const row = value as AnyRow
  if (isEdited) return <RowForm collection={collection} row={row} />
  const remove = async () => {
    ask(false)
    await call('removeRow', { path: { collection: name, id } })
    go(href('state', [name]))
    return `${name} ${id} was deleted.`
  }
  return (
    <>
      <p>
        <a href={href('state', [name])}>{name}</a>
      </p>
      <h2>
        {name} {id}
      </h2>
      {at === undefined && (
        <div class="buttons">
          <a class="button" href={href('state', [name, id], { edit: 'true' })}>
            Edit
          </a>
          <button type="button" onClick={() => ask(true)}>
            Delete
          </button>
        </div>
      )}
      <dl class="row">
        {collection.fields.map((field) => (
          <div key={field.name}>
            <dt title={field.description}>{field.name}</dt>
            <dd>
              <Value field={field} value={row[field.name]} />
            </dd>
          </div>
        ))}
      </dl>
      {isAsked && (
        <Confirm
          title={`Delete ${name} ${id}?`}
          text="A row cannot be deleted while other rows refer to it."
          onClose={() => ask(false)}
        >
          <Action class="danger" run={remove}>
            Delete
          </Action>
        </Confirm>
      )}
    </>
  )
}
