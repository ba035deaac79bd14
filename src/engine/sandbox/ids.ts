import type { Id } from '../store/collection.js'
import { collectionOf, type Later, laterIn, namesOf, type Store } from '../store/rows.js'

/** The highest number used so far, for each collection and for UUIDs. */
export type Counters = Record<string, number | undefined>

/** The part of a store that ids follow from. */
type NumberedRows = { lastId(): Id | undefined; all(): Iterable<{ id: Id }> }
type NumberedStore = Readonly<Record<string, NumberedRows>>

/** The ids of one state: the same for the same seed and calls. No number is used twice, even if its row is gone. */
export class Ids {
  private readonly counters: Counters
  /** The earlier values of counters that have changed since a transaction began. It sets this to undefined. */
  before: Counters | undefined
  /** Rows that are not created yet, but whose numbers also count as used. Their counters are undefined until first use. */
  private later: ReadonlyMap<string, Later> = none

  constructor(
    readonly seed: number,
    counters: Counters = {}
  ) {
    this.counters = { ...counters }
  }

  /** For a state that starts with these rows. Their numbers count as used, even if one is deleted first. */
  static start(seed: number, store: Store, counters?: Record<string, number>): Ids {
    const ids = new Ids(seed, counters)
    const later = new Map<string, Later>()
    for (const name of namesOf(store)) {
      const pending = laterIn(store, name)
      if (pending) {
        later.set(name, pending)
        // It has its place among the others.
        ids.counters[name] ??= undefined
      } else ids.takeAll(name, collectionOf(store, name))
    }
    ids.later = later
    ids.before = undefined
    return ids
  }

  /** For rows from outside. Without their counters, UUIDs continue after the last one of this seed among the rows. */
  static after(seed: number, store: Store, counters?: Record<string, number>): Ids {
    const ids = Ids.start(seed, store, counters)
    if (counters) return ids
    const rowIds = new Set(namesOf(store).flatMap((name) => [...collectionOf(store, name).all()].map((row) => row.id)))
    for (let count = 1, gap = 0; gap < widestGap; count++, gap++) {
      if (!rowIds.has(uuidOf(seed, count))) continue
      ids.counters.uuid = count
      gap = 0
    }
    return ids
  }

  /** Marks the id of a row as used. */
  take(name: string, id: string | number | undefined): void {
    if (typeof id !== 'number' || id > highestCounted) return
    const count = this.counterOf(name)
    if (count === undefined || id > count) this.count(name, id)
  }

  /** The next number of a collection: one more than the highest ever used. */
  next(name: string, store: NumberedStore): number {
    this.takeAll(name, store[name] as NumberedRows)
    return this.give(name, this.counterOf(name))
  }

  /** One more than the highest number among the rows. */
  nextFree(name: string, store: NumberedStore): number {
    const last = Number((store[name] as NumberedRows).lastId() ?? 0)
    return last > highestCounted ? this.next(name, store) : this.give(name, last)
  }

  private give(name: string, last = 0): number {
    const next = Math.max(last, 0) + 1
    this.take(name, next)
    return next
  }

  private takeAll(name: string, rows: NumberedRows): void {
    const last = rows.lastId()
    if (Number(last) > highestCounted) for (const { id } of rows.all()) this.take(name, id)
    else this.take(name, last)
  }

  private counterOf(name: string): number | undefined {
    const later = this.later.get(name)
    if (later) this.makeLater(name, later)
    return this.counters[name]
  }

  /** Creates the rows. Counting them is not a change. */
  private makeLater(name: string, later: Later): void {
    const { before } = this
    this.before = undefined
    this.later = new Map([...this.later].filter(([other]) => other !== name))
    this.takeAll(name, later.collection())
    if (this.counters[name] === undefined) delete this.counters[name]
    this.before = before
  }

  private makeAll(): void {
    for (const [name, later] of this.later) this.makeLater(name, later)
  }

  uuid(): string {
    const count = (this.counters.uuid ?? 0) + 1
    this.count('uuid', count)
    return uuidOf(this.seed, count)
  }

  fork(): Ids {
    const fork = new Ids(this.seed, this.counters)
    fork.later = this.later
    return fork
  }

  /** The counters that the transaction has changed, what they were before, and what undoes that. Undefined: none. */
  takeCounted(): { counters: Counters; before: Counters; takeBack: () => void } | undefined {
    const { before } = this
    if (before === undefined) return undefined
    this.before = undefined
    const counters: Counters = {}
    for (const name in before) counters[name] = this.counters[name]
    return { counters, before, takeBack: () => this.goBack(before) }
  }

  /** Sets counters to what they were; undefined: there was none. */
  goBack(before: Counters): void {
    this.makeAll()
    for (const name of Object.keys(before)) {
      if (before[name] === undefined) delete this.counters[name]
      else this.counters[name] = before[name]
    }
  }

  /** Returns a function that undoes all later changes of the counters. */
  remember(): () => void {
    const counters = { ...this.counters }
    const { later } = this
    return () => {
      for (const name of Object.keys(this.counters)) delete this.counters[name]
      Object.assign(this.counters, counters)
      this.later = later
      this.before = undefined
    }
  }

  /** Sets these counters and keeps the others. */
  goOn(counters: Counters): void {
    this.makeAll()
    Object.assign(this.counters, counters)
  }

  toJSON(): Counters {
    this.makeAll()
    return this.counters
  }

  /** Continues after the ids of a state that had used the same ids until then. */
  goOnAfter(other: Ids): void {
    this.makeAll()
    for (const [name, count] of Object.entries(other.toJSON())) {
      if (count !== this.counters[name]) this.count(name, count as number)
    }
  }

  private count(name: string, count: number): void {
    this.before ??= {}
    if (!(name in this.before)) this.before[name] = this.counters[name]
    this.counters[name] = count
  }
}

/** Higher numbers are ignored, because JavaScript has no next number after the highest one. */
export const highestCounted = 2 ** 52

const none: ReadonlyMap<string, Later> = new Map()

/** The largest gap of consecutive UUIDs whose rows may all be deleted. */
const widestGap = 1000

const bytes = Buffer.alloc(16)

/** A version 4 UUID from two numbers, with four rounds of a 32-bit mixer (murmur3's finalizer). */
export function uuidOf(seed: number, count: number): string {
  const start = mix(mix(seed) ^ count)
  for (let round = 1; round <= 4; round++) {
    bytes.writeUInt32BE(mix(start + Math.imul(round, 0x9e3779b9)), 4 * round - 4)
  }
  // The version, and the variant.
  bytes[6] = 0x40 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Spreads a number over 32 bits (murmur3's finalizer). */
export function mix(value: number): number {
  let x = value | 0
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** A 32-bit number from a text (FNV-1a). */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
