import { startTestMock, type TestMock } from '../mock.js'

const json = (schema: object) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } })
const text = { type: 'string' }
const me = {
  type: 'object',
  required: ['id', 'email', 'role'],
  properties: { id: text, email: { ...text, format: 'email' }, role: text, is_active: { type: 'boolean' }, theme: text }
}
const administered = {
  ...me,
  properties: { ...me.properties, is_superuser: { type: 'boolean' }, full_name: text },
  required: [...me.required, 'is_superuser', 'full_name']
}
const login = (content: object, responses: object) => ({
  post: { 'x-mock': { session: 'login' }, requestBody: { content }, responses }
})
const fields = {
  schema: { type: 'object', properties: { email: text, username: text, password: { ...text, format: 'password' } } }
}
const document = {
  openapi: '3.1.0',
  info: { title: 'Sign-in', version: '1' },
  paths: {
    '/auth/login': login(
      { 'application/json': fields },
      json({ type: 'object', required: ['access_token', 'user'], properties: { access_token: text, user: me } })
    ),
    '/auth/form': login({ 'application/x-www-form-urlencoded': fields }, { 204: { description: 'signed in' } }),
    '/auth/logout': { post: { 'x-mock': { session: 'logout' }, responses: { 204: { description: 'out' } } } },
    '/me': { get: { 'x-mock': { session: 'me' }, responses: json(me) } },
    '/oauth/authorize': {
      get: {
        'x-mock': { redirect: '/oauth/callback' },
        parameters: ['state', 'login_hint'].map((name) => ({ name, in: 'query', schema: text })),
        responses: { 200: { description: 'ok' } }
      }
    },
    '/oauth/url': {
      get: {
        'x-mock': { redirect: '/oauth/callback' },
        responses: json({ type: 'object', required: ['authorization_url'], properties: { authorization_url: text } })
      }
    },
    '/oauth/callback': {
      get: {
        'x-mock': { session: 'login', redirect: '/welcome' },
        parameters: ['code', 'state'].map((name) => ({ name, in: 'query', schema: text })),
        responses: json({})
      }
    },
    '/auth/bare': { post: { 'x-mock': { session: 'login' }, responses: { 204: { description: 'signed in' } } } },
    '/auth/any': login({ 'application/json': { schema: {} } }, json({})),
    '/auth/register': {
      post: {
        'x-mock': { session: 'signup' },
        requestBody: { content: { 'application/json': { schema: { ...fields.schema, required: ['email'] } } } },
        responses: { 201: { description: 'made', content: json(administered)[200].content } }
      }
    },
    '/me/rights': { get: { 'x-mock': { session: 'me' }, responses: json(administered) } },
    '/users/{user_id}/avatar': { get: { responses: json({}) } }
  }
}

let mock: TestMock
beforeAll(async () => {
  mock = await startTestMock({ with: [document] })
})

const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] as string
const whoIs = (Cookie: string) => mock.call('GET', '/me', { as: null, headers: { Cookie } })
const user = async (key: string) =>
  (await mock.call('GET', '/__mock/state/users')).body.rows.find((it: { key: string }) => it.key === key)

test('a sign-in by address sets a cookie for the user, and a logout ends it', async () => {
  const { email, id, role } = await user('basic')
  const signedIn = await mock.call('POST', '/auth/login', { as: null, body: { email, password: 'any' } })
  expect(signedIn.body).toMatchObject({ access_token: 'basic', user: { id, email, role } })
  expect(signedIn.headers.get('set-cookie')).toContain('Path=/; HttpOnly; SameSite=Lax')
  const cookie = cookieOf(signedIn.headers)
  expect((await whoIs(cookie)).body).toMatchObject({ id, email, role, is_active: true })
  const out = await mock.call('POST', '/auth/logout', { as: null, headers: { Cookie: cookie } })
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  expect((await whoIs(cookieOf(out.headers))).status).toBe(401)
})

test('a form signs in by key or address, and the cookie keeps the sandbox', async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Mock-Sandbox': 'mine' }
  const { status, headers: sent } = await mock.call('POST', '/auth/form', {
    as: null,
    headers,
    body: 'username=curator&password=x'
  })
  expect(status).toBe(204)
  expect((await whoIs(cookieOf(sent))).body.role).toBe('curator')
  const [name] = cookieOf(sent).split('=')
  expect(cookieOf(sent)).toMatch(`${name}=curator~mine`)
  const journal = `/__mock/requests/${sent.get('x-mock-request-id')}`
  const { body: entry } = await mock.call('GET', journal, { headers: { 'X-Mock-Sandbox': 'mine' } })
  expect(entry.request.body).toEqual({ username: 'curator', password: '***' })
})

test('an authorization redirects to its callback, which signs in the user of the hint and redirects to the page', async () => {
  const { email } = await user('curator')
  const answer = await mock.call('GET', `/oauth/authorize?state=s%261&login_hint=${email}`, { as: null })
  const location = answer.headers.get('location') as string
  expect([answer.status, answer.headers.get('x-mock-source')]).toEqual([302, 'rule'])
  expect(location).toBe(`/oauth/callback?code=${encodeURIComponent(email)}&state=s%261`)
  const back = await mock.call('GET', location, { as: null, headers: { 'X-Mock-Sandbox': 'mine' } })
  expect([back.status, back.headers.get('location')]).toEqual([302, '/welcome'])
  expect((await whoIs(cookieOf(back.headers))).body.email).toBe(email)
  expect(cookieOf(back.headers)).toMatch('=curator~mine')
  expect((await mock.call('GET', '/oauth/url', { as: 'basic' })).body).toEqual({
    authorization_url: '/oauth/callback?code=basic'
  })
  expect((await mock.call('GET', '/oauth/callback?code=nobody', { as: null })).status).toBe(401)
  expect((await mock.call('GET', '/oauth/callback', { as: null })).body.detail[0].loc).toEqual(['query', 'code'])
  expect((await mock.call('GET', '/__mock/requests?violations=true')).body.requests).not.toContainEqual(
    expect.objectContaining({ status: 302 })
  )
})

test('a redirect to another host stops the start', async () => {
  for (const redirect of ['//example.com', 'https://example.com', '/\\example.com', 7]) {
    const paths = { '/go': { get: { 'x-mock': { redirect }, responses: json({}) } } }
    await expect(startTestMock({ with: [{ ...document, paths }] })).rejects.toThrow(
      'redirect must be a path of this host'
    )
  }
})

test('an unknown user is a 401 and a body without a name a 422', async () => {
  const unknown = await mock.call('POST', '/auth/login', { as: null, body: { email: 'nobody@nowhere.example' } })
  expect([unknown.status, Object.keys(unknown.body)]).toEqual([401, ['detail']])
  const nameless = await mock.call('POST', '/auth/login', { as: null, body: { password: 'x' } })
  expect([nameless.status, nameless.body.detail[0].loc]).toEqual([422, ['body', 'username']])
  expect((await mock.call('GET', '/me', { as: null })).status).toBe(401)
})

test('a sign-up makes a user of the platform with the role basic, whose key signs in', async () => {
  const signUp = (body: object) => mock.call('POST', '/auth/register', { as: null, body })
  const made = await signUp({ email: 'jane.doe@example.com', password: 'x', role: 'admin' })
  expect([made.status, made.body]).toMatchObject([
    201,
    { email: 'jane.doe@example.com', role: 'basic', is_superuser: false }
  ])
  expect((await mock.call('GET', '/me', { as: 'jane-doe' })).body.id).toBe(made.body.id)
  expect((await signUp({ email: 'jane.doe@example.com' })).status).toBe(409)
  expect((await signUp({ email: 'jane.doe@example.org' })).status).toBe(201)
  expect((await mock.call('GET', '/me', { as: 'jane-doe-2' })).body.email).toBe('jane.doe@example.org')
})

test('a user without a name has one by the address, and only an admin is a superuser', async () => {
  expect((await mock.call('GET', '/me/rights', { as: 'admin' })).body).toMatchObject({ is_superuser: true })
  const { email } = await user('basic')
  const full_name = email.split('@')[0].replaceAll('.', ' ')
  expect((await mock.call('GET', '/me/rights', { as: 'basic' })).body).toMatchObject({ is_superuser: false, full_name })
})

test.each([
  [{ email: 5 }, { type: 'string_type', loc: ['body', 'email'] }],
  [{ email: '' }, { type: 'string_too_short', loc: ['body', 'email'] }],
  [{ user: { key: null } }, { type: 'string_type', loc: ['body', 'key'] }],
  [{ other: 'x' }, { type: 'missing', loc: ['body', 'username'] }]
])('the sign-in %j gets an error that fits', async (body, problem) => {
  for (const path of ['/auth/any', '/auth/bare']) {
    const { status, body: wrong } = await mock.call('POST', path, { as: null, body })
    expect([status, wrong.detail]).toEqual([422, [expect.objectContaining(problem)]])
  }
})

test('a sign-in without a documented body takes JSON, and answers an inactive user differently than an unknown one', async () => {
  const { email } = mock.handle('default').create('users', 'inactive', { key: 'gone' })
  expect((await mock.call('POST', '/auth/bare', { as: null, body: { username: 'basic' } })).status).toBe(204)
  const inactive = await mock.call('POST', '/auth/bare', { as: null, body: { email } })
  expect([inactive.status, inactive.body]).toEqual([401, { detail: 'This user is deactivated.' }])
})

test('a wrong mark stops the start with its place', async () => {
  const paths = { '/me': { get: { 'x-mock': { session: 'signin' }, responses: json(me) } } }
  await expect(startTestMock({ with: [{ ...document, paths }] })).rejects.toThrow(
    'session must be login, signup, logout or me'
  )
})

test('a file that the document describes as any JSON is a picture with initials for an img', async () => {
  const { id, email } = await user('basic')
  const Accept = 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8'
  const picture = await mock.call('GET', `/users/${id}/avatar`, { headers: { Accept } })
  const initials = email
    .split(/[^A-Za-z0-9]+/)
    .slice(0, 2)
    .map((word: string) => word[0]?.toUpperCase())
    .join('')
  expect(picture.headers.get('content-type')).toBe('image/svg+xml')
  expect(picture.text).toMatch(new RegExp(`^<svg .*>${initials}</text></svg>$`))
  const data = await mock.call('GET', `/users/${id}/avatar`, { headers: { Accept: 'application/json' } })
  expect(data.headers.get('content-type')).toBe('application/json')
})
