import {
  type Choices,
  type Documents,
  follow,
  isObject,
  type Json,
  type JsonObject,
  mergePatch,
  onFirstUse
} from './load.js'

/** The kind of value. A row always has all fields; a reply leaves out those that may not be null. */
type ValueKind = 'input' | 'row' | 'reply'

/**
 * The documents under these choices. An object with `x-assumption: {id: {choice: patch}}` is merged with the patch of the
 * choice in force (RFC 7386), and gets `x-assumed: [id]` instead. A field with `x-null: {id: [choices]}` may be null under
 * these choices, and gets `x-null: [id]` instead. References get the name of their file, so that each part of a document can be
 * used separately. Each document is created on first use.
 */
export function resolve(documents: Documents, choices: Choices): Documents {
  return onFirstUse(Object.keys(documents), (file) => {
    const { collections = {}, ...document } = documents[file] as JsonObject
    const rows = Object.entries(collections as Record<string, JsonObject>).map(([name, it]) => [
      name,
      { ...(resolved(it, file, 'row') as JsonObject), row: row(it.row as Json, file) }
    ])
    return { ...(resolved(document, file, 'reply') as JsonObject), collections: Object.fromEntries(rows) }
  })

  function resolved(value: Json, file: string, place: ValueKind): Json {
    if (Array.isArray(value)) return value.map((item) => resolved(item, file, place))
    if (!isObject(value)) return value
    let result = patched(value)
    if (place === 'reply' && isObject(result.properties) && Array.isArray(result.required)) {
      const { properties, required } = result
      result.required = required.filter((name) => !mayBeAbsent(properties[name as string], file))
    }
    const marks = result['x-null']
    if (isObject(marks)) {
      result['x-null'] = Object.keys(marks)
      if (takesNull(marks)) result = orNull(result)
    }
    for (const [key, item] of Object.entries(result)) {
      if (key === '$ref' && String(item).startsWith('#')) result.$ref = file + item
      else result[key] = resolved(item, file, key === 'input' ? 'input' : place)
    }
    return result
  }

  function patched(value: JsonObject): JsonObject {
    // Most objects have none. Leaving a key out of a copy takes several times as long as the copy.
    if (!('x-assumption' in value)) return { ...value }
    const { 'x-assumption': patches, ...rest } = value
    if (!isObject(patches)) return rest
    let result: JsonObject = rest
    for (const [id, byChoice] of Object.entries(patches)) {
      const patch = isObject(byChoice) ? byChoice[choices[id] ?? ''] : undefined
      if (patch !== undefined) result = mergePatch(result, patch) as JsonObject
    }
    return { ...result, 'x-assumed': [...((result['x-assumed'] ?? []) as string[]), ...Object.keys(patches)] }
  }

  function takesNull(marks: JsonObject): boolean {
    return Object.entries(marks).some(([id, taking]) => (taking as Json[]).includes(choices[id] ?? ''))
  }

  /** Whether a reply leaves the field out if it has no value. */
  function mayBeAbsent(field: Json | undefined, file: string): boolean {
    const marks = marksOf(field, file)
    return marks !== undefined && !takesNull(marks)
  }

  function marksOf(field: Json | undefined, file: string): JsonObject | undefined {
    if (!isObject(field)) return undefined
    if (isObject(field['x-null'])) return field['x-null']
    return typeof field.$ref === 'string' ? marksOf(...targetOf(field.$ref, file)) : undefined
  }

  function targetOf(reference: string, file: string): [Json, string] {
    const whole = reference.startsWith('#') ? file + reference : reference
    return [follow(documents, whole), whole.split('#')[0] as string]
  }

  /** A row in the form of the store. Fields that responses show as null or leave out are null. */
  function row(value: Json, file: string): JsonObject {
    const { $ref, properties } = value as { $ref?: string; properties: JsonObject }
    if ($ref !== undefined) return row(...targetOf($ref, file))
    const whole = resolved(value, file, 'row') as JsonObject
    const fields = Object.entries(properties).map(([name, field]) => {
      if (!marksOf(field, file)) return [name, (whole.properties as JsonObject)[name] as Json]
      const { $ref } = field as JsonObject
      const [target, place] = typeof $ref === 'string' ? targetOf($ref, file) : [field, file]
      const { 'x-null': _, ...rest } = target as JsonObject
      return [name, orNull(resolved(rest, place, 'row') as JsonObject)]
    })
    return { additionalProperties: false, ...whole, properties: Object.fromEntries(fields) }
  }
}

/** The assumptions of an object in a contract, without those of nested objects. */
export function assumptionsAt({ 'x-assumption': patches, 'x-null': marks }: JsonObject): string[] {
  return Object.keys({ ...(patches as JsonObject | undefined), ...(marks as JsonObject | undefined) })
}

/** The same schema, but nullable. */
function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type === 'string' && !schema.enum) return { ...schema, type: [schema.type, 'null'] }
  const { 'x-null': marks, description, default: value, ...rest } = schema
  return {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    anyOf: [rest, { type: 'null' }],
    ...(marks !== undefined && { 'x-null': marks })
  }
}
