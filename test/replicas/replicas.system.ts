import { setTimeout } from 'node:timers/promises'
import { Wire } from '../doors/listener/wire.js'
import { call } from '../mock.js'
import { answered, fresh, controlHeaders as headers } from './boxes.js'
import { RealEngine } from './engine.js'
import { join, leave } from './joined.js'
import { Relay } from './partition/relay.js'

const engine = new RealEngine()
beforeAll(() => engine.start())
afterAll(() => engine.end())

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const role = '/api/get-user-role'

test('two processes on one engine show one state through either process, and the owner names itself', async () => {
  const box = fresh()
  const [a, b] = [await join(engine), await join(engine)]
  const made = await box.add(a.url, 'first')
  const also = await box.add(b.url, 'second')
  expect([made.status, also.status]).toEqual([200, 200])
  const node = made.headers.get('x-mock-node')
  expect(also.headers.get('x-mock-node')).toBe(node)
  expect([await box.names(a.url), await box.names(b.url)]).toEqual(Array(2).fill(['first', 'second']))
  const cluster = await box.control(b.url, 'GET', '/cluster')
  expect(cluster.body.nodes.map((it: { address: string }) => it.address).sort()).toEqual([a.url, b.url].sort())
  expect(cluster.body.nodes.find((it: { address: string }) => it.address === a.url).node).toBe(node)
  const metrics = await box.control(b.url, 'GET', '/metrics?alone=true')
  expect(metrics.text).toMatch(/^kcm_forwarded_total [1-9]/m)
  await leave(a)
  await leave(b)
})

test('two processes on one engine hand over everything when one stops: rows, overrides and their counts, choices, snapshots, clock, ids', async () => {
  const box = fresh()
  const a = await join(engine)
  await box.add(a.url, 'before')
  await box.control(a.url, 'POST', '/snapshots/early')
  await box.control(a.url, 'PUT', '/clock', { now: '2031-01-01T00:00:00.000Z', speed: 0 })
  await box.control(a.url, 'PATCH', '/assumptions', { 'delete.body': 'null' })
  await box.control(a.url, 'POST', '/overrides', { operation: 'getUserRole', status: 503, times: 3 })
  await call(a.url, 'GET', role, { as: box.as })
  const parts = ['/state', '/overrides', '/clock', '/assumptions', '/snapshots']
  const shown = async (url: string) =>
    Promise.all(parts.map((part) => box.control(url, 'GET', part).then(({ text }) => text)))
  const before = await shown(a.url)
  const last = await box.add(a.url, 'last')
  const b = await join(engine)
  await leave(a)
  const next = await call(b.url, 'GET', list, { as: box.as })
  const numberOf = (it: { headers: Headers }) => Number(it.headers.get('x-mock-request-id')?.slice(1))
  expect([next.status, numberOf(next)]).toEqual([200, numberOf(last) + 1])
  expect(await box.names(b.url)).toEqual(['before', 'last'])
  const after = await shown(b.url)
  expect(after.slice(1)).toEqual(before.slice(1))
  await leave(b)
})

test('two processes on one engine never reuse the ids of a process that ended before it saved them', async () => {
  const box = fresh()
  const a = await join(engine)
  await box.add(a.url, 'first')
  const key = `kcm:{${box.name}}:log`
  const last = (await engine.ask('XREVRANGE', key, '+', '-', 'COUNT', '1')).match(/\d+-\d+/)?.[0] as string
  const b = await join(engine)
  const answer = await call(a.url, 'GET', role, { as: box.as })
  await leave(a)
  // The only entry of a claim whose process was killed.
  const claim = (await engine.ask('XRANGE', key, '-', '+', 'COUNT', '1')).match(
    /own\r\n\$\d+\r\n([^\r]+)/
  )?.[1] as string
  await engine.ask('XADD', key, `${Number(last.split('-')[0]) + 1}-0`, 'own', claim)
  const next = await answered(() => call(b.url, 'GET', role, { as: box.as }))
  const numberOf = (it: { headers: Headers }) => Number(it.headers.get('x-mock-request-id')?.slice(1))
  expect([next.status, numberOf(next) > numberOf(answer) + 100]).toEqual([200, true])
  await leave(b)
})

test('two processes on one engine keep a running clock running, never back', async () => {
  const box = fresh()
  const a = await join(engine, { now: undefined, data: `${engine.url}?prefix=running` })
  await box.control(a.url, 'PUT', '/clock', { advance: '1000d' })
  const before = (await box.control(a.url, 'GET', '/clock')).body.now
  const b = await join(engine, { now: undefined, data: `${engine.url}?prefix=running` })
  await leave(a)
  const after = (await box.control(b.url, 'GET', '/clock')).body.now
  expect(after >= before).toBe(true)
  expect(Date.parse(after) - Date.parse(before)).toBeLessThan(3_600_000)
  await leave(b)
})

test('two processes on one engine answer nothing from memory after their lease has ended', async () => {
  const box = fresh()
  const short = { lease: 1000, data: `${engine.url}?prefix=short` }
  const [a, b] = [await join(engine, short), await join(engine, short)]
  const { headers: made } = await answered(() => box.add(a.url, 'kept'))
  const node = made.get('x-mock-node')
  const keys = (await engine.ask('KEYS', `short:node:${node}.*`)).match(/short:node:[\w.]+/g) ?? []
  await engine.ask('DEL', ...keys)
  const other = await answered(() => box.add(b.url, 'elsewhere'))
  expect(other.status).toBe(200)
  const shown = await answered(() => call(a.url, 'GET', list, { as: box.as }))
  expect(shown.body.sessions.map((it: { name: string }) => it.name).sort()).toEqual(['elsewhere', 'kept'])
  await leave(a)
  await leave(b)
})

test('two processes on one engine report a lost answer of the engine, and the log decides', async () => {
  const box = fresh()
  const relay = new Relay(`${engine.folder}/relay.sock`, engine.socket)
  await relay.start()
  const a = await join(engine, { data: `redis+unix://${relay.path}` })
  await box.add(a.url, 'first')
  // The answer to this write, with what may come with it. Others are numbers.
  relay.swallows = (bytes) => bytes.toString('latin1').includes('*1\r\n$0\r\n')
  const lost = await box.add(a.url, 'second')
  relay.swallows = false
  expect([lost.status, lost.headers.get('retry-after')]).toEqual([503, '1'])
  expect(lost.body.detail).toMatch(/not known whether/)
  const names = await answered(() => call(a.url, 'GET', list, { as: box.as }))
  expect(names.body.sessions.map((it: { name: string }) => it.name).sort()).toEqual(['first', 'second'])
  await leave(a)
  relay.close()
})

test('two processes on one engine never turn a clock back when another process with a distant engine continues it', async () => {
  const box = fresh()
  const relay = new Relay(`${engine.folder}/far.sock`, engine.socket)
  await relay.start()
  relay.delay = 200
  const [a, b] = [await join(engine), await join(engine, { data: `redis+unix://${relay.path}` })]
  /** How far the clock is ahead of this machine's, at least and at most. */
  const aheadAt = async (url: string) => {
    const before = Date.now()
    const { body } = await answered(() => box.control(url, 'GET', '/clock'))
    const now = Date.parse(body.now)
    return { least: now - Date.now(), most: now - before }
  }
  expect((await box.control(a.url, 'PUT', '/clock', { now: '2030-01-01T00:00:00.000Z', speed: 1 })).status).toBe(200)
  const { least } = await aheadAt(a.url)
  await leave(a)
  await aheadAt(b.url)
  const { most } = await aheadAt(b.url)
  expect(most).toBeGreaterThanOrEqual(least - 1)
  relay.delay = 0
  await leave(b)
  relay.close()
})

test.each([2, -2])(
  'two processes on one engine keep the clock of a sandbox when a machine is %s hours off, and so does the next process',
  async (hours) => {
    let off = 0
    const { now } = Date
    const machine = jest.spyOn(Date, 'now').mockImplementation(() => now() + off * 3600_000)
    const box = fresh()
    const [a, b] = [await join(engine), await join(engine)]
    const clock = async (url: string) =>
      Date.parse((await answered(() => box.control(url, 'GET', '/clock'))).body.now) - Date.parse('2030-01-01')
    expect((await box.control(a.url, 'PUT', '/clock', { now: '2030-01-01T00:00:00.000Z', speed: 1 })).status).toBe(200)
    const began = now()
    off = hours
    await box.add(a.url, 'meanwhile')
    const shown = await clock(a.url)
    off = 0
    await leave(a)
    const next = await clock(b.url)
    expect(next).toBeGreaterThanOrEqual(shown)
    expect(next).toBeLessThan(now() - began + 60_000)
    await leave(b)
    machine.mockRestore()
  }
)

test('two processes on one engine rewrite a long log without a change', async () => {
  const box = fresh()
  const a = await join(engine)
  for (let at = 0; at < 300; at++) await call(a.url, 'POST', create, { as: box.as, body: { description: `n${at}` } })
  expect(Number((await engine.ask('XLEN', `kcm:{${box.name}}:log`)).slice(1))).toBeLessThan(260)
  const before = await box.names(a.url)
  expect(before.length).toBe(300)
  const b = await join(engine)
  await leave(a)
  expect(await box.names(b.url)).toEqual(before)
  await leave(b)
})

test('two processes on one engine unload a sandbox that is not in use, and load it again on request', async () => {
  const box = fresh()
  const options = { data: `${engine.url}?prefix=sleepy`, sandboxIdle: 10 }
  const [a, b] = [await join(engine, options), await join(engine, options)]
  await box.add(a.url, 'asleep')
  while (!(await engine.ask('XREVRANGE', `sleepy:{${box.name}}:log`, '+', '-', 'COUNT', '1')).includes('free')) {
    await setTimeout(20)
  }
  expect((await box.control(a.url, 'GET', '/metrics?alone=true')).text).toMatch(/^kcm_sandboxes_owned 0$/m)
  expect(await box.names(b.url)).toEqual(['asleep'])
  expect(Number((await engine.ask('PTTL', `sleepy:{${box.name}}:log`)).slice(1))).toBeGreaterThan(0)
  await leave(a)
  await leave(b)
})

test('a request that another process answers may be an upload, a stream of events, or break its connection', async () => {
  const box = fresh()
  const [a, b] = [await join(engine), await join(engine)]
  await box.add(a.url, 'there')
  const form = new FormData()
  form.append('files', new Blob(['x'.repeat(300_000)], { type: 'text/plain' }), 'long.txt')
  const uploaded = await call(b.url, 'POST', '/api/manage/admin/connector/file/upload', { as: box.as, form })
  expect([uploaded.status, uploaded.body.file_names]).toEqual([200, ['long.txt']])
  expect((await call(b.url, 'DELETE', '/api/nowhere', { as: box.as })).status).toBe(404)
  const fault = { Prefer: 'fault=CONNECTION_RESET_BY_PEER' }
  await expect(call(b.url, 'GET', role, { as: box.as, headers: fault })).rejects.toThrow()
  const stream = await fetch(`${b.url}/__mock/events`, { headers: { ...headers, authorization: `Bearer ${box.as}` } })
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  await call(a.url, 'GET', role, { as: box.as })
  let text = ''
  while (!text.includes('getUserRole')) {
    const { value, done } = await reader.read()
    text += new TextDecoder().decode(value)
    if (done) throw new Error(`the stream has ended: ${text}`)
  }
  await leave(a)
  for (let part = await reader.read(); !part.done; part = await reader.read());
  expect(await box.names(b.url)).toEqual(['there'])
  await leave(b)
})

test('a request that another process answers may fork a sandbox of another process into a local one, and drop it', async () => {
  const [box, other, made] = [fresh(), fresh(), fresh()]
  const [a, b] = [await join(engine), await join(engine)]
  await box.add(a.url, 'forked')
  await other.add(b.url, 'other')
  const fork = await other.control(b.url, 'POST', '/sandboxes', { name: made.name, from: box.name })
  expect(fork.status).toBe(201)
  expect([await made.names(a.url), await made.names(b.url)]).toEqual([['forked'], ['forked']])
  expect((await box.control(a.url, 'POST', '/sandboxes', { name: made.name })).status).toBe(409)
  expect((await box.control(a.url, 'DELETE', `/sandboxes/${made.name}`)).body).toEqual({ removed: 1 })
  expect(await made.names(b.url)).toEqual([])
  await leave(a)
  await leave(b)
})

test('a request that another process answers may be answered with 421 by an override, and is done once', async () => {
  const box = fresh()
  const [a, b] = [await join(engine), await join(engine)]
  await box.add(a.url, 'made')
  const override = { operation: 'createChatSession', status: 421, body: { detail: 'x' }, times: 2 }
  await box.control(b.url, 'POST', '/overrides', override)
  // Clients of fetch send a request that gets 421 once more.
  expect((await box.add(b.url, 'refused')).status).toBe(421)
  expect(await box.names(b.url)).toEqual(['made'])
  expect((await box.control(b.url, 'GET', '/requests?status=421')).body.total).toBe(2)
  await leave(a)
  await leave(b)
})

test('a request that another process answers may lose its answer on the way, and then reports that it may have been done', async () => {
  const box = fresh()
  const peers = new Relay(0, () => Number(new URL(a.url).port))
  await peers.start()
  const a = await join(engine, { peer: `http://127.0.0.1:${peers.port}` })
  const b = await join(engine)
  await box.add(a.url, 'there')
  peers.swallows = (bytes) => !bytes.toString('latin1').startsWith('HTTP/1.1 100')
  const lost = [await box.add(b.url, 'once'), await box.control(b.url, 'PUT', '/clock', { speed: 0 })]
  for (const { status, body } of lost) expect([status, body.detail]).toEqual([503, expect.stringMatching(/not known/)])
  peers.swallows = false
  expect(await box.names(b.url)).toEqual(['once', 'there'])
  await leave(a)
  await leave(b)
  peers.close()
})

test('a request that another process answers is passed on only by a process, because only processes can sign it', async () => {
  const box = fresh()
  const a = await join(engine)
  const text = Buffer.from(JSON.stringify({ sandbox: 'other', isPrivate: true, hasBody: false })).toString('base64url')
  const forged = await call(a.url, 'GET', list, { as: box.as, headers: { 'x-mock-passed': `${text}.AAAA` } })
  expect([forged.status, forged.body.detail]).toEqual([503, expect.stringContaining('--peer-secret')])
  // It waits for nothing: the server sent no 100 Continue.
  const wire = Wire.open(a.url)
  await wire.send(
    `POST ${create} HTTP/1.1\r\nHost: localhost\r\nX-Mock-Passed: a.b\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`
  )
  expect((await wire.reply()).status).toBe(503)
  wire.destroy()
  expect(Number((await engine.ask('EXISTS', 'kcm:{other}:log')).slice(1))).toBe(0)
  await leave(a)
})

describe('a process does not start', () => {
  test.each([
    ['with another seed than the others', { seed: 2 }, /seed is 2 here and 1 there/],
    ['with other fixtures', { fixtures: 'demo' as const }, /fixtures is demo here and empty there/],
    ['without the token of the control API', { controlToken: undefined }, /--control-token/],
    ['with another token', { controlToken: 'another' }, /control-token is \w{8} here and \w{8} there/],
    ['in public without the key of the cookies', { public: true }, /--cookie-secret/],
    ['for all addresses without its own', { host: '0.0.0.0' }, /--peer/],
    ['with a watch', { watch: true }, /--watch/],
    ['with an address that is not in use', { data: 'redis+unix:///nowhere/redis.sock' }, /cannot be reached/],
    ['with an unknown part of the address', { data: 'redis://127.0.0.1?pre=x' }, /\?pre=/],
    ['if the engine keeps less than is asked', { sync: 'always' as const }, /appendfsync everysec.*--sync second/]
  ])('%s', async (_, options, message) => {
    const a = await join(engine)
    await expect(join(engine, options)).rejects.toThrow(message)
    await leave(a)
  })
})
