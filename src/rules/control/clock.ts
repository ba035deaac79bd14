import { Invalid } from '../../contract/explain.js'
import { timestamp } from '../../mock/clock.js'
import { durationForms, readDuration } from '../../mock/duration.js'
import type { Sandbox } from '../../mock/sandbox.js'
import { wrong } from './problems.js'
import type { ControlRules } from './rule.js'

/** The moments that can be written as ISO 8601 with four digits for the year. */
const [earliest, latest] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

export const clockRules: ControlRules<'getClock' | 'setClock'> = {
  getClock: (_, { sandbox }) => stateOf(sandbox),

  setClock: ({ body }, { sandbox }) => {
    const { now, advance, speed } = body
    if (now === undefined && advance === undefined && speed === undefined) {
      throw new Invalid([wrong(['body'], 'Give now, advance or speed.', ['now', 'advance', 'speed'])])
    }
    if (now !== undefined && advance !== undefined) {
      throw new Invalid([wrong(['body', 'advance'], 'Give now or advance, not both.')])
    }
    const moment = now !== undefined ? Date.parse(now) : sandbox.clock.now + lengthOf(advance ?? 0)
    if (!(moment >= earliest && moment <= latest)) {
      const field = now === undefined ? 'advance' : 'now'
      throw new Invalid([wrong(['body', field], 'The clock goes from the year 1 to the year 9999.')])
    }
    sandbox.clock.set(speed === undefined ? { now: moment } : { now: moment, speed })
    return stateOf(sandbox)
  }
}

function stateOf({ clock }: Sandbox): { now: string; speed: number } {
  return { now: timestamp(clock.now), speed: clock.speed }
}

function lengthOf(advance: string | number): number {
  const milliseconds = readDuration(advance)
  if (milliseconds !== undefined) return milliseconds
  throw new Invalid([wrong(['body', 'advance'], `"${advance}" is no duration. ${durationForms}`)])
}
