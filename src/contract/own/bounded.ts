import { type Documents, follow, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import { worded } from './words.js'

/**
 * The deepest nesting of a made-up value, and the most parts of its schema. Schemas may refer to each other without
 * end.
 */
const deepest = 6
const mostParts = 1500
/** The largest sizes of a made-up value. A schema may ask for billions. */
const limits = { minItems: 10_000, minLength: 100_000, minProperties: 100 }

/**
 * A schema that a generator of values can use: without references, and of limited depth. Below the limit, optional
 * fields are left out, lists are empty and nullable values are null. Texts get values that fit their names.
 */
export function bounded(documents: Documents, schema: Json, isReply = false): Json {
  let parts = 0
  return inner(schema, 0, '')

  function inner(given: Json, depth: number, name: string): Json {
    parts += 1
    let value = given
    let level = depth
    while (isObject(value) && typeof value.$ref === 'string') {
      const { $ref, ...others } = value
      const target = follow(documents, $ref)
      value = isObject(target) ? { ...target, ...others } : target
      level += 1
      if (level > 4 * deepest) return {}
    }
    if (value === true || (isObject(value) && !Object.keys(value).some((key) => !says.has(key)))) {
      return level === 0
        ? { type: 'object', additionalProperties: false }
        : { type: 'string', ...worded({ type: 'string' }, name) }
    }
    if (!isObject(value) || parts > 4 * mostParts) return isObject(value) ? {} : value
    const isDeep = level >= deepest || parts > mostParts
    const {
      properties,
      items,
      anyOf,
      oneOf,
      allOf,
      additionalProperties,
      prefixItems,
      propertyNames,
      not,
      if: _if,
      then: _then,
      else: _else,
      ...rest
    } = value
    const branches = [anyOf, oneOf].find(Array.isArray)
    if (branches) {
      const none = branches.find((it) => isObject(it) && it.type === 'null')
      if (isDeep && none) return { type: 'null' }
      const [first = {}, ...others] = branches.filter((it) => it !== none)
      const isOwn = isObject(properties) || rest.required !== undefined || allOf !== undefined
      if (!isOwn) return inner({ ...rest, ...(isObject(first) ? first : {}) }, level, name)
      const own = { ...rest, ...(isObject(properties) && { properties: withoutOthers(value, first, others) }) }
      return inner({ ...own, allOf: [...((allOf ?? []) as Json[]), first] }, level, name)
    }
    if (isDeep && [rest.type].flat().includes('null')) return { type: 'null' }
    const result: JsonObject = { ...rest, ...worded(rest, name) }
    for (const [key, limit] of Object.entries(limits)) {
      if (typeof rest[key] === 'number') result[key] = Math.min(rest[key], limit)
    }
    if (typeof rest.pattern === 'string' && (repeats(rest.pattern) > limits.minLength || !isPattern(rest.pattern)))
      delete result.pattern
    if (Array.isArray(allOf))
      return inner(merged(documents, { ...rest, ...(properties && { properties }) }, allOf), level, name)
    if (isObject(properties)) {
      const required = (rest.required ?? []) as string[]
      const kept = Object.entries(properties).filter(
        ([field, it]) => (!isDeep || required.includes(field)) && !(isReply && isObject(it) && it.writeOnly === true)
      )
      const unknown = additionalProperties === false ? [] : required.filter((it) => !Object.hasOwn(properties, it))
      const all = [...kept, ...unknown.map((field) => [field, {}] as const)]
      result.properties = Object.fromEntries(all.map(([field, it]) => [field, inner(it, level + 1, field)]))
      result.type ??= 'object'
    }
    if (isObject(propertyNames)) Object.assign(result, named(propertyNames, additionalProperties, level, isDeep))
    else if (isObject(additionalProperties)) {
      result.additionalProperties = isDeep ? false : inner(additionalProperties, level + 1, name)
    } else if (isObject(properties) && Number(rest.minProperties ?? 0) <= Object.keys(properties).length)
      result.additionalProperties = false
    else if (additionalProperties !== undefined) result.additionalProperties = additionalProperties
    if (Array.isArray(prefixItems)) result.prefixItems = prefixItems.map((it) => inner(it, level + 1, name))
    if (items !== undefined) {
      const least = Math.min(Number(rest.minItems ?? 0), limits.minItems)
      const most = Math.max(least, Math.min(Number(rest.maxItems ?? 3), isDeep ? 0 : level === 0 ? 3 : 2))
      Object.assign(result, { items: most === 0 ? true : inner(items, level + 1, name), maxItems: most })
    }
    return result
  }

  /** The fields of an object whose names have a schema: an enum of them, or a pattern. */
  function named(names: JsonObject, additional: Json = {}, level: number, isDeep: boolean): JsonObject {
    const { enum: known, pattern } = schemaOf(documents, names)
    if (isDeep) return { additionalProperties: false }
    const field = inner(additional, level + 1, '')
    if (Array.isArray(known)) {
      return { properties: Object.fromEntries(known.map((it) => [String(it), field])), additionalProperties: false }
    }
    return typeof pattern === 'string' ? { patternProperties: { [pattern]: field } } : { additionalProperties: field }
  }
}

/** The properties of a schema without those that only other branches ask for. */
function withoutOthers({ properties, required, oneOf }: JsonObject, first: Json, others: Json[]): JsonObject {
  const asked = (it: Json) => (isObject(it) && Array.isArray(it.required) ? it.required : [])
  const kept = new Set([...asked({ required: required ?? [] }), ...asked(first)])
  const left = new Set(oneOf ? others.flatMap(asked).filter((it) => !kept.has(it)) : [])
  return Object.fromEntries(Object.entries(properties as JsonObject).filter(([name]) => !left.has(name)))
}

/** Other languages have patterns that JavaScript has not. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern.replaceAll('(?P<', '(?<')) instanceof RegExp
  } catch {
    return false
  }
}

/** Merges the schemas that a schema is composed of into one. */
function merged(documents: Documents, own: JsonObject, parts: Json[]): JsonObject {
  let result: JsonObject = own
  for (const part of parts) {
    let value = part
    while (isObject(value) && typeof value.$ref === 'string') value = follow(documents, value.$ref)
    if (!isObject(value)) continue
    const whole = Array.isArray(value.allOf) ? merged(documents, { ...value, allOf: [] }, value.allOf) : value
    const { allOf: _, ...fields } = whole
    result = {
      ...fields,
      ...result,
      properties: bothOf(fields.properties as JsonObject, result.properties as JsonObject),
      required: [...((fields.required ?? []) as string[]), ...((result.required ?? []) as string[])]
    }
    if (Object.keys(result.properties as JsonObject).length === 0) delete result.properties
  }
  const { allOf: _, ...rest } = result
  return rest
}

/** Keywords that do not restrict the value. */
const says = new Set(['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'nullable'])

/** How long a text that matches a pattern may have to be. */
function repeats(pattern: string): number {
  return [...pattern.matchAll(/\{(\d+)/g)].reduce((product, [, count]) => product * Math.max(1, Number(count)), 1)
}

/** A field that two schemas have must meet both. */
function bothOf(some: JsonObject = {}, others: JsonObject = {}): JsonObject {
  const shared = Object.keys(some).filter((name) => Object.hasOwn(others, name))
  const both = shared.map((name) => [name, { allOf: [some[name] as Json, others[name] as Json] }])
  return { ...some, ...others, ...Object.fromEntries(both) }
}
