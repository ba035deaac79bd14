import { once } from 'node:events'
import fc from 'fast-check'
import { ready, start } from '../cli.js'
import { Client, type Received, type Sent } from '../client.js'
import { isSample } from '../extent.js'
import { startTestMock, testNow } from '../mock.js'
import { Play, type Step } from './play.js'
import { Random } from './random.js'
import { seed, sequences } from './steps.js'

/** Control calls for a sandbox, in a sensible order. */
const controls: [method: string, path: string, body?: unknown][] = [
  ['POST', '/__mock/snapshots/first'],
  ['PUT', '/__mock/clock', { advance: '90m' }],
  ['POST', '/__mock/state/labels', { name: 'Own' }],
  ['PATCH', '/__mock/assumptions', { 'files.deletion': 'refused' }],
  ['POST', '/__mock/overrides', { operation: 'getUserRole', status: 401, body: { detail: 'No' }, times: 1 }],
  ['GET', '/__mock/overrides'],
  ['GET', '/__mock/coverage'],
  ['PUT', '/__mock/clock', { now: 'soon' }],
  ['GET', '/__mock/state/personas?limit=3'],
  ['GET', '/__mock/snapshots'],
  ['POST', '/__mock/snapshots/first/restore'],
  ['GET', '/__mock/state']
]

/** The calls of a client: those of the platform that a play made, with calls of the control API between them. */
async function rehearse(steps: Step[]): Promise<Sent[]> {
  const mock = await startTestMock({ seed: 7 })
  const client = new Client(mock.url)
  const sent: Sent[] = []
  const recorder = {
    send: (call: Sent) => {
      sent.push(call)
      return client.send(call)
    }
  }
  await new Play(recorder as Client, mock.sandboxNamed('rehearsal')).run(steps)
  client.close()
  const every = Math.max(1, Math.floor(sent.length / controls.length))
  return controls.flatMap(([method, path, body], at) => [
    ...sent.slice(at * every, at === controls.length - 1 ? undefined : (at + 1) * every),
    {
      method,
      path,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    }
  ])
}

/** All answers to these calls in a sandbox, byte for byte except Date. */
async function transcript(url: string, sandbox: string, calls: Sent[]): Promise<string[]> {
  const client = new Client(url)
  const answers: string[] = []
  for (const call of calls)
    answers.push(written(await client.send({ ...call, headers: { ...call.headers, 'X-Mock-Sandbox': sandbox } })))
  client.close()
  return answers
}

function written({ status, headers, bytes }: Received): string {
  const date = headers.indexOf('Date')
  return `${status} ${headers.filter((_, at) => at !== date && at !== date + 1).join(' ')} ${bytes}`
}

test('the same calls give the same bytes: run twice, in two sandboxes, in two processes', async () => {
  const [steps] = fc.sample(fc.array(sequences(60), { minLength: 3, maxLength: 3 }), { seed, numRuns: 1 }) as [Step[][]]
  const calls = await rehearse(steps.flat())
  const options = ['--port', '0', '--seed', '7', '--now', testNow, '--log', 'silent']
  const processes = [start(options), start(options)]
  try {
    const [one, two] = (await Promise.all(processes.map(ready))) as [string, string]
    const first = await transcript(one, 'first', calls)
    expect(new Set(first.map((it) => it.slice(0, 3))).size).toBeGreaterThan(3)
    expect(first.filter((it) => it.startsWith('5'))).toEqual([])
    expect(await transcript(one, 'second', calls)).toEqual(first)
    expect(await transcript(two, 'other', calls)).toEqual(first)
    await transcript(one, 'first', [
      { method: 'POST', path: '/__mock/reset' },
      { method: 'DELETE', path: '/__mock/snapshots/first' }
    ])
    expect(await transcript(one, 'first', calls)).toEqual(first)
  } finally {
    for (const child of processes) {
      child.kill()
      await once(child, 'close')
    }
  }
})

/** Clients that write their mark wherever they can, and read whatever they can. */
test('many clients in as many sandboxes never see each other’s rows, and never get an error', async () => {
  const mock = await startTestMock()
  const client = new Client(mock.url)
  const clients = isSample ? 30 : 100
  const calls = 60
  const visit = async (number: number): Promise<string[]> => {
    const mark = `mark-${number}-`
    const random = new Random(seed + number)
    const wrong: string[] = []
    const headers = { Authorization: `Bearer admin~visitor-${number}`, 'Content-Type': 'application/json' }
    for (let call = 0; call < calls; call++) {
      const [method, path, body] = random.pick(marked)(`${mark}${call}`)
      const reply = await client.send({
        method,
        path,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      const foreign = [...reply.bytes.toString().matchAll(/mark-\d+-/g)].filter(([found]) => found !== mark)
      if (reply.status >= 500 || foreign.length > 0) wrong.push(`${method} ${path} ${reply.status} ${foreign}`)
    }
    const { rows, journal } = mock.sandboxNamed(`visitor-${number}`)
    const own = JSON.stringify(rows)
    if (/mark-\d+-/.test(own.replaceAll(mark, ''))) wrong.push(`rows of ${number}`)
    if (journal.position > calls) wrong.push(`journal of ${number}`)
    return wrong
  }
  const wrong = await Promise.all(Array.from({ length: clients }, (_, number) => visit(number)))
  client.close()
  expect(wrong.flat()).toEqual([])
  expect(mock.sandboxes.list()).toHaveLength(clients + 1)
})

type Marked = (mark: string) => [method: string, path: string, body?: unknown]

const marked: Marked[] = [
  (mark) => ['PATCH', '/api/persona/1', { name: mark }],
  () => ['GET', '/api/persona/1'],
  (mark) => ['POST', '/api/chat/create-chat-session', { description: mark }],
  () => ['GET', '/api/chat/get-user-chat-sessions'],
  () => ['GET', '/api/chat/search?query=mark'],
  (mark) => ['POST', '/api/user/projects/1/instructions', { instructions: mark }],
  () => ['GET', '/api/user/projects/1/details'],
  (mark) => ['PUT', '/api/manage/admin/users', { emails: [`${mark}@example.com`] }],
  (mark) => ['POST', '/__mock/state/labels', { name: mark }],
  () => ['GET', '/__mock/state/labels'],
  (mark) => ['POST', `/__mock/snapshots/${mark}`],
  () => ['GET', '/__mock/snapshots'],
  (mark) => ['POST', '/__mock/overrides', { operation: 'getUserRole', status: 401, body: { detail: mark }, times: 2 }],
  () => ['GET', '/api/get-user-role'],
  () => ['GET', '/__mock/requests?limit=20'],
  () => ['GET', '/__mock/state'],
  () => ['PUT', '/__mock/clock', { advance: '1h' }],
  () => ['POST', '/__mock/reset', {}]
]
