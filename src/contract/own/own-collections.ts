import type { CollectionRow } from '../contract.js'
import { type Documents, follow, isObject, type JsonObject, schemaOf } from '../load.js'
import { schemaMistakes } from './mistakes.js'
import { flattened, internal } from './schemas.js'
import type { Mistake, OwnCollection } from './types.js'

const usualCount = 10
const mostRows = 10_000

/** The collections that a document declares for its own operations (`x-mock-collections`). */
export function collectionsIn(
  document: JsonObject,
  key: string,
  taken: Set<string>,
  mistakes: Mistake[]
): { rows: CollectionRow[]; counts: OwnCollection[] } {
  const given = document['x-mock-collections'] ?? {}
  const rows: CollectionRow[] = []
  const counts: OwnCollection[] = []
  if (!isObject(given)) mistakes.push({ path: ['x-mock-collections'], text: 'give an object of collections by name' })
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    const path = ['x-mock-collections', name]
    const wrong = (text: string, ...steps: string[]) => mistakes.push({ path: [...path, ...steps], text })
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name))
      wrong('the name of a collection has letters, digits and _, and begins with a letter')
    else if (taken.has(name) || name === 'uuid') wrong(`the collection ${name} exists already: choose another name`)
    else if (!isObject(value)) wrong('a collection is an object: { schema, count }')
    else {
      const { schema: reference, count = usualCount, ...others } = value
      const schema = typeof reference === 'string' ? { $ref: reference } : reference
      const [unknown] = Object.keys(others)
      const bad =
        schema === undefined
          ? [{ path, text: 'a collection has a schema' }]
          : schemaMistakes(document, schema, [...path, 'schema'])
      if (bad.length === 0 && !hasIds(document, schema as JsonObject)) {
        bad.push({ path, text: 'the id of its rows must be a string or an integer' })
      }
      mistakes.push(...bad)
      if (unknown !== undefined) wrong(`a collection has only schema and count, not ${unknown}`, unknown)
      if (!Number.isInteger(count) || (count as number) < 0 || (count as number) > mostRows) {
        wrong(`count must be a whole number from 0 to ${mostRows}`, 'count')
      } else if (bad.length === 0) {
        taken.add(name)
        rows.push({
          name,
          resource: key.replace(/\.json$/, ''),
          description: `Of ${key}.`,
          references: {},
          row: rowOf(document, key, schema as JsonObject)
        })
        counts.push({ name, count: count as number })
      }
    }
  }
  return { rows, counts }
}

function hasIds(document: JsonObject, schema: JsonObject): boolean {
  const { properties } = flattened((reference) => follow({ '': document }, reference), schema)
  const { type = 'string' } = schemaOf({ '': document }, properties.id)
  return [type].flat().some((it) => it === 'string' || it === 'integer')
}

/** Every row has an id, whatever its schema says. */
function rowOf(document: JsonObject, key: string, schema: JsonObject): JsonObject {
  const documents: Documents = { [key]: internal(document, key) as JsonObject }
  const { properties, required } = flattened((reference) => follow(documents, reference), internal(schema, key))
  return {
    type: 'object',
    required: [...new Set(['id', ...required])],
    properties: { id: { type: 'integer' }, ...properties }
  }
}
