import { type Json, type JsonObject, mergePatch } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import { collectionOf } from '../../store/rows.js'
import { contextAt } from '../journal/past.js'
import { type ControlContext, type ControlRules, invalid } from '../rule.js'
import { readRow, referrersOf, Uniqueness } from './check-rows.js'
import { fieldsOf } from './collections.js'
import { createRows, preparedRows, traitsIn } from './create.js'
import { existing, idOf, put } from './ids.js'
import { showing } from './shown.js'
import { hiding, shownRows } from './whole-state.js'

export const rowRules: ControlRules<'addRow' | 'getRow' | 'replaceRow' | 'changeRow' | 'removeRow'> = {
  addRow: ({ path: { collection }, query: { count, trait }, body }, context) => {
    const options = { part: body as JsonObject, traits: traitsIn(trait), ...(count && { count }) }
    const newRows = preparedRows(context) ?? createRows(context, collection, options)
    const rows = newRows.map(shownRows(context, collection))
    return count === undefined ? (rows[0] as JsonObject) : { rows }
  },

  getRow: ({ path: { collection, id }, query: { stored, at } }, outer) => {
    const context = contextAt(outer, at)
    const row = existing(context, collection, id)
    const shown = stored ? row : showing(context.contract.api, context.sandbox, context.sandbox.rows)(collection, row)
    if (!shown) throw new Refusal('unknown-row', { collection, id })
    return hiding(context, collection)(shown)
  },

  replaceRow: ({ path: { collection, id: text }, body }, context) => {
    const id = idOf(context, collection, text)
    return replaced(context, collection, id, { ...(body as JsonObject), id: (body.id as Json) ?? id })
  },

  changeRow: ({ path: { collection, id: text }, body }, context) => {
    const row = existing(context, collection, text)
    return replaced(context, collection, row.id, merged(context, collection, row, body as JsonObject))
  },

  removeRow: ({ path }, context) => {
    const { id } = existing(context, path.collection, path.id)
    const referrers = referrersOf(context.contract, context.sandbox.rows, path.collection, id)
    if (referrers.length > 0) {
      throw new Refusal('referenced-row', { collection: path.collection, id, referrers: referrers.join(', ') })
    }
    collectionOf(context.sandbox.rows, path.collection).remove(id)
    return { removed: 1 }
  }
}

function replaced(context: ControlContext, collection: string, id: string | number, value: JsonObject) {
  const { sandbox, contract } = context
  const row = readRow(contract, sandbox, collection, value)
  if (row.id !== id) throw invalid(['body', 'id'], `The id must be the one in the path, ${id}.`)
  new Uniqueness(contract, sandbox.rows).refuse(collection, row)
  return shownRows(context, collection)(put(sandbox, collection, row))
}

/** A row after a merge patch (RFC 7396). Rows have all fields, so a removed one becomes null if it is nullable. */
function merged({ contract }: ControlContext, collection: string, row: JsonObject, patch: JsonObject) {
  const result = mergePatch(row, patch) as JsonObject
  for (const { name, types } of fieldsOf(contract, collection)) {
    if (patch[name] === null && types.includes('null')) result[name] = null
  }
  return result
}
