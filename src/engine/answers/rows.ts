import type { JsonObject } from '../contract/load.js'
import type { Invalid } from '../contract/pydantic/explain.js'
import { readRow, Uniqueness } from '../control/state/check-rows.js'
import { newId, put, type SandboxWithContract } from '../control/state/ids.js'
import type { AnyRow } from '../store/collection.js'
import { collectionOf, namesOf } from '../store/rows.js'

/** Runs work in the transaction of a request. */
export type InTransaction = <T>(work: () => T) => T

/** A collection as an own rule sees it. Its rows are frozen: to change a row, a rule puts a new one. */
export interface CheckedRows {
  readonly size: number
  get(id: string | number): AnyRow | undefined
  all(): AnyRow[]
  /** Adds a row, or replaces the row with the same id. A row without an id gets the next one. */
  put(row: object): AnyRow
  remove(id: string | number): AnyRow | undefined
}

/** The collections of a sandbox. Every row is checked; an Invalid names the wrong fields. */
export function ownRows(state: SandboxWithContract & { inTransaction: InTransaction }): Record<string, CheckedRows> {
  return Object.fromEntries(namesOf(state.sandbox.rows).map((name) => [name, rowsOf(state, name, state.inTransaction)]))
}

export function rowsOf(
  state: SandboxWithContract,
  name: string,
  inTransaction: InTransaction = (work) => work()
): CheckedRows {
  const { contract, sandbox } = state
  // A rule has all collections, and uses few.
  const rows = () => collectionOf(sandbox.rows, name)
  return {
    get size() {
      return rows().size
    },
    get: (id) => frozen(rows().get(id)),
    all: () => [...rows().all()].map((row) => frozen(row)),
    put: (given) =>
      inTransaction(() => {
        const value = { ...given } as JsonObject
        value.id ??= newId(state, name)
        const row = readRow(contract, sandbox, name, value)
        new Uniqueness(contract, sandbox.rows).refuse(name, row)
        return frozen(put(sandbox, name, row))
      }),
    remove: (id) => inTransaction(() => frozen(rows().remove(id)))
  }
}

/** Sandboxes share rows that they have not changed, so rows must not be modified. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const item of Object.values(value)) frozen(item)
  return value
}

/** The errors of a row that a rule has put, as a sentence. */
export function sentence(error: Invalid): string {
  return error.problems.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
}
