import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { ForwardOptions } from '../../../src/tools/proxy/forward.js'
import { Wire } from '../../doors/listener/wire.js'
import { startTestMock, type TestMock } from '../../mock.js'
import { json, startService } from './service.js'

const role = '/api/get-user-role'

function startProxy(url: string, options: Partial<ForwardOptions> = {}): Promise<TestMock> {
  const upstream = { url, mocked: new Set<string>(), strict: false, timeout: 60_000, ...options }
  return startTestMock({ strict: false, auth: 'any', upstream })
}

const servers: { server: Server; sockets: Set<Socket> }[] = []
afterAll(() => {
  for (const { server, sockets } of servers) {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
})

/** A service that answers each chunk with the given bytes. */
async function startBare(answer: (socket: Socket, text: string, count: number) => void): Promise<string> {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('data', (bytes) => answer(socket, bytes.toString('latin1'), ++count))
  }).listen(0, '127.0.0.1')
  servers.push({ server, sockets })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answers = (head: string, body = '') => startBare((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n${body}`))

const hidden = `GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n`

test.each([
  ['content-length', `Content-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['Content-Length, close', `Content-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['transfer-encoding', `Transfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
  ['host, content-type, authorization', `Content-Length: ${hidden.length}\r\n\r\n${hidden}`]
])('one request stays one request whatever Connection names: %s', async (named, rest) => {
  const service = await startService(json({ role: 'admin' }))
  const proxy = await startProxy(service.url)
  const wire = Wire.open(proxy.url)
  await wire.send(
    `POST ${role} HTTP/1.1\r\nHost: localhost\r\nConnection: ${named}\r\nContent-Type: text/plain\r\nAuthorization: Bearer a\r\n${rest}`
  )
  expect((await wire.reply()).status).toBe(200)
  expect(await (await fetch(proxy.url + role)).json()).toEqual({ role: 'admin' })
  expect(service.got.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${role}`, `GET ${role}`])
  const [got] = service.got
  expect(got?.body.toString()).toBe(hidden)
  expect(got?.headers).toEqual(expect.arrayContaining(['Host', 'Content-Type', 'Authorization']))
  expect((await proxy.call('GET', '/__mock/requests')).body.total).toBe(2)
})

test.each([
  ['/../secret', '/base/secret'],
  ['/a/../../secret', '/base/secret'],
  ['/a/%2e%2E/b/./c/..', '/base/b/'],
  ['//other.example/x', '/base/other.example/x'],
  ['/..//other.example/x', '/base/other.example/x'],
  ['http://localhost/api?x=/../y', '/base/api?x=/../y'],
  ['/a%2f..%2fb//c?x', '/base/a%2f..%2fb//c?x']
])('its target %s goes below the base address as %s', async (target, sent) => {
  const service = await startService(json({}))
  const proxy = await startProxy(`${service.url}/base`)
  const wire = Wire.open(proxy.url)
  await wire.send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  expect((await wire.reply()).status).toBe(200)
  expect(service.got.map(({ url }) => url)).toEqual([sent])
})

test.each(['OPTIONS *', 'GET /..\\..\\secret', 'GET /%2e%2e\\secret', 'GET /..#a', 'GET http://localhost/..#?a'])(
  'one request stays one request and one without a path as its target, such as %s, is refused',
  async (line) => {
    const service = await startService(json({}))
    const proxy = await startProxy(`${service.url}/base`)
    const wire = Wire.open(proxy.url)
    await wire.send(`${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect((await wire.reply()).status).toBe(400)
    expect(service.got).toEqual([])
  }
)

describe('an invalid answer is a 502 with the reason', () => {
  test.each([
    ['101 Switching Protocols\r\nUpgrade: odd\r\nConnection: Upgrade', 'switched protocols (101)'],
    ['099 Odd\r\nContent-Length: 0', '99'],
    ['200 OK\r\nTransfer-Encoding: gzip, chunked', 'Transfer-Encoding: gzip, chunked; only chunked is supported'],
    ['200 OK\r\nContent-Length: 2\r\nContent-Length: 3', ''],
    ['200 OK\r\nContent-Length: x', '']
  ])('%j', async (head, reason) => {
    const proxy = await startProxy(await answers(head))
    const answer = await proxy.call('GET', role)
    expect([answer.status, answer.body.detail]).toEqual([502, expect.stringContaining(reason)])
    expect((await proxy.call('GET', '/__mock/health')).status).toBe(200)
  })

  test('a 204 passes without a length, and so does a 304 with one', async () => {
    for (const [head, length] of [
      ['204 No Content\r\nContent-Length: 5', undefined],
      ['304 Not Modified\r\nContent-Length: 5', '5']
    ] as const) {
      const proxy = await startProxy(await answers(head))
      const wire = Wire.open(proxy.url)
      await wire.send(`GET ${role} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      const { status, headers } = await wire.reply({ hasBody: false })
      expect([status, headers['content-length']]).toEqual([Number(head.slice(0, 3)), length])
    }
  })
})

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"role":"admin"}'

test.each([
  ['GET', 200],
  ['DELETE', 200],
  ['PUT', 200],
  ['POST', 502],
  ['PATCH', 502]
])(
  'a reused connection to the service that has closed costs a %s nothing that may not be sent twice: %i',
  async (method, status) => {
    const got: string[] = []
    const url = await startBare((socket, text, count) => {
      got.push(text)
      if (count === 2) socket.destroy()
      else socket.write(ok)
    })
    const proxy = await startProxy(url)
    expect((await proxy.call('GET', role)).status).toBe(200)
    const body = method === 'PUT' ? { a: 1 } : undefined
    expect((await proxy.call(method, role, { body })).status).toBe(status)
    expect(got).toHaveLength(status === 200 ? 3 : 2)
    if (body) expect(got[2]).toContain('{"a":1}')
  }
)

test('a refusal in the middle of a large body reaches the client, and the connection ends', async () => {
  for (let round = 0; round < 5; round++) {
    const url = await startBare((socket, text) => {
      if (!text.startsWith('POST')) return
      socket.end(
        'HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{"detail":"much"}'
      )
      socket.pause()
      socket.once('finish', () => socket.destroy())
    })
    const proxy = await startProxy(url)
    const wire = Wire.open(proxy.url)
    const size = 40 * 1024 * 1024
    await wire.send(`POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`)
    const sent = wire.send(Buffer.alloc(size))
    const { status, body, headers } = await wire.reply()
    expect([status, body, headers.connection]).toEqual([413, { detail: 'much' }, 'close'])
    await sent
    await wire.closed()
  }
})

test('an answer of unknown length passes unchanged, and its violations are in a trailer and in the journal', async () => {
  let finish = () => {}
  const service = await startService((response, { url }) => {
    if (url !== role) return void response.end()
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.write('{"role":')
    finish = () => response.end('7}')
  })
  const proxy = await startProxy(service.url)
  const wire = Wire.open(proxy.url)
  await wire.send(`GET ${role} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  expect(await wire.text('{"role":')).toContain('Trailer: X-Mock-Violations')
  // Another exchange meanwhile has its own id and place.
  await proxy.call('GET', '/nowhere', {})
  finish()
  expect(await wire.text('X-Mock-Violations: 1\r\n\r\n')).toContain('7}')
  const { body } = await proxy.call('GET', '/__mock/requests?violations=true')
  const violations = ['response: /role must be equal to one of the allowed values']
  expect(body.requests).toEqual([expect.objectContaining({ id: 'r1', violations: violations })])
  expect((await proxy.call('GET', '/__mock/requests/r1')).body.response.body).toEqual({ role: 7 })
})

test('an answer of unknown length that breaks off breaks off for the client, and the journal has the reason', async () => {
  const service = await startService((response, _, request) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.write('{"role":')
    setTimeout(() => request.socket.destroy(), 200)
  })
  const proxy = await startProxy(service.url)
  await expect(fetch(proxy.url + role).then((it) => it.text())).rejects.toThrow()
  const { body } = await proxy.call('GET', '/__mock/requests')
  expect(body.requests).toEqual([expect.objectContaining({ failure: expect.stringContaining('closed before') })])
})

test('a search that shows time_updated breaks 2.3', async () => {
  const service = await startTestMock()
  const { groups, ...rest } = (await service.call('GET', '/api/chat/search')).body
  for (const [field, found] of [
    ['time_updated', expect.arrayContaining(['response: /groups/0/chats/0 must NOT be valid'])],
    ['time_of_day', []]
  ] as const) {
    groups[0].chats[0] = { ...groups[0].chats[0], [field]: '2026-03-02T10:00:00Z' }
    const proxy = await startProxy((await startService(json({ groups, ...rest }))).url)
    await proxy.call('GET', '/api/chat/search')
    expect((await proxy.call('GET', '/__mock/requests')).body.requests[0].violations).toEqual(found)
    delete groups[0].chats[0][field]
  }
})

test('a 422 of the chat area has an input in each item (2.16), and elsewhere it need not', async () => {
  const item = { loc: ['body', 'persona_id'], msg: 'no', type: 'x' }
  for (const [path, body, violation] of [
    ['/api/chat/create-chat-session', { persona_id: 'x' }, "response: /detail/0 must have required property 'input'"],
    ['/api/manage/admin/users', { emails: 7 }, undefined]
  ] as const) {
    for (const detail of [[item], [{ ...item, input: 'x' }], [{ ...item, input: 'x', ctx: {} }]]) {
      const proxy = await startProxy((await startService(json({ detail }, 422))).url)
      await proxy.call(path.endsWith('users') ? 'PUT' : 'POST', path, { body })
      const { violations } = (await proxy.call('GET', '/__mock/requests')).body.requests[0]
      const isReported = violation !== undefined && !('input' in (detail[0] as object))
      expect(violations.filter((it: string) => it.startsWith('response'))).toEqual(isReported ? [violation] : [])
    }
  }
})

describe('the answer to a request that breaks the contract', () => {
  const detail = [{ loc: ['path', 'persona_id'], msg: 'no', type: 'x' }]

  test.each([
    [
      'a success',
      'POST',
      '/api/web-search/open-urls',
      { urls: [] },
      200,
      { results: [], provider_type: 'service_web_crawler' },
      2
    ],
    ['a 404 for an invalid id', 'GET', '/api/persona/abc', undefined, 404, { detail: 'no' }, 2],
    ['a 400 for an invalid id', 'GET', '/api/user/projects/file/7', undefined, 400, { detail: 'no' }, 2],
    ['a 422', 'GET', '/api/persona/abc', undefined, 422, { detail }, 1],
    ['who may not ask at all', 'GET', '/api/persona/abc', undefined, 401, { detail: 'no' }, 1],
    ['a missing row', 'POST', '/api/user/projects/9/instructions', {}, 404, { detail: 'no' }, 1]
  ])('%s', async (_, method, path, body, status, reply, violations) => {
    const proxy = await startProxy((await startService(json(reply, status))).url)
    const answer = await proxy.call(method as string, path as string, { body })
    expect([answer.status, answer.headers.get('x-mock-violations')]).toEqual([status, String(violations)])
  })
})
