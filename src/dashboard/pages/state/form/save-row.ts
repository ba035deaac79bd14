import { call, Refused, send } from '../../client.js'
import { undoable } from '../../undo/undo.js'
import { one } from '../labels.js'
import type { AnyRow, CollectionName } from './fields.js'

/** A field that another client has changed since it was loaded. */
export interface Conflict {
  field: string
  now: unknown
}

/**
 * Saves the changed fields of a row over its current version: changes of others to other fields stay. If another client has
 * changed one of these fields since, saves nothing and returns the conflicts.
 */
export async function saveRow(
  collection: CollectionName,
  loaded: AnyRow,
  changed: Record<string, unknown>
): Promise<{ conflicts: Conflict[]; now: AnyRow }> {
  const path = { collection, id: String(loaded.id) }
  // The version comes first: a change between these calls is then refused, and so is one after them.
  const answer = await send('getRow', { path, query: { stored: true } })
  const stored = (await answer.json()) as AnyRow
  const now = (await call('getRow', { path })) as AnyRow
  const isOther = (field: string) => !isSame(now[field], loaded[field])
  const conflicts = Object.keys(changed).filter(isOther)
  if (conflicts.length > 0) return { conflicts: conflicts.map((field) => ({ field, now: now[field] })), now }
  const ifMatch = answer.headers.get('etag') ?? '*'
  try {
    await undoable('replaceRow', { path, ifMatch, body: { ...stored, ...changed } }, `${one(collection)} was saved.`)
  } catch (error) {
    if (error instanceof Refused && error.problem.status === 412) return saveRow(collection, loaded, changed)
    throw error
  }
  return { conflicts: [], now }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function conflictText({ now }: Conflict): string {
  return `Somebody else changed this meanwhile. It is now ${JSON.stringify(now)}. Save again to overwrite it.`
}
