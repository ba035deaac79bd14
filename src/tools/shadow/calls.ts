import type { Contract } from '../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { responseOf } from '../../engine/contract/outcomes.js'
import { partsOf } from '../../engine/contract/schemas/schemas.js'
import { type Book, type Named, rowsNamed } from '../record/book.js'
import { type Call, textsIn } from '../record/traffic.js'
import type { Difference } from './compare.js'

/** The rows that the path of a call names, and fields that end in _id or _ids. One that a PUT has made is not among them. */
export function namedBy(call: Call, book: Book): Named[] {
  const { operation, path, body, status } = call
  const isMade = operation.method === 'PUT' && status === 201
  const rows = operation.origin ? rowsNamed(call, book).slice(Number(isMade)).reverse() : []
  const sent = Object.entries(body).filter(([name]) => /_ids?$|^users$/.test(name))
  const others = [...(rows.length > 0 ? [] : Object.entries(path)), ...sent].flatMap(([name, value]) => {
    const collection = collectionNamed(book, name)
    const ids = [value].flat().filter((it) => typeof it === 'string' || typeof it === 'number')
    return collection === undefined ? [] : ids.map((it) => ({ collection, id: book.id(collection, String(it)) }))
  })
  return [...rows, ...others]
}

/** The id of the row in a reply that is not the one row which the path names. */
export function otherRow({ operation, path, status, reply }: Call, rows: readonly Named[]): Json | undefined {
  const [row, ...others] = rows
  if (!operation.isReading || status >= 300 || !row || others.length > 0 || !isObject(reply)) return undefined
  const isSame = Object.values(path).some((it) => it.toLowerCase() === `${reply.id}`.toLowerCase())
  return isSame || typeof reply.id !== typeof row.id ? undefined : reply.id
}

/** The addresses of users that a call names. */
export function emailsIn({ body }: Call): string[] {
  return Object.entries(body).flatMap(([name, it]) => (name.endsWith('_email') ? [`${it}`.toLowerCase()] : []))
}

/** The collection whose rows a field names, such as `thing_id`. */
export function collectionNamed({ contract }: Book, field: string): string | undefined {
  const one = (name: string) => name.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '')
  const word = one(field.replace(/_?ids?$/i, '').replaceAll('_', ''))
  const like = [...contract.collections.keys()].filter((it) => word !== '' && one(it).endsWith(word))
  return like.sort((a, b) => a.length - b.length)[0]
}

/** The names of the fields in an operation's answer. */
export function fieldsShown({ documents }: Contract, { operation, status }: Call): Set<string> {
  const [names, parts] = [new Set<string>(), new Set<JsonObject>()]
  const waiting: Json[] = [responseOf(operation, status)?.schema ?? null]
  for (const schema of waiting)
    for (const part of partsOf(documents, schema).filter((it) => !parts.has(it))) {
      const fields = (part.properties ?? {}) as JsonObject
      for (const name in fields) names.add(name)
      parts.add(part)
      waiting.push(...Object.values(fields), part.items ?? null)
    }
  return names
}

/** Whether a target has no broken escapes. */
export function isDecodable(target: string): boolean {
  try {
    return decodeURI(target) !== ''
  } catch {
    return false
  }
}

/** The places that a 422 names. */
function placesIn({ status, reply }: Call): Json[][] {
  const items = status === 422 && isObject(reply) && Array.isArray(reply.detail) ? reply.detail.filter(isObject) : []
  return items.flatMap(({ loc }) => (Array.isArray(loc) ? [loc] : []))
}

/** Whether a refusal names a value: the service may have other limits. */
export const namesPlaces = (call: Call) => placesIn(call).some(({ length }) => length > 1)

/** The fields that a 422 names and the body does not have. */
export const missingFields = (call: Call): string[] =>
  placesIn(call).flatMap((loc) => {
    const field = String(loc.at(-1))
    return /^\w+$/.test(field) && (call.body[field] ?? null) === null ? [field] : []
  })

/** The book with what a reply shows and was not known: it was so before the call. */
export function withRows(before: Book, call: Call, next: Book): Book {
  const { contract } = before
  const { collection: users } = contract.api.users
  const keys = new Set(namedBy(call, before).map(({ collection, id }) => `${collection} ${id}`))
  // A change of a row makes none of those that its reply shows with it.
  const mayMake = !call.operation.isReading && call.operation.method !== 'PATCH'
  const isSignUp = call.operation.mock?.session === 'signup'
  let book = before
  const change = () => {
    if (book === before) book = before.copy()
    return book
  }
  for (const [token, it] of next.callers) {
    const previous = book.callers.get(token)
    if (previous?.id === it.id && previous.role === it.role && previous.isTrusted === it.isTrusted) continue
    const caller = change().callers.get(token)
    if (caller && caller.id !== it.id) book.identify(caller, it.id)
    book.callers.set(token, { ...it })
  }
  for (const [collection, rows] of next.rows) {
    const hasStatus = Object.hasOwn(contract.api.lifecycles, collection)
    for (const [id, entry] of rows) {
      const previous = book.rowsOf(collection).get(id)
      if (entry.number !== call.number && previous) continue
      const isMade = mayMake && (collection !== users || isSignUp) && !keys.has(`${collection} ${id}`)
      if (!previous && (isMade || before.gone.get(collection)?.has(id))) continue
      const hasMoved = hasStatus && call.operation.isReading && previous?.fields.status !== entry.fields.status
      const fields = previous && !hasMoved ? { ...entry.fields, ...previous.fields } : { ...entry.fields }
      if (previous && !hasMoved && Object.keys(fields).length === Object.keys(previous.fields).length) continue
      change()
        .rowsOf(collection)
        .set(id, { ...(previous ?? entry), fields })
    }
  }
  for (const [key, hint] of next.hints) if (!book.hints.has(key)) change().hints.set(key, hint)
  return book
}

/** Whether a call says what a field of its reply is. Ids of what it has made are the same in all places. */
export function isSent({ body, path }: Call, { field = '', mock }: Difference): boolean {
  if (field === 'id' || Object.values(path).includes(String(mock))) return true
  return field in body || `${field.replace(/s$/, '')}_ids` in body || [...textsIn(body)].some(([text]) => text === mock)
}

/** The rows that a call has removed. */
export const removedBy = ({ number }: Call, { gone }: Book): Named[] =>
  [...gone].flatMap(([collection, rows]) => [...rows].flatMap(([id, it]) => (it === number ? { collection, id } : [])))

/** Whether a book has rows that another has not: the mock has given them other ids. */
export const hasOthers = (book: Book, other: Book) =>
  [...book.rows].some(([name, rows]) => [...rows.keys()].some((id) => !other.rowsOf(name).has(id)))

/** Whether a reply says that the row in it is public. */
export const saysPublic = ({ reply }: Call) =>
  isObject(reply) && Object.entries(reply).some(([name, it]) => name.includes('public') && it === true)
