import { createMock } from '../../src/doors/program/mock.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { ask, message } from '../doors/listener/wire.js'
import { type CallOptions, startTestMock, type TestMock } from '../mock.js'

const mock = await startTestMock({ tokenCookie: 'kcm-token' })
/** Without --token-cookie. */
const usual = await startTestMock()
beforeEach(() => Promise.all([mock.reset(), usual.reset()]))

const role = '/api/get-user-role'

/** Calls without an Authorization header. */
function by(cookie: string | undefined, method: string, path: string, on = mock, given: CallOptions = {}) {
  const headers = { ...given.headers, ...(cookie !== undefined && { Cookie: cookie }) }
  return on.call(method, path, { ...given, as: null, headers })
}

async function roleBy(cookie: string | undefined, on?: TestMock): Promise<unknown[]> {
  const { status, body } = await by(cookie, 'GET', role, on)
  return [status, body.role ?? body.detail]
}

test.each([
  ['kcm-token=basic', 'basic'],
  ['theme=dark; kcm-token=curator; other=1', 'curator'],
  ['kcm-token="admin"', 'admin'],
  ['kcm-token=basic%7Ebox', 'basic'],
  ['kcm-token=curator; kcm-token=admin', 'curator']
])('a cookie: %s signs in', async (cookie, expected) => {
  expect(await roleBy(cookie)).toEqual([200, expected])
})

test('a cookie names a sandbox, but X-Mock-Sandbox has priority', async () => {
  const name = { body: { name: 'Renamed' } }
  await by('kcm-token=admin~mine', 'PATCH', '/api/persona/1', mock, name)
  const nameIn = async (sandbox: string) => {
    const { body } = await mock.call('GET', '/api/persona/1', { headers: { 'X-Mock-Sandbox': sandbox } })
    return body.name
  }
  expect([await nameIn('mine'), (await nameIn('default')) === 'Renamed']).toEqual(['Renamed', false])
  const headers = { 'X-Mock-Sandbox': 'yours' }
  await by('kcm-token=admin~mine', 'PATCH', '/api/persona/1', mock, { headers, body: { name: 'Yours' } })
  expect([await nameIn('mine'), await nameIn('yours')]).toEqual(['Renamed', 'Yours'])
})

test('a cookie is ignored if there is an Authorization header, whatever its value', async () => {
  const headers = { Cookie: 'kcm-token=admin' }
  expect((await mock.call('GET', role, { as: 'basic', headers: { ...headers } })).body.role).toBe('basic')
  const wrong = { ...headers, Authorization: 'Basic YWRtaW46' }
  expect((await mock.call('GET', role, { as: null, headers: wrong })).status).toBe(401)
})

test.each([
  [undefined, 'there is no Authorization header, and no cookie kcm-token that counts (auth.cookie).'],
  ['theme=dark; xkcm-token=admin; kcm-token-2=admin; kcm-token=', 'there is no Authorization header, and no cookie'],
  ['kcm-token=ad min', 'the value of the cookie kcm-token has characters that are not allowed in a token.'],
  ['kcm-token=nobody', 'no user of this sandbox has the token in the cookie kcm-token. Tokens are the keys'],
  ['kcm-token=piet', 'the user with the token in the cookie kcm-token is deactivated.']
])('a cookie: %s is refused, and says what was tried', async (cookie, reason) => {
  expect(await roleBy(cookie)).toEqual([401, expect.stringContaining(`Not authenticated: ${reason}`)])
})

test('a cookie has another name with the option --token-cookie', async () => {
  const other = await startTestMock({ tokenCookie: 'my.session$' })
  expect(await roleBy('my.session$=basic', other)).toEqual([200, 'basic'])
  expect(await roleBy('myXsession$=basic', other)).toEqual([401, expect.stringContaining('cookie my.session$')])
  expect(await roleBy('kcm-token=basic', other)).toEqual([401, expect.anything()])
})

test.each(['', 'a b', 'a=b', 'a;b', 'kcm-visitor', '__Host-kcm-visitor'])(
  'a cookie cannot be named %j',
  (tokenCookie) => {
    expect(() => createMock({ tokenCookie })).toThrow(`tokenCookie is ${tokenCookie}: give a cookie's name`)
  }
)

test('a cookie after a long list of other cookies is read in one pass', async () => {
  const { status } = await by(`${'; '.repeat(5000)}kcm-token=basic`, 'GET', role)
  expect(status).toBe(200)
})

const entered = async (query: string, on = usual) => {
  const { headers } = await by(undefined, 'GET', `/__mock/enter?${query}`, on)
  return (headers.get('set-cookie') as string).split(';')[0] as string
}
const assumedBy = async (cookie: string, on = usual) => {
  const { status, headers } = await by(cookie, 'GET', role, on)
  return [status, headers.get('x-mock-assumed')?.includes('auth.cookie')]
}

test.each(['kcm-token=admin', 'kcm-token=admin~box', 'kcm-token="basic"', 'kcm-token=admin~entered'])(
  'a cookie without --token-cookie: %s that was set by hand does not count, and the answer says why',
  async (cookie) => {
    expect(await assumedBy(cookie)).toEqual([401, true])
    const [, detail] = await roleBy(cookie, usual)
    expect(detail).toContain('no cookie kcm-token that counts (auth.cookie)')
  }
)

test('a cookie without --token-cookie counts after /__mock/enter, and each answer names auth.cookie', async () => {
  expect(await assumedBy(await entered('user=basic'))).toEqual([200, true])
  const cookie = await entered('user=basic&sandbox=box')
  expect(cookie).toContain('kcm-token=basic~box')
  expect(await roleBy(cookie, usual)).toEqual([200, 'basic'])
  expect(usual.sandboxes.find('box')).toBeDefined()
  const { status, headers } = await by(cookie, 'GET', '/api/manage/admin/credential', usual)
  expect([status, headers.get('x-mock-assumed')]).toEqual([403, expect.stringContaining('auth.cookie')])
})

test('a cookie without --token-cookie from /__mock/enter counts in another process, and after a restart', async () => {
  expect(await assumedBy(await entered('user=curator'), await startTestMock())).toEqual([200, true])
})

test('a cookie without --token-cookie that does not count leaves the request to the user of --anonymous', async () => {
  const open = await startTestMock({ anonymous: 'basic' })
  expect(await roleBy('kcm-token=admin', open)).toEqual([200, 'basic'])
  const [{ user }] = (await open.call('GET', '/__mock/requests?limit=1')).body.requests
  expect(user).toBe('basic')
})

test('a cookie without --token-cookie counts in a sandbox that chooses so, and in no other', async () => {
  const headers = { 'X-Mock-Sandbox': 'open' }
  await usual.call('PATCH', '/__mock/assumptions', { body: { 'auth.cookie': 'any' }, headers })
  expect(await assumedBy('kcm-token=admin~open')).toEqual([200, true])
  expect(await assumedBy('kcm-token=admin')).toEqual([401, true])
})

test('a cookie without --token-cookie is not named when there is an Authorization header', async () => {
  const { headers } = await usual.call('GET', role, { headers: { Cookie: 'kcm-token=admin' } })
  expect(headers.get('x-mock-assumed') ?? '').not.toContain('auth.cookie')
})

const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
const urlOf = ({ path }: Operation, { path: values = {} }: Operation['examples'][string]) =>
  path.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))

test.each(['admin', 'curator', 'basic', 'nobody'])(
  'each role check gives the same result by header and by cookie for %s',
  async (user) => {
    const statuses = new Set<number>()
    for (const operation of operations.values()) {
      if (operation.form) continue
      const [example = {}] = Object.values(operation.examples)
      const given = example.body === undefined ? {} : { body: example.body }
      const [method, path] = [operation.method, urlOf(operation, example)]
      const byHeader = await mock.call(method, path, { as: `${user}~by-header`, ...given })
      const byCookie = await by(`kcm-token=${user}~by-cookie`, method, path, mock, given)
      const of = ({ status, text, headers }: typeof byHeader) => [
        status,
        text,
        headers.get('x-mock-assumed')?.replace(/auth\.cookie,? ?/, '') || null
      ]
      const text = byHeader.text.replace('this token', 'the token in the cookie kcm-token')
      expect([operation.id, ...of(byCookie)]).toEqual([operation.id, ...of({ ...byHeader, text: text })])
      statuses.add(byCookie.status)
    }
    expect([...statuses].some((it) => it === (user === 'nobody' ? 401 : 200))).toBe(true)
    expect(statuses.has(403)).toBe(['curator', 'basic'].includes(user))
  }
)

test('--anonymous is the user of requests without a token, in the sandbox that they name', async () => {
  const open = await startTestMock({ anonymous: 'basic', tokenCookie: 'kcm-token' })
  expect(await roleBy(undefined, open)).toEqual([200, 'basic'])
  expect(await roleBy('kcm-token=curator', open)).toEqual([200, 'curator'])
  expect((await open.call('GET', role)).body.role).toBe('admin')
  expect((await open.call('GET', role, { as: 'wrong' })).status).toBe(401)
  expect((await by(undefined, 'GET', '/api/manage/admin/credential', open)).status).toBe(403)
  const headers = { 'X-Mock-Sandbox': 'other' }
  expect((await by(undefined, 'GET', role, open, { headers })).status).toBe(200)
  expect(open.sandboxes.find('other')).toBeDefined()
})

test('--anonymous is refused if the sandbox has no such user, also with --auth any', async () => {
  const open = await startTestMock({ anonymous: 'basic', auth: 'any', tokenCookie: 'kcm-token' })
  const state = (await open.call('GET', '/__mock/state')).body
  const { users } = state.collections
  const renamed = users.map((user: { key: string }) => (user.key === 'basic' ? { ...user, key: 'other' } : user))
  await open.call('PUT', '/__mock/state', {
    body: { ...state, collections: { ...state.collections, users: renamed } }
  })
  const reason = 'no token was sent, and --anonymous names the user basic, which this sandbox does not have.'
  expect(await roleBy(undefined, open)).toEqual([401, `Not authenticated: ${reason}`])
  expect(await roleBy('kcm-token=nobody', open)).toEqual([200, 'admin'])
})

test('--anonymous must name a user', () => {
  expect(() => createMock({ anonymous: 'bassic' })).toThrow(
    /^anonymous is bassic: give the key of a user, one of .*admin.*basic/
  )
})

test('the control API accepts no cookie and no anonymous user as its token', async () => {
  const closed = await startTestMock({ controlToken: 'open-sesame', anonymous: 'admin' })
  const cookie = 'kcm-token=open-sesame'
  expect((await by(cookie, 'GET', '/__mock/state', closed)).status).toBe(401)
  expect((await by(undefined, 'GET', '/__mock/state', closed)).status).toBe(401)
  expect((await closed.call('GET', '/__mock/state', { as: 'open-sesame' })).status).toBe(200)
})

test('the control API ignores the sandbox that a cookie names', async () => {
  const before = (await mock.call('GET', '/__mock/clock')).body.now
  await by('kcm-token=admin~mine', 'GET', role)
  await by('kcm-token=admin~mine', 'PUT', '/__mock/clock', mock, { body: { advance: '1h' } })
  expect((await mock.call('GET', '/__mock/clock', { as: 'admin~mine' })).body.now).toBe(before)
  expect((await mock.call('GET', '/__mock/clock')).body.now).not.toBe(before)
})

test('the journal hides the cookie', async () => {
  await by('kcm-token=basic~default', 'GET', role)
  const { requests } = (await mock.call('GET', '/__mock/requests?limit=1')).body
  const detail = (await mock.call('GET', `/__mock/requests/${requests[0].id}`)).body
  expect([detail.user, detail.request.headers.cookie]).toEqual(['basic', '***'])
})

describe('pages of other origins', () => {
  const headersFor = async (corsOrigin: string[] | undefined, Origin: string) => {
    const other = await startTestMock({ tokenCookie: 'kcm-token', ...(corsOrigin && { corsOrigin }) })
    const { headers } = await by('kcm-token=basic', 'GET', role, other, { headers: { Origin } })
    return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
  }

  test.each([
    [undefined, 'http://localhost:5173', ['http://localhost:5173', 'true']],
    [undefined, 'https://app.example', ['*', null]],
    [['https://app.example'], 'https://app.example', ['https://app.example', 'true']],
    [['https://app.example', '*'], 'https://app.example', ['https://app.example', 'true']],
    [['https://app.example', '*'], 'https://other.example', ['*', null]],
    [['https://app.example'], 'http://localhost:5173', [null, 'true']]
  ])('--cors-origin %j: %s', async (origins, Origin, expected) => {
    expect(await headersFor(origins, Origin)).toEqual(expected)
  })
})

const enter = (query: Record<string, string>, on = mock, headers: Record<string, string> = {}) =>
  on.call('GET', `/__mock/enter?${new URLSearchParams(query)}`, { as: null, headers })

test('a link signs a browser in to a sandbox, and redirects it', async () => {
  const { status, headers, text } = await enter({ user: 'basic', sandbox: 'demo-3', to: '/docs?x=1#top' })
  expect([status, headers.get('location'), text]).toEqual([303, '/docs?x=1#top', ''])
  expect(headers.get('set-cookie')).toBe('kcm-token=basic~demo-3; Path=/; HttpOnly; SameSite=Lax')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(mock.sandboxes.find('demo-3')).toBeUndefined()
  const [cookie] = (headers.get('set-cookie') as string).split(';')
  expect(await roleBy(cookie)).toEqual([200, 'basic'])
  expect(mock.sandboxes.find('demo-3')).toBeDefined()
})

test('a link can sign a browser out and keep its sandbox', async () => {
  const open = await startTestMock({ anonymous: 'basic' })
  const { headers } = await enter({ anonymous: 'true', sandbox: 'demo-3' }, open)
  expect(headers.get('set-cookie')).toBe('kcm-token=~demo-3; Path=/; HttpOnly; SameSite=Lax')
  expect(await roleBy('kcm-token=~demo-3', open)).toEqual([200, 'basic'])
  expect(open.sandboxes.find('demo-3')).toBeDefined()
  expect(await roleBy('kcm-token=~demo-3')).toEqual([401, expect.stringContaining('no Authorization header')])
  expect((await enter({ anonymous: 'true' }, open)).headers.get('set-cookie')).toMatch(/^kcm-token=; .*; Max-Age=0$/)
  const both = await enter({ anonymous: 'true', user: 'admin' }, open)
  expect([both.status, both.body.errors[0].field]).toEqual([400, 'anonymous'])
})

test('a link sets a cookie that its name binds to TLS, and the start reports the requirements', async () => {
  const lines: string[] = []
  const options = { tokenCookie: '__Host-session', onProblem: (text: string) => void lines.push(text) }
  const { headers } = await enter({ user: 'basic' }, await startTestMock(options))
  expect(headers.get('set-cookie')).toBe('__Host-session=basic; Path=/; HttpOnly; SameSite=Lax; Secure')
  expect(lines).toEqual([expect.stringMatching(/^tokenCookie is __Host-session: browsers take .* over HTTPS only/)])
  createMock({ ...options, trustProxy: 1 })
  expect(lines).toHaveLength(1)
})

test('a link may omit everything, or leave it empty', async () => {
  const empty = { user: '', sandbox: '', scenario: '', to: '' }
  for (const query of [{}, empty] as Record<string, string>[]) {
    const { status, headers } = await enter(query)
    expect([status, headers.get('location')]).toEqual([303, '/'])
    expect(headers.get('set-cookie')).toMatch(/^kcm-token=admin;/)
  }
})

test.each([
  ['/', '/'],
  ['/a b/ü?q=ö', '/a%20b/%C3%BC?q=%C3%B6'],
  ['/a/../docs', '/docs'],
  ['http://localhost:5173/app', 'http://localhost:5173/app'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/']
])('a link goes to %s', async (to, location) => {
  expect((await enter({ to })).headers.get('location')).toBe(location)
})

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\r\nSet-Cookie: a=b',
  '\n//evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  'https://evil.example',
  'https:evil.example',
  'http:/evil.example',
  'http://localhost:5173@evil.example',
  'http://user:pass@localhost:5173/',
  'http://localhost.evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'docs',
  '?x',
  'http://this.invalid/',
  'http://['
])('a link does not go to %j', async (to) => {
  const { status, headers, body } = await enter({ to })
  expect([status, headers.get('location'), headers.get('set-cookie')]).toEqual([400, null, null])
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body.errors).toEqual([{ field: 'to', detail: expect.stringContaining('Give a path of this host') }])
})

test('a link redirects to the listed origins only, once there are any', async () => {
  const other = await startTestMock({ corsOrigin: ['https://app.example'] })
  // The Host header has the origin of the mock itself.
  const statuses = ['https://app.example/a', 'http://localhost:5173/', `${other.url}/docs`, '/'].map(
    async (to) => (await enter({ to }, other, { Host: new URL(other.url).host })).status
  )
  expect(await Promise.all(statuses)).toEqual([303, 400, 303, 303])
})

test('a link sets a Secure cookie over TLS only, which then also works for pages of other sites', async () => {
  const other = await startTestMock({ trustProxy: 1, corsOrigin: ['https://app.example'], tokenCookie: 'kcm-token' })
  const cookieFor = async (to: string) =>
    (await enter({ to }, other, { 'X-Forwarded-Proto': 'https' })).headers.get('set-cookie')
  expect(await cookieFor('/')).toBe('kcm-token=admin; Path=/; HttpOnly; SameSite=Lax; Secure')
  expect(await cookieFor('https://app.example')).toBe('kcm-token=admin; Path=/; HttpOnly; SameSite=None; Secure')
  expect((await enter({ to: 'https://app.example' }, other)).headers.get('set-cookie')).toMatch(/SameSite=Lax$/)
})

test.each([
  [{ user: 'bassic' }, 'user', 'No user of this sandbox has the key "bassic".'],
  [{ user: 'admin~box' }, 'user', 'No user of this sandbox has the key "admin~box".'],
  [{ scenario: 'demo' }, 'scenario', 'There is no scenario "demo".'],
  [{ where: '/' }, 'where', 'Unknown field. Known: user, anonymous, sandbox, scenario, to.']
])('a link with %j is refused', async (query, field, detail) => {
  const { status, headers, body } = await enter(query as Record<string, string>)
  expect([status, headers.get('set-cookie')]).toEqual([400, null])
  expect(body.errors).toEqual([expect.objectContaining({ field, detail })])
})

test('a link with an impossible name for a sandbox is refused', async () => {
  expect((await enter({ sandbox: 'a b' })).body.detail).toContain('A sandbox cannot be named "a b"')
})

test('a link with a wrong host is refused', async () => {
  const reply = await ask(mock.url, message('GET /__mock/enter?to=http://evil.example/', { Host: 'evil.example' }))
  expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined])
})

test('a link with --public signs a visitor in, who stays in the same private sandbox', async () => {
  const open = await startTestMock({ public: true })
  const first = await by(undefined, 'GET', role, open)
  const visitor = (first.headers.get('set-cookie') as string).split(';')[0] as string
  const entered = await by(visitor, 'GET', '/__mock/enter?user=basic&to=/', open)
  expect(entered.status).toBe(303)
  const cookies = `${visitor}; ${(entered.headers.get('set-cookie') as string).split(';')[0]}`
  const { status, body, headers } = await by(cookies, 'GET', role, open)
  expect([status, body.role, headers.get('set-cookie')]).toEqual([200, 'basic', null])
  const sandboxes = open.sandboxes.list().map(({ name }) => name)
  expect(sandboxes.sort()).toEqual(['default', expect.stringMatching(/^visitor-/)])
})

test('a link with --public plays its scenario in the sandbox of the visitor, who stays there', async () => {
  const open = await startTestMock({ public: true })
  const visitors = ['first', 'second'].map(async () => {
    const { status, headers } = await by(undefined, 'GET', '/__mock/enter?user=basic&scenario=first-day', open)
    const cookies = headers.getSetCookie().map((it) => it.split(';')[0])
    expect([status, cookies]).toEqual([303, [expect.stringMatching(/^kcm-visitor=/), 'kcm-token=basic~.entered']])
    return cookies.join('; ')
  })
  const [first, second] = (await Promise.all(visitors)) as [string, string]
  const chats = '/api/chat/get-user-chat-sessions'
  const before = (await by(second, 'GET', chats, open)).body.sessions
  const [{ id }] = (await by(first, 'GET', chats, open)).body.sessions
  expect((await by(first, 'DELETE', `/api/chat/delete-chat-session/${id}`, open)).status).toBe(200)
  expect((await by(second, 'GET', chats, open)).body.sessions).toEqual(before)
  expect(open.sandboxes.list().filter(({ name }) => name.startsWith('visitor-')).length).toBe(2)
})

test('a link with --public leads to the sandbox that it names, as a token with its name does, and sets no visitor cookie', async () => {
  const open = await startTestMock({ public: true })
  const entered = await by(undefined, 'GET', '/__mock/enter?user=basic&sandbox=room', open)
  const cookie = (entered.headers.get('set-cookie') as string).split(';')[0] as string
  expect(open.sandboxes.list().map(({ name }) => name)).not.toContain('room')
  const { status, headers } = await by(cookie, 'GET', role, open)
  expect([status, headers.get('set-cookie')]).toEqual([200, null])
  expect(open.sandboxes.list().map(({ name }) => name)).toContain('room')
})

test('a link with --public does not reveal other users when its user is wrong', async () => {
  const open = await startTestMock({ public: true })
  const { body } = await by(undefined, 'GET', '/__mock/enter?user=x', open)
  expect(body.errors).toEqual([{ field: 'user', detail: 'No user of this sandbox has the key "x".' }])
})
