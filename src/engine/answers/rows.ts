import type { Json, JsonObject } from '../contract/load.js'
import { plainCopy } from '../contract/message/user-file.js'
import type { CollectionRow } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { fieldsIn } from '../contract/schemas/schemas.js'
import { readRow, Uniqueness } from '../control/state/check-rows.js'
import { newId, put, type SandboxWithContract } from '../control/state/ids.js'
import { statusesAt } from '../control/state/shown.js'
import { hash } from '../sandbox/ids.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AnyRow } from '../store/collection.js'
import { collectionOf, namesOf } from '../store/rows.js'

/** A collection as a document's rule sees it. Its rows are frozen: to change a row, a rule puts a new one. */
export interface CheckedRows {
  readonly size: number
  get(id: string | number): AnyRow | undefined
  all(): AnyRow[]
  /** Adds a row, or replaces the row with the same id. A row without an id gets the next one. */
  put(row: object): AnyRow
  remove(id: string | number): AnyRow | undefined
}

type Write = <T>(write: () => T) => T
type State = SandboxWithContract & { readonly sandbox: Pick<Sandbox, 'choices'> }

/** The collections for the rule of an operation. `inTransaction` runs a write in the transaction of the request. */
export function checkedRows(state: State, operation: string, inTransaction: Write): Record<string, CheckedRows> {
  const write: Write = (work) => {
    try {
      return inTransaction(work)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      const wrong = error.problems.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')
      throw new Error(`The rule of ${operation} put a row that breaks its contract: ${wrong}`)
    }
  }
  return Object.fromEntries(namesOf(state.sandbox.rows).map((name) => [name, rowsOf(state, name, write)]))
}

/** One collection. Every row is checked; an Invalid names the wrong fields. */
export function rowsOf(state: State, name: string, write: Write = (work) => work()): CheckedRows {
  return new RuleRows(state, name, write)
}

/** See `RuleContext` for why it is a class. */
class RuleRows implements CheckedRows {
  constructor(
    private readonly state: State,
    private readonly name: string,
    private readonly write: Write
  ) {}

  // A rule has all collections, and uses few.
  private get rows() {
    return collectionOf(this.state.sandbox.rows, this.name)
  }

  get size() {
    return this.rows.size
  }

  readonly get: CheckedRows['get'] = (id) => {
    const row = this.rows.get(id)
    return row && frozen(this.now(row))
  }

  readonly all: CheckedRows['all'] = () => [...this.rows.all()].map((row) => frozen(this.now(row)))

  /** A row of a document's collection with its status now. An older row gets the fields that the document has required since. */
  private now(stored: AnyRow): AnyRow {
    const { contract, sandbox } = this.state
    const { shown } = contract.api.document ? (contract.api.collections[this.name] ?? {}) : {}
    const row = shown?.(statusesAt(sandbox, sandbox.rows, sandbox.clock.time), stored) ?? stored
    const { count, row: schema } = contract.collections.get(this.name) as CollectionRow
    const missing =
      count === undefined ? [] : fieldsIn(contract, schema).required.filter((it) => !Object.hasOwn(row, it))
    if (missing.length === 0) return row
    const sample = contract.sample(schema as JsonObject, sandbox.ids.seed, hash(String(row.id))) as JsonObject
    return { ...Object.fromEntries(missing.map((it) => [it, sample[it] as Json])), ...row }
  }

  readonly remove: CheckedRows['remove'] = (id) => this.write(() => frozen(this.rows.remove(id)))

  readonly put: CheckedRows['put'] = (fields) =>
    this.write(() => {
      const { contract, sandbox } = this.state
      // A row that is not JSON could not be stored or shown.
      const value = { ...(plainCopy(fields, 'The row contains itself', 'The row') as JsonObject) }
      value.id ??= newId(this.state, this.name)
      const row = readRow(contract, sandbox, this.name, value)
      new Uniqueness(contract, sandbox.rows).refuse(this.name, row)
      return frozen(this.now(put(sandbox, this.name, row)))
    })
}

/** Sandboxes share rows that they have not changed, so rows must not be modified. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const item of Object.values(value)) frozen(item)
  return value
}
