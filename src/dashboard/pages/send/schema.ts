import { count } from '../parts/text.js'

/** A JSON Schema. What is not listed here is a bound, or is not shown. */
export interface JsonSchema {
  [keyword: string]: unknown
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  enum?: unknown[]
  format?: string
  examples?: unknown[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  'x-assumed'?: string[]
}

export type Schemas = Record<string, JsonSchema | undefined>

export interface SchemaField {
  name: string
  type: string
  isRequired: boolean
  isNullable: boolean
  bounds: string[]
  description: string
  /** The assumptions that decide it. */
  assumed: string[]
  /** The fields in it. A schema may contain itself, so they are read when they are shown. */
  inner: () => SchemaField[]
}

/** A schema that is a list of itself has no end. */
const deepest = 5

/** The fields that a request does not have, or an answer. */
type Absent = 'readOnly' | 'writeOnly'

/** The fields of an object, of the items of a list, or the variants of a schema. */
export function fieldsIn(schema: JsonSchema, schemas: Schemas, absent: Absent, depth = 0): SchemaField[] {
  const { oneOf, items, properties = {}, required = [], additionalProperties: more } = whole(schema, schemas)
  const field = (name: string, it: JsonSchema) => fieldOf(name, it, schemas, required.includes(name), absent)
  if (oneOf) return oneOf.map((it) => field(typeOf(it, schemas), it))
  if (items) return depth < deepest ? fieldsIn(items, schemas, absent, depth + 1) : []
  const shown = Object.entries(properties).filter(([, it]) => !whole(it, schemas)[absent])
  const fields = shown.map(([name, it]) => field(name, it))
  const isOpen = typeof more === 'object' && Object.keys(more).length > 0
  return isOpen ? [...fields, field('any name', more)] : fields
}

export function fieldOf(
  name: string,
  schema: JsonSchema,
  schemas: Schemas,
  isRequired = false,
  absent: Absent = 'readOnly'
): SchemaField {
  const all = whole(schema, schemas)
  const items = all.items ? whole(all.items, schemas) : {}
  return {
    name,
    type: typeOf(schema, schemas),
    isRequired,
    isNullable: [all.type].flat().includes('null') || all.enum?.includes(null) === true,
    bounds: [...boundsOf(all), ...boundsOf(items)],
    description: all.description ?? items.description ?? '',
    assumed: [...new Set([...(all['x-assumed'] ?? []), ...(items['x-assumed'] ?? [])])],
    inner: () => fieldsIn(all, schemas, absent)
  }
}

/** A schema joined with what it refers to, its `allOf`, and its only variant apart from null. */
export function whole(schema: JsonSchema, schemas: Schemas, depth = 0): JsonSchema {
  if (depth > 4 * deepest) return {}
  const { $ref, allOf = [], anyOf, oneOf = anyOf ?? [], ...own } = schema
  const variants = oneOf.filter(({ type }) => type !== 'null')
  const target = $ref === undefined ? [] : [{ title: $ref.split('/').pop(), ...targetOf($ref, schemas) }]
  const parts = [...target, ...allOf, ...(variants.length === 1 ? variants : [])].map((it) =>
    whole(it, schemas, depth + 1)
  )
  const joined: JsonSchema = {}
  for (const part of [...parts, own]) {
    const { properties, required = [], 'x-assumed': assumed = [] } = joined
    Object.assign(joined, part, {
      properties: { ...properties, ...part.properties },
      required: [...required, ...(part.required ?? [])],
      'x-assumed': [...assumed, ...(part['x-assumed'] ?? [])]
    })
  }
  if (variants.length > 1) joined.oneOf = variants
  if (variants.length < oneOf.length) joined.type = [...[joined.type ?? []].flat(), 'null']
  return joined
}

function typeOf(schema: JsonSchema, schemas: Schemas, depth = 0): string {
  const { oneOf, items, properties = {}, format, title, ...all } = whole(schema, schemas)
  const [value = all.const] = all.enum ?? []
  const types = [all.type ?? []].flat().filter((it) => it !== 'null')
  if (oneOf) return depth < deepest ? oneOf.map((it) => typeOf(it, schemas, depth + 1)).join(' or ') : 'any'
  if (types.length === 0 && items) types.push('array')
  if (types.length === 0 && Object.keys(properties).length > 0) types.push('object')
  if (types.length === 0 && value !== undefined) types.push(typeof value)
  const names = types.map((type) => {
    if (type === 'array') return depth < deepest ? `${typeOf(items ?? {}, schemas, depth + 1)}[]` : 'array'
    if (type === 'object' && title !== undefined) return title
    return format === undefined || type === 'null' ? type : `${type} ${format}`
  })
  return names.join(' or ') || 'any'
}

const bounds: Record<string, (value: unknown) => string> = {
  deprecated: (value) => (value ? 'deprecated' : ''),
  minimum: (value) => `at least ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMaximum: (value) => `less than ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  minLength: (value) => `at least ${count(Number(value), 'character')}`,
  maxLength: (value) => `at most ${count(Number(value), 'character')}`,
  minItems: (value) => `at least ${count(Number(value), 'item')}`,
  maxItems: (value) => `at most ${count(Number(value), 'item')}`,
  pattern: (value) => `matches ${value}`,
  enum: (values) => `one of ${(values as unknown[]).filter((it) => it !== null).join(', ')}`,
  const: (value) => `always ${JSON.stringify(value)}`,
  default: (value) => `default ${JSON.stringify(value)}`
}

function boundsOf(schema: JsonSchema): string[] {
  const all = Object.entries(bounds).map(([name, say]) => ((schema[name] ?? null) === null ? '' : say(schema[name])))
  return all.filter(Boolean)
}

/** The target of a reference, which is a schema or a part of one. */
export function targetOf($ref: string, schemas: Schemas = {}): JsonSchema {
  const parts = $ref.split('/').slice(3)
  return parts.reduce(
    (at, part) => (at[part.replaceAll('~1', '/').replaceAll('~0', '~')] ?? {}) as JsonSchema,
    schemas as JsonSchema
  )
}

/** The texts are the names of its fields, its statuses, its descriptions and examples. */
type Part = { texts: string[]; assumed: string[]; refs: string[] }

const parts = new WeakMap<object, Part>()

/** A part of a document without the schemas that it refers to. */
function partOf(value: object): Part {
  const part: Part = parts.get(value) ?? { texts: [], assumed: [], refs: [] }
  if (parts.has(value)) return part
  JSON.stringify(value, (key, it) => {
    if (key === '$ref') part.refs.push(it)
    else if (key === 'x-assumed') part.assumed.push(...it)
    else if (key === 'properties') part.texts.push(...Object.keys(it).map((name) => `field ${name}`))
    else if (key === 'responses') part.texts.push(...Object.keys(it).map((status) => `status ${status}`))
    else if (key === 'description' && typeof it === 'string') part.texts.push(aboutIn(it))
    else if (typeof it === 'string' && !['type', 'format', 'in', 'pattern'].includes(key)) part.texts.push(it)
    return it
  })
  parts.set(value, part)
  return part
}

/** A part of a document, and all that it refers to. */
export function reached(value: object, schemas: Schemas): Part[] {
  const values = new Set([value])
  for (const it of values) for (const ref of partOf(it).refs) values.add(targetOf(ref, schemas))
  return [...values].map(partOf)
}

/** A description without what the document appends to it: the number of the operation, and its assumptions. */
export function aboutIn(description: string): string {
  const end = description.search(/\*E\d+ of the description\.\*|\*\*What the description leaves open here/)
  return end < 0 ? description : description.slice(0, end)
}

/** Where the words are in a document: all in one text, or each a part of the name of a field or a status. */
export function placeOf(words: readonly string[], value: object, schemas: Schemas): string | undefined {
  const texts = reached(value, schemas).flatMap((it) => it.texts)
  // Names come before descriptions.
  const names = texts.filter((text) => /^(field |status )?\S+$/.test(text))
  const best = (texts: readonly string[], words: readonly string[]) =>
    texts.find((text) => words.every((word) => text.toLowerCase().includes(word)))
  const text =
    best(names, words) ??
    best(
      texts.toSorted((a, b) => a.length - b.length),
      words
    )
  if (text === undefined) {
    const hits = words.map((word) => best(names, [word]))
    return hits.includes(undefined) ? undefined : [...new Set(hits)].join(', ')
  }
  const start = text.length < 50 ? 0 : text.toLowerCase().indexOf(words[0] as string) - 16
  return text.slice(Math.max(0, start)).slice(0, 60)
}

const samples: Record<string, string> = {
  'date-time': '2026-03-02T10:00:00Z',
  date: '2026-03-02',
  uuid: '3f2b7c1e-5d4a-4c6b-9e8f-1a2b3c4d5e6f',
  email: 'ada@example.com',
  uri: 'https://example.com/'
}

/** A value of a schema: its example, or a plain one. A request has only the fields that are required or have an example. */
export function sampleOf(schema: JsonSchema, schemas: Schemas, absent: Absent, depth = 0): unknown {
  const { oneOf, items, properties = {}, required = [], ...all } = whole(schema, schemas)
  const { enum: values = [], examples = [] } = all
  const [exact] = [all.example, ...examples, all.default, all.const, ...values].filter((it) => it !== undefined)
  if (exact !== undefined || depth > deepest) return exact ?? null
  const sample = (it: JsonSchema) => sampleOf(it, schemas, absent, depth + 1)
  if (oneOf?.[0]) return sample(oneOf[0])
  const [type] = [all.type ?? (items ? 'array' : 'object')].flat()
  if (type === 'array') return items ? [sample(items)] : []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return all.minimum ?? 1
  if (type === 'string') return samples[all.format ?? ''] ?? 'text'.padEnd(Number(all.minLength ?? 0), '.')
  const isWhole = absent === 'writeOnly' && depth < 2
  const isIn = ([name, it]: [string, JsonSchema]) =>
    !whole(it, schemas)[absent] &&
    (isWhole || required.includes(name) || it.example !== undefined || it.examples !== undefined)
  return Object.fromEntries(Object.entries(properties).flatMap((it) => (isIn(it) ? [[it[0], sample(it[1])]] : [])))
}
