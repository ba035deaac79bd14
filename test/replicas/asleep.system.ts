import type { ServerOptions } from '../../src/doors/options/table.js'
import { answered, fresh } from './boxes.js'
import { RealEngine } from './engine.js'
import { join, leave } from './joined.js'

const engine = new RealEngine()
beforeAll(() => engine.start())
afterAll(() => engine.end())

const running: ServerOptions = { fixtures: 'demo', now: undefined }

test('a sleeping sandbox uses less than 3 kB of the engine', async () => {
  const mock = await join(engine, running)
  const box = fresh()
  await box.add(mock.url, 'kept')
  await leave(mock)
  const size = Number((await engine.ask('MEMORY', 'USAGE', `kcm:{${box.name}}:log`)).slice(1))
  expect(size).toBeGreaterThan(1000)
  expect(size).toBeLessThan(3000)
})

test('a sandbox wakes with its original dates, and so do its snapshots', async () => {
  const a = await join(engine, running)
  const box = fresh()
  await box.add(a.url, 'kept')
  expect((await box.control(a.url, 'PUT', '/clock', { speed: 0 })).status).toBe(200)
  expect((await box.control(a.url, 'POST', '/snapshots/before')).status).toBe(200)
  const { body: before } = await box.control(a.url, 'GET', '/state')
  await leave(a)

  const b = await join(engine, running)
  expect((await box.control(b.url, 'GET', '/state')).body).toEqual(before)
  expect((await box.control(b.url, 'POST', '/snapshots/before/restore')).status).toBe(200)
  expect((await box.control(b.url, 'GET', '/state')).body.collections).toEqual(before.collections)
  await leave(b)
})

test('changes after the engine has lost everything survive the end of all processes', async () => {
  const a = await join(engine, running)
  const box = fresh()
  await box.add(a.url, 'lost')
  await engine.ask('FLUSHALL')
  expect((await answered(() => box.control(a.url, 'POST', '/reset'))).status).toBe(200)
  expect((await box.add(a.url, 'kept')).status).toBe(200)
  await leave(a)

  const b = await join(engine, running)
  const names = await box.names(b.url)
  expect([names.includes('kept'), names.includes('lost')]).toEqual([true, false])
  await leave(b)
})
