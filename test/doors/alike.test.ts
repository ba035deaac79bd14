import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { limits } from '../../src/doors/listener/connection.js'
import type { ServerOptions } from '../../src/doors/options/table.js'
import { isSample } from '../extent.js'
import { caseOf } from '../fuzz/case.js'
import { fileForm, form } from '../fuzz/form.js'
import { message as fuzzMessage } from '../fuzz/message.js'
import { startTestMock } from '../mock.js'
import { Random } from '../property/random.js'
import { message } from './listener/wire.js'

const usual = { ...limits }

const both = (options: ServerOptions = {}) =>
  Promise.all((['direct', 'express'] as const).map((door) => startTestMock({ ...options, door })))
const doors = await both()

type Steps = { steps: (Buffer | number | 'answer')[]; finally: 'end' | 'reset' | 'wait'; until?: string }

/** Everything that a server sends on one connection: up to its end, or up to a text, after which the client breaks off. */
async function heard(url: string, { steps, finally: last, until }: Steps): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let text = ''
  let wake = () => {}
  const came = () => new Promise<void>((resolve) => (wake = resolve))
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    wake()
    if (until !== undefined && text.includes(until)) socket.destroy()
  })
  for (const step of steps) {
    if (typeof step === 'number') await setTimeout(step)
    else if (step === 'answer') await Promise.race([came(), closed])
    else socket.write(step)
  }
  if (last === 'reset') {
    // How much has arrived depends on speed.
    socket.resetAndDestroy()
    return ''
  }
  if (last === 'end') socket.end()
  await closed
  return text
}

/** A clock that runs shows each of them another time. */
const still = (text: string) =>
  text.replace(/"now":"([^"]*)"/g, (it, at) => (Math.abs(Date.parse(at) - Date.now()) < 60_000 ? '"now":0' : it))

/** The differences between two processes with equal answers: time, speed, and name. */
function plain(text: string): string {
  return (
    still(text)
      .replace(/^Date: .*\r\n/gim, '')
      // The framing of chunks.
      .replace(/^[\da-f]+\r\n/gm, '')
      // Its length depends on what is left out here.
      .replace(/^Content-Length: \d+\r\n(?=(?:.+\r\n)*\r\n.*"(?:duration_ms|instance|node|startedDateTime)":)/gim, '')
      .replace(/"(duration_ms|instance|node|startedDateTime|real_time|time|wait)":("[^"]*"|[\d.]+)/g, '"$1":0')
      // The metrics about time and the process.
      .replace(/^(kcm_request_duration_seconds|kcm_journal_bytes|nodejs_|process_)\S* .*$/gm, '')
      .replace(/^Content-Length: \d+\r\n(?=(?:.+\r\n)*\r\n# HELP kcm_)/gim, '')
      // When a sandbox was made, by the real clock.
      .replace(/"created_at":"[^"]*"(?=,"now":)/g, '"created_at":0')
      .replace(/"timing":\[.*?\]/g, '"timing":[]')
      .replace(/127\.0\.0\.1:\d+/g, 'host')
  )
}

async function alike(sent: Steps, between = doors): Promise<string> {
  const [direct, express] = await Promise.all(between.map(({ url }) => heard(url, sent)))
  expect({ sent: shown(sent), answer: plain(express as string) }).toEqual({
    sent: shown(sent),
    answer: plain(direct as string)
  })
  return direct as string
}

const shown = ({ steps }: Steps) => steps.map((it) => (Buffer.isBuffer(it) ? it.toString('latin1') : it)).slice(0, 10)

/** One after the other on one connection, which the client then closes. */
const inOne = (...requests: (string | Buffer)[]): Steps => ({
  steps: [Buffer.concat(requests.map((it) => Buffer.from(it)))],
  finally: 'end'
})

const json = { 'Content-Type': 'application/json' }
const role = 'GET /api/get-user-role'
const instruct = 'POST /api/user/projects/1/instructions'
const upload = ['POST', '/api/manage/admin/connector/file/upload'] as const
const part = (name: string, text: string) => ({ 'x-file': { name, type: 'text/plain', text } })
const uploadOf = ({ type, body }: { type: string; body: Buffer }) =>
  fuzzMessage(...upload, 'default', { headers: [['Content-Type', type]], body })

const faults = ['CONNECTION_RESET_BY_PEER', 'EMPTY_RESPONSE', 'MALFORMED_RESPONSE_CHUNK', 'RANDOM_DATA_THEN_CLOSE']
test.each<[string, Steps]>([
  ['reads on a persistent connection', inOne(...[1, 2, 3, 4].map((id) => message(`GET /api/persona/${id}`)))],
  ['a read by HTTP/1.0', inOne(message(`${role} HTTP/1.0`))],
  ['a read by an absolute address', inOne(message('GET http://localhost/api/get-user-role'))],
  [
    'HEAD of everything',
    inOne(
      ...['/api/get-user-role', '/api/none', '/docs', '/__mock/clock', '/own', '/'].map((it) => message(`HEAD ${it}`))
    )
  ],
  [
    'OPTIONS of everything',
    inOne(...['/api/get-user-role', '/api/none', '/docs', '/__mock/clock', '*'].map((it) => message(`OPTIONS ${it}`)))
  ],
  [
    'preflights',
    inOne(
      ...['/api/get-user-role', '/api/none', '/__mock/clock'].map((it) =>
        message(`OPTIONS ${it}`, { Origin: 'http://localhost', 'Access-Control-Request-Method': 'GET' })
      )
    )
  ],
  [
    'wrong methods and slashes',
    inOne(
      message('DELETE /api/get-user-role'),
      message('GET /api/user/projects?a=b'),
      message('GET /api/persona/1/'),
      message('PROPFIND /api/persona/1')
    )
  ],
  [
    'paths that cannot be decoded',
    inOne(
      ...[
        '/api/persona/%zz',
        '/api/persona/%ff',
        '/%',
        '//x',
        '/api//persona/1',
        '/API/persona/1',
        '/api/persona/%31'
      ].map((it) => message(`GET ${it}`))
    )
  ],
  [
    'pages',
    inOne(...['/', '/docs', '/docs/', '/__mock', '/__mock/', '/openapi.json'].map((it) => message(`GET ${it}`)))
  ],
  [
    'control',
    inOne(
      message('GET /__mock/clock'),
      message('PUT /__mock/clock', json, '{"speed": "fast"}'),
      message('GET /__mock/none')
    )
  ],
  [
    'a wrong host',
    inOne(message(role, { Host: 'elsewhere.example' }), message('GET /none', { Host: 'elsewhere.example' }))
  ],
  ['an upgrade', inOne(message(role, { Connection: 'Upgrade', Upgrade: 'websocket' }), message(role))],
  [
    'a body in chunks',
    inOne(
      message(instruct, { ...json, 'Transfer-Encoding': 'chunked' }),
      '13\r\n{"instructions":"a"\r\n1\r\n}\r\n0\r\n\r\n'
    )
  ],
  [
    '100-continue',
    {
      steps: [
        Buffer.from(message(instruct, { ...json, Expect: '100-continue', 'Content-Length': '2' })),
        'answer',
        Buffer.from('{}')
      ],
      finally: 'end'
    }
  ],
  ['an invalid expectation', inOne(message(instruct, { ...json, Expect: 'the best' }, '{}'))],
  ['a refused body that is not read', inOne(message('POST /api/none', json, 'x'.repeat(200_000)), message(role))],
  ['a delay in a pipeline', inOne(message(role, { Prefer: 'delay=20' }), message(role))],
  ...faults.map((fault): [string, Steps] => [
    fault,
    inOne(message(role), message(role, { Prefer: `fault=${fault}` }), message(role))
  ]),
  [
    'an upload',
    inOne(uploadOf(form({ files: [part('a.txt', 'text'), part('b.txt', 'x'.repeat(200_000))], more: 'text' })))
  ],
  [
    'a broken upload',
    inOne(
      uploadOf(fileForm('files', 'a.zip', 'application/zip', Buffer.from('PK'))),
      uploadOf({ type: 'multipart/form-data; boundary=x', body: Buffer.from('--y') })
    )
  ],
  ['no HTTP', inOne('nothing\r\n\r\n')],
  ['no HTTP after a request', inOne(message(role), 'nothing\r\n\r\n')]
])('both doors answer with the same bytes to %s', async (_, sent) => {
  await alike(sent)
})

test('both doors answer with the same bytes to a request that never ends', async () => {
  const steps = [Buffer.from(message(instruct, { ...json, 'Content-Length': '9' }))]
  Object.assign(limits, { headersTimeout: 1000, requestTimeout: 1000 })
  const hasty = await both()
  Object.assign(limits, usual)
  expect(await alike({ steps, finally: 'wait' }, hasty)).toContain(' 408 ')
})

test('both doors answer with the same bytes to the stream of events', async () => {
  const own = { 'X-Mock-Sandbox': 'events' }
  const requests = [message(role, own), message(role, own), message('GET /__mock/events?since=r1', own)]
  const text = await alike({ steps: requests.map((it) => Buffer.from(it)), finally: 'wait', until: 'id: r2' })
  expect(text).toContain('text/event-stream')
})

test('both doors answer with the same bytes to an override of a path, with a rate and by its body', async () => {
  for (const it of doors) {
    it.handle().override({ method: 'GET', path: '/none', rate: 0.5, body: 'sometimes' })
    it.handle().override({ method: 'POST', path: '/none', match: { body: { a: 1 } }, body: 'matched' })
  }
  const posts = ['{"a":1}', '{"a":2}', '{'].map((body) => message('POST /none', json, body))
  const text = await alike(inOne(...Array(8).fill(message('GET /none')), ...posts))
  expect([text.match(/"sometimes"/g)?.length, text.match(/"matched"/g)?.length]).toEqual([expect.any(Number), 1])
  for (const it of doors) await it.reset()
})

// Forms, zips and control calls of one connection may overtake each other.
test.each([
  ['operations', 6],
  ['refused', 6],
  ['json', 6],
  ['heads', 6],
  ['targets', 6],
  ['headers', 3],
  ['framing', 1],
  ['forms', 1],
  ['zips', 1],
  ['control', 1]
])('both doors answer with the same bytes to generated requests: %s', async (kind, most) => {
  const random = new Random(7)
  const count = isSample ? 40 : 1000
  for (let number = 0; number < count; ) {
    const batch = Array.from({ length: random.int(1, most) }, () => caseOf(11, number++, kind).make(kind))
    for (const made of batch) if ('steps' in made) await alike(made)
    const requests = batch.flatMap((made) => ('bytes' in made ? [made.bytes] : []))
    const isOnePacket = requests.reduce((sum, { length }) => sum + length, 0) < 16_384
    for (const sent of isOnePacket ? [requests] : requests.map((it) => [it])) await alike(inOne(...sent))
  }
  const [direct, express] = doors.map((it) => JSON.parse(still(JSON.stringify(it.handle(kind).state))))
  expect(express).toEqual(direct)
})
