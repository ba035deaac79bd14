import { type Json, type JsonObject, schemaOf } from '../../../contract/load.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import { Refusal } from '../../../contract/refusal.js'
import type { Summary } from '../../../contract/types.gen.js'
import { timestamp } from '../../../mock/sandbox/clock.js'
import { Ids } from '../../../mock/sandbox/ids.js'
import type { Sandbox, State } from '../../../mock/sandbox/sandbox.js'
import { type CollectionName, collectionNames, type Store } from '../../../store/rows.js'
import { atOnce } from '../../../store/steps.js'
import { wrong } from '../problems.js'
import { type ControlContext, type ControlRules, ruleOf } from '../rule.js'
import { readRow, referrersOf, refuseTwice } from './check-rows.js'
import { readRows, readState, shownRows, type Taken, takeState } from './whole-state.js'

type AnyRow = { id: string | number }
/** A collection whose rows may be any: which one it is, a path says. */
type AnyCollection = {
  get(id: string | number): AnyRow | undefined
  put(row: object): AnyRow
  remove(id: string | number): AnyRow | undefined
}

export const stateRules: ControlRules<
  'resetSandbox' | 'getState' | 'replaceState' | 'listRows' | 'addRow' | 'getRow' | 'replaceRow' | 'removeRow'
> = {
  resetSandbox: ({ body }, { sandbox, start }) => {
    sandbox.reset(start(body))
    return summary(sandbox)
  },

  getState: ruleOf<'getState'>(readState),

  replaceState: ({ body }, { sandbox, contract, prepared }) => {
    const { fixtures = sandbox.fixtures, seed = sandbox.ids.seed, now, ids } = body
    const taken = prepared as Taken | undefined
    // Choices may have changed since, and with them what a row may be.
    const { rows } = taken?.contract === contract ? taken : atOnce(takeState(contract, body))
    const clock =
      now === undefined ? sandbox.clock : sandbox.clock.from({ now: Date.parse(now), speed: sandbox.clock.speed })
    sandbox.become({ fixtures, base: undefined, rows, ids: Ids.after(seed, rows, ids), clock })
    return summary(sandbox)
  },

  listRows: ruleOf<'listRows'>(readRows),

  addRow: ({ path: { collection }, body }, context) => {
    const { sandbox, contract } = context
    const ids = sandbox.ids.fork()
    const id = (body.id as Json | undefined) ?? nextId(context, ids, collection)
    const row = readRow(contract, sandbox.rows, collection, { ...(body as JsonObject), id })
    if (sandbox.rows[collection].has(row.id as never)) throw new Refusal('taken-row', { collection, id: row.id })
    refuseTwice(contract, sandbox.rows, collection, row)
    sandbox.ids = ids
    return shownRows(context, collection)(put(sandbox, collection, row))
  },

  getRow: ({ path }, context) => shownRows(context, path.collection)(existing(context, path.collection, path.id)),

  replaceRow: ({ path: { collection, id: text }, body }, context) => {
    const id = idOf(context, collection, text)
    const { sandbox, contract } = context
    const row = readRow(contract, sandbox.rows, collection, { ...(body as JsonObject), id: (body.id as Json) ?? id })
    if (row.id !== id) throw new Invalid([wrong(['body', 'id'], `This is not the id in the path, which is ${id}.`)])
    refuseTwice(contract, sandbox.rows, collection, row)
    return shownRows(context, collection)(put(sandbox, collection, row))
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

/** How much a state holds of what. */
export function summary({ fixtures, ids, clock, rows }: State): Summary {
  const counts = collectionNames.map((name) => [name, rows[name].size])
  return { fixtures, seed: ids.seed, now: timestamp(clock.now), rows: Object.fromEntries(counts) }
}

function put({ rows, ids }: Sandbox, collection: CollectionName, row: AnyRow & JsonObject): JsonObject {
  ids.take(collection, row.id)
  collectionOf(rows, collection).put(row)
  return row
}

/** An id that no row of the collection has. */
function nextId(context: ControlContext, ids: Ids, collection: CollectionName): string | number {
  const { rows } = context.sandbox
  if (idType(context, collection) === 'integer') return ids.next(collection, rows)
  let id = ids.uuid()
  while (rows[collection].has(id)) id = ids.uuid()
  return id
}

function existing(context: ControlContext, collection: CollectionName, text: string): AnyRow & JsonObject {
  const row = collectionOf(context.sandbox.rows, collection).get(idOf(context, collection, text))
  if (!row) throw new Refusal('unknown-row', { collection, id: text })
  return row as AnyRow & JsonObject
}

function collectionOf(rows: Store, name: CollectionName): AnyCollection {
  return rows[name] as unknown as AnyCollection
}

/** An id as the rows of the collection have it: the path has only texts. */
function idOf(context: ControlContext, collection: CollectionName, text: string): string | number {
  if (idType(context, collection) === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  return text.toLowerCase()
}

function idType({ contract }: ControlContext, collection: CollectionName): unknown {
  const row = schemaOf(contract.documents, contract.collections.get(collection)?.row)
  return schemaOf(contract.documents, (row.properties as JsonObject).id).type
}
