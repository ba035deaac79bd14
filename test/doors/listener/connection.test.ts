import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpServer, limits } from '../../../src/doors/listener/connection.js'
import { NodeRequest } from '../../../src/doors/listener/node-request.js'
import { lingerLimits } from '../../../src/doors/listener/pace.js'
import { send } from '../../../src/doors/listener/send.js'
import { startMock } from '../../../src/doors/program/server.js'
import { startTestMock } from '../../mock.js'
import { restored } from '../../restored.js'
import { unchanged } from '../../serve/unchanged.js'
import { ask, message, Wire } from './wire.js'

const role = 'GET /api/get-user-role'
const asAdmin = { status: 200, body: { role: 'admin' } }
const instruct = 'POST /api/user/projects/1/instructions'
const upload = 'POST /api/manage/admin/connector/file/upload'
const removal = message('DELETE /api/persona/1')
const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'multipart/form-data; boundary=X', 'Transfer-Encoding': 'chunked' }

const usual = { ...limits }
afterEach(() => {
  Object.assign(limits, usual)
  lingerLimits.milliseconds = 1000
})
restored(lingerLimits)
lingerLimits.milliseconds = 1000
const mock = await startTestMock()

/** The answer to bytes that must change nothing, even if a request follows; then the connection ends. */
async function refused(text: string | Uint8Array, to = mock) {
  return unchanged(to, async () => {
    const wire = Wire.open(to.url)
    void wire.send(text)
    void wire.send(removal)
    const { status, headers, body } = await wire.reply()
    await wire.closed()
    return { status, connection: headers.connection, detail: body.detail }
  })
}

test('headers over the size limit are refused, also when the client writes them all before it reads', async () => {
  limits.headerBytes = 2000
  const tight = await startTestMock()
  expect(await ask(tight.url, message(role, { 'X-A': 'a'.repeat(1800) }))).toMatchObject(asAdmin)
  const detail = 'The request line and the headers are larger than 2000 bytes together.'
  const flood = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`X-${at}`, 'a']))
  for (const text of [message(role, { 'X-A': 'a'.repeat(2000) }), message(role, flood)]) {
    expect(await refused(text, tight)).toEqual({ status: 431, connection: 'close', detail })
  }
  const long = message(`${role}?${'a'.repeat(2000)}`)
  expect(await refused(long, tight)).toMatchObject({ status: 431, detail })
})

test('headers over the limit of their number are refused, and none is dropped', async () => {
  limits.headers = 10
  const tight = await startTestMock()
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'a']))
  const start = 'POST /api/chat/create-chat-session'
  // Host, Authorization and Content-Length are three.
  const good = await ask(tight.url, message(start, headers(7), '{}'))
  expect([good.status, tight.sandbox.rows.chatSessions.has(good.body.chat_session_id)]).toEqual([200, true])
  for (const count of [8, 9, 100]) {
    const { status, body } = await unchanged(tight, () => ask(tight.url, message(start, headers(count), '{}')))
    expect([status, body]).toEqual([431, { detail: 'The request has more than 10 headers.' }])
  }
})

test('headers without exactly one Host are refused', async () => {
  const none = message(instruct, { ...json, Host: undefined }, '{"instructions": "hostless"}')
  const two = message(instruct, { ...json, host: 'evil.example' }, '{"instructions": "two hosts"}')
  await unchanged(mock, async () => {
    expect(await ask(mock.url, none)).toMatchObject({
      status: 400,
      body: { detail: 'The request has no Host header.' }
    })
    const detail = 'The request has more than one Host header.'
    expect(await ask(mock.url, two)).toMatchObject({ status: 400, body: { detail } })
  })
})

const body = '{"instructions": "smuggled"}'
test.each([
  [
    'an empty coding and a length',
    message(`${instruct}`, { ...json, 'Transfer-Encoding': '', 'Content-Length': '28' }, body)
  ],
  ['two codings', message(instruct, { ...json, 'Transfer-Encoding': 'gzip, chunked' }, `1c\r\n${body}\r\n0\r\n\r\n`)],
  [
    'chunks in HTTP/1.0',
    message(`${instruct} HTTP/1.0`, { ...json, 'Transfer-Encoding': 'chunked' }, `1c\r\n${body}\r\n0\r\n\r\n`)
  ],
  ['another version', `${role} HTTP/2.0\r\nHost: localhost\r\n\r\n`],
  ['an empty Host', message(role, { Host: '' })]
])(
  'a request that another reader could take for two requests with %s is refused, and nothing after it is read as a request',
  async (_, text) => {
    expect(await refused(text)).toMatchObject({ status: 400, connection: 'close' })
  }
)

test('a request that another reader could take for two requests may have a length with leading zeros', async () => {
  const good = message(instruct, { ...json, 'Content-Length': '000028' }, body)
  expect((await ask(mock.url, good)).body).toEqual({ instructions: 'smuggled' })
})

test.each([
  ['bytes of another protocol', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])],
  ['a length and chunks', message(instruct, { ...json, 'Content-Length': '2', 'Transfer-Encoding': 'chunked' }, '{}')],
  ['two lengths', message(instruct, { ...json, 'Content-Length': '2', 'content-length': '4' }, '{}')],
  ['an unknown coding', message(instruct, { ...json, 'Transfer-Encoding': 'gzip' }, '{}')],
  ['a space before the colon', message(instruct, { ...json, 'Transfer-Encoding ': 'chunked' }, '{}')],
  ['a line without a colon', `${role} HTTP/1.1\r\nHost: localhost\r\nnothing\r\n\r\n`],
  ['a bad chunk', message(instruct, { ...json, 'Transfer-Encoding': 'chunked' }, 'zz\r\n{}\r\n')]
])(
  'bytes that are not HTTP such as %s are refused with a reason, and nothing after them is read as a request',
  async (_, text) => {
    const { status, connection, detail } = await refused(text)
    expect([status, connection]).toEqual([400, 'close'])
    expect(detail).toMatch(/^This is not an HTTP\/1\.1 request: .+\.$/)
  }
)

test('bytes that are not HTTP are refused after the complete requests before them are answered', async () => {
  const wire = Wire.open(mock.url)
  const good = message(instruct, json, '{"instructions": "before the fault"}')
  void wire.send(`${good}${message(role)}no request\r\n\r\n${removal}`)
  expect((await wire.reply()).body).toEqual({ instructions: 'before the fault' })
  expect(await wire.reply()).toMatchObject(asAdmin)
  expect(await wire.reply()).toMatchObject({ status: 400, headers: { 'x-mock-source': 'refusal' } })
  await wire.closed()
  expect(mock.sandbox.rows.projects.get(1)?.instructions).toBe('before the fault')
  expect(mock.sandbox.rows.personas.has(1)).toBe(true)
})

test('bytes that are not HTTP or need a proxy are refused, also when the client is gone', async () => {
  for (let count = 0; count < 50; count++) {
    const wire = Wire.open(mock.url)
    await wire.send('CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n')
    wire.destroy()
    await wire.closed()
  }
  const { status, detail } = await refused('CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n')
  expect([status, detail]).toEqual([405, 'This is not a proxy: CONNECT is not supported.'])
})

test.each([
  ['GET', undefined],
  ['POST', '{"instructions": "for another protocol"}']
])('a %s that asks for an upgrade is answered without one, and is the last of its connection', async (method, body) => {
  const upgrade = { ...(body ? json : {}), Connection: 'Upgrade', Upgrade: 'h2c' }
  const first = message(method === 'GET' ? role : instruct, upgrade, body)
  const hidden = message('DELETE /api/persona/1')
  const next = message(instruct, json, JSON.stringify({ instructions: hidden }))
  const at = next.indexOf('\r\n\r\n') + 4
  const wire = Wire.open(mock.url)
  await wire.send(first + next.slice(0, at))
  const { status, headers } = await wire.reply()
  expect([status, headers.connection]).toEqual([200, 'close'])
  void wire.send(hidden)
  await wire.closed()
  expect(mock.sandbox.rows.personas.has(1)).toBe(true)
})

test('bytes after a request for an upgrade are not read as a request, even before its answer', async () => {
  const wire = Wire.open(mock.url)
  const slow = { Connection: 'Upgrade', Upgrade: 'h2c', Prefer: 'delay=50' }
  await wire.send(message(role, slow) + message(instruct, json, 'x').slice(0, -1))
  // Once another client is answered, the first bytes are read.
  await ask(mock.url, message(role))
  await wire.send(message('DELETE /api/persona/1'))
  await wire.reply()
  await wire.closed()
  expect(mock.sandbox.rows.personas.has(1)).toBe(true)
})

test('a refusal resets no earlier answer, whatever follows in the pipeline', async () => {
  const wire = Wire.open(mock.url)
  const big = message(
    instruct,
    { ...json, Host: 'evil.example' },
    JSON.stringify({ instructions: 'x'.repeat(2 ** 20) })
  )
  const rest = message(instruct, json, JSON.stringify({ instructions: 'y'.repeat(2 ** 24) }))
  void wire.send(message('GET /__mock/assumptions').repeat(4) + big + rest)
  for (let count = 0; count < 4; count++) expect((await wire.reply()).status).toBe(200)
  expect((await wire.reply()).status).toBe(403)
  await wire.closed()
})

test.each([
  ['is refused for its Host', 'GET /api/persona/1 HTTP/1.1\r\nHost: \r\n\r\n', 400],
  ['is not HTTP', 'nonsense\r\n\r\n', 400],
  ['is the last by its own word', message(role, { Connection: 'close' }), 200],
  ['is of HTTP/1.0', 'GET /api/get-user-role HTTP/1.0\r\nAuthorization: Bearer admin\r\n\r\n', 200]
])('a client that reads late gets all answers when what follows %s and it writes on', async (_, last, status) => {
  const long = JSON.stringify({ description: 'word '.repeat(100_000) })
  const rest = message(instruct, json, JSON.stringify({ instructions: 'y'.repeat(2 ** 24) }))
  lingerLimits.milliseconds = 600_000
  const patient = await startTestMock()
  const wire = Wire.open(patient.url)
  wire.pause()
  void wire.send(message('POST /api/chat/create-chat-session', json, long) + last + rest.slice(0, 200))
  // The mock has ended its side after this many answers to others.
  for (let count = 0; count < 50; count++) expect((await ask(patient.url, message(role))).status).toBe(200)
  void wire.send(rest.slice(200))
  wire.resume()
  const first = await wire.reply()
  expect([first.status, first.body.detail[0].input.length]).toEqual([422, 500_000])
  expect((await wire.reply()).status).toBe(status)
  await wire.closed()
})

test('a slow answer and the refusal after it are both delivered', async () => {
  let held: ServerResponse | undefined
  lingerLimits.milliseconds = 100
  const { server } = createHttpServer((request, response) => {
    if (request.url === '/held') held = response
    else {
      const body = JSON.stringify({ detail: 'refused' })
      send(new NodeRequest(request, response), { status: 400, headers: { 'Content-Length': body.length }, body })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const unread = message('POST /refused', { 'Content-Length': '500' }, 'half')
  const wire = Wire.open(url)
  await wire.send(message('GET /held') + unread)
  while (!held) await ask(url, unread)
  // The time of another one that began later is over.
  const other = Wire.open(url)
  await other.send(unread)
  expect((await other.reply()).status).toBe(400)
  await other.closed()
  held.end('late')
  expect([(await wire.reply()).body, (await wire.reply()).status]).toEqual(['late', 400])
  await wire.closed()
  server.close()
})

test('a HEAD that is refused for its body gets an answer', async () => {
  const wire = Wire.open(mock.url)
  void wire.send(message('HEAD /api/unknown', { ...json, 'Content-Length': '500' }, 'half'))
  expect(await wire.reply({ hasBody: false })).toMatchObject({ status: 404, headers: { connection: 'close' } })
  await wire.closed()
})

test('requests without end after a refusal are not stored', async () => {
  const wire = Wire.open(mock.url)
  void wire.send(message(instruct, { Host: 'evil.example' }, '{}'))
  let sent = 0
  while (sent < 1000 && (await wire.send(message(role).repeat(100)))) sent += 1
  await wire.closed()
  expect(sent).toBeLessThan(1000)
})

test('a connection over the limit gets a refusal, and one that ends makes room', async () => {
  const few = await startTestMock({ maxConnections: 2 })
  const [first, second] = [Wire.open(few.url), Wire.open(few.url)]
  for (const wire of [first, second]) {
    void wire.send(message(role))
    expect(await wire.reply()).toMatchObject(asAdmin)
  }
  const third = Wire.open(few.url)
  void third.send(removal)
  const { status, body } = await third.reply()
  expect([status, body]).toEqual([503, { detail: 'There are 2 connections already (--max-connections).' }])
  await third.closed()
  expect(few.sandbox.rows.personas.has(1)).toBe(true)
  first.end()
  await first.closed()
  expect(await ask(few.url, message(role))).toMatchObject(asAdmin)
  second.destroy()
})

test('a request that arrived while the process was busy does not count as slow', async () => {
  limits.headersTimeout = 1000
  const busy = await startTestMock()
  const wire = Wire.open(busy.url)
  // The server has the connection after this.
  await busy.call('GET', '/__mock/health')
  const sent = wire.send('GET /__mock/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  for (const until = performance.now() + 1500; performance.now() < until; );
  await sent
  expect((await wire.reply()).status).toBe(200)
})

describe('a slow sender', () => {
  let hasty: Promise<Awaited<ReturnType<typeof startTestMock>>>
  beforeAll(() => {
    Object.assign(limits, { headersTimeout: 200, requestTimeout: 400, keepAliveTimeout: 200 })
    hasty = startTestMock()
  })
  beforeEach(() => {
    Object.assign(limits, { headersTimeout: 200, requestTimeout: 400 })
    lingerLimits.milliseconds = 100
  })

  test.each([
    ['nothing', ''],
    ['half a request line', 'POST /api/us'],
    ['half its headers', `${instruct} HTTP/1.1\r\nHost: local`]
  ])('of %s gets a 408 with the time limit for headers', async (_, text) => {
    const detail = 'The headers were not received within 0.2 seconds.'
    const to = await hasty
    await unchanged(to, async () => {
      const wire = Wire.open(to.url)
      if (text) await wire.send(text)
      expect(await wire.reply()).toMatchObject({ status: 408, headers: { connection: 'close' }, body: { detail } })
      await wire.closed()
    })
  })

  test.each([
    ['JSON', message(instruct, { ...json, 'Content-Length': '50' }, '{"instructions": "ha')],
    ['a form', message(upload, form, '5\r\n--X\r\n\r\n')]
  ])('of half a body of %s gets a 408 with the time limit for requests, and the journal shows it', async (_, text) => {
    const detail = 'The request was not received within 0.4 seconds.'
    const to = await hasty
    const wire = Wire.open(to.url)
    await unchanged(to, async () => {
      await wire.send(text)
      expect(await wire.reply()).toMatchObject({ status: 408, headers: { connection: 'close' }, body: { detail } })
      await wire.closed()
    })
    const [entry] = [...to.sandbox.journal.entries()].filter((it) => it.method === 'POST')
    expect(entry).toMatchObject({ status: 408, url: text.split(' ')[1] })
  })

  test('of half a control call changes nothing', async () => {
    const to = await hasty
    await unchanged(to, async () => {
      const text = message('POST /__mock/reset', { ...json, 'Content-Length': '50' }, '{"fixtures": "empty"')
      expect((await ask(to.url, text)).status).toBe(408)
    })
  })

  test('delays no other client, and an idle connection ends', async () => {
    const to = await hasty
    const slow = Array.from({ length: 50 }, () => Wire.open(to.url))
    await Promise.all(slow.map((wire) => wire.send('GET')))
    const idle = Wire.open(to.url)
    void idle.send(message(role))
    expect(await idle.reply()).toMatchObject(asAdmin)
    await Promise.all([idle, ...slow].map((wire) => wire.closed()))
  })
})

const chunk = `100000\r\n${' '.repeat(2 ** 20)}\r\n`

test.each([
  [
    'has too many files',
    '--X\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nx\r\n'.repeat(3),
    413
  ],
  ['has a file that is too large', '--X\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n', 413],
  ['has a part without a name', `--X\r\nContent-Disposition: form-data\r\n\r\nx\r\n--X\r\n`, 422],
  ['never begins', '', 413],
  ['continues after its end', '--X--\r\n', 413]
])('an endless form that %s is answered while it is sent, and not read much longer', async (_, start, status) => {
  const tight = await startTestMock({
    assume: { 'limits.upload': 'files:2,total:1,json:1,entries:10,unpacked:1' }
  })
  lingerLimits.bytes = 8 * 2 ** 20
  await unchanged(tight, async () => {
    const wire = Wire.open(tight.url)
    void wire.send(message(upload, form))
    if (start) void wire.send(`${start.length.toString(16)}\r\n${start}\r\n`)
    let sent = 0
    const sending = (async () => {
      while (await wire.send(chunk)) sent += 1
    })()
    expect((await wire.reply()).status).toBe(status)
    await sending
    await wire.closed()
    // The buffers of the kernel, and what arrives between two checks, come on top of the limit.
    expect(sent).toBeLessThan(256)
  })
})

test.each([
  [{ maxUploadBytes: 0 }, 'maxUploadBytes is 0: give a number from 1,'],
  [{ maxConnections: 0 }, 'maxConnections is 0: give a whole number from 1.'],
  [{ maxConnections: Number.NaN }, 'maxConnections is NaN: give a whole number from 1.'],
  [{ maxConnections: 1.5 }, 'maxConnections is 1.5: give a whole number from 1.'],
  [{ maxSandboxes: 0 }, 'maxSandboxes is 0: give a number from 1.'],
  [{ shutdownTimeout: -1 }, 'shutdownTimeout is -1: give a number from 0.']
])('%j is refused as a limit', async (options, sentence) => {
  await expect(startMock({ port: 0, ...options })).rejects.toThrow(sentence)
})
