import type { Contract } from '../../../contract/contract.js'
import type { JsonObject } from '../../../contract/load.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import { createRowRedaction } from '../../../contract/redaction.js'
import type { Operations, State as StateDocument } from '../../../contract/types.gen.js'
import { timestamp } from '../../../mock/sandbox/clock.js'
import { highestCounted } from '../../../mock/sandbox/ids.js'
import { type CollectionName, collectionNames, creatingStore, forkStore, type Store } from '../../../store/rows.js'
import { sorting } from '../../../store/sorting.js'
import type { Steps } from '../../../store/steps.js'
import { orderOf } from '../order.js'
import { wrong } from '../problems.js'
import type { ControlContext } from '../rule.js'
import { readCollections } from './check-rows.js'
import { fieldsOf } from './collections.js'

/** A state of now: what is written meanwhile is not in it. */
export function* readState(_: object, context: ControlContext): Steps<StateDocument> {
  const { fixtures, ids, clock, rows } = context.sandbox
  const state = {
    fixtures: fixtures as NonNullable<StateDocument['fixtures']>,
    seed: ids.seed,
    now: timestamp(clock.now),
    ids: { ...ids.toJSON() } as Record<string, number>
  }
  const then = forkStore(rows)
  const collections: StateDocument['collections'] = {}
  for (const name of collectionNames) collections[name] = yield* gathered(then[name].all(), shownRows(context, name))
  return { ...state, collections }
}

/** The rows of a collection that match at this moment, in their order. */
export function* readRows(
  { path: { collection }, query: { limit, offset = 0, q, sort } }: Operations['listRows']['input'],
  context: ControlContext
): Steps<Operations['listRows']['reply']> {
  const order = sort === undefined ? undefined : orderOf(fieldsOf(context.contract, collection), sort)
  const rows = context.sandbox.rows[collection].fork().all()
  const show = shownRows(context, collection)
  const all = yield* gathered(rows, (row) => {
    const shown = show(row)
    return q === undefined || holds(shown, q) ? shown : undefined
  })
  const sorted = order ? yield* sorting(all, order) : all
  return { rows: sorted.slice(offset, limit === undefined ? undefined : offset + limit), total: all.length }
}

/** The rows of a state that was sent, checked under a contract. */
export interface Taken {
  contract: Contract
  rows: Store
}

/** Checks all that a state holds; `time` is the moment if it names none. It changes nothing, so requests meanwhile find the state as it was. */
export function* takeState(
  contract: Contract,
  body: Operations['replaceState']['input']['body'],
  time: number
): Steps<Taken> {
  checkCounters(body.ids)
  const collections = yield* readCollections(
    contract,
    body.collections,
    body.now === undefined ? time : Date.parse(body.now)
  )
  return { contract, rows: yield* creatingStore(collections as Parameters<typeof creatingStore>[0]) }
}

/** Maps rows in steps, and leaves out undefined. */
function* gathered<T>(rows: Iterable<object>, make: (row: JsonObject) => T | undefined): Steps<T[]> {
  const all: T[] = []
  let count = 0
  for (const row of rows) {
    const made = make(row as JsonObject)
    if (made !== undefined) all.push(made)
    if (++count % rowsInStep === 0) yield
  }
  return all
}

/** So many rows take less than a millisecond. */
const rowsInStep = 50

/** What gives out the rows of a collection. */
export function shownRows(context: ControlContext, collection: CollectionName): (row: JsonObject) => JsonObject {
  const { contract, hidesSecrets } = context
  if (!hidesSecrets) return (row) => row
  return createRowRedaction(contract.documents, contract.collections.get(collection)?.row ?? {})
}

function checkCounters(ids: Record<string, number> = {}): void {
  const known = [...collectionNames, 'uuid']
  const problems = Object.entries(ids).flatMap(([name, count]) => {
    const loc = ['body', 'ids', name]
    if (!known.includes(name)) return [wrong(loc, 'No identifiers are counted by this name.', known)]
    return Math.abs(count) <= highestCounted ? [] : [wrong(loc, `A count is at most ${highestCounted}.`)]
  })
  if (problems.length > 0) throw new Invalid(problems)
}

function holds(row: object, text: string): boolean {
  return JSON.stringify(row).toLowerCase().includes(text.toLowerCase())
}
