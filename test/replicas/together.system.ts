import { setTimeout } from 'node:timers/promises'
import { call } from '../mock.js'
import { RealEngine, token } from './engine.js'
import { join, leave } from './joined.js'

const engine = new RealEngine()
beforeAll(() => engine.start())
afterAll(() => engine.end())

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const headers = { 'x-mock-control-token': token }

const add = (url: string, box: string, description = 'x') =>
  call(url, 'POST', create, { as: `admin~${box}`, body: { description } })
const names = async (url: string, box: string) => {
  const { body } = await call(url, 'GET', list, { as: `admin~${box}` })
  return body.sessions.map((it: { name: string }) => it.name).sort()
}
const control = (url: string, method: string, path: string, body?: unknown) =>
  call(url, method, `/__mock${path}`, { as: null, headers, ...(body === undefined ? {} : { body }) })
const namesIn = (all: { name: string }[]) => all.map(({ name }) => name).sort()
const nodeOf = (answer: { headers: Headers }) => answer.headers.get('x-mock-node')

/** Tests of one file share an engine: each has its own keys. */
let count = 0
const apart = () => {
  count += 1
  return { data: `${engine.url}?prefix=t${count}` }
}

/** Two processes with a sandbox each. A third one that has left had another. */
async function twoWithSleeper(options: Parameters<typeof join>[1]) {
  const [a, b] = [await join(engine, options), await join(engine, options)]
  const c = await join(engine, options)
  await add(c.url, 'sleeper')
  await leave(c)
  await add(a.url, 'on-a')
  await add(b.url, 'on-b')
  return [a, b] as const
}

test('all processes give one answer: the list of sandboxes has those of all processes, and sleeping ones', async () => {
  const options = { ...apart(), sandboxIdle: 600 }
  const [a, b] = await twoWithSleeper(options)
  for (const { url } of [a, b]) {
    const { status, body } = await control(url, 'GET', '/sandboxes')
    expect([status, namesIn(body.sandboxes)]).toEqual([200, ['on-a', 'on-b']])
    expect([body.asleep.total, namesIn(body.asleep.sandboxes), body.silent]).toEqual([1, ['sleeper'], []])
  }
  await leave(a)
  await leave(b)
})

test('all processes give one answer: metrics cover all processes, each with its name, or a single one', async () => {
  const options = apart()
  const [a, b] = [await join(engine, options), await join(engine, options)]
  const node = nodeOf(await add(a.url, 'on-a'))
  const other = nodeOf(await add(b.url, 'on-b'))
  const { text } = await control(a.url, 'GET', '/metrics')
  for (const it of [node, other]) {
    expect(text).toContain(`kcm_sandboxes_owned{node="${it}"} 1\n`)
    expect(text).toContain(`kcm_process_answers{node="${it}"} 1\n`)
    expect(text).toContain(`kcm_requests_total{node="${it}",operation="createChatSession",status="200"} 1\n`)
  }
  expect(text.match(/^# TYPE kcm_sandboxes_owned /gm)).toHaveLength(1)
  expect(text).toContain('\nkcm_engine_sandboxes 2\n')
  expect((await control(b.url, 'GET', '/metrics?alone=true')).text).toContain('\nkcm_sandboxes_owned 1\n')
  await leave(a)
  await leave(b)
})

test('all processes give one answer: an unreachable process is named, and the rest is shown', async () => {
  const options = apart()
  const [a, b] = [await join(engine, options), await join(engine, { ...options, peer: 'http://127.0.0.1:1' })]
  await add(a.url, 'on-a')
  const node = nodeOf(await add(b.url, 'on-b'))
  const silent = [{ node, reason: expect.stringContaining('ECONNREFUSED') }]
  const sandboxes = await control(a.url, 'GET', '/sandboxes')
  expect([sandboxes.status, sandboxes.body.silent]).toEqual([200, silent])
  expect(namesIn(sandboxes.body.sandboxes)).toEqual(['on-a'])
  expect(namesIn(sandboxes.body.asleep.sandboxes)).toEqual(['on-b'])
  expect((await control(a.url, 'GET', '/metrics')).text).toContain(`kcm_process_answers{node="${node}"} 0\n`)
  const cluster = await control(a.url, 'GET', '/cluster')
  expect([cluster.status, cluster.body.silent, cluster.body.nodes.length]).toEqual([200, silent, 2])
  await leave(a)
  await leave(b)
})

test('all processes give one answer: the list is answered while the engine is away, with a note', async () => {
  const own = new RealEngine()
  await own.start()
  const a = await join(own, { lease: 300 })
  await add(a.url, 'on-a')
  await add(a.url, 'default')
  await own.kill('SIGSTOP')
  expect((await control(a.url, 'GET', '/cluster')).status).toBe(200)
  const { status, body } = await control(a.url, 'GET', '/sandboxes')
  expect([status, namesIn(body.sandboxes)]).toEqual([200, ['default', 'on-a']])
  await own.kill('SIGKILL')
  expect(body.silent).toEqual([{ node: own.url, reason: expect.any(String) }])
  await leave(a)
  await own.end()
})

test('all processes give one answer: a process is not ready while the engine is away, and ready when it is back', async () => {
  const own = new RealEngine()
  await own.start()
  const a = await join(own, { lease: 300 })
  const becomes = async (status: number) => {
    for (;;) if ((await fetch(`${a.url}/__mock/health?ready=true`)).status === status) return
  }
  await becomes(200)
  await own.kill('SIGSTOP')
  await becomes(503)
  expect((await fetch(`${a.url}/__mock/health`)).status).toBe(200)
  await own.kill('SIGCONT')
  await becomes(200)
  expect((await add(a.url, 'default')).status).toBe(200)
  await leave(a)
  await own.end()
})

test('all processes give one answer: only processes can ask each other questions', async () => {
  const a = await join(engine, apart())
  const path = '/__mock/asked/metrics'
  for (const asked of ['A', ''])
    expect((await call(a.url, 'GET', path, { headers: { 'x-mock-asked': asked } })).status).toBe(404)
  await leave(a)
})

test('all sandboxes are reset in all processes, also sleeping ones; the default one remains if only the others are dropped', async () => {
  const options = apart()
  const [a, b] = await twoWithSleeper(options)
  await add(b.url, 'default', 'kept')
  expect((await control(a.url, 'DELETE', '/sandboxes')).body).toEqual({ removed: 3 })
  const left = await control(b.url, 'GET', '/sandboxes')
  expect([namesIn(left.body.sandboxes), left.body.asleep.total]).toEqual([['default'], 0])
  for (const box of ['sleeper', 'on-a', 'on-b']) expect(await names(b.url, box)).toEqual([])
  expect(await names(a.url, 'default')).toEqual(['kept'])
  await a.reset()
  expect(await names(b.url, 'default')).toEqual([])
  await leave(a)
  await leave(b)
})

test('all sandboxes are reset and a process that missed it brings nothing back', async () => {
  const options = { ...apart(), lease: 1500 }
  const [a, b] = [await join(engine, options), await join(engine, { ...options, peer: 'http://127.0.0.1:1' })]
  await add(b.url, 'on-b', 'old')
  await control(a.url, 'DELETE', '/sandboxes')
  expect(await names(b.url, 'on-b')).toEqual([])
  await add(b.url, 'on-b', 'new')
  expect(await names(b.url, 'on-b')).toEqual(['new'])
  await leave(b)
  expect(await names(a.url, 'on-b')).toEqual(['new'])
  await leave(a)
})

test('all sandboxes are reset on schedule, once for all processes, and the answers show the time', async () => {
  const options = { ...apart(), lease: 400, resetEvery: 60_000 }
  const [a, b] = [await join(engine, options), await join(engine, options)]
  const [one, other] = [await add(a.url, 'on-a'), await add(b.url, 'on-b')]
  const [first, second] = [one, other].map((it) => Date.parse(it.headers.get('x-mock-resets-at') as string))
  expect(Math.abs((first as number) - (second as number))).toBeLessThan(5000)
  // The engine's clock cannot be moved: the moment is.
  await engine.ask('HSET', `t${count}:eras`, 'next', '1')
  while ((await names(a.url, 'on-a')).length > 0 || (await names(b.url, 'on-b')).length > 0) await setTimeout(20)
  await leave(a)
  await leave(b)
})

test('and a process that leaves keeps nothing, not even what it was just claiming', async () => {
  const one = await join(engine)
  const other = await join(engine)
  const adds = Array.from({ length: 200 }, (_, at) => add(other.url, `leaving-${at}`))
  // Some are made, and others are being claimed.
  await Promise.race(adds)
  await other.leave()
  const statuses = (await Promise.all(adds)).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map(() => 200))
  const { body } = await call(other.url, 'GET', '/__mock/cluster', { headers })
  expect(body.nodes.find(({ node }: { node: string }) => node === body.node).owned).toBe(0)
  await leave(other)
  await leave(one)
})
