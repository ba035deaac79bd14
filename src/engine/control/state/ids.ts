import { type JsonObject, schemaOf } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { CollectionName, Store } from '../../store/rows.js'
import type { ControlContext } from '../rule.js'

export type AnyRow = { id: string | number }
/** A collection of any kind, named by a path. */
type AnyCollection = {
  readonly size: number
  all(): Iterable<AnyRow>
  get(id: string | number): AnyRow | undefined
  put(row: object): AnyRow
  remove(id: string | number): AnyRow | undefined
}

/** The part of a sandbox that creating rows needs. */
export type RowMakingSandbox = Pick<Sandbox, 'rows' | 'ids' | 'clock'>

/** A sandbox and its contract. */
export type SandboxWithContract = Pick<ControlContext, 'contract'> & { readonly sandbox: RowMakingSandbox }

export function collectionOf(rows: Store, name: CollectionName): AnyCollection {
  return rows[name] as unknown as AnyCollection
}

/** Puts a row into a sandbox. Its id is never assigned again. */
export function put(
  { rows, ids }: Pick<RowMakingSandbox, 'rows' | 'ids'>,
  collection: CollectionName,
  row: AnyRow & JsonObject
): JsonObject {
  ids.take(collection, row.id)
  collectionOf(rows, collection).put(row)
  return row
}

export function newId(context: SandboxWithContract, collection: CollectionName): string | number {
  const { rows, ids } = context.sandbox
  if (idType(context, collection) === 'integer') return ids.next(collection, rows)
  let id = ids.uuid()
  while (rows[collection].has(id)) id = ids.uuid()
  return id
}

export function existing(context: SandboxWithContract, collection: CollectionName, text: string): AnyRow & JsonObject {
  const row = collectionOf(context.sandbox.rows, collection).get(idOf(context, collection, text))
  if (!row) throw new Refusal('unknown-row', { collection, id: text })
  return row as AnyRow & JsonObject
}

/** An id from a path, converted to the type of the collection's ids. */
export function idOf(context: SandboxWithContract, collection: CollectionName, text: string): string | number {
  if (idType(context, collection) === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  return text.toLowerCase()
}

function idType({ contract }: SandboxWithContract, collection: CollectionName): unknown {
  const row = schemaOf(contract.documents, contract.collections.get(collection)?.row)
  return [schemaOf(contract.documents, (row.properties as JsonObject).id).type].flat()[0]
}
