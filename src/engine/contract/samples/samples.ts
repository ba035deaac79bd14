import type { Faker } from '@faker-js/faker'
import type { JsonSchema } from 'json-schema-faker'
import { packed } from '../lazy.js'
import { type Documents, follow, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import type { CollectionRow, Operation } from '../model.js'
import { inMap } from '../once.js'
import { responseOf } from '../outcomes.js'
import { keywords } from '../schemas/keywords.js'
import { matches, nativeOf } from '../schemas/patterns.js'
import type { Validators } from '../validation/compile.js'
import { createFaker } from './faker.js'

export const people = [
  'Ada Lovelace',
  'Grace Hopper',
  'Alan Turing',
  'Mary Jackson',
  'Tim Berners-Lee',
  'Radia Perlman'
]
const nouns = ['amber', 'birch', 'canyon', 'delta', 'ember', 'fjord', 'garden', 'harbour', 'island', 'juniper']

/** Texts for fields with these names. */
const words: [RegExp, string[]][] = [
  [/e_?mail/i, ['ada@example.com', 'grace@example.com', 'alan@example.com', 'mary@example.com', 'tim@example.com']],
  [/^first_?name$/i, people.map((name) => name.split(' ')[0] as string)],
  [/^(last|sur)_?name$/i, people.map((name) => name.split(' ').at(-1) as string)],
  [
    /(full|user|display|owner|author|creator|person|guest|customer|contact)_?name$|^(owner|author|creator|assignee)$/i,
    people
  ],
  [/(company|organi[sz]ation|tenant)(_?name)?$/i, ['Acme', 'Globex', 'Initech', 'Umbrella', 'Hooli']],
  [/file_?name$/i, ['report.pdf', 'notes.md', 'budget.xlsx', 'contract.docx', 'photo.jpg']],
  [/(url|uri|link|href|website)$/i, nouns.map((noun) => `https://example.com/${noun}`)],
  [
    /(title|subject|headline|name|label)$/i,
    ['Spring launch', 'Weekly review', 'Hiring plan', 'Release notes', 'Customer feedback', 'Road map', 'Team offsite']
  ],
  [
    /(description|summary|about|bio|text|content|body|comment|note|message|prompt|instructions)$/i,
    ['A first draft.', 'Ready for review.', 'See the notes of Monday.', 'Nothing to add.', 'It works as before.']
  ],
  [/(city|town)$/i, ['Oslo', 'Lisbon', 'Kyoto', 'Nairobi', 'Quito']],
  [/country$/i, ['Norway', 'Portugal', 'Japan', 'Kenya', 'Ecuador']],
  [/(street|address)$/i, ['1 Main Street', '22 Park Lane', '7 Mill Road']],
  [/phone/i, ['+1 555 0100', '+1 555 0101', '+1 555 0102']],
  [/colou?r$/i, ['red', 'green', 'blue', 'orange', 'purple']],
  [/^currency(_?code)?$/i, ['EUR', 'USD', 'GBP']],
  [/(content|mime|media)_?type$/i, ['application/pdf', 'image/png', 'text/plain']],
  [/version$/i, ['1.0.0', '1.2.0', '2.0.1']]
]

/** Numbers in texts, such as the decimals of pydantic. */
const numbers = ['12.50', '8.00', '199.90', '42.00', '0.75']

/** Texts for formats that generators often get wrong. */
const texts = new Map([
  ['url', nouns.map((noun) => `https://example.com/${noun}`)],
  ['duration', ['PT15M', 'PT1H30M', 'P1D']],
  ['byte', nouns.map((noun) => btoa(noun))]
])

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const']

/** Prices and amounts have two decimals at most, which binary numbers show exactly. */
const decimals = [0.25, 0.5, 1]

/** The seconds of a year, for times in seconds. */
const seconds = { minimum: Date.UTC(2025, 0) / 1000, maximum: Date.UTC(2026, 0) / 1000 }

/** A text that fits the field's name. Numbers without bounds get a minimum of 0, and few decimals. Other schemas stay the same. */
function worded({ type, format, ...rest }: JsonObject, name: string): JsonObject {
  const types = [type].flat()
  const isNumber = types.some((it) => it === 'integer' || it === 'number')
  if (isNumber && !bounds.some((key) => rest[key] !== undefined)) {
    if (/^(unix|epoch|timestamp)/.test(`${format}`)) return seconds
    return types.includes('integer') ? { minimum: 1 } : { minimum: 0, multipleOf: decimals[0] as number }
  }
  const step = decimals.find((it) => Number.isInteger(it / Number(rest.multipleOf ?? it)))
  if (step !== undefined && types.includes('number') && rest.enum === undefined && rest.const === undefined) {
    const [low, high] = [rest.minimum ?? rest.exclusiveMinimum ?? 0, rest.maximum ?? rest.exclusiveMaximum ?? 2]
    return Number(high) - Number(low) > 1 ? { multipleOf: step } : {}
  }
  const formed = typeof format === 'string' ? texts.get(format) : undefined
  if (formed) return { enum: formed }
  const isText = types[0] === 'string' && (format === undefined || format === 'email')
  if (!isText || rest.enum !== undefined || rest.const !== undefined) return {}
  const [least, most] = [Number(rest.minLength ?? 0), Number(rest.maxLength ?? Number.POSITIVE_INFINITY)]
  const terms = words.find(([form]) => form.test(format === 'email' ? 'email' : name))?.[1] ?? nouns
  const { pattern } = rest
  const all = typeof pattern === 'string' ? [...terms, ...numbers].filter((text) => matches(pattern, text)) : terms
  const good = all.filter((text) => text.length >= least && text.length <= most)
  return good.length === 0 ? {} : { enum: good }
}

/** The deepest nesting of a generated value, and the most parts of its schema, which may refer to itself. */
const deepest = 6
const mostParts = 1500
/** The most values in a generated value. Creating 5,000 takes about 0.1 s and delays other requests. */
export const mostValues = 5000
/** This many characters take as long as one value. */
const charactersPerValue = 100
/** The largest sizes in a generated value. A schema may ask for billions. */
const limits = {
  minItems: mostValues,
  maxItems: mostValues,
  minLength: 100_000,
  maxLength: 100_000,
  minProperties: 100,
  maxProperties: 100,
  minContains: 100,
  maxContains: 100
}
const usualItems = 3
const usualLength = 255

let count = 0

/** A schema that a generator of values can use. */
interface BoundedSchema {
  schema: Json
  number: number
  /** The approximate highest number of values in its values. */
  values: number
  /** Whether its values are smaller than the given schema asks for. */
  isCut: boolean
}

/**
 * A schema that a generator of values can use: without references, of limited depth, and with a limited number of values.
 * Below the limit, optional fields are left out, lists are empty and nullable values are null. Texts get values that fit
 * their names.
 */
export function bounded(
  documents: Documents,
  root: Json,
  { isReply = false, most = mostValues }: { isReply?: boolean; most?: number } = {}
): BoundedSchema {
  let parts = 0
  /** How many values the schema creates so far. */
  let values = 0
  let isCut = false
  const schema = inner(root, 0, '')
  count += 1
  return { schema, number: count, values, isCut }

  function cut(): Json {
    isCut = true
    return { type: 'null' }
  }

  /** A schema whose values occur several times, as far as the budget allows. */
  function repeated(part: Json, limit: number, level: number, name: string): { schema: Json; times: number } {
    const before = values
    const schema = inner(part, level, name)
    const each = values - before
    const times = Math.max(1, Math.min(limit, Math.floor((most - before) / each)))
    values = before + each * times
    return { schema, times }
  }

  function inner(part: Json, depth: number, name: string): Json {
    parts += 1
    values += 1
    let value = part
    let level = depth
    while (isObject(value) && typeof value.$ref === 'string') {
      const { $ref, ...others } = value
      const target = follow(documents, $ref)
      value = isObject(target) ? { ...target, ...others } : target
      level += 1
      if (level > 4 * deepest) return cut()
    }
    if (value === true || (isObject(value) && !Object.keys(value).some((key) => !says.has(key)))) {
      return level === 0
        ? { type: 'object', additionalProperties: false }
        : { type: 'string', ...worded({ type: 'string' }, name) }
    }
    if (!isObject(value)) return value
    if (parts > 4 * mostParts || values > 2 * most) return cut()
    const isDeep = level >= deepest || parts > mostParts || values > most
    const { properties, items, anyOf, oneOf, allOf, additionalProperties, prefixItems, propertyNames, ...others } =
      value
    const rest = Object.fromEntries(Object.entries(others).filter(([key]) => plain.has(key)))
    const branches = [anyOf, oneOf].find(Array.isArray)
    if (branches) {
      const none = branches.find((it) => isObject(it) && it.type === 'null')
      if (isDeep && none) return { type: 'null' }
      const [first = {}, ...others] = branches.filter((it) => it !== none)
      const hasFields = isObject(properties) || rest.required !== undefined || allOf !== undefined
      if (!hasFields) return inner({ ...rest, ...(isObject(first) ? first : {}) }, level, name)
      const whole = { ...rest, ...(isObject(properties) && { properties: withoutOthers(value, first, others) }) }
      return inner({ ...whole, allOf: [...((allOf ?? []) as Json[]), first] }, level, name)
    }
    if (isDeep && [rest.type].flat().includes('null')) return { type: 'null' }
    if (Array.isArray(allOf))
      return inner(merged(documents, { ...rest, ...(properties && { properties }) }, allOf), level, name)
    const result: JsonObject = { ...rest, ...worded(rest, name), ...sized(rest) }
    // A list of rows shows each of few values, and not one default.
    if (rest.enum || [rest.type].flat().includes('boolean')) delete result.default
    const { minProperties: fewest = 0 } = result as { minProperties?: number }
    const additional = (schema: Json, inside = level + 1): Json => {
      const it = repeated(schema, Math.max(fewest, usualItems), inside, name)
      if (it.times < fewest) result.minProperties = it.times
      isCut ||= it.times < fewest
      return it.schema
    }
    if (isObject(properties)) {
      const required = (rest.required ?? []) as string[]
      const entries = Object.entries(properties).filter(
        ([field, it]) => (!isDeep || required.includes(field)) && !(isReply && isObject(it) && it.writeOnly === true)
      )
      const unknown = additionalProperties === false ? [] : required.filter((it) => !Object.hasOwn(properties, it))
      const all = [...entries, ...unknown.map((field) => [field, {}] as const)]
      result.properties = Object.fromEntries(all.map(([field, it]) => [field, inner(it, level + 1, field)]))
      result.type ??= 'object'
    }
    if (isObject(propertyNames)) Object.assign(result, record(propertyNames, additionalProperties, additional, isDeep))
    else if (isObject(additionalProperties)) {
      result.additionalProperties = isDeep && fewest === 0 ? false : additional(additionalProperties)
    } else if (isObject(properties) && Number(rest.minProperties ?? 0) <= Object.keys(properties).length)
      result.additionalProperties = false
    else if (additionalProperties !== undefined) result.additionalProperties = additionalProperties
    if (isObject(value.patternProperties)) {
      const all = Object.entries(value.patternProperties)
      result.patternProperties = Object.fromEntries(all.map(([pattern, it]) => [pattern, additional(it)]))
    }
    if (Array.isArray(prefixItems)) result.prefixItems = prefixItems.map((it) => inner(it, level + 1, name))
    if (value.contains !== undefined) {
      const it = repeated(value.contains, Number(result.minContains ?? 1), level + 1, name)
      Object.assign(result, { contains: it.schema, ...(rest.minContains !== undefined && { minContains: it.times }) })
    }
    if (items !== undefined) {
      const least = Number(result.minItems ?? 0)
      const usual = Math.max(least, Math.min(Number(rest.maxItems ?? usualItems), isDeep ? 0 : level === 0 ? 3 : 2))
      const { schema, times } = usual === 0 ? { schema: true, times: 0 } : repeated(items, usual, level + 1, name)
      Object.assign(result, { items: schema, maxItems: times, ...(times < least && { minItems: times }) })
      isCut ||= times < least
    }
    return result
  }

  /** The sizes and the pattern of a schema, as far as the budget allows. */
  function sized(schema: JsonObject): JsonObject {
    const result: JsonObject = {}
    for (const [key, limit] of Object.entries(limits)) {
      const size = schema[key]
      if (typeof size !== 'number') continue
      result[key] = Math.min(size, limit)
      isCut ||= size > limit && key.startsWith('min')
    }
    const { minLength = 0, maxLength } = result as { minLength?: number; maxLength?: number }
    if (maxLength !== undefined) result.maxLength = Math.max(minLength, Math.min(maxLength, usualLength))
    let length = minLength
    if (typeof schema.pattern === 'string') {
      result.pattern = schema.pattern.replace(/\{(\d+),(\d+)\}/g, (_, least, highest) => {
        return `{${least},${Math.min(Number(highest), Number(least) + usualLength)}}`
      })
      length = Math.max(length, repeats(result.pattern as string))
      if (length > limits.minLength || !nativeOf(schema.pattern.replaceAll('(?P<', '(?<'))) result.pattern = ''
    }
    const said = [schema.const, schema.default, ...((schema.enum ?? []) as Json[])].filter((it) => it !== undefined)
    for (const it of said) length = Math.max(length, JSON.stringify(it).length)
    values += Math.floor(Math.min(length, limits.minLength) / charactersPerValue)
    return result
  }

  /** The fields of an object whose names have a schema: an enum of them, or a pattern. */
  function record(keys: JsonObject, additional: Json = {}, bound: (schema: Json) => Json, isDeep: boolean): JsonObject {
    const { enum: choices, pattern } = schemaOf(documents, keys)
    if (isDeep) return { additionalProperties: false }
    const field = bound(additional)
    if (Array.isArray(choices)) {
      return { properties: Object.fromEntries(choices.map((it) => [String(it), field])), additionalProperties: false }
    }
    return typeof pattern === 'string' ? { patternProperties: { [pattern]: field } } : { additionalProperties: field }
  }
}

/** The properties of a schema without those that only other branches ask for. */
function withoutOthers({ properties, required, oneOf }: JsonObject, first: Json, others: Json[]): JsonObject {
  const requiredIn = (it: Json) => (isObject(it) && Array.isArray(it.required) ? it.required : [])
  const names = new Set([...requiredIn({ required: required ?? [] }), ...requiredIn(first)])
  const otherNames = new Set(oneOf ? others.flatMap(requiredIn).filter((it) => !names.has(it)) : [])
  return Object.fromEntries(Object.entries(properties as JsonObject).filter(([name]) => !otherNames.has(name)))
}

/** Merges the schemas that a schema is composed of into one. */
function merged(documents: Documents, start: JsonObject, parts: Json[]): JsonObject {
  let result: JsonObject = start
  for (const part of parts) {
    let value = part
    while (isObject(value) && typeof value.$ref === 'string') value = follow(documents, value.$ref)
    if (!isObject(value)) continue
    const whole = Array.isArray(value.allOf) ? merged(documents, { ...value, allOf: [] }, value.allOf) : value
    const { allOf: _, ...fields } = whole
    result = {
      ...fields,
      ...result,
      properties: bothOf(allowedBy(result, fields.properties), allowedBy(fields, result.properties)),
      required: [...((fields.required ?? []) as string[]), ...((result.required ?? []) as string[])]
    }
    if (Object.keys(result.properties as JsonObject).length === 0) delete result.properties
  }
  const { allOf: _, ...rest } = result
  return rest
}

/** Keywords that do not restrict the value. */
const says = new Set(['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'nullable'])

/** Keywords that are not schemas, and that the generator of values may see. */
const plain = new Set([
  ...[...keywords].filter(([, { schemas }]) => schemas === undefined).map(([name]) => name),
  ...['const', 'default', 'uniqueItems', 'minContains', 'maxContains', 'nullable']
])

/** How long a text that matches a pattern may have to be. The generator repeats a group with * or + up to five times. */
function repeats(pattern: string): number {
  const counts = [...pattern.matchAll(/\)[*+]|\{(\d+)/g)].map(([, count = '5']) => Math.max(1, Number(count)))
  return counts.reduce((product, count) => product * count, 1)
}

/** The fields of a schema that another one allows, too. */
function allowedBy(
  { additionalProperties, patternProperties, properties = {} }: JsonObject,
  fields: Json = {}
): JsonObject {
  const isClosed = additionalProperties === false && patternProperties === undefined
  return Object.fromEntries(
    Object.entries(fields as JsonObject).filter(([name]) => !isClosed || Object.hasOwn(properties as JsonObject, name))
  )
}

/** A field that two schemas have must meet both. */
function bothOf(some: JsonObject = {}, others: JsonObject = {}): JsonObject {
  const shared = Object.keys(some).filter((name) => Object.hasOwn(others, name))
  const both = shared.map((name) => [name, { allOf: [some[name] as Json, others[name] as Json] }])
  return { ...some, ...others, ...Object.fromEntries(both) }
}

/** The attempts at a valid value. No generator knows every keyword, so the last is used even if it is invalid. */
const tries = 5
/** The most values in a generated row, and in the values generated for missing fields of a row. A list has many. */
const mostOfRow = 1000
const mostOfPart = 100
/** How many values the cache keeps. Creating one takes a hundred times as long as sending it. */
const mostKept = 40 * mostValues

/** Generates values for schemas. The same seed gives the same value. */
export interface Samples {
  sampleOf(operation: Operation, status: number, seed: number): Json
  /** A row for a collection. Its references may not exist. */
  sampleRow(collection: string, seed: number): Json
  /** How many different rows are generated for a collection. */
  varietyOf(collection: string): number
  /** A value that a schema allows. Different numbers give different values, unless that takes too long. */
  sample(schema: JsonObject, seed: number, number: number): Json
  /** Why generated bodies of a response are smaller than its schema asks for. Undefined if they are not. */
  whyCut(operation: Operation, status: number): string | undefined
}

export function createSamples(
  documents: Documents,
  validators: Validators,
  collections: Map<string, CollectionRow>
): Samples {
  const bounds = new Map<string | JsonObject, BoundedSchema>()
  const boundsOf = (key: string | JsonObject, ...of: [Json, Parameters<typeof bounded>[2]]) =>
    inMap(bounds, key, () => bounded(documents, ...of))
  const rowBounds = (name: string, seed = 0) => {
    const { row, kinds = [row] } = collections.get(name) as CollectionRow
    const kind = seed % kinds.length
    return boundsOf(`${name} ${kind}`, kinds[kind] as JsonObject, { most: mostOfRow })
  }
  /** In the order of their creation. */
  const cache = new Map<string, { value: Json; size: number }>()
  let size = 0
  const once = (key: string, { values }: BoundedSchema, make: () => Json): Json => {
    const entry = cache.get(key)
    if (entry) return entry.value
    const value = make()
    cache.set(key, { value, size: values })
    size += values
    for (const [oldest, it] of cache) {
      if (size <= mostKept) break
      cache.delete(oldest)
      size -= it.size
    }
    return value
  }
  return {
    sampleOf(operation, status, seed) {
      const key = `${operation.id} ${status}`
      const schema = boundsOf(key, responseOf(operation, status)?.schema ?? {}, { isReply: true })
      const isValid = validators.reply(operation, status)
      return once(`${key} ${seed}`, schema, () => make(schema, seed, (it) => isValid.call(new Set(), it) === true))
    },
    sampleRow(name, seed) {
      const collection = collections.get(name) as CollectionRow
      const isValid = validators.row(collection)
      const schema = rowBounds(name, seed)
      return once(`${name} ${seed}`, schema, () => make(schema, seed, (it) => isValid.call(undefined, it) === true))
    },
    varietyOf: (name) => varietyOf(rowBounds(name)),
    sample(source, base, number) {
      const schema = boundsOf(source, source, { most: mostOfPart })
      const seed = base ^ (number % varietyOf(schema))
      return once(`${schema.number} ${seed}`, schema, () => make(schema, seed, () => true))
    },
    whyCut: ({ id }, status) => (bounds.get(`${id} ${status}`)?.isCut ? whyCut : undefined)
  }
}

function varietyOf({ values }: BoundedSchema): number {
  return Math.max(1, Math.floor((2 * mostValues) / values))
}

const whyCut = `The schema asks for a larger value than the mock makes up (${mostValues} values, and a limited depth), so this one is cut. Give the response an example, or a rule.`

function make({ schema, isCut }: BoundedSchema, seed: number, isValid: (value: Json) => boolean): Json {
  const { generateSync } = packed('sampler') as typeof import('json-schema-faker')
  faker ??= createFaker('2026-01-01')
  let room = 2 * mostValues
  const options = {
    alwaysFakeOptionals: true,
    maxDefaultItems: 3,
    maxDepth: 20,
    extensions: { faker },
    outputTransform(value: unknown) {
      room -= 1
      if (room < 0) throw new Error('too many values')
      return value
    }
  }
  let value: Json = null
  // Another attempt at a value that is cut is cut, too.
  for (let attempt = 0; attempt < (isCut ? 1 : tries) && room > 0; attempt++) {
    faker.seed((seed + attempt) >>> 0)
    try {
      // A default may be wrong.
      const useDefaultValue = attempt === 0
      value = generateSync(schema as JsonSchema, { ...options, useDefaultValue, seed: (seed + attempt) >>> 0 }) as Json
    } catch {
      // The generator does not know every keyword.
    }
    if (isValid(value)) break
  }
  return value
}

let faker: Faker | undefined
