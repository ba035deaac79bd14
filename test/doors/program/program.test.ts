import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock as createOpen, type OpenMock } from '../../../src/doors/program/mock.js'
import { type OpenServer, startMock } from '../../../src/doors/program/server.js'
import { type components, createMock, openapi, ProblemError, type paths, verify } from '../../../src/index.js'
import { operationIds } from '../../contract/document.js'
import { call, testNow } from '../../mock.js'

let mock: OpenServer
beforeAll(async () => {
  mock = await startMock({ port: 0, now: testNow, strict: true })
})
afterAll(() => mock.close())

/** The message of the error that a call threw. */
function thrown(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError)
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

test('an error of a sandbox handle has a line for each wrong field', () => {
  const message = thrown(() => mock.sandbox().override({ operation: 'getFile', status: '503', times: 0 } as never))
  expect(message.split('\n')).toEqual([expect.stringMatching(/^status: /), expect.stringMatching(/^times: /)])
})

test('a sandbox handle names its sandbox in headers and tokens, which both lead there', async () => {
  const box = mock.sandbox('checkout-7')
  expect([box.name, box.url, box.headers]).toEqual(['checkout-7', mock.url, { 'X-Mock-Sandbox': 'checkout-7' }])
  await call(mock.url, 'DELETE', '/api/persona/1', { as: box.token('admin') })
  const answers = await Promise.all([
    call(mock.url, 'GET', '/api/persona/1', { as: 'basic', headers: { ...box.headers } }),
    call(mock.url, 'GET', '/api/persona/1', { as: box.token('basic') }),
    call(mock.url, 'GET', '/api/persona/1')
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 200])
  expect(box.requests().map(({ operation, status }) => [operation, status])).toEqual([
    ['getPersona', 404],
    ['getPersona', 404],
    ['deletePersona', 200]
  ])
  expect(box.requests({ status: '4xx', limit: 1 })).toHaveLength(1)
  expect(box.coverage().summary.covered).toBe(2)
})

test('a sandbox handle returns the state and accepts it back', async () => {
  const box = mock.sandbox('state')
  const { state } = box
  state.collections.personas = (state.collections.personas ?? []).map((row) => ({ ...row, name: 'Renamed' }))
  box.state = state
  const { body } = await call(mock.url, 'GET', '/api/persona/1', { as: box.token('admin') })
  expect(body.name).toBe('Renamed')
})

test('a sandbox handle returns copies: changing them changes no sandbox', async () => {
  const box = mock.sandbox('copies')
  for (const row of box.state.collections.personas ?? []) row.name = 'Spoilt'
  const own = box.state
  box.state = own
  for (const row of own.collections.personas ?? []) row.name = 'Spoilt too'
  for (const as of [box.token('admin'), 'admin']) {
    const { body } = await call(mock.url, 'GET', '/api/persona/1', { as })
    expect(body.name).not.toContain('Spoilt')
  }
})

test('a sandbox handle moves its clock, and no other', () => {
  const { clock } = mock.sandbox('clock')
  expect(clock.now).toBe(testNow)
  clock.advance('2h')
  clock.advance(500)
  expect(clock.now).toBe('2026-03-02T12:00:00.500Z')
  clock.now = '2030-01-01T00:00:00Z'
  expect([clock.now, clock.speed]).toEqual(['2030-01-01T00:00:00.000Z', 0])
  clock.speed = 60
  expect(clock.speed).toBe(60)
  expect(clock.freeze().speed).toBe(0)
  expect(mock.sandbox().clock.now).toBe(testNow)
})

test('a sandbox handle returns to snapshots and to the start', async () => {
  const box = mock.sandbox('back')
  const status = async () => (await call(mock.url, 'GET', '/api/persona/1', { as: box.token('admin') })).status
  box.snapshot('before')
  await call(mock.url, 'DELETE', '/api/persona/1', { as: box.token('admin') })
  expect(await status()).toBe(404)
  box.restore('before')
  expect(await status()).toBe(200)
  expect(box.reset({ fixtures: 'empty', seed: 7 })).toMatchObject({ fixtures: 'empty', seed: 7 })
  expect(box.state.collections.chatSessions).toEqual([])
  expect(box.requests()).toEqual([])
})

test('a sandbox handle forks, and each side continues alone', async () => {
  const box = mock.sandbox('origin')
  await call(mock.url, 'DELETE', '/api/persona/1', { as: box.token('admin') })
  const fork = box.fork('fork')
  box.reset()
  const answers = [box, fork].map((it) => call(mock.url, 'GET', '/api/persona/1', { as: it.token('admin') }))
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 404])
  expect(thrown(() => box.fork('fork'))).toContain('fork')
})

test('a sandbox handle changes assumptions for its sandbox only', async () => {
  const box = mock.sandbox('assume')
  const entry = box.assume({ 'delete.body': '204' }).find(({ id }) => id === 'delete.body')
  expect(entry?.choice).toBe('204')
  expect((await call(mock.url, 'DELETE', '/api/persona/1', { as: box.token('admin') })).status).toBe(204)
  expect((await call(mock.url, 'DELETE', '/api/persona/1', { as: 'admin~other' })).status).toBe(200)
})

test('a sandbox handle adds overrides for its sandbox only, which can be removed more than once', async () => {
  const box = mock.sandbox('override')
  const status = async (as: string) => (await call(mock.url, 'GET', '/api/persona/1', { as })).status
  const override = box.override({ operation: 'getPersona', status: 503, body: { detail: 'Busy' }, times: 2 })
  expect(override).toMatchObject({ operation: 'getPersona', remaining: 2, used: 0 })
  expect([await status(box.token('admin')), await status('admin')]).toEqual([503, 200])
  override.remove()
  override.remove()
  expect(await status(box.token('admin'))).toBe(200)
  box.reset()
  const other = box.override({ operation: 'getPersona', status: 500 })
  expect(other.id).toBe(override.id)
  override.remove()
  expect(await status(box.token('admin'))).toBe(500)
})

test('a sandbox handle starts again after it was dropped, by hand or by use', async () => {
  const box = mock.sandbox('dropped')
  box.clock.advance('1d')
  box.drop()
  box.drop()
  expect(mock.sandboxes.find('dropped')).toBeUndefined()
  expect(box.clock.now).toBe(testNow)
  box[Symbol.dispose]()
  expect(mock.sandboxes.find('dropped')).toBeUndefined()
})

test('a sandbox handle creates the sandbox at its first use', () => {
  const box = mock.sandbox('late')
  expect(mock.sandboxes.find('late')).toBeUndefined()
  expect(box.requests()).toEqual([])
  expect(mock.sandboxes.find('late')).toBeDefined()
})

test('a sandbox handle can be awaited like a remote one', async () => {
  const box = mock.sandbox('awaited')
  await box.snapshot('one')
  expect((await box.restore('one')).fixtures).toBe('demo')
})

test.each<[string, string[], (box: ReturnType<OpenServer['sandbox']>) => unknown]>([
  [
    'an operation',
    ['operation', 'getPersonas', 'getPersona'],
    (box) => box.override({ operation: 'getPersonas' as never })
  ],
  ['a field', ['statuss', 'status'], (box) => box.override({ operation: 'getFile', statuss: 1 } as never)],
  ['a duration', ['advance', '"2h"'], (box) => box.clock.advance('two hours')],
  ['a time', ['now'], (box) => (box.clock.now = 'yesterday')],
  ['an assumption', ['delete.bodies', 'delete.body'], (box) => box.assume({ 'delete.bodies': '204' } as never)],
  ['a choice', ['chat.groups', 'by-age'], (box) => box.assume({ 'chat.groups': 'two' } as never)],
  ['a snapshot', ['before', 'none'], (box) => box.restore('before')],
  ['a fixture set', ['fixtures', 'awkward'], (box) => box.reset({ fixtures: 'dmeo' as never })],
  ['a row', ['personas.0', 'name'], (box) => (box.state = { collections: { personas: [{ id: 1 }] } })],
  ['a collection', ['people', 'users'], (box) => (box.state = { collections: { people: [] } })],
  ['a filter', ['operatio', 'operation'], (box) => box.requests({ operatio: 'x' } as never)]
])(
  'a sandbox handle throws an Error that names %s that is wrong and the good values, and changes nothing',
  (_, named, act) => {
    const box = mock.sandbox('wrong')
    const before = [box.state, box.clock.now]
    const message = thrown(() => act(box))
    for (const name of named) expect(message).toContain(name)
    expect([box.state, box.clock.now]).toEqual(before)
  }
)

test('a sandbox handle throws when no sandbox can have the name', () => {
  expect(thrown(() => mock.sandbox('a b'))).toContain('letters, digits, hyphens and underscores')
})

test('a mock without a listener has handles, also without the control API', () => {
  const box = createMock({ now: testNow, control: 'off' }).sandbox('inside')
  box.clock.advance('1h')
  expect([box.url, box.clock.now]).toEqual(['', '2026-03-02T11:00:00.000Z'])
})

test('mocks of one process share their start, and no changes', async () => {
  const [one, other, third] = [1, 2, 3].map(() => createOpen({ now: testNow })) as [OpenMock, OpenMock, OpenMock]
  expect(other.sandboxes.use('default').base).toBe(one.sandboxes.use('default').base)
  expect(other.edition.contractOf(other.edition.choices)).toBe(one.edition.contractOf(one.edition.choices))
  const agent = async (mock: OpenMock, init = {}) => {
    const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' }
    const reply = await mock.fetch('http://mock/api/persona/1', { headers, ...init })
    return ((await reply.json()) as { name: string }).name
  }
  const before = await agent(other)
  expect(await agent(one, { method: 'PATCH', body: '{"name": "Own"}' })).toBe('Own')
  expect([await agent(one), await agent(other), await agent(third)]).toEqual(['Own', before, before])
  await one.close()
  expect(await agent(other)).toBe(before)
})

test('a mock without a listener ends its event streams when it is closed', async () => {
  const inside = createMock({ now: testNow })
  const server = createServer(inside.app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stream = await fetch(`http://127.0.0.1:${port}/__mock/events`)
  const read = stream.text()
  await inside.close()
  expect([stream.status, await read]).toEqual([200, expect.any(String)])
  server.close()
})

test('a reset of the mock drops the sandboxes of handles, which then start again', async () => {
  const box = mock.sandbox('reset')
  box.clock.advance('1h')
  await mock.reset()
  expect(box.clock.now).toBe(testNow)
})

test('changes by a handle with --data survive a restart', async () => {
  const data = mkdtempSync(join(tmpdir(), 'kcm-program-'))
  const first = await startMock({ port: 0, now: testNow, data })
  first.sandbox('kept').clock.advance('2h')
  first.sandbox('kept').assume({ 'delete.body': '204' })
  first.sandbox('dropped').clock.advance('2h')
  first.sandbox('dropped').drop()
  await first.close()
  const second = await startMock({ port: 0, now: testNow, data })
  const names = second.sandboxes.list().map(({ name }) => name)
  const { clock } = second.sandbox('kept')
  expect([names.includes('dropped'), clock.now]).toEqual([false, '2026-03-02T12:00:00.000Z'])
  const { status } = await call(second.url, 'DELETE', '/api/persona/1', { as: 'admin~kept' })
  expect(status).toBe(204)
  await second.close()
})

test('the options of a program are refused by name if they do not exist', async () => {
  expect(() => createMock({ fixture: 'empty' } as object)).toThrow('There is no option fixture. Did you mean fixtures?')
  await expect(startMock({ prt: 0 } as object)).rejects.toThrow('There is no option prt. Did you mean port?')
  await expect(verify({ url: mock.url, mutatin: true } as never)).rejects.toThrow('Did you mean mutating?')
})

test.each(['x', -1, 70_000, 1.5])('a port cannot be %p', async (port) => {
  await expect(startMock({ port: port as number })).rejects.toThrow(`port is ${port}: give a whole number`)
})

test('the options of a program name port 0 when the port is taken', async () => {
  const port = Number(new URL(mock.url).port)
  await expect(startMock({ port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: expect.stringContaining('Give another port, or port: 0 for any free one.')
  })
})

test('the options of a program free the port again when the port file cannot be written', async () => {
  const taken = await startMock({ port: 0 })
  const port = Number(new URL(taken.url).port)
  await taken.close()
  await expect(startMock({ port, portFile: '/no/such/folder/port' })).rejects.toThrow('ENOENT')
  await (await startMock({ port })).close()
})

test('the options of a program log on stderr what went wrong, and write the port into a file', async () => {
  const log = jest.spyOn(console, 'error').mockImplementation(() => undefined)
  const folder = mkdtempSync(join(tmpdir(), 'kcm-'))
  const portFile = join(folder, 'port')
  const own = await startMock({ port: 0, log: 'info', portFile })
  await call(own.url, 'GET', '/api/get-user-role')
  await call(own.url, 'POST', '/api/chat/create-chat-session', { body: { persona_id: 'first' } })
  await own.close()
  expect(log.mock.calls).toEqual([
    ['r2 POST /api/chat/create-chat-session 422 body.persona_id: Input should be a valid integer']
  ])
  expect(readFileSync(portFile, 'utf8')).toBe(`${new URL(own.url).port}\n`)
  log.mockRestore()
})

test('openapi returns the document for the given choices', () => {
  const document = openapi({ assume: { 'delete.body': '204' }, server: 'https://mock.example' })
  const operations = Object.values(document.paths as object).flatMap((item) => Object.values(item))
  expect(operations).toHaveLength(operationIds.length)
  expect(document).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: 'https://mock.example' }],
    paths: { '/api/persona/{persona_id}': { delete: { responses: { 204: {} } } } }
  })
  expect(() => openapi({ profile: 'other' as 'observed' })).toThrow('documented')
})

test('openapi has types that match what the mock answers', async () => {
  type Role = paths['/api/get-user-role']['get']['responses'][200]['content']['application/json']
  type Create = paths['/api/chat/create-chat-session']['post']['requestBody']['content']['application/json']
  type Found = paths['/api/persona/{persona_id}']['get']['parameters']['path']
  const path: Found = { persona_id: 1 }
  const create: Create = { persona_id: path.persona_id }
  const role: Role = (await call(mock.url, 'GET', '/api/get-user-role')).body
  const persona: components['schemas']['ReadPersona'] = (await call(mock.url, 'GET', '/api/persona/1')).body
  expect([role, create.persona_id, persona.id]).toEqual([{ role: 'admin' }, 1, 1])
})
