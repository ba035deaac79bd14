import type { Json, JsonObject } from '../../engine/contract/load.js'
import { bareType, listOf, unionsOf } from './keywords.js'

const all = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/**
 * The types that are possible if all schemas apply, without null. An integer is a number, so a number counts as both. A
 * schema without a type has the type that its other keywords imply.
 */
export function typesOf(parts: JsonObject[]): Set<string> {
  const possible = new Set(all)
  for (const part of parts) {
    const types = typesOfOne(part)
    for (const type of all) if (types && !types.has(type)) possible.delete(type)
  }
  return possible
}

function typesOfOne(part: JsonObject): Set<string> | undefined {
  const { type } = part
  if (type !== undefined) return withIntegers([type].flat() as string[])
  if ('const' in part) return withIntegers([typeOf(part.const as Json)])
  if ('enum' in part) return withIntegers(listOf(part.enum).map(typeOf))
  const bare = unionsOf(part).find(({ alternatives }) => alternatives.every(bareType))
  if (bare) return withIntegers(bare.alternatives.map((it) => bareType(it) as string))
  const implied = impliedType(part)
  return implied ? new Set([implied]) : undefined
}

/** The type that a schema's keywords imply. */
export function impliedType(part: JsonObject): string | undefined {
  if ('properties' in part || 'required' in part || 'additionalProperties' in part) return 'object'
  return 'items' in part || 'prefixItems' in part ? 'array' : undefined
}

function withIntegers(types: string[]): Set<string> {
  return new Set(types.includes('number') ? [...types, 'integer'] : types)
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Types for messages: `integer, string`; `any`; `none`. */
export function typeNames(types: Set<string>): string {
  if (types.size === all.length) return 'any'
  const names = [...types].filter((type) => type !== 'integer' || !types.has('number'))
  return names.join(' or ') || 'none'
}
