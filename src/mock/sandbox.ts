import type { Choices } from '../contract/load.js'
import type { Rows } from '../contract/types.gen.js'
import { collectionNames, createStore, forkStore, type Store } from '../store/rows.js'
import { checkChoices, type LedgerEntry } from './assumptions.js'
import { Clock } from './clock.js'
import { Coverage } from './coverage.js'
import { Ids } from './ids.js'
import { Journal, type JournalLimits } from './journal.js'
import { Overrides } from './overrides.js'

/** What a sandbox starts from. */
export interface Start {
  /** The name of the fixture set that the rows are of. */
  fixtures: string
  rows: Store
  seed: number
  /** Milliseconds since 1970. */
  now: number
  /** 0: the clock stands still. */
  speed: number
  choices: Choices
}

/** What the platform knows in one sandbox, at one moment. */
export interface State {
  fixtures: string
  rows: Store
  ids: Ids
  clock: Clock
}

/** A named state: its clock stands until one goes back to it. */
export interface Snapshot extends Omit<State, 'clock'> {
  name: string
  /** Milliseconds since 1970, by the sandbox's clock. */
  now: number
  speed: number
  /** Milliseconds since 1970, real time. */
  takenAt: number
}

/** A sandbox as a file keeps it. */
export interface SavedSandbox {
  name: string
  fixtures: string
  seed: number
  now: number
  speed: number
  choices: Choices
  ids: Record<string, number>
  collections: { [C in keyof Rows]: Rows[C][] }
}

/** A whole private copy of the mock: rows, identifiers, clock, choices, overrides, snapshots and journal. */
export class Sandbox implements State {
  readonly snapshots = new Map<string, Snapshot>()
  readonly coverage = new Coverage()
  readonly createdAt = Date.now()
  /** When it was last asked, in milliseconds of performance.now(). */
  usedAt = performance.now()

  private constructor(
    readonly name: string,
    public fixtures: string,
    public rows: Store,
    public ids: Ids,
    public clock: Clock,
    public choices: Choices,
    readonly journal: Journal,
    readonly overrides = new Overrides()
  ) {}

  /** Costs no copy of rows: a fork shares them until it writes. */
  static start(name: string, start: Start, limits: JournalLimits): Sandbox {
    const { fixtures, rows, ids, clock } = stateOf(start)
    return new Sandbox(name, fixtures, rows, ids, clock, start.choices, new Journal(limits))
  }

  /** Another one that goes on from here: same state, choices, overrides, snapshots and position of the journal. */
  fork(name: string, limits: JournalLimits): Sandbox {
    const { fixtures, rows, ids, clock, choices, overrides } = this
    const journal = new Journal(limits, this.journal.position)
    const fork = new Sandbox(
      name,
      fixtures,
      forkStore(rows),
      ids.fork(),
      clock.fork(),
      choices,
      journal,
      overrides.fork()
    )
    for (const [key, snapshot] of this.snapshots) fork.snapshots.set(key, snapshot)
    return fork
  }

  /** Back to a start, as if nothing had been before. Snapshots stay: one may want to go back to them. */
  reset(start: Start): void {
    this.become(stateOf(start))
    this.choices = start.choices
    this.overrides.restart()
    this.journal.restart()
    this.coverage.clear()
  }

  /** Puts another state in the place of this one. */
  become({ fixtures, rows, ids, clock }: State): void {
    Object.assign(this, { fixtures, rows, ids, clock })
  }

  snapshot(name: string): Snapshot {
    const { fixtures, rows, ids, clock } = this
    const kept = { fixtures, rows: forkStore(rows), ids: ids.fork(), now: clock.now, speed: clock.speed }
    const snapshot = { ...kept, name, takenAt: Date.now() }
    this.snapshots.set(name, snapshot)
    return snapshot
  }

  /** Back to a snapshot, which stays. Choices, overrides and the journal are as they are. */
  restore({ fixtures, rows, ids, now, speed }: Snapshot): void {
    this.become({ fixtures, rows: forkStore(rows), ids: ids.fork(), clock: new Clock(now, speed) })
  }

  /** Throws an Error that says what is missing when this is no saved sandbox. */
  static load(saved: SavedSandbox, limits: JournalLimits, ledger: LedgerEntry[]): Sandbox {
    const { name, fixtures, seed, now, speed, choices, ids, collections } = saved
    if (!sandboxName.test(name)) throw new Error(`a sandbox is named ${name}`)
    if (![seed, now, speed].every(Number.isFinite)) throw new Error(`sandbox ${name} lacks seed, now or speed`)
    checkChoices(ledger, choices)
    for (const collection of collectionNames) {
      const rows: unknown = collections[collection]
      if (!Array.isArray(rows)) throw new Error(`sandbox ${name} has no ${collection}`)
      if (rows.some((row) => row?.id === undefined))
        throw new Error(`sandbox ${name} has a row without id in ${collection}`)
    }
    const rows = createStore(collections)
    return new Sandbox(name, fixtures, rows, new Ids(seed, ids), new Clock(now, speed), choices, new Journal(limits))
  }

  save(): SavedSandbox {
    const { name, fixtures, rows, ids, clock, choices } = this
    return {
      name,
      fixtures,
      seed: ids.seed,
      now: clock.now,
      speed: clock.speed,
      choices,
      ids: ids.toJSON() as Record<string, number>,
      collections: rowsOf(rows)
    }
  }
}

/** The rows of every collection, in the order of their ids. */
export function rowsOf(rows: Store): { [C in keyof Rows]: Rows[C][] } {
  const collections = collectionNames.map((collection) => [collection, rows[collection].toJSON()])
  return Object.fromEntries(collections) as { [C in keyof Rows]: Rows[C][] }
}

function stateOf({ fixtures, rows, seed, now, speed }: Start): State {
  return { fixtures, rows: forkStore(rows), ids: Ids.start(seed, rows), clock: new Clock(now, speed) }
}

export const sandboxName = /^[A-Za-z0-9_-]{1,64}$/
