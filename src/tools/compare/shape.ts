import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { inMap } from '../../engine/contract/once.js'
import { matches } from '../../engine/contract/schemas/patterns.js'
import { type OpenApiDocument, pointedAt } from './document.js'
import {
  type Bounds,
  boundsOf,
  choicesOf,
  impliedType,
  isOnlyChoice,
  listOf,
  saysSomething,
  typesOf,
  unionsOf
} from './keywords.js'

/**
 * What a schema allows, whichever keywords it uses: $ref and allOf are merged, and `nullable`, the type null and a null
 * alternative count as the same. Several schemas all apply.
 */
export type Shape = ReturnType<typeof shapeOf>

/** Reads schemas of one document that all apply. */
export type Shapes = (schemas: Json[]) => Shape

export function createShapes(document: OpenApiDocument): Shapes {
  const numbers = new Map<JsonObject, number>()
  const shapes = new Map<string, Shape>()
  /** Each alternative is compared with many others. */
  const single = new Map<Json | undefined, Shape>()
  const takesNull = createNullCheck(document)
  const numberOf = (part: JsonObject): number => numbers.get(part) ?? numbers.set(part, numbers.size).size - 1
  const read = (schemas: Json[]) => {
    const parts = new Set<JsonObject>()
    for (const schema of schemas) collect(document, schema, parts)
    const numbered = [...parts].map(numberOf).sort((a, b) => a - b)
    const key = numbered.join()
    return { ...inMap(shapes, key, () => shapeOf(key, [...parts])), isNullable: schemas.every(takesNull) }
  }
  return (schemas) => (schemas.length === 1 ? inMap(single, schemas[0], () => read(schemas)) : read(schemas))
}

const nothing: JsonObject = { enum: [] }
const onlyNull: JsonObject = { type: 'null' }

/** In OpenAPI 3.0, what is next to a reference does not count. */
const ignoresSiblings = ({ root }: OpenApiDocument) => String(root.openapi).startsWith('3.0')

/** Collects all schemas that apply together with a schema. */
function collect(document: OpenApiDocument, schema: Json, parts: Set<JsonObject>, visits = new Set<Json>()): void {
  if (schema === false) parts.add(nothing)
  if (!isObject(schema) || visits.has(schema)) return
  visits.add(schema)
  if (typeof schema.$ref === 'string') {
    collect(document, pointedAt(document, schema.$ref), parts, visits)
    if (ignoresSiblings(document)) return
  }
  for (const part of listOf(schema.allOf)) collect(document, part, parts, visits)
  for (const { alternatives } of unionsOf(schema)) {
    if (alternatives.length === 1) collect(document, alternatives[0] as Json, parts, visits)
    if (alternatives.length === 0) parts.add(onlyNull)
  }
  if (saysSomething(schema)) parts.add(schema)
}

/** Whether schemas of a document allow null. Each is read once: alternatives may share schemas, and contain themselves. */
function createNullCheck(document: OpenApiDocument): (schema: Json) => boolean {
  const results = new Map<JsonObject, boolean>()
  return allows

  function allows(schema: Json): boolean {
    if (!isObject(schema)) return schema !== false
    const before = results.get(schema)
    if (before !== undefined) return before
    results.set(schema, true)
    results.set(schema, allowsNull(schema))
    return results.get(schema) as boolean
  }

  function allowsNull(schema: JsonObject): boolean {
    const { type, nullable, $ref, allOf, anyOf, oneOf } = schema
    if (typeof $ref === 'string' && ignoresSiblings(document)) return allows(pointedAt(document, $ref))
    if (nullable === true) return !('enum' in schema) || listOf(schema.enum).includes(null)
    if (type === undefined ? impliedType(schema) : ![type].flat().includes('null')) return false
    if (('const' in schema && schema.const !== null) || ('not' in schema && allows(schema.not as Json))) return false
    if ('enum' in schema && !listOf(schema.enum).includes(null)) return false
    if (typeof $ref === 'string' && !allows(pointedAt(document, $ref))) return false
    const someAllow = [anyOf, oneOf].every((list) => list === undefined || listOf(list).some(allows))
    return someAllow && listOf(allOf).every(allows)
  }
}

function shapeOf(key: string, parts: JsonObject[]) {
  const said = (keyword: string) => parts.flatMap((part) => (keyword in part ? [part[keyword] as Json] : []))
  const properties = new Map<string, Json[]>()
  for (const [name, schema] of said('properties').flatMap((it) => Object.entries(it as JsonObject))) {
    properties.set(name, [...(properties.get(name) ?? []), schema])
  }
  return withoutImplied({
    /** The same key for the same schemas of a document, wherever the reference is. */
    key,
    /** Types without null. A number counts as `integer` and `number`. */
    types: typesOf(parts),
    isNullable: false,
    formats: [...new Set(parts.flatMap(formatsOf))].sort(),
    /** The values of an enumeration without null, by their JSON. Undefined: any value. */
    values: valuesOf(parts),
    bounds: boundsOf(parts),
    // An empty pattern allows every text.
    patterns: [...new Set(said('pattern').map(String))].sort().filter((pattern) => pattern !== ''),
    default: said('default')[0],
    properties,
    required: new Set(said('required').flatMap(listOf).map(String)),
    /** The factors that numbers must be multiples of. */
    factors: said('multipleOf').map(Number),
    isUnique: said('uniqueItems').includes(true),
    ...applicatorsOf(parts),
    unions: parts.flatMap(choicesOf),
    isOnlyChoice: parts.length === 1 && isOnlyChoice(parts[0] as JsonObject),
    /** Whether it is only in replies, or only in requests. */
    isReadOnly: said('readOnly').includes(true),
    isWriteOnly: said('writeOnly').includes(true)
  })
}

/** The content of a text. A file and base64 have two notations each. */
function formatsOf({ format, contentMediaType, contentEncoding }: JsonObject): string[] {
  if (contentEncoding === undefined && contentMediaType === 'application/octet-stream') return ['binary']
  if (contentEncoding === 'base64' && contentMediaType === undefined) return ['byte']
  return [format, contentMediaType, contentEncoding].filter((it) => it !== undefined).map(String)
}

/** The values that are in every enumeration. */
function valuesOf(parts: JsonObject[]): Map<string, Json> | undefined {
  const lists = parts.flatMap((part) => {
    if ('const' in part) return [[part.const as Json]]
    return 'enum' in part ? [listOf(part.enum)] : []
  })
  const [first, ...rest] = lists.map(
    (list) => new Map(list.filter((it) => it !== null).map((it) => [JSON.stringify(it), it]))
  )
  return first && new Map([...first].filter(([value]) => rest.every((it) => it.has(value))))
}

/** The subschemas of schemas that all apply. No schemas means that anything is allowed. */
function applicatorsOf(parts: JsonObject[]) {
  const said = (keyword: string) => parts.flatMap((part) => part[keyword] ?? [])
  const byName = (keyword: string) => said(keyword).filter(isObject)
  const asList = (schema: Json | undefined) => (schema === undefined || schema === true ? [] : [schema])
  const patternsOf = (part: JsonObject) => (isObject(part.patternProperties) ? part.patternProperties : {})
  return {
    /** The number of first items with their own schemas. */
    firstItems: Math.max(0, ...parts.map((part) => listOf(part.prefixItems).length)),
    /** The schemas of the item at an index. Without an index: of any item after the first ones. */
    itemsAt: (index = Number.POSITIVE_INFINITY) =>
      parts.flatMap((part) => asList(listOf(part.prefixItems)[index] ?? part.items)),
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
      parts.flatMap((part) => asList((pattern && patternsOf(part)[pattern]) || part.additionalProperties)),
    /** The schemas of a field that is not among the properties. */
    fieldsNamed: (name: string) =>
      parts.flatMap((part) => {
        const matching = Object.entries(patternsOf(part)).filter(([pattern]) => isNamedBy(pattern, name))
        return matching.length > 0 ? matching.map(([, schema]) => schema) : asList(part.additionalProperties)
      }),
    /** The schemas of other parts of a value, by the step that leads to them. */
    within: {
      '(name)': said('propertyNames'),
      '.(other)': said('unevaluatedProperties').flatMap(asList),
      '[other]': said('unevaluatedItems').flatMap(asList),
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
      .map((part) => ({ if: part.if as Json, then: asList(part.then), else: asList(part.else) })),
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

type Limited = {
  types: Set<string>
  values: Map<string, Json> | undefined
  bounds: Bounds
  factors: number[]
  required: Set<string>
}

/** Ranges with more integers are not listed. */
const mostListed = 1000

/** The same limits in one form: those of integers are inclusive, and implied ones are left out. */
export function withoutImplied<S extends Limited>(shape: S): S {
  const bounds = isInteger(shape) ? inclusive(shape.bounds) : new Map(shape.bounds)
  if ((bounds.get('min-properties') ?? 0) <= shape.required.size) bounds.delete('min-properties')
  if (!shape.values || ![...shape.values.values()].every((value) => typeof value !== 'object'))
    return { ...shape, bounds }
  const values = [...shape.values].filter(([, value]) => fits(value, bounds))
  for (const name of scalarBounds) bounds.delete(name)
  return { ...shape, bounds, values: new Map(values) }
}

/** A range of few integers, as a list of values. */
export function listed<S extends Limited>(shape: S): S {
  const [from, to] = [shape.bounds.get('min'), shape.bounds.get('max')]
  const isRange = isInteger(shape) && !shape.values && shape.factors.length === 0
  if (!isRange || from === undefined || to === undefined || to - from >= mostListed) return shape
  const values = new Map<string, Json>()
  for (let value = from; value <= to; value++) values.set(String(value), value)
  return { ...shape, values, bounds: new Map() }
}

/** A parameter or a form field is sent as text, so a schema that accepts any text also accepts numbers and booleans. */
export function asText(shape: Shape): Shape {
  if (!shape.types.has('string')) return shape
  return { ...shape, types: new Set([...shape.types, 'integer', 'number', 'boolean']) }
}

/** Whether a schema explicitly accepts lists or objects. */
export function takesLists({ types }: Limited): boolean {
  return types.size < 3 && (types.has('array') || types.has('object'))
}

export function takesEmptyText({ types, values, bounds, formats, patterns }: Shape): boolean {
  if (!types.has('string') || formats.length > 0 || patterns.length > 0) return false
  return values ? values.has('""') : !bounds.has('min-length')
}

const scalarBounds = ['min', 'max', 'exclusive-min', 'exclusive-max', 'min-length', 'max-length']

const isInteger = ({ types }: Limited) => types.size === 1 && types.has('integer')

function inclusive(original: Bounds): Bounds {
  const bounds = new Map(original)
  for (const name of scalarBounds.slice(0, 4)) bounds.delete(name)
  const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number
  const from = Math.max(original.get('min') ?? least, Math.floor(original.get('exclusive-min') ?? least) + 1)
  const to = Math.min(original.get('max') ?? most, Math.ceil(original.get('exclusive-max') ?? most) - 1)
  if (Number.isFinite(from)) bounds.set('min', Math.ceil(from))
  if (Number.isFinite(to)) bounds.set('max', Math.floor(to))
  return bounds
}

function fits(value: Json, bounds: Bounds): boolean {
  const at = (name: string, otherwise: number) => bounds.get(name) ?? otherwise
  if (typeof value === 'string') {
    const { length } = [...value]
    return length >= at('min-length', 0) && length <= at('max-length', Number.POSITIVE_INFINITY)
  }
  if (typeof value !== 'number') return true
  const isAbove = value >= at('min', value) && (!bounds.has('exclusive-min') || value > at('exclusive-min', 0))
  return isAbove && value <= at('max', value) && (!bounds.has('exclusive-max') || value < at('exclusive-max', 0))
}
