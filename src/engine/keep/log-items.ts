import type { Choices } from '../contract/load.js'
import type { Override, OverridesChange } from '../overrides/overrides.js'
import { type Base, firstRows } from '../sandbox/bases.js'
import type { Anchor } from '../sandbox/clock.js'
import type { Counters } from '../sandbox/ids.js'
import type { Sandbox, Snapshot } from '../sandbox/sandbox.js'
import type { State } from '../sandbox/state.js'
import type { AnyRow, Collection, Id } from '../store/collection.js'
import { collectionOf, ensureCollections, namesOf, type Store } from '../store/rows.js'
import type { Write } from '../store/touches.js'

export type RowsByCollection = Record<string, AnyRow[]>
export type IdsByCollection = Record<string, Id[]>

/** The changes between two moments of a store. */
export interface Difference {
  put: RowsByCollection
  remove: IdsByCollection
}

/** The format that this version writes and reads. */
export const format = 2

export interface Header {
  op: 'header'
  format: number
  version: string
  contract: string
  /** The id of this log, and of the log that it replaced. */
  id: string
  after: string | null
}

/** An item of the log: one per line, or a list. It contains rows as they are, not how they came about. */
export type LogItem =
  | Header
  /** The rows that sandboxes start from. Several items of one base add up. */
  | { op: 'base'; base: string; put: RowsByCollection }
  | StateItem
  | RowsItem
  | SetItem
  /** Request ids up to this number may have been used. */
  | { op: 'requests'; sandbox: string; requests: number }
  | { op: 'forget'; sandbox: string; snapshot: string }
  | { op: 'drop'; sandbox: string }

/** The anchor of a clock. That of a snapshot is stopped, so it has no real time. */
type AnchorItem = Omit<Anchor, 'real'> & { real?: number }

/** A sandbox, or one of its snapshots, is a base with differences. */
export interface StateItem extends Difference, AnchorItem {
  op: 'state'
  sandbox: string
  snapshot: string | null
  base: string | null
  /** Rows of the base in progress at the first moment are moved to the second. Missing: none are. */
  moved?: [from: number, to: number]
  fixtures: string
  seed: number
  ids: Record<string, number>
  /** A snapshot does not have these four. */
  choices?: Choices
  overrides?: OverridesChange
  requests?: number
  /** When the sandbox was created: milliseconds since 1970, real time. */
  created?: number
}

/** `ids`: the changed counters. `used`: the number of uses of an override. */
export interface RowsItem extends Difference {
  op: 'rows'
  sandbox: string
  ids: Counters
  now: number
  used?: { id: string; used: number }
}

/** `choices`: those that differ from the initial ones. */
export interface SetItem extends AnchorItem {
  op: 'set'
  sandbox: string
  choices: Choices
  overrides?: OverridesChange
}

/** The number of rows in one item. */
const slice = 1000

/** The rows of a base, split into items. */
export function* baseItems({ key, rows }: Base): IterableIterator<LogItem> {
  yield { op: 'base', base: key, put: {} }
  for (const name of namesOf(rows)) {
    const all = collectionOf(rows, name).toJSON()
    for (let at = 0; at < all.length; at += slice) {
      yield { op: 'base', base: key, put: { [name]: all.slice(at, at + slice) } }
    }
  }
}

/** A whole sandbox. `start`: the initial choices of sandboxes. */
export function stateItem(sandbox: Sandbox, start: Choices): StateItem {
  const { name, choices, overrides, journal, createdAt } = sandbox
  return {
    ...stateOf(name, null, sandbox, sandbox.clock.moment),
    choices: differing(choices, start),
    overrides: overrides.change([]),
    requests: journal.reserved,
    created: createdAt
  }
}

export function snapshotItem(sandbox: string, snapshot: Snapshot): StateItem {
  const { now, speed } = snapshot
  return stateOf(sandbox, snapshot.name, snapshot, { now, speed })
}

/** The sandbox without its rows. `before`: the overrides that were written last. */
export function setItem(sandbox: Sandbox, start: Choices, before: readonly Override[]): SetItem {
  const { name, clock, choices, overrides } = sandbox
  return {
    op: 'set',
    sandbox: name,
    ...clock.moment,
    choices: differing(choices, start),
    overrides: overrides.change(before)
  }
}

function differing(choices: Choices, start: Choices): Choices {
  if (choices === start) return {}
  return Object.fromEntries(Object.entries(choices).filter(([id, choice]) => choice !== start[id]))
}

function stateOf(
  sandbox: string,
  snapshot: string | null,
  { fixtures, base, rows, ids }: Omit<State, 'clock'>,
  going: AnchorItem
): StateItem {
  return {
    op: 'state',
    sandbox,
    snapshot,
    base: base?.key ?? null,
    ...(base?.moved && { moved: [base.moved.from, base.moved.to] as [number, number] }),
    fixtures,
    seed: ids.seed,
    ids: { ...ids.toJSON() } as Record<string, number>,
    ...going,
    ...difference(base && firstRows(base), rows)
  }
}

/** The rows of a store that another store does not have. Without another store, all rows. */
function difference(from: Store | undefined, to: Store): Difference {
  const all: Difference = { put: {}, remove: {} }
  for (const name of namesOf(to)) {
    const here = collectionOf(to, name)
    const there: Collection | undefined = from?.[name]
    const { put, remove } = there ? there.difference(here) : { put: here.toJSON(), remove: [] }
    if (put.length > 0) all.put[name] = put
    if (remove.length > 0) all.remove[name] = remove
  }
  return all
}

/** The rows that a request wrote, as they are now, with its counters and the override that answered it. */
export function rowsItem(
  sandbox: Sandbox,
  writes: readonly Write[],
  ids: Counters = {},
  used?: RowsItem['used']
): RowsItem {
  const changed: Difference = { put: {}, remove: {} }
  const seen = new Set<string>()
  for (const { collection, id } of writes) {
    const key = `${collection} ${id}`
    if (seen.has(key)) continue
    seen.add(key)
    const row = sandbox.rows[collection]?.get(id)
    if (row) {
      changed.put[collection] ??= []
      changed.put[collection].push(row)
    } else {
      changed.remove[collection] ??= []
      changed.remove[collection].push(id)
    }
  }
  const { put, remove } = changed
  return { op: 'rows', sandbox: sandbox.name, ids, now: sandbox.clock.now, put, remove, ...(used && { used }) }
}

/** Applies a difference to a store. It may add collections of the user's own. */
export function apply(rows: Store, { put, remove }: Difference): void {
  ensureCollections(rows, Object.keys(put))
  for (const [name, ids] of Object.entries(remove)) for (const id of ids) collectionOf(rows, name).remove(id)
  for (const [name, list] of Object.entries(put)) for (const row of list) collectionOf(rows, name).put(row)
}

/** Undoes writes, the last one first. */
export function undoWrites(rows: Store, writes: readonly Write[]): void {
  for (const { collection, id, before } of [...writes].reverse()) {
    if (before) collectionOf(rows, collection).put(before as AnyRow)
    else collectionOf(rows, collection).remove(id)
  }
}
