import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serveCommand } from '../../src/doors/cli/serve.js'
import { createHint } from '../../src/doors/workers/hint.js'
import { partOf } from '../../src/mock/persistence/parts.js'
import { ended, refusalOf, run, start } from '../cli.js'
import { call, startTestMock } from '../mock.js'
import { RealEngine, token } from './engine.js'
import { add, control, gone, names, newFolder, startWorkers, surely, type Workers } from './workers.js'

const boxes = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

let count = 0
/** A sandbox that no other test has, of the first worker of two or of the second one. */
function fresh(part: 0 | 1): string {
  for (;;) {
    count += 1
    const name = `box-${count}`
    if (partOf(name, 2) === part) return name
  }
}

interface Sent {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** One connection, whatever is asked on it. */
const one = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => one.destroy())

function ask(url: string, path: string, sandbox: string, method = 'GET', body?: string | Buffer): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer admin~${sandbox}`,
      ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    }
    const sent = request(url + path, { agent: one, method, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, text: Buffer.concat(chunks).toString() })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('workers over memory', () => {
  let mock: Workers
  beforeAll(async () => {
    mock = await startWorkers(2)
  })
  afterAll(() => mock.stop())

  test('each sandbox has one of them, whoever accepts the connection, and the answers are those of one process', async () => {
    const alone = await startTestMock({ fixtures: 'empty', strict: false })
    const seen = new Set<string>()
    for (const box of [...boxes, 'default']) {
      const paths = ['/api/get-user-role', '/api/persona/1', '/nope', '/__mock/state', '/__mock/requests']
      for (const path of paths) {
        const [here, there] = [await ask(mock.url, path, box), await ask(alone.url, path, box)]
        const { 'x-mock-node': node, date: _, ...headers } = here.headers
        const { date: __, ...expected } = there.headers
        seen.add(`${box} ${node}`)
        if (path === '/__mock/requests') continue
        expect({ ...here, headers }).toEqual({ ...there, headers: expected })
      }
    }
    // The same one for all requests of a sandbox, and both have some.
    expect(seen.size).toBe(boxes.length + 1)
    expect(new Set([...seen].map((it) => it.split(' ')[1]))).toEqual(new Set(['worker-1', 'worker-2']))
    expect((await mock.nodes()).map(({ node }) => node)).toEqual(['worker-1', 'worker-2'])
    const instances = await Promise.all(boxes.map(() => call(mock.url, 'GET', '/__mock/health')))
    expect(new Set(instances.map(({ body }) => body.instance)).size).toBe(1)
  })

  test('a connection may go from sandbox to sandbox, with uploads, streams and faults', async () => {
    const [a, b] = [fresh(0), fresh(1)]
    const description = 'x'.repeat(9000)
    for (const box of [a, b, a, b]) {
      const path = '/api/chat/create-chat-session'
      const body = JSON.stringify({ description: `${description}${box}` })
      expect((await ask(mock.url, path, box, 'POST', body)).status).toBe(200)
    }
    for (const box of [a, b]) expect(await names(mock.url, box)).toEqual([description + box, description + box])
    const { port } = new URL(mock.url)
    const old = connect(Number(port), '127.0.0.1')
    old.write(`GET /nope HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin~${a}\r\n\r\n`)
    old.write(`GET /api/get-user-role HTTP/1.0\r\nAuthorization: Bearer admin~${b}\r\n\r\n`)
    let got = ''
    for await (const chunk of old) got += chunk
    expect([...got.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['404', '200'])
    const form = new FormData()
    form.append('files', new Blob(['some text '.repeat(100_000)], { type: 'text/plain' }), 'large.txt')
    const upload = await call(mock.url, 'POST', '/api/manage/admin/connector/file/upload', { as: `admin~${b}`, form })
    expect(upload.status).toBe(200)
    // The hint of a connection may be wrong: here it names no sandbox at all.
    const events = await fetch(`${mock.url}/__mock/events`, { headers: { 'X-Mock-Sandbox': b } })
    const reader = (events.body as ReadableStream<Uint8Array>).getReader()
    await ask(mock.url, '/api/persona/1', b)
    let told = ''
    while (!told.includes('/api/persona/1')) told += Buffer.from((await reader.read()).value as Uint8Array).toString()
    await reader.cancel()
    for (const box of [a, b]) {
      const broken = fetch(`${mock.url}/api/persona/1`, {
        headers: { Authorization: `Bearer admin~${box}`, Prefer: 'fault=EMPTY_RESPONSE' }
      })
      await expect(broken).rejects.toThrow()
    }
  })

  test('a sandbox is made, forked at any moment, and dropped, whoever is asked', async () => {
    const origin = fresh(0)
    await add(mock.url, origin, 'one')
    await add(mock.url, origin, 'two')
    await control(mock.url, origin, 'POST', '/snapshots/kept')
    for (const asking of [fresh(0), fresh(1)]) {
      for (const box of [fresh(0), fresh(1)]) {
        const made = await control(mock.url, asking, 'POST', '/sandboxes', { name: box, from: origin, at: 'r1' })
        expect([made.status, await names(mock.url, box)]).toEqual([201, ['one']])
        const taken = await control(mock.url, asking, 'POST', '/sandboxes', { name: box })
        expect(taken.status).toBe(409)
        expect((await control(mock.url, asking, 'DELETE', `/sandboxes/${box}`)).status).toBe(200)
        // The ids of requests go on where those of the origin are.
        const now = await control(mock.url, asking, 'POST', '/sandboxes', { name: box, from: origin })
        expect(now.body.requests).toBe(2)
        const snapshots = await control(mock.url, box, 'GET', '/snapshots')
        expect(snapshots.body.snapshots.map(({ name }: { name: string }) => name)).toEqual(['kept'])
        await control(mock.url, asking, 'DELETE', `/sandboxes/${box}`)
        const lost = await control(mock.url, asking, 'POST', '/sandboxes', { name: box, from: 'nobody' })
        expect(lost.status).toBe(404)
      }
    }
  })

  test('lists, metrics and resets are of all of them', async () => {
    const made = [fresh(0), fresh(1), fresh(0), fresh(1)]
    for (const box of made) await add(mock.url, box, 'one')
    const listed = async (asking: string) => {
      const { body } = await control(mock.url, asking, 'GET', '/sandboxes')
      return [Object.keys(body), body.sandboxes.map(({ name }: { name: string }) => name)]
    }
    for (const asking of made) {
      const [keys, all] = await listed(asking)
      expect([keys, all.slice(0, 4)]).toEqual([['sandboxes'], [...made].reverse()])
    }
    const { text } = await call(mock.url, 'GET', '/__mock/metrics')
    for (const node of ['worker-1', 'worker-2']) expect(text).toMatch(new RegExp(`kcm_sandboxes{node="${node}"} [2-9]`))
    const [, before] = await listed(made[0] as string)
    const dropped = await control(mock.url, made[1] as string, 'DELETE', '/sandboxes')
    const [, after] = await listed(made[0] as string)
    expect([dropped.body.removed, after]).toEqual([before.filter((it: string) => it !== 'default').length, ['default']])
    await add(mock.url, 'default', 'reset me')
    expect((await control(mock.url, 'default', 'POST', '/reset', {})).status).toBe(200)
    expect(await names(mock.url, 'default')).toEqual([])
  })

  test('nobody but a worker uses their doors', async () => {
    const [address] = (await mock.nodes()).map((it) => it.address)
    expect((await fetch(`${address}/api/get-user-role`)).status).toBe(403)
    const forged = { headers: { 'X-Mock-Passed': 'e30.x' } }
    expect((await fetch(`${address}/api/get-user-role`, forged)).status).toBe(503)
    expect((await fetch(`${address}/copy?from=default`, forged)).status).toBe(403)
    expect((await call(mock.url, 'GET', '/api/get-user-role', forged)).status).toBe(200)
  })

  test('a killed worker begins anew, which is said, and the other one keeps what it has', async () => {
    const [a, b] = [fresh(0), fresh(1)]
    await add(mock.url, a, 'kept')
    await add(mock.url, b, 'gone')
    const { pid } = (await mock.nodes())[1] as { pid: number }
    process.kill(pid, 'SIGKILL')
    expect([await surely(() => names(mock.url, a)), await surely(() => names(mock.url, b))]).toEqual([['kept'], []])
    expect(mock.said()).toContain(
      `worker 2 (process ${pid}) ended by SIGKILL and is started again: its sandboxes begin anew`
    )
    expect((await mock.nodes()).map((it) => it.node)).toEqual(['worker-1', 'worker-2'])
  })
})

describe('workers over a folder', () => {
  test('keep all that was answered when one is killed, and when their number changes', async () => {
    const data = newFolder()
    const two = await startWorkers(2, '--data', data)
    for (const box of boxes) await add(two.url, box, `of ${box}`)
    await control(two.url, 'a', 'PUT', '/clock', { advance: '2h' })
    await control(two.url, 'b', 'PUT', '/clock', { advance: '3h' })
    await control(two.url, 'c', 'POST', '/snapshots/one')
    await control(two.url, 'd', 'POST', '/overrides', { operation: 'getPersona', status: 503, times: 2 })
    await call(two.url, 'GET', '/api/persona/1', { as: 'admin~d' })
    for (const { pid } of await two.nodes()) process.kill(pid, 'SIGKILL')
    for (const box of boxes) expect(await surely(() => names(two.url, box))).toEqual([`of ${box}`])
    expect(two.said()).toContain('nothing that was answered is lost')
    const states = async (url: string) => {
      const all = await Promise.all(boxes.map((box) => control(url, box, 'GET', '/state')))
      const overrides = await control(url, 'd', 'GET', '/overrides')
      const snapshots = await control(url, 'c', 'GET', '/snapshots')
      return [...all, overrides, snapshots].map(({ text }) => text)
    }
    const before = await states(two.url)
    expect(await two.stop()).toBe(0)

    const three = await startWorkers(3, '--data', data)
    expect(await states(three.url)).toEqual(before)
    await add(three.url, 'a', 'of three')
    expect(await three.stop()).toBe(0)

    const alone = await startWorkers(1, '--data', data)
    expect(await names(alone.url, 'a')).toEqual(['of a', 'of three'])
    await add(alone.url, 'b', 'alone')
    const next = (await ask(alone.url, '/api/persona/1', 'b')).headers['x-mock-request-id']
    expect(await alone.stop()).toBe(0)

    const again = await startWorkers(2, '--data', data)
    expect(await names(again.url, 'b')).toEqual(['alone', 'of b'])
    const after = (await ask(again.url, '/api/persona/1', 'b')).headers['x-mock-request-id']
    expect(Number(after?.slice(1))).toBeGreaterThan(Number(next?.slice(1)))
    expect(await again.stop()).toBe(0)
    expect(readdirSync(data).filter((name) => name.startsWith('parts-'))).toHaveLength(1)
  })

  test('a folder of one process is divided, and a division that was cut off counts for nothing', async () => {
    const data = newFolder()
    const alone = await startWorkers(1, '--data', data)
    for (const box of ['a', 'b']) await add(alone.url, box, `of ${box}`)
    expect(await alone.stop()).toBe(0)
    // What a process leaves that is killed before the new logs are in force.
    const log = readFileSync(join(data, 'log'))
    const two = await startWorkers(2, '--data', data)
    expect([await names(two.url, 'a'), await names(two.url, 'b')]).toEqual([['of a'], ['of b']])
    await add(two.url, 'a', 'later')
    const other = start(['serve', '--port', '0', '--data', data])
    const { code, stderr } = await ended(other)
    expect([code, stderr]).toEqual([2, expect.stringContaining('is in use by the process')])
    expect(await two.stop()).toBe(0)
    expect(existsSync(join(data, 'log'))).toBe(false)
    writeFileSync(join(data, 'log'), log)
    const again = await startWorkers(2, '--data', data)
    expect(await names(again.url, 'a')).toEqual(['later', 'of a'])
    expect(await again.stop()).toBe(0)
  })

  test('a damaged log stops the start with its name', async () => {
    const data = newFolder()
    const two = await startWorkers(2, '--data', data)
    for (const box of ['a', 'b']) await add(two.url, box, 'one')
    expect(await two.stop()).toBe(0)
    const [parts] = readdirSync(data).filter((name) => name.startsWith('parts-'))
    const file = join(data, parts as string, '1', 'log')
    writeFileSync(file, `${readFileSync(file, 'utf8').slice(0, 100)}?${readFileSync(file, 'utf8').slice(101)}`)
    const { code, stderr } = await run(['serve', '--port', '0', '--data', data, '--workers', '2'])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} is damaged`)])
  })
})

test('--max-sandboxes counts those of all workers, and visitors of a public mock make room', async () => {
  const mock = await startWorkers(2, '--max-sandboxes', '4')
  const boxes = [fresh(0), fresh(1), fresh(0), fresh(1)]
  const made = async (box: string) => (await add(mock.url, box, 'one')).status
  const all = []
  for (const box of boxes) all.push(await made(box))
  expect(all).toEqual([200, 200, 200, 429])
  await control(mock.url, 'default', 'DELETE', `/sandboxes/${boxes[0]}`)
  expect([await made(boxes[3] as string), await made(boxes[0] as string)]).toEqual([200, 429])
  await control(mock.url, 'default', 'DELETE', '/sandboxes')
  expect([await made(boxes[0] as string), await made(boxes[1] as string)]).toEqual([200, 200])
  expect(await mock.stop()).toBe(0)

  const open = await startWorkers(2, '--max-sandboxes', '3', '--public', '--control-token', 'secret')
  for (let visit = 0; visit < 6; visit++) {
    const { status, headers } = await call(open.url, 'GET', '/api/get-user-role')
    expect([status, headers.get('set-cookie')]).toEqual([200, expect.stringContaining('kcm-visitor=')])
  }
  expect(await open.stop()).toBe(0)
})

test('--rate-limit counts the requests of all workers', async () => {
  const mock = await startWorkers(2, '--rate-limit', '4')
  const statuses = []
  for (const box of [fresh(0), fresh(1), fresh(0), fresh(1), fresh(0), fresh(1)]) {
    statuses.push((await call(mock.url, 'GET', '/api/get-user-role', { as: `admin~${box}` })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  expect(await mock.stop()).toBe(0)
})

test('--reset-every resets what all workers have', async () => {
  const mock = await startWorkers(2, '--reset-every', '5s')
  const boxes = [fresh(0), fresh(1)]
  const resetsAt = async (box: string) =>
    Date.parse((await ask(mock.url, '/api/get-user-role', box)).headers['x-mock-resets-at'] as string)
  let next: number
  // Both are made between the same two resets.
  do {
    next = await resetsAt(boxes[0] as string)
    for (const box of boxes) await add(mock.url, box, 'one')
  } while ((await resetsAt(boxes[0] as string)) !== next)
  while ((await resetsAt(boxes[0] as string)) === next) await setTimeout(20)
  // Only one of them was asked since.
  expect(await names(mock.url, boxes[1] as string)).toEqual([])
  expect(await resetsAt(boxes[1] as string)).toBeGreaterThan(next)
  expect(await mock.stop()).toBe(0)
})

test('workers over a Redis are replicas, behind one port', async () => {
  const engine = new RealEngine()
  await engine.start()
  const mock = await startWorkers(2, '--data', engine.url, '--control-token', token, '--lease', '60s')
  const asked = (box: string, path: string) =>
    call(mock.url, 'GET', path, { as: `admin~${box}`, headers: { 'X-Mock-Control-Token': token } })
  const boxes = [fresh(0), fresh(1)]
  const found = []
  for (const box of boxes) {
    await add(mock.url, box, 'one')
    found.push((await asked(box, '/api/get-user-role')).headers.get('x-mock-node'))
    // On a connection that began with another sandbox.
    expect((await ask(mock.url, '/api/get-user-role', box)).headers['x-mock-node']).toBe(found.at(-1))
  }
  const { body } = await asked('default', '/__mock/cluster')
  expect(body.nodes.map(({ node }: { node: string }) => node)).toEqual(expect.arrayContaining(found))
  expect([body.nodes.length, body.engine]).toEqual([2, engine.url])
  expect(await mock.stop()).toBe(0)
  const alone = await startWorkers(1, '--data', engine.url, '--control-token', token)
  expect(await names(alone.url, boxes[1] as string)).toEqual(['one'])
  expect(await alone.stop()).toBe(0)
  await engine.end()
})

describe('the end of workers', () => {
  test('SIGTERM lets requests in progress finish, wherever their sandbox is, and ends all with 0', async () => {
    const mock = await startWorkers(2)
    const pids = (await mock.nodes()).map(({ pid }) => pid)
    // The second one is passed on: its connection begins with another sandbox.
    const slow = { headers: { Prefer: 'delay=500' } }
    const asked = ['a', 'b', 'c', 'd'].map((box) =>
      call(mock.url, 'GET', '/api/get-user-role', { as: `admin~${box}`, ...slow })
    )
    await ask(mock.url, '/api/get-user-role', fresh(0))
    const passed = new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...slow.headers, Authorization: `Bearer admin~${fresh(1)}` }
      request(`${mock.url}/api/get-user-role`, { agent: one, headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    for (;;) {
      const all = await Promise.all(
        ['a', 'b', 'c', 'd'].map((box) => control(mock.url, box, 'GET', `/sandboxes/${box}`))
      )
      if (all.every(({ status }) => status === 200)) break
    }
    const code = mock.stop()
    expect(await Promise.all(asked.map(async (it) => (await it).status))).toEqual([200, 200, 200, 200])
    expect([await passed, await code]).toEqual([200, 0])
    for (const pid of pids) await gone(pid)
  })

  test('the workers end with a primary that is killed', async () => {
    const mock = await startWorkers(2)
    const pids = (await mock.nodes()).map(({ pid }) => pid)
    mock.primary.kill('SIGKILL')
    for (const pid of pids) await gone(pid)
  })
})

describe('workers do not start', () => {
  test('with options that are for one process, or wrong', async () => {
    expect(await refusalOf(serveCommand(), ['--workers', '0'])).toContain('a whole number from 1 to 256, or auto')
    expect(await refusalOf(serveCommand(), ['--workers', '2', '--watch'])).toContain('watch (--watch)')
    await expect(startTestMock({ workers: 2 })).rejects.toThrow('workers (--workers) needs processes of its own')
  })

  test('on a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await run(['serve', '--workers', '2', '--port', String(port)])
    expect([code, stderr]).toEqual([3, expect.stringContaining(`port ${port} is taken`)])
    server.close()
  })
})

test('the worker of a connection is guessed from what its client sends first', () => {
  const hint = createHint('kcm-token')
  const head = (line: string, target = '/api/get-user-role') =>
    Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`)
  expect([
    hint(head('X-Mock-Sandbox: one')),
    hint(head('authorization: bearer admin~two')),
    hint(head('Cookie: a=b; kcm-token=admin~three')),
    hint(head('Cookie: kcm-visitor=four.signature')),
    hint(head('X-Mock-Sandbox: one', '/__mock/sandboxes/five')),
    hint(Buffer.from('POST /x HTTP/1.1\r\nHost: x\r\n\r\n\r\nX-Mock-Sandbox: six')),
    hint(head('Authorization: Bearer admin'))
  ]).toEqual(['one', 'two', 'three', 'four', 'five', 'default', 'default'])
})
