import { call } from '../client.js'
import type { Choice } from '../parts/choices.js'
import type { AnyRow, CollectionName } from './form/fields.js'
import { titleOf } from './labels.js'

/** Rows of a collection with a text in any field, by name, each with its id. */
export async function findRows(collection: string, text: string, limit = 30): Promise<Choice[]> {
  const path = { collection: collection as CollectionName }
  const { rows, names } = await call('listRows', { path, query: { q: text, limit, names: true } })
  return (rows as AnyRow[]).map(({ id }) => {
    const label = titleOf(names, collection, id)
    return { id: String(id), label, hint: label === String(id) ? undefined : String(id) }
  })
}
