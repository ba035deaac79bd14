import type { Choices } from '../../../contract/load.js'
import type { Rows, StatusChange } from '../../../contract/types.gen.js'
import { timestamp } from '../../../mock/sandbox/clock.js'
import type { Moment, MomentEnd, RecordedChange } from '../../../mock/sandbox/history.js'
import { historyOf, realAt } from '../../../mock/sandbox/past.js'
import type { Sandbox } from '../../../mock/sandbox/sandbox.js'
import type { Write } from '../../../store/touches.js'
import { attemptStatus, nextStep as nextOfAttempt } from '../../connectors/attempts.js'
import { nextStep as nextOfFile, statusOf } from '../../files/files.js'
import type { LifecycleContext, LifecycleStep } from '../../rule.js'

/** A row as it was from one moment, by its position in the history, until another. */
interface Version {
  collection: Collection
  row: Row
  from: number
  until: number
}
type Collection = (typeof collections)[number]
type Row = Rows[Collection]

/** Moments that follow each other under the same choices, while the clock goes forward. */
interface Run {
  from: number
  until: number
  choices: Choices
}

const collections = ['userFiles', 'indexAttempts'] as const
/** The highest number that is told. */
const most = 1000

/** The changes of status that came with time since a moment, by its number, the oldest first. */
export function statusChangesIn(sandbox: Sandbox, since = 0): StatusChange[] {
  const history = historyOf(sandbox)
  const changes = history.after(history.earliest).reverse()
  const moments: Moment[] = [history.earliest, ...changes]
  const ends = moments.map((moment) => history.endOf(moment, sandbox))
  const runs = runsOf(moments, ends)
  const found: { at: number; step: number; told: StatusChange }[] = []
  for (const version of versionsOf(sandbox, changes)) {
    for (const run of runs) {
      const [from, until] = [Math.max(version.from, run.from), Math.min(version.until, run.until)]
      if (from >= until) continue
      for (const { time, status, next } of stepsOf(
        version,
        run,
        moments[from] as Moment,
        ends[until - 1] as MomentEnd
      )) {
        let at = until - 1
        while (at > from && (moments[at] as Moment).now >= time) at -= 1
        const moment = moments[at] as Moment
        const told = {
          id: `m${moment.number}.${time - moment.now}`,
          collection: version.collection,
          row: version.row.id,
          name: nameOf(sandbox, version),
          from: status,
          to: next,
          time: timestamp(time),
          real_time: timestamp(realAt(moment, ends[at] as MomentEnd, time))
        }
        if (moment.number >= since) found.push({ at, step: time, told })
      }
    }
  }
  return found
    .sort((a, b) => a.at - b.at || a.step - b.step)
    .slice(-most)
    .map(({ told }) => told)
}

/** What time alone does to a row between two moments. */
function* stepsOf({ collection, row }: Version, { choices }: Run, { now: begin }: Moment, end: MomentEnd) {
  for (let now = begin; ; ) {
    const timed: LifecycleContext = { now: timestamp(now), assume: (id) => choices[id] as never }
    const step = stepOf(collection, row, timed)
    const time = Date.parse(step?.at ?? '')
    if (!step?.next || !(time > now && time <= end.now)) return
    yield { time, status: step.status, next: step.next }
    now = time
  }
}

function stepOf(
  collection: Collection,
  row: Row,
  timed: LifecycleContext
): (LifecycleStep & { status: string }) | undefined {
  if (collection === 'userFiles') {
    const file = row as Rows['userFiles']
    const step = nextOfFile(timed, file)
    return step && { ...step, status: statusOf(timed, file) }
  }
  const attempt = row as Rows['indexAttempts']
  const step = nextOfAttempt(timed, attempt)
  return step && { ...step, status: attemptStatus(timed, attempt) }
}

function nameOf({ rows }: Sandbox, { collection, row }: Version): string {
  if (collection === 'userFiles') return (row as Rows['userFiles']).name
  const { connector_credential_id: pair } = row as Rows['indexAttempts']
  return rows.connectorCredentials.get(pair)?.name ?? `Pair ${pair}`
}

/** Few, so that a row is asked once for many moments. */
function runsOf(moments: readonly Moment[], ends: readonly MomentEnd[]): Run[] {
  const runs: Run[] = []
  moments.forEach(({ choices, now }, at) => {
    const run = runs.at(-1)
    const isNext = run?.choices === choices && (ends[at - 1] as MomentEnd).now <= now
    if (run && isNext) run.until = at + 1
    else runs.push({ from: at, until: at + 1, choices })
  })
  return runs
}

/** Every row that there was since the earliest moment, in each of its versions, the newest first. */
function* versionsOf({ rows }: Sandbox, changes: readonly RecordedChange[]): IterableIterator<Version> {
  /** The versions that the changes seen so far began with, and until when they were. */
  let before = new Map<string, { row: Row | undefined; until: number }>()
  let store = rows
  let end = changes.length + 1
  for (let at = changes.length; ; at--) {
    const change = changes[at - 1]
    if (!change || change.replaced) {
      for (const collection of collections) {
        for (const row of store[collection].all()) {
          if (!before.has(`${collection} ${row.id}`)) yield { collection, row, from: at, until: end }
        }
      }
      for (const [key, { row, until }] of before) {
        if (row) yield { collection: key.split(' ')[0] as Collection, row, from: at, until }
      }
    }
    if (!change) return
    if (change.replaced) {
      before = new Map()
      store = change.replaced.rows
      end = at
    }
    for (const write of change.writes) {
      const { collection, id, after } = write as Write & { collection: Collection }
      if (!collections.includes(collection)) continue
      const key = `${collection} ${id}`
      const until = before.get(key)?.until ?? end
      if (after) yield { collection, row: after as Row, from: at, until }
      before.set(key, { row: write.before as Row | undefined, until: at })
    }
  }
}
