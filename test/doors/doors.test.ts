import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import supertest from 'supertest'
import type { MockOptions } from '../../src/doors/options/mock-table.js'
import { createMock, type Mock } from '../../src/doors/program/mock.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { Client, headersOf, type Received, type Sent } from '../client.js'
import { addressOf, bodyOf } from '../contract/examples.js'
import { startTestMock, testNow } from '../mock.js'
import { ask, message } from './listener/wire.js'

const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
const options: MockOptions = { now: testNow, strict: true }
const admin = { Authorization: 'Bearer admin' }
const json = { ...admin, 'Content-Type': 'application/json' }
const servers: Server[] = []

afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  return Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
})

/** The address of a server that answers by this listener. */
async function served(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Every example of every operation, and every way in which a request can be wrong. */
async function requests(): Promise<Sent[]> {
  const sent: Sent[] = []
  for (const operation of operations.values()) {
    for (const { path, query, body } of Object.values(operation.examples)) {
      const { body: text, form } = bodyOf(operation, body)
      const request = { method: operation.method, path: addressOf(operation, path, query) }
      if (form) {
        const encoded = new Response(form)
        const headers = { ...admin, 'Content-Type': encoded.headers.get('content-type') as string }
        sent.push({ ...request, headers, body: Buffer.from(await encoded.arrayBuffer()) })
      } else sent.push({ ...request, headers: json, ...(text !== undefined && { body: text as string }) })
    }
  }
  const wrong: Sent[] = [
    ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].map((method) => ({
      method,
      path: '/api/user/projects/',
      headers: admin
    })),
    ...['/', '//x', '/api', '/api/%zz', '/unknown?x=1', '/api/user/projects', '/api/persona/1/?a=b'].map(get),
    ...['/api/persona/%zz', '/api/persona/seven', '/api/persona/4711', '/api/chat/search?page=0'].map(get),
    { method: 'HEAD', path: '/api/get-user-role', headers: admin },
    { method: 'HEAD', path: '/unknown', headers: admin },
    { method: 'GET', path: '/api/get-user-role' },
    { method: 'GET', path: '/api/get-user-role', headers: { Authorization: 'Bearer nobody' } },
    { method: 'GET', path: '/api/get-user-role', headers: { ...admin, Host: 'evil.example' } },
    { method: 'GET', path: '/api/get-user-role', headers: { ...admin, 'X-Mock-Sandbox': 'bad name' } },
    { method: 'GET', path: '/api/get-user-role', headers: { ...admin, Origin: 'https://app.example' } },
    { method: 'GET', path: '/unknown', headers: { Origin: 'http://localhost:3000' } },
    { method: 'OPTIONS', path: '/api/persona/1', headers: { Origin: 'https://app.example' } },
    {
      method: 'PUT',
      path: '/api/manage/admin/users',
      headers: { ...json, Authorization: 'Bearer basic' },
      body: '{"emails":[]}'
    },
    ...['', '{', 'null', '[]', '{"persona_id":"7"}', '{"persona_id":4711}', '{"more":1}'].map((body) => ({
      method: 'POST',
      path: '/api/chat/create-chat-session',
      headers: json,
      body
    })),
    {
      method: 'POST',
      path: '/api/chat/create-chat-session',
      headers: { ...admin, 'Content-Type': 'text/plain' },
      body: '{}'
    },
    {
      method: 'POST',
      path: '/api/chat/create-chat-session',
      headers: { ...json, 'Content-Encoding': 'gzip' },
      body: '{}'
    },
    { method: 'POST', path: '/api/unknown', headers: json, body: '{}' },
    { method: 'POST', path: '/api/manage/admin/connector/file/upload', headers: json, body: '{}' },
    { method: 'GET', path: '/api/get-user-role', headers: json, body: '{}' }
  ]
  return [...sent, ...wrong]
}

function get(path: string): Sent {
  return { method: 'GET', path, headers: admin }
}

/** A reply without its date. */
function plain(reply: Received) {
  const { date, ...headers } = headersOf(reply)
  return { status: reply.status, headers, text: reply.bytes.toString('latin1') }
}

/** The same in process, without the headers of a connection. */
async function fetched({ fetch }: Pick<Mock, 'fetch'>, { method, path, headers, body }: Sent) {
  const request = new Request(`http://${headers?.Host ?? 'localhost'}${path}`, { method, headers, body })
  const answer = await fetch(request)
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: bytes.toString('latin1') }
}

function withoutConnection({ status, headers, text }: ReturnType<typeof plain>) {
  const { connection, 'keep-alive': _, ...rest } = headers
  return { status, headers: rest, text }
}

test('a request in process is answered as on a port, header by header and byte by byte', async () => {
  const [listening, inProcess] = [await startTestMock(), createMock(options)]
  const client = new Client(listening.url)
  const statuses = new Set<number>()
  for (const sent of await requests()) {
    // Not possible in process: what a URL cannot have, and a wrong host.
    if (sent.path.startsWith('//') || sent.headers?.Host || (sent.method === 'GET' && sent.body)) continue
    const [first, second] = [plain(await client.send(sent)), await fetched(inProcess, sent)]
    const server = new RegExp(listening.url, 'g')
    const expected = withoutConnection(first)
    expect({ sent, ...second }).toEqual({ sent, ...expected, text: expected.text.replace(server, 'http://localhost') })
    statuses.add(first.status)
  }
  expect([...statuses].sort()).toEqual([200, 204, 302, 307, 400, 401, 403, 404, 405, 415, 422])
  client.close()
})

test('the listener and the Express app give the same answers, header by header and byte by byte', async () => {
  const doors = [(await startTestMock()).url, await served(createMock(options).app)]
  const clients = doors.map((url) => new Client(url))
  const statuses = new Set<number>()
  for (const sent of await requests()) {
    const [first, second] = (await Promise.all(clients.map((client) => client.send(sent)))).map(plain)
    expect({ sent, ...second }).toEqual({ sent, ...first })
    statuses.add(first?.status as number)
  }
  expect([...statuses].sort()).toEqual([200, 204, 302, 307, 400, 401, 403, 404, 405, 415, 422])
  for (const client of clients) client.close()

  const [first, second] = await Promise.all(
    doors.map((url) => ask(url, message('GET http://localhost/api/get-user-role')))
  )
  expect(second).toEqual({ ...first, headers: { ...second?.headers, ...first?.headers, date: second?.headers.date } })
})

const mock = createMock(options)
const outer = express().disable('x-powered-by')
outer.use(express.json({ strict: false }))
outer.use('/mock', mock.app)
outer.get('/own', (_, response) => {
  response.send('own')
})

test('the app in another app that parses bodies first and adds a prefix answers every example as it does alone', async () => {
  const clients = [new Client((await startTestMock()).url), new Client(await served(outer))]
  for (const sent of await requests()) {
    // The outer app refuses some itself, and makes an empty body an object.
    if (sent.body === '' || sent.body === '{' || sent.headers?.['Content-Encoding'] || sent.method === 'OPTIONS')
      continue
    // The other app answers what the mock does not know.
    if (/^\/(\/|api$|unknown|api\/unknown|api\/%zz)/.test(sent.path)) continue
    const prefixed = { ...sent, path: `/mock${sent.path}` }
    const [alone, mounted] = (await Promise.all([clients[0]?.send(sent), clients[1]?.send(prefixed)])).map((it) =>
      plain(it as Received)
    )
    const location = alone?.headers.location && { location: `/mock${alone.headers.location}` }
    expect({ sent, ...mounted, headers: { ...mounted?.headers, connection: '', 'keep-alive': '' } }).toEqual({
      sent,
      ...alone,
      headers: { ...alone?.headers, ...location, connection: '', 'keep-alive': '' }
    })
  }
  for (const client of clients) client.close()
})

test('the app in another app that parses bodies first and adds a prefix leaves the other app alone, and knows its own path', async () => {
  const url = await served(outer)
  expect(await (await fetch(`${url}/own`)).text()).toBe('own')
  const document = (await (await fetch(`${url}/mock/openapi.json`)).json()) as { servers: unknown }
  expect(document.servers).toEqual([{ url: `${url}/mock` }])
  expect((await fetch(`${url}/mock/api/unknown`)).status).toBe(404)
})

test('refuses a body that another part of the app has read but not parsed, without waiting for it', async () => {
  const outer = express()
  outer.use(async (request, _, next) => {
    for await (const _chunk of request);
    next()
  })
  const url = await served(outer.use(createMock(options).app))
  const answer = await fetch(`${url}/api/chat/create-chat-session`, {
    method: 'POST',
    headers: { Authorization: 'Bearer admin', 'Content-Type': 'application/json' },
    body: '{}'
  })
  const { detail } = (await answer.json()) as { detail: { msg: string }[] }
  expect([answer.status, detail.map(({ msg }) => msg)]).toEqual([
    422,
    ['Value error, The body could not be read: another part of the app has read it.']
  ])
})

test('supertest accepts the app', async () => {
  const { app, sandboxes } = createMock(options)
  await supertest(app).get('/api/get-user-role').auth('basic', { type: 'bearer' }).expect(200, { role: 'basic' })
  await supertest(app).get('/api/get-user-role').expect(401).expect('WWW-Authenticate', 'Bearer')
  await supertest(app)
    .delete('/api/manage/admin/delete-user')
    .set('Authorization', 'Bearer admin')
    .send({ user_email: 'tom@example.com' })
    .expect(200, 'null')
  expect(sandboxes.use('default').rows.users?.first('byKey', 'basic')).toBeUndefined()
  await supertest(app)
    .post('/api/manage/admin/connector/file/upload')
    .set('Authorization', 'Bearer admin')
    .attach('files', Buffer.from('text'), 'a.txt')
    .expect(200)
    .expect(({ body }) => expect(body.file_names).toEqual(['a.txt']))
})
