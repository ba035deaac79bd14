import type { MakeRow } from '../api.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import { RuleReply, refuse } from '../contract/message/reply.js'
import type { CollectionRow, InputError, Operation } from '../contract/model.js'
import { freeName } from '../contract/openapi/document.js'
import { responseOf, statusOf } from '../contract/outcomes.js'
import { type Fields, fieldsIn } from '../contract/schemas/schemas.js'
import { slugOf } from '../contract/text.js'
import { referrersOf } from '../control/state/check-rows.js'
import { createRows } from '../control/state/create.js'
import { idOf, isNumbered } from '../control/state/ids.js'
import { fieldsOfParent } from '../ledger/extensions.js'
import { hash, mix } from '../sandbox/ids.js'
import type { AnyRow, Id } from '../store/collection.js'
import { valid } from './fitting.js'
import { inOrder, inPage, type Page, passing, saidIn, takes } from './page.js'
import { type CheckedRows, rowsOf } from './rows.js'
import type { Call, RuleInput } from './rule.js'

/** A request to the rows of a collection. */
interface CollectionCall extends Call {
  name: string
  collection: CollectionRow
  rows: CheckedRows
  /** The text that a path names a row by. */
  keyOf(row: AnyRow): string
}

/**
 * The answer of an operation with `x-mock: { collection }`: a list, a row, or a row's change. The method, and whether
 * the path names a row, decide which.
 */
export function ofCollection(call: Call, name: string): RuleReply {
  const { operation, contract } = call
  const collection = contract.collections.get(name) as CollectionRow
  const { key = 'id' } = collection
  const input = contract.api.document ? declared(call) : call.input
  const keyOf = (row: AnyRow) => String(row[key])
  const of: CollectionCall = { ...call, input, name, collection, rows: rowsOf(call, name), keyOf }
  const status = statusOf(operation)
  const parameter = rowParameter(of)
  const isReading = /GET|HEAD/.test(operation.method)
  const named = parameter ?? (isReading ? undefined : keyInBody(of))
  if (named === undefined) {
    return isReading
      ? new RuleReply(status, valid(of, status, list(of, status)))
      : new RuleReply(status, ...created(of, status, added(of)))
  }
  const row = rowAt(of, name, names(operation), named)
  if (!row) return without(of, status, named)
  if (isReading) return new RuleReply(status, shown(of, status, row))
  const owner = ownerField(of, row)
  if (owner !== undefined && of.assume('rows.foreign') === '403' && row[owner] !== ownerOf(of, owner))
    refuse(403, `${name} ${keyOf(row)} belongs to somebody else.`)
  if (operation.method !== 'DELETE') return new RuleReply(status, shown(of, status, of.rows.put(changed(of, row))))
  const body = shown(of, status, row)
  const referrers = referrersOf(contract, call.sandbox.rows, name, row.id)
  if (referrers.length > 0) refuse(409, `${referrers.join(', ')} refer to ${name} ${row.id}`)
  remove(of, name, row)
  return new RuleReply(status, body)
}

/** The input without query parameters that the document does not declare. */
function declared({ operation, input }: Call): RuleInput {
  const properties = (operation.input.query?.properties ?? {}) as JsonObject
  const query = Object.entries(input.query).filter(([name]) => Object.hasOwn(properties, name))
  return { ...input, query: Object.fromEntries(query) }
}

/** The answer where the path names no row. */
function without(of: CollectionCall, status: number, named: string): RuleReply {
  const { name, operation } = of
  if (
    operation.method === 'DELETE' &&
    of.assume('delete.again') === 'success' &&
    !responseOf(operation, status)?.schema
  )
    return new RuleReply(status, undefined)
  if (operation.method === 'PUT' && of.assume('put.unknown-id') === 'created') {
    const { key = 'id' } = of.collection
    const value = key === 'id' ? idOf(of, name, named) : named
    const row = added(of, { [key]: value })
    return new RuleReply(responseOf(operation, 201) ? 201 : status, shown(of, status, row))
  }
  const isGone = !operation.responses[404] && of.assume('missing.status') === '410'
  return refuse(isGone ? 410 : 404, `${name} has no row ${named}`)
}

/** The names of the parameters of a path. */
function names({ path }: Operation): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string)
}

/** The row that a path names, below the rows that it belongs to. */
function rowAt(of: Call, name: string, parameters: string[], named: string): AnyRow | undefined {
  const { key = 'id', parent } = of.contract.collections.get(name) as CollectionRow
  const rows = rowsOf(of, name)
  const row =
    key === 'id'
      ? (rows.get(idOf(of, name, named)) ?? rows.get(named))
      : rows.all().find((it) => String(it[key]) === named)
  if (!row || !parent || parameters.length < 2) return row
  const owner = ownerIn(of, parent.collection, parameters.slice(0, -1))
  return owner && row[parent.field] === owner.id ? row : undefined
}

/** The row that the last of some parameters names. */
function ownerIn(of: Call, name: string, parameters: string[]): AnyRow | undefined {
  return rowAt(of, name, parameters, String(of.input.path[parameters.at(-1) as string]))
}

/** The row that the rows of a list belong to. Undefined: they belong to none. */
function parentIn(of: CollectionCall): AnyRow | undefined {
  const { parent } = of.collection
  const parameters = names(of.operation)
  if (!parent || parameters.length === 0) return undefined
  return (
    ownerIn(of, parent.collection, parameters) ??
    refuse(404, `${parent.collection} has no row ${of.input.path[parameters.at(-1) as string]}`)
  )
}

/** Removes a row, and the rows that belong to it. */
function remove(of: Call, name: string, row: AnyRow): void {
  rowsOf(of, name).remove(row.id)
  for (const { name: other, parent } of of.contract.collections.values()) {
    if (parent?.collection !== name) continue
    for (const it of rowsOf(of, other).all()) if (it[parent.field] === row.id) remove(of, other, it)
  }
}

/**
 * The value of the path parameter that names a row: the last one of a path that ends with it, or one that is not a field of the
 * rows.
 */
function rowParameter(of: CollectionCall): string | undefined {
  const { operation, input, collection } = of
  const last = names(operation).at(-1)
  if (last === undefined) return undefined
  const value = String(input.path[last])
  if (operation.path.replace(/\/$/, '').endsWith(`{${last}}`)) return value
  const isField = operation.method === 'GET' || Object.hasOwn(rowSchema(of).properties, last)
  return isField || collection.parent ? undefined : value
}

/** The key in the body of a PUT or PATCH whose path names no row. */
function keyInBody(of: CollectionCall): string | undefined {
  if (of.operation.method === 'POST' || !of.contract.api.document) return undefined
  const value = bodyOf(of)[of.collection.key ?? 'id']
  return value === undefined ? undefined : String(value)
}

function rowSchema({ contract, name }: CollectionCall): Fields {
  return fieldsIn(contract, contract.collections.get(name)?.row ?? {})
}

/** The body, or the one object in it that has the fields of the rows: `{ article: { … } }`. */
function bodyOf(of: CollectionCall): JsonObject {
  const { body } = of.input
  if (!isObject(body)) return {}
  const isOfRow = (value: Json) =>
    isObject(value) && Object.keys(value).some((it) => Object.hasOwn(rowSchema(of).properties, it))
  const [inner, ...others] = isOfRow(body) ? [] : Object.values(body).filter(isOfRow)
  return others.length === 0 && isObject(inner) ? inner : body
}

/** The fields of a row in a request: its body, and path parameters that are fields of the rows, and not of the body. */
function fieldsOf(of: CollectionCall): JsonObject {
  const { properties } = rowSchema(of)
  const { document } = of.contract.api
  const asked = document ? requestFields(of) : {}
  const inPath = Object.entries(of.input.path as JsonObject).filter(([name]) => !Object.hasOwn(asked, name))
  const given = { ...bodyOf(of), ...Object.fromEntries(inPath) }
  const isSet = (field: string) => document !== undefined && schemaAt(of, properties[field]).readOnly === true
  // Requests may write a field in another form than rows have it.
  const isOther = (field: string, value: Json) =>
    document !== undefined &&
    wrongIn(of, field, value).some(({ loc, type }) => loc.length > 2 || /_type$|^missing$/.test(type))
  return Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => field !== 'id' && Object.hasOwn(properties, field) && !isSet(field) && !isOther(field, value)
    )
  )
}

/** A new row: the request's fields, with the others generated. */
function added(of: CollectionCall, known: JsonObject = {}): AnyRow {
  const { name, input, user, collection, contract } = of
  const given = { ...fieldsOf(of), ...known }
  const id = contract.api.document ? bodyOf(of).id : isObject(input.body) ? input.body.id : undefined
  const { key = 'id', parent } = collection
  const { properties } = rowSchema(of)
  if (id !== undefined && schemaAt(of, properties.id).readOnly !== true) {
    if (of.rows.get(id as string)) refuse(409, `${name} already has a row ${id}`)
    given.id = id
  }
  if (key !== 'id') {
    const taken = (value: Json | undefined) => of.rows.all().some((row) => row[key] === value)
    if (given[key] === undefined) given[key] = newKey(of, key, given, taken)
    else if (taken(given[key])) refuse(409, `${name} already has a row ${given[key]}`)
  } else if (given.id === undefined && contract.api.document) {
    const free = freeId(of)
    if (free !== undefined) given.id = free
  }
  const owner = parentIn(of)
  if (parent && owner) Object.assign(given, fieldsOfParent(parent, owner))
  for (const field of Object.keys(properties)) {
    if (isTimeOfChange.test(field)) given[field] ??= timeFor(of, field)
    if (user && (field === 'user_id' || field === 'owner_id') && !contract.api.document) given[field] ??= user.id
  }
  if (!contract.api.document) return createRows(of, name, { part: given })[0] as AnyRow
  const theirs = ownerField(of, properties)
  if (theirs !== undefined) given[theirs] ??= ownerOf(of, theirs) as Json
  for (const field of unique) {
    if (given[field] === undefined || !Object.hasOwn(properties, field) || field === parent?.key) continue
    const isTaken = of.rows.all().some((row) => row[field] === given[field])
    if (isTaken && of.assume('unique.fields') === 'refused') refuse(409, `${field} has already been taken`)
  }
  const [row] = createRows({ ...of, factoryOf: (it) => leaving(of, given, of.factoryOf(it)) }, name, { part: given })
  return row as AnyRow
}

/** Fields that usually differ in all rows. */
const unique = ['email', 'username', 'slug', 'sku']

/** A factory that leaves out what the request could have given, and did not. */
function leaving(of: CollectionCall, given: JsonObject, factory: MakeRow | undefined): MakeRow | undefined {
  const choice = of.assume('create.absent')
  if (!factory || choice === 'made-up') return factory
  const { properties, required } = rowSchema(of)
  const asked = requestFields(of)
  return (...from) => {
    const made = factory(...from)
    const row = { ...(made.row as JsonObject) }
    for (const field of Object.keys(row)) {
      if (Object.hasOwn(given, field) || !Object.hasOwn(asked, field) || field === 'id') continue
      const schema = schemaAt(of, asked[field])
      const usual = schema.default ?? schemaAt(of, properties[field]).default
      if (usual !== undefined) row[field] = usual
      else if ((choice === 'null' || required.includes(field)) && takes(of, properties[field], null)) row[field] = null
      else if (!required.includes(field)) delete row[field]
      else if (schemaAt(of, properties[field]).type === 'array') row[field] = []
    }
    return { ...made, row }
  }
}

/** The fields of a row that the body of an operation may have. */
function requestFields(of: CollectionCall): JsonObject {
  const { contract, operation } = of
  const row = rowSchema(of).properties
  const whole = fieldsIn(contract, operation.input.body ?? {}).properties
  const isOfRow = (fields: JsonObject) => Object.keys(fields).some((it) => Object.hasOwn(row, it))
  const inner = Object.values(whole).map((it) => fieldsIn(contract, schemaAt(of, it)).properties)
  return isOfRow(whole) ? whole : (inner.find(isOfRow) ?? whole)
}

/** The key of a new row: words of its title or name, or as its schema says. */
function newKey(of: CollectionCall, key: string, given: JsonObject, isTaken: (value: Json) => boolean): Json {
  const { properties } = rowSchema(of)
  const text = [given.title, given.name].find((it) => typeof it === 'string') as string | undefined
  const slug = slugOf(text ?? '')
  if (slug && wrongIn(of, key, slug).length === 0)
    return freeName({ has: (it: string) => isTaken(it) }, (count) => (count === 1 ? slug : `${slug}-${count}`))
  const schema = schemaAt(of, properties[key])
  if (schema.type === 'integer') return Math.max(0, ...of.rows.all().map((row) => Number(row[key]))) + 1
  if (schema.format === 'uuid' || Object.keys(schema).length <= 1) return of.sandbox.ids.uuid()
  return freeSample(of, schema, isTaken)
}

/** A new id that its schema allows. Undefined: the usual one. */
function freeId(of: CollectionCall): Id | undefined {
  const { name, sandbox } = of
  if (isNumbered(of, name))
    return of.assume('ids.again') === 'when-highest' ? sandbox.ids.nextFree(name, sandbox.rows) : undefined
  const schema = schemaAt(of, rowSchema(of).properties.id)
  if (schema.pattern === undefined && schema.maxLength === undefined && schema.enum === undefined) return undefined
  return freeSample(of, schema, (id) => of.rows.get(id as Id) !== undefined) as Id
}

function freeSample(
  { contract, sandbox, name }: CollectionCall,
  schema: JsonObject,
  isTaken: (value: Json) => boolean
): Json {
  for (let count = 1; ; count++) {
    const value = contract.sample(schema, mix(sandbox.ids.seed ^ hash(`${name} ${count}`)), 0)
    if (!isTaken(value) || count > 1000) return value
  }
}

/** A row after a change. A PUT replaces the fields that a request may have. */
function changed(of: CollectionCall, row: AnyRow): AnyRow {
  const { contract, operation } = of
  const given = fieldsOf(of)
  const { properties, required } = rowSchema(of)
  if (!contract.api.document) return { ...row, ...given, id: row.id }
  const next: JsonObject = { ...row, ...given, id: row.id }
  const { key = 'id', parent } = of.collection
  if (parent) next[parent.field] = row[parent.field] as Json
  next[key] = row[key] as Json
  if (operation.method === 'PUT') {
    const asked = Object.keys(requestFields(of)).filter((it) => Object.hasOwn(next, it) && !Object.hasOwn(given, it))
    const gone = asked.filter((it) => it !== 'id' && it !== key && !required.includes(it))
    if (gone.length > 0 && of.assume('put.absent') === 'removed') for (const field of gone) delete next[field]
  }
  const time = Object.keys(properties).find((it) => isTimeOfChange.test(it) && !/creat/i.test(it))
  if (time !== undefined && of.assume('times.change') !== 'kept') next[time] = timeFor(of, time)
  return next as AnyRow
}

const isTimeOfChange =
  /^(time_?|date_?)?(last_?)?(created|updated|modified|changed)((_?(at|on|time|date))|_?timestamp)?$/i

/** The sandbox's time, as the field has it. */
function timeFor(of: CollectionCall, field: string): Json {
  const { time } = of.sandbox.clock
  const { type, format } = schemaAt(of, rowSchema(of).properties[field])
  if (format === 'date') return time.slice(0, 10)
  return type === 'integer' || type === 'number' ? Math.floor(Date.parse(time) / 1000) : time
}

const owners = ['user_id', 'userId', 'owner_id', 'ownerId', 'author_id', 'authorId', 'created_by', 'createdBy']

/** The field of rows with the user that they belong to. */
function ownerField(of: CollectionCall, fields: object): string | undefined {
  return of.contract.api.document && of.user ? owners.find((it) => Object.hasOwn(fields, it)) : undefined
}

/** The calling user, as such a field names one. Undefined: the field has another form. */
function ownerOf(of: CollectionCall, field: string): Json | undefined {
  const { user, contract } = of
  const { users } = contract.api
  return [user?.id, user?.[users.token]].find((it) => it !== undefined && wrongIn(of, field, it).length === 0)
}

/** What is wrong with the value of a field of the rows. */
function wrongIn({ contract, collection }: CollectionCall, field: string, value: Json): InputError[] {
  return contract.checkRow(collection, { [field]: value }).problems.filter(({ loc }) => loc[1] === field)
}

/** The answer to a new row, with its address where the document has one. */
function created(of: CollectionCall, status: number, row: AnyRow): [unknown, Record<string, string>?] {
  const body = shown(of, status, row)
  if (status !== 201 || of.assume('create.location') !== 'sent') return [body]
  const filled = of.operation.path.replace(/\{([^{}]*)\}/g, (_, name) =>
    encodeURIComponent(String(of.input.path[name]))
  )
  return [body, { Location: `${filled.replace(/\/$/, '')}/${encodeURIComponent(of.keyOf(row))}` }]
}

function list(of: CollectionCall, status: number): Json {
  const { operation, rows } = of
  const page = inPage(inUsualOrder(of, filtered(of, rows.all())), of)
  const view = viewOf(of)
  const show = (items: Json | undefined) =>
    page.page.flatMap((row): Json[] => {
      const seen = view ? view(row) : shape(of, items, row)
      return seen === undefined ? [] : [seen]
    })
  const schema = schemaAt(of, responseOf(operation, status)?.schema)
  return schema.type === 'array' ? show(schema.items) : listIn(of, status, schema, page, show)
}

/** A list in an object, with what the object says about the page. */
function listIn(
  of: CollectionCall,
  status: number,
  schema: JsonObject,
  page: Page,
  show: (items: Json | undefined) => Json[]
): Json {
  const { operation, contract, sandbox } = of
  const { properties } = fieldsIn(contract, schema)
  const name = listName(of, properties)
  if (name === undefined && !contract.api.document) return show(undefined)
  const made = contract.sampleOf(operation, status, sandbox.ids.seed) as JsonObject
  if (name !== undefined && !contract.api.document)
    return { ...made, ...saidIn(of, properties, page), [name]: show(schemaAt(of, properties[name]).items) }
  // The list, and what the object says about the page, may be deeper in it.
  const withPage = (value: Json, { properties: fields }: Fields): Json => {
    if (!isObject(value)) return value
    const list = listName(of, fields)
    const inner = Object.entries(value).map(([field, it]) => [
      field,
      withPage(it, fieldsIn(contract, schemaAt(of, fields[field])))
    ])
    const shown = list === undefined ? {} : { [list]: show(schemaAt(of, fields[list]).items) }
    return { ...Object.fromEntries(inner), ...saidIn(of, fields, page), ...shown }
  }
  return withPage(made, { properties, required: [] })
}

/** The field of an object with its list: of objects, if there is one. */
function listName(of: CollectionCall, properties: JsonObject): string | undefined {
  const lists = Object.entries(properties).filter(([, it]) => schemaAt(of, it).type === 'array')
  const isOfObjects = ([, it]: [string, Json]) =>
    Object.keys(fieldsIn(of.contract, schemaAt(of, it).items ?? {}).properties).length > 0
  return (lists.find(isOfObjects) ?? lists[0])?.[0]
}

/** Rows in the order of a list that asks for none. */
function inUsualOrder(of: CollectionCall, rows: AnyRow[]): AnyRow[] {
  if (of.assume('rows.order') !== 'newest-first') return rows
  const time = Object.keys(rowSchema(of).properties).find((it) => /creat/i.test(it) && isTimeOfChange.test(it))
  return time === undefined ? rows.reverse() : inOrder(rows.reverse(), `-${time}`)
}

/** The rows that a list asks for, by the path and query parameters that are fields of the rows. */
function filtered(of: CollectionCall, all: AnyRow[]): AnyRow[] {
  const { properties } = rowSchema(of)
  const owner = parentIn(of)
  const { parent } = of.collection
  const theirs = ownerField(of, properties)
  const isOwn = theirs !== undefined && of.assume('rows.visible') === 'own'
  const rows = all.filter(
    (row) => (!parent || !owner || row[parent.field] === owner.id) && (!isOwn || row[theirs] === ownerOf(of, theirs))
  )
  return passing(rows, { ...of.input.query, ...(owner ? {} : of.input.path) }, properties)
}

function shown(of: CollectionCall, status: number, row: AnyRow): unknown {
  const schema = responseOf(of.operation, status)?.schema
  if (!schema) return undefined
  const view = viewOf(of)
  if (!view) return valid(of, status, shape(of, schema, row))
  return view(row) ?? refuse(404, `${of.name} has no row ${row.id}`)
}

/** The fields of a row in a schema, or in the one object that it has for the row. Missing fields are generated. */
function shape(of: CollectionCall, schema: Json | undefined, row: AnyRow): Json {
  const { contract, sandbox } = of
  const { properties, required } = fieldsIn(contract, schema ?? {})
  if (Object.keys(properties).length === 0) return schemaAt(of, schema).type === 'null' ? null : row
  const inner = wrapperOf(of, properties)
  const own = inner === undefined ? row : ({ id: row.id, [inner]: shape(of, properties[inner], row) } as AnyRow)
  const names = Object.keys(properties).filter((name) => (properties[name] as JsonObject).writeOnly !== true)
  const has = (name: string) => Object.hasOwn(own, name) && allows(of, properties[name], own[name] as Json)
  const missing = required.filter((name) => !has(name) && names.includes(name))
  const made =
    missing.length === 0
      ? {}
      : (contract.sample(schema as JsonObject, sandbox.ids.seed, hash(String(row.id))) as JsonObject)
  return Object.fromEntries([
    ...missing.map((name) => [name, made[name] as Json]),
    ...names.filter(has).map((name) => [name, own[name] as Json])
  ])
}

/** Whether the document allows a row's value: not every null, and not every value of a field with a list of values. */
const allows = (of: CollectionCall, schema: Json | undefined, value: Json) =>
  value === null ? takes(of, schema, null) : [schemaAt(of, schema).enum ?? [value]].flat().includes(value)

/** The field of a reply's object that has the row. Undefined: the object itself is the row. */
function wrapperOf(of: CollectionCall, properties: JsonObject): string | undefined {
  const { contract } = of
  const row = rowSchema(of).properties
  const isOfRow = (fields: JsonObject) => Object.keys(fields).some((it) => Object.hasOwn(row, it))
  const inner = (name: string) => fieldsIn(contract, schemaAt(of, properties[name])).properties
  const { key = 'id' } = of.collection
  const keyed = Object.hasOwn(properties, key) ? undefined : Object.keys(properties).find((it) => inner(it)[key])
  if (!contract.api.document || (isOfRow(properties) && !keyed)) return undefined
  return keyed ?? Object.keys(properties).find((it) => isOfRow(inner(it)))
}

/** Shows a row as another operation does. Returns undefined for a row that the operation does not show. */
function viewOf({
  operation,
  contract,
  user,
  view: viewed
}: CollectionCall): ((row: AnyRow) => Json | undefined) | undefined {
  const id = operation.mock?.view
  if (id === undefined) return undefined
  const view = contract.operations.get(id) as Operation
  if (!user && !view.open) {
    throw new Refusal('unauthenticated', {
      reason: `this operation shows rows as ${view.id} does, which needs a token.`
    })
  }
  const answer = viewed(view)
  const parameter = [...view.path.matchAll(/\{([^{}]*)\}/g)].at(-1)?.[1]
  const asked = (path: JsonObject): Json | undefined => {
    try {
      const body = answer({ path, query: {}, body: undefined })
      return (body instanceof RuleReply ? body.body : body) as Json
    } catch (error) {
      if (error instanceof Refusal || error instanceof RuleReply) return undefined
      throw error
    }
  }
  if (parameter !== undefined) return (row) => asked({ [parameter]: row.id })
  const all = asked({})
  const items = Array.isArray(all) ? all : Object.values(isObject(all) ? all : {}).find(Array.isArray)
  return (row) => items?.find((it) => isObject(it) && it.id === row.id)
}

function schemaAt(of: CollectionCall, schema: Json | undefined): JsonObject {
  const whole = schemaOf(of.contract.documents, schema)
  const found = Array.isArray(whole.anyOf) ? whole.anyOf.find((it) => schemaAt(of, it).type !== 'null') : whole
  return isObject(found) ? found : {}
}
