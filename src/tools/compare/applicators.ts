import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { matches } from '../../engine/contract/schemas/patterns.js'
import { listOf } from './keywords.js'

export type Applicators = ReturnType<typeof applicatorsOf>
export type Contains = Applicators['contains'][number]
export type Condition = Applicators['conditions'][number]

/** The subschemas of schemas that all apply. No schemas means that anything is allowed. */
export function applicatorsOf(parts: JsonObject[]) {
  const said = (keyword: string) =>
    parts.flatMap((part) => (part[keyword] === undefined ? [] : [part[keyword] as Json]))
  const given = (schema: Json | undefined) => (schema === undefined || schema === true ? [] : [schema])
  const patternsOf = (part: JsonObject) => (isObject(part.patternProperties) ? part.patternProperties : {})
  return {
    /** The number of first items with their own schemas. */
    firstItems: Math.max(0, ...parts.map((part) => listOf(part.prefixItems).length)),
    /** The schemas of the item at an index. Without an index: of any item after the first ones. */
    itemsAt: (index = Number.POSITIVE_INFINITY) =>
      parts.flatMap((part) => given(listOf(part.prefixItems)[index] ?? part.items)),
    /** How many matching items a list must have. */
    contains: parts
      .filter((part) => 'contains' in part)
      .map(({ contains: schema = true, minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY }) => ({
        schema,
        least: Number(least),
        most: Number(most)
      }))
      .filter(({ least, most }) => least > 0 || most < Number.POSITIVE_INFINITY),
    /** Patterns for field names. */
    patterns: new Set(parts.flatMap((part) => Object.keys(patternsOf(part)))),
    /** The schemas of fields whose name matches a pattern. Without a pattern: of any other field. */
    fieldsLike: (pattern?: string) =>
      parts.flatMap((part) => given((pattern && patternsOf(part)[pattern]) || part.additionalProperties)),
    /** The schemas of a field that is not among the properties. */
    fieldsNamed: (name: string) =>
      parts.flatMap((part) => {
        const matching = Object.entries(patternsOf(part)).filter(([pattern]) => isNamedBy(pattern, name))
        return matching.length > 0 ? matching.map(([, schema]) => schema) : given(part.additionalProperties)
      }),
    /** The schemas of field names. */
    names: said('propertyNames'),
    unevaluated: {
      items: said('unevaluatedItems').flatMap(given),
      properties: said('unevaluatedProperties').flatMap(given)
    },
    dependents: dependentsOf(said),
    /** Parts that apply under a condition. */
    conditions: parts
      .filter((part) => 'if' in part && ('then' in part || 'else' in part))
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      .map((part) => ({ if: part.if as Json, then: given(part.then), else: given(part.else) })),
    /** Schemas that must not match. */
    nots: said('not'),
    /** The schemas of a text's decoded content. */
    contents: said('contentSchema')
  }
}

/** The other conditions and required fields if a field is present. */
function dependentsOf(said: (keyword: string) => Json[]) {
  const dependents = new Map<string, { schemas: Json[]; required: Set<string> }>()
  const of = (name: string) => {
    const found = dependents.get(name) ?? { schemas: [], required: new Set<string>() }
    dependents.set(name, found)
    return found
  }
  const entries = (keyword: string) => said(keyword).flatMap((it) => (isObject(it) ? Object.entries(it) : []))
  for (const [name, schema] of entries('dependentSchemas')) of(name).schemas.push(schema)
  for (const [name, fields] of entries('dependentRequired')) {
    for (const field of listOf(fields)) of(name).required.add(String(field))
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
