import { type Documents, follow, isObject, type JsonObject } from '../load.js'
import type { Coercion, RawInput, Typed } from '../model.js'
import { readDateTime, readTimestamp } from './datetime.js'
import { readBoolean, readInteger, readNumber, readUuid } from './scalars.js'

export type Coerce = (raw: RawInput) => RawInput

/** Converts one value. A value that cannot be converted is returned unchanged; the check then reports it. */
type Convert = (value: unknown) => unknown

/** Converts texts to numbers and identifiers to one form. `undefined` means there is nothing to convert. */
export function createCoercion(documents: Documents, operation: Typed, coercion: Coercion): Coerce {
  const build = (part: keyof RawInput, lax = true) => {
    const schema = operation.input[part]
    const convert = schema && converter({ documents, converters: new Map(), depth: 0 }, schema, lax)
    return <Part>(value: Part): Part => (convert ? (convert(value) as Part) : value)
  }
  const [path, query, header, cookie] = [build('path'), build('query'), build('header'), build('cookie')]
  const body = build('body', operation.form || coercion === 'lax')
  return (raw) => {
    const input: RawInput = { path: path(raw.path), query: query(raw.query), body: body(raw.body) }
    if (raw.header) input.header = header(raw.header)
    if (raw.cookie) input.cookie = cookie(raw.cookie)
    return input
  }
}

/** The targets of references and their converters. A schema may refer to itself. */
interface ConverterContext {
  documents: Documents
  converters: Map<string, { convert: Convert | undefined }>
  /** The number of references that lead to the current converter. */
  depth: number
}

/** Behind more references than that, converters are created on first use. Thousands of schemas are deeper than the stack. */
const deepest = 50

function converter(of: ConverterContext, schema: JsonObject, lax: boolean): Convert | undefined {
  if (typeof schema.$ref === 'string') return referred(of, schema.$ref, lax)
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as JsonObject[] | undefined
  if (branches) return converter(of, branches.find((it) => it.type !== 'null') ?? {}, lax)
  if (Array.isArray(schema.allOf)) return inTurn(of, schema as JsonObject & { allOf: JsonObject[] }, lax)
  // Documents may leave out a type.
  switch (mainType(schema) ?? (isObject(schema.properties) ? 'object' : undefined)) {
    case 'object':
      return objectConverter(of, schema, lax)
    case 'array': {
      const item = isObject(schema.items) ? converter(of, schema.items, lax) : undefined
      return item && ((value) => (Array.isArray(value) ? value.map(item) : value))
    }
    case 'string':
      return textConverter(schema.format, lax)
    case 'integer':
      return lax ? fromBoolean(orSame(readInteger)) : undefined
    case 'number':
      return lax ? fromBoolean(orSame(readNumber)) : undefined
    case 'boolean':
      return lax ? (value) => (value === 1 ? true : value === 0 ? false : orSame(readBoolean)(value)) : undefined
    default:
      return undefined
  }
}

function referred(of: ConverterContext, reference: string, lax: boolean): Convert | undefined {
  const entry = of.converters.get(reference)
  if (entry) return (value) => (entry.convert ? entry.convert(value) : value)
  const newEntry: { convert: Convert | undefined } = { convert: undefined }
  of.converters.set(reference, newEntry)
  const make = (depth: number) => converter({ ...of, depth }, follow(of.documents, reference) as JsonObject, lax)
  if (of.depth < deepest) {
    newEntry.convert = make(of.depth + 1)
    return newEntry.convert
  }
  newEntry.convert = (value) => {
    newEntry.convert = make(0)
    return newEntry.convert ? newEntry.convert(value) : value
  }
  return (value) => (newEntry.convert ? newEntry.convert(value) : value)
}

/** A schema that is composed of others: each converts in turn. */
function inTurn(
  of: ConverterContext,
  { allOf, ...rest }: JsonObject & { allOf: JsonObject[] },
  lax: boolean
): Convert | undefined {
  const converts = [rest, ...allOf].flatMap((it) => converter(of, it, lax) ?? [])
  return converts.length === 0 ? undefined : (value) => converts.reduce((result, convert) => convert(result), value)
}

function objectConverter(of: ConverterContext, schema: JsonObject, lax: boolean): Convert | undefined {
  const fields = new Map<string, Convert>()
  for (const [name, field] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    const convert = converter(of, field as JsonObject, lax)
    if (convert) fields.set(name, convert)
  }
  const rest = isObject(schema.additionalProperties) ? converter(of, schema.additionalProperties, lax) : undefined
  if (fields.size === 0 && !rest) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    // Own properties are copied as own properties, so that a field named __proto__ stays a field.
    const result: JsonObject = { ...value }
    for (const [name, convert] of fields) {
      if (Object.hasOwn(result, name)) result[name] = convert(result[name]) as JsonObject[string]
    }
    if (rest) {
      for (const name of Object.keys(result)) {
        if (name !== '__proto__' && !fields.has(name)) result[name] = rest(result[name]) as JsonObject[string]
      }
    }
    return result
  }
}

function textConverter(format: unknown, lax: boolean): Convert | undefined {
  if (format === 'uuid') return orSame((text) => asText(readUuid(text)))
  if (format !== 'date-time') return undefined
  return (value) =>
    typeof value === 'number' && lax
      ? (readTimestamp(value) ?? value)
      : orSame((text) => asText(readDateTime(text, lax)))(value)
}

function asText(result: string | { reason: string }): string | undefined {
  return typeof result === 'string' ? result : undefined
}

function orSame(read: (text: string) => unknown): Convert {
  return (value) => (typeof value === 'string' ? (read(value) ?? value) : value)
}

/** pydantic treats true as the number 1. */
function fromBoolean(convert: Convert): Convert {
  return (value) => (typeof value === 'boolean' ? Number(value) : convert(value))
}

/** The type of a schema that may also take null. */
export function mainType(schema: JsonObject): string | undefined {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return types.find((type) => type !== 'null') as string | undefined
}
