import { createHash } from 'node:crypto'
import { Refusal } from '../../contract/message/refusal.js'
import type { Operations } from '../../contract/types.gen.js'
import type { RawInput } from '../../contract/validation/validate.js'
import type { ControlContext } from '../../rules/control/index.js'
import { contextAt } from '../../rules/control/journal/history.js'
import { collectionOf, idOf } from '../../rules/control/state/ids.js'
import { hiding } from '../../rules/control/state/whole-state.js'

/** Calls that concern one row. */
const ofRow = new Set(['getRow', 'replaceRow', 'changeRow', 'removeRow'])

/** The ETag of the row that a call names: of what is stored, so that it does not change with the clock. */
export function versionOf(operation: string, input: RawInput, context: ControlContext): string | undefined {
  if (!ofRow.has(operation)) return undefined
  const { path, query } = input as unknown as Operations['getRow']['input']
  const then = contextAt(context, query.at)
  const row = collectionOf(then.sandbox.rows, path.collection).get(idOf(then, path.collection, path.id))
  if (!row) return undefined
  const text = JSON.stringify(hiding(then, path.collection)(row))
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

/** Throws a Refusal if a call names versions of its row, and the row has none of them. */
export function refuseOther(
  ifMatch: string | undefined,
  operation: string,
  input: RawInput,
  context: ControlContext
): void {
  if (ifMatch === undefined || !ofRow.has(operation)) return
  const version = versionOf(operation, input, context)
  // A proxy that compresses makes tags weak.
  const wanted = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (version !== undefined && (wanted.includes('*') || wanted.includes(version))) return
  const now = version === undefined ? 'It is gone.' : `Its ETag is now ${version}.`
  throw new Refusal('changed-row', { ...input.path, now })
}
