import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join as pathOf } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readEngine } from '../../src/redis/client/address.js'
import { call } from '../mock.js'
import { freePort, RealEngine, token } from './engine.js'
import { join, leave } from './joined.js'

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const headers = { 'x-mock-control-token': token }

const add = (url: string, box: string, description: string) =>
  call(url, 'POST', create, { as: `admin~${box}`, body: { description } })
const names = async (url: string, box: string) => {
  const answer = await answered(() => call(url, 'GET', list, { as: `admin~${box}` }))
  return answer.body.sessions.map((it: { name: string }) => it.name).sort()
}

async function answered<T extends { status: number }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
    await setTimeout(50)
  }
}

const sentinelPassword = 'sesame'

test('processes follow the primary of sentinels after a failover, and keep what was copied', async () => {
  const [primary, replica] = [new RealEngine(), new RealEngine()]
  const [port, other, own] = [await freePort(), await freePort(), await freePort()]
  const local = ['--bind', '127.0.0.1', '--repl-diskless-sync-delay', '0']
  await primary.start('--port', port, ...local)
  await replica.start('--port', other, ...local, '--replicaof', '127.0.0.1', port)
  const config = pathOf(primary.folder, 'sentinel.conf')
  const settings = [
    `port ${own}`,
    'bind 127.0.0.1',
    `dir ${primary.folder}`,
    `sentinel monitor demo 127.0.0.1 ${port} 1`,
    `requirepass ${sentinelPassword}`
  ]
  const patience = ['sentinel down-after-milliseconds demo 500', 'sentinel failover-timeout demo 2000']
  writeFileSync(config, [...settings, ...patience, ''].join('\n'))
  const sentinel = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' })
  try {
    // A sentinel learns of replicas from the primary.
    while (!(await primary.ask('INFO', 'replication')).includes('state=online')) await setTimeout(20)
    const data = `redis+sentinel://127.0.0.1:1,127.0.0.1:${own}/demo/1?sentinel-password=${sentinelPassword}`
    const options = { data, copies: 1, lease: 2000 }
    const a = await started(() => join(primary, options))
    await expect(join(primary, { ...options, data: data.replace(sentinelPassword, 'other') })).rejects.toThrow(
      /WRONGPASS/
    )
    const b = await join(primary, options)
    expect((await answered(() => add(a.url, 'box', 'before'))).status).toBe(200)
    expect((await call(b.url, 'GET', '/__mock/cluster', { headers })).body.engine).toMatch(
      /^redis\+sentinel:\/\/127.0.0.1:1,127.0.0.1:\d+\/demo$/
    )
    while (!(await sentinelKnows(own, other))) await setTimeout(50)
    await primary.kill()
    // There is only one copy now, and changes with one copy are not acknowledged.
    expect((await add(b.url, 'box', 'nowhere')).status).toBe(503)
    // A replica that becomes the primary ends its connections.
    const role = () => replica.ask('INFO', 'replication').catch(() => '')
    while (!(await role()).includes('role:master')) await setTimeout(50)
    await primary.start('--port', port, ...local, '--replicaof', '127.0.0.1', other)
    const after = await answered(() => add(b.url, 'box', 'after'))
    expect(after.status).toBe(200)
    expect(await names(a.url, 'box')).toEqual(expect.arrayContaining(['after', 'before']))
    await leave(a)
    await leave(b)
  } finally {
    sentinel.kill('SIGKILL')
    await Promise.all([once(sentinel, 'exit'), primary.end(), replica.end()])
  }
})

/** A sentinel takes a moment to listen. */
async function started<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await start()
    } catch (error) {
      if (tries === 100) throw error
      await setTimeout(50)
    }
  }
}

async function sentinelKnows(port: string, replica: string): Promise<boolean> {
  const client = new RealEngine()
  const list = await client.askAllAt(Number(port), ['AUTH', sentinelPassword], ['SENTINEL', 'REPLICAS', 'demo'])
  await client.end()
  return list.includes(replica)
}

test('sandboxes spread over the nodes of a cluster, and everything that spans them works', async () => {
  const engines = [new RealEngine(), new RealEngine(), new RealEngine()]
  const ports: string[] = []
  const buses: string[] = []
  for (const engine of engines) {
    ports.push(await freePort())
    buses.push(await freePort())
    const at = ports.length - 1
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', buses[at] as string, '--bind', '127.0.0.1']
    await engine.start('--port', ports[at] as string, ...cluster)
  }
  const [first] = engines as [RealEngine]
  for (const [at, engine] of engines.entries()) {
    const [from, to] = [Math.floor((16_384 * at) / 3), Math.floor((16_384 * (at + 1)) / 3) - 1]
    await engine.ask('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await engine.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1))
  }
  for (const at of [1, 2]) {
    await first.ask('CLUSTER', 'MEET', '127.0.0.1', ports[at] as string, buses[at] as string)
  }
  for (const engine of engines) {
    while (!(await engine.ask('CLUSTER', 'INFO')).includes('cluster_state:ok')) await setTimeout(20)
  }
  const data = `redis+cluster://127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}?prefix=c`
  const [a, b] = [await join(first, { data, rateLimit: 1000 }), await join(first, { data, rateLimit: 1000 })]
  const boxes = Array.from({ length: 12 }, (_, at) => `box-${at}`)
  for (const [at, box] of boxes.entries()) expect((await add((at % 2 ? a : b).url, box, box)).status).toBe(200)
  for (const box of boxes) expect(await names(a.url, box)).toEqual([box])
  const kept = await Promise.all(engines.map((engine) => engine.ask('KEYS', 'c:{*}:log')))
  for (const keys of kept) expect(keys).toContain('c:{box-')
  await leave(b)
  for (const box of boxes) expect(await names(a.url, box)).toEqual([box])
  const listed = await call(a.url, 'GET', '/__mock/sandboxes', { headers })
  expect([listed.body.sandboxes.length, listed.body.silent]).toEqual([12, []])
  expect((await call(a.url, 'DELETE', '/__mock/sandboxes', { headers })).body).toEqual({ removed: 12 })
  expect(await names(a.url, 'box-3')).toEqual([])
  await expect(join(first, { data, sync: 'always' })).rejects.toThrow(/appendfsync everysec/)
  await leave(a)
  await Promise.all(engines.map((engine) => engine.end()))
})

test('addresses may be lists', () => {
  expect(readEngine('rediss+sentinel://me:p%40ss@a,b:26380/main/2?prefix=x&sentinel-password=%C3%A4')).toEqual({
    prefix: 'x',
    name: 'rediss+sentinel://a,b:26380/main',
    sentinel: 'main',
    login: { username: undefined, password: 'ä' },
    nodes: [
      { host: 'a', port: 26379 },
      { host: 'b', port: 26380 }
    ],
    options: { socket: { tls: true }, database: 2, username: 'me', password: 'p@ss' }
  })
  expect(readEngine('redis+cluster://[::1]:7000,b').nodes).toEqual([
    { host: '::1', port: 7000 },
    { host: 'b', port: 6379 }
  ])
  expect(readEngine('redis://h').options).toEqual({ socket: { host: 'h', port: 6379 } })
})

test.each([
  'redis+sentinel://a',
  'redis+sentinel:///main',
  'redis+cluster://a/1',
  'redis+cluster://a,,b',
  'redis+x://a',
  'redis://a?sentinel-password=x'
])('%s is refused with the good forms', (data) =>
  expect(() => readEngine(data)).toThrow(/--data.*redis\+sentinel:\/\/host/)
)
