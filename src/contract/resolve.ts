import { type Choices, type Documents, follow, isObject, type Json, type JsonObject, mergePatch } from './load.js'

/** Where a value stands. A row always has all its fields; a reply leaves out those that may not be null. */
type Place = 'input' | 'row' | 'reply'

/**
 * The documents under these choices. Wherever an object carries `x-assumption: {id: {choice: patch}}`, the patch of the
 * choice in force is merged into it (RFC 7386), and `x-assumed: [id]` takes its place, with the ids that stand there. A field that carries
 * `x-null: {id: [choices]}` may be null under these choices, and `x-null: [id]` takes its place. References name their
 * file, so that a part of a document means the same alone.
 */
export function resolve(documents: Documents, choices: Choices): Documents {
  return Object.fromEntries(
    Object.entries(documents).map(([file, { collections = {}, ...document }]) => {
      const rows = Object.entries(collections as Record<string, JsonObject>).map(([name, it]) => [
        name,
        { ...(resolved(it, file, 'row') as JsonObject), row: row(it.row as Json, file) }
      ])
      return [file, { ...(resolved(document, file, 'reply') as JsonObject), collections: Object.fromEntries(rows) }]
    })
  )

  function resolved(value: Json, file: string, place: Place): Json {
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

  function patched({ 'x-assumption': patches, ...rest }: JsonObject): JsonObject {
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

  /** Whether a reply leaves the field out where it has no value. */
  function mayBeAbsent(field: Json | undefined, file: string): boolean {
    const marks = marksOf(field, file)
    return marks !== undefined && !takesNull(marks)
  }

  function marksOf(field: Json | undefined, file: string): JsonObject | undefined {
    if (!isObject(field)) return undefined
    if (isObject(field['x-null'])) return field['x-null']
    return typeof field.$ref === 'string' ? marksOf(...targetOf(field.$ref, file)) : undefined
  }

  /** What a reference points at, and in which file. */
  function targetOf(reference: string, file: string): [Json, string] {
    const whole = reference.startsWith('#') ? file + reference : reference
    return [follow(documents, whole), whole.split('#')[0] as string]
  }

  /** A row as the store keeps it. Fields that responses show as null or leave out are null there. */
  function row(value: Json, file: string): JsonObject {
    const { $ref, properties } = value as { $ref?: string; properties: JsonObject }
    if ($ref !== undefined) return row(...targetOf($ref, file))
    const whole = resolved(value, file, 'row') as JsonObject
    const fields = Object.entries(properties).map(([name, field]) => {
      if (!marksOf(field, file)) return [name, (whole.properties as JsonObject)[name] as Json]
      const { $ref } = field as JsonObject
      const [target, place] = typeof $ref === 'string' ? targetOf($ref, file) : [field, file]
      const { 'x-null': _, ...own } = target as JsonObject
      return [name, orNull(resolved(own, place, 'row') as JsonObject)]
    })
    return { additionalProperties: false, ...whole, properties: Object.fromEntries(fields) }
  }
}

/** The assumptions that an object of a contract depends on, without what it holds. */
export function assumptionsAt({ 'x-assumption': patches, 'x-null': marks }: JsonObject): string[] {
  return Object.keys({ ...(patches as JsonObject | undefined), ...(marks as JsonObject | undefined) })
}

/** The same schema, but it takes null too. */
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
