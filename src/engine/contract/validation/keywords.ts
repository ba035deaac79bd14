import type { ErrorObject } from 'ajv'
import { isObject, type Json, type JsonObject } from '../load.js'
import { note } from './formats.js'

export type Format = true | RegExp | ((value: never) => boolean) | { type?: string; validate: Format }

/** One check: a value, and the errors so far. */
export interface ValidationRun {
  context: unknown
  errors: ErrorObject[]
  path: string
  /** For the check of a name: the name. */
  name?: string
  /** The errors of recursive schemas so far, by value. */
  results: Map<SchemaCheck, Map<unknown, ErrorObject[]>>
  /** What of the value was checked so far. Absent: no schema asks. */
  evaluated: Evaluated | undefined
}

/** The fields of a value that schemas have checked, and the number of its items. */
export interface Evaluated {
  names: Set<string>
  items: number
}

export const nothingEvaluated = (): Evaluated => ({ names: new Set(), items: 0 })

export function addEvaluated(to: Evaluated | undefined, { names, items }: Evaluated): void {
  if (!to) return
  for (const name of names) to.names.add(name)
  to.items = Math.max(to.items, items)
}

/** Checks a value and adds its errors to those of the run. */
export type SchemaCheck = (value: unknown, run: ValidationRun) => void

export interface Maker {
  check(schema: Json): SchemaCheck
  reference(to: string): SchemaCheck
  formats: ReadonlyMap<string, Format>
  regExp(pattern: string): { test(text: string): boolean }
}

export function add(
  { errors, path, name }: ValidationRun,
  keyword: string,
  schema: Json,
  parentSchema: JsonObject,
  data: unknown,
  params: object,
  message: string
): void {
  const error: ErrorObject = {
    instancePath: path,
    schemaPath: `#/${keyword}`,
    keyword,
    params,
    message,
    schema: schema as never,
    parentSchema,
    data
  }
  errors.push(name === undefined ? error : { ...error, propertyName: name })
}

/** Creates the check of a schema that has any of the keywords. */
export type Keyword = (schema: JsonObject, maker: Maker) => SchemaCheck

/** The size of a value that a limit applies to; undefined: the limit is for values of another kind. */
type SizeOf = (value: unknown) => number | undefined
type IsWithin = (size: number, limit: number) => boolean

function limit(keyword: string, sizeOf: SizeOf, isWithin: IsWithin, text: string, more: object = {}) {
  const make: Keyword = (schema) => {
    const most = schema[keyword] as number
    const message = text.replace('$', String(most))
    return (value, run) => {
      const size = sizeOf(value)
      if (size === undefined || isWithin(size, most)) return
      add(run, keyword, most, schema, value, { ...more, limit: most }, message)
    }
  }
  return [[keyword], make] as const
}

const sizes: Record<string, SizeOf> = {
  characters: (value) => (typeof value === 'string' ? [...value].length : undefined),
  items: (value) => (Array.isArray(value) ? value.length : undefined),
  properties: (value) => (isObject(value) ? Object.keys(value).length : undefined)
}

const atMost: IsWithin = (size, most) => size <= most
const atLeast: IsWithin = (size, least) => size >= least

const number = (keyword: string, comparison: string, isWithin: IsWithin) =>
  limit(keyword, (it) => (typeof it === 'number' ? it : undefined), isWithin, `must be ${comparison} $`, { comparison })
const count = (keyword: string, kind: string) =>
  keyword.startsWith('max')
    ? limit(keyword, sizes[kind] as SizeOf, atMost, `must NOT have more than $ ${kind}`)
    : limit(keyword, sizes[kind] as SizeOf, atLeast, `must NOT have fewer than $ ${kind}`)

export const type: Keyword = (schema) => {
  const expected = schema.type as string | string[]
  const types = typesOf(schema)
  return (value, run) => {
    if (!types.some((it) => isOfType(it, value))) {
      add(run, 'type', expected, schema, value, { type: expected }, `must be ${expected}`)
    }
  }
}

function typesOf({ type = [], nullable }: JsonObject): string[] {
  return [type, nullable === true ? 'null' : []].flat() as string[]
}

function isOfType(name: string, value: unknown): boolean {
  switch (name) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === name
  }
}

// Decimals are not exact: 1.15 / 0.01 is 114.99999999999999.
const multipleOf: Keyword = (schema) => {
  const multiple = schema.multipleOf as number
  return (value, run) => {
    if (typeof value !== 'number') return
    const times = value / multiple
    if (Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.abs(times)) return
    add(run, 'multipleOf', multiple, schema, value, { multipleOf: multiple }, `must be multiple of ${multiple}`)
  }
}

const pattern: Keyword = (schema, { regExp }) => {
  const text = schema.pattern as string
  const expression = regExp(text)
  return (value, run) => {
    if (typeof value !== 'string' || expression.test(value)) return
    add(run, 'pattern', text, schema, value, { pattern: text }, `must match pattern "${text}"`)
  }
}

const format =
  (kind: 'string' | 'number'): Keyword =>
  (schema, { formats }) => {
    const name = schema.format as string
    const definition = formats.get(name)
    if (definition === undefined || definition === true) return () => {}
    const [formatKind, test] = testOf(definition)
    if (formatKind !== kind) return () => {}
    return (value, run) => {
      if (typeof value !== kind || test(value)) return
      add(run, 'format', name, schema, value, { format: name }, `must match format "${name}"`)
    }
  }

function testOf(definition: Format): [kind: string, test: (value: unknown) => boolean] {
  if (definition === true) return ['string', () => true]
  if (definition instanceof RegExp) return ['string', (value) => definition.test(value as string)]
  if (typeof definition === 'function') return ['string', definition as (value: unknown) => boolean]
  return [definition.type ?? 'string', testOf(definition.validate)[1]]
}

/** Whether two JSON values are equal. A field may be called toString, which general comparisons call. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => isEqual(item, b[at]))
  if (!isObject(a) || !isObject(b)) return a === b
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((it) => Object.hasOwn(b, it) && isEqual(a[it], b[it]))
}

const constant: Keyword = (schema) => (value, run) => {
  if (isEqual(value, schema.const)) return
  add(run, 'const', schema.const as Json, schema, value, { allowedValue: schema.const }, 'must be equal to constant')
}

const enumeration: Keyword = (schema) => {
  const allowedValues = schema.enum as Json[]
  const plain = new Set<unknown>(allowedValues)
  return (value, run) => {
    if (plain.has(value) || (typeof value === 'object' && allowedValues.some((it) => isEqual(it, value)))) return
    const message = 'must be equal to one of the allowed values'
    add(run, 'enum', allowedValues, schema, value, { allowedValues }, message)
  }
}

/** A field of a request or a row that is a file. */
const file: Keyword = (schema) => (value, run) => {
  if (typeof value === 'object' && value !== null && 'bytes' in value) return
  add(run, 'x-file', schema['x-file'] as Json, schema, value, {}, 'must pass "x-file" keyword validation')
}

const empty: Keyword = (schema) => {
  const ids = schema['x-null'] as string[]
  if (!Array.isArray(ids)) return () => {}
  return (value, { context }) => {
    if (value === null) note.call(context, ids, null)
  }
}

const assumed: Keyword = (schema) => {
  const ids = schema['x-assumed'] as string[]
  const documented = schema['x-documented'] as unknown[] | true | undefined
  // A rule reports when its own reply depends on the assumption.
  if (documented === true || !Array.isArray(ids)) return () => {}
  return (value, { context }) => note.call(context, ids, value, documented)
}

export const uniqueItems: Keyword = (schema) => {
  const types = isObject(schema.items) ? typesOf(schema.items) : []
  const isScalar = types.length > 0 && !types.includes('object') && !types.includes('array')
  return (value, run) => {
    if (schema.uniqueItems !== true || !Array.isArray(value)) return
    const [i, j] = (isScalar ? equalScalars(value, types) : equalItems(value)) ?? []
    if (i === undefined) return
    const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`
    add(run, 'uniqueItems', true, schema, value, { i, j }, message)
  }
}

/** The positions of two equal items, in the order in which ajv names them. */
function equalItems(values: unknown[]): [number, number] | undefined {
  for (let i = values.length - 1; i > 0; i--) {
    for (let j = i - 1; j >= 0; j--) if (isEqual(values[i], values[j])) return [i, j]
  }
  return undefined
}

function equalScalars(values: unknown[], types: string[]): [number, number] | undefined {
  const places = new Map<unknown, number>()
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i]
    if (!types.some((it) => isOfType(it, value))) continue
    const j = places.get(value)
    if (j !== undefined) return [i, j]
    places.set(value, i)
  }
  return undefined
}

/** Whether a value matches a schema. Errors are dropped, or added to `errors`. */
export function isValid(
  check: SchemaCheck,
  value: unknown,
  { context, path, name, results }: ValidationRun,
  errors: ValidationRun['errors'] = [],
  evaluated?: Evaluated
): boolean {
  const before = errors.length
  check(value, { context, errors, path, ...(name !== undefined && { name }), results, evaluated })
  return errors.length === before
}

/** The same for a schema that says more about the same value. */
export function isValidToo(
  check: SchemaCheck,
  value: unknown,
  run: ValidationRun,
  errors: ValidationRun['errors']
): boolean {
  const evaluated = run.evaluated && nothingEvaluated()
  const result = isValid(check, value, run, errors, evaluated)
  if (result && evaluated) addEvaluated(run.evaluated, evaluated)
  return result
}

export type Keywords = readonly (readonly [names: readonly string[], make: Keyword])[]

export const numbers: Keywords = [
  number('maximum', '<=', atMost),
  number('minimum', '>=', atLeast),
  number('exclusiveMaximum', '<', (value, most) => value < most),
  number('exclusiveMinimum', '>', (value, least) => value > least),
  [['multipleOf'], multipleOf],
  [['format'], format('number')]
]

export const strings: Keywords = [
  count('maxLength', 'characters'),
  count('minLength', 'characters'),
  [['pattern'], pattern],
  [['format'], format('string')]
]

export const values: Keywords = [
  [['const'], constant],
  [['enum'], enumeration]
]

export const marks: Keywords = [
  [['x-file'], file],
  [['x-null'], empty],
  [['x-assumed'], assumed]
]

export const lists: Keywords = [count('maxItems', 'items'), count('minItems', 'items')]

export const objects: Keywords = [count('maxProperties', 'properties'), count('minProperties', 'properties')]
