import type { Choices } from '../../contract/load.js'
import type { Store } from '../../store/rows.js'
import type { Override } from '../overrides/overrides.js'
import type { Sandbox, Snapshot } from '../sandbox/sandbox.js'
import type { Transaction } from '../sandbox/transaction.js'
import { rowsItem, setItem, snapshotItem, stateItem } from './log-items.js'
import type { LogChange } from './state-log.js'

/** The last stored state of a sandbox. */
export interface KeptState {
  rows: Store
  snapshots: Map<string, Snapshot>
  overrides: readonly Override[]
  /** See `Journal.reserved`. */
  reserved: number
}

/** What changed in a sandbox since it was last stored. `start`: the choices that are not stored. */
export function changesOf(
  start: Choices,
  sandbox: Sandbox,
  before: KeptState | undefined,
  transaction: Transaction | undefined
): LogChange {
  const told: LogChange = { items: [], bases: [] }
  if (before?.rows !== sandbox.rows) {
    sandbox.journal.reserve()
    told.items.push(stateItem(sandbox, start))
    told.bases.push(sandbox.base)
  } else {
    const { writes = [], counters } = transaction ?? {}
    if (writes.length > 0 || counters) told.items.push(rowsItem(sandbox, writes, counters))
    told.items.push(setItem(sandbox, start, before.overrides))
  }
  const { name, snapshots } = sandbox
  for (const [key, snapshot] of snapshots) {
    if (before?.snapshots.get(key) === snapshot) continue
    told.items.push(snapshotItem(name, snapshot))
    told.bases.push(snapshot.base)
  }
  for (const key of before?.snapshots.keys() ?? []) {
    if (!snapshots.has(key)) told.items.push({ op: 'forget', sandbox: name, snapshot: key })
  }
  return told
}
