import { type Json, type JsonObject, schemaOf } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { CollectionRow } from '../../contract/model.js'
import { lettersOf } from '../../contract/text.js'
import { hash, mix } from '../../sandbox/ids.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { AnyRow, Id } from '../../store/collection.js'
import { collectionOf } from '../../store/rows.js'
import type { ControlContext } from '../rule.js'

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
  const { pattern, maxLength, enum: values } = fieldSchema(context, collection, 'id')
  if ((pattern ?? maxLength ?? values) !== undefined) {
    const free = freeValue(context, collection, 'id', (it) => collectionOf(rows, collection).has(it as Id))
    if (free === undefined) throw new Refusal('taken-row', { collection, id: 'for each id that its schema allows' })
    return free as Id
  }
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

export function isNumbered(context: SandboxWithContract, collection: string): boolean {
  const { type } = fieldSchema(context, collection, 'id')
  return ['integer', 'number'].includes([type].flat()[0] as string)
}

function fieldSchema({ contract }: SandboxWithContract, collection: string, field: string): JsonObject {
  const row = schemaOf(contract.documents, contract.collections.get(collection)?.row)
  return schemaOf(contract.documents, (row.properties as JsonObject)[field])
}

/** A value of a field that no row has: a usual one, or one from its schema. Undefined: all are taken. */
export function freeValue(
  context: SandboxWithContract,
  collection: string,
  field: string,
  isTaken: (value: Json) => boolean
): Json | undefined {
  const { contract, sandbox } = context
  const about = contract.collections.get(collection) as CollectionRow
  const isWrong = (value: Json) =>
    contract.checkRow(about, { [field]: value }).problems.some(({ loc }) => loc[1] === field)
  const schema = fieldSchema(context, collection, field)
  const count = collectionOf(sandbox.rows, collection).size
  for (let number = 1; number <= 1000; number++) {
    const at = count + number
    const sample = contract.sample(schema, mix(sandbox.ids.seed ^ hash(`${collection} ${number}`)), 0)
    const texts =
      typeof sample === 'string'
        ? [`${collection}-${at}`, String(at), sample, `${sample}${at}`, sample + lettersOf(at)]
        : [sample, at]
    const free = texts.find((it) => !isTaken(it) && !isWrong(it))
    if (free !== undefined) return free
  }
  return undefined
}
