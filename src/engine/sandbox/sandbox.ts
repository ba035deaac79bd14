import type { Choices } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import type { Counts, NewOverride } from '../contract/types.gen.js'
import { Coverage } from '../journal/coverage.js'
import { Journal, type JournalLimits } from '../journal/journal.js'
import { Overrides } from '../overrides/overrides.js'
import type { AnyRow } from '../store/collection.js'
import { bytesOf, collectionOf, ensureCollections, forkStore, namesOf, type Store } from '../store/rows.js'
import type { Base, Recipe } from './bases.js'
import { CallLog, originOf } from './calls.js'
import { Chance } from './chance.js'
import type { Clock } from './clock.js'
import { History } from './history.js'
import { Ids } from './ids.js'
import type { LiveState, State } from './state.js'

export interface Start {
  base: Base
  /** The rows of the base, perhaps with a few changed. */
  rows: Store
  /** What the rows are created from, and the moment that their dates are relative to; undefined: the user's own. */
  recipe?: (Recipe & { dated: number }) | undefined
  fixtures: string
  seed: number
  /** The ids that were used before, if the rows do not show them. */
  counters?: Record<string, number> | undefined
  /** A clock that runs since the start was requested. */
  clock: Clock
  choices: Choices
  /** The first is tried first. Missing: none. */
  overrides?: readonly NewOverride[]
  /** How many random numbers were drawn, and overrides added, before. */
  counts?: Counts | undefined
  /** The sandbox to continue from, if a scenario was played. */
  template?: Sandbox
}

/** A named state. Its clock is stopped until it is restored. */
export interface Snapshot extends Omit<State, 'clock'> {
  name: string
  /** Milliseconds since 1970, by the sandbox's clock. */
  now: number
  speed: number
  held: number
}

/** A whole private copy of the mock: rows, ids, clock, choices, overrides, snapshots and journal. */
export class Sandbox implements LiveState {
  readonly snapshots = new Map<string, Snapshot>()
  coverage = new Coverage()
  scene: { scenario: string; number: number } | undefined
  calls!: CallLog
  /** Its latest changes: see `historyOf`. */
  history!: History
  /** The time of creation: milliseconds since 1970, real time. */
  createdAt = Date.now()
  /** The time of the last use: milliseconds since 1970, real time. */
  usedAt = Date.now()

  /** How many requests of clients there were. */
  visits = 0
  /** How many of them wait for their answer. */
  private underWay = 0
  fixtures!: string
  base: Base | undefined
  rows!: Store
  ids!: Ids
  clock!: Clock

  private constructor(
    readonly name: string,
    state: State,
    public choices: Choices,
    readonly journal: Journal,
    public overrides = new Overrides(),
    /** The random numbers for delays and faults. */
    public chance = new Chance(state.ids.seed)
  ) {
    this.become(state)
  }

  visit(request: { whenOver(callback: () => void): void }): void {
    this.visits += 1
    this.underWay += 1
    request.whenOver(() => {
      this.underWay -= 1
    })
  }

  /** Whether a client watches it, or waits for an answer. */
  get isBusy(): boolean {
    return this.underWay > 0 || this.journal.isHeard
  }

  /** Copies no rows: a sandbox shares them until it writes. */
  static start(name: string, start: Start, limits: JournalLimits): Sandbox {
    const sandbox = new Sandbox(name, stateOf(start), start.choices, new Journal(limits))
    sandbox.begin(start)
    sandbox.history = History.begin(sandbox)
    return sandbox
  }

  static of(name: string, state: State, choices: Choices, limits: JournalLimits): Sandbox {
    const sandbox = new Sandbox(name, state, choices, new Journal(limits))
    sandbox.calls = new CallLog(limits, originOf(sandbox))
    sandbox.history = History.begin(sandbox)
    return sandbox
  }

  /** Another sandbox that continues from here: same state, choices, overrides, snapshots and journal position. */
  fork(name: string, limits: JournalLimits): Sandbox {
    const { choices, overrides, chance } = this
    const journal = new Journal(limits, this.journal.position)
    const fork = new Sandbox(name, forkOf(this), choices, journal, overrides.fork(), chance.fork())
    for (const [key, snapshot] of this.snapshots) fork.snapshots.set(key, snapshot)
    fork.calls = this.calls.fork()
    fork.history = History.begin(fork)
    return fork
  }

  /** Goes back to a start. Snapshots stay, so that they can still be restored; journal and coverage may stay too. */
  reset(start: Start, keepsJournal = false): void {
    this.become(stateOf(start))
    this.choices = start.choices
    const { calls } = this
    if (!keepsJournal) {
      this.journal.restart()
      this.coverage = new Coverage()
    }
    this.begin(start)
    if (!keepsJournal) return
    const origin = originOf(this, start.template ? undefined : start)
    this.calls = calls.copy()
    this.calls.putIn(origin, heldBy(this))
  }

  /** Becomes a copy of another sandbox, except for its journal. */
  takeOver(other: Sandbox): void {
    this.become(other)
    const { choices, overrides, chance, calls } = other
    Object.assign(this, { choices, overrides, chance, calls })
    this.snapshots.clear()
    for (const [key, snapshot] of other.snapshots) this.snapshots.set(key, snapshot)
  }

  private begin(start: Start): void {
    const { template, overrides, seed } = start
    this.scene = undefined
    this.overrides = template?.overrides.fork() ?? Overrides.of(overrides)
    this.overrides.made = Math.max(this.overrides.made, start.counts?.overrides ?? 0)
    this.chance = template?.chance.fork() ?? new Chance(seed, start.counts?.chance)
    for (const [key, snapshot] of template?.snapshots ?? []) this.snapshots.set(key, snapshot)
    this.calls = template?.calls.fork() ?? new CallLog(this.journal.limits, originOf(this, start))
  }

  /** Forgets the calls in it: later calls follow the current state. */
  beginAnew(): void {
    this.calls = new CallLog(this.journal.limits, originOf(this))
  }

  /** Records that its whole state was loaded: later calls follow that state. */
  putIn(): void {
    this.calls.putIn(originOf(this), bytesOf(this.rows))
  }

  become({ fixtures, base, rows, ids, clock }: State): void {
    Object.assign(this, { fixtures, base, rows, ids, clock })
  }

  /** Returns a function that undoes all later changes of the state, except rows that are written in place. */
  remember(): () => void {
    const { fixtures, base, rows, ids, clock, choices, overrides, coverage, chance, calls } = this
    const snapshots = new Map(this.snapshots)
    const { anchor } = clock
    const undone = [ids.remember(), overrides.remember(), this.journal.remember()]
    return () => {
      Object.assign(this, { fixtures, base, rows, ids, clock, choices, overrides, coverage, chance, calls })
      clock.goBy(anchor)
      for (const undo of undone) undo()
      this.snapshots.clear()
      for (const [name, snapshot] of snapshots) this.snapshots.set(name, snapshot)
    }
  }

  /** The approximate bytes of its rows as JSON, without the shared start, and of each snapshot in full. */
  get held(): number {
    let bytes = heldBy(this)
    for (const snapshot of this.snapshots.values()) bytes += snapshot.held
    return bytes
  }

  /** `speed`: that of the clock after a restore. */
  snapshot(name: string, speed = this.clock.speed): Snapshot {
    const { fixtures, base, rows, ids, clock } = this
    const state = { fixtures, base, rows: forkStore(rows), ids: ids.fork(), now: clock.now, speed }
    const snapshot = { ...state, name, held: heldBy(this) }
    this.snapshots.set(name, snapshot)
    return snapshot
  }

  /** Goes back to a snapshot and keeps it. Choices, overrides and the journal do not change. */
  restore({ fixtures, base, rows, ids, now, speed }: Snapshot): void {
    this.become({ fixtures, base, rows: forkStore(rows), ids: ids.fork(), clock: this.clock.from({ now, speed }) })
  }
}

/** The rows of every collection, in the order of their ids. */
export function rowsOf(store: Store): Record<string, AnyRow[]> {
  return Object.fromEntries(namesOf(store).map((name) => [name, collectionOf(store, name).toJSON()]))
}

function forkOf({ fixtures, base, rows, ids, clock }: State): State {
  return { fixtures, base, rows: forkStore(rows), ids: ids.fork(), clock: clock.fork() }
}

function stateOf({ fixtures, base, rows, seed, clock, counters, template }: Start): State {
  if (template) return forkOf(template)
  return { fixtures, base, rows: forkStore(rows), ids: Ids.start(seed, rows, counters), clock }
}

/** Ensures that a sandbox and its snapshots have these collections. */
export function takeIn({ rows, snapshots }: Sandbox, collections: Iterable<string>): void {
  const names = [...collections]
  for (const state of [{ rows }, ...snapshots.values()]) ensureCollections(state.rows, names)
}

/** A state may have fewer rows than it started with. */
export function heldBy({ rows, base }: Pick<State, 'rows' | 'base'>): number {
  return Math.max(0, bytesOf(rows) - (base ? bytesOf(base.rows) : 0))
}

export const sandboxName = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Remembers the size of a sandbox. The returned function throws a Refusal if it has grown beyond the limit since then.
 * The caller then undoes the changes.
 */
export function watchRoom(sandbox: Sandbox, limit: number): () => void {
  const before = sandbox.held
  return () => {
    const { held, name } = sandbox
    // A change that makes it smaller is always allowed.
    if (held > limit && held > before) throw new Refusal('full-sandbox', { name, limit })
  }
}

/** The history of a sandbox. It starts again if the state was replaced from elsewhere. */
export function historyOf(sandbox: Sandbox): History {
  if (!sandbox.history.fits(sandbox)) sandbox.history = History.begin(sandbox)
  return sandbox.history
}

/** Forgets the calls in a sandbox and its earlier moments: changes could not be kept, or came from elsewhere. */
export function forgetAll(sandbox: Sandbox): void {
  sandbox.beginAnew()
  sandbox.history = History.begin(sandbox)
}
