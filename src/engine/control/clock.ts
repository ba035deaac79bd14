import { earliest, latest, timestamp } from '../sandbox/clock.js'
import { durationForms, readDuration } from '../sandbox/duration.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { realNow } from '../sandbox/starts.js'
import { contextAt } from './journal/past.js'
import { type ControlRules, invalid } from './rule.js'

export const clockRules: ControlRules<'getClock' | 'setClock'> = {
  getClock: ({ query: { at } }, context) => stateOf(contextAt(context, at).sandbox),

  setClock: ({ body }, { sandbox }) => {
    const { now, advance, speed } = body
    if (now === undefined && advance === undefined && speed === undefined) {
      throw invalid(['body'], 'Give now, advance or speed.', ['now', 'advance', 'speed'])
    }
    if (now !== undefined && advance !== undefined) {
      throw invalid(['body', 'advance'], 'Give now or advance, not both.')
    }
    if (now === realNow) {
      sandbox.clock.set({ now: sandbox.clock.real, speed: speed ?? 1 })
      return stateOf(sandbox)
    }
    const moment = now !== undefined ? Date.parse(now) : Math.round(sandbox.clock.now + lengthOf(advance))
    if (!(moment >= earliest && moment <= latest)) {
      const field = now === undefined ? 'advance' : 'now'
      throw invalid(['body', field], 'The clock must be between the years 1 and 9999.')
    }
    sandbox.clock.set(speed === undefined ? { now: moment } : { now: moment, speed })
    return stateOf(sandbox)
  }
}

function stateOf({ clock }: Sandbox): { now: string; speed: number } {
  return { now: timestamp(clock.now), speed: clock.speed }
}

function lengthOf(advance: unknown): number {
  const milliseconds = advance === undefined ? 0 : readDuration(advance)
  if (milliseconds !== undefined) return milliseconds
  throw invalid(['body', 'advance'], `${JSON.stringify(advance)} is not a duration. ${durationForms}`)
}
