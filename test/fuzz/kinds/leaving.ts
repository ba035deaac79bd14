import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { form } from '../form.js'
import { chunked, json, message } from '../message.js'

/**
 * A client that leaves, in every state: before its headers end, in its body, after that before the answer, in the
 * answer, in a stream of events; by breaking off, or by ending what it sends and reading on. Nothing is changed by it.
 */
export const leave: Generator = (random, sandbox) => {
  const [whole, from, to] = random.pick(moments)(random, sandbox)
  const cut = random.int(from, to)
  const steps: (Buffer | number | 'answer')[] = [whole.subarray(0, cut)]
  // No client waits an hour for an answer.
  if (cut === whole.length && random.chance(0.6) && !whole.includes('delay=3600000')) steps.push('answer')
  else if (random.chance(0.3)) steps.push(random.int(0, 3))
  if (random.chance(0.2)) steps.unshift(message('GET', '/api/get-user-role', sandbox))
  return { isWrong: true, steps, finally: random.pick(['reset', 'reset', 'end']) }
}

/** The bytes, and the places where they may be cut: from, to. */
type Moment = (random: Random, sandbox: string) => [whole: Buffer, from: number, to: number]

const instruct = '/api/user/projects/1/instructions'
const upload = '/api/manage/admin/connector/file/upload'

const bodyOf = (random: Random) => JSON.stringify({ instructions: 'x'.repeat(random.pick([1, 1000, 100_000])) })

function formTo(random: Random, sandbox: string, more: [string, string][] = []): Buffer {
  const content = 'x'.repeat(random.pick([1, 1000, 100_000]))
  const { type, body } = form({
    files: Array.from({ length: 3 }, (_, at) => ({ 'x-file': { name: `${at}`, type: 'text/plain', text: content } }))
  })
  const given = random.pick([type, type, 'multipart/form-data; boundary=', 'multipart/form-data;;boundary=b'])
  return message('POST', upload, sandbox, { headers: [['Content-Type', given], ...more], body })
}

const inHeaders = (whole: Buffer): [Buffer, number, number] => [whole, 1, whole.indexOf('\r\n\r\n') + 3]
const inBody = (whole: Buffer): [Buffer, number, number] => [whole, whole.indexOf('\r\n\r\n') + 4, whole.length - 1]
const after = (whole: Buffer): [Buffer, number, number] => [whole, whole.length, whole.length]

const moments: Moment[] = [
  (_, sandbox) => inHeaders(message('GET', '/api/get-user-role', sandbox)),
  (random, sandbox) => inHeaders(formTo(random, sandbox)),
  (random, sandbox) => inBody(formTo(random, sandbox)),
  (random, sandbox) => inBody(message('POST', instruct, sandbox, { headers: json, body: bodyOf(random) })),
  (random, sandbox) => {
    const body = chunked(random, Buffer.from(bodyOf(random)))
    return inBody(message('POST', instruct, sandbox, { headers: [...json, ['Transfer-Encoding', 'chunked']], body }))
  },
  (random, sandbox) => inBody(message('PUT', '/__mock/state', sandbox, { headers: json, body: bodyOf(random) })),
  (random, sandbox) =>
    inBody(message('POST', instruct, sandbox, { headers: json, body: bodyOf(random), as: 'nobody' })),
  (random, sandbox) => after(formTo(random, sandbox, [['Prefer', 'code=422']])),
  (random, sandbox) =>
    after(
      message('GET', '/api/get-user-role', sandbox, {
        headers: [['Prefer', `delay=${random.pick([1, 20, 3_600_000])}`]]
      })
    ),
  (random, sandbox) => {
    // A held connection with unanswered requests does not show that its client has gone.
    const [count, delay] = random.pick([
      [1, 3_600_000],
      [10, 3_600_000],
      [300, 20]
    ] as const)
    const one = message('GET', '/api/persona/1', sandbox, { headers: [['Prefer', `delay=${delay}`]] })
    return after(Buffer.concat(Array.from({ length: count }, () => one)))
  },
  (_, sandbox) => {
    // More long answers than its client reads, to more requests than may be in progress.
    const one = message('GET', '/openapi.json', sandbox)
    return after(Buffer.concat(Array.from({ length: 150 }, () => one)))
  },
  (_, sandbox) => after(message('GET', '/__mock/state', sandbox)),
  (_, sandbox) => after(message('GET', '/openapi.json', sandbox)),
  (_, sandbox) => after(message('GET', '/docs', sandbox)),
  (random, sandbox) => after(message('GET', `/__mock/events?since=${random.pick(['0', '1h'])}`, sandbox)),
  (random, sandbox) =>
    after(message('GET', '/api/persona/1', sandbox, { headers: [['Prefer', `fault=${random.pick(faults)}`]] }))
]

/** Those that are followed only by replies. */
const faults = ['CONNECTION_RESET_BY_PEER', 'EMPTY_RESPONSE']
