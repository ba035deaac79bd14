import { call } from '../../client.js'
import { undoable } from '../../undo/undo.js'
import { one } from '../labels.js'
import type { AnyRow, CollectionName } from './fields.js'

/** A field that somebody else has changed since it was loaded. */
export interface Conflict {
  field: string
  now: unknown
}

/**
 * Saves the changed fields of a row, over what is stored by now: what others changed elsewhere in the row stays. If
 * somebody has changed one of these fields since, saves nothing and returns the conflicts.
 */
export async function saveRow(
  collection: CollectionName,
  loaded: AnyRow,
  changed: Record<string, unknown>
): Promise<{ conflicts: Conflict[]; now: AnyRow }> {
  const path = { collection, id: String(loaded.id) }
  const [now, stored] = (await Promise.all([
    call('getRow', { path }),
    call('getRow', { path, query: { stored: true } })
  ])) as [AnyRow, AnyRow]
  const isOther = (field: string) => !isSame(now[field], loaded[field])
  const conflicts = Object.keys(changed).filter(isOther)
  if (conflicts.length > 0) return { conflicts: conflicts.map((field) => ({ field, now: now[field] })), now }
  await undoable('replaceRow', { path, body: { ...stored, ...changed } }, `${one(collection)} was saved.`)
  return { conflicts: [], now }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function conflictText({ now }: Conflict): string {
  return `Somebody else changed this meanwhile. It is now ${JSON.stringify(now)}. Save again to overwrite it.`
}
