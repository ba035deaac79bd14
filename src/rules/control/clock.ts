import { Invalid } from '../../contract/explain.js'
import { earliest, latest, timestamp } from '../../mock/clock.js'
import type { Sandbox } from '../../mock/sandbox.js'
import { wrong } from './problems.js'
import type { ControlRules } from './rule.js'

/** Milliseconds by unit. */
const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

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
    const moment =
      now !== undefined
        ? Date.parse(now)
        : Math.round(sandbox.clock.now + (advance === undefined ? 0 : readDuration(advance)))
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

/** Milliseconds of `2h`, `1d 12h`, `-30s`, which goes back, or of a number, which is milliseconds. */
export function readDuration(value: unknown): number {
  if (typeof value === 'number') return value
  const text = typeof value === 'string' ? value.trim() : ''
  const sign = text.startsWith('-') ? -1 : 1
  const parts = [...text.replace(/^[+-]/, '').matchAll(/\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*/gy)]
  const length = parts.reduce((sum, [whole]) => sum + whole.length, 0)
  if (parts.length === 0 || length !== text.replace(/^[+-]/, '').length) {
    const good = 'Give milliseconds, or a number with ms, s, m, h, d or w, such as "2h" or "1d 12h".'
    throw new Invalid([wrong(['body', 'advance'], `${JSON.stringify(value)} is no duration. ${good}`)])
  }
  return sign * parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit as string] as number), 0)
}
