import type { JsonObject } from '../../contract/load.js'
import type { Operations } from '../../contract/types.gen.js'
import { Ids } from '../../sandbox/ids.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf, forkStore, namesOf, type Store } from '../../store/rows.js'
import type { Steps } from '../../store/steps.js'
import type { ControlContext } from '../rule.js'
import { creatingRows, traitsIn } from './create.js'
import type { RowMakingSandbox } from './ids.js'

/** Creating fewer rows takes only a few milliseconds. */
const many = 50

/** The number of attempts. If the sandbox keeps changing, the rows are then created in one turn. */
const tries = 3

/** Rows that were created outside a sandbox, and the state of the sandbox at that time. */
export class Prepared {
  private readonly before: Store
  readonly place: RowMakingSandbox
  rows: AnyRow[] = []
  private readonly counters: string
  /** The time on the clock when they were created. */
  readonly moment: number
  /** Whether the sandbox got them. */
  isTaken = false

  constructor({ rows, ids, clock }: RowMakingSandbox) {
    this.before = forkStore(rows)
    this.counters = JSON.stringify(ids)
    this.moment = clock.now
    const stopped = clock.from({ now: this.moment, speed: 0 })
    this.place = { rows: forkStore(rows), ids: new Ids(ids.seed, ids.toJSON()), clock: stopped }
  }

  /** Whether creating the rows now would give the same result. */
  fits({ rows, ids }: RowMakingSandbox): boolean {
    const isSame = (name: string) => collectionOf(rows, name).isAs(collectionOf(this.before, name))
    return JSON.stringify(ids) === this.counters && namesOf(rows).every(isSame)
  }

  moveInto({ rows, ids }: RowMakingSandbox): AnyRow[] {
    for (const name of namesOf(rows)) {
      const collection = collectionOf(rows, name)
      const { put } = collection.difference(collectionOf(this.place.rows, name))
      for (const row of put) collection.put(row)
    }
    ids.goOnAfter(this.place.ids)
    this.isTaken = true
    return this.rows
  }
}

/** Creates many rows in steps, so that other requests are served. Changes in other sandboxes do not matter. */
export function* prepareRows(
  { path, query: { count = 1, trait }, body }: Operations['addRow']['input'],
  context: ControlContext
): Steps<Prepared | undefined> {
  if (count < many) return undefined
  for (let tried = 0; tried < tries; tried++) {
    const made = new Prepared(context.sandbox)
    const copy = { ...context, sandbox: made.place }
    made.rows = yield* creatingRows(copy, path.collection, {
      part: body as JsonObject,
      traits: traitsIn(trait),
      count
    })
    if (made.fits(context.sandbox)) return made
  }
  return undefined
}

/** Adds the prepared rows, or returns undefined if the sandbox has changed since. */
export function preparedRows({ prepared, sandbox }: ControlContext): AnyRow[] | undefined {
  return prepared instanceof Prepared && prepared.fits(sandbox) ? prepared.moveInto(sandbox) : undefined
}
