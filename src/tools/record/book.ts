import type { Contract } from '../../engine/contract/contract.js'
import { follow, isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import type { CollectionRow, Operation } from '../../engine/contract/model.js'
import { inMap } from '../../engine/contract/once.js'
import { memberField, pathField, shownKey } from '../../engine/contract/reader/document.js'
import { fieldsIn, partsOf } from '../../engine/contract/schemas/schemas.js'
import { isRowPath } from '../../engine/contract/text.js'
import { isNumbered, type SandboxWithContract } from '../../engine/control/state/ids.js'
import { timestamp } from '../../engine/sandbox/clock.js'
import { hash, uuidOf } from '../../engine/sandbox/ids.js'
import type { Id } from '../../engine/store/collection.js'
import { type Call, itemsIn } from './traffic.js'

/** What the successful calls of an operation show and change. */
export type Effect = (call: Call, book: Book) => void

/** How the traffic of an API becomes rows. */
export interface Recording {
  effectOf(operation: string): Effect | undefined
  /** What a 404 says. */
  missed?(call: Call, book: Book): void
  /** The rows that take the place of deleted ones in references, by collection. */
  heirs?: Readonly<Record<string, Id>>
  /** Operations whose answers show what is outside of the service. */
  outside?: ReadonlySet<string>
  /** What a row must be that no reply shows, and another row refers to. */
  minimal?(book: Book, collection: string, referrer: JsonObject): JsonObject
  /** Completes what replies show of several rows together. It may be called more than once, each time on a copy. */
  finish?(book: Book): void
}

/** A row, as far as it was shown. */
export interface Entry {
  fields: JsonObject
  /** The exchange that showed it last. */
  label: string
  number: number
}

/** A user by its token. */
export interface Caller {
  token: string
  /** Made for the token, until a reply shows the real one. */
  id: string
  isReal: boolean
  role?: string
  /** Whether it made a call that only some roles may make. */
  isTrusted: boolean
  /** Who it may be, by the rows that it could read. */
  votes: Map<string, number>
}

/** The rows that replies have shown so far. Ids that are texts in a numbered collection are of rows whose ids no reply shows. */
export class Book {
  readonly rows = new Map<string, Map<Id, Entry>>()
  /** The ids of deleted rows, and the exchanges that deleted them. */
  readonly gone = new Map<string, Map<Id, number>>()
  /** Rows that a caller asked for in vain. */
  readonly absent = new Set<string>()
  readonly callers = new Map<string, Caller>()
  /** What contradicts a rule or a reference, and what is only referred to. */
  readonly notes = new Set<string>()
  /** What replies show that becomes no row, and how many do. */
  readonly lost = new Map<string, number>()
  /** What replies show besides rows, for `finish`. */
  readonly hints = new Map<string, JsonObject>()
  /** That of the last call. */
  private time = 0
  /** The time of a service whose clock is stopped, such as that of a test. */
  private stopped: number | undefined
  /** The fields of schemas that replies may leave out. */
  private readonly empty = new Map<string, JsonObject>()
  private label = ''
  private number = 0

  constructor(readonly contract: Contract) {
    for (const name of contract.collections.keys()) {
      this.rows.set(name, new Map())
      this.gone.set(name, new Map())
    }
  }

  copy(): Book {
    return Object.assign(new Book(this.contract), this, {
      rows: copied(this.rows, (rows) => copied(rows, (it) => ({ ...it, fields: { ...it.fields } }))),
      gone: copied(this.gone, (it) => new Map(it)),
      absent: new Set(this.absent),
      callers: copied(this.callers, (it) => ({ ...it, votes: new Map(it.votes) })),
      notes: new Set(this.notes),
      hints: new Map(this.hints)
    })
  }

  read(call: Call, recording: Recording): void {
    this.label = call.label
    this.number = call.number
    this.time = Math.max(this.time, call.time)
    const { status, operation } = call
    if (status === 404) recording.missed?.(call, this)
    // Who may not make a call, or looks for what is not there, is a user all the same.
    const isUser = status === 404 || (status === 403 && this.rolesFor(operation) !== null)
    if (isUser && call.caller !== '') this.caller(call.caller)
    if (status < 200 || status >= 300) return
    this.trust(call)
    const effect = recording.effectOf(operation.id)
    if (effect) effect(call, this)
    else if (operation.origin && Object.keys(Object(call.reply)).length > 0)
      this.lose(call, operation.mock?.session ? 'it is about the user who calls' : 'no collection has such rows')
  }

  /** Notes a reply that becomes no row. */
  lose({ operation: { method, path } }: Call, why: string): void {
    const text = `${method} ${path} is not kept: ${why}`
    this.lost.set(text, (this.lost.get(text) ?? 0) + 1)
  }

  /** Shows a row, or a part of it. Later parts replace earlier ones. */
  show(collection: string, fields: JsonObject): void {
    const id = fields.id as Id
    if (typeof id !== 'string' && !Number.isFinite(id)) return
    if (this.gone.get(collection)?.delete(id))
      this.notes.add(`${this.label}: shows ${collection} ${id}, which was deleted`)
    this.absent.delete(`${collection} ${id}`)
    const { token, collection: users } = this.contract.api.users
    const properties = this.fieldsOf(collection)
    const rows = this.rowsOf(collection)
    const row = { ...rows.get(id)?.fields }
    for (const name in fields) {
      const isToken = collection === users && name === token
      if (fields[name] !== undefined && Object.hasOwn(properties, name) && !isToken) row[name] = fields[name] as Json
    }
    rows.set(id, { fields: row, label: this.label, number: this.number })
  }

  /** A value of a reply with null for the fields of its schema that it leaves out. */
  whole(reference: string, value: JsonObject): JsonObject {
    const empty = inMap(this.empty, reference, () => {
      const { properties } = fieldsIn(this.contract, follow(this.contract.documents, reference))
      return Object.fromEntries(
        Object.keys(properties).flatMap((it) => (this.mayBeNull(properties[it]) ? [[it, null]] : []))
      )
    })
    return { ...empty, ...value }
  }

  all(collection: string): JsonObject[] {
    return [...this.rowsOf(collection).values()].map(({ fields }) => fields)
  }

  row(collection: string, id: Json | undefined): JsonObject | undefined {
    return this.rowsOf(collection).get(id as Id)?.fields
  }

  remove(collection: string, id: Json | undefined): void {
    this.rowsOf(collection).delete(id as Id)
    this.gone.get(collection)?.set(id as Id, this.number)
  }

  /** Removes rows, but does not remember that they were there. */
  drop(collection: string, isIt: (fields: JsonObject) => boolean): void {
    const rows = this.rowsOf(collection)
    for (const [id, { fields }] of rows) if (isIt(fields)) rows.delete(id)
  }

  /** An id in a path, with the type of the collection's ids. */
  id(collection: string, text = ''): Id {
    return this.isNumbered(collection) ? Number(text) : text.toLowerCase()
  }

  isNumbered(collection: string): boolean {
    return isNumbered({ contract: this.contract } as SandboxWithContract, collection)
  }

  /** The id of the calling user. */
  me({ caller }: Call, shown?: Json): string {
    const user = this.caller(caller)
    if (typeof shown !== 'string' || user.id === shown) return user.id
    if (user.isReal) this.notes.add(`${this.label}: shows ${shown} as the user of a token that was ${user.id}`)
    else this.identify(user, shown)
    return user.id
  }

  /** Gives a caller its real id, and the rows of the one made for its token. */
  identify(caller: Caller, id: string): void {
    for (const [name, rows] of this.rows) {
      const { references } = this.contract.collections.get(name) as CollectionRow
      const fields = Object.keys(references).filter((it) => references[it] === this.contract.api.users.collection)
      for (const { fields: row } of rows.values())
        for (const field of fields) if (row[field] === caller.id) row[field] = id
    }
    caller.id = id
    caller.isReal = true
  }

  /** One of these users has made the call. */
  isOneOf({ caller }: Call, users: readonly Json[]): void {
    const { votes } = this.caller(caller)
    for (const id of users) if (typeof id === 'string') votes.set(id, (votes.get(id) ?? 0) + 1 / users.length)
  }

  get now(): number {
    return this.stopped ?? this.time
  }

  /** A row is of the moment of a call, or at least of its day. A clock that is days off is stopped. */
  isOf(precision: 'moment' | 'day', { time }: Call, shown: Json | undefined): void {
    const moment = Date.parse(String(shown))
    const isOff = Math.abs(moment - time) > 2 * 24 * 60 * 60 * 1000
    if (isOff && (precision === 'moment' || this.stopped === undefined)) this.stopped = moment
  }

  /** When the service made a row, in a call at this time. */
  timeOf(time: number): string {
    return timestamp(this.stopped ?? time)
  }

  /** The id of a user who made no call. */
  stranger(): string {
    const { collection } = this.contract.api.users
    const callers = new Set([...this.callers.values()].map((it) => it.id))
    const other = this.all(collection).find(({ id }) => !callers.has(id as string))
    if (other) return other.id as string
    const id = uuidOf(0, 1)
    this.show(collection, { id })
    return id
  }

  hasRole({ caller }: Call, role: string): void {
    this.caller(caller).role = role
  }

  private caller(token: string): Caller {
    return inMap(this.callers, token, () => ({
      token: token.replace(/~.*/s, ''),
      id: uuidOf(hash(token), this.callers.size + 1),
      isReal: false,
      isTrusted: false,
      votes: new Map()
    }))
  }

  private trust({ operation, caller }: Call): void {
    const user = this.caller(caller)
    if (this.rolesFor(operation)?.includes('basic') === false) user.isTrusted = true
  }

  private rolesFor({ access }: Call['operation']): readonly string[] | null {
    return this.contract.access[access.paths ?? '']?.roles ?? null
  }

  rowsOf(collection: string): Map<Id, Entry> {
    return this.rows.get(collection) as Map<Id, Entry>
  }

  fieldsOf(collection: string): JsonObject {
    return fieldsIn(this.contract, this.contract.collections.get(collection)?.row ?? {}).properties
  }

  mayBeNull(schema: Json | undefined): boolean {
    const parts = partsOf(this.contract.documents, schema ?? {})
    return parts.some((it) => 'x-null' in it || [it.type].flat().includes('null'))
  }
}

const copied = <Key, Value>(all: Map<Key, Value>, copyOf: (value: Value) => Value) =>
  new Map([...all].map(([key, it]) => [key, copyOf(it)]))

/** How traffic becomes rows. What an API does not say of an operation, the collection of its document says. */
export function recordingOf(contract: Contract, own?: Recording): Recording {
  const byCollection = (id: string) => {
    const operation = contract.operations.get(id)
    if (operation?.mock?.session === 'signup') return signedUp
    return operation && collectionOf(contract, operation) ? byDocument : undefined
  }
  return { ...own, effectOf: (id) => own?.effectOf(id) ?? byCollection(id) }
}

/** The collection whose rows an operation of a document shows or changes. */
const collectionOf = ({ collections }: Contract, { mock }: Operation) =>
  collections.get(mock?.collection ?? (mock?.row?.isShown ? mock.row.collection : ''))

/** Notes who has signed up: a second sign-up with the same address is refused. */
function signedUp({ body }: Call, book: Book): void {
  const { collection, email } = book.contract.api.users
  const account = [body, ...Object.values(body)].filter(isObject).find((it) => typeof it.email === 'string')
  if (!account || book.all(collection).some((it) => it[email] === account.email)) return
  const id = uuidOf(hash(`${account.email}`), 1)
  book.show(collection, { id, [email]: account.email as Json })
  book.hints.set(signUpOf(account.email), {})
}

/** The hint that somebody with an address has signed up. */
export const signUpOf = (address: Json | undefined) => `sign-up ${address}`

/** The parameters that name the row of an operation and what it belongs to, from the outermost. */
function parametersOf({ operation, path }: Call): { above: string[]; rowKey: string | undefined } {
  const values = Object.values(path).slice(0, operation.mock?.row?.parameters)
  const rowKey = operation.mock?.row || isRowPath(operation.path) ? values.pop() : undefined
  return { above: values, rowKey }
}

/** A row that a call names. */
export interface Named {
  collection: string
  id: Id
}

/** The rows that the path of a call to a document's operation names: that of the last parameter first. */
export function rowsNamed(call: Call, book: Book): Named[] {
  const { above, rowKey } = parametersOf(call)
  const rows: Named[] = []
  const own = collectionOf(book.contract, call.operation)
  let at = rowKey === undefined && own?.parent ? book.contract.collections.get(own.parent.collection) : own
  const values = rowKey === undefined ? above : [...above, rowKey]
  for (; at && values.length > 0; at = book.contract.collections.get(at.parent?.collection ?? '')) {
    const collection = at.member?.collection ?? at.name
    rows.push({ collection, id: rowWith(book, collection, at.member ? values.slice(-1) : values).id })
    values.pop()
  }
  return rows
}

/** The row with these keys, the last of which is its own, and its id. Rows of several parents may have the same key. */
function rowWith(book: Book, collection: string, keys: readonly string[]): { id: Id; row: JsonObject | undefined } {
  const about = book.contract.collections.get(collection) as CollectionRow
  const { key = 'id', parent, isSingle } = about
  const value = keys.at(-1) ?? ''
  if (key === 'id' && !isSingle) {
    const id = book.id(collection, value)
    return { id, row: book.row(collection, id) }
  }
  const text = isSingle || parent ? keys.join(' ') : value
  const isText = book.isNumbered(collection) || (text === value && !isSingle)
  const newId = isText ? text : uuidOf(hash(text), 1)
  const outer = keys.slice(0, -1)
  const owner = parent && outer.length > 0 ? rowWith(book, parent.collection, outer).row : undefined
  const isHere = (row: JsonObject) => !parent || outer.length === 0 || row[parent.field] === owner?.[parent.by ?? 'id']
  const own = isSingle ? Object.entries(fieldsBelow(book, about, keys)) : []
  const isIt = (row: JsonObject) =>
    isSingle ? own.every(([name, it]) => row[name] === it) : String(row[key]) === value && isHere(row)
  const row = book.all(collection).find(isIt)
  return { id: (row?.id as Id | undefined) ?? newId, row }
}

/** The fields that name the row which others belong to. What no reply has shown of it is there, too. */
function fieldsBelow(book: Book, { parent, isSingle }: CollectionRow, keys: readonly string[]): JsonObject {
  const above = parent && book.contract.collections.get(parent.collection)
  if (keys.length === 0) return {}
  if (!above) return isSingle ? { [pathField]: keys.join('/') } : {}
  const { id, row } = rowWith(book, above.name, keys)
  const { key = 'id' } = above
  if (!row)
    book.show(above.name, {
      ...fieldsBelow(book, above, keys.slice(0, -1)),
      [key]: key === 'id' ? id : (keys.at(-1) as string),
      id
    })
  return { [parent.field]: (row ?? book.row(above.name, id))?.[parent.by ?? 'id'] as Json }
}

function byDocument(call: Call, book: Book): void {
  const { operation, reply, body } = call
  const collection = collectionOf(book.contract, operation) as CollectionRow
  const { name, key: own = 'id', parent, member, isSingle } = collection
  const key = shownKey(collection)
  const { above, rowKey } = parametersOf(call)
  if (isSingle && parent && above.length === 0) {
    book.lose(call, 'it is about the user who calls')
    return
  }
  // `DELETE /orders/{id}/star` removes no order.
  if (operation.method === 'DELETE' && !operation.mock?.row) {
    if (rowKey !== undefined || isSingle)
      removeWithParts(book, name, rowWith(book, name, [...above, rowKey ?? []].flat()).id)
    return
  }
  const sent = operation.method === 'GET' || operation.mock?.row ? {} : fieldsOf(book, name, body)
  const single = isSingle ? { ...sent, ...(isObject(reply) && fieldsOf(book, name, reply)) } : {}
  const rows = isSingle ? [single].filter((it) => Object.keys(it).length > 0) : rowsIn(reply, key)
  const isAdded = operation.method === 'PUT' && member !== undefined
  if (rows.length === 0 && rowKey !== undefined && (isAdded || Object.keys(sent).length > 0))
    rows.push({ [key]: key === 'id' || member ? book.id(member?.collection ?? name, rowKey) : rowKey })
  const below = fieldsBelow(book, collection, above)
  const { collection: users, token } = book.contract.api.users
  for (const row of rows) {
    const ownId = own === memberField ? undefined : row.id
    const keys = isSingle ? above : [...above, String(row[key])]
    const id = (ownId ?? rowWith(book, name, keys).id) as Id
    book.show(name, {
      ...(rows.length === 1 && sent),
      ...row,
      ...(own === memberField && { [own]: row.id }),
      id,
      ...below
    })
    if (name === users && row[token] === call.caller) book.me(call, id)
  }
  const isEmpty = rowKey === undefined ? itemsIn(reply).length === 0 : !isObject(reply)
  if (rows.length === 0 && !isEmpty) book.lose(call, `its rows have no ${key}`)
}

/** Removes a row, and the rows that belong to it. */
function removeWithParts(book: Book, name: string, id: Id): void {
  const row = book.row(name, id)
  book.remove(name, id)
  for (const { name: other, parent } of book.contract.collections.values()) {
    if (parent?.collection !== name) continue
    for (const it of book.all(other))
      if (it[parent.field] === (row?.[parent.by ?? 'id'] ?? id)) removeWithParts(book, other, it.id as Id)
  }
}

/** The fields of a row in a body, or in the one object in it that has some. */
function fieldsOf(book: Book, name: string, body: JsonObject): JsonObject {
  const shape = book.fieldsOf(name)
  const isOfRow = (it: Json): it is JsonObject => isObject(it) && Object.keys(it).some((at) => Object.hasOwn(shape, at))
  return [body, ...Object.values(body)].find(isOfRow) ?? {}
}

/** The objects in a reply that have the key: the whole, a list, or one of either in a wrapper. */
function rowsIn(value: Json | undefined, key: string, depth = 0): JsonObject[] {
  if (Array.isArray(value)) return value.filter((it): it is JsonObject => isObject(it) && (it[key] ?? null) !== null)
  if (!isObject(value) || depth > 2) return []
  if ((value[key] ?? null) !== null) return [value]
  return Object.values(value).flatMap((it) => rowsIn(it, key, depth + 1))
}
