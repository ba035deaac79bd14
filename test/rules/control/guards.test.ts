import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createMock } from '../../../src/doors/program/mock.js'
import { ask, message } from '../../doors/listener/wire.js'
import { startTestMock, type TestMock, testNow } from '../../mock.js'
import { stateOf } from '../../state.js'

const mock = await startTestMock()

/** Calls that change a state, each in another way; none may pass. */
const writes = [
  ['POST /__mock/reset', '{"seed": 7}'],
  ['PUT /__mock/state', '{"collections": {}}'],
  ['POST /__mock/state/labels', '{"name": "Foreign"}'],
  ['PUT /__mock/state/labels/1', '{"id": 1, "name": "Foreign"}'],
  ['DELETE /__mock/state/tokenRateLimits/1', undefined],
  ['POST /__mock/snapshots/foreign', undefined],
  ['PUT /__mock/clock', '{"advance": "1h", "speed": 60}'],
  ['PATCH /__mock/assumptions', '{"files.deletion": "refused"}'],
  ['POST /__mock/overrides', '{"operation": "getPersona", "status": 404, "body": {"detail": "Foreign"}}'],
  ['DELETE /__mock/requests', undefined],
  ['POST /__mock/sandboxes', '{"name": "foreign"}'],
  ['DELETE /__mock/sandboxes', undefined]
] as const
const secrets = ['GET /__mock/state', 'GET /__mock/requests', 'GET /__mock/metrics', 'GET /__mock/events'] as const

/** Everything that control calls can change, as text. */
function worldOf({ sandboxes }: TestMock): string {
  const world = sandboxes.list().map((sandbox) => ({
    name: sandbox.name,
    saved: stateOf(sandbox),
    choices: sandbox.choices,
    snapshots: [...sandbox.snapshots.keys()],
    overrides: sandbox.overrides.list,
    requests: sandbox.journal.size
  }))
  return JSON.stringify(world)
}

/** The problem of a refused request. */
async function problemOf(start: string, headers: Record<string, string | undefined>, body?: string, to = mock) {
  const all = {
    'X-Mock-Sandbox': 'intruder',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers
  }
  const reply = await ask(to.url, message(start, all, body))
  expect([start, reply.headers['content-type']]).toEqual([start, 'application/problem+json'])
  expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  const { type, status, detail } = reply.body
  expect(status).toBe(reply.status)
  return [status, type.replace('urn:knowledge-chat-mock:', ''), detail]
}

/** The same of a request which must change nothing. */
async function refused(...request: Parameters<typeof problemOf>) {
  const to = request[3] ?? mock
  const before = worldOf(to)
  const problem = await problemOf(...request)
  expect(worldOf(to)).toBe(before)
  return problem
}

/** Each write and each secret, with these headers, which must change nothing together. */
async function refusals(headers: Record<string, string | undefined>, to = mock) {
  const answers = new Set<string>()
  const before = worldOf(to)
  for (const [start, body] of [...writes, ...secrets.map((it) => [it, undefined] as const)]) {
    answers.add(JSON.stringify((await problemOf(start, headers, body, to)).slice(0, 2)))
  }
  expect(worldOf(to)).toBe(before)
  return [...answers].map((it) => JSON.parse(it))
}

beforeAll(async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/1', { as: 'basic~bystander' })
})

test('each of these calls changes something when nothing prevents it', async () => {
  for (const [start, body] of writes) {
    const open = await startTestMock()
    await open.call('GET', '/api/persona/1', { as: 'basic~bystander' })
    await open.call('GET', '/api/persona/1')
    const before = worldOf(open)
    const reply = await ask(open.url, message(start, body ? { 'Content-Type': 'application/json' } : {}, body))
    expect([start, reply.status < 300]).toEqual([start, true])
    expect([start, worldOf(open) === before]).toEqual([start, false])
  }
})

test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'http://192.168.1.7:3000'])(
  'a page of another origin: %s changes nothing and reads nothing',
  async (Origin) => {
    expect(await refusals({ Origin })).toEqual([[403, 'foreign-origin']])
  }
)

test.each([...writes.map(([start]) => start), ...secrets])(
  'a page of another origin may not preflight %s',
  async (start) => {
    const [method = '', path] = start.split(' ')
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': method }
    expect((await refused(`OPTIONS ${path}`, headers))[0]).toBe(405)
  }
)

/** The headers with which a page may also send its cookies. */
const readable = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true'
})

test('a page of another origin may call if it is listed, and so may one on this machine', async () => {
  const named = await startTestMock({ corsOrigin: ['https://app.example'] })
  for (const Origin of ['https://app.example', 'http://localhost:3000', 'http://127.0.0.1:1', named.url]) {
    const headers = { Origin, 'Access-Control-Request-Method': 'PUT' }
    const preflight = await ask(named.url, message('OPTIONS /__mock/clock', headers))
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject(readable(Origin))
    const json = { Origin, 'Content-Type': 'application/json' }
    const reply = await ask(named.url, message('PUT /__mock/clock', json, '{"advance": 1}'))
    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject(readable(Origin))
  }
  expect(named.sandbox.clock.now).toBe(Date.parse(testNow) + 4)
  expect(await refusals({ Origin: 'https://evil.example' }, named)).toEqual([[403, 'foreign-origin']])
})

test.each(['evil.example', 'evil.example:4010', 'localhost.evil.example', '127.0.0.1.evil.example'])(
  'a host that is not this machine: %s is refused for every call',
  async (Host) => {
    expect(await refusals({ Host })).toEqual([[403, 'wrong-host']])
    expect(await refusals({ Host, Origin: `http://${Host}` })).toEqual([[403, 'wrong-host']])
  }
)

test('a host that is not this machine creates no sandbox by a call of the platform', async () => {
  const headers = { Host: 'evil.example', 'X-Mock-Sandbox': 'intruder' }
  expect((await ask(mock.url, message('GET /api/get-user-role', headers))).status).toBe(403)
  expect(mock.sandboxes.find('intruder')).toBeUndefined()
})

const bodies = writes.filter((it) => it[1] !== undefined)

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/merge-patch+json',
  ''
])('a write that is not JSON of the type %j changes nothing', async (type) => {
  for (const [start, body] of bodies.filter(([it]) => !(type.includes('patch') && it.startsWith('PATCH')))) {
    const answer = await refused(start, { 'Content-Type': type }, body)
    expect(answer.slice(0, 2)).toEqual([415, 'not-json'])
  }
})

test('a write that is not JSON without a type changes nothing', async () => {
  for (const [start, body] of bodies) {
    expect((await refused(start, { 'Content-Type': undefined }, body))[0]).toBe(415)
  }
  const chunks = { 'Transfer-Encoding': 'chunked', 'Content-Type': undefined }
  expect((await refused('PUT /__mock/clock', chunks, 'd\r\n{"advance":5}\r\n0\r\n\r\n'))[0]).toBe(415)
})

test('a write that is not JSON is reported with the place of its error if malformed', async () => {
  expect(await refused('PUT /__mock/clock', {}, '{"advance": }')).toEqual([
    400,
    'invalid',
    'body: JSON decode error at character 12: Expecting value'
  ])
  expect((await refused('PUT /__mock/clock', {}, '['.repeat(10_000)))[0]).toBe(400)
})

test('a write that is not JSON with too many values is refused, except for a whole state', async () => {
  const names = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`f${at}`, 0]))
  const detail = 'The body has more than 20000 values.'
  for (const [start] of writes.filter(([start]) => /PUT|PATCH|POST/.test(start))) {
    if (start === 'PUT /__mock/state' || start.includes('snapshots')) continue
    expect([start, ...(await refused(start, {}, JSON.stringify(names)))]).toEqual([start, 413, 'too-large', detail])
  }
  const labels = Array.from({ length: 10_000 }, (_, id) => ({ id, name: 'Many' }))
  const body = JSON.stringify({ collections: { labels } })
  const many = await ask(
    mock.url,
    message('PUT /__mock/state', { 'Content-Type': 'application/json', 'X-Mock-Sandbox': 'many' }, body)
  )
  expect([many.status, mock.sandboxNamed('many').rows.labels.size]).toEqual([200, 10_000])
  await mock.call('DELETE', '/__mock/sandboxes/many')
})

test('a write that is not JSON may name its charset, and needs no type without a body', async () => {
  const own = { 'X-Mock-Sandbox': 'own', 'Content-Type': 'Application/JSON; charset=utf-8' }
  expect((await ask(mock.url, message('PUT /__mock/clock', own, '{"advance": 1}'))).status).toBe(200)
  expect((await ask(mock.url, message('POST /__mock/snapshots/plain', { 'X-Mock-Sandbox': 'own' }))).status).toBe(200)
  expect(mock.sandboxNamed('own').snapshots.size).toBe(1)
})

const controlToken = 'c0ntrol.token-1'

test.each([
  {},
  { Authorization: 'Bearer admin' },
  { Authorization: `Bearer ${controlToken}x` },
  { Authorization: `Basic ${controlToken}` },
  { 'X-Mock-Control-Token': '' },
  { 'X-Mock-Control-Token': controlToken.slice(1) },
  { 'X-Mock-Control-Token': `${controlToken}~own` },
  { 'X-Mock-Control-Token': 'ä'.repeat(controlToken.length) }
])('--control-token is not %j', async (headers) => {
  const closed = await startTestMock({ controlToken })
  await closed.call('GET', '/api/persona/1')
  expect(await refusals(headers, closed)).toEqual([[401, 'control-token-wrong']])
})

test.each([
  { 'X-Mock-Control-Token': controlToken },
  { 'X-Mock-Control-Token': controlToken, Authorization: 'Bearer basic~own', 'X-Mock-Sandbox': undefined },
  { Authorization: `Bearer ${controlToken}` },
  { Authorization: `Bearer ${controlToken}~own`, 'X-Mock-Sandbox': undefined }
])('--control-token opens with %j, in the sandbox that is named', async (own) => {
  const closed = await startTestMock({ controlToken })
  const headers = { 'X-Mock-Sandbox': 'own', 'Content-Type': 'application/json', ...own }
  const reply = await ask(closed.url, message('PUT /__mock/clock', headers, '{"advance": 1}'))
  expect([reply.status, closed.sandboxNamed('own').clock.now]).toEqual([200, Date.parse(testNow) + 1])
  expect(closed.sandbox.clock.now).toBe(Date.parse(testNow))
  const foreign = await refused(
    'PUT /__mock/clock',
    { ...own, Origin: 'https://evil.example' },
    '{"advance": 1}',
    closed
  )
  expect(foreign[0]).toBe(403)
})

test('--control-token does not restrict the platform', async () => {
  const closed = await startTestMock({ controlToken })
  expect((await closed.call('GET', '/api/get-user-role')).status).toBe(200)
  expect((await closed.call('GET', '/api/get-user-role', { as: controlToken })).status).toBe(401)
})

describe('beyond this machine', () => {
  test('the control API is closed without a token, and the platform is open', async () => {
    const exposed = await startTestMock({ host: '0.0.0.0' })
    await exposed.call('GET', '/api/persona/1')
    expect(await refusals({}, exposed)).toEqual([[403, 'control-token-needed']])
    expect(await refusals({ 'X-Mock-Control-Token': 'guess' }, exposed)).toEqual([[403, 'control-token-needed']])
    expect((await exposed.call('PATCH', '/api/persona/1', { body: { name: 'Open' } })).body.name).toBe('Open')
  })

  test('the control API is open with a token', async () => {
    const exposed = await startTestMock({ host: '0.0.0.0', controlToken: 'open' })
    await exposed.call('GET', '/api/persona/1')
    expect(await refusals({}, exposed)).toEqual([[401, 'control-token-wrong']])
    const headers = { 'X-Mock-Control-Token': 'open', 'Content-Type': 'application/json' }
    expect((await ask(exposed.url, message('PUT /__mock/clock', headers, '{"advance": 1}'))).status).toBe(200)
    expect(exposed.sandbox.clock.now).toBe(Date.parse(testNow) + 1)
  })
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

test('--control off makes its paths unknown to the platform, with every method', async () => {
  const off = await startTestMock({ control: 'off' })
  await off.call('GET', '/api/persona/1')
  const paths = ['', '/', '/health', '/openapi.json', '/unknown', '/snapshots/a/restore', '/state/labels/1']
  for (const path of [...paths.map((it) => `/__mock${it}`), ...writes.map(([start]) => start.split(' ')[1])]) {
    for (const method of methods) {
      const saved = JSON.stringify(stateOf(off.sandbox))
      const body = method === 'GET' ? undefined : '{}'
      const reply = await ask(off.url, message(`${method} ${path}`, { 'Content-Type': 'application/json' }, body))
      expect([method, path, reply.status, reply.body]).toEqual([method, path, 404, { detail: 'Not Found' }])
      expect(JSON.stringify(stateOf(off.sandbox))).toBe(saved)
    }
    const head = await ask(off.url, message(`HEAD ${path}`), { hasBody: false })
    expect(head.status).toBe(404)
  }
  expect(off.sandboxes.list().map(({ name }) => name)).toEqual(['default'])
})

test('--control off is refused with a value other than on and off', async () => {
  await expect(startTestMock({ control: 'no' as never })).rejects.toThrow('control is no: give one of on, off.')
})

test.each([
  ['GET /__mock/reset', 'POST'],
  ['POST /__mock/health', 'GET'],
  ['DELETE /__mock/clock', 'GET, PUT'],
  ['PATCH /__mock/state', 'GET, PUT'],
  ['POST /__mock/state/labels/1', 'DELETE, GET, PATCH, PUT'],
  ['PUT /__mock/snapshots/a', 'DELETE, POST'],
  ['PUT /__mock/sandboxes', 'DELETE, GET, POST'],
  ['OPTIONS /__mock/clock', 'GET, PUT'],
  ['HEAD /__mock/reset', 'POST']
])('a control path with a wrong method, %s, is a 405 with the allowed ones', async (start, allow) => {
  const before = worldOf(mock)
  const hasBody = !start.startsWith('HEAD')
  const reply = await ask(mock.url, message(start, { 'X-Mock-Sandbox': 'intruder' }), { hasBody })
  expect([reply.status, reply.headers.allow, reply.headers['content-type']]).toEqual([
    405,
    allow,
    'application/problem+json'
  ])
  if (hasBody) expect(reply.body.detail).toBe('Method Not Allowed')
  expect(worldOf(mock)).toBe(before)
})

test('a control path answers HEAD with the headers of GET and no body', async () => {
  const own = { 'X-Mock-Sandbox': 'bystander' }
  const [get, head] = [
    await ask(mock.url, message('GET /__mock/clock', own)),
    await ask(mock.url, message('HEAD /__mock/clock', own), { hasBody: false })
  ]
  expect([head.status, head.headers['content-length'], head.body]).toEqual([200, get.headers['content-length'], ''])
})

test('a control path that does not exist is a 404', async () => {
  for (const start of ['GET /__mock/unknown', 'POST /__mock/reset/more', 'GET /__mock/state/labels/1/name']) {
    expect((await refused(start, {}))[0]).toBe(404)
  }
})

test.each(['', '/under/a/prefix'])(
  'a control path is served and guarded by the Express app, mounted at %j',
  async (prefix) => {
    const inner = createMock({ now: testNow, strict: true })
    const outer = express().disable('x-powered-by')
    outer.use(prefix || '/', inner.app)
    const server = createServer(outer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const mounted = { ...mock, url, sandboxes: inner.sandboxes }
    const json = { 'Content-Type': 'application/json', 'X-Mock-Sandbox': 'own' }
    const reply = await ask(url, message(`PUT ${prefix}/__mock/clock`, json, '{"advance": 1}'))
    expect([reply.status, inner.sandboxes.use('own').clock.now]).toEqual([200, Date.parse(testNow) + 1])
    for (const [headers, status] of [
      [{ Origin: 'https://evil.example' }, 403],
      [{ Host: 'evil.example' }, 403],
      [{ 'Content-Type': 'text/plain' }, 415]
    ] as const) {
      expect((await refused(`PUT ${prefix}/__mock/clock`, headers, '{"advance": 1}', mounted))[0]).toBe(status)
    }
    expect((await refused(`GET ${prefix}/__mock/unknown`, {}, undefined, mounted))[0]).toBe(404)
    expect((await refused(`GET ${prefix}/__mock/reset`, {}, undefined, mounted))[0]).toBe(405)
    const closed = createMock({ now: testNow, control: 'off' })
    const beyond = express()
      .use(prefix || '/', closed.app)
      .use((_, response) => void response.json('beyond'))
    const off = createServer(beyond).listen(0, '127.0.0.1')
    await once(off, 'listening')
    const offUrl = `http://127.0.0.1:${(off.address() as AddressInfo).port}`
    expect((await ask(offUrl, message(`PUT ${prefix}/__mock/clock`, json, '{"advance": 1}'))).body).toBe('beyond')
    expect(closed.sandboxes.use('own').clock.now).toBe(Date.parse(testNow))
    server.close()
    off.close()
  }
)
