import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { CollectionRow, InputError, OpenApiDocument, Operation } from '../model.js'
import { eachSchema } from '../schemas/schemas.js'

/** Removes secrets (`x-secret`) from the messages of one operation. */
export interface Redaction {
  /** Whether its requests contain secrets. Otherwise `request` does nothing. */
  takesSecrets: boolean
  /** The body of a request, as JSON. Unknown fields are hidden too, because a misspelt secret is still a secret. */
  request(body: unknown): unknown
  /** The body of a reply, as JSON. A body without secrets is returned unchanged. */
  reply(body: unknown): unknown
  /** A problem of a request, without the secrets in its `input`. */
  problem(problem: InputError): InputError
}

/** What replaces a secret. */
export const blanked = '***'

/** The secrets in a value, according to its schemas. */
interface Shape {
  secret: boolean
  /** A file. The journal keeps no file contents. */
  file: boolean
  /** Whether it may have undescribed fields. */
  free: boolean
  fields: Map<string, Shape>
  items: Shape | undefined
  /** The fields that are secret or contain secrets. */
  hiding: string[]
}

/** The redaction of each operation. Undefined if its messages contain no secrets. */
export function createRedactions(documents: Documents): (operation: Operation) => Redaction | undefined {
  const made = new Map<Operation, Redaction | undefined>()
  return (operation) => {
    if (!made.has(operation)) made.set(operation, redactionOf(documents, operation))
    return made.get(operation)
  }
}

/** Removes the secrets from a row of a collection. */
export function createRowRedaction(
  documents: Documents,
  { row, resource }: CollectionRow
): (value: JsonObject) => JsonObject {
  if (resource.startsWith('own-')) return (value) => value
  const shape = shapeOf(documents, [row])
  return hides(shape) ? (value) => open(value, shape) as JsonObject : (value) => value
}

/** The documents of a contract. */
type Described = { documents: Documents; own: readonly OpenApiDocument[] }

const shapes = new WeakMap<Described, Map<string, Shape>>()

/** Any JSON without what the contracts mark as secret. Fields are found by name, because it may come from any operation. */
export function withoutSecrets(contract: Described, value: unknown): unknown {
  let fields = shapes.get(contract)
  if (!fields) {
    fields = secretFields(contract)
    shapes.set(contract, fields)
  }
  return hidden(value, fields)
}

function hidden(value: unknown, fields: Map<string, Shape>): unknown {
  if (Array.isArray(value)) return value.map((item) => hidden(item, fields))
  if (!isObject(value)) return value
  const isWrong = isProblem(value) && value.loc.some((step) => fields.has(String(step)))
  return mapFields(value, (field, name) => {
    const shape = fields.get(name)
    return shape ? open(field, shape) : isWrong && name === 'input' ? blank(field) : hidden(field, fields)
  })
}

function secretFields({ documents, own }: Described): Map<string, Shape> {
  const fields = new Map<string, Shape>()
  const walk = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(walk)
    if (!isObject(value)) return
    for (const [name, field] of Object.entries((value.properties ?? {}) as JsonObject)) {
      const shape = shapeOf(documents, [field])
      if (hides(shape) && !fields.get(name)?.secret) fields.set(name, shape)
    }
    for (const item of Object.values(value)) walk(item)
  }
  const keys = own.map(({ key }) => key)
  for (const [key, document] of Object.entries(documents)) if (!keys.includes(key)) walk(document)
  const parts = own.flatMap(({ operations, collections }) => [
    ...operations.flatMap(schemasOf),
    ...collections.map(({ row }) => row)
  ])
  for (const name of secretsIn(documents, parts)) fields.set(name, undescribed)
  return fields
}

function redactionOf(documents: Documents, operation: Operation): Redaction | undefined {
  const { input, responses, own } = operation
  if (own) return documentRedaction(documents, operation)
  const request = shapeOf(documents, [{ type: 'object', properties: input as JsonObject }])
  const reply = shapeOf(
    documents,
    Object.values(responses).flatMap(({ schema }) => schema ?? [])
  )
  const takesSecrets = hides(request)
  if (!takesSecrets && !hides(reply)) return undefined
  const problem = (it: InputError): InputError => ({ ...it, input: closed(it.input, at(request, it.loc)) })
  return {
    takesSecrets,
    request: (body) => closed(body, request.fields.get('body') ?? undescribed),
    reply: (body) =>
      takesSecrets && isObject(body) && Array.isArray(body.detail)
        ? { ...body, detail: body.detail.map((item) => (isProblem(item) ? problem(item) : item)) }
        : open(body, reply),
    problem: (it) => (takesSecrets ? problem(it) : it)
  }
}

/** Whether this is an item of a ValidationError that repeats the input. */
function isProblem(item: unknown): item is InputError & JsonObject {
  return isObject(item) && Array.isArray(item.loc) && 'input' in item
}

/** The shape of a value that any of these schemas may describe. */
function shapeOf(documents: Documents, schemas: Json[]): Shape {
  const parts = schemas.flatMap((schema) => [...partsOf(documents, schema)])
  const byName = new Map<string, Json[]>()
  for (const { properties = {} } of parts) {
    for (const [name, field] of Object.entries(properties as JsonObject)) {
      byName.set(name, [...(byName.get(name) ?? []), field])
    }
  }
  const items = parts.flatMap((part) => part.items ?? [])
  const fields = new Map([...byName].map(([name, described]) => [name, shapeOf(documents, described)]))
  return {
    secret: parts.some((part) => part['x-secret'] === true),
    file: parts.some((part) => part['x-file'] === true),
    free: parts.some((part) => (part.additionalProperties ?? false) !== false),
    fields,
    items: items.length > 0 ? shapeOf(documents, items) : undefined,
    hiding: [...fields].filter(([, field]) => hides(field)).map(([name]) => name)
  }
}

/** A schema with its references and the schemas that it is composed of. */
function* partsOf(documents: Documents, schema: Json): IterableIterator<JsonObject> {
  if (!isObject(schema)) return
  yield schema
  if (typeof schema.$ref === 'string') yield* partsOf(documents, follow(documents, schema.$ref))
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const branch of (schema[name] ?? []) as Json[]) yield* partsOf(documents, branch)
  }
}

function hides({ secret, hiding, items }: Shape): boolean {
  return secret || hiding.length > 0 || (items !== undefined && hides(items))
}

const undescribed: Shape = { secret: true, file: false, free: false, fields: new Map(), items: undefined, hiding: [] }

function at(shape: Shape, loc: InputError['loc']): Shape {
  let place: Shape | undefined = shape
  for (const step of loc) place = typeof step === 'number' ? place?.items : place?.fields.get(step)
  return place ?? undescribed
}

/** Hides marked values only. */
function open(value: unknown, shape: Shape): unknown {
  if (shape.secret) return blank(value)
  const { items, fields, hiding } = shape
  if (Array.isArray(value)) {
    if (!items || !hides(items)) return value
    const shown = value.map((item) => open(item, items))
    return shown.every((item, position) => item === value[position]) ? value : shown
  }
  if (!isObject(value)) return value
  let shown: JsonObject = value
  for (const name of hiding) {
    if (!Object.hasOwn(value, name)) continue
    const field = open(value[name], fields.get(name) as Shape) as Json
    if (field === value[name]) continue
    if (shown === value) shown = { ...value }
    shown[name] = field
  }
  return shown
}

/** Hides marked values, and values that do not fit the contract. */
function closed(value: unknown, shape: Shape): unknown {
  const { secret, file, free, fields, items } = shape
  if (secret) return file && isObject(value) ? value : blank(value)
  if (Array.isArray(value)) return items ? value.map((item) => closed(item, items)) : blank(value)
  if (!isObject(value)) return fields.size > 0 || items ? blank(value) : value
  return mapFields(value, (field, name) => {
    const described = fields.get(name)
    return described ? closed(field, described) : free ? field : blank(field)
  })
}

/** Keeps the names of fields, to show what was there. */
export function blank(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blank)
  if (isObject(value)) return mapFields(value, blank)
  return value === null || value === undefined ? value : blanked
}

function mapFields(value: JsonObject, change: (field: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, change(field, name)]))
}

/**
 * Removes passwords from the messages of a user's own operation: the fields whose name has `format: password` or
 * `x-secret` in any of its schemas. Undefined if there are none.
 */
export function documentRedaction(documents: Documents, { input, responses }: Operation): Redaction | undefined {
  const requests = secretsIn(documents, Object.values(input) as Json[])
  const names = secretsIn(
    documents,
    Object.values(responses).map(({ schema }) => schema ?? {}),
    requests
  )
  if (names.size === 0) return undefined
  return {
    takesSecrets: requests.size > 0,
    request: (body) => without(body, names),
    reply: (body) => without(body, names),
    problem: (problem) => ({
      ...problem,
      input: problem.loc.some((step) => names.has(String(step))) ? blanked : without(problem.input, names)
    })
  }
}

/** The schemas of an operation's messages. */
export function schemasOf({ input, responses }: Operation): Json[] {
  return [...(Object.values(input) as Json[]), ...Object.values(responses).flatMap(({ schema }) => schema ?? [])]
}

/** The names of fields whose schema says somewhere that they are secret. */
export function secretsIn(documents: Documents, parts: Json[], found = new Set<string>()): Set<string> {
  const names = new Set(found)
  eachSchema(documents, parts, ({ properties }) => {
    if (!isObject(properties)) return
    for (const [name, field] of Object.entries(properties)) {
      if (isObject(field) && (field.format === 'password' || field['x-secret'] === true)) names.add(name)
    }
  })
  return names
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, names.has(name) ? blanked : without(field, names)])
  )
}
