import { follow, isObject, type Json, type JsonObject } from '../load.js'
import { holdsValues } from './schemas.js'
import type { Mistake } from './types.js'

/** A value is held against so many schemas at most: each may be made of others, and these again. */
const mostSchemas = 5_000

/** What a schema is made of: a value is held against them at once. */
const lists = ['allOf', 'anyOf', 'oneOf']
const single = ['not', 'if', 'then', 'else']
const made = ['$ref', ...lists, ...single]

/**
 * Takes out of a document what would check for ever: schemas that are made of themselves. Java writes them: a base
 * with `oneOf` its kinds, each with `allOf` the base. There the base's own fields take the place of the reference.
 */
export function settle(document: JsonObject, mistakes: Mistake[], notes: string[]): void {
  const weights = new Map<JsonObject, number>()
  const under = new Set<JsonObject>()
  const schemas = schemasIn(document)
  // Whatever has kinds comes first: so it is the kinds that are cut, and not the base.
  const kinds = schemas.filter(([it]) => Array.isArray(it.oneOf) || Array.isArray(it.anyOf))
  for (const [schema, path] of [...kinds, ...schemas]) {
    if (weights.has(schema) || weigh(schema) <= mostSchemas) continue
    const text = `this schema is made of more than ${mostSchemas} others by allOf, anyOf and oneOf: no value can be checked against so many`
    mistakes.push({ path, text })
    return
  }

  function weigh(schema: JsonObject): number {
    const known = weights.get(schema)
    if (known !== undefined) return known
    under.add(schema)
    let weight = 1
    const target = targetOf(document, schema)
    if (target && under.has(target)) cut(schema, target)
    else if (target) weight += weigh(target)
    for (const part of partsOf(schema)) weight += weigh(part)
    under.delete(schema)
    weights.set(schema, weight)
    return weight
  }

  function cut(schema: JsonObject, target: JsonObject): void {
    notes.push(`${schema.$ref} is made of itself: where it comes back, only its own fields are checked.`)
    delete schema.$ref
    const own = Object.entries(target).filter(([key]) => ![...lists, ...single, '$ref', 'discriminator'].includes(key))
    Object.assign(schema, Object.fromEntries(own), { ...schema })
  }
}

function partsOf(schema: JsonObject): JsonObject[] {
  const parts: JsonObject[] = []
  for (const key of lists) {
    const value = schema[key]
    if (Array.isArray(value)) for (const part of value) if (isObject(part)) parts.push(part)
  }
  for (const key of single) if (isObject(schema[key])) parts.push(schema[key])
  return parts
}

function targetOf(document: JsonObject, { $ref }: JsonObject): JsonObject | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined
  try {
    const target = follow({ '': document }, $ref)
    return isObject(target) ? target : undefined
  } catch {
    return undefined
  }
}

/** The parts that are made of others, with their places. */
function schemasIn(value: Json, path: string[] = [], found: [JsonObject, string[]][] = []): [JsonObject, string[]][] {
  if (typeof value !== 'object' || value === null) return found
  if (isObject(value) && made.some((key) => value[key] !== undefined)) found.push([value, [...path]])
  for (const key of Object.keys(value)) {
    if (holdsValues(key)) continue
    path.push(key)
    schemasIn((value as JsonObject)[key] as Json, path, found)
    path.pop()
  }
  return found
}
