import type { JsonObject } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import { parametersOf } from '../../engine/contract/text.js'
import { count, groupBy } from '../texts.js'
import { type ApiTable, type Id, isSameId, type Read, type RowOperations } from './api.js'
import type { Asker } from './calls/client.js'
import type { Input } from './calls/request.js'

export interface MadeRow {
  kind: string
  /** `unknown` if no answer named it. */
  id: Id
  /** The operation that created it; `make` for the module of `--rows`. */
  operation: string
  /** Whether it is still there after the run. `unknown`: no answer came to the call, and no list shows the row. */
  there: boolean | 'unknown'
  /** The operation that deleted it; `remove` for the module of `--rows`. */
  removedBy?: string
}

/** Creates and removes rows that the interface cannot create or remove. */
export interface RowSource {
  /** Creates a row. Returns its id, or undefined if it cannot. */
  make: (kind: string) => Id | undefined | Promise<Id | undefined>
  /** Removes a row. Returns false if it does not. */
  remove?: (kind: string, id: Id) => unknown
}

/** A created row, and the calls that delete and read it. */
export type MadeEntry = { row: MadeRow; as: Asker; remove: Read | undefined; read: Read | undefined }

/** A call that may have created rows, although its answer was lost. */
export interface LostCall {
  operation: Operation
  input: Input
  as: Asker
}

export class MadeRows {
  readonly entries: MadeEntry[] = []
  readonly lost: LostCall[] = []

  constructor(
    private readonly api: ApiTable,
    private readonly operation: (id: string) => Operation,
    private readonly onChange: (rows: readonly MadeRow[]) => void
  ) {}

  get list(): MadeRow[] {
    return this.entries.map(({ row }) => ({ ...row }))
  }

  /** Whether the run created a row with this id. */
  has(id: unknown, kind?: string): boolean {
    return this.entries.some(({ row }) => isSameId(row.id, id) && (kind ?? row.kind) === row.kind)
  }

  /** Whether a row of the run that is still there is among these ids. */
  isThere(ids: readonly string[]): boolean {
    return this.entries.some(({ row }) => row.there && ids.some((id) => isSameId(row.id, id)))
  }

  /** Notes what a successful call creates and removes. */
  note(operation: Operation, input: Input, body: unknown, as: Asker): void {
    for (const { row, remove } of this.entries) {
      if (row.there && remove?.[0] === operation.id && names(input, remove[1])) this.gone(row, operation.id)
    }
    const { makes } = this.api.operations[operation.id] ?? {}
    for (const id of makes?.ids(body, input) ?? []) this.found({ operation, input, as }, id)
  }

  lose(call: LostCall): void {
    const { makes } = this.api.operations[call.operation.id] ?? {}
    for (const id of makes?.ids(undefined, call.input) ?? []) {
      if (id === undefined) this.lost.push(call)
      else this.found(call, id, 'unknown')
    }
  }

  /** Adds a row that a call created. Without an id, no row has been found. */
  found({ operation, input, as }: LostCall, id: unknown, there: MadeRow['there'] = true): void {
    const { makes } = this.api.operations[operation.id] ?? {}
    if (!makes || (typeof id !== 'number' && typeof id !== 'string')) return
    const owners = parametersOf(operation).map((name) => input.path?.[name])
    this.add({ kind: makes.kind, id, operation: operation.id, there }, makes, as, owners)
  }

  /** Adds a row, with the operations that read and remove it. */
  add(row: MadeRow, { read, remove }: RowOperations, as: Asker = 'admin', owners: readonly unknown[] = []): void {
    const at = this.entries.findIndex((it) => it.row.kind === row.kind && isSameId(it.row.id, row.id))
    if (at >= 0 && row.id !== unknownId) this.entries.splice(at, 1)
    this.entries.push({ row, as, remove: this.callOf(remove, row, owners), read: this.callOf(read, row, owners) })
    this.onChange(this.list)
  }

  gone(row: MadeRow, removedBy?: string): void {
    row.there = false
    if (removedBy !== undefined) row.removedBy = removedBy
    this.onChange(this.list)
  }

  /** A call for one row. Its path names the rows that it belongs to first. */
  private callOf(operation: string | undefined, { kind, id }: MadeRow, owners: readonly unknown[]): Read | undefined {
    if (operation === undefined) return undefined
    const names = parametersOf(this.operation(operation))
    const { name = '' } = this.api.kinds[kind] ?? {}
    if (names.length === 0) return [operation, { body: { [name]: id } }]
    return [operation, { path: Object.fromEntries(names.map((it, at) => [it, owners[at] ?? id])) as JsonObject }]
  }
}

/** The id of a row that no answer named. */
export const unknownId = 'unknown'

/** How many rows of each kind are still there, in words. */
export function leftBehind(rows: readonly MadeRow[]): string {
  const inWords = (kind: string, { length }: MadeRow[]) =>
    kind.endsWith('s') ? `${count(length, 'row')} of ${kind}` : count(length, kind)
  return groupBy(rows, ({ there }) => there)
    .filter(([there]) => there !== false)
    .map(([there, some]) => {
      const text = groupBy(some, ({ kind }) => kind).map(([kind, group]) => inWords(kind, group))
      return there === true ? text.join(', ') : `perhaps ${text.join(', ')}, of which no answer came`
    })
    .join('; ')
}

/** Whether an input names the same row as another one. */
function names({ path, body }: Input, row: Input): boolean {
  const values: Record<string, unknown> = { ...path, ...(body as object) }
  return Object.entries({ ...row.path, ...(row.body as object) }).every(([name, value]) =>
    isSameId(values[name], value)
  )
}
