import type { Contract } from '../../contract/contract.js'
import { isObject, type JsonObject } from '../../contract/load.js'
import { createRowRedaction } from '../../contract/message/redaction.js'
import type { CollectionRow } from '../../contract/model.js'
import { asText } from '../../contract/text.js'
import type { Operations, RowList, State as StateDocument } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import type { AnyRow, Id } from '../../store/collection.js'
import { collectionOf, forkStore, namesOf, type Store } from '../../store/rows.js'
import { type Steps, sorting } from '../../store/steps.js'
import { contextAt } from '../journal/past.js'
import { type ControlContext, invalid } from '../rule.js'
import { idsIn, relativeRow } from './check-rows.js'
import { fieldsOf } from './collections.js'
import { showing, storedFieldsOf } from './shown.js'

/** Fields that name a row for people, best first. */
const naming = ['name', 'display_name', 'description', 'key', 'email', 'title']

interface Moment {
  contract: Contract
  rows: Store
}

/** The name of a row for people. A link between rows has the names of both; undefined: it has none. */
export function nameOf({ contract, rows }: Moment, collection: string, row: JsonObject): string | undefined {
  const name = naming.map((field) => row[field]).find((text) => typeof text === 'string' && text !== '')
  if (name !== undefined) return name as string
  const { references } = contract.collections.get(collection) as CollectionRow
  for (const [field, target] of Object.entries(references)) {
    const other = typeof row[field] === 'object' ? undefined : collectionOf(rows, target).get(row[field] as Id)
    const name = other && naming.map((it) => other[it]).find((text) => typeof text === 'string' && text !== '')
    if (target !== contract.api.users.collection && name !== undefined) return name as string
  }
  return undefined
}

/** The names of rows, and of the rows that they refer to, by collection and id. */
function* namesIn(at: Moment, collection: string, rows: readonly JsonObject[]): Steps<NonNullable<RowList['names']>> {
  const names: NonNullable<RowList['names']> = {}
  const add = (name: string, id: Id, row: JsonObject | undefined) => {
    const text = row && nameOf(at, name, row)
    names[name] ??= {}
    if (text !== undefined) names[name][String(id)] = text
  }
  const { references } = at.contract.collections.get(collection) as CollectionRow
  for (const row of rows) {
    add(collection, row.id as Id, row)
    for (const [field, target] of Object.entries(references)) {
      for (const id of idsIn(row[field])) add(target, id, collectionOf(at.rows, target).get(id))
    }
    yield
  }
  return names
}

/**
 * A test for rows by the texts of their fields. A text must be in the field, or be the whole field if it begins with =. A
 * reference also has the name of its row. Throws an Invalid that names the valid fields.
 */
function fieldTest(at: Moment, collection: string, text: string): (row: JsonObject) => boolean {
  const conditions = readWhere(text)
  for (const field of Object.keys(conditions)) checkField('where', field, fieldsOf(at.contract, collection))
  const { references } = at.contract.collections.get(collection) as CollectionRow
  return (row) =>
    Object.entries(conditions).every(([field, part]) => {
      const value = row[field]
      if (part.startsWith('=')) return asText(value) === part.slice(1)
      const target = references[field]
      const others = target === undefined ? [] : idsIn(value).map((id) => collectionOf(at.rows, target).get(id))
      const names = others.map((it) => it && nameOf(at, target as string, it))
      return [asText(value), ...names].some((it) => it?.toLowerCase().includes(part.toLowerCase()))
    })
}

function readWhere(text: string): Record<string, string> {
  try {
    const value = JSON.parse(text) as unknown
    if (isObject(value) && Object.values(value).every((it) => typeof it === 'string')) {
      return value as Record<string, string>
    }
  } catch {}
  throw invalid(['query', 'where'], 'Give a JSON object of fields and texts, such as {"status": "FAILED"}.')
}

/** The state at this moment, without later writes. With `relative`, its times are relative to now. */
export function* readState({ query }: Operations['getState']['input'], outer: ControlContext): Steps<StateDocument> {
  const context = contextAt(outer, query.at)
  const { fixtures, ids, clock, rows } = context.sandbox
  const now = clock.now
  const counted = { ...ids.toJSON() } as Record<string, number>
  const then = forkStore(rows)
  const show = showing(context.contract.api, context.sandbox, then, now)
  const collections: StateDocument['collections'] = {}
  const stored: NonNullable<StateDocument['stored']> = {}
  for (const name of namesOf(then)) {
    const hide = hiding(context, name)
    const { contract } = context
    const dated = (row: JsonObject) =>
      query.relative ? relativeRow(contract, contract.collections.get(name) as CollectionRow, row, now) : row
    const byId: Record<string, JsonObject> = {}
    collections[name] = yield* gathered(collectionOf(then, name).all(), (row) => {
      const shown = show(name, row)
      const other = storedFieldsOf(row, shown)
      if (other) byId[String(row.id)] = dated(hide(other))
      return shown && dated(hide(shown))
    })
    if (Object.keys(byId).length > 0) stored[name] = byId
  }
  return {
    fixtures,
    seed: ids.seed,
    ...(!query.relative && { now: timestamp(now) }),
    ids: counted,
    collections,
    ...(Object.keys(stored).length > 0 && { stored })
  }
}

/** The rows of a collection that match at this moment, in order. */
export function* readRows(
  { path: { collection }, query: { limit, offset = 0, q, sort, where, names, at } }: Operations['listRows']['input'],
  outer: ControlContext
): Steps<Operations['listRows']['reply']> {
  const context = contextAt(outer, at)
  const order = sort === undefined ? undefined : orderOf(fieldsOf(context.contract, collection), sort)
  const then = forkStore(context.sandbox.rows)
  const show = showing(context.contract.api, context.sandbox, then)
  const hide = hiding(context, collection)
  const moment = { contract: context.contract, rows: then }
  const fits = where === undefined ? undefined : fieldTest(moment, collection, where)
  const text = q?.toLowerCase()
  const stored = new Map<JsonObject, JsonObject>()
  const all = yield* gathered(collectionOf(then, collection).all(), (row) => {
    const shown = show(collection, row)
    const visible = shown && hide(shown)
    const other = shown && storedFieldsOf(row, shown)
    if (visible && other) stored.set(visible, hide(other))
    if (!visible || (text !== undefined && !contains(visible, text)) || fits?.(visible) === false) return undefined
    return visible
  })
  const sorted = order ? yield* sorting(all, order) : all
  const rows = sorted.slice(offset, limit === undefined ? undefined : offset + limit)
  const pairs = rows.flatMap((row) => {
    const other = stored.get(row)
    return other ? [[String(row.id), other] as const] : []
  })
  return {
    rows,
    total: all.length,
    ...(pairs.length > 0 && { stored: Object.fromEntries(pairs) }),
    ...(names && { names: yield* namesIn(moment, collection, rows) })
  }
}

function* gathered<T>(rows: Iterable<AnyRow>, make: (row: AnyRow) => T | undefined): Steps<T[]> {
  const all: T[] = []
  let count = 0
  for (const row of rows) {
    const value = make(row)
    if (value !== undefined) all.push(value)
    if (++count % rowsInStep === 0) yield
  }
  return all
}

/** The number of rows per step. They take less than a millisecond. */
const rowsInStep = 50

/** Shows the rows of a collection as they are now. A row that is gone is shown as it was stored. */
export function shownRows(context: ControlContext, collection: string): (row: AnyRow) => JsonObject {
  const show = showing(context.contract.api, context.sandbox, context.sandbox.rows)
  const hide = hiding(context, collection)
  return (row) => hide(show(collection, row) ?? row)
}

/** Removes the secrets from the rows of a collection if anyone may have added one. */
export function hiding({ contract, hidesSecrets }: ControlContext, collection: string) {
  if (!hidesSecrets) return (row: JsonObject) => row
  return createRowRedaction(contract.documents, contract.collections.get(collection) as CollectionRow)
}

type Row = Record<string, unknown>

/** Compares rows by a field; `-` before its name reverses the order. Numbers sort by size and null comes first. */
function orderOf(fields: { name: string }[], sort: string): (a: object, b: object) => number {
  const field = sort.replace(/^-/, '')
  checkField('sort', field, fields)
  const sign = sort.startsWith('-') ? -1 : 1
  return (a, b) => sign * compare((a as Row)[field], (b as Row)[field])
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [x, y] = [textOf(a), textOf(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

const textOf = (value: unknown): string => asText(value ?? '').toLowerCase()

/** Whether a value contains a text in lower case. Names of fields do not count. */
export function contains(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => contains(item, text))
  if (typeof value === 'object' && value !== null) return Object.values(value).some((field) => contains(field, text))
  return value !== undefined && String(value).toLowerCase().includes(text)
}

function checkField(parameter: string, field: string, fields: { name: string }[]): void {
  const names = fields.map(({ name }) => name)
  if (names.includes(field)) return
  throw invalid(['query', parameter], `There is no field "${field}". Known: ${names.join(', ')}.`, names)
}
