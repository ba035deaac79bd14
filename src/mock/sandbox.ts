import type { Choices } from '../contract/load.js'
import type { Rows } from '../contract/types.gen.js'
import { collectionNames, createStore, forkStore, type Store } from '../store/rows.js'
import { checkChoices, readLedger } from './assumptions.js'
import { Clock } from './clock.js'
import { Ids } from './ids.js'
import { Journal } from './journal.js'

/** What a sandbox starts from. */
export interface Start {
  rows: Store
  seed: number
  /** Milliseconds since 1970. */
  now: number
  /** 0: the clock stands still. */
  speed: number
  choices: Choices
}

/** A sandbox as a file keeps it. */
export interface SavedSandbox {
  name: string
  seed: number
  now: number
  speed: number
  choices: Choices
  ids: Record<string, number>
  collections: { [C in keyof Rows]: Rows[C][] }
}

/** A whole private copy of the mock: rows, identifiers, clock, journal and choices. */
export class Sandbox {
  readonly journal = new Journal()

  constructor(
    readonly name: string,
    readonly rows: Store,
    readonly ids: Ids,
    readonly clock: Clock,
    readonly choices: Choices
  ) {}

  /** Costs no copy of rows: a fork shares them until it writes. */
  static start(name: string, { rows, seed, now, speed, choices }: Start): Sandbox {
    return new Sandbox(name, forkStore(rows), Ids.start(seed, rows), new Clock(now, speed), choices)
  }

  /** Throws an Error that says what is missing when this is no saved sandbox. */
  static load({ name, seed, now, speed, choices, ids, collections }: SavedSandbox): Sandbox {
    if (!sandboxName.test(name)) throw new Error(`a sandbox is named ${name}`)
    if (![seed, now, speed].every(Number.isFinite)) throw new Error(`sandbox ${name} lacks seed, now or speed`)
    checkChoices(readLedger(), choices)
    for (const collection of collectionNames) {
      const rows: unknown = collections[collection]
      if (!Array.isArray(rows)) throw new Error(`sandbox ${name} has no ${collection}`)
      if (rows.some((row) => row?.id === undefined))
        throw new Error(`sandbox ${name} has a row without id in ${collection}`)
    }
    return new Sandbox(name, createStore(collections), new Ids(seed, ids), new Clock(now, speed), choices)
  }

  save(): SavedSandbox {
    const { name, rows, ids, clock, choices } = this
    const collections = Object.fromEntries(collectionNames.map((collection) => [collection, rows[collection].toJSON()]))
    return {
      name,
      seed: ids.seed,
      now: clock.now,
      speed: clock.speed,
      choices,
      ids: ids.toJSON() as Record<string, number>,
      collections: collections as SavedSandbox['collections']
    }
  }
}

export const sandboxName = /^[A-Za-z0-9_-]{1,64}$/
