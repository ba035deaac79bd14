import type { Contract } from '../../contract/contract.js'
import { isObject, type JsonObject } from '../../contract/load.js'
import type { CollectionRow } from '../../contract/model.js'
import { inMap } from '../../contract/once.js'
import { earliest, latest, timestamp } from '../../sandbox/clock.js'
import { durationOf, readDuration } from '../../sandbox/duration.js'
import type { Id } from '../../store/collection.js'
import { fieldsOf } from './collections.js'

/** Resolves what rows may contain in addition to plain values: times relative to now, and users by key. */
export interface WriteContext {
  /** Milliseconds since 1970. */
  now: number
  userId(token: string): Id | undefined
}

/** The fields of a collection, and which of them may be written this way. */
interface Fields {
  all: string[]
  times: string[]
  users: string[]
}

const cache = new WeakMap<CollectionRow, Fields>()
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export function fieldsIn(contract: Contract, collection: CollectionRow): Fields {
  return inMap(cache, collection, () => {
    const all = fieldsOf(contract, collection.name)
    return {
      all: all.map(({ name }) => name),
      times: all.filter(({ format }) => format === 'date-time').map(({ name }) => name),
      users: all.filter(({ references }) => references === contract.api.users.collection).map(({ name }) => name)
    }
  })
}

/** The row with plain values. `unknown` lists the keys that no user has, by field. */
export function plainRow(
  contract: Contract,
  collection: CollectionRow,
  value: unknown,
  { now, userId }: WriteContext
): { value: unknown; unknown: [field: string, key: string][] } {
  if (!isObject(value as JsonObject)) return { value, unknown: [] }
  const row = value as JsonObject
  const { times, users } = fieldsIn(contract, collection)
  const changed: JsonObject = {}
  const unknown: [string, string][] = []
  for (const field of times) {
    const moment = momentOf(row[field], now)
    if (moment !== undefined) changed[field] = moment
  }
  const idOf = (field: string, name: unknown) => {
    if (typeof name !== 'string' || uuid.test(name)) return name
    const id = userId(name)
    if (id === undefined) unknown.push([field, name])
    return id ?? name
  }
  for (const field of users) {
    const reference = row[field]
    if (Array.isArray(reference)) changed[field] = reference.map((name) => idOf(field, name)) as string[]
    else if (typeof reference === 'string') changed[field] = idOf(field, reference) as string
  }
  return { value: { ...row, ...changed }, unknown }
}

/** The moment of `-2h`, `+3d` or `now`, or undefined for anything else. */
function momentOf(value: unknown, now: number): string | undefined {
  if (value === 'now') return timestamp(now)
  const length = typeof value === 'string' && /^[+-]/.test(value) ? readDuration(value) : undefined
  if (length === undefined) return undefined
  return timestamp(Math.min(latest, Math.max(earliest, Math.round(now + length))))
}

/** The row with times relative to now, so that it has the same age at any other time. */
export function relativeRow(contract: Contract, collection: CollectionRow, row: JsonObject, now: number): JsonObject {
  const { times } = fieldsIn(contract, collection)
  const relative = times.flatMap((field) => {
    const moment = row[field]
    return typeof moment === 'string' ? [[field, durationOf(Date.parse(moment) - now)]] : []
  })
  return { ...row, ...Object.fromEntries(relative) }
}
