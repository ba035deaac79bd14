import { isObject, type Json, type JsonObject } from '../contract/load.js'
import { RuleReply, refuse } from '../contract/message/reply.js'
import type { CollectionRow, MockAnswer, Operation } from '../contract/model.js'
import { responseOf, statusOf } from '../contract/outcomes.js'
import { mainType } from '../contract/pydantic/coerce.js'
import { memberField, pathField, shownKey } from '../contract/reader/document.js'
import { type Fields, fieldsIn } from '../contract/schemas/schemas.js'
import { barePath, isRowPath, parametersOf, plain } from '../contract/text.js'
import { referrersOf } from '../control/state/check-rows.js'
import { createRows } from '../control/state/create.js'
import { idOf } from '../control/state/ids.js'
import { statusesAt } from '../control/state/shown.js'
import { fieldsOfParent } from '../ledger/extensions.js'
import type { AnyRow, Id } from '../store/collection.js'
import { valid } from './fitting.js'
import { includedIn, linkHeader, linksIn } from './links.js'
import { inOrder, inPage, type Page, passing, saidIn, takes, totalHeader } from './page.js'
import { rowsOf } from './rows.js'
import type { Call, RuleInput } from './rule.js'
import {
  bodyOf,
  type CollectionCall,
  ownerField,
  ownerOf,
  rowSchema,
  schemaAt,
  shape,
  shown,
  viewOf,
  wrapperOf
} from './shown.js'
import { added, changed, isTimeOfChange, memberOf, timeFor } from './written.js'

/**
 * The answer of an operation with `x-mock: { collection }`: a list, a row, or a row's change. The method, and whether
 * the path names a row, decide which.
 */
export function ofCollection(call: Call, name: string): RuleReply {
  const { operation, contract } = call
  const of = callOf(call, name)
  const { keyOf } = of
  const { isSingle } = of.collection
  const status = statusOf(operation)
  const parameter = rowParameter(of)
  const isReading = /GET|HEAD/.test(operation.method)
  const rowKey = isSingle
    ? Object.values(of.input.path).join('/')
    : (parameter ?? (isReading ? undefined : keyInBody(of)))
  if (rowKey === undefined) {
    return isReading
      ? new RuleReply(status, ...list(of, status))
      : new RuleReply(status, ...created(of, status, added(of, ownFieldsOf(of))))
  }
  const row = isSingle ? singleIn(of) : rowAt(of, name, parametersOf(operation), rowKey)
  if (!row) return without(of, status, rowKey)
  const owner = ownerField(of, row)
  const isForeign = owner !== undefined && row[owner] !== ownerOf(of, owner)
  if (owner !== undefined && !isReading && of.assume('rows.foreign') === '403' && isForeign)
    refuse(403, `${name} ${keyOf(row)} belongs to somebody else.`)
  if (owner !== undefined && of.assume('rows.visible') === 'own' && isForeign) return without(of, status, rowKey)
  if (isReading) return new RuleReply(status, shown(of, status, row))
  if (operation.method !== 'DELETE') return new RuleReply(status, shown(of, status, replaced(of, row)))
  const body = shown(of, status, removalOf(of, row))
  const referrers = referrersOf(contract, call.sandbox.rows, name, row.id)
  if (referrers.length > 0) refuse(409, `${referrers.join(', ')} refer to ${name} ${row.id}`)
  remove(of, name, row)
  return new RuleReply(status, body)
}

/** A row as the answer to its removal shows it. */
const removalOf = ({ contract }: CollectionCall, row: AnyRow): AnyRow =>
  contract.api.document ? ({ ...row, deleted: true } as AnyRow) : row

/** A row after a change. A status that the clock decides is set as the control API sets it. */
function replaced(of: CollectionCall, row: AnyRow, next = changed(of, row)): AnyRow {
  const { name, contract, rows, sandbox } = of
  const put = rows.put(next)
  const { field = '', stages, setStatus } = (contract.api.document && contract.api.lifecycles[name]) || {}
  const status = next[field] as string
  if (!setStatus || status === row[field] || !stages?.flat().includes(status)) return put
  setStatus(statusesAt(sandbox, sandbox.rows, sandbox.clock.time), next, status as never)
  return rows.get(row.id) ?? put
}

function callOf(call: Call, name: string): CollectionCall {
  const { contract } = call
  const collection = contract.collections.get(name) as CollectionRow
  const { key = 'id' } = collection
  const input = contract.api.document ? declared(call) : call.input
  return { ...call, input, name, collection, rows: rowsOf(call, name), keyOf: (row) => String(row[key]) }
}

/** The row that the first parameters of a path name, in the form of the answer. Refuses if there is none. */
export function ofRow(call: Call, mark: NonNullable<MockAnswer['row']>, status: number): unknown {
  const { collection, parameters, action, isChange } = mark
  const of = callOf(call, collection)
  const first = parametersOf(call.operation).slice(0, parameters)
  const rowKey = String(of.input.path[first.at(-1) as string])
  const row = rowAt(of, collection, first, rowKey) ?? missing(of, collection, rowKey, first.slice(0, -1))
  if ((!action && !isChange) || of.assume('actions.status') === 'kept') return shown(of, status, row)
  return shown(of, status, action ? acted(of, row, action) : replaced(of, row))
}

/** A row after an action such as a cancellation, with its status, and the time of it. What comes after the status has no time. */
function acted(of: CollectionCall, row: AnyRow, { field, value }: { field: string; value: Json }): AnyRow {
  const isAgain = row[field] === value && of.operation.responses[409] !== undefined
  if (isAgain && of.assume('actions.again') === '409') refuse(409, `${field} is ${value} already`)
  const { properties } = rowSchema(of)
  const timeOf = (state: Json) => Object.keys(properties).find((it) => plain(it) === `${plain(String(state))}at`)
  const time = timeOf(value)
  const values = (schemaAt(of, properties[field]).enum ?? [value]) as Json[]
  const later = values.slice(values.indexOf(value) + 1).flatMap((it) => timeOf(it) ?? [])
  const open = later.filter((it) => takes(of, properties[it], null)).map((it) => [it, null])
  const times = { ...Object.fromEntries(open), ...(time && { [time]: timeFor(of, time) }) }
  return replaced(of, row, { ...changed(of, row), [field]: value, ...times })
}

/** The input without query parameters that the document does not declare. */
function declared({ operation, input }: Call): RuleInput {
  const properties = (operation.input.query?.properties ?? {}) as JsonObject
  const query = Object.entries(input.query).filter(([name]) => Object.hasOwn(properties, name))
  return { ...input, query: Object.fromEntries(query) }
}

/** The answer where the path names no row. */
function without(of: CollectionCall, status: number, rowKey: string): RuleReply {
  const { name, operation } = of
  const { properties } = fieldsIn(of.contract, responseOf(operation, status)?.schema ?? {})
  const { key = 'id', isSingle, member } = of.collection
  // An answer with the row cannot be given again.
  const hasRow = wrapperOf(of, properties) !== undefined || Object.hasOwn(properties, shownKey(of.collection))
  if (operation.method === 'DELETE' && !hasRow && of.assume('delete.again') === 'success')
    return new RuleReply(status, shown(of, status, removalOf(of, { id: rowKey })))
  const isMember = memberOf(of) !== undefined
  const isAdded = () => (isMember ? of.assume('put.member') === 'added' : of.assume('put.unknown-id') === 'created')
  if (operation.method === 'PUT' && (isSingle || isAdded())) {
    const isNumber = schemaAt(of, rowSchema(of).properties[key]).type === 'integer'
    const usual = isNumber ? Number(rowKey) : rowKey
    const value = key === 'id' || key === memberField ? idOf(of, member?.collection ?? name, rowKey) : usual
    const row = added(of, { ...ownFieldsOf(of), ...(!isSingle && !isMember && { [key]: value }) })
    const success = responseOf(operation, 201) ? 201 : status
    return new RuleReply(success, shown(of, success, row))
  }
  return missing(of, name, rowKey, parametersOf(operation).slice(0, isRowPath(operation.path) ? -1 : undefined))
}

/** Refuses a request whose path names a row that does not exist, or the first row above it that does not. */
function missing(of: Call, name: string, rowKey: string, above: string[]): never {
  const { operation, assume, contract, input } = of
  const parent = contract.collections.get(name)?.parent?.collection
  const last = above.at(-1)
  if (parent !== undefined && last !== undefined && !ownerIn(of, parent, above))
    missing(of, parent, String(input.path[last]), above.slice(0, -1))
  const isGone = !operation.responses[404] && assume('missing.status') === '410'
  return refuse(isGone ? 410 : 404, `${name} has no row ${rowKey}`)
}

/** The row that a path names, below the rows that it belongs to. */
function rowAt(of: Call, name: string, parameters: string[], rowKey: string): AnyRow | undefined {
  const { key = 'id', parent } = of.contract.collections.get(name) as CollectionRow
  const rows = rowsOf(of, name)
  const owner = parent && parameters.length > 1 && ownerIn(of, parent.collection, parameters.slice(0, -1))
  const isHere = (row: AnyRow) => !parent || parameters.length < 2 || (owner && isBelow(parent, row, owner))
  if (key !== 'id') return rows.all().find((it) => String(it[key]) === rowKey && isHere(it))
  const row = rows.get(idOf(of, name, rowKey)) ?? rows.get(rowKey)
  return row && isHere(row) ? row : undefined
}

/** Whether a row belongs to another one. */
function isBelow({ field, by = 'id' }: NonNullable<CollectionRow['parent']>, row: AnyRow, owner: AnyRow): boolean {
  return row[field] === owner[by]
}

/** The row that the last of some parameters names. */
function ownerIn(of: Call, name: string, parameters: string[]): AnyRow | undefined {
  return rowAt(of, name, parameters, String(of.input.path[parameters.at(-1) as string]))
}

/** The row that the rows of a list, or a row of it, belong to. Undefined: they belong to none. */
function parentIn(of: CollectionCall): AnyRow | undefined {
  const { parent, isSingle } = of.collection
  const parameters = parametersOf(of.operation).slice(0, isRowPath(of.operation.path) ? -1 : undefined)
  if (!parent) return undefined
  if (parameters.length === 0) return isSingle ? (of.user ?? refuse(401, 'No user is signed in.')) : undefined
  return (
    ownerIn(of, parent.collection, parameters) ??
    missing(of, parent.collection, String(of.input.path[parameters.at(-1) as string]), parameters.slice(0, -1))
  )
}

/** The fields of a new row that say which row it belongs to. */
function ownFieldsOf(of: CollectionCall): JsonObject {
  const owner = parentIn(of)
  const { parent, isSingle } = of.collection
  if (parent && owner) return fieldsOfParent(parent, owner)
  const path = Object.values(of.input.path).join('/')
  return isSingle && path !== '' ? { [pathField]: path } : {}
}

/** The one row of a path. It is always there, unless it can be deleted and then only a PUT writes it again. */
function singleIn(of: CollectionCall): AnyRow | undefined {
  const fields = ownFieldsOf(of)
  const row = of.rows.all().find((it) => Object.entries(fields).every(([field, value]) => it[field] === value))
  const own = [...of.contract.operations.values()].filter(({ mock }) => mock?.collection === of.name)
  const has = (method: string) => own.some((it) => it.method === method)
  if (row || (has('DELETE') && !has('PATCH'))) return row
  return createRows(of, of.name, { part: fields })[0]
}

/** Removes a row. The rows that belong to it, or name it in a field, go too, stay, or are a reason to refuse. */
function remove(of: Call, name: string, row: AnyRow): void {
  const { collections } = of.contract
  const names = [row.id, row[collections.get(name)?.key ?? 'id']]
  const below = [...collections.values()].flatMap(
    ({ name: other, parent, links = {}, isSingle, member, key = 'id' }) => {
      const above = parent?.collection === name ? parent : undefined
      const fields = Object.keys(links).filter((it) => links[it] === name)
      const isMember = member?.collection === name
      const isTheirs = (it: AnyRow) =>
        (above !== undefined && isBelow(above, it, row)) || (isMember && names.includes(it[key] as Id))
      const isFound = (it: AnyRow) => isTheirs(it) || fields.some((field) => names.includes(it[field] as Id))
      const referrers = above || isMember || fields.length > 0 ? rowsOf(of, other).all().filter(isFound) : []
      return referrers.map((it) => ({ other, row: it, isSingle, isBelow: isTheirs(it) }))
    }
  )
  const first = below.find((it) => !it.isSingle)
  const choice = (first && of.assume('delete.children')) ?? 'removed'
  if (first && choice === 'refused') refuse(409, `${first.other} ${first.row.id} belongs to ${name} ${row.id}`)
  rowsOf(of, name).remove(row.id)
  const goes = (isBelow: boolean) => choice === 'removed' || (choice === 'below' && isBelow)
  for (const it of below) if (it.isSingle || goes(it.isBelow)) remove(of, it.other, it.row)
}

/**
 * The value of the path parameter that names a row: the last one of a path that ends with it, or one that is not a field of the
 * rows.
 */
function rowParameter(of: CollectionCall): string | undefined {
  const { operation, input, collection } = of
  const last = parametersOf(operation).at(-1)
  if (last === undefined) return undefined
  const value = String(input.path[last])
  if (barePath(operation.path).endsWith(`{${last}}`)) return value
  const isField = operation.method === 'GET' || Object.hasOwn(rowSchema(of).properties, last)
  return isField || collection.parent ? undefined : value
}

/** The key in the body of a PUT or PATCH whose path names no row. */
function keyInBody(of: CollectionCall): string | undefined {
  if (of.operation.method === 'POST' || !of.contract.api.document) return undefined
  const value = bodyOf(of)[of.collection.key ?? 'id']
  return value === undefined ? undefined : String(value)
}
/** The answer to a new row, with its address where the document has one. */
function created(of: CollectionCall, status: number, row: AnyRow): [unknown, Record<string, string>?] {
  const body = shown(of, status, row)
  const isDocumented = responseOf(of.operation, status)?.headers?.location !== undefined
  if (!isDocumented && (status !== 201 || of.assume('create.location') !== 'sent')) return [body]
  const isItem = ({ mock, path }: Operation) => mock?.collection === of.name && isRowPath(path)
  const usual = `${of.operation.path.replace(/\/$/, '')}/{key}`
  const path = [...of.contract.operations.values()].find(isItem)?.path ?? usual
  const keys = [...Object.values(of.input.path).map(String), of.keyOf(row)].slice(-parametersOf({ path }).length)
  return [body, { Location: of.mount + path.replace(/\{[^{}]*\}/g, () => encodeURIComponent(keys.shift() as string)) }]
}

/** A page of rows, with the headers that count them all. */
function list(of: CollectionCall, status: number): [Json, Record<string, string>] {
  const { operation, rows } = of
  const page = inPage(inUsualOrder(of, filtered(of, rows.all())), of)
  const view = viewOf(of)
  const show = (items: Json | undefined) =>
    page.page.flatMap((row): Json[] => {
      const item = view ? view(row) : shape(of, items, row)
      return item === undefined ? [] : [item]
    })
  const row = responseOf(operation, status)
  const schema = schemaAt(of, row?.schema)
  const body = mainType(schema) === 'array' ? show(schema.items) : listIn(of, status, schema, page, show)
  const counting = Object.keys(row?.headers ?? {}).filter((it) => totalHeader.test(it))
  const link = row?.headers?.link && of.contract.api.document ? linkHeader(of, page) : ''
  return [
    valid(of, status, body),
    { ...Object.fromEntries(counting.map((it) => [it, String(page.total)])), ...(link !== '' && { Link: link }) }
  ]
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
  const sample = contract.sampleOf(operation, status, sandbox.ids.seed) as JsonObject
  if (name !== undefined && !contract.api.document)
    return { ...sample, ...saidIn(of, properties, page), [name]: show(schemaAt(of, properties[name]).items) }
  // The list, and what the object says about the page, may be deeper in it.
  const withPage = (value: Json, whole: Fields): Json => {
    const { properties: fields } = whole
    if (!isObject(value)) return value
    const list = listName(of, fields)
    const inner = Object.entries(value).map(([field, it]) => [
      field,
      withPage(it, fieldsIn(contract, schemaAt(of, fields[field])))
    ])
    const shown = list === undefined ? {} : { [list]: show(schemaAt(of, fields[list]).items) }
    const said = saidIn(of, fields, page)
    const links = Object.fromEntries(linksIn(of, whole, page, said))
    const others = Object.hasOwn(fields, 'included') ? { included: includedIn(of, page.page) as Json } : {}
    const result = { ...Object.fromEntries(inner), ...said, ...links, ...shown, ...others }
    return Object.fromEntries(Object.entries(result).filter((it): it is [string, Json] => it[1] !== undefined))
  }
  return withPage(sample, fieldsIn(contract, schema))
}

/** The field of an object with its list: of objects, if there is one. */
function listName(of: CollectionCall, properties: JsonObject): string | undefined {
  const lists = Object.entries(properties).filter(([, it]) => mainType(schemaAt(of, it)) === 'array')
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
    (row) => (!parent || !owner || isBelow(parent, row, owner)) && (!isOwn || row[theirs] === ownerOf(of, theirs))
  )
  return passing(rows, { ...of.input.query, ...(owner ? {} : of.input.path) }, properties, of)
}
