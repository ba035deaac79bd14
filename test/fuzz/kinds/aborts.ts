import type { Generator } from '../case.js'
import { form } from '../form.js'
import { json, message } from '../message.js'

/** A client that leaves: in a line, a header, a body, a part, before its answer, or from the stream of events. */
export const abort: Generator = (random, sandbox) => {
  if (random.chance(0.2)) {
    const events = message('GET', '/__mock/events', sandbox)
    return { isWrong: true, steps: [events, random.int(0, 5)], finally: random.pick(['reset', 'end']) }
  }
  const text = JSON.stringify({ instructions: 'x'.repeat(random.pick([10, 1000, 200_000])) })
  const { type, body } = form({
    files: Array.from({ length: 5 }, (_, at) => ({ 'x-file': { name: `${at}`, type: 'text/plain', text } }))
  })
  const whole = random.chance(0.5)
    ? message('POST', '/api/user/projects/1/instructions', sandbox, { headers: json, body: text })
    : message('POST', '/api/manage/admin/connector/file/upload', sandbox, { headers: [['Content-Type', type]], body })
  const cut = whole.subarray(0, random.int(1, whole.length - 1))
  return {
    isWrong: true,
    steps: random.chance(0.5) ? [cut] : [cut, random.int(0, 3)],
    finally: random.pick(['reset', 'reset', 'end'])
  }
}
