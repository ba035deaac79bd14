import { Refusal } from '../../contract/message/refusal.js'
import { momentIn, pastOf } from '../../sandbox/past.js'
import { historyOf, type Sandbox } from '../../sandbox/sandbox.js'
import type { ControlContext } from '../rule.js'

/** The context as it was at a moment, for rules that only read. */
export function contextAt(context: ControlContext, at: string | undefined): ControlContext {
  if (at === undefined) return context
  return { ...context, sandbox: pastBy(context.sandbox, at) }
}

/** A sandbox as it was at a moment. Throws a Refusal that says how far back you can go. */
export function pastBy(sandbox: Sandbox, id: string, name?: string): Sandbox {
  const moment = momentIn(sandbox, id)
  if (moment) return pastOf(sandbox, moment, name)
  const { earliest, latest } = historyOf(sandbox)
  const first = firstKept(sandbox)
  const number = numberIn(id)
  const isPast = id.startsWith('m') ? number < earliest.number : number <= sandbox.journal.position && number > 0
  const exchanges = first === undefined ? '' : `, or an exchange from r${first} to r${sandbox.journal.position}`
  const begin = momentIn(sandbox, `m${number}`)?.moment
  const lasted =
    id.includes('.') && begin
      ? ` m${number} lasted ${historyOf(sandbox).endOf(begin, sandbox).now - begin.now} milliseconds.`
      : ''
  const advice = `Give a moment from m${earliest.number} to m${latest.number}${exchanges}.${lasted}`
  throw new Refusal(isPast ? 'forgotten-moment' : 'unknown-moment', { id, known: advice })
}

export function numberIn(id: string): number {
  return Number.parseInt(id.slice(1), 10)
}

/** The number of the first exchange whose state can be shown. */
export function firstKept(sandbox: Sandbox): number | undefined {
  const { firstExchange } = historyOf(sandbox)
  return firstExchange <= sandbox.journal.position ? firstExchange : undefined
}
