import { isDeepStrictEqual } from 'node:util'
import type { Contract } from '../../contract/contract.js'
import type { JsonObject } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { Deletion, RowHistory, Touch } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import type { RecordedChange } from '../../sandbox/history.js'
import { historyOf } from '../../sandbox/sandbox.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf, type Store } from '../../store/rows.js'
import type { ControlContext, ControlRules } from '../rule.js'
import { idOf } from '../state/ids.js'
import { showing } from '../state/shown.js'
import { hiding, nameOf } from '../state/whole-state.js'
import { callOf } from './history.js'
import { numberIn, pastBy } from './past.js'
import { statusChangesIn } from './status-changes.js'

type Change = RowHistory['changes'][number]
type Row = Change['before']

/** A change, with the number of the moment that it began or came in: real times are too coarse to sort by. */
type Numbered = Change & { number: number }

export const rowHistoryRules: ControlRules<'getRowHistory'> = {
  getRowHistory: ({ path: { collection, id: text } }, context) => {
    const id = idOf(context, collection, text)
    const hide = hiding(context, collection)
    const changes = [...statusesOf(context, collection, id), ...writesOf(context, collection, id)]
    const isThere = collectionOf(context.sandbox.rows, collection).get(id) !== undefined
    if (!isThere && changes.length === 0) throw new Refusal('unknown-row', { collection, id: text })
    const shown = (row: Row) => row && hide(row as JsonObject)
    return {
      changes: changes
        .sort((a, b) => b.number - a.number)
        .map(({ number: _, before, after, ...change }) => ({ ...change, before: shown(before), after: shown(after) }))
    }
  }
}

/** The deletions of these rows that were the last changes of them at a moment. */
export function deletionsOf(context: ControlContext, rows: readonly Touch[], time: string): Deletion[] {
  const { contract, sandbox } = context
  const show = showing(contract.api, sandbox, sandbox.rows)
  const byKey = new Map(rows.map((row) => [`${row.collection} ${row.id}`, row]))
  return [...byKey.values()].flatMap(({ collection, id }) => {
    const last = writesOf(context, collection, id).find(({ real_time }) => real_time <= time)
    // The clock ends some deletions.
    if (!last?.before || (last.after && show(collection, last.after as AnyRow))) return []
    const { number: _, at: __, before, after: ___, ...cause } = last
    const name = nameOf({ contract, rows: sandbox.rows }, collection, hiding(context, collection)(before as JsonObject))
    return [{ collection, id, ...(name !== undefined && { name }), ...cause }]
  })
}

/** The changes by requests, control calls and programs, newest first. */
function writesOf({ sandbox, contract }: ControlContext, collection: string, id: string | number): Numbered[] {
  const history = historyOf(sandbox)
  let row: Row = rowIn(sandbox.rows, collection, id)
  const changes: Numbered[] = []
  for (const change of history.after(history.earliest)) {
    const before = change.replaced
      ? rowIn(change.replaced.rows, collection, id)
      : beforeWrites(change, collection, id, row)
    if (!isDeepStrictEqual(before, row)) {
      const [at, real_time] = [timestamp(change.now), timestamp(change.real)]
      changes.push({ number: change.number, at, real_time, ...causeOf(contract, change), before, after: row })
    }
    row = before
  }
  return changes
}

function causeOf(contract: Contract, change: RecordedChange): Pick<Change, 'request' | 'control' | 'call'> {
  const { number, request, control, isByProgram } = change
  if (isByProgram) return { control: 'program' }
  if (control !== undefined) return { control: `m${number}`, call: callOf(contract, change) }
  return request === undefined ? {} : { request }
}

/** The row before the first of its writes in a change. */
function beforeWrites({ writes }: RecordedChange, collection: string, id: string | number, row: Row): Row {
  const first = writes.find((it) => it.collection === collection && it.id === id)
  return first ? ((first.before as JsonObject | undefined) ?? null) : row
}

function rowIn(rows: Store, collection: string, id: string | number): Row {
  return rows[collection]?.get(id) ?? null
}

/** The changes of its status that came with time, newest first. */
function statusesOf(
  { sandbox, contract: { api } }: ControlContext,
  collection: string,
  id: string | number
): Numbered[] {
  return statusChangesIn(api, sandbox)
    .filter((it) => it.collection === collection && it.row === id)
    .reverse()
    .map(({ id: moment, time, real_time }) => {
      const past = pastBy(sandbox, moment)
      const row = rowIn(past.rows, collection, id) as AnyRow
      const shownAt = (now: number): Row => showing(api, past, past.rows, now)(collection, row) ?? null
      const now = Date.parse(time)
      const [before, after] = [shownAt(now - 1), shownAt(now)]
      return { number: numberIn(moment), at: time, real_time, control: 'time', before, after }
    })
}
