import type { Rows } from './data/rows.js'
import { seed } from './data/seed.js'
import { type Bug, bugs } from './switches/bugs/index.js'
import { type Choice, choices, doubtful } from './switches/choices/index.js'
import type { Answer, Sent, Switch, Switches } from './switches/switch.js'
import { operationOf } from './switches/switch.js'

/** The state of one service, and how it differs from the plain one. */
export class Service {
  readonly rows: Rows
  private readonly on: Map<string, Switch>

  constructor(chosen: readonly string[], broken: readonly string[]) {
    this.on = new Map([
      ...chosen.map((id) => [id, known({ ...choices, ...doubtful }, id)] as const),
      ...broken.map((id) => [id, known(bugs, id)] as const)
    ])
    this.rows = seed(this.now())
  }

  /** The present as its clock has it. */
  now(): number {
    const hours = this.chose('clock-ahead') ? 1 : this.chose('clock-behind') ? -24 : 0
    return Date.now() + hours * 3_600_000
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

  /** Lets the switches change an answer. */
  change(answer: Answer, operation: string): void {
    for (const { answer: change } of this.on.values()) change?.(answer, operation)
  }

  /** Throws where a switch makes the request fail. */
  failFor(operation: string, sent: Sent): void {
    for (const it of this.on.values()) {
      if (operationOf(it) === operation && failsFor(it, sent)) throw new Error(it.says)
    }
  }

  nextId(): number {
    this.rows.nextId += 1
    return this.rows.nextId
  }
}

/** Long enough for another request to come between. */
export const pause = (milliseconds = 4) => new Promise<void>((done) => setTimeout(done, milliseconds))

function known(switches: Switches, id: string): Switch {
  const found = switches[id]
  if (!found) throw new Error(`There is no switch ${id}.`)
  return found
}

/** What cannot be looked at does not make it fail. */
function failsFor({ fails }: Switch, sent: Sent): boolean {
  try {
    return fails?.(sent) ?? false
  } catch {
    return false
  }
}
