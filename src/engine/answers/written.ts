import { isObject, type Json, type JsonObject } from '../contract/load.js'
import { refuse } from '../contract/message/reply.js'
import type { CollectionRow } from '../contract/model.js'
import { freeName } from '../contract/openapi/document.js'
import { slugOf } from '../contract/text.js'
import { createRows } from '../control/state/create.js'
import { freeValue, isNumbered } from '../control/state/ids.js'
import { memberFields } from '../ledger/extensions.js'
import type { AnyRow } from '../store/collection.js'
import { addedTo, isPart, removeAbsent, removeNulls, sentFields } from './documented.js'
import { rowsOf } from './rows.js'
import { bodyOf, type CollectionCall, rowSchema, schemaAt, wrongIn } from './shown.js'

/** The fields of a row in a request: its body, and path parameters that are fields of the rows. */
function fieldsOf(of: CollectionCall): JsonObject {
  const { properties } = rowSchema(of)
  const fields = of.contract.api.document ? sentFields(of) : { ...bodyOf(of), ...(of.input.path as JsonObject) }
  const names = Object.keys(fields).filter((field) => field !== 'id' && Object.hasOwn(properties, field))
  return Object.fromEntries(names.map((field) => [field, fields[field] as Json]))
}

/** What a new row has of the row of another collection that a request adds: the key, and the fields that it shows as its own. */
export function memberOf(of: CollectionCall): JsonObject | undefined {
  const { member, key = 'id' } = of.collection
  if (!member) return undefined
  const memberKey = String(of.input.path[member.parameter] ?? bodyOf(of)[member.parameter])
  const { key: theirs = 'id' } = of.contract.collections.get(member.collection) as CollectionRow
  const other = rowsOf(of, member.collection)
    .all()
    .find((it) => String(it.id) === memberKey || String(it[theirs]) === memberKey)
  return other && memberFields(rowSchema(of), key, other, other[theirs] as Json)
}

/** A new row: the request's fields, with the others generated. */
export function added(of: CollectionCall, extras: JsonObject = {}): AnyRow {
  const { name, input, user, collection, contract } = of
  const fields = { ...memberOf(of), ...fieldsOf(of), ...extras }
  const id = contract.api.document ? bodyOf(of).id : isObject(input.body) ? input.body.id : undefined
  const { key = 'id' } = collection
  const { properties } = rowSchema(of)
  if (id !== undefined && schemaAt(of, properties.id).readOnly !== true) {
    if (of.rows.get(id as string)) refuse(409, `${name} already has a row ${id}`)
    fields.id = id
  }
  if (key !== 'id') {
    const near = siblings(of, fields)
    const isTaken = (value: Json | undefined) => near.some((row) => row[key] === value)
    if (fields[key] === undefined) fields[key] = newKey(of, key, fields, near)
    else if (isTaken(fields[key])) refuse(409, `${name} already has a row ${fields[key]}`)
  } else if (fields.id === undefined && contract.api.document && isNumbered(of, name)) {
    if (of.assume('ids.again') === 'when-highest') fields.id = of.sandbox.ids.nextFree(name, of.sandbox.rows)
  }
  for (const field of Object.keys(properties)) {
    if (isTimeOfChange.test(field)) fields[field] ??= timeFor(of, field)
    if (user && (field === 'user_id' || field === 'owner_id') && !contract.api.document) fields[field] ??= user.id
  }
  if (!contract.api.document) return createRows(of, name, { part: fields })[0] as AnyRow
  return addedTo(of, fields)
}

/** The rows whose keys differ from that of a new row: all, or those of its parent. */
function siblings({ rows, collection: { parent } }: CollectionCall, fields: JsonObject): AnyRow[] {
  return rows.all().filter((row) => !parent?.isScope || row[parent.field] === fields[parent.field])
}

/** The key of a new row: words of its title or name, or as its schema says. */
function newKey(of: CollectionCall, key: string, fields: JsonObject, near: readonly AnyRow[]): Json {
  const isTaken = (value: Json) => near.some((row) => row[key] === value)
  const { properties } = rowSchema(of)
  const text = [fields.title, fields.name].find((it) => typeof it === 'string') as string | undefined
  const slug = slugOf(text ?? '')
  if (slug && wrongIn(of, key, slug).length === 0)
    return freeName({ has: (it: string) => isTaken(it) }, (count) => (count === 1 ? slug : `${slug}-${count}`))
  const schema = schemaAt(of, properties[key])
  if (schema.type === 'integer') return nextNumber(of, key, fields, near)
  if (schema.format === 'uuid' || Object.keys(schema).length <= 1) return of.sandbox.ids.uuid()
  return freeValue(of, of.name, key, isTaken) ?? refuse(409, `${of.name}: every ${key} that its schema allows is taken`)
}

/** A number that no row has had as its key, and its id too where that is a number and no other parent's row has it. */
function nextNumber(of: CollectionCall, key: string, fields: JsonObject, near: readonly AnyRow[]): number {
  const { name, sandbox, assume, collection } = of
  const { parent } = collection
  const highest = Math.max(0, ...near.map((row) => Number(row[key])))
  if (assume('ids.again') === 'when-highest') return highest + 1
  if (parent?.isScope) {
    const counter = `${name} ${fields[parent.field]}`
    return sandbox.ids.next(counter, { [counter]: { lastId: () => highest, all: () => [] } })
  }
  sandbox.ids.take(name, highest)
  const next = sandbox.ids.next(name, sandbox.rows)
  if (isNumbered(of, name)) fields.id ??= next
  return next
}

/** A row after a change. A PUT replaces the fields that a request may have. */
export function changed(of: CollectionCall, row: AnyRow): AnyRow {
  const { contract, operation } = of
  const fields = fieldsOf(of)
  const { properties } = rowSchema(of)
  if (!contract.api.document) return { ...row, ...fields, id: row.id }
  const next: JsonObject = { ...row, ...fields, id: row.id }
  for (const [field, after] of Object.entries(fields)) {
    const before = row[field] as Json
    if (isPart(of, field) && isObject(before) && isObject(after)) next[field] = { ...before, ...after }
  }
  if (operation.method === 'PATCH') removeNulls(of, next)
  const { key = 'id', parent, isSingle } = of.collection
  // A path that names the parent decides.
  if (parent && (isSingle || Object.keys(of.input.path).length > 1)) next[parent.field] = row[parent.field] as Json
  next[key] = row[key] as Json
  if (operation.method === 'PUT') removeAbsent(of, next, fields)
  const time = Object.keys(properties).find((it) => isTimeOfChange.test(it) && !/creat/i.test(it))
  if (time !== undefined && of.assume('times.change') !== 'kept') next[time] = timeFor(of, time)
  return next as AnyRow
}

export const isTimeOfChange =
  /^(time_?|date_?)?(last_?)?(created|updated|modified|changed)((_?(at|on|time|date))|_?timestamp)?$/i

/** The sandbox's time, as the field has it. */
export function timeFor(of: CollectionCall, field: string): Json {
  const { time } = of.sandbox.clock
  const { type, format } = schemaAt(of, rowSchema(of).properties[field])
  if (format === 'date') return time.slice(0, 10)
  return type === 'integer' || type === 'number' ? Math.floor(Date.parse(time) / 1000) : time
}
