import { JsonText } from '../parts/json.js'
import { Long, Short } from '../parts/text.js'
import { href } from '../route.js'
import type { AnyRow, CollectionName, Field } from './fields.js'

/** A value in a table. The id links to the row, a reference to the row that it names. */
export function Cell({ collection, row, field }: { collection: CollectionName; row: AnyRow; field: Field }) {
  const value = row[field.name]
  if (field.name === 'id') return <a href={href('state', [collection, row.id])}>{String(row.id)}</a>
  if (value === null || value === undefined) return <span class="quiet">—</span>
  if (field.references) return <Reference target={field.references} id={value as string} />
  return <Short text={String(value)} most={60} />
}

/** A value in full. */
export function Value({ field, value }: { field: Field; value: unknown }) {
  const { references, name } = field
  if (value === null) return <span class="quiet">null</span>
  if (references && Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">none</span>
    return (
      <ul class="inline">
        {value.map((id) => (
          <li key={id}>
            <Reference target={references} id={id} />
          </li>
        ))}
      </ul>
    )
  }
  if (references) return <Reference target={references} id={value as string} />
  if (typeof value === 'object') return <JsonText label={name} value={value} />
  return <Long text={String(value)} />
}

function Reference({ target, id }: { target: string; id: string | number }) {
  return (
    <a href={href('state', [target, id])}>
      {target} {id}
    </a>
  )
}
