import type { Api, StatusContext } from '../../api.js'
import type { JsonObject } from '../../contract/load.js'
import type { Lifecycle } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import type { AnyRow } from '../../store/collection.js'
import type { Store } from '../../store/rows.js'

/** A row as the interface shows it now, or undefined if it is gone. */
export type ShowRow = (collection: string, row: AnyRow) => AnyRow | undefined

type Statuses = Pick<Sandbox, 'choices' | 'ids'>

export function statusesAt({ choices, ids }: Statuses, rows: Store, now: string): StatusContext {
  return { rows, now, seed: ids.seed, assume: (id) => choices[id] as string }
}

/** Shows the rows of a sandbox, or of a state that is to replace it, as they are at a moment. */
export function showing(
  { collections }: Api,
  sandbox: Statuses & Pick<Sandbox, 'clock'>,
  rows: Store,
  now = sandbox.clock.now
): ShowRow {
  const at = statusesAt(sandbox, rows, timestamp(now))
  return (name, row) => {
    const collection = collections[name]
    if (collection?.isGone?.(at, row)) return undefined
    return collection?.shown?.(at, row) ?? row
  }
}

/** The status of a row at a time, and its next status. Undefined: its lifecycle has ended, or it has none. */
export function nextStepOf(
  { lifecycles }: Api,
  collection: string,
  row: AnyRow,
  at: StatusContext
): Lifecycle | undefined {
  const step = lifecycles[collection]?.next?.(at, row)
  return step && { collection: collection as Lifecycle['collection'], id: row.id, ...step }
}

/** What is stored of a row but not shown: some fields, or the whole row if it is gone. Undefined if nothing. */
export function storedFieldsOf(row: JsonObject, shown: JsonObject | undefined): JsonObject | undefined {
  if (shown === row) return undefined
  if (shown === undefined) return row
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== shown[name]))
}
