import { JsonText } from '../json/json.js'
import { Long, Short } from '../parts/text.js'
import { Moment } from '../parts/time.js'
import { href } from '../route.js'
import type { AnyRow, CollectionName, Field } from './form/fields.js'
import { one, type RowNames, shortId, titleOf } from './labels.js'

interface CellProps {
  collection: CollectionName
  row: AnyRow
  field: Field
  names: RowNames
  /** The first cell links to the row. */
  isFirst: boolean
}

const mostNamed = 3

/** A value in a table. Rows that it refers to are shown by name. */
export function Cell({ collection, row, field, names, isFirst }: CellProps) {
  const value = row[field.name]
  const { references, format } = field
  const text = value === null || value === undefined ? '' : String(value)
  if (isFirst) {
    return (
      <a href={href('state', [collection, row.id])} tabIndex={-1} title={String(row.id)}>
        <Short text={field.name === 'id' ? shortId(row.id) : text || titleOf(names, collection, row.id)} most={60} />
      </a>
    )
  }
  if (value === null || value === undefined) return <span class="quiet">–</span>
  if (references) {
    const ids = Array.isArray(value) ? value : [value as string]
    return (
      <>
        {ids.length === 0 && <span class="quiet">none</span>}
        {ids.slice(0, mostNamed).map((id, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Reference target={references} id={id} names={names} />
          </span>
        ))}
        {ids.length > mostNamed && <span class="quiet"> and {ids.length - mostNamed} more</span>}
      </>
    )
  }
  if (typeof value === 'boolean') return <span class={value ? undefined : 'quiet'}>{value ? 'yes' : 'no'}</span>
  if (typeof value === 'object') return <Short text={JSON.stringify(value)} most={40} />
  if (field.name === 'id' || format === 'uuid') return <code title={text}>{shortId(text)}</code>
  if (format === 'date-time') return <Moment at={text} />
  return <Short text={text} most={60} />
}

/** A value in full. */
export function Value({ field, value, names }: { field: Field; value: unknown; names: RowNames }) {
  const { references, name } = field
  if (value === null) return <span class="quiet">null</span>
  if (references && Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">none</span>
    return (
      <ul class="inline">
        {value.map((id) => (
          <li key={id}>
            <Reference target={references} id={id} names={names} />
          </li>
        ))}
      </ul>
    )
  }
  if (references) return <Reference target={references} id={value as string} names={names} />
  if (value !== undefined && typeof value === 'object') return <JsonText label={name} value={value} />
  return <Long text={String(value)} />
}

function Reference({ target, id, names }: { target: string; id: string | number; names: RowNames }) {
  return (
    <a href={href('state', [target, id])} title={`${one(target)} ${id}`}>
      {names?.[target]?.[String(id)] ?? `${one(target)} ${shortId(id)}`}
    </a>
  )
}
