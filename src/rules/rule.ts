import { Refusal } from '../contract/message/refusal.js'
import type { Assumptions, Operations, Rows } from '../contract/types.gen.js'
import { latest, timestamp } from '../mock/sandbox/clock.js'
import type { Ids } from '../mock/sandbox/ids.js'
import type { CollectionName, Store } from '../store/rows.js'

/** The operations of the interface. */
export type OperationId = {
  [Id in keyof Operations]: Operations[Id]['resource'] extends 'control' ? never : Id
}[keyof Operations]
export type Resource = Operations[OperationId]['resource']

/** What a rule knows besides its input. */
export interface Context {
  user: Rows['users']
  rows: Store
  ids: Ids
  /** The sandbox's time, as responses write it. */
  now: string
  seed: number
  /** The highest number of members and items in a JSON text of a request. */
  jsonValues: number
  /** The values of DocumentSource in the contract in force. Null: any. Rows of other sources are hidden. */
  sources: ReadonlySet<string> | null
  /** The choice in force. The response will name the assumption. */
  assume<Id extends keyof Assumptions>(id: Id): Assumptions[Id]
}

/** The part of the context that a lifecycle needs. */
export type LifecycleContext = Pick<Context, 'now' | 'assume'>

/** The part of the context that reading statuses needs. */
export type StatusContext = Pick<Context, 'rows' | 'now' | 'seed' | 'assume'>

/** The next state of a row: by the clock, after some reads, or, without either, never by itself. */
export interface LifecycleStep {
  next: string | null
  at: string | null
  reads_left?: number
}

/**
 * The function of an operation. It is synchronous, so that every request is a transaction. It checks before it writes,
 * so that a refused request changes nothing.
 */
export type Rule<Id extends OperationId> = (input: Operations[Id]['input'], context: Context) => Operations[Id]['reply']

/** The rules of a resource. A rule that is missing, misnamed or has the wrong type does not compile. */
export type Rules<R extends Resource> = {
  [Id in OperationId as Operations[Id]['resource'] extends R ? Id : never]: Rule<Id>
}

/** Takes the rest of a body. A field that the rule forgets does not compile. */
export function nothingLeft(_rest: Record<string, never>): void {}

/** The id of a new row. */
export function newId({ ids, rows, assume }: Context, collection: CollectionName): number {
  return assume('ids.new') === 'never' ? ids.next(collection, rows) : ids.nextFree(collection, rows)
}

/** How a sentence ends that does not say whether a row exists. */
export const notYours = ' or does not belong to user'

/** The refusal for a row that does not exist or belongs to another user. */
export function missing(row: object | undefined, values: Record<string, unknown>): Refusal {
  return new Refusal(row ? 'foreign' : 'missing', values)
}

/** The refusal to change a row that the caller may only read, or may not see. */
export function notEditable(row: object | undefined, isReadable: boolean, values: Record<string, unknown>): Refusal {
  return isReadable ? new Refusal('read-only', values) : missing(row, values)
}

/** A moment plus milliseconds, as responses show it. */
export function later(moment: string, milliseconds: number): string {
  return timestamp(Math.min(latest, Date.parse(moment) + milliseconds))
}
