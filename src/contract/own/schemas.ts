import { isObject, type Json, type JsonObject } from '../load.js'

/**
 * A part of a document as the contract has it: references name the document, and files in forms are marked. The bytes of
 * a file are a text to OpenAPI.
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

/** A part of a document that stands in several places is one object. */
const made = new WeakMap<JsonObject, JsonObject>()

/** What gives a schema another base for its references, or a name: in a document, paths do. */
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

/** Whether a keyword of a schema holds values, in which nothing is a schema. */
export const holdsValues = (keyword: string) => values.has(keyword)

/** Whether the keys below a keyword are names. */
export const holdsNames = (keyword: string) => byName.has(keyword)

function isFile({ type, format, contentMediaType }: JsonObject): boolean {
  return type === 'string' && (format === 'binary' || contentMediaType === 'application/octet-stream')
}

/** The properties of a schema and of all that it is made of, in one. */
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
