import { type Documents, follow, isObject, type JsonObject } from '../load.js'
import type { Mistake } from './mistake.js'

/** The most schemas that one value is checked against. Each may be composed of others. */
const mostSchemas = 5_000

/** Keywords that combine schemas for the same value. */
const lists = ['allOf', 'anyOf', 'oneOf']
const single = ['not', 'if', 'then', 'else']

/**
 * Breaks endless recursion: schemas that are composed of themselves. Java generators write them: a base with `oneOf`
 * its subtypes, each with `allOf` the base. The reference to the base is replaced by the base's own fields.
 */
export function createSettle(
  documents: Documents,
  mistakes: Mistake[],
  notes: string[]
): (schemas: [JsonObject, string[]][]) => void {
  const weights = new Map<JsonObject, number>()
  const under = new Set<JsonObject>()
  return (schemas) => {
    // Schemas with subtypes come first, so that the subtypes are cut and not the base.
    const kinds = schemas.filter(([it]) => Array.isArray(it.oneOf) || Array.isArray(it.anyOf))
    for (const [schema, path] of [...kinds, ...schemas]) {
      if (weights.has(schema) || weigh(schema) <= mostSchemas) continue
      const text = `this schema is made of more than ${mostSchemas} others by allOf, anyOf and oneOf: checking a value against so many takes too long`
      mistakes.push({ path, text })
      return
    }
  }

  function weigh(schema: JsonObject): number {
    const known = weights.get(schema)
    if (known !== undefined) return known
    under.add(schema)
    let weight = 1
    const target = targetOf(documents, schema)
    if (target && under.has(target)) cut(schema, target)
    else if (target) weight += weigh(target)
    for (const part of partsOf(schema)) weight += weigh(part)
    under.delete(schema)
    weights.set(schema, weight)
    return weight
  }

  function cut(schema: JsonObject, target: JsonObject): void {
    notes.push(
      `${String(schema.$ref).replace(/^[^#]*/, '')} is composed of itself: inside itself, only its own fields are checked.`
    )
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

function targetOf(documents: Documents, { $ref }: JsonObject): JsonObject | undefined {
  if (typeof $ref !== 'string') return undefined
  try {
    const target = follow(documents, $ref)
    return isObject(target) ? target : undefined
  } catch {
    return undefined
  }
}
