import type { Contract } from '../../contract/contract.js'
import type { JsonObject } from '../../contract/load.js'
import type { CollectionRow } from '../../contract/model.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Operations, Summary } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import { highestCounted, Ids } from '../../sandbox/ids.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { State } from '../../sandbox/state.js'
import type { Id } from '../../store/collection.js'
import { collectionOf, creatingStore, ensureCollections, namesOf, type Store } from '../../store/rows.js'
import { atOnce, type Steps } from '../../store/steps.js'
import { type ControlRules, wrong } from '../rule.js'
import { noCollection, plainRow, readCollections } from './check-rows.js'
import { showing, storedFieldsOf } from './shown.js'

export const stateRules: ControlRules<'resetSandbox' | 'replaceState'> = {
  resetSandbox: ({ body, query }, { sandbox, start }) => {
    sandbox.reset(start(body), query.keep_journal)
    return summary(sandbox)
  },

  replaceState: ({ body }, { sandbox, contract, prepared }) => {
    const { fixtures = sandbox.fixtures, seed = sandbox.ids.seed, now, ids } = body
    const state = prepared as TakenState | undefined
    // The choices, and with them the valid rows, may have changed since.
    const { rows } = state?.contract === contract ? state : atOnce(takeState(contract, body, sandbox))
    const clock =
      now === undefined ? sandbox.clock : sandbox.clock.from({ now: Date.parse(now), speed: sandbox.clock.speed })
    sandbox.become({ fixtures, base: undefined, rows, ids: Ids.after(seed, rows, ids), clock })
    return summary(sandbox)
  }
}

export function summary({ fixtures, ids, clock, rows }: State): Summary {
  const counts = namesOf(rows).map((name) => [name, collectionOf(rows, name).size])
  return { fixtures, seed: ids.seed, now: timestamp(clock.now), rows: Object.fromEntries(counts) }
}

type Body = Operations['replaceState']['input']['body']
type Collections = Record<string, JsonObject[]>
type StoredFields = Record<string, Record<string, JsonObject>>

/** The rows of a state that was sent, checked under a contract. */
interface TakenState {
  contract: Contract
  rows: Store
}

/** The sandbox that receives the state. It keeps what the state leaves out. */
type ReceivingSandbox = Pick<Sandbox, 'choices' | 'ids' | 'clock'>

/** Checks a whole state. It changes nothing, so that requests in the meantime see the old state. */
export function* takeState(
  contract: Contract,
  body: Body,
  { choices, ids, clock }: ReceivingSandbox
): Steps<TakenState> {
  checkCounters(contract, body.ids)
  const now = body.now === undefined ? clock.now : Date.parse(body.now)
  const at = { choices, ids: new Ids(body.seed ?? ids.seed), clock, now }
  const rowsByName = body.collections as Collections
  const stored = (body.stored ?? {}) as StoredFields
  const rows = yield* atStored(rowsByName, stored, reading(contract, withStored(contract, rowsByName, stored), now))
  const storedRest = untouched(contract, rowsByName, stored, rows, at)
  // A client that changed a shown row meant the shown values, not the stored ones.
  if (storedRest === stored) return { contract, rows }
  return { contract, rows: yield* reading(contract, withStored(contract, rowsByName, storedRest), now) }
}

function* reading(contract: Contract, collections: Collections, now: number): Steps<Store> {
  const read = yield* readCollections(contract, collections, now)
  const rows = yield* creatingStore(contract.api.collections, read)
  ensureCollections(rows, contract.collections.keys())
  return rows
}

/** The rows as they were stored: shown rows with their stored fields, and rows that are gone. */
function withStored({ collections }: Contract, rowsByName: Collections, stored: StoredFields): Collections {
  const unknown = Object.keys(stored).filter((name) => !collections.has(name))
  if (unknown.length > 0) {
    throw new Invalid(unknown.map((name) => wrong(['body', 'stored', name], noCollection)))
  }
  const all = { ...rowsByName }
  for (const [name, byId] of Object.entries(stored)) {
    const shown = (rowsByName[name] ?? []).map((row) => {
      const id = idOf(row)
      const other = Object.hasOwn(byId, id) ? byId[id] : undefined
      return other && !isWhole(other) ? { ...row, ...other } : row
    })
    all[name] = [...shown, ...wholeIn(byId).map(([, other]) => other)]
  }
  return all
}

/** Reports problems of stored rows under `stored`. */
function* atStored<T>(rowsByName: Collections, stored: StoredFields, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    throw new Invalid(
      error.problems.map((problem) => {
        const [, , name, position, ...field] = problem.loc as [string, string, string, number, ...string[]]
        const byId = stored[name] ?? {}
        const rows = rowsByName[name] ?? []
        const id = rows[position] ? idOf(rows[position]) : wholeIn(byId)[position - rows.length]?.[0]
        const isStored = id !== undefined && (!rows[position] || field.some((it) => Object.hasOwn(byId[id] ?? {}, it)))
        return isStored ? { ...problem, loc: ['body', 'stored', name, id, ...field] } : problem
      })
    )
  }
}

/** The id of an unchecked row, as `stored` names it. */
function idOf(row: JsonObject | undefined): string {
  return typeof row?.id === 'object' ? '' : String(row?.id)
}

function wholeIn(byId: Record<string, JsonObject>): [string, JsonObject][] {
  return Object.entries(byId).filter(([, other]) => isWhole(other))
}

/** A row that is gone is stored whole. */
function isWhole(other: JsonObject): boolean {
  return 'id' in other
}

/** What is stored of rows that were sent as they were shown. Returns the same object if that is everything. */
function untouched(
  contract: Contract,
  rowsByName: Collections,
  stored: StoredFields,
  rows: Store,
  { now, ...at }: ReceivingSandbox & { now: number }
): StoredFields {
  const show = showing(contract.api, at, rows, now)
  let isAll = true
  const result: StoredFields = {}
  for (const [name, fields] of Object.entries(stored)) {
    const collection = contract.collections.get(name) as CollectionRow
    const byId = new Map((rowsByName[name] ?? []).map((row) => [String(row.id), row]))
    const writing = { now, userId: () => undefined }
    const entries = Object.entries(fields).filter(([id, other]) => {
      const row = collectionOf(rows, name).get((isWhole(other) ? other.id : byId.get(id)?.id) as Id)
      const shown = row && show(name, row)
      if (!row || !shown || isWhole(other)) return row !== undefined && shown === undefined && isWhole(other)
      const { value } = plainRow(contract, collection, byId.get(id), writing)
      return Object.keys(storedFieldsOf(row, shown) ?? {}).every(
        (field) => JSON.stringify((value as JsonObject)[field]) === JSON.stringify(shown[field])
      )
    })
    isAll &&= entries.length === Object.keys(fields).length
    result[name] = Object.fromEntries(entries)
  }
  return isAll ? stored : result
}

function checkCounters({ collections }: Contract, ids: Record<string, number> = {}): void {
  const names = [...collections.keys(), 'uuid']
  const problems = Object.entries(ids).flatMap(([name, count]) => {
    const loc = ['body', 'ids', name]
    if (!names.includes(name)) return [wrong(loc, noCollection, names)]
    return Math.abs(count) <= highestCounted ? [] : [wrong(loc, `A count is at most ${highestCounted}.`)]
  })
  if (problems.length > 0) throw new Invalid(problems)
}
