import type { Contract } from '../../../src/engine/contract/contract.js'
import { Journal } from '../../../src/engine/journal/journal.js'
import type { RawExchange } from '../../../src/engine/journal/recorded.js'
import { operationIds } from '../../contract/document.js'
import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

interface Line {
  id: string
  operation: string | null
  status: number
}

async function listed(query = ''): Promise<Line[]> {
  const { status, body } = await mock.call('GET', `/__mock/requests${query}`)
  expect([query, status]).toEqual([query, 200])
  return body.requests
}
const ids = async (query: string) => (await listed(query)).map(({ id }) => id)
const detail = async (id: string) => (await mock.call('GET', `/__mock/requests/${id}`)).body

/** r1 to r7: two valid ones, then each wrong in its way. */
async function someRequests(): Promise<void> {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/get-user-role', { headers: { 'X-Schemathesis-TestCaseId': 'case-7' } })
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'first' } })
  await mock.call('GET', '/api/get-user-role', { as: null })
  await mock.call('GET', '/api/personas/1')
  await mock.call('DELETE', '/api/get-user-role')
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 1, colour: 'red' } })
}

test.each([
  ['Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36', 'Chrome 130'],
  [
    'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0.0.0 Safari/537.36',
    'Headless Chrome 130'
  ],
  ['Mozilla/5.0 (Windows) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0', 'Edge 131'],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15', 'Safari 17'],
  ['Mozilla/5.0 (X11; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox 132'],
  ['Mozilla/5.0 (compatible)', 'a browser'],
  ['curl/8.1.2', 'curl 8.1'],
  ['python-requests/2.31.0', 'Python requests 2.31'],
  ['Go-http-client/2.0', 'Go 2.0'],
  ['node', 'node'],
  ['our-app (build 12)', 'our-app'],
  ['x'.repeat(200), 'x'.repeat(40)],
  ['(((', undefined]
])('the client of %s is %s', async (agent, client) => {
  await mock.call('GET', '/api/persona/1', { headers: { 'User-Agent': agent } })
  const [entry] = (await listed()) as { client?: string }[]
  expect(entry?.client).toBe(client)
  expect((await detail('r1')).client).toBe(client)
})

test('a query finds the exchanges of a client by a part of its name, and those without one', async () => {
  for (const agent of ['curl/8.1.2', 'python-requests/2.31.0', '(((']) {
    await mock.call('GET', '/api/persona/1', { headers: { 'User-Agent': agent } })
  }
  const found = (query: string) => ids(`?query=${encodeURIComponent(query)}`)
  expect(await found('client:CURL')).toEqual(['r1'])
  expect(await found('client:"Python requests"')).toEqual(['r2'])
  expect(await found('client:curl,python')).toEqual(['r2', 'r1'])
  expect(await found('-client:none')).toEqual(['r2', 'r1'])
  expect(await found('client:none')).toEqual(['r3'])
})

describe('the list', () => {
  beforeEach(someRequests)

  test('has every request to the platform, also refused ones, newest first', async () => {
    const lines = await listed()
    expect(lines.map(({ id, operation, status }) => [id, operation, status])).toEqual([
      ['r7', 'createChatSession', 200],
      ['r6', null, 405],
      ['r5', null, 404],
      ['r4', 'getUserRole', 401],
      ['r3', 'createChatSession', 422],
      ['r2', 'getUserRole', 200],
      ['r1', 'getPersona', 200]
    ])
    expect(lines.map((it) => (it as { refusal?: string }).refusal)).toEqual([
      undefined,
      'wrong-method',
      'unknown-path',
      'unauthenticated',
      undefined,
      undefined,
      undefined
    ])
  })

  test('has the number of dropped requests only if some were dropped', async () => {
    const { body } = await mock.call('GET', '/__mock/requests?limit=0')
    expect(body).toEqual({ requests: [], total: 7 })
  })

  test.each([
    ['?operation=createChatSession', ['r7', 'r3']],
    ['?status=422', ['r3']],
    ['?status=4xx', ['r6', 'r5', 'r4', 'r3']],
    ['?status=4XX&operation=getUserRole', ['r4']],
    ['?status=0', []],
    ['?since=r5', ['r7', 'r6']],
    ['?since=r7', []],
    ['?since=2026-03-02T09:59:59Z&status=404', ['r5']],
    ['?since=2026-03-02T10:00:00Z&status=404', ['r5']],
    ['?since=2026-03-02T10:00:01Z', []],
    ['?test_case=case-7', ['r2']],
    ['?test_case=case-8', []],
    ['?q=USER-ROLE', ['r6', 'r4', 'r2']],
    ['?q=delete%20/api', ['r6']],
    ['?q=role%20delete', ['r6']],
    ['?user=admin', ['r7', 'r6', 'r5', 'r3', 'r2', 'r1']],
    ['?user=nobody', ['r4']],
    ['?assumed=requests.unknown-fields', ['r7']],
    ['?changed=chatSessions', ['r7']],
    ['?changed=personas', []],
    ['?body=COLOUR', ['r7']],
    ['?body=%22role%22:%22admin', ['r2']],
    ['?violations=true', ['r7', 'r3']],
    ['?violations=false&status=2xx', ['r2', 'r1']],
    ['?violations=false&status=422', []],
    ['?unmatched=true', ['r6', 'r5']],
    ['?unmatched=false&status=401', ['r4']],
    ['?limit=2', ['r7', 'r6']],
    ['?limit=2&offset=6', ['r1']],
    ['?limit=0', []]
  ])('filtered by %s gives %j', async (query, wanted) => {
    expect(await ids(query)).toEqual(wanted)
  })

  test('counts all matches of a filter, whatever part is requested', async () => {
    expect((await mock.call('GET', '/__mock/requests?status=4xx&limit=1')).body).toMatchObject({
      total: 4,
      requests: [{ id: 'r6' }]
    })
  })

  test.each([
    ['operation=getPersonas', 'operation', /Did you mean getPersona\?/],
    ['status=4', 'status', /such as 422.*such as 4xx/],
    ['status=9xx', 'status', /such as 4xx/],
    ['since=yesterday', 'since', /such as r12.*such as 2026-/],
    ['since=r', 'since', /such as r12/],
    ['limit=-1', 'limit', /greater than or equal to 0/],
    ['limit=many', 'limit', /integer/],
    ['violations=perhaps', 'violations', /boolean/],
    ['assumed=delete', 'assumed', /Did you mean /],
    ['changed=files', 'changed', /There is no collection "files". Did you mean /],
    ['colour=red', 'colour', /Known: id, operation, status/]
  ])('refuses ?%s and lists the good values', async (query, field, text) => {
    const { status, body, headers } = await mock.call('GET', `/__mock/requests?${query}`)
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
    expect(body.errors).toEqual([expect.objectContaining({ field, detail: expect.stringMatching(text) })])
  })

  test('refuses an unknown operation with all known ones', async () => {
    const { body } = await mock.call('GET', '/__mock/requests?operation=x')
    expect(body.errors[0].allowed).toEqual(operationIds)
  })

  test('does not count a redirected request as unknown', async () => {
    const { status } = await mock.call('GET', '/api/user/projects')
    expect(status).toBe(307)
    expect(await listed('?since=r7')).toEqual([expect.objectContaining({ operation: 'listProjects', status: 307 })])
    expect(await ids('?unmatched=true')).toEqual(['r6', 'r5'])
  })

  test('does not count a request that was refused before its path was read as unknown', async () => {
    const { status } = await mock.call('GET', '/api/persona/1', { headers: { 'X-Mock-Sandbox': 'no good name' } })
    expect(status).toBe(400)
    expect(await listed('?since=r7')).toEqual([expect.objectContaining({ operation: null, refusal: 'bad-sandbox' })])
    expect(await ids('?unmatched=true')).toEqual(['r6', 'r5'])
  })

  test('can be emptied and restored, ids continue, and a request that was there is reported as gone', async () => {
    expect((await mock.call('DELETE', '/__mock/requests')).body).toEqual({ removed: 7 })
    expect(await listed()).toEqual([])
    const { status, body } = await mock.call('GET', '/__mock/requests/r3')
    expect([status, body.detail]).toEqual([
      404,
      'The journal has no request "r3". It has the last 0 of 7. Those before were dropped.'
    ])
    const { headers } = await mock.call('GET', '/api/persona/1')
    expect(headers.get('x-mock-request-id')).toBe('r8')
    expect(await ids('')).toEqual(['r8'])

    // They return, together with later ones.
    expect((await mock.call('POST', '/__mock/requests/restore')).body).toEqual({ restored: 7 })
    expect(await ids('')).toEqual(['r8', 'r7', 'r6', 'r5', 'r4', 'r3', 'r2', 'r1'])
    expect((await detail('r3')).status).toBe(422)
    expect((await mock.call('POST', '/__mock/requests/restore')).body).toEqual({ restored: 0 })
  })

  test('has only the requests of one sandbox', async () => {
    await mock.call('GET', '/api/get-user-role', { as: 'basic~other' })
    expect((await mock.call('GET', '/__mock/requests', { as: 'basic~other' })).body.requests).toMatchObject([
      { id: 'r1', operation: 'getUserRole' }
    ])
    expect(await ids('')).toHaveLength(7)
  })
})

test('exchanges after a given one are found without reading earlier ones', async () => {
  for (let count = 0; count < 50; count++) await mock.call('GET', '/api/get-user-role')
  const { journal } = mock.sandbox
  const read = jest.spyOn(journal, 'entryAt')
  expect(await ids('?since=r48')).toEqual(['r50', 'r49'])
  expect(read).toHaveBeenCalledTimes(2)
  read.mockRestore()
})

test('the explanation of an exchange shows who asked, what was checked, which rule answered, and which rows it read and wrote', async () => {
  const { body } = await mock.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { persona_id: 1 } })
  const it = await detail('r1')
  expect(it).toMatchObject({
    operation: 'createChatSession',
    user: 'basic',
    rule: 'createChatSession',
    request: { body: { persona_id: 1 } },
    response: { body, headers: { 'X-Mock-Request-Id': 'r1' } },
    checks: [
      { check: 'request', held: true, problems: [] },
      { check: 'response', held: true, problems: [] }
    ],
    writes: [{ collection: 'chatSessions', id: body.chat_session_id }]
  })
  expect(it.reads).toContainEqual({ collection: 'personas', id: 1 })
  expect(Object.keys(it.timing)).toEqual(['read', 'parse', 'user', 'check', 'rule', 'check reply', 'write'])
  const steps = Object.values(it.timing as Record<string, number>)
  expect(steps.every((milliseconds) => milliseconds >= 0)).toBe(true)
})

test('the explanation of an exchange shows new and removed rows in full, and only the changed fields of others', async () => {
  const { body } = await mock.call('POST', '/api/chat/create-chat-session', { body: { description: 'Plan' } })
  await mock.call('PATCH', '/api/persona/1', { body: { name: 'Renamed' } })
  await mock.call('DELETE', `/api/chat/delete-chat-session/${body.chat_session_id}`)
  const [made, renamed, removed] = [await detail('r1'), await detail('r2'), await detail('r3')]
  const session = { collection: 'chatSessions', id: body.chat_session_id, name: 'Plan' }
  expect(made.changes).toEqual([{ ...session, after: expect.objectContaining({ name: 'Plan' }) }])
  const agent = { collection: 'personas', id: 1, name: 'Renamed' }
  expect(renamed.changes).toEqual([{ ...agent, before: { name: expect.any(String) }, after: { name: 'Renamed' } }])
  expect(removed.changes).toEqual([{ ...session, before: made.changes[0].after }])
  const changed = (await listed()).map((line) => (line as { changed?: unknown }).changed)
  expect(changed).toEqual([
    [{ collection: 'chatSessions', added: 0, changed: 0, removed: 1 }],
    [{ collection: 'personas', added: 0, changed: 1, removed: 0 }],
    [{ collection: 'chatSessions', added: 1, changed: 0, removed: 0 }]
  ])
})

test('the explanation of an exchange names the user of a request that was answered before its user was looked up, but no other token', async () => {
  await mock.call('GET', '/api/nothing', { as: 'basic' })
  await mock.call('GET', '/api/nothing', { as: 'a-token-of-elsewhere' })
  expect([(await detail('r1')).user, (await detail('r2')).user]).toEqual(['basic', null])
})

test('the explanation of an exchange shows where a wrong request is wrong, and that no rule ran', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'first', project_id: [1] } })
  expect(await detail('r1')).toMatchObject({
    rule: null,
    writes: [],
    checks: [
      {
        check: 'request',
        held: false,
        problems: [
          { loc: ['body', 'persona_id'], input: 'first' },
          { loc: ['body', 'project_id'], input: [1] }
        ]
      }
    ]
  })
})

test('the explanation of an exchange shows the rule that refused a request, as its source does', async () => {
  await mock.call('GET', '/api/persona/999999')
  expect(await detail('r1')).toMatchObject({ status: 404, source: 'rule', rule: 'getPersona' })
  expect(Object.keys((await detail('r1')).timing)).toEqual(['parse', 'user', 'check', 'rule', 'write'])
  await mock.call('GET', '/api/persona/first')
  expect(await detail('r2')).toMatchObject({ status: 422, source: 'refusal', rule: null })
})

test('the explanation of an exchange shows what the contract says about a wrong request, and how to correct it', async () => {
  const body = { name: 'Renamed', num_chunks: 'many', starter_messages: [{ name: 'Hello' }], bogus: 1 }
  await mock.call('PATCH', '/api/persona/1?odd=1', { body })
  const { advice, corrected } = await detail('r1')
  expect(advice).toEqual([
    { loc: ['body', 'num_chunks'], says: expect.stringContaining('pieces of documents'), value: expect.any(Number) },
    { loc: ['body', 'starter_messages', 0, 'message'], says: expect.any(String), value: expect.any(String) },
    { loc: ['query', 'odd'], remove: true },
    { loc: ['body', 'bogus'], remove: true }
  ])
  expect(corrected.url).toBe('/api/persona/1')
  expect((await mock.call('PATCH', corrected.url, { body: corrected.body })).status).toBe(200)
  expect((await detail('r2')).violations).toEqual([])
})

test.each([
  ['GET', '/api/persona/first', undefined, /^\/api\/persona\/\d+$/],
  ['GET', '/api/chat/get-user-chat-sessions?page_size=few', undefined, /page_size=\d+$/],
  ['POST', '/api/chat/create-chat-session', { persona_id: '7' }, /create-chat-session$/]
])('the explanation of an exchange corrects %s %s', async (method, path, body, url) => {
  await mock.call(method, path, { body })
  const { corrected } = await detail('r1')
  expect(corrected.url).toMatch(url)
  if (body) expect(corrected.body).toEqual({ persona_id: 7 })
})

test('the explanation of an exchange corrects only the first places of many, because each try checks the whole request', async () => {
  const emails = Array.from({ length: 500 }, (_, number) => number)
  await mock.call('PUT', '/api/manage/admin/users', { body: { emails } })
  const { advice, corrected, checks } = await detail('r1')
  expect(checks[0].problems.length).toBe(100)
  expect([advice.length, corrected]).toEqual([10, undefined])
})

test('the explanation of an exchange shows where a body stops being JSON', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: '{"persona_id": 1,}' })
  const { checks, request } = await detail('r1')
  expect(request.body).toBe('{"persona_id": 1,}')
  expect(checks).toEqual([
    {
      check: 'request',
      held: false,
      problems: [expect.objectContaining({ type: 'json_invalid', loc: ['body', 17] })]
    }
  ])
})

test('the explanation of an exchange names a field that was accepted although the contract does not have it', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 1, colour: 'red' } })
  const { violations, checks } = await detail('r1')
  expect(violations).toEqual(['body.colour is not in the contract'])
  expect(checks).toEqual([
    { check: 'request', held: false, problems: [{ msg: 'body.colour is not in the contract' }] },
    { check: 'response', held: true, problems: [] }
  ])
})

test('the explanation of an exchange names the assumptions with their choices at that time', async () => {
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'delete.body': 'empty-object' } })
  await mock.call('DELETE', '/api/persona/2')
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'delete.body': 'null' } })
  const { rests_on, assumptions } = await detail('r1')
  expect(rests_on).toContainEqual({ id: 'delete.body', question: expect.any(String), choice: 'empty-object' })
  expect(rests_on.map(({ id }: { id: string }) => id).sort()).toEqual([...assumptions].sort())
})

test('the explanation of an exchange shows the fields and files of a form, without file contents', async () => {
  const form = new FormData()
  form.append('files', new Blob(['a line of text']), 'notes.txt')
  await mock.call('POST', '/api/manage/admin/connector/file/upload', { form })
  const { request } = await detail('r1')
  expect(request.body).toEqual({ files: [{ name: 'notes.txt', type: 'application/octet-stream', size: 14 }] })
  expect(JSON.stringify(request)).not.toContain('a line of text')
})

test.each([
  ['createChatSession', 'POST', '/api/chat/create-chat-session', 'text/plain', 'application/json'],
  [
    'uploadConnectorFiles',
    'POST',
    '/api/manage/admin/connector/file/upload',
    'application/json',
    'multipart/form-data'
  ],
  ['replacePrivateKey', 'PUT', '/api/manage/admin/credential/private-key/1', 'application/json', 'multipart/form-data']
])(
  'the explanation of an exchange names the Content-Type where %s was sent the wrong one',
  async (_, method, path, sent, wanted) => {
    const headers = { 'Content-Type': sent }
    const answer = await mock.call(method, path, { body: '{"persona_id": 0}', headers })
    expect([answer.status, answer.text.includes('Content-Type')]).toEqual([422, false])
    const { checks, near_misses } = await detail('r1')
    const msg = `The Content-Type is ${sent}; it should be ${wanted}`
    expect(checks[0].problems[0]).toMatchObject({ loc: ['header', 'content-type'], msg })
    expect(near_misses[0].difference).toContain(`header.content-type: ${msg}`)
  }
)

test('the explanation of an exchange does not mention a correct Content-Type', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'x' } })
  await mock.call('POST', '/api/manage/admin/connector/file/upload', { form: new FormData() })
  for (const id of ['r1', 'r2']) expect(JSON.stringify(await detail(id))).not.toContain('The Content-Type is')
})

test('the explanation of an exchange marks a text that is too long as left out', async () => {
  await mock.call('POST', '/api/user/projects/1/instructions', { body: { instructions: 'x'.repeat(300_000) } })
  const { status, request, response } = await detail('r1')
  expect([status, request.body, request.omitted]).toEqual([200, undefined, 'longer than 262144 characters'])
  expect(response.omitted).toBe('longer than 262144 characters')
})

test('the explanation of an exchange keeps nothing of a body that was left out, not even in the problems', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'x'.repeat(300_000) } })
  const { checks } = await detail('r1')
  expect(checks[0].problems).toEqual([expect.objectContaining({ loc: ['body', 'persona_id'], input: null })])
  expect(JSON.stringify(mock.sandbox.journal.find('r1')).length).toBeLessThan(10_000)
})

test('the explanation of an exchange lists the first hundred of many problems', async () => {
  const urls = Array.from({ length: 300 }, (_, at) => at)
  await mock.call('POST', '/api/web-search/open-urls', { body: { urls } })
  expect((await detail('r1')).checks[0].problems).toHaveLength(100)
})

test('the bounds of a journal limit the number of exchanges', async () => {
  const small = await startTestMock({ journalEntries: 3 })
  for (let count = 0; count < 5; count++) await small.call('GET', '/api/get-user-role')
  const { body } = await small.call('GET', '/__mock/requests')
  expect([body.total, body.requests.map(({ id }: Line) => id)]).toEqual([3, ['r5', 'r4', 'r3']])
  expect((await small.call('GET', '/__mock/requests/r2')).body.detail).toMatch(/It has the last 3 of 5/)
  expect((await small.call('GET', '/__mock/requests/r50')).body.detail).toMatch(/the mock has restarted/)
})

test('the bounds of a journal limit the bytes, but keep the newest', async () => {
  const bytes = 16 * 1024 * 1024
  const large = await startTestMock()
  const instructions = 'x'.repeat(200_000)
  for (let count = 0; count < 60; count++) {
    await large.call('POST', '/api/user/projects/1/instructions', { body: { instructions } })
  }
  const kept = [...large.sandbox.journal.entries()].map(({ id }) => large.sandbox.journal.find(id))
  expect(kept[0]?.entry.id).toBe('r60')
  const bodies = kept.flatMap((it) => [it?.request.body, it?.response.body]) as { instructions: string }[]
  const characters = bodies.reduce((sum, body) => sum + body.instructions.length, 0)
  expect(characters).toBeLessThanOrEqual(bytes)
  expect(characters).toBeGreaterThan(0.9 * bytes)

  const none = await startTestMock()
  none.sandboxes.limits.journal.bytes = 0
  await none.call('GET', '/api/persona/1')
  await none.call('GET', '/api/persona/2')
  expect((await none.call('GET', '/__mock/requests')).body).toMatchObject({ total: 1, requests: [{ id: 'r2' }] })
})

test('the bounds of a journal count dropped exchanges: after many rounds as much fits as at first', () => {
  const journal = new Journal({ entries: 1000, bytes: 100_000 })
  const sizes = new Set<number>()
  for (let count = 1; count <= 500; count++) {
    journal.add(exchange(journal.nextId(), 'x'.repeat(1000)))
    if (count > 100) sizes.add(journal.size)
  }
  expect([...sizes]).toHaveLength(1)
  journal.clear()
  for (let count = 1; count <= 100; count++) journal.add(exchange(journal.nextId(), 'x'.repeat(1000)))
  expect(sizes).toContain(journal.size)
})

test('the bounds of a journal apply to emptied exchanges too, which make room for new ones first', () => {
  const journal = new Journal({ entries: 10, bytes: 1_000_000 })
  const add = (times: number) => {
    for (let count = 0; count < times; count++) journal.add(exchange(journal.nextId(), 'x'))
  }
  const shown = () => [...journal.entries()].map(({ id }) => id)
  add(8)
  journal.clear()
  expect([shown(), journal.size, journal.find('r8'), journal.forgotten]).toEqual([[], 0, undefined, 8])
  add(5)
  // Three were dropped.
  expect([journal.uncover(), shown().at(-1), journal.size]).toEqual([5, 'r4', 10])
  expect(journal.uncover()).toBe(0)
  journal.clear()
  // Clearing an empty journal keeps the last cleared exchanges; the second time drops them.
  journal.clear()
  expect(journal.uncover()).toBe(10)
  journal.clear()
  add(1)
  journal.clear()
  expect([journal.uncover(), shown()]).toEqual([1, ['r14']])
  add(20)
  journal.clear()
  journal.restart()
  add(2)
  expect([journal.uncover(), shown()]).toEqual([0, ['r2', 'r1']])
})

test('the bounds of a journal apply to headers and problems too', () => {
  const room = (happened: RawExchange) => {
    const journal = new Journal({ entries: 1000, bytes: 1_000_000 })
    for (let count = 0; count < 500; count++) journal.add(happened)
    return journal.size
  }
  const plain = exchange('r1', 'x'.repeat(2000))
  const withHeaders = exchange('r1', 'x'.repeat(2000))
  withHeaders.request.headers = ['cookie', 'x'.repeat(8000)]
  const withProblems = exchange('r1', 'x'.repeat(2000))
  withProblems.problems = [{ type: 'missing', loc: ['body'], msg: '', input: 'x'.repeat(4000) }]
  expect(room(withHeaders)).toBeLessThan(room(plain) / 2)
  expect(room(withProblems)).toBeLessThan(room(plain) / 2)
})

function exchange(id: string, text: string): RawExchange {
  return {
    entry: {
      id,
      time: '2026-03-02T10:00:00.000Z',
      real_time: '2026-03-02T10:00:00.000Z',
      operation: null,
      method: 'GET',
      url: '/',
      status: 200,
      duration_ms: 0,
      violations: [],
      assumptions: [],
      user: null
    },
    url: '/',
    request: { headers: [], text: '' },
    response: { headers: {}, text },
    form: 'json',
    problems: [],
    checked: { input: false, reply: undefined },
    reads: [],
    missed: [],
    writes: [],
    timing: [],
    choices: {},
    contract: {} as Contract,
    operation: undefined
  }
}
