import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { matches } from '../../engine/contract/schemas/patterns.js'
import { listOf } from './keywords.js'

/** The subschemas of schemas that all apply. No schemas means that anything is allowed. */
export function applicatorsOf(parts: JsonObject[]) {
  const said = (keyword: string) => parts.flatMap((part) => part[keyword] ?? [])
  const byName = (keyword: string) => said(keyword).filter(isObject)
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
    fieldPatterns: new Set(parts.flatMap((part) => Object.keys(patternsOf(part)))),
    /** The schemas of fields whose name matches a pattern. Without a pattern: of any other field. */
    fieldsLike: (pattern?: string) =>
      parts.flatMap((part) => given((pattern && patternsOf(part)[pattern]) || part.additionalProperties)),
    /** The schemas of a field that is not among the properties. */
    fieldsNamed: (name: string) =>
      parts.flatMap((part) => {
        const matching = Object.entries(patternsOf(part)).filter(([pattern]) => isNamedBy(pattern, name))
        return matching.length > 0 ? matching.map(([, schema]) => schema) : given(part.additionalProperties)
      }),
    /** The schemas of other parts of a value, by the step that leads to them. */
    within: {
      '(name)': said('propertyNames'),
      '.(other)': said('unevaluatedProperties').flatMap(given),
      '[other]': said('unevaluatedItems').flatMap(given),
      '(content)': said('contentSchema')
    },
    /** The fields on whose presence something depends, and what it is. */
    dependents: ['dependentSchemas', 'dependentRequired'].flatMap(byName).flatMap(Object.keys),
    dependent: (name: string) => ({
      schemas: byName('dependentSchemas').flatMap((it) => it[name] ?? []),
      required: new Set(byName('dependentRequired').flatMap((it) => listOf(it[name]).map(String)))
    }),
    /** Parts that apply under a condition. */
    conditions: parts
      .filter((part) => 'if' in part && ('then' in part || 'else' in part))
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      .map((part) => ({ if: part.if as Json, then: given(part.then), else: given(part.else) })),
    /** Schemas that must not match. */
    nots: said('not')
  }
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
