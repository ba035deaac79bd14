import type { Contract } from '../contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import { RuleReply, refuse } from '../contract/message/reply.js'
import type { Operation } from '../contract/model.js'
import { responseOf, statusOf } from '../contract/outcomes.js'
import { flattened } from '../contract/schemas/schemas.js'
import { referrersOf } from '../control/state/check-rows.js'
import { createRows } from '../control/state/create.js'
import { idOf } from '../control/state/ids.js'
import { hash } from '../sandbox/ids.js'
import type { AnyRow } from '../store/collection.js'
import { type CheckedRows, rowsOf } from './rows.js'
import type { Call, RuleInput } from './rule.js'

/** The usual names of a list's parameters. */
const sizes = ['limit', 'page_size', 'pageSize', 'per_page', 'perPage', 'size']
const starts = ['offset', 'skip', 'start']
const pages = ['page', 'page_num', 'pageNum', 'page_number']
const searches = ['q', 'query', 'search']

/** The usual names of the number of pages. */
const counts = ['pages', 'total_pages', 'totalPages', 'page_count', 'pageCount', 'num_pages']
/** The usual names of the flag for more rows, and of the link to them. */
const mores = ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage']
const nexts = ['next', 'next_page', 'nextPage', 'next_cursor', 'nextCursor', 'next_page_token', 'nextPageToken']

/** One page of rows, the total, and what an answer may say about the page. */
interface Page {
  page: AnyRow[]
  total: number
  fields: JsonObject
}

/** The rows for a query: searched, sorted and paged. */
function inPage(rows: AnyRow[], { input: schemas }: Operation, { query }: RuleInput): Page {
  const value = (names: string[]) => names.map((name) => query[name]).find((it) => it !== undefined && it !== null)
  const text = value(searches)
  const found = typeof text === 'string' && text !== '' ? rows.filter((row) => holds(row, text)) : rows
  const sorted = typeof query.sort === 'string' ? inOrder(found, query.sort) : found
  const size = wholeNumber(value(sizes)) ?? sorted.length
  const named = pages.find((name) => query[name] !== undefined)
  const page = wholeNumber(named === undefined ? undefined : query[named])
  const first = named !== undefined && isFromZero(schemas.query, named) ? 0 : 1
  const offset = wholeNumber(value(starts)) ?? (page === undefined ? 0 : Math.max(0, page - first) * size)
  const hasMore = offset + size < sorted.length
  const fields: JsonObject = {
    ...Object.fromEntries(mores.map((name) => [name, hasMore])),
    ...(!hasMore && Object.fromEntries(nexts.map((name) => [name, null]))),
    ...Object.fromEntries(counts.map((name) => [name, size === 0 ? 0 : Math.ceil(sorted.length / size)])),
    ...Object.fromEntries(sizes.map((name) => [name, size])),
    ...Object.fromEntries(starts.map((name) => [name, offset])),
    ...Object.fromEntries(pages.map((name) => [name, page ?? first]))
  }
  return { page: sorted.slice(offset, offset + size), total: sorted.length, fields }
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return Number.isInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** Whether pages are counted from 0, according to the parameter's schema. */
function isFromZero(query: JsonObject | undefined, name: string): boolean {
  const schema = (query?.properties as JsonObject | undefined)?.[name]
  return isObject(schema) && (schema.minimum === 0 || schema.default === 0)
}

function holds(row: AnyRow, text: string): boolean {
  return JSON.stringify(row).toLowerCase().includes(text.toLowerCase())
}

function inOrder(rows: AnyRow[], sort: string): AnyRow[] {
  const [field, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1]
  const compare = (a: Json | undefined, b: Json | undefined) => (a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1)
  return [...rows].sort((a, b) => sign * compare(a[field], b[field]))
}

/** A request to the rows of a collection. */
interface CollectionCall extends Call {
  name: string
  rows: CheckedRows
}

/**
 * The answer of an operation with `x-mock: { collection }`: a list, a row, or a row's change. The method, and whether
 * the path names a row, decide which.
 */
export function ofCollection(call: Call, name: string): RuleReply {
  const { operation, input, contract, sandbox } = call
  const of: CollectionCall = { ...call, name, rows: rowsOf(call, name) }
  const parameter = rowParameter(of)
  const status = statusOf(operation)
  if (parameter === undefined) {
    return operation.method === 'GET' || operation.method === 'HEAD'
      ? new RuleReply(status, list(of, status))
      : new RuleReply(status, shown(of, status, added(of)))
  }
  const id = idOf(call, name, String(input.path[parameter]))
  const row = of.rows.get(id) ?? refuse(404, `${name} has no row ${input.path[parameter]}`)
  switch (operation.method) {
    case 'GET':
    case 'HEAD':
      return new RuleReply(status, shown(of, status, row))
    case 'DELETE': {
      const body = shown(of, status, row)
      const referrers = referrersOf(contract, sandbox.rows, name, id)
      if (referrers.length > 0) refuse(409, `${referrers.join(', ')} refer to ${name} ${id}`)
      of.rows.remove(id)
      return new RuleReply(status, body)
    }
    default:
      return new RuleReply(status, shown(of, status, of.rows.put({ ...row, ...fieldsOf(of), id })))
  }
}

/**
 * The path parameter that names a row: the last one of a path that ends with it, or one that is not a field of the
 * rows.
 */
function rowParameter(of: CollectionCall): string | undefined {
  const names = [...of.operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string)
  const last = names.at(-1)
  if (last === undefined) return undefined
  if (of.operation.path.replace(/\/$/, '').endsWith(`{${last}}`)) return last
  return of.operation.method === 'GET' || Object.hasOwn(rowSchema(of).properties, last) ? undefined : last
}

function rowSchema({ contract, name }: CollectionCall): Fields {
  return fieldsIn(contract, contract.collections.get(name)?.row ?? {})
}

type Fields = ReturnType<typeof flattened>

/** The fields of schemas. A schema belongs to one contract. */
const cache = new WeakMap<JsonObject, Fields>()

function fieldsIn({ documents }: Contract, schema: Json): Fields {
  if (!isObject(schema)) return { properties: {}, required: [] }
  const fields = cache.get(schema) ?? flattened(documents, schema)
  cache.set(schema, fields)
  return fields
}

/** The fields of a row in a request: its body, and path parameters that are fields of the rows. */
function fieldsOf(of: CollectionCall): JsonObject {
  const { properties } = rowSchema(of)
  const { body, path } = of.input
  const given = { ...(isObject(body) ? body : {}), ...(path as JsonObject) }
  return Object.fromEntries(
    Object.entries(given).filter(([field]) => field !== 'id' && Object.hasOwn(properties, field))
  )
}

/** A new row: the request's fields, with the others generated. */
function added(of: CollectionCall): AnyRow {
  const { name, input, user, sandbox } = of
  const given = fieldsOf(of)
  const id = isObject(input.body) ? input.body.id : undefined
  if (id !== undefined) {
    if (of.rows.get(id as string)) refuse(409, `${name} already has a row ${id}`)
    given.id = id
  }
  for (const field of Object.keys(rowSchema(of).properties)) {
    if (isTimeOfChange.test(field)) given[field] ??= sandbox.clock.time
    if (user && (field === 'user_id' || field === 'owner_id')) given[field] ??= user.id
  }
  const [row] = createRows(of, name, { part: given })
  return row as AnyRow
}

const isTimeOfChange = /^(time_)?(created|updated|modified)(_at|_on)?$/i

function list(of: CollectionCall, status: number): Json {
  const { operation, contract, sandbox, input, rows } = of
  const schema = schemaAt(of, responseOf(operation, status)?.schema)
  const { page, total, fields } = inPage(filtered(of, rows.all()), operation, input)
  const view = viewOf(of)
  const show = (items: Json | undefined) =>
    page.flatMap((row): Json[] => {
      const seen = view ? view(row) : shape(of, items, row)
      return seen === undefined ? [] : [seen]
    })
  if (schema.type === 'array') return show(schema.items)
  const { properties } = fieldsIn(contract, schema)
  const lists = Object.entries(properties).filter(([, it]) => schemaAt(of, it).type === 'array')
  const isOfObjects = ([, it]: [string, Json]) =>
    Object.keys(fieldsIn(contract, schemaAt(of, it).items ?? {}).properties).length > 0
  const [name] = lists.find(isOfObjects) ?? lists[0] ?? []
  if (name === undefined) return show(undefined)
  const known = Object.entries({ ...fields, total, count: total, total_items: total, total_count: total })
  const made = contract.sampleOf(operation, status, sandbox.ids.seed) as JsonObject
  const said = known.filter(([field, value]) => Object.hasOwn(properties, field) && takes(of, properties[field], value))
  return { ...made, ...Object.fromEntries(said), [name]: show(schemaAt(of, properties[name]).items) }
}

/** Whether a schema has the type of a value: a field may have the name of a page field but another meaning. */
function takes({ contract }: CollectionCall, schema: Json | undefined, value: Json): boolean {
  const { type, anyOf = [] } = schemaOf(contract.documents, schema)
  const types = [type, ...(anyOf as Json[]).map((it) => schemaOf(contract.documents, it).type)].flat()
  const named = value === null ? ['null'] : typeof value === 'number' ? ['integer', 'number'] : [typeof value]
  return types.every((it) => it === undefined) || types.some((it) => named.includes(it as string))
}

/** The rows that a list asks for, by the path and query parameters that are fields of the rows. */
function filtered(of: CollectionCall, rows: AnyRow[]): AnyRow[] {
  const { properties } = rowSchema(of)
  const wanted = Object.entries({ ...of.input.query, ...of.input.path }).filter(([name]) =>
    Object.hasOwn(properties, name)
  )
  return rows.filter((row) =>
    wanted.every(([name, value]) => {
      const values = [value].flat().map(String)
      return [row[name]].flat().some((it) => values.includes(String(it)))
    })
  )
}

function shown(of: CollectionCall, status: number, row: AnyRow): unknown {
  const schema = responseOf(of.operation, status)?.schema
  if (!schema) return undefined
  const view = viewOf(of)
  if (!view) return shape(of, schema, row)
  return view(row) ?? refuse(404, `${of.name} has no row ${row.id}`)
}

/** The fields of a row in a schema. Missing fields are generated. */
function shape({ contract, sandbox }: CollectionCall, schema: Json | undefined, row: AnyRow): Json {
  const { properties, required } = fieldsIn(contract, schema ?? {})
  if (Object.keys(properties).length === 0) return row
  const names = Object.keys(properties).filter((name) => (properties[name] as JsonObject).writeOnly !== true)
  const missing = required.filter((name) => !Object.hasOwn(row, name) && names.includes(name))
  const made =
    missing.length === 0
      ? {}
      : (contract.sample(schema as JsonObject, sandbox.ids.seed, hash(String(row.id))) as JsonObject)
  const kept = names.filter((name) => Object.hasOwn(row, name))
  return Object.fromEntries([
    ...missing.map((name) => [name, made[name] as Json]),
    ...kept.map((name) => [name, row[name] as Json])
  ])
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
