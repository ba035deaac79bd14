import { type JsonObject, schemaOf } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf } from '../../store/rows.js'
import type { ControlContext } from '../rule.js'

/** The part of a sandbox that creating rows needs. */
export type RowMakingSandbox = Pick<Sandbox, 'rows' | 'ids' | 'clock'>

export type SandboxWithContract = Pick<ControlContext, 'contract'> & { readonly sandbox: RowMakingSandbox }

/** Puts a row into a sandbox. Its id is never assigned again. */
export function put({ rows, ids }: Pick<RowMakingSandbox, 'rows' | 'ids'>, collection: string, row: AnyRow): AnyRow {
  ids.take(collection, row.id)
  collectionOf(rows, collection).put(row)
  return row
}

export function newId(context: SandboxWithContract, collection: string): string | number {
  const { rows, ids } = context.sandbox
  if (isNumbered(context, collection)) return ids.next(collection, rows)
  let id = ids.uuid()
  while (collectionOf(rows, collection).has(id)) id = ids.uuid()
  return id
}

export function existing(context: SandboxWithContract, collection: string, text: string): AnyRow {
  const row = collectionOf(context.sandbox.rows, collection).get(idOf(context, collection, text))
  if (!row) throw new Refusal('unknown-row', { collection, id: text })
  return row
}

/** An id from a path, converted to the type of the collection's ids. */
export function idOf(context: SandboxWithContract, collection: string, text: string): string | number {
  if (isNumbered(context, collection)) return /^-?\d+$/.test(text) ? Number(text) : text
  return text.toLowerCase()
}

export function isNumbered({ contract }: SandboxWithContract, collection: string): boolean {
  const row = schemaOf(contract.documents, contract.collections.get(collection)?.row)
  const { type } = schemaOf(contract.documents, (row.properties as JsonObject).id)
  return ['integer', 'number'].includes([type].flat()[0] as string)
}
