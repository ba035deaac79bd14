import type { Generator } from '../case.js'
import { hidden, json, message } from '../message.js'

/** A sender that takes its time: byte by byte, or silent in the middle until the server has enough. */
export const sendSlowly: Generator = (random, sandbox) => {
  const body = Buffer.from('{"instructions": "slow"}')
  const whole = message('POST', '/api/user/projects/1/instructions', sandbox, { headers: json, body })
  const sent = whole.subarray(0, random.int(1, whole.length - 1))
  if (random.chance(0.5)) return { isWrong: true, steps: [sent], finally: 'wait' }
  const steps = Array.from({ length: 20 }, (_, at) => [
    sent.subarray((sent.length * at) / 20, (sent.length * (at + 1)) / 20),
    random.int(0, 20)
  ]).flat()
  return {
    isWrong: true,
    steps: [...steps, ...(random.chance(0.3) ? [hidden(random, sandbox)] : [])],
    finally: random.pick(['wait', 'reset', 'end'])
  }
}
