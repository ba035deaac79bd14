import { fresh } from './boxes.js'
import { RealEngine } from './engine.js'
import { join, leave } from './joined.js'
import { Relay } from './partition/relay.js'

const engine = new RealEngine()
beforeAll(() => engine.start())
afterAll(() => engine.end())

const asked = fresh()

describe('a call about a sandbox while its process leaves', () => {
  test.each([
    ['drops it', 'DELETE', (name: string) => `/sandboxes/${name}`, undefined, { removed: 1 }],
    ['adds an override to it', 'POST', () => '/overrides', { operation: 'getPersona', status: 429 }, { used: 0 }],
    ['takes a snapshot of it', 'POST', () => '/snapshots/now', undefined, { name: 'now' }]
  ])('%s', async (_, method, pathOf, body, expected) => {
    const box = fresh()
    const peers = new Relay(0, () => Number(new URL(owner.url).port))
    await peers.start()
    const owner = await join(engine, { peer: `http://127.0.0.1:${peers.port}` })
    const other = await join(engine)
    await box.add(owner.url, 'one')
    let leaving: Promise<void> | undefined
    // It has said that it has the sandbox, and the end of the request is on its way.
    peers.swallows = (bytes) => {
      if (bytes.toString('latin1').startsWith('HTTP/1.1 100')) leaving ??= owner.leave()
      return false
    }
    const answer = await box.control(other.url, method, pathOf(box.name), body)
    expect([answer.status < 300, answer.body]).toEqual([true, expect.objectContaining(expected)])
    expect(leaving).toBeDefined()
    const { status } = await asked.control(other.url, 'GET', `/sandboxes/${box.name}`)
    expect(status).toBe(method === 'DELETE' ? 404 : 200)
    await leave(owner)
    await leave(other)
    peers.close()
  })
})

test('every process lists a sandbox as soon as one has created it, also one that is leaving', async () => {
  const [one, other] = [await join(engine), await join(engine)]
  const isListed = async (name: string) => {
    const { body } = await asked.control(other.url, 'GET', '/sandboxes')
    return [...body.sandboxes, ...body.asleep.sandboxes].some((it) => it.name === name)
  }
  const make = async () => {
    const { name } = fresh()
    expect((await asked.control(one.url, 'POST', '/sandboxes', { name })).status).toBe(201)
    return name
  }
  for (let at = 0; at < 5; at++) expect(await isListed(await make())).toBe(true)
  const making = Promise.all(Array.from({ length: 20 }, make))
  await one.leave()
  for (const name of await making) expect([name, await isListed(name)]).toEqual([name, true])
  await leave(one)
  await leave(other)
})

test('a process that leaves lets others create sandboxes, with the rows that they were forked from', async () => {
  const [origin, plain, fork] = [fresh(), fresh(), fresh()]
  const [leaving, other] = [await join(engine), await join(engine)]
  await origin.add(leaving.url, 'one')
  await leaving.leave()
  const make = (body: object) => asked.control(leaving.url, 'POST', '/sandboxes', body)
  expect((await make({ name: plain.name })).status).toBe(201)
  expect((await make({ name: fork.name, from: origin.name })).status).toBe(201)
  expect((await make({ name: fork.name })).status).toBe(409)
  expect((await make({ name: fresh().name, from: 'nobody' })).status).toBe(404)
  expect(await fork.names(other.url)).toEqual(['one'])
  await leave(leaving)
  await leave(other)
})

test('a process that leaves gets no more requests: its end is not reported as silence, and it gets no sandboxes', async () => {
  const [one, two, other] = [await join(engine), await join(engine), await join(engine)]
  await one.leave()
  await two.leave()
  const made = Array.from({ length: 20 }, fresh)
  for (const box of made) expect((await box.add(two.url, 'one')).status).toBe(200)
  const { body } = await asked.control(other.url, 'GET', '/cluster')
  expect(body.nodes.map((it: { address: string }) => it.address)).toEqual([other.url])
  await leave(one)
  await leave(two)
  const list = await asked.control(other.url, 'GET', '/sandboxes')
  expect([list.status, list.body.silent]).toEqual([200, []])
  const names = list.body.sandboxes.map((it: { name: string }) => it.name)
  expect(names).toEqual(expect.arrayContaining(made.map(({ name }) => name)))
  await leave(other)
})

test('a name that a process owns without a sandbox is free, and in no list', async () => {
  const box = fresh()
  const [one, other] = [await join(engine), await join(engine)]
  const gone = new AbortController()
  // A client of its events does not create it.
  const events = await box.events(one.url, gone.signal)
  await events.read()
  const list = async () => (await asked.control(other.url, 'GET', '/sandboxes')).text
  expect(await list()).not.toContain(`"${box.name}"`)
  expect((await asked.control(other.url, 'POST', '/sandboxes', { name: box.name })).status).toBe(201)
  expect(await list()).toContain(`"${box.name}"`)
  expect((await asked.control(other.url, 'POST', '/sandboxes', { name: box.name })).status).toBe(409)
  gone.abort()
  await leave(one)
  await leave(other)
})

test('an earlier moment can be forked through any process, also to a name in a third one', async () => {
  const [box, made] = [fresh(), fresh()]
  const [one, other, third] = [await join(engine), await join(engine), await join(engine)]
  await box.add(one.url, 'one')
  await box.add(one.url, 'two')
  const wanted = { name: made.name, from: box.name, at: 'r1' }
  expect((await asked.control(other.url, 'POST', '/sandboxes', wanted)).status).toBe(201)
  expect(await made.names(third.url)).toEqual(['one'])
  const taken = fresh()
  await taken.add(third.url, 'there')
  const refused = await asked.control(other.url, 'POST', '/sandboxes', { ...wanted, name: taken.name })
  expect(refused.status).toBe(409)
  const unknown = await asked.control(other.url, 'POST', '/sandboxes', { ...wanted, name: 'new', from: 'nobody' })
  expect(unknown.status).toBe(404)
  for (const it of [one, other, third]) await leave(it)
})
