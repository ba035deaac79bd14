import type { Contract } from '../../contract/contract.js'
import type { Operation } from '../../contract/model.js'
import type { HistoryMoment } from '../../contract/types.gen.js'
import { countsOf } from '../../journal/recorded.js'
import { timestamp } from '../../sandbox/clock.js'
import type { RecordedChange } from '../../sandbox/history.js'
import { momentIn, type PastMoment } from '../../sandbox/past.js'
import { historyOf, type Sandbox } from '../../sandbox/sandbox.js'
import { type ControlRules, invalid } from '../rule.js'
import { summary } from '../state/take-state.js'
import { firstKept, numberIn, pastBy } from './past.js'
import { statusChangesIn } from './status-changes.js'

export const historyRules: ControlRules<'getHistory' | 'goBack'> = {
  getHistory: ({ query: { since } }, { sandbox, contract }) => {
    const history = historyOf(sandbox)
    const first = firstKept(sandbox)
    const from = since === undefined ? undefined : numberIn(since)
    return {
      earliest: `m${history.earliest.number}`,
      latest: `m${history.latest.number}`,
      first_request: first === undefined ? null : `r${first}`,
      moments: history.controls(from).map((change) => momentOf(contract, change)),
      status_changes: statusChangesIn(contract.api, sandbox, from)
    }
  },

  goBack: ({ path: { id }, query: { elapsed = false } }, { sandbox }) => {
    const { fixtures, base, rows, ids, clock: then, choices, overrides, chance } = pastBy(sandbox, id)
    const clock = then.fork()
    if (elapsed)
      clock.set({ now: clock.now + clock.speed * (sandbox.clock.real - (momentIn(sandbox, id) as PastMoment).real) })
    sandbox.become({ fixtures, base, rows, ids, clock })
    Object.assign(sandbox, { choices, overrides, chance, scene: undefined })
    return summary(sandbox)
  }
}

/** A sandbox as it was, for a fork. */
export function forkOf(origin: Sandbox | undefined, at: string | undefined, name: string): Sandbox | undefined {
  if (at === undefined) return origin
  if (origin) return pastBy(origin, at, name)
  throw invalid(['body', 'from'], 'With at, from names the sandbox to go back in.')
}

export function momentOf(contract: Contract, change: RecordedChange): HistoryMoment {
  const { number, control, of, now, real, position, writes, replaced } = change
  return {
    id: `m${number}`,
    before: `m${number - 1}`,
    operation: control as string,
    call: callOf(contract, change),
    of,
    time: timestamp(now),
    real_time: timestamp(real),
    after_request: position === 0 ? null : `r${position}`,
    ...(!replaced && { changed: countsOf(writes) })
  }
}

/** The method and path of the control call that made a change. */
export function callOf(contract: Contract, { control = '', of }: RecordedChange): string {
  const { method, path } = contract.control.get(control) as Operation
  const names = path.match(/\{\w+\}/g) ?? []
  // Only a single one may have spaces.
  const values = names.length === 1 ? [of] : of.split(' ')
  return `${method} ${names.reduce((filled, name, at) => filled.replace(name, values[at] ?? name), path)}`
}
