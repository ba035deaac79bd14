import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MockOptions } from '../../../src/doors/options/mock-table.js'
import { createMock } from '../../../src/doors/program/mock.js'
import { type Answer, type CallOptions, call, startTestMock } from '../../mock.js'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** A public mock, with a time that the test moves. */
async function startPublic(options: MockOptions = {}) {
  let passed = 0
  const mock = createMock({ public: true, strict: true, ...options }, { realTime: () => Date.now() + passed })
  const server = createServer(mock.listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    sandboxes: mock.sandboxes,
    call: (method: string, path: string, given: CallOptions = {}) => call(url, method, path, given),
    visitor: () => visitor(url),
    pass: (seconds: number) => {
      passed += seconds * 1000
    }
  }
}

/** A browser that keeps its cookies. */
function visitor(url: string, more: Record<string, string> = {}) {
  let cookie: string | undefined
  return {
    get cookie() {
      return cookie
    },
    async ask(method: string, path: string, { headers, ...given }: CallOptions = {}): Promise<Answer> {
      const sent = { ...more, ...headers, ...(cookie && { Cookie: `theme=dark; ${cookie}` }) }
      const answer = await call(url, method, path, { ...given, headers: sent })
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return answer
    }
  }
}

const persona = '/api/persona/1'
const rename = { body: { name: 'Renamed' } }
const secret = 'a-secret-of-many-characters'
const credential = { credential_json: { slack_bot_token: secret }, source: 'slack', admin_public: true, name: 'Slack' }

test('a visitor gets a private sandbox, and returns to it by a cookie that scripts cannot read', async () => {
  const mock = await startPublic()
  const [one, two] = [mock.visitor(), mock.visitor()]
  const first = await one.ask('PATCH', persona, rename)
  expect(first.headers.get('set-cookie')).toMatch(/^kcm-visitor=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
  const again = await one.ask('GET', persona)
  expect([again.body.name, again.headers.get('set-cookie')]).toEqual(['Renamed', null])
  expect((await two.ask('GET', persona)).body.name).not.toBe('Renamed')
  expect((await mock.call('GET', persona, { as: 'admin~default' })).body.name).not.toBe('Renamed')
  expect(one.cookie).not.toBe(two.cookie)
})

test('a visitor that names a sandbox uses that sandbox, and gets no cookie', async () => {
  const mock = await startPublic()
  const named = await mock.call('PATCH', persona, { as: 'admin~mine', ...rename })
  expect(named.headers.get('set-cookie')).toBeNull()
  expect((await mock.call('GET', persona, { headers: { 'X-Mock-Sandbox': 'mine' } })).body.name).toBe('Renamed')
})

test.each([
  [
    'of another name',
    (cookie: string) => cookie.replace(/=visitor-(.)/, (_, first) => `=visitor-${first === '_' ? 'a' : '_'}`)
  ],
  ['of another secret', (cookie: string) => `${cookie.split('.')[0]}.${'A'.repeat(43)}`],
  ['of the default sandbox', (cookie: string) => cookie.replace(/=[^.]+/, '=default')],
  ['without a signature', (cookie: string) => cookie.replace(/\..*/, '')]
])('a visitor with a cookie %s gets a new sandbox', async (_, forge) => {
  const mock = await startPublic()
  const own = mock.visitor()
  await own.ask('PATCH', persona, rename)
  const forged = forge(own.cookie as string)
  expect(forged).not.toBe(own.cookie)
  const { body, headers } = await mock.call('GET', persona, { headers: { Cookie: forged } })
  expect([body.name !== 'Renamed', headers.get('set-cookie')?.includes(own.cookie as string)]).toEqual([true, false])
  expect(headers.get('set-cookie')).toContain('kcm-visitor=visitor-')
})

test('a visitor keeps its cookie over a restart with the same secret, and the cookie is bound to the host over TLS', async () => {
  const options = { cookieSecret: 'the same', trustProxy: 1 }
  const [before, after] = [await startPublic(options), await startPublic(options)]
  const tls = { 'X-Forwarded-Proto': 'https' }
  const first = await before.call('GET', persona, { headers: { ...tls } })
  const cookie = first.headers.get('set-cookie') as string
  expect(cookie).toMatch(/^__Host-kcm-visitor=.*; Secure$/)
  expect(first.headers.get('strict-transport-security')).toContain('max-age')
  const Cookie = cookie.split(';')[0] as string
  expect((await after.call('GET', persona, { headers: { ...tls, Cookie } })).headers.get('set-cookie')).toBeNull()
  const other = await startPublic({ ...options, cookieSecret: 'another' })
  expect((await other.call('GET', persona, { headers: { ...tls, Cookie } })).headers.get('set-cookie')).not.toBeNull()
})

test('a visitor loses its sandbox at the announced time when it stays away, and gets a fresh one afterwards', async () => {
  const mock = await startPublic()
  const one = mock.visitor()
  const { headers } = await one.ask('PATCH', persona, rename)
  const left = Date.parse(headers.get('x-mock-resets-at') as string) - Date.now()
  expect([left > 3_590_000, left <= 3_600_000]).toEqual([true, true])
  mock.pass(3500)
  expect((await one.ask('GET', persona)).body.name).toBe('Renamed')
  mock.pass(3601)
  const { status, body } = await one.ask('GET', persona)
  expect([status, body.name !== 'Renamed']).toEqual([200, true])
})

test('a visitor gets a sandbox when all are taken, in place of one that has not been used again', async () => {
  const mock = await startPublic({ maxSandboxes: 3 })
  const [one, two, three] = [mock.visitor(), mock.visitor(), mock.visitor()]
  for (const it of [one, two, one, three]) expect((await it.ask('PATCH', persona, rename)).status).toBe(200)
  expect((await one.ask('GET', persona)).body.name).toBe('Renamed')
  expect((await two.ask('GET', persona)).body.name).not.toBe('Renamed')
  expect(mock.sandboxes.list()).toHaveLength(3)
})

test('a visitor may store only so much, and gets a 413 with the limit', async () => {
  const one = (await startPublic()).visitor()
  const put = (length: number) =>
    one.ask('POST', '/api/user/projects/1/instructions', { body: { instructions: 'x'.repeat(length) } })
  const refused = await put(200 * 1024)
  expect([refused.status, refused.body.detail]).toEqual([
    413,
    expect.stringMatching(/would have more than 131072 bytes .* \(--max-sandbox-bytes\)/)
  ])
  expect((await put(100 * 1024)).status).toBe(200)
})

test('a visitor may delay an answer by seconds, not by an hour', async () => {
  const mock = await startPublic()
  const wait = (to: typeof mock, delay: number) =>
    to.call('GET', persona, { headers: { Prefer: `delay=${delay}, code=200` } })
  const { status, body } = await wait(mock, 5001)
  expect([status, body.detail]).toEqual([400, 'delay is "5001". Give whole milliseconds from 0 to 5000.'])
  expect((await wait(mock, 1)).status).toBe(200)
})

test('a visitor is not created by a health check or by a request over the rate limit', async () => {
  const mock = await startPublic({ rateLimit: 1 })
  await mock.call('GET', '/__mock/health')
  await call(mock.url, 'GET', persona)
  const before = mock.sandboxes.list().length
  for (let turn = 0; turn < 5; turn++) expect((await mock.call('GET', persona)).status).toBe(429)
  expect(mock.sandboxes.list()).toHaveLength(before)
})

test('the control API of a public mock is off without a token, except for health', async () => {
  const mock = await startPublic()
  expect((await mock.call('GET', '/__mock/health', { as: null })).body).toMatchObject({ status: 'ok' })
  for (const [method, path] of [
    ['GET', '/__mock/state'],
    ['GET', '/__mock/metrics'],
    ['POST', '/__mock/reset'],
    ['DELETE', '/__mock/health']
  ] as const) {
    expect([path, (await mock.call(method, path)).status]).toEqual([path, 404])
  }
})

test('the control API of a public mock serves a dashboard only with a token, and sends the policy of pages with the explorer in any case', async () => {
  const [closed, open] = [await startPublic(), await startPublic({ controlToken: 'open-sesame' })]
  const pages = async (mock: typeof open) => Promise.all(['/__mock/', '/docs'].map((path) => mock.call('GET', path)))
  const [noDashboard, explorer] = (await pages(closed)) as [Answer, Answer]
  const [dashboard] = (await pages(open)) as [Answer, Answer]
  expect([noDashboard.status, dashboard.status, explorer.status]).toEqual([404, 200, 200])
  for (const { headers } of [dashboard, explorer]) {
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self'.*frame-ancestors 'none'/)
    expect(headers.get('x-frame-options')).toBe('DENY')
  }
  expect((await closed.call('GET', '/')).headers.get('location')).toBe('/docs')
})

test('the control API of a public mock needs its token even on this machine', async () => {
  const mock = await startPublic({ controlToken: 'open-sesame' })
  expect((await mock.call('GET', '/__mock/state')).status).toBe(401)
  expect((await mock.call('GET', '/__mock/state', { as: 'open-sesame' })).status).toBe(200)
})

test('the control API of a public mock shows no secret, whatever is asked', async () => {
  const mock = await startPublic({ controlToken: 'open-sesame' })
  const as = 'open-sesame'
  const headers = () => ({ 'X-Mock-Sandbox': 'box' })
  const made = await mock.call('POST', '/api/manage/credential', { body: credential, headers: headers() })
  const { id } = made.body
  const row = { ...credential, id: undefined }
  const answers = [
    made,
    await mock.call('GET', `/api/manage/credential/${id}`, { headers: headers() }),
    await mock.call('GET', '/__mock/state', { as, headers: headers() }),
    await mock.call('GET', '/__mock/state/credentials', { as, headers: headers() }),
    await mock.call('GET', `/__mock/state/credentials/${id}`, { as, headers: headers() }),
    await mock.call('POST', '/__mock/state/credentials', { as, headers: headers(), body: row }),
    await mock.call('GET', '/__mock/requests/r1', { as, headers: headers() })
  ]
  expect(answers.map(({ status }) => status).slice(0, 5)).toEqual([200, 200, 200, 200, 200])
  for (const { text } of answers) expect(text).not.toContain(secret)
  const search = await mock.call('GET', `/__mock/state/credentials?q=${secret}`, { as, headers: headers() })
  expect(search.body.total).toBe(0)
  const change = await mock.call('PATCH', '/__mock/assumptions', {
    as,
    headers: headers(),
    body: { 'credential.masking': 'plain' }
  })
  expect([change.status, change.body.errors[0].allowed]).toEqual([400, ['masked']])
  const kept = [...(mock.sandboxes.use('box').rows.credentials?.all() ?? [])].find((it) => it.id === id)
  expect(kept?.credential_json).toEqual({ slack_bot_token: secret })
})

test('the control API of a public mock does not start with secrets shown', () => {
  expect(() => createMock({ public: true, assume: { 'credential.masking': 'plain' } })).toThrow('Choices: masked')
})

test('every answer of a public mock has the security headers', async () => {
  const mock = await startPublic()
  for (const [method, path] of [
    ['GET', persona],
    ['GET', '/nowhere'],
    ['DELETE', persona],
    ['GET', '/openapi.json'],
    ['GET', '/__mock/health'],
    ['GET', '/__mock/state']
  ] as const) {
    const { headers } = await mock.call(method, path)
    expect([path, Object.fromEntries(headers)]).toEqual([
      path,
      expect.objectContaining({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY'
      })
    ])
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null])
  }
})

test('a public mock accepts only small bodies by default', async () => {
  const assume = { 'limits.upload': 'standard' }
  const body = { ...credential, credential_json: { key: 'x'.repeat(2 * 1024 * 1024) } }
  const status = async (mock: Awaited<ReturnType<typeof startPublic>>) =>
    (await mock.call('POST', '/api/manage/credential', { body })).status
  expect(await status(await startPublic())).toBe(413)
  expect(await status(await startPublic({ assume, maxSandboxBytes: 4 * 1024 * 1024 }))).toBe(200)
})

const statuses = async (count: number, ask: () => Promise<Answer>) => {
  const answers: Answer[] = []
  for (let turn = 0; turn < count; turn++) answers.push(await ask())
  return answers
}

test('the rate limit refuses a request over the limit with the time to wait, and counts it as refused', async () => {
  const mock = await startTestMock({ rateLimit: 3 })
  const answers = await statuses(4, () => mock.call('GET', persona, { headers: { Origin: 'https://app.example' } }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  const { body, headers } = answers[3] as Answer
  const seconds = Number(headers.get('retry-after'))
  expect([Number.isInteger(seconds), seconds > 0, seconds <= 60]).toEqual([true, true, true])
  expect(body.detail).toBe(
    `More than 3 requests in a minute from one address (--rate-limit). Try again in ${seconds} seconds.`
  )
  // A page of another origin may read it.
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(mock.handle('default').requests()[0]).toMatchObject({ status: 429, refusal: 'rate-limited' })
})

test('the rate limit accepts requests again after its minute', async () => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'setInterval', 'performance']
  })
  try {
    const mock = await startTestMock({ rateLimit: 1 })
    const [good, refused] = await statuses(2, () => mock.call('GET', persona))
    jest.setSystemTime(Date.now() + 1000 * Number(refused?.headers.get('retry-after')) + 1)
    expect([good?.status, refused?.status, (await mock.call('GET', persona)).status]).toEqual([200, 429, 200])
  } finally {
    jest.useRealTimers()
  }
})

test('the rate limit counts each visitor, and all requests from an address together', async () => {
  const mock = await startPublic({ rateLimit: 4 })
  const visitors = Array.from({ length: 4 }, () => mock.visitor())
  for (const it of visitors) expect((await it.ask('GET', persona)).status).toBe(200)
  expect((await mock.visitor().ask('GET', persona)).status).toBe(429)
  const [one, two, three, four] = visitors as [Visitor, Visitor, Visitor, Visitor]
  const answers = [
    ...(await statuses(5, () => one.ask('GET', persona))),
    ...(await statuses(4, () => two.ask('GET', persona)))
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 200, 200, 200, 200])
  expect((await statuses(4, () => three.ask('GET', persona))).every(({ status }) => status === 200)).toBe(true)
  // Five times as many for the address: 4, 4, 4, 4 and 4.
  const last = await statuses(5, () => four.ask('GET', persona))
  expect(last.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429])
})

test('the rate limit trusts addresses only from the proxies that it was configured with', async () => {
  const from = (mock: { url: string }, forwarded: string) =>
    call(mock.url, 'GET', persona, { headers: { 'X-Forwarded-For': forwarded } })
  const direct = await startTestMock({ rateLimit: 1 })
  expect([(await from(direct, '1.1.1.1')).status, (await from(direct, '2.2.2.2')).status]).toEqual([200, 429])
  const behind = await startTestMock({ rateLimit: 1, trustProxy: 1 })
  const senders = [
    '1.1.1.1',
    '2.2.2.2',
    '9.9.9.9, 1.1.1.1',
    '2001:db8:1:2::7',
    '2001:db8:1:2:ffff::8',
    '2001:db8:1:3::7'
  ]
  const answers: number[] = []
  for (const forwarded of senders) answers.push((await from(behind, forwarded)).status)
  expect(answers).toEqual([200, 200, 429, 200, 429, 200])
})

test('the rate limit does not count health checks or the preflights of browsers', async () => {
  const mock = await startTestMock({ rateLimit: 1 })
  const headers = () => ({ Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' })
  const preflights = await statuses(3, () => mock.call('OPTIONS', persona, { headers: headers() }))
  expect([...preflights, await mock.call('GET', persona)].map(({ status }) => status)).toEqual([204, 204, 204, 200])
  const answers = await statuses(5, () => mock.call('GET', '/__mock/health'))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
type Visitor = ReturnType<typeof visitor>

test('a scheduled reset is announced on every answer, and then restores the state of a start at that time', async () => {
  const begun = Date.now()
  const mock = await startPublic({ public: false, resetEvery: '24h' })
  const at = async () => Date.parse((await mock.call('GET', persona)).headers.get('x-mock-resets-at') as string)
  const first = await at()
  // Its clock began somewhere between.
  expect(first - 86_400_000).toBeGreaterThanOrEqual(begun)
  expect(first - 86_400_000).toBeLessThanOrEqual(Date.now())
  await mock.call('PATCH', persona, rename)
  await mock.call('PATCH', persona, { as: 'admin~other', ...rename })
  await mock.call('POST', '/__mock/snapshots/kept')
  mock.pass(86_000)
  expect([(await mock.call('GET', persona)).body.name, await at()]).toEqual(['Renamed', first])

  mock.pass(401 + 2 * 86_400)
  // Two were missed: one reset replaces all three, and the next is on schedule.
  expect(await at()).toBe(first + 3 * 86_400_000)
  expect((await mock.call('GET', persona)).body.name).not.toBe('Renamed')
  expect((await mock.call('GET', persona, { as: 'admin~other' })).body.name).not.toBe('Renamed')
  expect((await mock.call('GET', '/__mock/snapshots')).body.snapshots).toEqual([])
  const { now } = (await mock.call('GET', '/__mock/clock')).body
  const passed = (86_401 + 2 * 86_400) * 1000
  expect(Date.parse(now)).toBeGreaterThanOrEqual(begun + passed)
  expect(Date.parse(now)).toBeLessThanOrEqual(Date.now() + passed)
})

test('a scheduled reset and the end of an idle sandbox: the earlier of the two is announced', async () => {
  const begun = Date.now()
  const mock = await startPublic({ resetEvery: '2h' })
  const left = async () => {
    const { headers } = await mock.call('GET', persona)
    return Date.parse(headers.get('x-mock-resets-at') as string)
  }
  const first = await left()
  mock.pass(5400)
  const later = (await left()) - first - 3_600_000
  expect(Math.abs(later)).toBeLessThanOrEqual(Date.now() - begun + 1000)
})

test('a scheduled reset refuses a value that is not a duration', () => {
  expect(() => createMock({ resetEvery: 'daily' })).toThrow('such as "2h"')
  expect(() => createMock({ resetEvery: 0 })).toThrow('give a duration above 0')
})
