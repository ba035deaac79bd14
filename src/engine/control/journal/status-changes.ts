import type { Api } from '../../api.js'
import type { Choices } from '../../contract/load.js'
import type { Lifecycle, StatusChange } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import type { Moment, MomentEnd, RecordedChange } from '../../sandbox/history.js'
import { realAt } from '../../sandbox/past.js'
import { historyOf, type Sandbox } from '../../sandbox/sandbox.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf } from '../../store/rows.js'
import { nextStepOf, statusesAt } from '../state/shown.js'

/** A row as it was from one moment, by its position in the history, until another. */
interface Version {
  collection: string
  row: AnyRow | undefined
  from: number
  until: number
}

/** Consecutive moments under the same choices, while the clock goes forward. */
type Run = { choices: Choices } & Pick<Version, 'from' | 'until'>

const most = 1000

/** The status changes that came with time since a moment, by its number, oldest first. */
export function statusChangesIn(api: Api, sandbox: Sandbox, since = 0): StatusChange[] {
  const history = historyOf(sandbox)
  const changes = history.after(history.earliest).reverse()
  const moments: Moment[] = [history.earliest, ...changes]
  const ends = moments.map((moment) => history.endOf(moment, sandbox))
  const runs = runsOf(moments, ends)
  const results: { at: number; change: StatusChange }[] = []
  for (const version of versionsOf(api, sandbox, changes)) {
    for (const run of runs) {
      const from = Math.max(version.from, run.from)
      const last = Math.min(version.until, run.until) - 1
      if (from > last) continue
      const { now: begin } = moments[from] as Moment
      const { row } = version
      const { rows, ids } = sandbox
      const stepAt = (now: string) =>
        row && nextStepOf(api, version.collection, row, statusesAt({ choices: run.choices, ids }, rows, now))
      for (const step of stepsOf(stepAt, begin, (ends[last] as MomentEnd).now)) {
        const { collection, id, name, status, next, at: time } = step
        const now = Date.parse(time as string)
        let at = last
        while (at > from && (moments[at] as Moment).now >= now) at -= 1
        const moment = moments[at] as Moment
        if (moment.number < since) continue
        const change = { collection, row: id, name, from: status, to: next as string, time: time as string }
        const real_time = timestamp(realAt(moment, ends[at] as MomentEnd, now))
        results.push({ at, change: { id: `m${moment.number}.${now - moment.now}`, ...change, real_time } })
      }
    }
  }
  return results
    .sort((a, b) => a.at - b.at || Date.parse(a.change.time) - Date.parse(b.change.time))
    .slice(-most)
    .map(({ change }) => change)
}

/** The changes of a row that come only with time. */
function* stepsOf(stepAt: (now: string) => Lifecycle | undefined, begin: number, end: number) {
  let step: Lifecycle | undefined
  for (let now = begin; ; now = Date.parse(step.at as string)) {
    step = stepAt(timestamp(now))
    const time = Date.parse(step?.at ?? '')
    if (!step?.next || !(time > now && time <= end)) return
    yield step
  }
}

/** There are few runs, so that a row is read once for many moments. */
function runsOf(moments: readonly Moment[], ends: readonly MomentEnd[]): Run[] {
  const runs: Run[] = []
  moments.forEach(({ choices, now }, at) => {
    const run = runs.at(-1)
    if (run?.choices === choices && (ends[at - 1] as MomentEnd).now <= now) run.until = at + 1
    else runs.push({ from: at, until: at + 1, choices })
  })
  return runs
}

/** Every row that existed since the earliest moment, in each of its versions. */
function* versionsOf(
  { lifecycles }: Api,
  { rows: store }: Sandbox,
  changes: readonly RecordedChange[]
): IterableIterator<Version> {
  /** The rows before the changes seen so far, and until when. */
  const before = new Map<string, Omit<Version, 'from'>>()
  let until = changes.length + 1
  for (let from = changes.length; from >= 0; from--) {
    const { replaced, writes = [] } = changes[from - 1] ?? {}
    if (replaced || from === 0) {
      for (const collection of Object.keys(lifecycles)) {
        for (const row of collectionOf(store, collection).all()) {
          if (!before.has(`${collection} ${row.id}`)) yield { collection, row, from, until }
        }
      }
      for (const version of before.values()) yield { ...version, from }
    }
    if (replaced) {
      before.clear()
      store = replaced.rows
      until = from
    }
    for (const write of writes) {
      const { collection } = write
      const [row, after] = [write.before, write.after] as Version['row'][]
      const key = `${collection} ${write.id}`
      if (!lifecycles[collection]) continue
      yield { collection, row: after, from, until: before.get(key)?.until ?? until }
      before.set(key, { collection, row, until: from })
    }
  }
}
