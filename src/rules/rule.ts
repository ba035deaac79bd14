import { Refusal } from '../contract/refusal.js'
import type { Assumptions, Operations, Rows } from '../contract/types.gen.js'
import { latest, timestamp } from '../mock/sandbox/clock.js'
import type { Ids } from '../mock/sandbox/ids.js'
import type { CollectionName, Store } from '../store/rows.js'

/** The operations of the interface. */
export type OperationId = {
  [Id in keyof Operations]: Operations[Id]['resource'] extends 'control' ? never : Id
}[keyof Operations]
export type Resource = Operations[OperationId]['resource']

/** What a rule knows beside its input. */
export interface Context {
  user: Rows['users']
  rows: Store
  ids: Ids
  /** The sandbox's time, as responses write it. */
  now: string
  seed: number
  /** The most members and items that a JSON text in a request may hold. */
  jsonValues: number
  /** The DocumentSource values of the contract in force; null: any. Rows of another source are not shown. */
  sources: ReadonlySet<string> | null
  /** The choice in force; the response will say that it rests on the assumption. */
  assume<Id extends keyof Assumptions>(id: Id): Assumptions[Id]
}

/** As much of it as a lifecycle needs. */
export type Timed = Pick<Context, 'now' | 'assume'>

/** As much of it as one needs to tell how rows stand. */
export type Looking = Pick<Context, 'rows' | 'now' | 'seed' | 'assume'>

/** What a row becomes next: by the clock, after so many more reads, or, without either, never by itself. */
export interface Step {
  next: string | null
  at: string | null
  reads_left?: number
}

/**
 * What an operation does. A rule is synchronous, so that every request is a transaction, and checks before it writes,
 * so that a refused request changes nothing.
 */
export type Rule<Id extends OperationId> = (input: Operations[Id]['input'], context: Context) => Operations[Id]['reply']

/** One rule for every operation of a resource. A rule that is missing, misnamed or of a wrong shape does not compile. */
export type Rules<R extends Resource> = {
  [Id in OperationId as Operations[Id]['resource'] extends R ? Id : never]: Rule<Id>
}

/** What is left of a body after a rule took its fields: a field that the rule forgets does not compile. */
export function nothingLeft(_rest: Record<string, never>): void {}

/** The number of a new row that clients see. */
export function newId({ ids, rows, assume }: Context, collection: CollectionName): number {
  return assume('ids.new') === 'never' ? ids.next(collection, rows) : ids.nextFree(collection, rows)
}

/** Refuses a row that is not there, or that is another user's. */
export function missing(row: object | undefined, values: Record<string, unknown>): Refusal {
  return new Refusal(row ? 'foreign' : 'missing', values)
}

/** Refuses to change a row that the caller may read, or may not even see. */
export function notEditable(row: object | undefined, isReadable: boolean, values: Record<string, unknown>): Refusal {
  return isReadable ? new Refusal('read-only', values) : missing(row, values)
}

/** Milliseconds after a moment, written as responses write it. */
export function later(moment: string, milliseconds: number): string {
  return timestamp(Math.min(latest, Date.parse(moment) + milliseconds))
}
