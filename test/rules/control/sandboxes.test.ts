import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { seedRows } from '../../../fixtures/index.js'
import { serveCommand } from '../../../src/doors/cli/serve.js'
import type { MockOptions } from '../../../src/doors/options/mock-table.js'
import { createMock } from '../../../src/doors/program/mock.js'
import { invoke } from '../../invoke.js'
import { call, startTestMock, testNow } from '../../mock.js'
import { Stream } from './stream.js'

const mock = await startTestMock({ maxSandboxes: 100 })
const { call: ask } = mock
const rename = (as: string, name: string) => ask('PATCH', '/api/persona/1', { as, body: { name } })
const nameOf = async (as: string) => (await ask('GET', '/api/persona/1', { as })).body.name
const names = async () =>
  (await ask('GET', '/__mock/sandboxes')).body.sandboxes.map(({ name }: { name: string }) => name)

/** Two requests that change every part of a state: rows, a number, an identifier. */
async function live(as: string) {
  const invited = await ask('PUT', '/api/manage/admin/users', {
    as,
    body: { emails: [`${Math.random()}@example.com`] }
  })
  const session = await ask('POST', '/api/chat/create-chat-session', { as, body: { description: 'Mine' } })
  expect([invited.status, session.status]).toEqual([200, 200])
}

test('the list of sandboxes is limited, and finds any of them by a part of its name', async () => {
  const many = createMock({ maxSandboxes: 3000 })
  for (let at = 0; at < 1500; at++) many.sandbox(`many-${at}`).requests()
  const list = async (query = '') => {
    const response = await many.fetch(`http://mock.invalid/__mock/sandboxes${query}`)
    const body = (await response.json()) as { sandboxes: { name: string }[]; total: number; detail?: string }
    return { status: response.status, names: body.sandboxes?.map(({ name }) => name), total: body.total }
  }
  const all = await list()
  expect([all.names?.length, all.total, all.names?.[1]]).toEqual([1000, 1501, 'many-1499'])
  expect(await list('?offset=1499')).toMatchObject({ names: ['many-1', 'many-0'], total: 1501 })
  expect(await list('?q=MANY-77&limit=2')).toMatchObject({ names: ['many-779', 'many-778'], total: 11 })
  expect(await list('?limit=0')).toMatchObject({ names: [], total: 1501 })
  expect((await list('?limit=many')).status).toBe(400)
  await many.close()
})

test('a sandbox is created when a token first names it, and keeps its writes to itself', async () => {
  const start = await nameOf('admin')
  await rename('admin~one', 'One')
  await rename('admin~two', 'Two')
  expect([await nameOf('admin'), await nameOf('admin~one'), await nameOf('curator~two')]).toEqual([start, 'One', 'Two'])
})

test('a sandbox has the name in the header, not the one in the token', async () => {
  const headers = { 'X-Mock-Sandbox': 'by-header' }
  await ask('PATCH', '/api/persona/1', { as: 'admin~by-token', headers, body: { name: 'Header' } })
  expect(await nameOf('admin~by-header')).toBe('Header')
  expect(mock.sandboxes.find('by-token')).toBeUndefined()
})

test.each(['a', 'A-Z_09', 'x'.repeat(64)])('a sandbox may be named %s', async (name) => {
  expect((await ask('POST', '/__mock/sandboxes', { body: { name } })).status).toBe(201)
  expect((await ask('GET', '/api/get-user-role', { as: `basic~${name}` })).body).toEqual({ role: 'basic' })
  expect(mock.sandboxes.find(name)?.journal.position).toBe(1)
})

test.each(['', 'x'.repeat(65), 'a b', 'a.b', 'ä', '__proto__.x', '../up'])(
  'a sandbox cannot be named %j',
  async (name) => {
    const before = await names()
    const { status, headers, body } = await ask('POST', '/__mock/sandboxes', { body: { name } })
    expect([status, headers.get('content-type'), body.errors[0].field]).toEqual([
      400,
      'application/problem+json',
      'name'
    ])
    expect(await names()).toEqual(before)
  }
)

test.each([
  ['POST', '/__mock/reset', '{}'],
  ['GET', '/__mock/state', undefined],
  ['PUT', '/__mock/clock', '{"speed": 60}']
])('a sandbox with a wrong name in %s %s is a 400', async (method, path, body) => {
  for (const as of ['admin~', 'admin~one~two', 'admin~a.b']) {
    const answer = await ask(method, path, { as, body })
    expect([answer.status, answer.body.type]).toEqual([400, 'urn:knowledge-chat-mock:bad-sandbox'])
  }
  expect(mock.sandbox.clock.speed).toBe(0)
})

test('a sandbox may be named __proto__ or constructor', async () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    await rename(`admin~${name}`, name)
    expect([await nameOf(`admin~${name}`), mock.sandboxes.find(name)?.name]).toEqual([name, name])
    expect((await ask('POST', `/__mock/snapshots/${name}`, { as: `admin~${name}` })).body.name).toBe(name)
    await rename(`admin~${name}`, 'Other')
    await ask('POST', `/__mock/snapshots/${name}/restore`, { as: `admin~${name}` })
    expect(await nameOf(`admin~${name}`)).toBe(name)
  }
})

test('a sandbox is listed with its time, its requests and its rows, the last used one first', async () => {
  await ask('POST', '/__mock/sandboxes', { body: { name: 'fresh' } })
  await ask('PUT', '/__mock/clock', { as: 'admin~fresh', body: { now: '2030-01-01T00:00:00Z' } })
  await nameOf('admin~fresh')
  const expected = {
    name: 'fresh',
    created_at: expect.any(String),
    now: '2030-01-01T00:00:00.000Z',
    requests: 1,
    rows: Object.values(seedRows('demo', { seed: 1, scale: 1, now: Date.parse(testNow) })).flat().length
  }
  expect((await ask('GET', '/__mock/sandboxes/fresh')).body).toEqual(expected)
  expect((await names())[0]).toBe('fresh')
  await nameOf('admin~one')
  expect((await names()).slice(0, 2)).toEqual(['one', 'fresh'])
})

test('a sandbox that is dropped starts again, and so do all when all are dropped', async () => {
  const start = await nameOf('admin~drop')
  await rename('admin~drop', 'Changed')
  expect((await ask('DELETE', '/__mock/sandboxes/drop')).body).toEqual({ removed: 1 })
  expect(await names()).not.toContain('drop')
  expect(await nameOf('admin~drop')).toBe(start)
  await rename('admin', 'Kept')
  const others = (await names()).length - 1
  expect((await ask('DELETE', '/__mock/sandboxes')).body).toEqual({ removed: others })
  expect([await names(), await nameOf('admin'), await nameOf('admin~one')]).toEqual([['default'], 'Kept', start])
})

test('a sandbox named default always exists', async () => {
  await rename('admin', 'Still here')
  const { status, body } = await ask('DELETE', '/__mock/sandboxes/default')
  expect([status, body.detail]).toEqual([
    409,
    'The sandbox "default" cannot be dropped. Reset it instead: POST /__mock/reset.'
  ])
  expect(await nameOf('admin')).toBe('Still here')
})

test('a sandbox that is missing or exists already is refused, with the known ones', async () => {
  const unknown = 'There is no sandbox "nobody". Known: '
  for (const [method, path, body] of [
    ['GET', '/__mock/sandboxes/nobody'],
    ['DELETE', '/__mock/sandboxes/nobody'],
    ['POST', '/__mock/sandboxes', { name: 'child', from: 'nobody' }]
  ] as const) {
    const answer = await ask(method, path, { body })
    expect([answer.status, answer.body.detail.slice(0, unknown.length)]).toEqual([404, unknown])
  }
  expect(mock.sandboxes.find('child')).toBeUndefined()
  expect((await ask('POST', '/__mock/sandboxes', { body: { name: 'default' } })).status).toBe(409)
})

test('a sandbox is shown as it would start, but not created, when it is read', async () => {
  const sandboxes = await names()
  for (const path of [
    'state',
    'state/personas',
    'clock',
    'requests',
    'coverage',
    'snapshots',
    'overrides',
    'capsule'
  ]) {
    const { status, body } = await ask('GET', `/__mock/${path}`, { as: 'a~unseen' })
    expect([path, status]).toEqual([path, 200])
    if (path === 'state') expect(body.collections.personas.length).toBeGreaterThan(0)
  }
  expect((await ask('GET', '/__mock/sandboxes/unseen')).status).toBe(404)
  expect(await names()).toEqual(sandboxes)
})

test('a sandbox is not created by an unrelated control call', async () => {
  for (const path of ['/__mock/health', '/__mock/sandboxes', '/__mock/unknown'])
    await ask('GET', path, { as: 'a~ghost' })
  expect(mock.sandboxes.find('ghost')).toBeUndefined()
})

const fork = (name: string, from: string) => ask('POST', '/__mock/sandboxes', { body: { name, from } })
const stateOf = async (as: string) => (await ask('GET', '/__mock/state', { as })).text

test('a fork continues from the other one, including identifiers and the number of the request', async () => {
  await live('admin~origin')
  await ask('PUT', '/__mock/clock', { as: 'admin~origin', body: { advance: '1d', speed: 0 } })
  expect((await fork('copy', 'origin')).status).toBe(201)
  expect(await stateOf('admin~copy')).toBe(await stateOf('admin~origin'))
  const next = async (as: string) => {
    const { headers, text } = await ask('POST', '/api/chat/create-chat-session', { as, body: {} })
    return [headers.get('x-mock-request-id'), text]
  }
  const first = await next('admin~origin')
  expect([first[0], await next('admin~copy')]).toEqual(['r3', first])
  expect(await stateOf('admin~copy')).toBe(await stateOf('admin~origin'))
})

test('a fork and its origin do not share writes, clock, snapshots, choices and overrides', async () => {
  const as = { as: 'admin~left' }
  await ask('POST', '/__mock/snapshots/common', as)
  await ask('POST', '/__mock/overrides', {
    ...as,
    body: { operation: 'getPersona', status: 404, body: { detail: 'x' } }
  })
  await fork('right', 'left')
  const right = await stateOf('admin~right')
  const list = async (path: string, who: string) =>
    Object.values((await ask('GET', path, { as: who })).body)[0] as unknown[]
  expect(await list('/__mock/snapshots', 'admin~right')).toHaveLength(1)
  expect(await list('/__mock/overrides', 'admin~right')).toHaveLength(1)
  await live('admin~left')
  await ask('PUT', '/__mock/clock', { ...as, body: { advance: '1h' } })
  await ask('PATCH', '/__mock/assumptions', { ...as, body: { 'files.deletion': 'refused' } })
  await ask('DELETE', '/__mock/snapshots/common', as)
  await ask('DELETE', '/__mock/overrides', as)
  expect(await stateOf('admin~right')).toBe(right)
  expect(mock.sandboxNamed('right').choices['files.deletion']).toBe('unlinked')
  expect(await list('/__mock/snapshots', 'admin~right')).toHaveLength(1)
  expect(await list('/__mock/overrides', 'admin~right')).toHaveLength(1)
  const left = await stateOf('admin~left')
  await live('admin~right')
  expect(await stateOf('admin~left')).toBe(left)
})

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** A mock whose time for idle sandboxes is moved by the test. */
async function startTimed(options: MockOptions) {
  let passed = 0
  const timed = createMock({ now: testNow, strict: true, ...options }, { realTime: () => Date.now() + passed })
  const server = createServer(timed.listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    sandboxes: timed.sandboxes,
    call: (method: string, path: string, as: string, body?: unknown) => call(url, method, path, { as, body }),
    pass: (seconds: number) => {
      passed += seconds * 1000
    }
  }
}

test('the limit of sandboxes includes the default one; one more is refused, and changes nothing', async () => {
  const capped = await startTimed({ maxSandboxes: 3 })
  const role = (as: string) => capped.call('GET', '/api/get-user-role', as)
  expect([(await role('admin~one')).status, (await role('admin~two')).status]).toEqual([200, 200])
  const detail =
    'The sandbox "three" was not made: there are 3 already, which is the most that --max-sandboxes allows. Drop one: DELETE /__mock/sandboxes/<name>.'
  const refused = await role('admin~three')
  expect([refused.status, refused.body]).toEqual([429, { detail }])
  for (const [method, path, body] of [
    ['POST', '/__mock/sandboxes', { name: 'three' }],
    ['POST', '/__mock/sandboxes', { name: 'three', from: 'one' }]
  ] as const) {
    const answer = await capped.call(method, path, 'admin', body)
    expect([answer.status, answer.headers.get('content-type'), answer.body.detail]).toEqual([
      429,
      'application/problem+json',
      detail
    ])
  }
  expect((await capped.call('POST', '/__mock/reset', 'admin~three', {})).status).toBe(429)
  expect((await capped.call('GET', '/__mock/sandboxes', 'admin~three')).status).toBe(200)
  expect(
    capped.sandboxes
      .list()
      .map(({ name }) => name)
      .sort()
  ).toEqual(['default', 'one', 'two'])
  expect([(await role('admin~one')).status, (await role('admin')).status]).toEqual([200, 200])
  await capped.call('DELETE', '/__mock/sandboxes/one', 'admin')
  expect((await role('admin~three')).status).toBe(200)
})

test('the limit of sandboxes may be 1, for the default one', async () => {
  const alone = await startTimed({ maxSandboxes: 1 })
  expect((await alone.call('GET', '/api/get-user-role', 'admin~one')).status).toBe(429)
  expect((await alone.call('GET', '/api/get-user-role', 'admin')).status).toBe(200)
})

test('an idle sandbox is dropped after its time, and its clients get a 404, until it is created again', async () => {
  const timed = await startTimed({ sandboxIdle: 60 })
  const role = (as: string) => timed.call('GET', '/api/get-user-role', as)
  await timed.call('PATCH', '/api/persona/1', 'admin~mine', { name: 'Mine' })
  await timed.call('PATCH', '/api/persona/1', 'admin', { name: 'Default' })
  timed.pass(59)
  expect((await role('admin~mine')).status).toBe(200)
  timed.pass(59)
  await role('admin~other')
  timed.pass(1)
  const detail =
    'The sandbox "mine" was dropped because it was not used for 60 s (--sandbox-idle). Create it again: POST /__mock/sandboxes.'
  const gone = await role('admin~mine')
  expect([gone.status, gone.body]).toEqual([404, { detail }])
  const problem = await timed.call('GET', '/__mock/state', 'admin~mine')
  expect([problem.status, problem.headers.get('content-type'), problem.body.detail]).toEqual([
    404,
    'application/problem+json',
    detail
  ])
  expect(timed.sandboxes.list().map(({ name }) => name)).toEqual(['other', 'default'])
  expect((await timed.call('POST', '/__mock/sandboxes', 'admin', { name: 'mine' })).status).toBe(201)
  const persona = await timed.call('GET', '/api/persona/1', 'admin~mine')
  expect([persona.status, persona.body.name]).not.toEqual([200, 'Mine'])
  timed.pass(10_000)
  expect((await timed.call('GET', '/api/persona/1', 'admin')).body.name).toBe('Default')
  expect((await role('admin~mine')).status).toBe(404)
})

test('an idle sandbox is not idle while somebody watches its events, and its time starts when they leave', async () => {
  const timed = await startTimed({ sandboxIdle: 60 })
  const nameOf = async () => (await timed.call('GET', '/api/persona/1', 'admin~mine')).body.name
  await timed.call('PATCH', '/api/persona/1', 'admin~mine', { name: 'Mine' })
  const stream = await Stream.open(timed.url, { 'X-Mock-Sandbox': 'mine' })
  for (const seconds of [100, 100]) {
    timed.pass(seconds)
    expect(timed.sandboxes.list().map(({ name }) => name)).toEqual(['mine', 'default'])
  }
  timed.pass(100)
  const { journal } = timed.sandboxes.use('mine')
  timed.pass(100)
  stream.close()
  while (journal.isHeard) await setImmediate()
  expect(await nameOf()).toBe('Mine')
  timed.pass(60)
  expect(await nameOf()).toBeUndefined()
})

test('an idle sandbox is idle by real time, not by its own clock', async () => {
  const timed = await startTimed({ sandboxIdle: 60 })
  await timed.call('PUT', '/__mock/clock', 'admin~mine', { advance: '52w' })
  expect((await timed.call('GET', '/api/get-user-role', 'admin~mine')).status).toBe(200)
})

test('an idle sandbox makes room for others', async () => {
  const timed = await startTimed({ sandboxIdle: 60, maxSandboxes: 2 })
  expect((await timed.call('GET', '/api/get-user-role', 'admin~one')).status).toBe(200)
  expect((await timed.call('GET', '/api/get-user-role', 'admin~two')).status).toBe(429)
  timed.pass(60)
  expect((await timed.call('GET', '/api/get-user-role', 'admin~two')).status).toBe(200)
})

test('an idle sandbox remains without a limit for idle time', async () => {
  const timed = await startTimed({})
  await timed.call('PATCH', '/api/persona/1', 'admin~mine', { name: 'Mine' })
  timed.pass(1e9)
  expect((await timed.call('GET', '/api/persona/1', 'admin~mine')).body.name).toBe('Mine')
})

test.each([
  [['--max-sandboxes', '0'], 'give a number from 1.'],
  [['--sandbox-idle', '-1'], 'give a number from 0.'],
  [['--control-token', ''], '--control-token is not a bearer token'],
  [['--control-token', 'a~b'], '--control-token is not a bearer token']
])('the options %j are refused', async (args, text) => {
  const { code, stderr } = await invoke(serveCommand(), ['--port', '0', ...args])
  expect(code).toBe(2)
  expect(stderr).toContain(text)
})
