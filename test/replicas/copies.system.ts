import { call } from '../mock.js'
import { freePort, RealEngine, token } from './engine.js'
import { join, leave } from './joined.js'

const primary = new RealEngine()
const replica = new RealEngine()
afterAll(() => Promise.all([primary.end(), replica.end()]))

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const headers = { 'x-mock-control-token': token }
const add = (url: string, description: string) => call(url, 'POST', create, { body: { description } })
const names = (body: { sessions: { name: string }[] }) => body.sessions.map(({ name }) => name).sort()

test('an answer waits for the replicas of the engine with --copies, and is a 503 if there are too few', async () => {
  const port = await freePort()
  await primary.start('--port', port, '--repl-diskless-sync-delay', '0')
  const lines: string[] = []
  const a = await join(primary, { copies: 1, onProblem: (text) => lines.push(text) })
  expect(lines.join()).toMatch(/has 0 replicas, and --copies asks for 1/)
  const alone = await add(a.url, 'alone')
  expect([alone.status, alone.headers.get('retry-after')]).toEqual([503, '1'])
  expect(alone.body.detail).toMatch(/^Only 0 of the 1 replicas/)
  // Changes that a failover may lose are not shown either.
  const shown = await call(a.url, 'GET', list)
  expect([shown.status, shown.body.detail]).toEqual([503, expect.stringMatching(/^Only 0 of the 1 replicas/)])

  await replica.start('--replicaof', '127.0.0.1', port)
  let read = await call(a.url, 'GET', list)
  while (read.status === 503) read = await call(a.url, 'GET', list)
  // The change was made: only its answer was not.
  expect(names(read.body)).toEqual(['alone'])
  const both = await Promise.all(['x', 'y', 'z'].map((name) => add(a.url, name)))
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await replica.ask('XRANGE', 'kcm:{default}:log', '-', '+')).includes('alone')).toBe(true)
  expect((await call(a.url, 'GET', '/__mock/cluster', { headers })).body.copies).toBe(1)
  const { text } = await call(a.url, 'GET', '/__mock/metrics?alone=true', { headers })
  expect(text).toMatch(/^kcm_too_few_copies_total [1-9]/m)
  await leave(a)
})

test('a loss in the engine is noticed with the next change, counted and reported', async () => {
  const a = await join(primary, { data: `${primary.url}?prefix=lost` })
  const lines: string[] = []
  const b = await join(primary, { data: `${primary.url}?prefix=lost`, onProblem: (text) => lines.push(text) })
  const key = 'lost:{default}:log'
  await add(b.url, 'kept')
  await add(b.url, 'lost')
  const [last = ''] = (await primary.ask('XREVRANGE', key, '+', '-', 'COUNT', '1')).match(/\d+-\d+/) ?? []
  await primary.ask('XDEL', key, last)
  expect((await add(b.url, 'next')).status).toBe(200)
  expect(names((await call(b.url, 'GET', list)).body)).toEqual(['kept', 'next'])
  expect(lines.join()).toMatch(/has lost 1 entries of the sandbox default/)
  const cluster = await call(a.url, 'GET', '/__mock/cluster', { headers })
  expect(cluster.body.lost_entries).toBe(1)
  await leave(a)
  await leave(b)
})
