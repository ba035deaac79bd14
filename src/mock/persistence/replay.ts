import type { Choices } from '../../contract/load.js'
import { bytesOf, createStore, forkStore } from '../../store/rows.js'
import type { JournalLimits } from '../journal/journal.js'
import { Clock } from '../sandbox/clock.js'
import { Ids } from '../sandbox/ids.js'
import { type Base, heldBy, Sandbox } from '../sandbox/sandbox.js'
import { apply, type LogRecord, type StateRecord } from './records.js'

/**
 * Makes the sandboxes from the records of a log. `choices` adds the common choices to those of a sandbox. Throws an
 * Error that names the record that does not fit.
 */
export function replay(
  records: readonly LogRecord[],
  choices: (own: Choices) => Choices,
  limits: JournalLimits
): Map<string, Sandbox> {
  const bases = new Map<string, Base>()
  const pending = new Map<string, Record<string, object[]>>()
  const sandboxes = new Map<string, Sandbox>()
  const baseOf = (key: string | null): Base | undefined => {
    if (key === null) return undefined
    let base = bases.get(key)
    if (!base) {
      const rows = pending.get(key)
      if (!rows) throw new Error(`there is no base ${key}`)
      const made = createStore(rows as Parameters<typeof createStore>[0])
      base = { key, rows: made, bytes: bytesOf(made) }
      bases.set(key, base)
    }
    return base
  }
  const existing = (name: string): Sandbox => {
    const sandbox = sandboxes.get(name)
    if (!sandbox) throw new Error(`there is no sandbox ${name}`)
    return sandbox
  }
  for (const record of records) {
    switch (record.op) {
      case 'header':
        break
      case 'base': {
        const rows = pending.get(record.base) ?? {}
        pending.set(record.base, rows)
        for (const [name, list] of Object.entries(record.put)) {
          rows[name] ??= []
          rows[name].push(...list)
        }
        break
      }
      case 'state': {
        const { sandbox: name, snapshot, now, speed, real } = record
        const state = stateOf(record, baseOf(record.base))
        if (snapshot === null) {
          const { overrides, requests = 0 } = record
          const before = sandboxes.get(name)
          const clock = new Clock({ now, speed, real })
          const loaded = Sandbox.of(name, { ...state, clock }, choices(record.choices ?? {}), limits)
          if (overrides) loaded.overrides.follow(overrides)
          loaded.journal.startAt(requests)
          if (before) for (const [key, kept] of before.snapshots) loaded.snapshots.set(key, kept)
          sandboxes.set(name, loaded)
        } else existing(name).snapshots.set(snapshot, { ...state, name: snapshot, now, speed, held: heldBy(state) })
        break
      }
      case 'rows': {
        const sandbox = existing(record.sandbox)
        apply(sandbox.rows, record)
        sandbox.ids.goOn(record.ids)
        // A restart never sets a clock back, even if the machine's clock was set back.
        if (sandbox.clock.now < record.now) sandbox.clock.set({ now: record.now })
        if (record.used) sandbox.overrides.count(record.used.id, record.used.used)
        break
      }
      case 'set': {
        const sandbox = existing(record.sandbox)
        const { now, speed, real = Date.now() } = record
        sandbox.clock.goBy({ now, speed, real })
        sandbox.choices = choices(record.choices)
        if (record.overrides) sandbox.overrides.follow(record.overrides)
        break
      }
      case 'requests':
        existing(record.sandbox).journal.startAt(record.requests)
        break
      case 'forget':
        existing(record.sandbox).snapshots.delete(record.snapshot)
        break
      case 'drop':
        sandboxes.delete(record.sandbox)
        break
      default:
        throw new Error(`the record ${JSON.stringify(record).slice(0, 80)} is unknown`)
    }
  }
  return sandboxes
}

function stateOf({ fixtures, seed, ids, ...changed }: StateRecord, base: Base | undefined) {
  const rows = base ? forkStore(base.rows) : createStore()
  apply(rows, changed)
  return { fixtures, base, rows, ids: new Ids(seed, ids) }
}
