import { ask, message } from '../doors/listener/wire.js'
import { startTestMock } from '../mock.js'
import { unchanged } from './unchanged.js'

const mock = await startTestMock()
const role = '/api/get-user-role'

/** The status and the body of a request that must change nothing. */
async function replyTo(start: string, headers: Record<string, string | undefined> = {}, body?: string, to = mock) {
  const reply = await unchanged(to, () => ask(to.url, message(start, headers, body)))
  return [reply.status, reply.body]
}

const asAdmin = [200, { role: 'admin' }]

const write = '{"instructions": "from a foreign page"}'

test.each([
  'evil.example',
  'evil.example:4010',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '[::1].evil.example',
  'user@127.0.0.1',
  'localhost:80:80',
  'notlocalhost',
  '2130706433'
])('the host %j is refused before anything else', async (Host) => {
  const detail = `Host ${Host} is not allowed. Allow it with --allow-host ${Host}.`
  expect(await replyTo('POST /api/user/projects/1/instructions', { Host }, write)).toEqual([403, { detail }])
  expect(await replyTo(`GET ${role}`, { Host })).toEqual([403, { detail }])
  expect(await replyTo('GET /unknown', { Host, Authorization: undefined })).toEqual([403, { detail }])
})

test('an empty host is refused', async () => {
  const refused = [400, { detail: 'The Host header is empty.' }]
  expect(await replyTo(`GET ${role}`, { Host: '' })).toEqual(refused)
})

test.each(['localhost', 'LOCALHOST:4010', 'app.localhost:1', '127.0.0.1', '[::1]:4010', '192.168.1.7:80'])(
  'the host %s is accepted as this machine, or as an address',
  async (Host) => {
    expect(await replyTo(`GET ${role}`, { Host })).toEqual(asAdmin)
  }
)

test('the host may be an allowed one', async () => {
  const open = await startTestMock({ allowHost: 'mock.example, other.example' })
  expect(await replyTo(`GET ${role}`, { Host: 'MOCK.example:8080' }, undefined, open)).toEqual(asAdmin)
  expect(await replyTo(`GET ${role}`, { Host: 'other.example' }, undefined, open)).toEqual(asAdmin)
  expect((await replyTo(`GET ${role}`, { Host: 'third.example' }, undefined, open))[0]).toBe(403)
  const any = await startTestMock({ allowHost: '*' })
  expect(await replyTo(`GET ${role}`, { Host: 'third.example' }, undefined, any)).toEqual(asAdmin)
})

test('the host may be missing only in HTTP/1.0', async () => {
  expect(await replyTo(`GET ${role} HTTP/1.0`, { Host: undefined })).toEqual(asAdmin)
  expect((await replyTo(`GET ${role}`, { Host: undefined }))[0]).toBe(400)
})

test('the host in an absolute target counts, and the header does not', async () => {
  expect(await replyTo(`GET http://localhost${role}`, { Host: 'evil.example' })).toEqual(asAdmin)
  expect((await replyTo(`GET http://evil.example${role}`))[0]).toBe(403)
  expect(await replyTo('GET http://127.0.0.1:1/api/chat/search?page=0')).toMatchObject([
    422,
    { detail: [{ loc: ['query', 'page'] }] }
  ])
  expect((await replyTo('GET http://localhost'))[0]).toBe(302)
  expect((await replyTo('GET http://localhost?page=1'))[0]).toBe(302)
  expect((await replyTo('GET http://evil.example'))[0]).toBe(403)
  expect((await replyTo('GET http://localhost/openapi.json'))[1]).toMatchObject({ openapi: '3.1.0' })
  const written = await ask(mock.url, message('POST http://localhost/api/user/projects/1/instructions', {}, write))
  expect([written.status, mock.sandbox.rows.projects.get(1)?.instructions]).toEqual([200, 'from a foreign page'])
})

const refused = { detail: expect.stringMatching(/^Not authenticated: .*\.$/) }

test.each([
  undefined,
  '',
  'admin',
  'Bearer',
  'Bearer ~mine',
  'Bearer admin extra',
  'Bearer admin,basic',
  'Bearer "admin"',
  'Bearer adm\u00efn',
  'Bearer nobody',
  'Bearer Admin',
  'Bearer piet',
  'Bearer admin~bad name!',
  'Basic YWRtaW46',
  'Token admin'
])('the token in the header %j is refused', async (Authorization) => {
  expect(await replyTo(`GET ${role}`, { Authorization })).toEqual([401, refused])
  const reply = await ask(mock.url, message('POST /api/chat/create-chat-session', { Authorization }, '{}'))
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer'])
})

test.each(['bearer admin', 'BEARER admin', 'Bearer   admin', 'Bearer admin  ', 'Bearer admin~mine'])(
  'the token in the header %j is accepted for the administrator',
  async (Authorization) => {
    expect(await replyTo(`GET ${role}`, { Authorization })).toEqual(asAdmin)
  }
)

test.each([
  [{ Authorization: 'Bearer admin~' }, ''],
  [{ Authorization: 'Bearer admin~a.b' }, 'a.b'],
  [{ Authorization: 'Bearer admin~one~two' }, 'one~two'],
  [{ Authorization: `Bearer admin~${'x'.repeat(65)}` }, 'x'.repeat(65)],
  [{ 'X-Mock-Sandbox': 'bad name!' }, 'bad name!'],
  [{ 'X-Mock-Sandbox': '../up' }, '../up'],
  [{ 'X-Mock-Sandbox': '' }, ''],
  [{ 'X-Mock-Sandbox': 'one', 'x-mock-sandbox': 'two' }, 'one, two'],
  [{ 'X-Mock-Sandbox': 'bad name!', Authorization: 'Bearer admin~good' }, 'bad name!']
])('the token with %j names no sandbox', async (headers, name) => {
  const detail = `A sandbox cannot be named "${name}": take 1 to 64 letters, digits, hyphens and underscores.`
  expect(await replyTo(`GET ${role}`, headers)).toEqual([400, { detail }])
  expect(await replyTo('POST /api/chat/create-chat-session', headers, '{}')).toEqual([400, { detail }])
})

const origin = { Origin: 'https://app.example' }
const preflight = {
  ...origin,
  'Access-Control-Request-Method': 'PATCH',
  'Access-Control-Request-Headers': 'authorization'
}

test('a page of another origin may send a preflight without a token', async () => {
  const start = 'OPTIONS /api/persona/1'
  const reply = await unchanged(mock, () => ask(mock.url, message(start, { ...preflight, Authorization: undefined })))
  expect([reply.status, reply.body]).toEqual([204, ''])
  expect(reply.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
    'access-control-allow-headers': 'authorization'
  })
})

test('a page of another origin may send a preflight without an Origin, as some test environments do; other OPTIONS are refused', async () => {
  const preflightOf = (headers: Record<string, string | undefined>) =>
    ask(mock.url, message('OPTIONS /api/persona/1', { ...headers, Authorization: undefined }))
  const { status, headers } = await preflightOf({ ...preflight, Origin: undefined })
  expect([status, headers['access-control-allow-origin']]).toEqual([204, '*'])
  expect((await preflightOf({})).status).toBe(405)
})

test('a page of another origin may read the answer, also a refusal, and the headers of the mock', async () => {
  const exposed =
    'X-Mock-Request-Id,X-Mock-Assumed,X-Mock-Source,X-Mock-Violations,X-Mock-Resets-At,X-Mock-Node,Preference-Applied,Location,Retry-After,WWW-Authenticate'
  for (const [start, status] of [
    [`GET ${role}`, 200],
    ['GET /api/persona/4711', 404],
    ['GET /unknown', 404],
    ['PUT /api/get-user-role', 405],
    ['GET /api/user/projects', 307],
    ['GET /api/chat/search?page=0', 422]
  ] as const) {
    const reply = await ask(mock.url, message(start, origin))
    expect([start, reply.status, reply.headers['access-control-allow-origin']]).toEqual([start, status, '*'])
    expect(reply.headers['access-control-expose-headers']).toBe(exposed)
  }
})

test('a page of another origin on this machine may send cookies; an origin that is not listed may read nothing', async () => {
  const local = await ask(mock.url, message(`GET ${role}`, { Origin: 'http://localhost:3000' }))
  expect(local.headers).toMatchObject({
    'access-control-allow-origin': 'http://localhost:3000',
    'access-control-allow-credentials': 'true',
    vary: 'Origin'
  })
  const strict = await startTestMock({ corsOrigin: ['https://app.example'] })
  const [listed, other] = await Promise.all(
    ['https://app.example', 'https://evil.example'].map((Origin) => ask(strict.url, message(`GET ${role}`, { Origin })))
  )
  expect(listed?.headers['access-control-allow-origin']).toBe('https://app.example')
  expect(other?.headers['access-control-allow-origin']).toBeUndefined()
})
