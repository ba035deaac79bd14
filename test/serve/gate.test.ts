import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MockOptions } from '../../src/doors/options/mock-table.js'
import { createMock, type OpenMock } from '../../src/doors/program/mock.js'
import { message, ask as wire } from '../doors/listener/wire.js'
import { startTestMock } from '../mock.js'

const servers: Server[] = []
const mocks: OpenMock[] = []
afterAll(async () => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  for (const mock of mocks) await mock.close()
})

type Ask = (path: string, init?: RequestInit) => Promise<Response>

function made(options: MockOptions): OpenMock {
  const mock = createMock(options)
  mocks.push(mock)
  return mock
}

const inProcess =
  (mock: OpenMock): Ask =>
  (path, init) =>
    mock.fetch(`http://mock${path}`, { redirect: 'manual', ...init })

async function overSocket(handler: OpenMock['listener']): Promise<Ask> {
  const server = createServer(handler).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return (path, init) => fetch(url + path, { redirect: 'manual', ...init })
}

const doors: Record<string, (mock: OpenMock) => Ask | Promise<Ask>> = {
  socket: (mock) => overSocket(mock.listener),
  Express: (mock) => overSocket(mock.app as OpenMock['listener']),
  fetch: inProcess
}

const json = { 'Content-Type': 'application/json' }
const paths: Record<string, [string, RequestInit?]> = {
  'an operation': ['/api/persona/1', { headers: { Authorization: 'Bearer admin' } }],
  'a request without a token': ['/api/persona/1'],
  'an unknown path': ['/nowhere'],
  'a path with an override': ['/api/own'],
  'the explorer': ['/docs'],
  'an asset': ['/__mock/assets/main.js'],
  'the dashboard': ['/__mock/'],
  'the document': ['/openapi.json'],
  'the control API': ['/__mock/clock'],
  'a write of the control API': ['/__mock/clock', { method: 'PUT', headers: json, body: '{"advance": 1}' }],
  'an unknown control call': ['/__mock/nothing'],
  'a sign-in': ['/__mock/enter?user=basic'],
  'an agent': ['/__mock/mcp', { method: 'POST', headers: json, body: '{"jsonrpc": "2.0", "id": 1, "method": "ping"}' }],
  events: ['/__mock/events']
}

describe.each(Object.keys(doors))('through %s, the rate limit', (door) => {
  test.each(Object.keys(paths))('counts %s', async (name) => {
    const mock = made({ rateLimit: 2 })
    mock.sandbox().override({ path: '/api/own', status: 200, body: {} } as never)
    const ask = await (doors[door] as (mock: OpenMock) => Promise<Ask>)(mock)
    const [path, init] = paths[name] as [string, RequestInit?]
    const statuses: number[] = []
    for (let turn = 0; turn < 3; turn++) {
      const response = await ask(path, init)
      statuses.push(response.status)
      await response.body?.cancel()
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    // A call of an agent counts as more than one.
    expect([statuses[0] === 429, statuses[2]]).toEqual([false, 429])
  })
})

describe('a larger call counts as several requests', () => {
  /** The number of allowed calls, with a limit of a hundred. */
  const times = async (path: string, init?: RequestInit) => {
    const ask = inProcess(made({ rateLimit: 100 }))
    let count = 0
    while (count <= 100 && (await ask(path, init)).status !== 429) count += 1
    return count
  }
  const post = (body: unknown, method = 'POST') => ({ method, headers: json, body: JSON.stringify(body) })

  test.each<[number, string, RequestInit]>([
    [100, '/api/persona/1', {}],
    [100, '/__mock/clock', {}],
    [100, '/__mock/enter?user=basic', {}],
    [10, '/__mock/enter?user=admin&scenario=first-day', {}],
    [10, '/__mock/scenarios/first-day', post({})],
    [20, '/__mock/reset', post({})],
    [20, '/__mock/state/labels', post({ name: 'One' })],
    [20, '/__mock/sandboxes', post({ name: 'fork', from: 'default' })],
    [20, '/__mock/capsule', {}]
  ])('%d of %s', async (expected, path, init) => {
    expect(await times(path, init)).toBe(expected)
  })

  test('a larger call never counts as more than a minute allows', async () => {
    const ask = inProcess(made({ rateLimit: 1 }))
    expect((await ask('/__mock/reset', post({}))).status).toBe(200)
  })

  test('a call from inside the process does not count', async () => {
    const mock = made({ rateLimit: 1 })
    await mock.sandbox().play('first-day')
    expect((await inProcess(mock)('/docs')).status).toBe(200)
  })
})

const persona = '/api/persona/1'
const as = (sandbox: string) => ({ headers: { Authorization: `Bearer admin~${sandbox}` } })
const rename = (sandbox: string) => ({
  method: 'PATCH',
  headers: { ...as(sandbox).headers, ...json },
  body: '{"name": "Renamed"}'
})
const started = (options: MockOptions = {}) => {
  let passed = 0
  const mock = createMock(
    { public: true, rateLimit: 0, maxSandboxes: 4, ...options },
    { realTime: () => Date.now() + passed }
  )
  mocks.push(mock)
  const pass = (minutes: number) => {
    passed += minutes * 60_000
  }
  return { mock, ask: inProcess(mock), pass, has: (name: string) => mock.sandboxes.find(name) !== undefined }
}
const strangers = (ask: Ask, count = 10) =>
  Promise.all(Array.from({ length: count }, (_, at) => ask(persona, as(`stranger-${at}`))))

test('in a public mock, a sandbox in use is not dropped for the new sandboxes of another client', async () => {
  const { ask, has } = started()
  await ask(persona, rename('mine'))
  expect(((await (await ask(persona, as('mine'))).json()) as { name: string }).name).toBe('Renamed')
  for (let at = 0; at < 10; at++) expect((await ask(persona, as(`stranger-${at}`))).status).toBe(200)
  expect([has('mine'), has('stranger-9'), has('stranger-5')]).toEqual([true, true, false])
})

test('in a public mock, a sandbox in use may be dropped after ten minutes without a request', async () => {
  const { ask, has, pass } = started()
  for (let turn = 0; turn < 2; turn++) await ask(persona, as('mine'))
  pass(11)
  for (const it of ['a', 'b', 'c']) for (let turn = 0; turn < 2; turn++) await ask(persona, as(it))
  expect([has('mine'), has('a'), has('c')]).toEqual([false, true, true])
})

test('in a public mock, a sandbox in use is kept when all are in use, and another client gets a 503 with the time to wait', async () => {
  const { ask, has } = started()
  for (const it of ['a', 'b', 'c']) for (let turn = 0; turn < 2; turn++) await ask(persona, as(it))
  const refused = await ask(persona, as('stranger'))
  const seconds = Number(refused.headers.get('retry-after'))
  expect([refused.status, seconds > 0, seconds <= 600]).toEqual([503, true, true])
  expect(((await refused.json()) as { detail: string }).detail).toContain('all are in use')
  expect(['a', 'b', 'c', 'stranger'].map(has)).toEqual([true, true, true, false])
  expect((await ask(persona, as('a'))).status).toBe(200)
})

test('in a public mock, a sandbox in use is one with a watched event stream, or with an open request', async () => {
  const { mock, ask, has } = started({ controlToken: 'secret' })
  await ask(persona, as('watched'))
  const gone = new AbortController()
  const headers = { 'X-Mock-Sandbox': 'watched', 'X-Mock-Control-Token': 'secret' }
  const events = await ask('/__mock/events', { headers, signal: gone.signal })
  const reader = events.body?.getReader()
  await reader?.read()
  const waiting = ask(persona, {
    headers: { ...as('waiting').headers, Prefer: 'delay=5000, code=200' },
    signal: gone.signal
  }).catch(() => {})
  while (!has('waiting')) await ask('/__mock/health')
  for (let at = 0; at < 5; at++) await ask(persona, as(`stranger-${at}`))
  expect([has('watched'), has('waiting'), mock.sandboxes.list().length]).toEqual([true, true, 4])
  gone.abort()
  await waiting
})

test('an address may create some of all sandboxes at a time, and continues in those that it has', async () => {
  const { ask } = started({ maxSandboxes: 1000 })
  const statuses = (await strangers(ask, 101)).map(({ status }) => status)
  expect([statuses.filter((it) => it === 200).length, statuses[100]]).toEqual([100, 429])
  const refused = await ask(persona, as('one-more'))
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect(((await refused.json()) as { detail: string }).detail).toContain('More than 100 new sandboxes in 10 minutes')
  expect((await ask(persona, as('stranger-1'))).status).toBe(200)
  const visitor = await ask(persona)
  expect([visitor.status, visitor.headers.get('set-cookie')]).toEqual([429, null])
})

test('in a public mock, a sandbox in use links with scenarios count as new sandboxes, too', async () => {
  const { ask, has } = started({ maxSandboxes: 100 })
  for (let turn = 0; turn < 2; turn++) await ask(persona, as('mine'))
  const link = (at: number) => ask(`/__mock/enter?sandbox=link-${at}&scenario=first-day`)
  const statuses: number[] = []
  for (let at = 0; at < 21; at++) statuses.push((await link(at)).status)
  // The first of the twenty was `mine`.
  expect([statuses.filter((it) => it === 303).length, statuses[20], has('mine')]).toEqual([19, 429, true])
})

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** The headers that browsers send. */
const sent = (site: string, mode: string, dest: string, more: Record<string, string> = {}) => ({
  'Sec-Fetch-Site': site,
  'Sec-Fetch-Mode': mode,
  'Sec-Fetch-Dest': dest,
  ...more
})
const image = sent('cross-site', 'no-cors', 'image')
const link = sent('cross-site', 'navigate', 'document', html)
const evil = { Referer: 'https://evil.example/' }
const local = { Referer: 'http://localhost:5173/' }
const scenario = '/__mock/enter?scenario=first-day'
const signIn = '/__mock/enter?user=basic'

test.each<[string, number, string, Record<string, string>]>([
  ['an image', 403, scenario, image],
  ['an image that only signs in', 403, signIn, image],
  ['a script', 403, scenario, sent('cross-site', 'no-cors', 'script')],
  ['a style', 403, scenario, sent('cross-site', 'no-cors', 'style', evil)],
  ['a frame', 403, scenario, sent('cross-site', 'navigate', 'iframe', html)],
  ['a frame that only signs in', 403, signIn, sent('cross-site', 'navigate', 'iframe', html)],
  ['an object', 403, signIn, sent('cross-site', 'navigate', 'object', html)],
  ['fetch without CORS', 403, scenario, sent('cross-site', 'no-cors', 'empty')],
  ['fetch', 403, scenario, sent('cross-site', 'cors', 'empty', { Origin: 'https://evil.example' })],
  ['an image of a page of the same site', 403, scenario, sent('same-site', 'no-cors', 'image')],
  ['an image of the mock', 403, scenario, sent('same-origin', 'no-cors', 'image')],
  ['a prefetch', 403, scenario, sent('none', 'navigate', 'document', { 'Sec-Purpose': 'prefetch;prerender' })],
  ['a link with a scenario', 403, scenario, link],
  ['a link with a scenario in capitals of the query', 403, '/__mock/enter?to=/&%73cenario=first-day', link],
  ['a link that signs in', 303, signIn, link],
  ['an address that is typed', 303, scenario, sent('none', 'navigate', 'document', html)],
  ['a link of the mock', 303, scenario, sent('same-origin', 'navigate', 'document', html)],
  ['a link of a front end of the same site', 303, scenario, sent('same-site', 'navigate', 'document', html)],
  ['a link of a front end of this machine', 303, scenario, { ...link, ...local }],
  [
    'a front end of this machine with fetch',
    303,
    scenario,
    sent('cross-site', 'cors', 'empty', { Origin: 'http://localhost:5173' })
  ],
  ['a link of an allowed origin', 303, scenario, { ...link, Referer: 'https://app.example/' }],
  ['curl', 303, scenario, { Accept: '*/*' }],
  ['an image over plain HTTP', 403, scenario, { Accept: 'image/avif,image/webp,*/*;q=0.8', ...evil }],
  ['a link over plain HTTP', 403, scenario, { ...html, ...evil }],
  ['a link over plain HTTP that signs in', 303, signIn, { ...html, ...evil }],
  ['an image that reads the state', 403, '/__mock/state', image],
  ['an image of a capsule', 403, '/__mock/capsule', { ...image, ...evil }],
  ['a link to the dashboard', 200, '/__mock/', link],
  ['a frame of the dashboard', 403, '/__mock/', sent('cross-site', 'navigate', 'iframe', html)],
  ['a page of the mock that reads', 200, '/__mock/clock', sent('same-origin', 'cors', 'empty')]
])('a page of another site: %s: %d', async (_, status, path, headers) => {
  const mock = await startTestMock({ corsOrigin: ['https://app.example'] })
  const before = mock.sandbox.rows
  // fetch would change these headers.
  const response = await wire(mock.url, message(`GET ${path}`, headers))
  expect(response.status).toBe(status)
  const plays = path.includes('cenario') && status === 303
  expect([mock.sandbox.rows !== before, mock.sandbox.fixtures]).toEqual(plays ? [true, 'empty'] : [false, 'demo'])
  if (status === 403) {
    expect([response.body.type, response.headers['set-cookie']]).toEqual([
      expect.stringMatching(/foreign-(page|origin)$/),
      undefined
    ])
  }
})

test('a page of another site is refused in a public mock, too', async () => {
  const ask = inProcess(made({ public: true }))
  const response = await ask('/__mock/enter?sandbox=mine&scenario=first-day', { headers: image })
  expect(response.status).toBe(403)
})
