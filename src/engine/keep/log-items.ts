import type { Api } from '../api.js'
import type { Choices } from '../contract/load.js'
import type { JournalLimits } from '../journal/journal.js'
import type { Override, OverridesChange } from '../overrides/overrides.js'
import { type Base, firstRows, shiftedTo } from '../sandbox/bases.js'
import { type Anchor, Clock } from '../sandbox/clock.js'
import { type Counters, Ids } from '../sandbox/ids.js'
import { heldBy, Sandbox, type Snapshot } from '../sandbox/sandbox.js'
import type { State } from '../sandbox/state.js'
import type { AnyRow, Collection, Id, Write } from '../store/collection.js'
import {
  type Collections,
  collectionOf,
  createStore,
  ensureCollections,
  forkStore,
  namesOf,
  type Store
} from '../store/rows.js'

type RowsByCollection = Record<string, AnyRow[]>

interface Difference {
  put: RowsByCollection
  remove: Record<string, Id[]>
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
export type LogItem = Header | BaseItem | StateItem<string> | ChangeItem

/** An item about a sandbox before it is written: a state still has its base, and not the name of it. */
export type NewItem = StateItem<Base> | ChangeItem

/** The rows that sandboxes start from. Several items of one base add up. */
export interface BaseItem {
  op: 'base'
  base: string
  put: RowsByCollection
}

type ChangeItem =
  | RowsItem
  | SetItem
  /** Request ids up to this number may have been used. */
  | { op: 'requests'; sandbox: string; requests: number }
  | { op: 'forget'; sandbox: string; snapshot: string }
  | { op: 'drop'; sandbox: string }

/** The anchor of a clock. That of a snapshot is stopped, so it has no real time. */
type AnchorItem = Omit<Anchor, 'real'> & { real?: number }

/** A sandbox, or one of its snapshots, is a base with differences. */
interface StateItem<Of> extends Difference, AnchorItem {
  op: 'state'
  sandbox: string
  snapshot: string | null
  base: Of | null
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
interface RowsItem extends Difference {
  op: 'rows'
  sandbox: string
  ids: Counters
  now: number
  used?: { id: string; used: number }
}

/** `choices`: those that differ from the initial ones. */
interface SetItem extends AnchorItem {
  op: 'set'
  sandbox: string
  choices: Choices
  overrides?: OverridesChange
}

const slice = 1000

/** The rows of a base, split into items. */
export function* baseItems({ key, rows }: Base): IterableIterator<BaseItem> {
  yield { op: 'base', base: key, put: {} }
  for (const name of namesOf(rows)) {
    const all = collectionOf(rows, name).toJSON()
    for (let at = 0; at < all.length; at += slice) {
      yield { op: 'base', base: key, put: { [name]: all.slice(at, at + slice) } }
    }
  }
}

export function storeOf(collections: Collections, puts: Iterable<RowsByCollection>): Store {
  const all: RowsByCollection = {}
  for (const [name, rows] of [...puts].flatMap(Object.entries<AnyRow[]>)) {
    all[name] ??= []
    all[name].push(...rows)
  }
  return createStore(collections, all)
}

/** A sandbox with its snapshots. `start`: the initial choices of sandboxes. */
export function itemsOf(sandbox: Sandbox, start: Choices): NewItem[] {
  return [stateItem(sandbox, start), ...[...sandbox.snapshots.values()].map((it) => snapshotItem(sandbox.name, it))]
}

export function stateItem(sandbox: Sandbox, start: Choices): NewItem {
  const { name, choices, overrides, journal, createdAt } = sandbox
  return {
    ...stateOf(name, null, sandbox, sandbox.clock.moment),
    choices: differing(choices, start),
    overrides: overrides.change([]),
    requests: journal.reserved,
    created: createdAt
  }
}

export function snapshotItem(sandbox: string, snapshot: Snapshot): NewItem {
  const { now, speed } = snapshot
  return stateOf(sandbox, snapshot.name, snapshot, { now, speed })
}

/** The sandbox without its rows. `before`: the overrides that were written last. */
export function setItem(sandbox: Sandbox, start: Choices, before: readonly Override[]): NewItem {
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
): StateItem<Base> {
  return {
    op: 'state',
    sandbox,
    snapshot,
    base: base ?? null,
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
  { name, rows, clock }: Sandbox,
  writes: readonly Write[],
  ids: Counters = {},
  used?: RowsItem['used']
): NewItem {
  const put: RowsByCollection = {}
  const remove: Difference['remove'] = {}
  for (const { collection, id } of new Map(writes.map((it) => [`${it.collection} ${it.id}`, it])).values()) {
    const row = collectionOf(rows, collection).get(id)
    const lists: Record<string, unknown[]> = row ? put : remove
    lists[collection] ??= []
    lists[collection].push(row ?? id)
  }
  return { op: 'rows', sandbox: name, ids, now: clock.now, put, remove, ...(used && { used }) }
}

/** An item as it is written. `nameOf`: what a base is called in the log. */
export function logItem(item: Header | NewItem, nameOf: (base: Base) => string): LogItem {
  return item.op === 'state' ? { ...item, base: item.base && nameOf(item.base) } : item
}

interface ReplayOptions {
  api: Api
  bases?: Map<string, Base>
  /** The time source of the clocks: milliseconds since 1970. */
  realTime?: () => number
}

/**
 * Builds the sandboxes from the items of a log. `choices` adds the common choices to those of a sandbox. Throws an Error that
 * names the item that does not fit.
 */
export function replay(
  items: readonly LogItem[],
  choices: (chosen: Choices) => Choices,
  limits: JournalLimits,
  { api, bases = new Map(), realTime = Date.now }: ReplayOptions
): Map<string, Sandbox> {
  const puts = new Map<string, RowsByCollection[]>()
  const sandboxes = new Map<string, Sandbox>()
  const baseOf = (key: string): Base => {
    const rows = puts.get(key)
    const base = bases.get(key) ?? (rows && { key, rows: storeOf(api.collections, rows) })
    if (!base) throw new Error(`there is no base ${key}`)
    bases.set(key, base)
    return base
  }
  const existing = (name: string): Sandbox => {
    const sandbox = sandboxes.get(name)
    if (!sandbox) throw new Error(`there is no sandbox ${name}`)
    return sandbox
  }
  for (const item of items) {
    switch (item.op) {
      case 'header':
        break
      case 'base':
        puts.set(item.base, [...(puts.get(item.base) ?? []), item.put])
        break
      case 'state': {
        const { sandbox: name, snapshot, now, speed, real } = item
        const state = stateIn(api, item, item.base === null ? undefined : baseOf(item.base))
        if (snapshot === null) {
          const { overrides, requests = 0, created } = item
          const before = sandboxes.get(name)
          const clock = new Clock({ now, speed, real }, realTime)
          const loaded = Sandbox.of(name, { ...state, clock }, choices(item.choices ?? {}), limits)
          if (overrides) loaded.overrides.follow(overrides)
          loaded.journal.startAt(requests)
          if (created !== undefined) loaded.createdAt = created
          if (before) for (const [key, value] of before.snapshots) loaded.snapshots.set(key, value)
          sandboxes.set(name, loaded)
        } else existing(name).snapshots.set(snapshot, { ...state, name: snapshot, now, speed, held: heldBy(state) })
        break
      }
      case 'rows': {
        const sandbox = existing(item.sandbox)
        apply(sandbox.rows, item)
        sandbox.ids.goOn(item.ids)
        // A restart never sets a clock back, even if the machine's clock was set back.
        if (sandbox.clock.now < item.now) sandbox.clock.set({ now: item.now })
        if (item.used) sandbox.overrides.count(item.used.id, item.used.used)
        break
      }
      case 'set': {
        const sandbox = existing(item.sandbox)
        const { now, speed, real = realTime() } = item
        sandbox.clock.goBy({ now, speed, real })
        sandbox.choices = choices(item.choices)
        if (item.overrides) sandbox.overrides.follow(item.overrides)
        break
      }
      case 'requests':
        existing(item.sandbox).journal.startAt(item.requests)
        break
      case 'forget':
        existing(item.sandbox).snapshots.delete(item.snapshot)
        break
      case 'drop':
        sandboxes.delete(item.sandbox)
        break
      default:
        throw new Error(`the item ${JSON.stringify(item).slice(0, 80)} is unknown`)
    }
  }
  return sandboxes
}

function stateIn(api: Api, { fixtures, seed, ids, moved, ...changed }: StateItem<string>, whole: Base | undefined) {
  const base = whole && moved ? shiftedTo(api, whole, ...moved) : whole
  const rows = base ? forkStore(firstRows(base)) : createStore(api.collections)
  apply(rows, changed)
  return { fixtures, base, rows, ids: new Ids(seed, ids) }
}

/** Applies a difference to a store. It may add collections of the user's own. */
function apply(rows: Store, { put, remove }: Difference): void {
  ensureCollections(rows, Object.keys(put))
  for (const [name, ids] of Object.entries(remove)) for (const id of ids) collectionOf(rows, name).remove(id)
  for (const [name, list] of Object.entries(put)) for (const row of list) collectionOf(rows, name).put(row)
}
