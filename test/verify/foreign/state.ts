import type { Rows } from './data/rows.js'
import { seed } from './data/seed.js'
import { type Bug, bugs } from './switches/bugs.js'
import { type Choice, choices } from './switches/choices.js'

/** The state of one service, and how it differs from the plain one. */
export class Service {
  readonly rows: Rows = seed(Date.now())
  private readonly on: Set<string>

  constructor(chosen: readonly string[], broken: readonly string[]) {
    for (const id of chosen) if (!(id in choices)) throw new Error(`There is no choice ${id}.`)
    for (const id of broken) if (!(id in bugs)) throw new Error(`There is no bug ${id}.`)
    this.on = new Set([...chosen, ...broken])
  }

  chose(id: Choice): boolean {
    return this.on.has(id)
  }

  broken(id: Bug): boolean {
    return this.on.has(id)
  }

  /** The switch of a family, such as the field whose check is left out, where its id is put together. */
  has(id: string): boolean {
    return this.on.has(id)
  }

  nextId(): number {
    this.rows.nextId += 1
    return this.rows.nextId
  }
}

/** Long enough for another request to come between. */
export const pause = (milliseconds = 4) => new Promise<void>((done) => setTimeout(done, milliseconds))
