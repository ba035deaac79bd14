import { ensureCollections, forkStore, namesOf } from '../../store/rows.js'
import { numberOf } from '../journal/journal.js'
import { Overrides } from '../overrides/overrides.js'
import { undoWrites } from '../persistence/log-items.js'
import { Chance } from './chance.js'
import { History, type Moment } from './history.js'
import type { Sandbox, State } from './sandbox.js'

/** The history of a sandbox. It begins anew if its state was replaced from elsewhere. */
export function historyOf(sandbox: Sandbox): History {
  if (!sandbox.history.fits(sandbox)) sandbox.history = History.begin(sandbox)
  return sandbox.history
}

/** Forgets what was done in a sandbox, and its earlier moments: changes could not be kept, or came from elsewhere. */
export function forgetAll(sandbox: Sandbox): void {
  sandbox.beginAnew()
  sandbox.history = History.begin(sandbox)
}

/** A moment that is kept, and what the clock showed then. */
export interface PastMoment {
  moment: Moment
  now: number
  /** The real time then. */
  real: number
  /** The number of exchanges that there were. */
  position: number
}

/**
 * The moment after an exchange (r12) or of a change (m12). Undefined if it is not kept, or never was.
 */
export function momentIn(sandbox: Sandbox, id: string): PastMoment | undefined {
  const history = historyOf(sandbox)
  const number = Number(/^m(\d{1,15})$/.exec(id)?.[1] ?? Number.NaN)
  if (!Number.isNaN(number)) {
    const moment = history.moment(number)
    return moment && { moment, ...moment, position: numberOf(moment.request ?? '') ?? moment.position }
  }
  const exchange = numberOf(id)
  if (exchange === undefined || exchange < 1 || exchange > sandbox.journal.position) return undefined
  const moment = history.momentOf(exchange)
  if (!moment) return undefined
  const entry = sandbox.journal.entryAt(exchange - 1)
  const { now, real } = entry ? { now: Date.parse(entry.time), real: Date.parse(entry.real_time) } : moment
  return { moment, now, real, position: exchange }
}

/** A copy of a sandbox as it was at a moment. Snapshots are those of today. Its clock is held until it is forked. */
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
  // Collections that came with own fixtures since.
  ensureCollections(rows, namesOf(sandbox.rows))
  return { fixtures, base, rows, ids }
}
