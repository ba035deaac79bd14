import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'

/** Keywords that the comparison understands. */
const own = new Set([
  ...['type', 'enum', 'const', 'format', 'pattern', 'default', 'properties', 'required'],
  ...['additionalProperties', 'items'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties', 'multipleOf', 'uniqueItems'],
  ...['not', 'if', 'contains', 'prefixItems', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['patternProperties', 'propertyNames', 'dependentSchemas', 'dependentRequired'],
  ...['contentMediaType', 'contentEncoding', 'contentSchema', 'readOnly', 'writeOnly']
])
const leading = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'nullable'])

/** Whether a schema restricts something itself, apart from references and descriptions. */
export function saysSomething(schema: JsonObject): boolean {
  const isChoice = unionsOf(schema).some(({ alternatives }) => alternatives.length > 1)
  return isChoice || Object.keys(schema).some((keyword) => own.has(keyword))
}

/** Whether a schema only has alternatives. */
export function isOnlyChoice(schema: JsonObject): boolean {
  return choicesOf(schema).length === 1 && !Object.keys(schema).some((keyword) => own.has(keyword))
}

export interface Union {
  kind: 'any-of' | 'one-of'
  alternatives: Json[]
}

/** The anyOf and oneOf of a schema. A null alternative is left out, because it only makes the schema nullable. */
export function unionsOf(schema: JsonObject): Union[] {
  const lists = [
    ['any-of', schema.anyOf],
    ['one-of', schema.oneOf]
  ] as const
  return lists.flatMap(([kind, list]) => {
    return list === undefined ? [] : [{ kind, alternatives: listOf(list).filter((it) => bareType(it) !== 'null') }]
  })
}

/** Unions with several alternatives that are more than types. A oneOf of types that overlap is more. */
export function choicesOf(schema: JsonObject): Union[] {
  return unionsOf(schema).filter(({ kind, alternatives }) => {
    const types = alternatives.map(bareType)
    const isApart = new Set(types).size === types.length && !(types.includes('number') && types.includes('integer'))
    return alternatives.length > 1 && !(types.every(Boolean) && (kind === 'any-of' || isApart))
  })
}

/** The type of a schema that has nothing else. */
export function bareType(schema: Json): string | undefined {
  if (!isObject(schema) || typeof schema.type !== 'string') return undefined
  const isMore = Object.keys(schema).some((keyword) => keyword !== 'type' && (own.has(keyword) || leading.has(keyword)))
  return isMore ? undefined : schema.type
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}
