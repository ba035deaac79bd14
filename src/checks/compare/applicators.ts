import { isObject, type Json, type JsonObject } from '../../contract/load.js'
import { listOf } from './keywords.js'

/** A part of a schema under a condition. */
export interface Condition {
  if: Json
  then: Json[]
  else: Json[]
}

/** How many items of a kind a list has. */
export interface Contains {
  schema: Json
  least: number
  most: number
}

/** What schemas that all hold say by the words that lead to other schemas; none: anything is allowed. */
export interface Applicators {
  /** How many first items are told from the others. */
  firstItems: number
  /** What the item at an index has to be; without one: any item after the first. */
  itemsAt(index?: number): Json[]
  contains: Contains[]
  /** Patterns of the names of fields. */
  patterns: Set<string>
  /** What a field has to be whose name matches a pattern; without one: any field that is not named. */
  fieldsLike(pattern?: string): Json[]
  /** What a field of this name has to be where no property is named so. */
  fieldsNamed(name: string): Json[]
  /** What names of fields have to be. */
  names: Json[]
  unevaluated: { items: Json[]; properties: Json[] }
  /** What else must hold, and must be there, where a field is. */
  dependents: Map<string, { schemas: Json[]; required: Set<string> }>
  conditions: Condition[]
  /** What must not hold. */
  nots: Json[]
  /** What the text of a value has to be, once it is decoded. */
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
        const matching = Object.entries(patternsOf(part)).filter(([pattern]) => matches(pattern, name))
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

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
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
