import type { Summary } from '../../contract/types.gen.js'
import { timestamp } from '../../sandbox/clock.js'
import { Ids } from '../../sandbox/ids.js'
import type { State } from '../../sandbox/state.js'
import { collectionOf, namesOf } from '../../store/rows.js'
import { atOnce } from '../../store/steps.js'
import { type ControlRules, ruleOf } from '../rule.js'
import { type TakenState, takeState } from './take-state.js'
import { readState } from './whole-state.js'

export const stateRules: ControlRules<'resetSandbox' | 'getState' | 'replaceState'> = {
  resetSandbox: ({ body, query }, { sandbox, start }) => {
    sandbox.reset(start(body), query.keep_journal)
    return summary(sandbox)
  },

  getState: ruleOf<'getState'>(readState),

  replaceState: ({ body }, { sandbox, contract, prepared }) => {
    const { fixtures = sandbox.fixtures, seed = sandbox.ids.seed, now, ids } = body
    const taken = prepared as TakenState | undefined
    // The choices, and with them the valid rows, may have changed since.
    const { rows } = taken?.contract === contract ? taken : atOnce(takeState(contract, body, sandbox))
    const clock =
      now === undefined ? sandbox.clock : sandbox.clock.from({ now: Date.parse(now), speed: sandbox.clock.speed })
    sandbox.become({ fixtures, base: undefined, rows, ids: Ids.after(seed, rows, ids), clock })
    return summary(sandbox)
  }
}

export function summary({ fixtures, ids, clock, rows }: State): Summary {
  const counts = namesOf(rows).map((name) => [name, collectionOf(rows, name).size])
  return { fixtures, seed: ids.seed, now: timestamp(clock.now), rows: Object.fromEntries(counts) }
}
