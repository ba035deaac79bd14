import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createMock } from '../../src/doors/program/mock.js'
import { handlers } from '../../src/msw.js'
import { testNow } from '../mock.js'

const origin = 'http://platform.example:4010'
const mock = createMock({ fixtures: 'empty', now: testNow })
const server = setupServer(...handlers(mock, { origin }))
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
beforeEach(() => mock.reset())
afterAll(async () => {
  server.close()
  await mock.close()
})

const ask = (path: string, init: RequestInit = {}, token = 'admin') =>
  fetch(origin + path, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } })
const create = (body: object, token?: string) =>
  ask(
    '/api/chat/create-chat-session',
    { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
    token
  )
const list = async (token?: string) => {
  const answer = await ask('/api/chat/get-user-chat-sessions', {}, token)
  return ((await answer.json()) as { sessions: { name: string }[] }).sessions.map(({ name }) => name)
}

test('the mock answers what a program fetches from the origin: rows, refusals, overrides, the clock, sandboxes', async () => {
  const box = mock.sandbox()
  expect(await list()).toEqual([])
  expect((await create({ description: 'First' })).status).toBe(200)
  expect((await create({ persona_id: 'none' })).status).toBe(422)
  box.snapshot('one')
  box.clock.advance('1h')
  await create({ description: 'Second' })
  expect(await list()).toEqual(['Second', 'First'])
  box.restore('one')
  expect(await list()).toEqual(['First'])
  box.override({ operation: 'createChatSession', status: 503, times: 1 })
  expect((await create({})).status).toBe(503)
  await create({ description: 'Elsewhere' }, 'admin~other')
  expect([await list(), await list('admin~other')]).toEqual([['First'], ['Elsewhere']])
  expect(box.requests({ status: '422' }).map(({ operation }) => operation)).toEqual(['createChatSession'])
})

test('a form with a file arrives complete', async () => {
  const form = new FormData()
  form.append('files', new File(['# Handbook'], 'handbook.md'))
  const upload = await ask('/api/manage/admin/connector/file/upload', { method: 'POST', body: form })
  expect([upload.status, await upload.json()]).toEqual([200, expect.objectContaining({ file_names: ['handbook.md'] })])
})

test('a broken connection is an error of fetch', async () => {
  await expect(ask('/api/get-user-role', { headers: { Prefer: 'fault=EMPTY_RESPONSE' } })).rejects.toThrow(
    'Failed to fetch'
  )
})

test('with paths, other handlers answer the rest of the origin', async () => {
  server.use(...handlers(mock, { origin: 'http://app.example', paths: ['/api/*'] }))
  const headers = { Authorization: 'Bearer admin' }
  expect((await fetch('http://app.example/api/get-user-role', { headers })).status).toBe(200)
  server.use(http.get('http://app.example/chunk.js', () => HttpResponse.text('its own')))
  expect(await (await fetch('http://app.example/chunk.js')).text()).toBe('its own')
  await expect(fetch('http://app.example/other.js')).rejects.toThrow()
})

test('wrong arguments throw an error that names them', () => {
  expect(() => handlers(mock, { origin: 'localhost:4010' })).toThrow('origin is "localhost:4010"')
  expect(() => handlers(mock, { origin, paths: ['api/*'] })).toThrow('paths has "api/*"')
  expect(() => handlers({} as typeof mock, { origin })).toThrow('needs a mock')
})
