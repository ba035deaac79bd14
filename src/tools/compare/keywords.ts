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

export type Alternatives = ReturnType<typeof matchAlternatives>

/** Which alternative became which: by name, by equal values, or as the only ones left. A new name is not a change. */
export function matchAlternatives(was: Union, is: Union, isSame: (one: Json, other: Json) => boolean) {
  const pairs: [Json, Json][] = []
  const added = [...is.alternatives]
  const names = new Map([...was.alternatives, ...is.alternatives].map((it) => [it, nameOf(it)]))
  const take = (olds: Json[], fits: (one: Json, other: Json) => boolean) =>
    olds.filter((one) => {
      const index = added.findIndex((other) => fits(one, other))
      if (index < 0) return true
      pairs.push([one, ...added.splice(index, 1)] as [Json, Json])
      return false
    })
  let removed = take(
    was.alternatives,
    (one, other) => names.get(one) !== unnamed && names.get(one) === names.get(other)
  )
  removed = take(removed, isSame)
  if (removed.length === 1 && added.length === 1) removed = take(removed, () => true)
  return { pairs, removed, added }
}

const unnamed = 'unnamed'

/** The name of an alternative in reports. */
export function nameOf(schema: Json): string {
  if (!isObject(schema)) return unnamed
  const { $ref, title } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1) as string
  return typeof title === 'string' ? title : (bareType(schema) ?? unnamed)
}

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

/** The limits of a schema, with the names of their changes and the side that they bound. */
export const limits = [
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'],
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
].map((keyword) => ({
  keyword,
  name: keyword.replace('imum', '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  isLower: /min/i.test(keyword)
}))

export type Bounds = Map<string, number>

/** The tightest limits of schemas that all apply. A minimum of 0 for a length or count is not a limit. */
export function boundsOf(parts: JsonObject[]): Bounds {
  const bounds: Bounds = new Map()
  for (const { keyword, name, isLower } of limits) {
    const values = parts.map((part) => numeric(part)[keyword]).filter((it) => typeof it === 'number')
    const isNone = isLower && !keyword.endsWith('imum')
    const tightest = isLower ? Math.max(...values) : Math.min(...values)
    if (values.length > 0 && !(isNone && tightest <= 0)) bounds.set(name, tightest)
  }
  return bounds
}

/** In OpenAPI 3.0 a boolean makes a limit exclusive; in 3.1 an exclusive limit has its own keyword. */
function numeric(part: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = part
  return {
    ...part,
    ...(exclusiveMinimum === true && { minimum: null, exclusiveMinimum: minimum ?? null }),
    ...(exclusiveMaximum === true && { maximum: null, exclusiveMaximum: maximum ?? null })
  }
}
