import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { matches } from '../../engine/contract/schemas/patterns.js'
import { listOf } from './keywords.js'

/** A part of a schema that applies under a condition. */
export interface Condition {
  if: Json
  then: Json[]
  else: Json[]
}

/** How many matching items a list must have. */
export interface Contains {
  schema: Json
  least: number
  most: number
}

/** The subschemas of schemas that all apply. No schemas means that anything is allowed. */
export interface Applicators {
  /** The number of first items with their own schemas. */
  firstItems: number
  /** The schemas of the item at an index. Without an index: of any item after the first ones. */
  itemsAt(index?: number): Json[]
  contains: Contains[]
  /** Patterns for field names. */
  patterns: Set<string>
  /** The schemas of fields whose name matches a pattern. Without a pattern: of any other field. */
  fieldsLike(pattern?: string): Json[]
  /** The schemas of a field that is not among the properties. */
  fieldsNamed(name: string): Json[]
  /** The schemas of field names. */
  names: Json[]
  unevaluated: { items: Json[]; properties: Json[] }
  /** The other conditions and required fields if a field is present. */
  dependents: Map<string, { schemas: Json[]; required: Set<string> }>
  conditions: Condition[]
  /** Schemas that must not match. */
  nots: Json[]
  /** The schemas of a text's decoded content. */
  contents: Json[]
}

export function applicatorsOf(parts: JsonObject[]): Applicators {
  const said = (keyword: string) =>
    parts.flatMap((part) => (part[keyword] === undefined ? [] : [part[keyword] as Json]))
  const given = (schema: Json | undefined) => (schema === undefined || schema === true ? [] : [schema])
  const patternsOf = (part: JsonObject) => (isObject(part.patternProperties) ? part.patternProperties : {})
  return {
    firstItems: Math.max(0, ...parts.map((part) => listOf(part.prefixItems).length)),
    itemsAt: (index = Number.POSITIVE_INFINITY) =>
      parts.flatMap((part) => given(listOf(part.prefixItems)[index] ?? part.items)),
    contains: parts
      .filter((part) => 'contains' in part)
      .map(containsOf)
      .filter(isBound),
    patterns: new Set(parts.flatMap((part) => Object.keys(patternsOf(part)))),
    fieldsLike: (pattern) =>
      parts.flatMap((part) => given((pattern && patternsOf(part)[pattern]) || part.additionalProperties)),
    fieldsNamed: (name) =>
      parts.flatMap((part) => {
        const matching = Object.entries(patternsOf(part)).filter(([pattern]) => isNamedBy(pattern, name))
        return matching.length > 0 ? matching.map(([, schema]) => schema) : given(part.additionalProperties)
      }),
    names: said('propertyNames'),
    unevaluated: {
      items: said('unevaluatedItems').flatMap(given),
      properties: said('unevaluatedProperties').flatMap(given)
    },
    dependents: dependentsOf(parts),
    conditions: parts.filter((part) => 'if' in part && ('then' in part || 'else' in part)).map(conditionOf),
    nots: said('not'),
    contents: said('contentSchema')
  }

  function conditionOf(part: JsonObject): Condition {
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    return { if: part.if as Json, then: given(part.then), else: given(part.else) }
  }
}

function containsOf({ contains, minContains = 1, maxContains }: JsonObject): Contains {
  return {
    schema: contains as Json,
    least: Number(minContains),
    most: typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY
  }
}

function isBound({ least, most }: Contains): boolean {
  return least > 0 || most < Number.POSITIVE_INFINITY
}

function dependentsOf(parts: JsonObject[]): Applicators['dependents'] {
  const dependents: Applicators['dependents'] = new Map()
  const of = (name: string) => {
    const found = dependents.get(name) ?? { schemas: [], required: new Set<string>() }
    dependents.set(name, found)
    return found
  }
  for (const { dependentSchemas, dependentRequired } of parts) {
    if (isObject(dependentSchemas)) {
      for (const [name, schema] of Object.entries(dependentSchemas)) of(name).schemas.push(schema)
    }
    if (isObject(dependentRequired)) {
      for (const [name, fields] of Object.entries(dependentRequired)) {
        for (const field of listOf(fields)) of(name).required.add(String(field))
      }
    }
  }
  return dependents
}

/** Throws an Error if that takes too long to find out. */
function isNamedBy(pattern: string, name: string): boolean {
  try {
    return matches(pattern, name)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Error(`The pattern ${pattern} in patternProperties takes too long with the name ${name.slice(0, 60)}.`)
  }
}
