import type { Choices } from '../contract/load.js'
import type { Anchor } from '../mock/clock.js'
import type { Counters } from '../mock/ids.js'
import type { Base, Sandbox, State } from '../mock/sandbox.js'
import { type CollectionName, collectionNames, type Store } from './rows.js'
import type { Write } from './touches.js'

type Id = string | number
type Row = { id: Id }
export type RowsByCollection = Record<string, Row[]>
export type IdsByCollection = Record<string, Id[]>

/** What differs between two moments of a store. */
export interface Difference {
  put: RowsByCollection
  remove: IdsByCollection
}

/** What is written into the log. Rows are told as they are, never how they came about. */
export type LogRecord =
  | { op: 'header'; format: number; version: string; contract: string }
  /** Rows that sandboxes start from; more records of one base add to it. */
  | { op: 'base'; base: string; put: RowsByCollection }
  /** A sandbox, or one of its snapshots, is a base with differences. */
  | ({ op: 'state'; sandbox: string; snapshot: string | null; base: string | null; choices: Choices } & Meta &
      Difference)
  /** `ids`: the counters that have changed. */
  | ({ op: 'rows'; sandbox: string; ids: Counters; now: number } & Difference)
  | ({ op: 'set'; sandbox: string; choices: Choices } & Going)
  | { op: 'forget'; sandbox: string; snapshot: string }
  | { op: 'drop'; sandbox: string }

/** What a clock goes by; that of a snapshot stands, at no real time. */
type Going = Omit<Anchor, 'real'> & { real?: number }

/** What a state has beside rows. */
export interface Meta extends Going {
  fixtures: string
  seed: number
  ids: Record<string, number>
}

/** So many rows are in one record. */
const slice = 1000

/** The rows of a base, in records of some rows each. */
export function* baseRecords({ key, rows }: Base): IterableIterator<LogRecord> {
  yield { op: 'base', base: key, put: {} }
  for (const name of collectionNames) {
    const all = rows[name].toJSON() as Row[]
    for (let at = 0; at < all.length; at += slice) {
      yield { op: 'base', base: key, put: { [name]: all.slice(at, at + slice) } }
    }
  }
}

export type StateRecord = Extract<LogRecord, { op: 'state' }>

export function stateRecord(sandbox: Sandbox): StateRecord {
  return { ...stateOf(sandbox.name, null, sandbox, sandbox.clock.anchor), choices: sandbox.choices }
}

export function snapshotRecord(sandbox: Sandbox, name: string): StateRecord | undefined {
  const snapshot = sandbox.snapshots.get(name)
  if (!snapshot) return undefined
  const { now, speed } = snapshot
  return { ...stateOf(sandbox.name, name, snapshot, { now, speed }), choices: {} }
}

function stateOf(
  sandbox: string,
  snapshot: string | null,
  { fixtures, base, rows, ids }: Omit<State, 'clock'>,
  going: Going
): Omit<StateRecord, 'choices'> {
  return {
    op: 'state',
    sandbox,
    snapshot,
    base: base?.key ?? null,
    fixtures,
    seed: ids.seed,
    ids: { ...ids.toJSON() } as Record<string, number>,
    ...going,
    ...difference(base?.rows, rows)
  }
}

/** What a store has that another, or none, has not. */
function difference(from: Store | undefined, to: Store): Difference {
  const all: Difference = { put: {}, remove: {} }
  for (const name of collectionNames) {
    const here = to[name] as unknown as AnyCollection
    const { put, remove } = from
      ? (from[name] as unknown as AnyCollection).difference(here)
      : { put: here.toJSON(), remove: [] }
    if (put.length > 0) all.put[name] = put
    if (remove.length > 0) all.remove[name] = remove
  }
  return all
}

interface AnyCollection {
  get(id: Id): Row | undefined
  put(row: object): unknown
  remove(id: Id): unknown
  difference(other: AnyCollection): { put: Row[]; remove: Id[] }
  toJSON(): Row[]
}

/** The rows that a request wrote, as they are now, and what it counted. */
export function rowsRecord(
  sandbox: Sandbox,
  writes: readonly Write[],
  ids: Counters = {}
): Extract<LogRecord, { op: 'rows' }> {
  const changed: Difference = { put: {}, remove: {} }
  const seen = new Set<string>()
  for (const { collection, id } of writes) {
    const key = `${collection} ${id}`
    if (seen.has(key)) continue
    seen.add(key)
    const row = (sandbox.rows[collection as CollectionName] as unknown as AnyCollection).get(id)
    if (row) changed.put[collection] = [...(changed.put[collection] ?? []), row]
    else changed.remove[collection] = [...(changed.remove[collection] ?? []), id]
  }
  return { op: 'rows', sandbox: sandbox.name, ids, now: sandbox.clock.now, put: changed.put, remove: changed.remove }
}

/** Puts a difference into a store. */
export function apply(rows: Store, { put, remove }: Difference): void {
  for (const [name, ids] of Object.entries(remove)) for (const id of ids) collectionOf(rows, name).remove(id)
  for (const [name, list] of Object.entries(put)) for (const row of list) collectionOf(rows, name).put(row)
}

/** Takes writes back, the last first. */
export function undo(rows: Store, writes: readonly Write[]): void {
  for (const { collection, id, before } of [...writes].reverse()) {
    if (before) collectionOf(rows, collection).put(before)
    else collectionOf(rows, collection).remove(id)
  }
}

function collectionOf(rows: Store, name: string): AnyCollection {
  const collection = rows[name as CollectionName]
  if (!Object.hasOwn(rows, name)) throw new Error(`there is no collection ${name}`)
  return collection as unknown as AnyCollection
}
