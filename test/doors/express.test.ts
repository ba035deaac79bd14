import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import cors from 'cors'
import express, { type NextFunction, type Request, type Response } from 'express'
import multer from 'multer'
import supertest from 'supertest'
import { createMock } from '../../src/doors/program/mock.js'
import { startTestMock, testNow } from '../mock.js'
import { ask, message } from './listener/wire.js'

const admin = { Authorization: 'Bearer admin' }
const made = (options = {}) => createMock({ now: testNow, ...options })
const urls = (mock: ReturnType<typeof made>) =>
  mock
    .sandbox()
    .requests({})
    .map(({ method, url, status }) => `${method} ${url} ${status}`)

test('the app of a mock has a route for each documented operation, and routers for everything else', () => {
  const { app, edition } = made()
  const routes = app.router.stack.flatMap(({ route }) =>
    route ? [route as unknown as { path: string; methods: object }] : []
  )
  const operations = [...edition.contractOf(edition.choices).operations.values()]
  expect(routes.map(({ path, methods }) => `${Object.keys(methods)} ${path}`).sort()).toEqual(
    operations.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`).sort()
  )
  expect(routes).toHaveLength(30)
  expect(app.router.stack.length).toBeGreaterThan(30)
})

test('the app of a mock answers an unknown path with the platform’s 404, and records it in the journal', async () => {
  const mock = made()
  await supertest(mock.app).get('/api/unknown').set(admin).expect(404, { detail: 'Not Found' })
  expect(urls(mock)).toEqual(['GET /api/unknown 404'])
})

test('the app of a mock accepts added routes, routers, middleware and error handlers', async () => {
  const mock = made()
  mock.app.use('/own', express.json())
  mock.app.post('/own/echo', (request: Request, response: Response) => response.json(request.body))
  mock.app.use(
    '/own',
    express.Router().get('/thing/:id', (request, response) => void response.send(request.params.id))
  )
  mock.app.get('/own/broken', async () => {
    throw new Error('broken')
  })
  mock.app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
    response.status(418).json({ own: error.message })
  })
  const api = supertest(mock.app)
  await api.post('/own/echo').send({ a: 1 }).expect(200, { a: 1 })
  await api.get('/own/thing/7').expect(200, '7')
  // As in any Express app, case and a trailing slash do not matter.
  await api.get('/OWN/thing/7/').expect(200, '7')
  await api.get('/own/broken').expect(418, { own: 'broken' })
  await api.options('/own/echo').expect(200).expect('Allow', 'POST')
  await api.get('/api/get-user-role').set(admin).expect(200, { role: 'admin' })
  await api.get('/own/missing').expect(404, { detail: 'Not Found' })
  expect(urls(mock)).toEqual(['GET /own/missing 404', 'GET /api/get-user-role 200'])
})

test('the app of a mock leaves an unhandled error to Express', async () => {
  const mock = made()
  mock.app.get('/own', () => {
    throw Object.assign(new Error('not here'), { status: 410 })
  })
  await supertest(mock.app)
    .get('/own')
    .expect(410)
    .expect(/not here/)
})

test.each(['get', 'put', 'options'] as const)(
  'the app of a mock answers %s of a path that Express cannot decode like the port',
  async (method) => {
    const running = await startTestMock()
    const { status, headers, body } = await supertest(made({ strict: true }).app)
      [method]('/api/persona/%zz')
      .set(admin)
    const direct = await ask(running.url, message(`${method.toUpperCase()} /api/persona/%zz`))
    expect([status, headers.allow, body]).toEqual([direct.status, direct.headers.allow, direct.body])
  }
)

test.each(['direct', 'express'] as const)(
  'the app of a mock serves the same as the port, by the door %s, also routes that are added later',
  async (door) => {
    const mock = await startTestMock({ door })
    mock.app.get('/own', (_: Request, response: Response) => response.send('own'))
    expect((await mock.call('GET', '/own')).text).toBe('own')
    expect((await fetch(`${mock.url}/own`)).status).toBe(200)
    expect((await mock.call('GET', '/none')).body).toEqual({ detail: 'Not Found' })
  }
)

test.each(['', '/mock'])(
  'the app of a mock, mounted in another at %j, leaves unknown paths to the next handler, without a trace',
  async (prefix) => {
    const mock = made()
    const seen: string[] = []
    const outer = express()
    outer.use((request, _response, next) => {
      seen.push(request.url)
      next()
    })
    outer.use(prefix || '/', mock.app)
    outer.all(`${prefix}/own`, (_, response) => void response.send('own'))
    outer.use((_, response) => void response.status(404).send('outer'))
    const api = supertest(outer)
    // Neither a foreign host, nor a wrong sandbox, nor a preflight concerns the mock there.
    await api
      .get(`${prefix}/own`)
      .set('Host', 'elsewhere.example')
      .set('Authorization', 'Bearer a~b~c')
      .expect(200, 'own')
    await api
      .options(`${prefix}/own`)
      .set({ Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' })
      .expect(200, 'own')
    await api.get(`${prefix}/none`).expect(404, 'outer')
    expect(urls(mock)).toEqual([])
    expect(mock.sandboxes.list().map(({ name }) => name)).toEqual(['default'])

    await api.get(`${prefix}/api/get-user-role`).set(admin).expect(200, { role: 'admin' })
    await api
      .delete(`${prefix}/api/get-user-role`)
      .set(admin)
      .expect(405, { detail: 'Method Not Allowed' })
      .expect('Allow', 'GET')
    await api
      .get(`${prefix}/api/user/projects?a=b`)
      .set(admin)
      .expect(307)
      .expect('Location', `${prefix}/api/user/projects/?a=b`)
    await api.get(`${prefix}/__mock/enter`).expect(303).expect('Location', `${prefix}/`)
    await api.get(`${prefix}/__mock/enter?to=/app`).expect(303).expect('Location', '/app')
    await api.get(`${prefix}/docs/`).expect(302).expect('Location', `${prefix}/docs`)
    await api.get(`${prefix}/openapi.json`).expect(200)
    await api.put(`${prefix}/__mock/clock`).send({ advance: 1 }).expect(200)
    expect(urls(mock).reverse()).toEqual([
      'GET /api/get-user-role 200',
      'DELETE /api/get-user-role 405',
      'GET /api/user/projects?a=b 307'
    ])
    expect(seen).toHaveLength(11)
  }
)

const [local, foreign] = ['http://localhost:5173', 'https://app.example']
test.each([
  ['any origin', {}, ['*', undefined]],
  ['a list, with cookies', { origin: [foreign], credentials: true }, [foreign, 'true']],
  ['a list without this origin', { origin: ['https://other.example'], credentials: true }, [undefined, 'true']],
  ['one origin, and headers to show', { origin: foreign, exposedHeaders: 'X-Own' }, [foreign, undefined]]
])(
  'the app of a mock, mounted in another behind cors() for %s, leaves the decision to that',
  async (_, options, decided) => {
    const names = ['access-control-allow-origin', 'access-control-allow-credentials'] as const
    const outer = express().use(cors({ preflightContinue: true, ...options }), made().app)
    const role = '/api/get-user-role'
    const seen = async (on: typeof outer, Origin: string) => {
      const { headers } = await supertest(on)
        .get(role)
        .set({ ...admin, Origin })
      const preflight = await supertest(on).options(role).set({ Origin, 'Access-Control-Request-Method': 'GET' })
      return [headers, preflight.headers].map((it) => names.map((name) => it[name]))
    }
    const alone = express().use(cors(options))
    expect(await seen(outer, local)).toEqual(await seen(alone, local))
    expect(await seen(outer, foreign)).toEqual([decided, decided])
    await supertest(outer)
      .get(role)
      .set({ ...admin, Origin: foreign })
      .expect(200, { role: 'admin' })
      .expect('Access-Control-Expose-Headers', 'exposedHeaders' in options ? /^X-Own$/ : /^X-Mock-Request-Id,/)
  }
)

test('the app of a mock, mounted in another behind middleware that decides nothing about origins, shares its answers as it does alone', async () => {
  const outer = express().use((_, response, next) => {
    response.set('Vary', 'Accept-Encoding')
    next()
  }, made().app)
  await supertest(outer)
    .get('/api/get-user-role')
    .set({ ...admin, Origin: local })
    .expect('Vary', 'Accept-Encoding, Origin')
    .expect('Access-Control-Allow-Origin', local)
    .expect('Access-Control-Allow-Credentials', 'true')
})

test('the app of a mock, mounted in another passes errors to the other app', async () => {
  const mock = made()
  mock.app.get('/own', () => {
    throw new Error('broken')
  })
  const outer = express().use(mock.app)
  outer.use(
    (error: Error, _request: Request, response: Response, _next: NextFunction) =>
      void response.status(500).send(error.message)
  )
  await supertest(outer).get('/own').expect(500, 'broken')
})

test('the app of a mock, mounted in another decides once about an override of a path, and leaves the request and its body to the next handler', async () => {
  const mock = made()
  const outer = express().use(mock.app)
  outer.post('/own', express.json(), (request, response) => void response.json({ outer: request.body }))
  const wanted = mock.sandbox().override({ method: 'POST', path: '/own', match: { body: { a: 1 } }, body: 'mock' })
  await supertest(outer).post('/own').send({ a: 1 }).expect(200, '"mock"')
  await supertest(outer)
    .post('/own')
    .send({ a: 2 })
    .expect(200, { outer: { a: 2 } })
  wanted.remove()
  mock.sandbox().override({ method: 'GET', path: '/none', rate: 0.5, body: 'mock' })
  const twin = made()
  twin.sandbox().override({ method: 'GET', path: '/none', rate: 0.5, body: 'mock' })
  for (let turn = 0; turn < 20; turn++) {
    const { status } = await twin.fetch('http://mock/none')
    await supertest(mock.app).get('/none').expect(status)
  }
})

const received = async (request: Request) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return `${Buffer.concat(chunks).length} bytes`
}
test.each([
  ['a small body', '{"a": 2}', '8 bytes'],
  ['a body in many chunks', JSON.stringify('x'.repeat(3_000_000)), '3000002 bytes'],
  ['a body over the limit of the mock', JSON.stringify('x'.repeat(11_000_000)), '11000002 bytes'],
  ['a body that is not JSON', '{"a"', '4 bytes'],
  ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), '3 bytes'],
  ['no body', '', '0 bytes']
])(
  'the app of a mock, mounted in another leaves %s to a user route that reads the stream, whatever an override matches in it',
  async (_, body, seen) => {
    const mock = made()
    mock.app.post('/own', async (request: Request, response: Response) => void response.send(await received(request)))
    mock.sandbox().override({ method: 'POST', path: '/own', match: { body: { a: 1 } }, body: 'mock' })
    const url = `${await served(mock.app)}/own`
    const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
    const announced = await fetch(url, { ...sent, body: new Uint8Array(Buffer.from(body)) })
    expect(await announced.text()).toBe(seen)
    const chunked = await fetch(url, { ...sent, body: new Blob([Buffer.from(body)]).stream(), duplex: 'half' })
    expect(await chunked.text()).toBe(seen)
    expect(await (await fetch(url, { ...sent, body: '{"a": 1}' })).json()).toBe('mock')
  }
)

test('the app of a mock, mounted in another refuses a body that an override cannot see, if no user route answers', async () => {
  const mock = made()
  mock.sandbox().override({ method: 'POST', path: '/own', match: { body: { a: 1 } }, body: 'mock' })
  const headers = { 'Content-Type': 'application/json' }
  const sent = await fetch(`${await served(mock.app)}/own`, { method: 'POST', headers, body: new Uint8Array([255]) })
  expect(sent.status).toBe(422)
  expect(urls(mock)).toEqual(['POST /own 422'])
})

test('the app of a mock, mounted in another lets the fallback service answer what the mock does not know', async () => {
  const service = await served((_, response) => response.end('service'))
  const mock = made({ fallback: service })
  mock.app.get('/own', (_: Request, response: Response) => response.send('own'))
  const outer = express().use(mock.app)
  await supertest(outer).get('/own').expect(200, 'own')
  await supertest(outer)
    .get('/none')
    .expect(200)
    .expect(({ text, body }) => expect(text ?? String(body)).toBe('service'))
})

test.each([
  ['express.json()', express.json()],
  ['express.raw()', express.raw({ type: () => true })],
  ['express.text()', express.text({ type: () => true })],
  ['express.urlencoded()', express.urlencoded({ extended: true })],
  ['multer().any()', multer().any()],
  ['multer().array()', multer().array('files')],
  ['multer().fields()', multer().fields([{ name: 'files' }])]
])('the app of a mock, mounted in another behind %s uses what that has parsed', async (_, parser) => {
  const mock = made()
  const outer = express().use(parser).use('/mock', mock.app)
  const session = await supertest(outer)
    .post('/mock/api/chat/create-chat-session')
    .set(admin)
    .send({ description: 'Parsed' })
  expect(session.status).toBe(200)
  expect(
    mock
      .sandbox()
      .rows('chatSessions')
      .map(({ name }) => name)
  ).toContain('Parsed')
  const alone = await supertest(made().app)
    .post('/api/chat/create-chat-session')
    .set({ ...admin, 'Content-Type': 'application/json' })
    .send('')
  const empty = await supertest(outer)
    .post('/mock/api/chat/create-chat-session')
    .set({ ...admin, 'Content-Type': 'application/json' })
    .send('')
  expect([empty.status, empty.text]).toEqual([alone.status, alone.text])
  await supertest(outer)
    .post('/mock/api/manage/admin/connector/file/upload')
    .set(admin)
    .attach('files', Buffer.from('text'), 'a.txt')
    .attach('files', Buffer.from('more'), 'b.txt')
    .expect(200)
    .expect(({ body }) => expect(body.file_names).toEqual(['a.txt', 'b.txt']))
})

test('the app of a mock, mounted in another behind a parser keeps the limits of a body, and its media type', async () => {
  const outer = express().use(express.json({ limit: '30mb' }), express.urlencoded(), multer().any(), made().app)
  const update = (type: string, body: string) =>
    supertest(outer)
      .patch('/api/persona/1')
      .set({ ...admin, 'Content-Type': type })
      .send(body)
  await update('application/json', `${'{"name":'.repeat(600)}1${'}'.repeat(600)}`).expect(422)
  await update('application/json', `[${'[],'.repeat(30_000)}1]`).expect(413)
  await update('application/json', JSON.stringify({ name: 'x'.repeat(11 * 1024 * 1024) })).expect(413)
  await update('application/x-www-form-urlencoded', 'name=Renamed').expect(422)
  await update('application/json', '{"name":"Renamed"}').expect(200)
  await supertest(outer)
    .post('/api/manage/admin/connector/file/upload')
    .set(admin)
    .attach('files', Buffer.from('text'), 'Übersicht.md')
    .expect(({ body }) => expect(body.file_names).toEqual(['Übersicht.md']))
})

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const servers: ReturnType<typeof createServer>[] = []
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))))
