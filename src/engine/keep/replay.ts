import type { Api } from '../api.js'
import type { Choices } from '../contract/load.js'
import type { JournalLimits } from '../journal/journal.js'
import { type Base, firstRows, shiftedTo } from '../sandbox/bases.js'
import { Clock } from '../sandbox/clock.js'
import { Ids } from '../sandbox/ids.js'
import { heldBy, Sandbox } from '../sandbox/sandbox.js'
import { createStore, forkStore } from '../store/rows.js'
import { apply, type LogItem, type RowsByCollection, type StateItem } from './log-items.js'

interface ReplayOptions {
  api: Api
  /** The bases that are already known. */
  bases?: Map<string, Base>
  /** The time source of the clocks: milliseconds since 1970. */
  realTime?: () => number
}

/**
 * Builds the sandboxes from the items of a log. `choices` adds the common choices to those of a sandbox. Throws an Error that
 * names the item that does not fit.
 */
export function replay(
  items: readonly LogItem[],
  choices: (own: Choices) => Choices,
  limits: JournalLimits,
  { api, bases = new Map(), realTime = Date.now }: ReplayOptions
): Map<string, Sandbox> {
  const pending = new Map<string, RowsByCollection>()
  const sandboxes = new Map<string, Sandbox>()
  const baseOf = (key: string | null): Base | undefined => {
    if (key === null) return undefined
    let base = bases.get(key)
    if (!base) {
      const rows = pending.get(key)
      if (!rows) throw new Error(`there is no base ${key}`)
      base = { key, rows: createStore(api.collections, rows) }
      bases.set(key, base)
    }
    return base
  }
  const existing = (name: string): Sandbox => {
    const sandbox = sandboxes.get(name)
    if (!sandbox) throw new Error(`there is no sandbox ${name}`)
    return sandbox
  }
  for (const item of items) {
    switch (item.op) {
      case 'header':
        break
      case 'base': {
        const rows = pending.get(item.base) ?? {}
        pending.set(item.base, rows)
        for (const [name, list] of Object.entries(item.put)) {
          rows[name] ??= []
          rows[name].push(...list)
        }
        break
      }
      case 'state': {
        const { sandbox: name, snapshot, now, speed, real } = item
        const state = stateOf(api, item, baseOf(item.base))
        if (snapshot === null) {
          const { overrides, requests = 0, created } = item
          const before = sandboxes.get(name)
          const clock = new Clock({ now, speed, real }, realTime)
          const loaded = Sandbox.of(name, { ...state, clock }, choices(item.choices ?? {}), limits)
          if (overrides) loaded.overrides.follow(overrides)
          loaded.journal.startAt(requests)
          if (created !== undefined) loaded.createdAt = created
          if (before) for (const [key, kept] of before.snapshots) loaded.snapshots.set(key, kept)
          sandboxes.set(name, loaded)
        } else existing(name).snapshots.set(snapshot, { ...state, name: snapshot, now, speed, held: heldBy(state) })
        break
      }
      case 'rows': {
        const sandbox = existing(item.sandbox)
        apply(sandbox.rows, item)
        sandbox.ids.goOn(item.ids)
        // A restart never sets a clock back, even if the machine's clock was set back.
        if (sandbox.clock.now < item.now) sandbox.clock.set({ now: item.now })
        if (item.used) sandbox.overrides.count(item.used.id, item.used.used)
        break
      }
      case 'set': {
        const sandbox = existing(item.sandbox)
        const { now, speed, real = realTime() } = item
        sandbox.clock.goBy({ now, speed, real })
        sandbox.choices = choices(item.choices)
        if (item.overrides) sandbox.overrides.follow(item.overrides)
        break
      }
      case 'requests':
        existing(item.sandbox).journal.startAt(item.requests)
        break
      case 'forget':
        existing(item.sandbox).snapshots.delete(item.snapshot)
        break
      case 'drop':
        sandboxes.delete(item.sandbox)
        break
      default:
        throw new Error(`the item ${JSON.stringify(item).slice(0, 80)} is unknown`)
    }
  }
  return sandboxes
}

function stateOf(api: Api, { fixtures, seed, ids, moved, ...changed }: StateItem, whole: Base | undefined) {
  const base = whole && moved ? shiftedTo(api, whole, ...moved) : whole
  const rows = base ? forkStore(firstRows(base)) : createStore(api.collections)
  apply(rows, changed)
  return { fixtures, base, rows, ids: new Ids(seed, ids) }
}
