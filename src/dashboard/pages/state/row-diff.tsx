import { useCall } from '../client.js'
import type { Difference, JsonPath } from '../json/values.js'
import { Diff } from '../json/view.js'
import { href } from '../route.js'
import type { CollectionName } from './fields.js'
import { rowLabel } from './labels.js'

interface Props {
  collection: string
  list: readonly Difference[]
  label: string
}

/** How a row differs, by fields. Rows that it refers to are links with their names. */
export function RowDiff({ collection, list, label }: Props) {
  const { value } = useCall('listCollections')
  const fields = value?.collections.find(({ name }) => name === collection)?.fields
  const link = ([first, ...rest]: JsonPath, value: unknown) => {
    const target = fields?.find(({ name }) => name === first)?.references
    const isId = typeof value === 'string' || typeof value === 'number'
    return target && isId && rest.length < 2 ? <RowLink collection={target} id={value} /> : undefined
  }
  return <Diff list={list} label={label} link={link} />
}

/** A row by its name. One that is gone has only its id. */
function RowLink({ collection, id }: { collection: string; id: string | number }) {
  const query = { where: JSON.stringify({ id: `=${id}` }), names: true, limit: 1 }
  const { value } = useCall('listRows', { path: { collection: collection as CollectionName }, query })
  return (
    <a href={href('state', [collection, id])} title={rowLabel(collection, id)}>
      {value?.names?.[collection]?.[String(id)] ?? rowLabel(collection, id)}
    </a>
  )
}
