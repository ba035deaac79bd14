import { isObject, type Json, type JsonObject } from '../load.js'

/**
 * A part of a document in the form of the contracts: references name the document, and files in forms are marked.
 * OpenAPI declares a file's bytes as a string.
 */
export function internal(value: Json, key: string, isNames = false): Json {
  if (Array.isArray(value)) return value.map((item) => internal(item, key))
  if (!isObject(value)) return value
  if (isNames) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, internal(item, key)]))
  const known = made.get(value)
  if (known) return known
  const result: JsonObject = {}
  made.set(value, result)
  if (isFile(value)) {
    if (value.description !== undefined) result.description = value.description
    result['x-file'] = true
    return result
  }
  for (const [name, item] of Object.entries(value)) {
    if (name === '$ref' && typeof item === 'string' && item.startsWith('#')) result.$ref = key + item
    else if (!identities.has(name)) result[name] = holdsValues(name) ? item : internal(item, key, holdsNames(name))
  }
  return result
}

/** A part of a document that appears in several places stays one object. */
const made = new WeakMap<JsonObject, JsonObject>()

/** Keywords that change the base of references or name a schema. In a document, paths do that. */
const identities = new Set([
  '$id',
  '$anchor',
  '$schema',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef'
])

const values = new Set(['example', 'examples', 'default', 'enum', 'const'])
const byName = new Set(['properties', 'patternProperties', '$defs', 'schemas', 'parameters', 'responses', 'paths'])

/** Whether a keyword holds values, which contain no schemas. */
export const holdsValues = (keyword: string) => values.has(keyword)

/** Whether the keys of a keyword's object are names. */
export const holdsNames = (keyword: string) => byName.has(keyword)

function isFile({ type, format, contentMediaType }: JsonObject): boolean {
  return type === 'string' && (format === 'binary' || contentMediaType === 'application/octet-stream')
}

/** The properties of a schema and of all schemas that it is composed of. */
export function flattened(
  documents: (reference: string) => Json,
  schema: Json
): { properties: JsonObject; required: string[] } {
  if (!isObject(schema)) return { properties: {}, required: [] }
  const parts = [
    ...(typeof schema.$ref === 'string' ? [flattened(documents, documents(schema.$ref))] : []),
    ...((schema.allOf ?? []) as Json[]).map((it) => flattened(documents, it)),
    { properties: (schema.properties ?? {}) as JsonObject, required: (schema.required ?? []) as string[] }
  ]
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required }) => required))]
  }
}
