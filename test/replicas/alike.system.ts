import { setTimeout } from 'node:timers/promises'
import { lingerLimits } from '../../src/doors/listener/pace.js'
import type { OpenServer } from '../../src/doors/program/server.js'
import { Wire } from '../doors/listener/wire.js'
import { call } from '../mock.js'
import { answered, fresh } from './boxes.js'
import { RealEngine } from './engine.js'
import { join, leave } from './joined.js'
import { Relay } from './partition/relay.js'

const engine = new RealEngine()
let [a, b]: OpenServer[] = []
beforeAll(async () => {
  await engine.start()
  a = await join(engine)
  b = await join(engine)
})
afterAll(async () => {
  for (const it of [a, b]) if (it) await leave(it)
  await engine.end()
})
const urls = () => [(a as OpenServer).url, (b as OpenServer).url] as [string, string]

/** The statuses of a request, sent to the process that has the sandbox and to the other. */
async function statuses(request: string): Promise<number[]> {
  const found: number[] = []
  for (const url of urls()) {
    const wire = Wire.open(url)
    await wire.send(request)
    found.push((await wire.reply()).status)
    wire.destroy()
  }
  return found
}

test('through every process, a name that was only read, or dropped, is free', async () => {
  const [one, other] = urls()
  const [looked, dropped, maker] = [fresh(), fresh(), fresh()]
  await maker.add(other, 'there')
  await looked.control(one, 'GET', '/state')
  await dropped.add(one, 'there')
  await dropped.control(one, 'DELETE', `/sandboxes/${dropped.name}`)
  for (const { name } of [looked, dropped])
    expect((await maker.control(other, 'POST', '/sandboxes', { name })).status).toBe(201)
  expect((await maker.control(other, 'POST', '/sandboxes', { name: looked.name })).status).toBe(409)
})

test('through every process, a client that writes all of its body before it reads gets an early answer', async () => {
  const { milliseconds } = lingerLimits
  // No timer gives up the rest of a rejected body.
  lingerLimits.milliseconds = 3_600_000
  const box = fresh()
  await box.add(urls()[0], 'here')
  const body = Buffer.alloc(16 * 1024 * 1024, 'x')
  for (const url of urls()) {
    const wire = Wire.open(url)
    wire.pause()
    const head = `Host: localhost\r\nAuthorization: Bearer ${box.as}\r\nContent-Type: text/plain\r\n`
    await wire.send(`POST /api/get-user-role HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n`)
    expect(await wire.send(body)).toBe(true)
    wire.resume()
    expect((await wire.reply()).status).toBe(405)
    wire.destroy()
  }
  lingerLimits.milliseconds = milliseconds
})

test('through every process, a client that waits for the events of a sandbox gets them, wherever it is created', async () => {
  const [one, other] = urls()
  const box = fresh()
  const reader = await box.events(one)
  await reader.read()
  await box.add(other, 'made')
  let text = ''
  while (!text.includes('createChatSession')) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream has ended: ${text}`)
    text += new TextDecoder().decode(value)
  }
  await reader.cancel()
})

test('through every process, a request of HTTP/1.0 without Host is answered', async () => {
  const box = fresh()
  await box.add(urls()[0], 'there')
  const line = 'GET /api/chat/get-user-chat-sessions'
  expect(await statuses(`${line} HTTP/1.0\r\nAuthorization: Bearer ${box.as}\r\n\r\n`)).toEqual([200, 200])
  expect(await statuses(`${line} HTTP/1.1\r\nAuthorization: Bearer ${box.as}\r\n\r\n`)).toEqual([400, 400])
})

test('through every process, headers have the same limits', async () => {
  const box = fresh()
  await box.add(urls()[0], 'there')
  const [path, body] = ['/api/chat/create-chat-session', '{}']
  const head = { Host: 'localhost', Authorization: `Bearer ${box.as}`, 'Content-Type': 'application/json' }
  const request = (more: Record<string, string>) => {
    const all = Object.entries({ ...head, ...more, 'Content-Length': String(body.length) })
    return `POST ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  }
  const size =
    Object.entries({ ...head, 'Content-Length': '2' })
      .flat()
      .join('').length +
    path.length +
    'Fill'.length
  for (const [left, status] of [
    [1, 200],
    [0, 431],
    [-1, 431]
  ] as const)
    expect(await statuses(request({ Fill: 'x'.repeat(16 * 1024 - size - left) }))).toEqual([status, status])
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, '']))
  expect(await statuses(request(many(196)))).toEqual([200, 200])
  expect(await statuses(request(many(197)))).toEqual([431, 431])
})

test('through every process, a name in a path may be percent-encoded', async () => {
  const box = fresh()
  await box.add(urls()[0], 'there')
  // The default one lives elsewhere.
  await call(urls()[1], 'GET', '/api/get-user-role')
  const name = box.name.replace('box', '%62ox')
  for (const url of urls()) expect((await box.control(url, 'GET', `/sandboxes/${name}`)).body.name).toBe(box.name)
})

test('through every process, a sandbox keeps its time of creation, also after a move', async () => {
  const box = fresh()
  const data = `${engine.url}?prefix=moves`
  const [from, to] = [await join(engine, { data }), await join(engine, { data })]
  await box.add(from.url, 'there')
  const createdAt = async () => (await box.control(to.url, 'GET', `/sandboxes/${box.name}`)).body.created_at
  const before = await createdAt()
  await leave(from)
  expect(await createdAt()).toBe(before)
  await leave(to)
})

test('while its process does not answer, a sandbox is not reported as unknown, and is not dropped', async () => {
  const box = fresh()
  const data = `${engine.url}?prefix=silent`
  // No process listens there.
  const [owner, other] = [await join(engine, { data, peer: 'http://127.0.0.1:1' }), await join(engine, { data })]
  await box.add(owner.url, 'kept')
  const asker = fresh()
  for (const method of ['GET', 'DELETE']) {
    const { status, body } = await asker.control(other.url, method, `/sandboxes/${box.name}`)
    expect([status, body.detail]).toEqual([503, expect.stringContaining('its process does not answer')])
  }
  expect(await box.names(owner.url)).toEqual(['kept'])
  expect((await asker.control(other.url, 'DELETE', '/sandboxes/nobody-has')).body.detail).toBe(
    'There is no sandbox "nobody-has". Known: see GET /__mock/sandboxes.'
  )
  await leave(owner)
  expect((await asker.control(other.url, 'DELETE', `/sandboxes/${box.name}`)).body).toEqual({ removed: 1 })
  await leave(other)
})

test('a stream of events that is passed on ends when its process silently loses its lease, and with its client', async () => {
  const box = fresh()
  const data = `${engine.url}?prefix=streams`
  const peers = new Relay(0, () => Number(new URL(owner.url).port))
  await peers.start()
  const owner = await join(engine, { data, lease: 1000, peer: `http://127.0.0.1:${peers.port}` })
  const other = await join(engine, { data, lease: 1000 })
  const { headers } = await answered(() => box.add(owner.url, 'there'))
  const [left, client] = [new AbortController(), await box.events(other.url)]
  await client.read()
  const before = peers.connections
  const gone = await box.events(other.url, left.signal)
  await gone.read()
  expect(peers.connections).toBe(before + 1)
  peers.isSilent = true
  left.abort()
  while (peers.connections > before) await setTimeout(10)
  const node = headers.get('x-mock-node')
  const keys = (await engine.ask('KEYS', `streams:node:${node}.*`)).match(/streams:node:[\w.]+/g) ?? []
  await engine.ask('DEL', ...keys)
  await client.read().then(
    ({ done }) => expect(done).toBe(true),
    () => {}
  )
  peers.close()
  await leave(owner)
  await leave(other)
})
