import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packageRoot } from '../../../src/engine/contract/load.js'
import type { ForwardOptions } from '../../../src/tools/proxy/forward.js'
import { Client, headersOf } from '../../client.js'
import { startTestMock, type TestMock } from '../../mock.js'
import { json, startService } from './service.js'

const role = '/api/get-user-role'

/** A proxy before a service. Its clock is stopped. */
function startProxy(url: string, options: Partial<ForwardOptions> = {}): Promise<TestMock> {
  const upstream = { url, mocked: new Set<string>(), strict: false, timeout: 60_000, ...options }
  return startTestMock({ strict: false, auth: 'any', upstream })
}

test('the proxy passes on the bytes of bodies unchanged, both ways: random ones, of any method, in chunks and in one piece', async () => {
  const service = await startService((response, { body }) => {
    response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(body)
  })
  const proxy = await startProxy(service.url)
  const client = new Client(proxy.url)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const size of [0, 1, 70_000, 3_000_000]) {
      const body = randomBytes(size)
      const { bytes } = await client.send({ method, path: '/somewhere/else', body })
      expect([method, size, bytes.equals(body), service.got.at(-1)?.body.equals(body)]).toEqual([
        method,
        size,
        true,
        true
      ])
    }
  }
  const chunked = await fetch(`${proxy.url}/x`, {
    method: 'DELETE',
    body: new ReadableStream({
      start(stream) {
        for (const text of ['one ', 'two ', 'three']) stream.enqueue(Buffer.from(text))
        stream.close()
      }
    }),
    duplex: 'half'
  } as RequestInit)
  expect(await chunked.text()).toBe('one two three')
  client.close()
})

test('the proxy passes on method, target and headers as they were written, except hop-by-hop ones and the mock’s own', async () => {
  const service = await startService(json({ role: 'admin' }))
  const proxy = await startProxy(`${service.url}/base/`)
  const client = new Client(proxy.url)
  await client.send({
    method: 'GET',
    path: `${role}?a=1&a=%20%zz&__code=422`,
    headers: { 'X-Odd-CASE': 'kept', Authorization: 'Bearer real~token', 'X-Mock-Sandbox': 'one', TE: 'trailers' }
  })
  client.close()
  const [got] = service.got
  expect(got?.url).toBe(`/base${role}?a=1&a=%20%zz&__code=422`)
  const names = got?.headers.filter((_, at) => at % 2 === 0)
  expect(names).toEqual(expect.arrayContaining(['Host', 'X-Odd-CASE', 'Authorization']))
  expect(got?.headers).toEqual(expect.arrayContaining(['kept', 'Bearer real~token', new URL(service.url).host]))
  expect(names).not.toEqual(expect.arrayContaining(['X-Mock-Sandbox']))
  expect(names).not.toEqual(expect.arrayContaining(['TE']))
})

test('the proxy passes on the status, its words and repeated headers of the answer', async () => {
  const service = await startService((response) => {
    response.writeHead(403, 'Not Today', ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Other', 'yes'])
    response.end('{"detail":"no"}')
  })
  const proxy = await startProxy(service.url)
  const answer = await fetch(proxy.url + role)
  expect([answer.status, answer.statusText]).toEqual([403, 'Not Today'])
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect([answer.headers.get('x-other'), await answer.text()]).toEqual(['yes', '{"detail":"no"}'])
})

test('the proxy passes on a redirect, without following it', async () => {
  const service = await startService((response) => {
    response.writeHead(302, { Location: 'http://elsewhere.example/' }).end()
  })
  const proxy = await startProxy(service.url)
  const answer = await fetch(proxy.url + role, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://elsewhere.example/'])
  expect(service.got).toHaveLength(1)
})

test.each([
  ['/base/api/notes/?a=b#c', '/api/notes/?a=b#c'],
  ['/base', '/'],
  ['/based', undefined],
  ['/other', undefined]
])(
  'the proxy passes on a redirect to %s of the service, which leads to the proxy if it is below its base',
  async (to, path) => {
    const service = await startService((response) => {
      response.writeHead(307, { Location: new URL(to, service.url).href }).end()
    })
    const proxy = await startProxy(`${service.url}/base`)
    const { headers } = await fetch(proxy.url + role, { redirect: 'manual' })
    expect(headers.get('location')).toBe(path ?? service.url + to)
  }
)

test('the proxy passes on an answer without an end, as it arrives', async () => {
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('data: first\n\n')
  })
  const proxy = await startProxy(service.url)
  const stream = (await fetch(`${proxy.url}/events`)).body?.getReader()
  expect(Buffer.from((await stream?.read())?.value ?? []).toString()).toBe('data: first\n\n')
  await stream?.cancel()
})

test('the proxy passes on an answer too large to be checked', async () => {
  const large = Buffer.alloc(17 * 1024 * 1024, 'x')
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(large)
  })
  const proxy = await startProxy(service.url)
  const answer = await fetch(proxy.url + role)
  expect(Buffer.from(await answer.arrayBuffer()).equals(large)).toBe(true)
  expect(answer.headers.get('x-mock-violations')).toBeNull()
})

test('the proxy passes on a preflight, which the service answers', async () => {
  const service = await startService((response) => {
    response.writeHead(204, { 'Access-Control-Allow-Origin': 'http://app.example' }).end()
  })
  const proxy = await startProxy(service.url)
  const headers = { Origin: 'http://app.example', 'Access-Control-Request-Method': 'GET' }
  const answer = await fetch(proxy.url + role, { method: 'OPTIONS', headers })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, 'http://app.example'])
})

test('the proxy checks messages: a valid answer passes without a message, under either profile', async () => {
  for (const profile of ['documented', 'observed'] as const) {
    const service = await startTestMock({ profile })
    const proxy = await startProxy(service.url)
    const token = { headers: { Authorization: 'Bearer admin' } }
    for (const path of ['/api/persona/1', role, '/api/user/projects/', '/api/manage/admin/credential']) {
      const answer = await fetch(proxy.url + path, token)
      expect([path, answer.status, answer.headers.get('x-mock-violations')]).toEqual([path, 200, null])
      expect(await answer.text()).toBe(await (await fetch(service.url + path, token)).text())
    }
  }
})

test.each<[string, Parameters<typeof startService>[0], string]>([
  ['a wrong shape', json({ role: 7 }), 'response: /role must be equal to one of the allowed values'],
  ['a missing field', json({}), "response: / must have required property 'role'"],
  ['an unknown status', json({ role: 'admin' }, 201), 'response: status 201 is not in the contract of getUserRole'],
  ['a failure', json({ detail: 'oh' }, 500), 'response: status 500 is a server error'],
  [
    'HTML',
    (response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>hello'),
    'response: Content-Type is "text/html", not application/json'
  ],
  [
    'broken JSON',
    (response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"role":'),
    'response: the body is not JSON'
  ],
  ['a 422 of another shape', json({ errors: [] }, 422), "response: / must have required property 'detail'"],
  [
    'a lie about its encoding',
    (response) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end('{"role":"admin"}'),
    'response: its gzip encoding cannot be read'
  ]
])(
  'the proxy checks messages: %s of the service is counted on the answer and listed in the journal, and passes unchanged',
  async (_, answer, violation) => {
    const service = await startService(answer)
    const proxy = await startProxy(service.url)
    const client = new Client(proxy.url)
    const plain = new Client(service.url)
    const passed = await client.send({ method: 'GET', path: role })
    const sent = await plain.send({ method: 'GET', path: role })
    for (const it of [client, plain]) it.close()
    expect([passed.status, passed.bytes]).toEqual([sent.status, sent.bytes])
    expect(headersOf(passed)['x-mock-violations']).toBe('1')
    const { body } = await proxy.call('GET', '/__mock/requests?violations=true')
    expect(body.requests.map((it: { violations: string[] }) => it.violations)).toEqual([[violation]])
    const { body: coverage } = await proxy.call('GET', '/__mock/coverage')
    expect(coverage.summary).toMatchObject({ covered: 1, violations: 1 })
  }
)

test('the proxy checks messages: a compressed answer is read, and passes compressed', async () => {
  const packed = gzipSync(JSON.stringify({ role: 3 }))
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packed)
  })
  const proxy = await startProxy(service.url)
  const client = new Client(proxy.url)
  const answer = await client.send({ method: 'GET', path: role, headers: { 'Accept-Encoding': 'gzip' } })
  client.close()
  expect([answer.bytes.equals(packed), headersOf(answer)['x-mock-violations']]).toEqual([true, '1'])
})

test('the proxy checks messages: an answer that is too large to read is not checked, and passes also with --strict', async () => {
  const packed = gzipSync(JSON.stringify({ role: 'a'.repeat(20_000_000) }))
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packed)
  })
  const proxy = await startProxy(service.url, { strict: true })
  const client = new Client(proxy.url)
  const answer = await client.send({ method: 'GET', path: role })
  client.close()
  expect([answer.status, answer.bytes.equals(packed)]).toEqual([200, true])
  expect(headersOf(answer)['x-mock-violations']).toBeUndefined()
})

test('the proxy checks messages: an answer that is compressed twice is read', async () => {
  const packed = gzipSync(gzipSync(JSON.stringify({ role: 3 })))
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip, gzip' }).end(packed)
  })
  const proxy = await startProxy(service.url)
  await proxy.call('GET', role).catch(() => {})
  const { body } = await proxy.call('GET', '/__mock/requests')
  expect(body.requests[0].violations).toEqual([expect.stringMatching(/^response: \/role must be/)])
})

test('the proxy checks messages: a request that breaks the contract is listed in the journal, and passes unchanged', async () => {
  const service = await startService(json({ detail: [{ loc: ['body'], msg: 'no', type: 'x' }] }, 422))
  const proxy = await startProxy(service.url)
  const body = '{ "emails" : 7 }'
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${proxy.url}/api/manage/admin/users`, { method: 'PUT', headers, body })
  expect([answer.status, answer.headers.get('x-mock-violations')]).toEqual([422, '1'])
  expect(service.got[0]?.body.toString()).toBe(body)
  const { body: journal } = await proxy.call('GET', '/__mock/requests')
  expect(journal.requests[0].violations).toEqual(['request: body.emails: Input should be a valid list'])
})

test('the proxy checks messages: a 200 instead of a 422 is listed with its other violations', async () => {
  const service = await startService(json({ chat_session_id: 7 }))
  const proxy = await startProxy(service.url)
  const answer = await proxy.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'x' } })
  expect(answer.headers.get('x-mock-violations')).toBe('3')
  const { body } = await proxy.call('GET', '/__mock/requests')
  expect(body.requests[0].violations).toEqual([
    expect.stringMatching(/^request: body\.persona_id/),
    expect.stringMatching(/^response: status 200 in place of 422, for body\.persona_id/),
    expect.stringMatching(/^response: \/chat_session_id must be/)
  ])
})

test('the proxy checks messages: if no reading allows a message, the violations of the most lenient one are listed', async () => {
  const proxy = await startProxy((await startTestMock()).url)
  await proxy.call('PATCH', '/api/persona/2', { body: { display_priority: 'many' } })
  const { body } = await proxy.call('GET', '/__mock/requests')
  expect(body.requests[0].violations).toEqual([
    'request: body.display_priority: Input should be a valid integer, unable to parse string as an integer'
  ])
})

test('the proxy checks messages: a request without an operation passes, and is listed with its near misses', async () => {
  const proxy = await startProxy((await startTestMock()).url)
  expect((await proxy.call('GET', '/api/persnoa/1')).status).toBe(404)
  const { body } = await proxy.call('GET', '/__mock/requests?unmatched=true')
  expect(body).toMatchObject({ total: 1, requests: [{ operation: null, near_misses: expect.any(Array) }] })
  expect((await proxy.call('GET', '/__mock/coverage')).body.unknown).toHaveLength(1)
})

test('the proxy checks messages: an upload is checked and passes byte for byte', async () => {
  const service = await startTestMock()
  const proxy = await startProxy(service.url)
  const form = new FormData()
  form.append('files', new File([randomBytes(50_000)], 'a.md'))
  const headers = { Authorization: 'Bearer admin' }
  const path = '/api/manage/admin/connector/file/upload'
  const answer = await fetch(proxy.url + path, { method: 'POST', headers, body: form })
  expect([answer.status, answer.headers.get('x-mock-violations')]).toEqual([200, null])
  const empty = await fetch(proxy.url + path, { method: 'POST', headers, body: new FormData() })
  expect([empty.status, empty.headers.get('x-mock-violations')]).toEqual([422, '1'])
})

test('the proxy checks messages: a broken answer of the service becomes a 502 with strict, with the reason', async () => {
  const service = await startService(json({ role: 7 }))
  const proxy = await startProxy(service.url, { strict: true })
  const answer = await proxy.call('GET', role)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'application/problem+json'])
  expect(answer.body.errors).toEqual([
    { field: 'response', detail: 'response: /role must be equal to one of the allowed values' }
  ])
})

test('requests that the mock answers itself are the configured operations, from its own state; the service never gets them', async () => {
  const service = await startService(json({ role: 'basic' }))
  const proxy = await startProxy(service.url, { mocked: new Set(['getPersona']) })
  expect((await proxy.call('GET', '/api/persona/1', { as: 'a-real-token' })).body.id).toBe(1)
  expect((await proxy.call('GET', role)).body).toEqual({ role: 'basic' })
  expect(service.got.map(({ url }) => url)).toEqual([role])
})

test('requests that the mock answers itself are those that the service does not implement (501), with the body that was sent', async () => {
  const service = await startService(json({}, 501))
  const proxy = await startProxy(service.url)
  const made = await proxy.call('POST', '/api/chat/create-chat-session', { body: { description: 'From the mock' } })
  expect(made.status).toBe(200)
  const { chat_session_id: id } = made.body
  expect(proxy.sandbox.rows.chatSessions.get(id)?.name).toBe('From the mock')
  expect((await proxy.call('GET', '/nowhere')).status).toBe(501)
})

test('a service that does not answer because nothing listens: 502', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const proxy = await startProxy(`http://127.0.0.1:${port}`)
  const answer = await proxy.call('GET', role)
  expect([answer.status, answer.body.detail]).toEqual([
    502,
    `http://127.0.0.1:${port} gave no answer: nothing listens there.`
  ])
})

test('a service that does not answer because it is silent: 504, and the next request is answered', async () => {
  let isSilent = true
  const service = await startService((response) => {
    if (!isSilent) response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"role":"admin"}')
  })
  const proxy = await startProxy(service.url, { timeout: 50 })
  const answer = await proxy.call('GET', role)
  expect([answer.status, answer.body.detail]).toEqual([504, `${service.url} was silent for 50 ms.`])
  isSilent = false
  expect((await proxy.call('GET', role)).body).toEqual({ role: 'admin' })
})

test('a service that does not answer because it stops in the middle of a body: 502, not half an answer', async () => {
  const service = await startService((response, _, request) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
    response.write('{"role":', () => request.socket.destroy())
  })
  const proxy = await startProxy(service.url)
  const answer = await proxy.call('GET', role)
  expect([answer.status, answer.body.title]).toEqual([502, 'Bad Gateway'])
})

test('a service that does not answer because it is silent in the middle of a body: 504', async () => {
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{"role":')
  })
  const proxy = await startProxy(service.url, { timeout: 50 })
  expect((await proxy.call('GET', role)).status).toBe(504)
})

test('a service that does not answer because it does not speak HTTP: 502', async () => {
  const server = createServer((socket) => socket.end('220 mail.example ESMTP\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const proxy = await startProxy(`http://127.0.0.1:${port}`)
  const answer = await proxy.call('GET', role)
  server.close()
  expect([answer.status, answer.body.detail]).toEqual([
    502,
    `http://127.0.0.1:${port} gave no answer: it does not speak HTTP.`
  ])
})

const pem = (name: string) => readFileSync(join(packageRoot(), `test/checks/proxy/localhost.${name}.pem`), 'utf8')

test('a service behind TLS is trusted with its authority, and refused without', async () => {
  const service = await startService(json({ role: 'admin' }), { key: pem('key'), cert: pem('cert') })
  const trusting = await startProxy(service.url, { ca: pem('cert') })
  expect((await trusting.call('GET', role)).body).toEqual({ role: 'admin' })
  const careful = await startProxy(service.url)
  const answer = await careful.call('GET', role)
  expect(answer.status).toBe(502)
  expect(answer.body.detail).toContain('its certificate is self-signed (trust it with --ca <file>)')
  expect(service.got).toHaveLength(1)
})

test('a client that leaves in the middle of an upload ends the request to the service', async () => {
  const ended = deferred()
  const service = createServer((socket) =>
    socket
      .on('data', () => {})
      .on('close', () => ended.resolve())
      .on('error', () => {})
  )
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const proxy = await startProxy(`http://127.0.0.1:${(service.address() as { port: number }).port}`)
  const abort = new AbortController()
  const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.alloc(1000)) })
  const sent = fetch(`${proxy.url}/x`, { method: 'POST', body, duplex: 'half', signal: abort.signal } as RequestInit)
  await once(service, 'connection')
  abort.abort()
  await expect(sent).rejects.toThrow()
  await ended.promise
  service.close()
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
