import { numberOf } from '../journal/journal.js'
import { Overrides } from '../overrides/overrides.js'
import { ensureCollections, forkStore, namesOf, undoWrites } from '../store/rows.js'
import { Chance } from './chance.js'
import type { Moment, MomentEnd } from './history.js'
import { forgetAll, historyOf, type Sandbox } from './sandbox.js'
import type { State } from './state.js'

/** A moment that is kept, and the time on the clock then. */
export interface PastMoment {
  moment: Moment
  now: number
  /** The real time then. */
  real: number
  /** The number of exchanges that there were. */
  position: number
}

/** The moment after an exchange (r12), a change (m12), or milliseconds later (m12.3200). Undefined: not kept. */
export function momentIn(sandbox: Sandbox, id: string): PastMoment | undefined {
  const history = historyOf(sandbox)
  const [, number, later] = /^m(\d{1,15})(?:[.](\d{1,15}))?$/.exec(id) ?? []
  if (number !== undefined) {
    const moment = history.moment(Number(number))
    if (!moment) return undefined
    const past = { moment, ...moment, position: numberOf(moment.request ?? '') ?? moment.position }
    return later === undefined ? past : laterIn(sandbox, past, Number(later))
  }
  const exchange = numberOf(id)
  if (exchange === undefined || exchange < 1 || exchange > sandbox.journal.position) return undefined
  const moment = history.momentOf(exchange)
  if (!moment) return undefined
  const entry = sandbox.journal.entryAt(exchange - 1)
  const { now, real } = entry ? { now: Date.parse(entry.time), real: Date.parse(entry.real_time) } : moment
  return { moment, now, real, position: exchange }
}

/** A moment some milliseconds of the sandbox's time later. Undefined if another change came first. */
function laterIn(sandbox: Sandbox, { moment, position }: PastMoment, later: number): PastMoment | undefined {
  const now = moment.now + later
  const end = historyOf(sandbox).endOf(moment, sandbox)
  if (now > end.now) return undefined
  return { moment, now, real: realAt(moment, end, now), position: positionAt(sandbox, now, position, end.position) }
}

/** The real time at which the clock showed `now`, or at which it was set past `now`. */
export function realAt({ now: begin, real, speed }: Moment, end: MomentEnd, now: number): number {
  return speed === 0 ? end.real : Math.min(end.real, Math.ceil(real + (now - begin) / speed))
}

/** The number of exchanges at a time, which is between two numbers. */
function positionAt({ journal }: Sandbox, now: number, from: number, to: number): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = journal.entryAt(middle)
    if (entry && Date.parse(entry.time) > now) high = middle
    else low = middle + 1
  }
  return low
}

/** A copy of a sandbox as it was at a moment, with the current snapshots. Its clock is held until it is forked. */
export function pastOf(sandbox: Sandbox, { moment, now, position }: PastMoment, name = sandbox.name): Sandbox {
  const { clock, journal } = sandbox
  const { choices, overrides, made, seed, drawn, speed } = moment
  const past = sandbox.fork(name, journal.limits)
  past.become({ ...stateAt(sandbox, moment), clock: clock.from({ now, speed }) })
  past.clock.hold()
  past.choices = choices
  past.overrides = new Overrides(overrides, made)
  past.chance = new Chance(seed, drawn)
  past.journal.startAt(position)
  forgetAll(past)
  return past
}

function stateAt(sandbox: Sandbox, moment: Moment): Omit<State, 'clock'> {
  let { fixtures, base } = sandbox
  let rows = forkStore(sandbox.rows)
  let ids = sandbox.ids.fork()
  for (const { writes, counters, replaced } of historyOf(sandbox).after(moment)) {
    if (replaced) {
      fixtures = replaced.fixtures
      base = replaced.base
      rows = forkStore(replaced.rows)
      ids = replaced.ids.fork()
    } else {
      undoWrites(rows, writes)
      if (counters) ids.goBack(counters)
    }
  }
  // Collections that were added with own fixtures since.
  ensureCollections(rows, namesOf(sandbox.rows))
  return { fixtures, base, rows, ids }
}
