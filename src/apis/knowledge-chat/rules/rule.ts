import type { Context as AnyContext, Rule as AnyRule } from '../../../engine/api.js'
import { Refusal as AnyRefusal } from '../../../engine/contract/message/refusal.js'
import { latest, timestamp } from '../../../engine/sandbox/clock.js'
import type { CollectionName, Store } from '../collections.js'
import type { Assumptions, Operations, Reason, Rows, StatusResponse } from '../types.gen.js'

export type OperationId = {
  [Id in keyof Operations]: Operations[Id]['resource'] extends 'control' ? never : Id
}[keyof Operations]
export type Resource = Operations[OperationId]['resource']

/** What a rule knows in addition to its input. */
export interface Context extends Omit<AnyContext, 'user' | 'rows' | 'assume'> {
  user: Rows['users']
  rows: Store
  assume<Id extends keyof Assumptions>(id: Id): Assumptions[Id]
}

/** The part of the context that a lifecycle needs. */
export type LifecycleContext = Pick<Context, 'now' | 'assume'>

/** The part of the context that reading statuses needs. */
export type StatusContext = Pick<Context, 'rows' | 'now' | 'seed' | 'assume'>

export type Rule<Id extends OperationId> = AnyRule<Operations[Id]['input'], Context, Operations[Id]['reply']>

/** A refused request, for a reason that the contracts have. */
export const Refusal = AnyRefusal as new (reason: Reason, values?: Record<string, unknown>) => AnyRefusal

/** The rules of a resource. A rule that is missing, misnamed or has the wrong type does not compile. */
export type Rules<R extends Resource> = {
  [Id in OperationId as Operations[Id]['resource'] extends R ? Id : never]: Rule<Id>
}

/** Takes the rest of a body. A field that the rule forgets does not compile. */
export function nothingLeft(_rest: Record<string, never>): void {}

export function newId({ ids, assume }: Context, collection: CollectionName): number {
  return assume('ids.new') === 'never' ? ids.next(collection) : ids.nextFree(collection)
}

/** How a sentence ends that does not say whether a row exists. */
export const notYours = ' or does not belong to user'

/** The refusal for a row that does not exist or belongs to another user. */
export function missing(row: object | undefined, values: Record<string, unknown>): AnyRefusal {
  return new Refusal(row ? 'foreign' : 'missing', values)
}

/** The refusal to change a row that the caller may only read, or may not see. */
export function notEditable(row: object | undefined, isReadable: boolean, values: Record<string, unknown>): AnyRefusal {
  return isReadable ? new Refusal('read-only', values) : missing(row, values)
}

/** A moment plus milliseconds, as responses show it. */
export function later(moment: string, milliseconds: number): string {
  return timestamp(Math.min(latest, Date.parse(moment) + milliseconds))
}

/** The items with these ids, in order, without missing ones. `flatMap` takes several times as long. */
export function foundBy<Id, Item>(ids: readonly Id[], find: (id: Id) => Item | undefined): Item[] {
  const items: Item[] = []
  for (const id of ids) {
    const item = find(id)
    if (item !== undefined) items.push(item)
  }
  return items
}

/** The rows of a list in the order of `lists.order`. They are given in the usual order. */
export function inOrder<Row>(context: Context, rows: Row[]): Row[] {
  if (rows.length < 2) return rows
  return context.assume('lists.order') === 'reversed' ? [...rows].reverse() : rows
}

export function isCurator(user: Rows['users']): boolean {
  return user.role === 'curator' || user.role === 'global_curator'
}

/** Whether the caller may change rows of others that it may see. */
export function changesAll(context: Context): boolean {
  const { user } = context
  const curatorsToo = context.assume('auth.editing') === 'curators-too'
  return user.role === 'admin' || (curatorsToo && isCurator(user))
}

/** The sources in the contract in force. Null: any. */
export function sourcesOf(context: Context): ReadonlySet<string> | null {
  return context.valuesOf('common.json#/$defs/DocumentSource')
}

/** Whether the contract in force knows the row's source (2.1). Rows of other sources appear in no response. */
export function isKnown(context: Context, row: { source: string }): boolean {
  const sources = sourcesOf(context)
  return sources === null || sources.has(row.source)
}

/** The result of a request with status 200 (2.5). */
export function statusResponse(context: Context, success: boolean, message: string, data: number): StatusResponse {
  const isTold = context.assume('status-response.message') === 'sentence'
  return { success, message: isTold ? message : null, data }
}
