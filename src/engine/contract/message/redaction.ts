import { type Documents, isObject, type Json, type JsonObject } from '../load.js'
import type { CollectionRow, InputError, OpenApiDocument, Operation } from '../model.js'
import { inMap } from '../once.js'
import { eachSchema, together } from '../schemas/schemas.js'

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
  const redactions = new Map<Operation, Redaction | undefined>()
  return (operation) => {
    if (!redactions.has(operation)) redactions.set(operation, redactionOf(documents, operation))
    return redactions.get(operation)
  }
}

/** Removes the secrets from a row of a collection. */
export function createRowRedaction(
  documents: Documents,
  { row, count }: CollectionRow
): (value: JsonObject) => JsonObject {
  if (count !== undefined) {
    const fields = secretsIn(documents, [row])
    return fields.size > 0 ? (value) => hidden(value, fields) as JsonObject : (value) => value
  }
  const shape = shapeOf(documents, [row])
  return hides(shape) ? (value) => open(value, shape) as JsonObject : (value) => value
}

type Described = { documents: Documents; extensions: readonly OpenApiDocument[] }

const shapes = new WeakMap<Described, Map<string, Shape>>()

/** Any JSON without what the contracts mark as secret. Fields are found by name, because it may come from any operation. */
export function withoutSecrets(contract: Described, value: unknown): unknown {
  return hidden(
    value,
    inMap(shapes, contract, () => secretFields(contract))
  )
}

/** A value without the fields that have a secret's name, wherever they are. */
function hidden(value: unknown, fields: ReadonlyMap<string, Shape>): unknown {
  if (Array.isArray(value)) return value.map((item) => hidden(item, fields))
  if (!isObject(value)) return value
  const isWrong = isProblem(value) && value.loc.some((step) => fields.has(String(step)))
  return mapFields(value, (field, name) => {
    const shape = fields.get(name)
    return shape ? open(field, shape) : isWrong && name === 'input' ? blank(field) : hidden(field, fields)
  })
}

function secretFields({ documents, extensions }: Described): Map<string, Shape> {
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
  const keys = extensions.map(({ key }) => key)
  for (const [key, document] of Object.entries(documents)) if (!keys.includes(key)) walk(document)
  const schemas = extensions.flatMap(({ operations, collections }) => [
    ...operations.flatMap((it) => [...requestsOf(it), ...repliesOf(it)]),
    ...collections.map(({ row }) => row)
  ])
  return new Map([...fields, ...secretsIn(documents, schemas)])
}

const requestsOf = ({ input }: Operation) => Object.values(input) as Json[]
const repliesOf = ({ responses }: Operation) =>
  Object.values(responses).flatMap(({ schema }): Json[] => (schema ? [schema] : []))

function redactionOf(documents: Documents, operation: Operation): Redaction | undefined {
  if (operation.origin) return redactionByName(documents, operation)
  const request = shapeOf(documents, [{ type: 'object', properties: operation.input as JsonObject }])
  const reply = shapeOf(documents, repliesOf(operation))
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
  const { parts, fields: described, items } = together(documents, schemas)
  const fields = new Map([...described].map(([name, field]) => [name, shapeOf(documents, field)]))
  return {
    secret: parts.some((part) => part['x-secret'] === true),
    file: parts.some((part) => part['x-file'] === true),
    free: parts.some((part) => (part.additionalProperties ?? false) !== false),
    fields,
    items: items.length > 0 ? shapeOf(documents, items) : undefined,
    hiding: [...fields].filter(([, field]) => hides(field)).map(([name]) => name)
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

/** Documents describe their secrets in few of the places where they occur, so that a secret in one place is one everywhere. */
function redactionByName(documents: Documents, operation: Operation): Redaction | undefined {
  const requests = secretsIn(documents, requestsOf(operation))
  const fields = new Map([...requests, ...secretsIn(documents, repliesOf(operation))])
  if (fields.size === 0) return undefined
  return {
    takesSecrets: requests.size > 0,
    request: (body) => hidden(body, fields),
    reply: (body) => hidden(body, fields),
    problem: (problem) => hidden(problem, fields) as InputError
  }
}

/** The fields whose schema says somewhere that they are secret. */
function secretsIn(documents: Documents, schemas: Json[]): Map<string, Shape> {
  const fields = new Map<string, Shape>()
  eachSchema(documents, schemas, ({ properties }) => {
    if (!isObject(properties)) return
    for (const [name, field] of Object.entries(properties)) {
      if (isObject(field) && (field.format === 'password' || field['x-secret'] === true)) fields.set(name, undescribed)
    }
  })
  return fields
}
