import { Refusal } from '../contract/message/refusal.js'
import type { SnapshotInfo } from '../contract/types.gen.js'
import { timestamp } from '../sandbox/clock.js'
import type { Sandbox, Snapshot } from '../sandbox/sandbox.js'
import { countRows } from '../store/rows.js'
import type { ControlRules } from './rule.js'
import { summary } from './state/take-state.js'

/** The highest number of snapshots in one sandbox. */
const limit = 1000

export const snapshotRules: ControlRules<'listSnapshots' | 'takeSnapshot' | 'restoreSnapshot' | 'deleteSnapshot'> = {
  listSnapshots: (_, { sandbox }) => ({ snapshots: [...sandbox.snapshots.values()].map(infoOf) }),

  takeSnapshot: ({ path: { name }, body: { speed } }, { sandbox }) => {
    if (sandbox.snapshots.size >= limit && !sandbox.snapshots.has(name))
      throw new Refusal('too-many-snapshots', { limit })
    return infoOf(sandbox.snapshot(name, speed))
  },

  restoreSnapshot: ({ path: { name } }, { sandbox }) => {
    sandbox.restore(existing(sandbox, name))
    return summary(sandbox)
  },

  deleteSnapshot: ({ path: { name } }, { sandbox }) => {
    existing(sandbox, name)
    return { removed: Number(sandbox.snapshots.delete(name)) }
  }
}

function existing({ snapshots }: Sandbox, name: string): Snapshot {
  const snapshot = snapshots.get(name)
  if (!snapshot) throw new Refusal('unknown-name', { name, known: [...snapshots.keys()].join(', ') || 'none' })
  return snapshot
}

function infoOf({ name, now, rows }: Snapshot): SnapshotInfo {
  return { name, now: timestamp(now), rows: countRows(rows) }
}
