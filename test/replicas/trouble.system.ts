import { setTimeout } from 'node:timers/promises'
import type { ServerOptions } from '../../src/doors/options/table.js'
import { call } from '../mock.js'
import { controlHeaders, fresh } from './boxes.js'
import { RealEngine } from './engine.js'
import { join, leave } from './joined.js'

const asked = fresh()
const readiness = (url: string) => call(url, 'GET', '/__mock/health?ready=true', { as: null })
const cluster = async (url: string) => (await asked.control(url, 'GET', '/cluster')).body
const list = '/api/chat/get-user-chat-sessions'

/** Repeats a call until it has the wanted answer. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await setTimeout(20)
  }
}

describe('an engine that comes back empty', () => {
  const engine = new RealEngine()
  afterAll(() => engine.end())
  const running: ServerOptions = { sync: 'never', lease: 12_000 }

  test('is noticed: its loss is counted and reported, and refused until a reset', async () => {
    await engine.start('--appendonly', 'no')
    const lines: string[] = []
    const [one, other] = [
      await join(engine, { ...running, onProblem: (text) => lines.push(text) }),
      await join(engine, running)
    ]
    const [first, second, third] = [fresh(), fresh(), fresh()]
    for (const name of ['a', 'b', 'c']) await first.add(one.url, name)
    for (const name of ['a', 'b']) await second.add(other.url, name)
    await third.add(other.url, 'a')
    expect(await cluster(one.url)).toMatchObject({
      lost_entries: 0,
      emptied_at: null,
      lost_sandboxes: 0,
      problem: null
    })
    await engine.kill()
    await engine.start('--appendonly', 'no')

    const read = (box: typeof first, url: string) => call(url, 'GET', list, { as: box.as })
    for (const box of [first, second]) {
      for (const { url } of [one, other]) {
        const seen = new Set<string>()
        await until(
          async () => {
            const answer = await read(box, url)
            if (answer.status === 200) seen.add(answer.body.sessions.length)
            return answer
          },
          ({ body }) => body.detail?.includes('has lost the sandbox')
        )
        // As long as a process has the rows, they are right.
        expect(seen.has('0')).toBe(false)
      }
    }
    expect(lines.join('\n')).toMatch(/came back empty.* 1 of them, with \d+ entries/)
    const { lost_entries, emptied_at, lost_sandboxes } = await cluster(other.url)
    expect([lost_entries >= 6, lost_sandboxes]).toEqual([true, 3])
    expect(Date.parse(emptied_at)).toBeGreaterThan(Date.now() - 60_000)
    const refused = [
      await first.add(other.url, 'd'),
      await first.control(one.url, 'GET', '/state'),
      await asked.control(one.url, 'POST', '/sandboxes', { name: 'copy', from: first.name }),
      await call(one.url, 'POST', '/__mock/reset', { as: first.as })
    ]
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 401])

    // Missing sandboxes do not count as lost.
    expect((await fresh().add(one.url, 'new')).status).toBe(200)
    expect((await first.control(other.url, 'POST', '/reset')).status).toBe(200)
    expect(await first.names(one.url)).toEqual([])
    expect((await asked.control(one.url, 'POST', '/sandboxes', { name: second.name })).status).toBe(201)
    expect(await second.names(other.url)).toEqual([])
    expect((await asked.control(one.url, 'DELETE', '/sandboxes')).status).toBe(200)
    expect(await third.names(other.url)).toEqual([])
    await until(
      () => cluster(one.url),
      ({ lost_sandboxes }) => lost_sandboxes === 0
    )
    await leave(one)
    await leave(other)
  })

  test('gets no new sandbox in place of a lost one before the loss is noticed', async () => {
    const [one, other] = [await join(engine, running), await join(engine, running)]
    const box = fresh()
    await box.add(one.url, 'a')
    await engine.ask('FLUSHALL')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => box.add((at % 2 === 0 ? one : other).url, `b${at}`))
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    await until(
      () => box.add(other.url, 'c'),
      ({ body }) => body.detail?.includes('has lost the sandbox')
    )
    await leave(one)
    await leave(other)
  })

  test('starts again for the visitors of a public mock without an error', async () => {
    const open = { ...running, public: true, cookieSecret: 'secret', data: `${engine.url}?prefix=open` }
    const one = await join(engine, open)
    const visit = () => call(one.url, 'GET', list, { as: 'admin~visitor' })
    expect((await visit()).status).toBe(200)
    await engine.ask('FLUSHALL')
    await until(
      () => cluster(one.url),
      ({ emptied_at }) => emptied_at !== null
    )
    expect((await until(visit, ({ status }) => status !== 503)).status).toBe(200)
    await leave(one)
  })
})

describe('a full engine', () => {
  const engine = new RealEngine()
  beforeAll(() => engine.start())
  afterAll(() => engine.end())
  /** Less than an idle engine uses: memory that connections free makes no room. */
  const fill = () => engine.ask('CONFIG', 'SET', 'maxmemory', '1')

  test('still reads, drops and resets; the rest is refused with the reason, and readiness shows it', async () => {
    const running = { lease: 12_000 }
    const [one, other] = [await join(engine, running), await join(engine, running)]
    const [near, far, reset, gone] = [fresh(), fresh(), fresh(), fresh()]
    await near.add(one.url, 'a')
    await far.add(other.url, 'a')
    await gone.add(other.url, 'a')
    for (const name of ['a', 'b', 'c', 'd']) await reset.add(one.url, name)
    const sleeping = fresh()
    const third = await join(engine, running)
    await sleeping.add(third.url, 'asleep')
    await leave(third)
    await fill()

    const refused = [await near.add(one.url, 'b'), await fresh().add(one.url, 'b'), await near.add(other.url, 'b')]
    for (const { status, body } of refused)
      expect([status, body.detail]).toEqual([503, expect.stringContaining('full')])
    for (const { url } of [one, other]) {
      const answer = await until(
        () => readiness(url),
        ({ status }) => status !== 200
      )
      expect([answer.status, answer.body.detail]).toEqual([503, expect.stringMatching(/full.*maxmemory/)])
    }
    expect((await cluster(one.url)).problem).toContain('full')
    // Leases are renewed.
    const keys = (await engine.ask('KEYS', 'kcm:node:*')).match(/kcm:node:[\w.]+/g) ?? []
    const left = () => Promise.all(keys.map(async (key) => Number((await engine.ask('PTTL', key)).slice(1))))
    const before = await left()
    await until(left, (now) => now.filter((it, at) => it > (before[at] as number)).length === 2)
    expect(await near.names(other.url)).toEqual(['a'])
    expect(await sleeping.names(one.url)).toEqual(['asleep'])
    const reply = await reset.control(other.url, 'POST', '/reset')
    expect([reply.status, reply.body.detail]).toEqual([200, undefined])
    expect(await reset.names(one.url)).toEqual([])
    const dropped = await asked.control(one.url, 'DELETE', `/sandboxes/${gone.name}`)
    expect([dropped.status, dropped.body]).toEqual([200, { removed: 1 }])
    expect((await asked.control(other.url, 'GET', `/sandboxes/${gone.name}`)).status).toBe(404)
    // Sandboxes move as well.
    await leave(one)
    expect(await near.names(other.url)).toEqual(['a'])
    await fill()
    expect((await asked.control(other.url, 'DELETE', '/sandboxes')).status).toBe(200)
    expect(await engine.ask('EXISTS', `kcm:{${near.name}}:log`, `kcm:{${far.name}}:log`)).toBe(':0\r\n')

    await engine.ask('CONFIG', 'SET', 'maxmemory', '0')
    await until(
      () => readiness(other.url),
      ({ status }) => status === 200
    )
    expect((await near.add(other.url, 'again')).status).toBe(200)
    await leave(other)
  })

  test('lets each sandbox be dropped if they filled it one by one', async () => {
    const one = await join(engine, { maxSandboxes: 10_000, lease: 12_000 })
    await engine.ask('CONFIG', 'SET', 'maxmemory', '0')
    const before = Number(/used_memory:(\d+)/.exec(await engine.ask('INFO', 'memory'))?.[1])
    await engine.ask('CONFIG', 'SET', 'maxmemory', String(before + 100_000))
    const made: ReturnType<typeof fresh>[] = []
    for (;;) {
      const box = fresh()
      const { status } = await box.add(one.url, 'x'.repeat(2000))
      if (status !== 200) break
      made.push(box)
    }
    expect(made.length).toBeGreaterThan(3)
    for (const box of made) {
      const { status } = await asked.control(one.url, 'DELETE', `/sandboxes/${box.name}`)
      expect(status).toBe(200)
    }
    await until(
      () => fresh().add(one.url, 'room again'),
      ({ status }) => status === 200
    )
    await engine.ask('CONFIG', 'SET', 'maxmemory', '0')
    await leave(one)
  })
})

test('an engine that has become a replica is reported at once, also by reads after the lease', async () => {
  const engine = new RealEngine()
  await engine.start()
  const mock = await join(engine, { lease: 1000 })
  const [box, asleep] = [fresh(), fresh()]
  await box.add(mock.url, 'a')
  await engine.ask('REPLICAOF', '127.0.0.1', '1')
  const refused = await box.add(mock.url, 'b')
  expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining('read-only replica')])
  const ready = await readiness(mock.url)
  expect([ready.status, ready.body.detail]).toEqual([503, expect.stringContaining('read-only replica')])
  const read = await until(
    () => call(mock.url, 'GET', list, { as: box.as }),
    ({ status }) => status !== 200
  )
  expect([read.status, read.body.detail]).toEqual([503, expect.stringContaining('read-only replica')])
  const other = await call(mock.url, 'GET', list, { as: asleep.as })
  expect([other.status, other.body.detail]).toEqual([503, expect.stringContaining('read-only replica')])
  const { body } = await call(mock.url, 'GET', '/__mock/cluster', { as: null, headers: { ...controlHeaders } })
  expect(body.problem).toContain('read-only replica')
  await engine.ask('REPLICAOF', 'NO', 'ONE')
  await until(
    () => readiness(mock.url),
    ({ status }) => status === 200
  )
  await until(
    () => box.add(mock.url, 'c'),
    ({ status }) => status === 200
  )
  await leave(mock)
  await engine.end()
})
