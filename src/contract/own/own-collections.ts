import type { CollectionRow } from '../contract.js'
import { isObject, type JsonObject, schemaOf } from '../load.js'
import type { Reader } from '../schemas/reader.js'
import { flattened } from '../schemas/schemas.js'
import type { OwnCollection } from './types.js'

const usualCount = 10
const mostRows = 10_000

/** The collections that a document declares for its own operations (`x-mock-collections`). */
export function collectionsIn(reader: Reader, taken: Set<string>): { rows: CollectionRow[]; counts: OwnCollection[] } {
  const { document, key, mistakes } = reader
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
      if (schema === undefined) wrong('a collection has a schema')
      else reader.read(schema, [...path, 'schema'])
      if (mistakes.length === 0 && !hasIds(reader, schema as JsonObject)) {
        wrong('the id of its rows must be a string or an integer')
      }
      const isGood = mistakes.length === 0
      if (unknown !== undefined) wrong(`a collection has only schema and count, not ${unknown}`, unknown)
      if (!Number.isInteger(count) || (count as number) < 0 || (count as number) > mostRows) {
        wrong(`count must be a whole number from 0 to ${mostRows}`, 'count')
      } else if (isGood) {
        taken.add(name)
        rows.push({
          name,
          resource: key.replace(/\.json$/, ''),
          description: descriptionOf(reader, schema as JsonObject),
          references: {},
          row: rowOf(reader, schema as JsonObject)
        })
        counts.push({ name, count: count as number })
      }
    }
  }
  return { rows, counts }
}

function descriptionOf({ documents, document: { info } }: Reader, schema: JsonObject): string {
  const { description } = schemaOf(documents, schema)
  return typeof description === 'string' ? description : `Of ${isObject(info) ? (info.title ?? 'own') : 'own'}.`
}

function hasIds({ documents }: Reader, schema: JsonObject): boolean {
  const { properties } = flattened(documents, schema)
  const { type = 'string' } = schemaOf(documents, properties.id)
  return [type].flat().some((it) => it === 'string' || it === 'integer')
}

/** Every row has an id, whatever its schema says. */
function rowOf({ documents }: Reader, schema: JsonObject): JsonObject {
  const { properties, required } = flattened(documents, schema)
  return {
    type: 'object',
    required: [...new Set(['id', ...required])],
    properties: { id: { type: 'integer' }, ...properties }
  }
}
