import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import { keywords } from './keywords.js'

/** Keywords that change the base of references or name a schema. In a document, paths do that. */
export const identities = new Set([
  '$id',
  '$anchor',
  '$schema',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef'
])

const values = new Set(['example', 'examples', 'default', 'enum', 'const'])
const byName = new Set(['dependencies', 'schemas', 'parameters', 'responses', 'paths'])

/** Whether a keyword holds values, which contain no schemas. */
export const holdsValues = (keyword: string) => values.has(keyword)

/** Whether the keys of a keyword's object are names. */
export const holdsNames = (keyword: string) => byName.has(keyword) || keywords.get(keyword)?.holds === 'names'

/** Marks the files in the fields of a form. OpenAPI declares a file's bytes as a string. */
export function markFiles(documents: Documents, schema: Json | undefined, seen = new Set<Json>()): void {
  if (!isObject(schema) || seen.has(schema)) return
  seen.add(schema)
  if (typeof schema.$ref === 'string') markFiles(documents, follow(documents, schema.$ref), seen)
  if (schema.type === 'string' && isBinary(schema)) {
    delete schema.type
    schema['x-file'] = true
  }
  const parts = [schema.items, ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => schema[key] ?? [])]
  for (const part of [...parts, ...Object.values((schema.properties ?? {}) as JsonObject)]) {
    markFiles(documents, part, seen)
  }
}

function isBinary({ format, contentMediaType }: JsonObject): boolean {
  return format === 'binary' || contentMediaType === 'application/octet-stream'
}

/** The properties of a schema and of all schemas that it is composed of. */
export function flattened(documents: Documents, schema: Json): { properties: JsonObject; required: string[] } {
  if (!isObject(schema)) return { properties: {}, required: [] }
  const parts = [
    ...(typeof schema.$ref === 'string' ? [flattened(documents, follow(documents, schema.$ref))] : []),
    ...((schema.allOf ?? []) as Json[]).map((it) => flattened(documents, it)),
    { properties: (schema.properties ?? {}) as JsonObject, required: (schema.required ?? []) as string[] }
  ]
  return {
    properties: Object.fromEntries(parts.flatMap(({ properties }) => Object.entries(properties))),
    required: [...new Set(parts.flatMap(({ required }) => required))]
  }
}
