import { setTimeout } from 'node:timers/promises'
import { ProcessSessions } from '../../src/redis/client/process-sessions.js'
import { Lease } from '../../src/redis/lease.js'
import { call } from '../mock.js'
import { RealEngine, token } from './engine.js'
import { join, leave } from './joined.js'

const engine = new RealEngine()
beforeAll(() => engine.start())
afterAll(() => engine.end())

const create = '/api/chat/create-chat-session'
const role = '/api/get-user-role'
const headers = { 'x-mock-control-token': token }
let count = 0
const apart = () => {
  count += 1
  return { data: `${engine.url}?prefix=l${count}` }
}
const add = (url: string, as: string) => call(url, 'POST', create, { as, body: { description: 'x' } })
const keys = async () => (await engine.ask('KEYS', `l${count}:{*`)).match(/l\d+:\{[^\r]+/g) ?? []

test('the rate limit counts the requests to all processes', async () => {
  const options = { ...apart(), rateLimit: 4 }
  const [a, b] = [await join(engine, options), await join(engine, options)]
  const statuses: number[] = []
  for (let at = 0; at < 3; at++) {
    for (const { url } of [a, b]) statuses.push((await call(url, 'GET', role)).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  const refused = await call(a.url, 'GET', role)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await leave(a)
  await leave(b)
})

test('the rate limit counts in each process separately while the engine is away', async () => {
  const own = new RealEngine()
  await own.start()
  const a = await join(own, { rateLimit: 3 })
  await add(a.url, 'admin')
  await own.kill()
  const statuses: number[] = []
  for (let at = 0; at < 5; at++) statuses.push((await call(a.url, 'GET', role)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  // A process that stops waits for the engine, as long as its lease lasts.
  await own.start()
  await leave(a)
  await own.end()
})

test.each([
  ['without a token', { as: null }],
  ['with the token of nobody', { as: 'nobody' }]
])('a refused request leaves nothing in the engine: %s', async (_, { as }) => {
  const a = await join(engine, apart())
  const answer = await call(a.url, 'POST', create, {
    as,
    headers: { 'x-mock-sandbox': 'new' },
    body: { description: '' }
  })
  expect([answer.status, answer.body.detail]).toEqual([401, expect.any(String)])
  expect(answer.headers.get('x-mock-node')).toMatch(/^\w{8}$/)
  expect(await keys()).toEqual([])
  expect((await add(a.url, 'admin~new')).status).toBe(200)
  // An existing sandbox keeps its journal.
  await call(a.url, 'GET', role, { as, headers: { 'x-mock-sandbox': 'new' } })
  const { body } = await call(a.url, 'GET', '/__mock/requests?status=401', { as: '~new', headers })
  expect(body.total).toBe(1)
  await leave(a)
})

test('a refused request leaves nothing in the engine and concurrent ones have the sandbox once', async () => {
  const a = await join(engine, apart())
  const calls = Array.from({ length: 8 }, (_, at) =>
    at % 2 === 0 ? add(a.url, 'admin~both') : call(a.url, 'GET', role, { as: 'nobody~both' })
  )
  const made = (await Promise.all(calls)).filter(({ status }) => status === 200)
  expect(new Set(made.map((it) => it.headers.get('x-mock-request-id'))).size).toBe(4)
  await leave(a)
})

test('a refused request leaves nothing in the engine without the token of the control API', async () => {
  const a = await join(engine, apart())
  const at = (path: string, method = 'GET') =>
    call(a.url, method, path, { as: null, headers: { 'x-mock-sandbox': 'new' } })
  const statuses = [await at('/__mock/state'), await at('/__mock/reset', 'POST'), await at('/__mock/nothing')]
  for (const { status } of statuses) expect(status).toBeGreaterThanOrEqual(400)
  expect(await keys()).toEqual([])
  await leave(a)
})

test.each([
  'redis:foo',
  'redis:/foo',
  'redis:127.0.0.1:6379',
  'valkey://127.0.0.1',
  'redis+unix:foo',
  'http://127.0.0.1:6379',
  'file:///data'
])('%s is not a folder, and the error has the good forms', async (data) => {
  for (const controlToken of [token, undefined])
    await expect(join(engine, { data, controlToken })).rejects.toThrow(/--data.*neither a folder.*redis:\/\/host:6379/)
})

test.each([
  ['their own secret', {}],
  ['one in the engine', { controlToken: undefined, control: 'off' as const }]
])(
  'after the engine has lost everything, processes with %s accept each other, but not one that differs',
  async (_, given) => {
    const options = { ...apart(), lease: 500, ...given }
    const a = await join(engine, options)
    await add(a.url, 'admin~one')
    await engine.ask(
      'EVAL',
      "for _, k in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', k) end",
      '0',
      `l${count}:*`
    )
    // A process that begins now finds nothing in the engine.
    const b = await join(engine, options)
    const until = async (url: string) => {
      let answer = await add(url, 'admin~two')
      while (answer.status === 503) {
        await setTimeout(20)
        answer = await add(url, 'admin~two')
      }
      return answer
    }
    const made = await until(a.url)
    const through = await until(b.url)
    expect([made.status, through.status]).toEqual([200, 200])
    await expect(join(engine, { ...options, seed: 9 })).rejects.toThrow(/seed is 9 here and 1 there/)
    await leave(a)
    await leave(b)
  }
)

test('the wait for the sandboxes of another process starts with the end of its lease, not with the first request', () => {
  const on = { ended() {}, emptied() {}, begun() {}, turned() {}, lives() {} }
  const lease = new Lease({} as never, 0, 0, on)
  const lives = new ProcessSessions({} as never, lease)
  lives.hear([
    ['a.0', 'http://a'],
    ['b.0', 'http://b']
  ])
  expect(lives.isOver('a.0')).toBe(false)
  lives.hear([['b.0', 'http://b']])
  expect([lives.isOver('a.0'), lives.isOver('b.0'), lives.isOver('c.0')]).toEqual([true, false, false])
})
