import { Refusal } from '../../../contract/message/refusal.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import type { HistoryMoment } from '../../../contract/types.gen.js'
import { countsOf } from '../../../mock/journal/recorded.js'
import { timestamp } from '../../../mock/sandbox/clock.js'
import type { Moment, RecordedChange } from '../../../mock/sandbox/history.js'
import { historyOf, momentIn, type PastMoment, pastOf } from '../../../mock/sandbox/past.js'
import type { Sandbox } from '../../../mock/sandbox/sandbox.js'
import { type ControlContext, type ControlRules, wrong } from '../rule.js'
import { summary } from '../state/state.js'
import { statusChangesIn } from './status-changes.js'

export const historyRules: ControlRules<'getHistory' | 'goBack'> = {
  getHistory: ({ query: { since } }, { sandbox }) => {
    const history = historyOf(sandbox)
    const first = firstKept(sandbox)
    const from = since === undefined ? undefined : numberIn(since)
    return {
      earliest: `m${history.earliest.number}`,
      latest: `m${history.latest.number}`,
      first_request: first === undefined ? null : `r${first}`,
      moments: history.controls(from).map(told),
      status_changes: statusChangesIn(sandbox, from)
    }
  },

  goBack: ({ path: { id }, query: { elapsed = false } }, { sandbox }) => {
    const { fixtures, base, rows, ids, clock: then, choices, overrides, chance } = pastBy(sandbox, id)
    const clock = then.fork()
    if (elapsed) clock.set({ now: clock.now + clock.speed * (sandbox.clock.real - realOf(sandbox, id)) })
    sandbox.become({ fixtures, base, rows, ids, clock })
    Object.assign(sandbox, { choices, overrides, chance, scene: undefined })
    return summary(sandbox)
  }
}

/** The context as it was at a moment, for rules that only read. */
export function contextAt(context: ControlContext, at: string | undefined): ControlContext {
  if (at === undefined) return context
  return { ...context, sandbox: pastBy(context.sandbox, at) }
}

/** A sandbox as it was at a moment. Throws a Refusal that says how far back one can go. */
export function pastBy(sandbox: Sandbox, id: string, name?: string): Sandbox {
  const kept = momentIn(sandbox, id)
  if (kept) return pastOf(sandbox, kept, name)
  const { earliest, latest } = historyOf(sandbox)
  const first = firstKept(sandbox)
  const number = numberIn(id)
  const isPast = id.startsWith('m') ? number < earliest.number : number <= sandbox.journal.position && number > 0
  const exchanges = first === undefined ? '' : `, or an exchange from r${first} to r${sandbox.journal.position}`
  const begin = momentIn(sandbox, `m${number}`)?.moment
  const lasted = id.includes('.') && begin ? ` m${number} lasted ${lengthOf(sandbox, begin)} milliseconds.` : ''
  const known = `Give a moment from m${earliest.number} to m${latest.number}${exchanges}.${lasted}`
  throw new Refusal(isPast ? 'forgotten-moment' : 'unknown-moment', { id, known })
}

function numberIn(id: string): number {
  return Number.parseInt(id.slice(1), 10)
}

function lengthOf(sandbox: Sandbox, moment: Moment): number {
  return historyOf(sandbox).endOf(moment, sandbox).now - moment.now
}

/** The real time of a moment that is kept. */
function realOf(sandbox: Sandbox, id: string): number {
  return (momentIn(sandbox, id) as PastMoment).real
}

/** A sandbox as it was, for a fork. */
export function forkOf(origin: Sandbox | undefined, at: string | undefined, name: string): Sandbox | undefined {
  if (at === undefined) return origin
  if (origin) return pastBy(origin, at, name)
  throw new Invalid([wrong(['body', 'from'], 'With at, from names the sandbox to go back in.')])
}

/** The number of the first exchange whose state can be shown. */
function firstKept(sandbox: Sandbox): number | undefined {
  const { firstExchange } = historyOf(sandbox)
  return firstExchange <= sandbox.journal.position ? firstExchange : undefined
}

function told({ number, control, of, now, real, position, writes, replaced }: RecordedChange): HistoryMoment {
  return {
    id: `m${number}`,
    before: `m${number - 1}`,
    operation: control as string,
    of,
    time: timestamp(now),
    real_time: timestamp(real),
    after_request: position === 0 ? null : `r${position}`,
    ...(!replaced && { changed: countsOf(writes) })
  }
}
