import request from 'supertest'
import { createMock } from '../../src/index.js'
import { matchers, type PlainResponse } from '../../src/matchers.js'
import { startTestMock, testNow } from '../mock.js'

expect.extend(matchers)

const mock = await startTestMock({ strict: false })
const admin = { headers: { Authorization: 'Bearer admin' } }

/** Why an assertion failed, in words. */
async function failure(assertion: () => unknown): Promise<string> {
  try {
    await assertion()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing failed')
}

test('toHonourContract accepts a response of fetch, which can be read afterwards', async () => {
  const response = await fetch(`${mock.url}/api/persona/1`, admin)
  await expect(response).toHonourContract('getPersona')
  expect(await response.json()).toMatchObject({ id: 1 })
})

test('toHonourContract takes a response of fetch as an answer of any operation of its path', async () => {
  for (const path of ['/api/get-user-role', '/api/persona/1', '/api/persona/999']) {
    await expect(await fetch(mock.url + path, admin)).toHonourContract()
    await expect(await createMock().fetch(mock.url + path, admin)).toHonourContract()
  }
  const whole = (await (await fetch(`${mock.url}/api/persona/1`, admin)).json()) as object
  const answer = (body: unknown) => ({ url: '/api/persona/1', status: 200, body })
  expect(answer(null)).toHonourContract()
  expect(await failure(() => expect(answer({ ...whole, name: 5 })).toHonourContract())).toMatch(
    /getPersona and deletePersona and updatePersona.*toHonourContract\('getPersona'\)/
  )
})

test('toHonourContract accepts a response of supertest and finds its operation', async () => {
  const { app } = createMock({ now: testNow })
  const agent = request(app)
  expect(await agent.get('/api/persona/1').set('Authorization', 'Bearer admin')).toHonourContract()
  expect(await agent.delete('/api/persona/1').set('Authorization', 'Bearer admin')).toHonourContract()
  expect(await agent.get('/api/persona/1').set('Authorization', 'Bearer admin')).toHonourContract()
  expect(await agent.get('/api/persona/x').set('Authorization', 'Bearer admin')).toHonourContract()
  expect(await agent.get('/api/persona/1')).toHonourContract()
})

test.each<[string, PlainResponse]>([
  ['a deletion without a body', { method: 'DELETE', path: '/api/persona/1', status: 204 }],
  ['a 404 of its own form', { method: 'GET', path: '/api/persona/1', status: 404, body: { error: 'gone' } }],
  ['a role of its own', { method: 'GET', path: '/api/get-user-role', status: 200, body: { role: 'auditor' } }]
])('toHonourContract accepts what a service may choose: %s, but not under given choices', (_, response) => {
  expect(response).toHonourContract()
  expect(response).not.toHonourContract({ profile: 'documented' })
  expect(response).not.toHonourContract({ assume: {} })
})

test('toHonourContract names the allowed values', async () => {
  const role = { method: 'GET', path: '/api/get-user-role', status: 200, body: { role: 'auditor' } }
  expect(await failure(() => expect(role).toHonourContract({ profile: 'documented' }))).toContain(
    '/role must be equal to one of the allowed values: "limited", "basic", "admin", "curator"'
  )
  const groups = [{ source: 'pigeon', summary: {}, current_page: 1, total_pages: 1, indexing_statuses: [] }]
  const status = { path: '/api/manage/admin/connector/indexing-status', status: 200, body: groups }
  expect(await failure(() => expect(status).toHonourContract())).toMatch(
    /\/0\/source must be equal to one of the allowed values: .*"web", .*"imap"/
  )
})

test('toHonourContract accepts a response as a plain object', () => {
  const answer = { method: 'get', url: 'https://chat.example.com/api/get-user-role?x=1', status: 200 }
  expect({ ...answer, body: { role: 'admin' } }).toHonourContract()
  expect({ ...answer, body: { role: 7 } }).not.toHonourContract()
  expect({ path: '/api/get-user-role', status: 200, body: { role: 'basic' } }).toHonourContract()
})

test.each<[string, PlainResponse, ...string[]]>([
  ['a body of another shape', { status: 200, body: { role: 7 } }, 'GET /api/get-user-role', '/role'],
  ['no body', { status: 200 }, 'getUserRole', 'must be object'],
  ['an undocumented status', { status: 418, body: {} }, '200, 401', 'status 418'],
  ['an error of another shape', { status: 401, body: { error: 'no' } }, 'getUserRole', "'detail'"],
  ['a 422 in other words', { status: 422, body: { detail: 'no' } }, 'getUserRole', '/detail must be array'],
  [
    'another media type',
    { status: 200, body: { role: 'admin' }, headers: { 'Content-Type': 'text/html' } },
    'text/html',
    'application/json'
  ]
])('toHonourContract fails on %s, with what is wrong and where', async (_, answer, ...named) => {
  const response = { operation: 'x', method: 'GET', path: '/api/get-user-role', ...answer }
  const message = await failure(() => expect(response).toHonourContract({ profile: 'documented' }))
  for (const name of named) expect(message).toContain(name)
  expect(message).toContain(`Body: ${JSON.stringify(answer.body) ?? 'none'}`)
})

test('toHonourContract follows the given profile and assumptions', () => {
  const deleted = { method: 'DELETE', path: '/api/persona/1', status: 204 }
  expect(deleted).not.toHonourContract({ assume: {} })
  expect(deleted).toHonourContract({ assume: { 'delete.body': '204' } })
  const refused = { method: 'GET', path: '/api/get-user-role', status: 401, body: { detail: 'Not authenticated' } }
  expect(refused).toHonourContract()
  expect(refused).not.toHonourContract({ profile: 'observed' })
})

test('toHonourContract names what it needs if it cannot decide', async () => {
  const read = await fetch(`${mock.url}/api/get-user-role`, admin)
  await read.text()
  expect(await failure(() => expect(read).toHonourContract())).toContain('has already been read')
  expect(await failure(() => expect('text').toHonourContract())).toContain('Give a response of fetch or supertest')
  expect(await failure(() => expect({ status: 200 }).toHonourContract())).toContain("toHonourContract('getPersona')")
  expect(await failure(() => expect({ status: 200 }).toHonourContract('getPersonas'))).toContain('getPersona,')
  const nowhere = { method: 'GET', path: '/api/personas', status: 200 }
  expect(await failure(() => expect(nowhere).toHonourContract())).toContain('No operation matches GET /api/personas')
})

const ask = (box: { headers: object }, path: string, init: RequestInit = {}) =>
  fetch(mock.url + path, {
    ...init,
    headers: { ...admin.headers, ...box.headers, 'Content-Type': 'application/json' }
  })

test('toHaveNoViolations passes if every request kept to the contract, also one with an extra slash', async () => {
  const box = mock.handle('good')
  await ask(box, '/api/get-user-role')
  await ask(box, '/api/get-user-role/')
  await ask(box, '/api/persona/999999')
  expect(box).toHaveNoViolations()
  expect(box.requests()).toHaveLength(4)
})

test('toHaveNoViolations lists the requests that broke it, and those of no operation, of a sandbox and of the mock', async () => {
  const box = mock.handle('bad')
  const body = JSON.stringify({ descripton: 'Plan' })
  await ask(box, '/api/chat/create-chat-session', { method: 'POST', body })
  await ask(box, '/api/personas')
  const message = await failure(() => expect(box).toHaveNoViolations())
  expect(message.split('\n').slice(0, 6)).toEqual([
    '2 requests do not keep to the contract:',
    '  bad r1 POST /api/chat/create-chat-session 200',
    '    body.descripton is not in the contract',
    '  bad r2 GET /api/personas 404',
    '    no operation of the interface',
    expect.stringMatching(/^ {4}nearest: getPersona, GET \/api\/persona\/\{persona_id\}: /)
  ])
  const { sandboxes, handle: sandbox } = mock
  expect(await failure(() => expect({ sandboxes, sandbox }).toHaveNoViolations())).toBe(message)
  box.drop()
  expect({ sandboxes, sandbox }).toHaveNoViolations()
})

test('toHaveNoViolations accepts the journal of a mock elsewhere, with the nearest operations of unknown requests', async () => {
  const box = mock.handle('far')
  await ask(box, '/api/get-user-role')
  const journal = async () => (await ask(box, '/__mock/requests')).json()
  expect(await journal()).toHaveNoViolations()
  const { requests } = (await journal()) as { requests: object[] }
  const near_misses = [
    {
      operation: 'getPersona',
      method: 'GET',
      path: '/api/persona/{persona_id}',
      distance: 1,
      difference: 'one s less'
    }
  ]
  const unknown = { ...requests[0], url: '/api/personas/1', operation: null, status: 404, near_misses }
  const message = await failure(() => expect({ requests: [unknown] }).toHaveNoViolations())
  expect(message).toContain('nearest: getPersona, GET /api/persona/{persona_id}: one s less')
})

test.each<[string, object, object?]>([
  ['weather that is slow', { weather: { profile: 'slow' } }],
  ['an override that adds a header', { override: { operation: 'updatePersona', headers: { 'X-A': 'b' } } }],
  [
    'a turn of an override that lets it pass',
    { override: { operation: 'updatePersona', sequence: [{}, { status: 503 }] } }
  ],
  ['Prefer: delay', {}, { Prefer: 'delay=1' }]
])('toHaveNoViolations counts a request that was refused with 422 under %s', async (name, given, headers = {}) => {
  const box = mock.handle(name.replace(/\W/g, '-'))
  const { weather, override } = given as { weather?: object; override?: never }
  const control = { headers: { 'X-Mock-Sandbox': box.name } }
  if (weather) await mock.call('PUT', '/__mock/weather', { ...control, body: weather })
  if (override) await box.override(override)
  const body = { num_chunks: 'many' }
  const { status } = await mock.call('PATCH', '/api/persona/1', { headers: { ...control.headers, ...headers }, body })
  expect(status).toBe(422)
  const message = await failure(() => expect(box).toHaveNoViolations())
  expect(message).toContain('r1 PATCH /api/persona/1 422')
  await box.reset()
  const forced = await mock.call('PATCH', '/api/persona/1', { headers: { ...control.headers, Prefer: 'code=422' } })
  expect(forced.status).toBe(422)
  await expect(box).toHaveNoViolations()
})

test('toHaveNoViolations counts a request that was refused with 422, also in a mock elsewhere, unless those are allowed', async () => {
  const box = mock.handle('refused')
  const wrong = { method: 'PATCH', body: JSON.stringify({ num_chunks: 'many' }) }
  expect((await ask(box, '/api/persona/1', wrong)).status).toBe(422)
  const message = await failure(() => expect(box).toHaveNoViolations())
  expect(message.split('\n')).toEqual([
    '1 request does not keep to the contract:',
    '  refused r1 PATCH /api/persona/1 422',
    '    body.num_chunks: Input should be a valid integer'
  ])
  const journal = (await (await ask(box, '/__mock/requests?violations=true')).json()) as { requests: object[] }
  expect(journal.requests).toMatchObject([{ refused: ['body.num_chunks: Input should be a valid integer'] }])
  await failure(() => expect(journal).toHaveNoViolations())
  for (const subject of [box, journal]) {
    expect(subject).toHaveNoViolations({ refused: 'allowed' })
    await failure(() => expect(subject).toHaveNoViolations({ refused: undefined }))
  }
  box.drop()
})

test.each([
  ['Prefer', 'code=200'],
  ['Prefer', 'code=404'],
  ['an override', undefined]
])('toHaveNoViolations counts a wrong request whose answer is forced by %s: %s', async (_, wish) => {
  const box = mock.handle('forced-over')
  if (!wish) box.override({ operation: 'updatePersona', status: 503, body: { detail: 'Busy' } })
  const headers = { ...admin.headers, ...box.headers, ...(wish && { Prefer: wish }) }
  const patch = (body: string) => mock.call('PATCH', '/api/persona/1', { headers, body })
  await patch('{"name": "Scribe"}')
  expect(box).toHaveNoViolations()
  const { headers: sent, status } = await patch('{"num_chunks": "many", "nmae": "Scribe"}')
  await patch('{"num_chunks":')
  expect([status < 422 || status === 503, sent.get('x-mock-violations')]).toEqual([true, null])
  expect(await failure(() => expect(box).toHaveNoViolations())).toBe(
    '2 requests do not keep to the contract:\n' +
      `  forced-over r2 PATCH /api/persona/1 ${status}\n` +
      '    body.num_chunks: Input should be a valid integer\n' +
      '    body.nmae: Extra inputs are not permitted\n' +
      `  forced-over r3 PATCH /api/persona/1 ${status}\n` +
      '    body.14: JSON decode error'
  )
  expect(box.requests({ violations: true }).map(({ id }) => id)).toEqual(['r3', 'r2'])
  box.drop()
})

test('toHaveNoViolations shows what was wrong if a rule refused with 422, and leaves out a forced 422', async () => {
  const box = mock.handle('forced')
  const detail = [{ loc: ['query', 'x'], msg: 'Field required', type: 'missing' }]
  box.override({ operation: 'getUserRole', status: 422, body: { detail }, times: 1 })
  await ask(box, '/api/get-user-role')
  await ask(box, '/api/get-user-role?__code=422')
  const headers = { ...admin.headers, ...box.headers, Prefer: 'code=422' }
  await fetch(`${mock.url}/api/get-user-role`, { headers })
  expect(box.requests({ status: '422' }).map(({ refused }) => refused)).toEqual([undefined, undefined, undefined])
  expect(box).toHaveNoViolations()
  box.assume({ 'invites.invalid': '422' })
  await ask(box, '/api/manage/admin/users', { method: 'PUT', body: JSON.stringify({ emails: ['nobody'] }) })
  const [{ refused = [] } = {}] = box.requests({ status: '422', limit: 1 })
  expect(refused).toEqual([expect.stringMatching(/^body\.emails\.0: /)])
  box.drop()
})

test('toHaveNoViolations fails if the journal has dropped what was wrong, or the answer has only some requests', async () => {
  const small = createMock({ journalEntries: 2, now: testNow })
  const send = (path: string, init: RequestInit = {}) =>
    small.fetch(`http://mock.invalid${path}`, {
      ...init,
      headers: { ...admin.headers, 'Content-Type': 'application/json' }
    })
  const journal = async (query = '') => (await send(`/__mock/requests${query}`)).json()
  await send('/api/persona/1', { method: 'PATCH', body: JSON.stringify({ num_chunks: 'many' }) })
  await send('/api/no-such-path')
  for (let at = 0; at < 3; at++) await send('/api/get-user-role')
  const dropped = { total: 2, dropped: 3, dropped_violations: 1, dropped_refused: 1 }
  expect(await journal()).toMatchObject(dropped)
  expect(await journal('?status=404')).toMatchObject({ ...dropped, total: 0 })
  expect(await failure(() => expect(small).toHaveNoViolations())).toBe(
    '2 requests do not keep to the contract:\n' +
      '  The journal of default has dropped 3 older requests, and 2 of them did not. It keeps more with a higher journalEntries.'
  )
  const elsewhere = await journal()
  expect(await failure(() => expect(elsewhere).toHaveNoViolations({ refused: 'allowed' }))).toContain('and 1 of them')
  const part = (await journal('?limit=1')) as object
  Object.assign(part, { dropped_violations: 0, dropped_refused: 0 })
  expect(await failure(() => expect(part).toHaveNoViolations())).toContain('has 2 requests, and only 1 of them')
  await send('/__mock/requests', { method: 'DELETE' })
  expect(small).toHaveNoViolations()
  await send('/api/get-user-role')
  expect(await journal()).toEqual({ requests: [expect.anything()], total: 1 })
  await send('/__mock/requests/restore', { method: 'POST' })
  expect(await journal()).toMatchObject({ total: 2, dropped: 4, dropped_violations: 1, dropped_refused: 1 })
  await small.reset()
  expect(await journal()).toEqual({ requests: [], total: 0 })
  for (let at = 0; at < 3; at++) await send('/api/get-user-role')
  expect(small).toHaveNoViolations()
  await small.close()
})

test('toHaveNoViolations lists what it accepts', async () => {
  expect(await failure(() => expect({}).toHaveNoViolations())).toContain('Give a mock')
  const options = { refuse: 'allowed' } as never
  expect(await failure(() => expect(mock.handle('good')).toHaveNoViolations(options))).toContain(
    'Did you mean refused?'
  )
  const wrong = { refused: false } as never
  expect(await failure(() => expect(mock.handle('good')).toHaveNoViolations(wrong))).toContain("give 'allowed' or")
})
