import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proxyCommand } from '../../src/doors/cli/proxy.js'
import type { ShadowReport } from '../../src/engine/contract/types.gen.js'
import { type Change, changeText, keepLearned } from '../../src/tools/verify/drift.js'
import type { VerifyResult } from '../../src/tools/verify/verify.js'
import { ended, start } from '../cli.js'
import { refusalOf } from '../invoke.js'
import { call, startTestMock } from '../mock.js'
import { startForeign } from '../verify/foreign/service.js'
import { foreign, shadowed } from './run.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-shadow-'))

/** Makes calls one after the other. */
type Call = [method: string, path: string, body?: unknown, as?: string]
const asking =
  (...calls: Call[]) =>
  async (proxy: string) => {
    for (const [method, path, body, as = 'tok-ada'] of calls) await call(proxy, method, path, { as, body })
  }

test('what a service decides otherwise is an answer, by its entry of the ledger', async () => {
  const assume = {
    'delete.body': '204',
    'responses.null': 'null',
    'persona.patch': 'replace',
    'chat.times': 'offset',
    'credential.missing': '404'
  }
  const service = await startTestMock({ assume })
  const {
    findings,
    answers,
    assume: learned
  } = await shadowed(
    service.url,
    asking(
      ['GET', '/api/get-user-role', undefined, 'admin'],
      ['GET', '/api/chat/get-user-chat-sessions', undefined, 'admin'],
      ['GET', '/api/persona/3', undefined, 'admin'],
      ['PATCH', '/api/persona/3', { name: 'Another' }, 'admin'],
      ['GET', '/api/manage/credential/9999', undefined, 'admin'],
      ['DELETE', '/api/persona/3', undefined, 'admin']
    )
  )
  expect(findings).toEqual([])
  expect(learned).toMatchObject(assume)
  expect(answers.find(({ id }) => id === 'chat.times')?.evidence).toMatch(
    /^listChatSessions: the service answers ".*\+00:00" at/
  )
})

const chats = '/api/chat/get-user-chat-sessions'
const project = '/api/user/projects/601'
const report = '/api/manage/admin/connector/indexing-status'

test.each<[bug: string, operation: string, check: string, ...calls: Call[]]>([
  [
    'E23-lost',
    'getProjectDetails',
    'values_read_back',
    ['GET', `${project}/details`],
    ['POST', `${project}/instructions`, { instructions: 'Be brief.' }],
    ['GET', `${project}/details`]
  ],
  [
    'E1-lost',
    'listChatSessions',
    'ensure_resource_availability',
    ['GET', chats],
    ['POST', '/api/chat/create-chat-session', { description: 'New' }],
    ['GET', chats]
  ],
  [
    'E16-access-ignored',
    'getIndexingStatus',
    'same_as_mock',
    ['POST', report, { access_type_filters: ['private'], get_all_connectors: true }]
  ],
  [
    'E16-sticks',
    'getIndexingStatus',
    'same_as_mock',
    ['POST', report, { get_all_connectors: true }],
    ['POST', report, { name_filter: 'web', get_all_connectors: true }],
    ['POST', report, { get_all_connectors: true }],
    ['POST', report, { get_all_connectors: true }]
  ],
  ['no-token E5', 'getPersona', 'ignored_auth', ['GET', '/api/persona/101'], ['GET', '/api/persona/101', undefined, '']]
])('the bug %s is a finding of %s, with the calls that show it', async (bug, operation, check, ...made) => {
  const { findings, exitCode } = await foreign({ bugs: [bug] }, asking(['GET', '/api/get-user-role'], ...made))
  expect(findings).toEqual([expect.objectContaining({ operation, check })])
  expect(findings[0]?.sequence.at(-1)).toContain(made.at(-1)?.[1])
  expect(exitCode).toBe(1)
})

test('an entry that does not explain one refusal may explain a later one of the same operation', async () => {
  const credential = (id: number, as?: string): Call => ['GET', `/api/manage/credential/${id}`, undefined, as]
  const { findings, assume } = await foreign(
    {},
    asking(
      ['GET', '/api/get-user-role', undefined, 'tok-cyd'],
      ['GET', '/api/manage/admin/credential'],
      // The service hides it from another user, and the mock does not.
      credential(302, 'tok-cyd'),
      credential(-1),
      credential(-1)
    )
  )
  expect(findings).toEqual([])
  expect(assume).toMatchObject({ 'credential.missing': '404' })
})

test.each<[choice: string, place: string, reading: string, query: string]>([
  ['E3-query-q', 'query', 'not heeded', 'query=budget'],
  ['E3-page-zero', 'page', 'counted from 0', 'page=1&page_size=5'],
  ['E3-large-pages', 'page_size', 'another default', '']
])('with %s, the parameter %s is %s, always', async (choice, place, reading, query) => {
  const search = (sent: string): Call => ['GET', `/api/chat/search?${sent}`]
  const calls = [search('page_size=50'), search('page=1&page_size=50'), search(query), search('page_size=50')]
  const { findings, answers } = await foreign({ choices: [choice] }, asking(...calls))
  expect(findings).toEqual([])
  expect(answers).toContainEqual(
    expect.objectContaining({
      id: `searchChats.${place}`,
      choice: reading,
      evidence: expect.stringMatching(/not open to the ledger$/)
    })
  )
})

test('what another client may have changed is not a finding, unless it happens again after the same calls', async () => {
  const rename = (name: string): Call => ['PATCH', '/api/persona/106', { name }]
  const look: Call = ['GET', '/api/persona/105']
  const once = await foreign(
    { bugs: ['E6-copies'] },
    asking(look, ['PATCH', '/api/persona/106', { description: 'One' }], look)
  )
  expect(once.findings).toEqual([])
  expect(once.notChecked).toContainEqual(
    expect.objectContaining({ operation: 'getPersona', why: expect.stringContaining('another client') })
  )
  const describe = (description: string): Call => ['PATCH', '/api/persona/106', { description }]
  const twice = await foreign(
    { bugs: ['E6-copies'] },
    asking(look, describe('One'), look, rename('x'), describe('Two'), look)
  )
  expect(twice.findings).toMatchObject([{ operation: 'getPersona', title: 'description differs' }])
})

test('a call whose differences are all of rows that no reply has shown counts as not checked', async () => {
  const { checks, notChecked, findings, exitCode } = await foreign({}, asking(['GET', `${project}/details`]))
  expect([findings, checks, exitCode]).toEqual([[], [], 2])
  expect(notChecked).toMatchObject([{ subject: 'rows', why: 'the mock cannot know all rows that it depends on' }])
})

async function listening(listener?: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test.each<[title: string, ...calls: Call[]]>([
  [
    'an agent that is changed before a reply has shown it',
    ['PATCH', '/api/persona/1', { name: 'Another' }, 'admin'],
    ['GET', '/api/persona/1', undefined, 'admin']
  ],
  [
    'a project of which only its instructions are known',
    ['GET', '/api/user/projects/', undefined, 'basic'],
    ['POST', '/api/user/projects/4/instructions', { instructions: 'Be brief.' }, 'curator'],
    ['GET', '/api/user/projects/', undefined, 'basic']
  ],
  ['a user whose first call is refused', ['GET', '/api/manage/admin/credential', undefined, 'basic']]
])('of a right service, %s is neither a finding nor a choice', async (_, ...calls) => {
  const service = await startTestMock()
  const { findings, assume, checks } = await shadowed(service.url, asking(...calls))
  expect([findings, assume]).toEqual([[], {}])
  expect(checks.length).toBeGreaterThan(0)
})

test('another row than the path names is a finding that says so', async () => {
  const service = await startTestMock()
  const { body } = await service.call('GET', '/api/persona/4')
  service.handle().override({ operation: 'getPersona', body })
  const { findings } = await shadowed(service.url, asking(['GET', '/api/persona/3', undefined, 'admin']))
  expect(findings).toMatchObject([
    { operation: 'getPersona', title: 'a row that the path does not name', expected: 'the row 3', got: 'the row 4' }
  ])
})

test('calls that are answered at the same time are not findings, whichever the service did first', async () => {
  const service = await startTestMock()
  const project = '/api/user/projects/1/details'
  const { files } = (await service.call('GET', project)).body
  const path = `/api/user/projects/file/${files[0].id}`
  const turns = new EventEmitter()
  const [isRead, isDeleted] = [once(turns, 'GET'), once(turns, 'DELETE')]
  // It reads the file at once, and answers after the file was deleted.
  const slow = await listening(async ({ method = '', url = '', headers: { authorization = '' } }, response) => {
    const reply = await fetch(service.url + url, { method, headers: { authorization } })
    const text = await reply.text()
    if (url === path) turns.emit(method)
    if (url === path && method === 'GET') await isDeleted
    response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(text)
  })
  const { findings, notChecked, checks } = await shadowed(slow.url, async (proxy) => {
    await call(proxy, 'GET', project)
    const read = call(proxy, 'GET', path)
    await isRead
    expect((await call(proxy, 'DELETE', path)).status).toBe(200)
    expect((await read).status).toBe(200)
  })
  slow.server.close()
  expect(findings).toEqual([])
  expect(notChecked).toContainEqual(
    expect.objectContaining({ operation: 'getFile', why: 'it depends on the order of calls that overlapped' })
  )
  expect(checks.filter(({ operation }) => operation === 'getFile')).toEqual([])
})

test('a service that never answers ends the run with 2', async () => {
  const { server, url } = await listening()
  server.close()
  const { exitCode, problem } = await shadowed(url, asking(['GET', '/api/persona/1'], ['GET', '/api/persona/2']))
  expect([exitCode, problem]).toEqual([2, 'none of 2 calls could be compared.'])
})

test('the command ends with its reports at SIGTERM, and with 1 if there are findings', async () => {
  const service = await startForeign({ bugs: ['E23-lost'] })
  try {
    const [report, choices] = [join(folder, 'out/shadow.ndjson'), join(folder, 'choices.json')]
    const child = start([
      ...['proxy', service.url, '--port', '0', '--shadow', '--report', `ndjson=${report}`],
      ...['--write-assumptions', choices]
    ])
    const end = ended(child)
    const url = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (it) => resolve(`${it}`.slice(6).trim()))
    )
    await asking(
      ['GET', `${project}/details`],
      ['POST', `${project}/instructions`, { instructions: 'Be brief.' }],
      ['GET', `${project}/details`]
    )(url)
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await end
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('rror')])
    expect(stdout).toContain('✗ getProjectDetails')
    const lines = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it))
    expect(lines.filter(({ type }) => type === 'finding')).toMatchObject([{ operation: 'getProjectDetails' }])
    expect(lines.at(-1)).toMatchObject({ type: 'summary', findings: 1, exitCode: 1 })
    expect(typeof JSON.parse(readFileSync(choices, 'utf8'))).toBe('object')
  } finally {
    await service.close()
  }
})

test('the rows that it knows are those of the sandbox shadow', async () => {
  const service = await startTestMock()
  await shadowed(service.url, async (proxy) => {
    await call(proxy, 'GET', '/api/persona/3')
    const rows = () => call(proxy, 'GET', '/__mock/state/personas', { headers: { 'X-Mock-Sandbox': 'shadow' } })
    const isThere = async () => (await rows()).body.rows?.some(({ id }: { id: number }) => id === 3)
    while (!(await isThere()));
  })
})

test('an API that a document describes is followed, too', async () => {
  const text = { type: 'string' }
  const product = { type: 'object', properties: { id: { type: 'integer' }, name: text }, required: ['id', 'name'] }
  const json = (schema: object) => ({ description: 'Done', content: { 'application/json': { schema } } })
  const sent = json({ type: 'object', properties: { name: text }, required: ['name'] })
  const at = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/products': {
        get: { operationId: 'listProducts', responses: { 200: json({ type: 'array', items: product }) } },
        post: { operationId: 'addProduct', requestBody: sent, responses: { 201: json(product) } }
      },
      '/products/{id}': {
        parameters: at,
        get: { operationId: 'getProduct', responses: { 200: json(product) } },
        patch: { operationId: 'changeProduct', requestBody: sent, responses: { 200: json(product) } },
        delete: { operationId: 'removeProduct', responses: { 204: { description: 'Gone' } } }
      }
    }
  }
  const api = join(folder, 'shop.json')
  writeFileSync(api, JSON.stringify(document))
  const service = await startTestMock({ api })
  const drive = (breaks: (id: number) => void) => async (proxy: string) => {
    const ask = (method: string, path: string, body?: object) => call(proxy, method, path, { as: null, body })
    await ask('GET', '/products')
    const { id } = (await ask('POST', '/products', { name: 'Lamp' })).body
    await ask('GET', `/products/${id}`)
    await ask('PATCH', `/products/${id}`, { name: 'Desk' })
    breaks(id)
    await ask('GET', `/products/${id}`)
    await ask('GET', '/products')
    await ask('DELETE', `/products/${id}`)
    await ask('GET', `/products/${id}`)
  }
  expect(
    (
      await shadowed(
        service.url,
        drive(() => {}),
        { api }
      )
    ).findings
  ).toEqual([])
  const breaks = (id: number) =>
    void service
      .handle()
      .override({ method: 'GET', path: '/products/{id}', body: { id, name: 'Lamp' }, times: 1 } as never)
  const { findings } = await shadowed(service.url, drive(breaks), { api })
  expect(findings.map((it) => [it.operation, it.title])).toContainEqual(['getProduct', 'name differs'])
})

test('rows that paths name by a key are followed, and those that belong to them', async () => {
  const text = { type: 'string' }
  const json = (schema: object) => ({ description: 'Done', content: { 'application/json': { schema } } })
  const article = { type: 'object', properties: { slug: text, title: text }, required: ['slug', 'title'] }
  const comment = { type: 'object', properties: { id: { type: 'integer' }, text }, required: ['id', 'text'] }
  const at = (name: string, type: string) => ({ name, in: 'path', required: true, schema: { type } })
  const gone = { responses: { 204: { description: 'Gone' }, 404: { description: 'Not there' } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Blog', version: '1' },
    paths: {
      '/articles': {
        get: { operationId: 'listArticles', responses: { 200: json({ type: 'array', items: article }) } }
      },
      '/articles/{slug}': {
        parameters: [at('slug', 'string')],
        get: { operationId: 'getArticle', responses: { 200: json(article), 404: { description: 'Not there' } } },
        delete: { operationId: 'removeArticle', ...gone }
      },
      '/articles/{slug}/comments': {
        parameters: [at('slug', 'string')],
        get: { operationId: 'listComments', responses: { 200: json({ type: 'array', items: comment }) } },
        post: {
          operationId: 'addComment',
          requestBody: json({ properties: { text } }),
          responses: { 201: json(comment) }
        }
      },
      '/articles/{slug}/comments/{id}': {
        parameters: [at('slug', 'string'), at('id', 'integer')],
        delete: { operationId: 'removeComment', ...gone }
      }
    }
  }
  const api = join(folder, 'blog.json')
  writeFileSync(api, JSON.stringify(document))
  const service = await startTestMock({ api })
  const articles = (await service.call('GET', '/articles', { as: null })).body as { slug: string }[]
  const [{ slug: first }, { slug: second }] = articles as [{ slug: string }, { slug: string }]
  const ask = (proxy: string, method: string, path: string, body?: object) =>
    call(proxy, method, path, { as: null, body })
  const { findings, assume, notChecked } = await shadowed(
    service.url,
    async (proxy) => {
      const comments = `/articles/${first}/comments`
      await ask(proxy, 'GET', comments)
      const { id } = (await ask(proxy, 'POST', comments, { text: 'First' })).body
      await ask(proxy, 'GET', comments)
      for (let turn = 0; turn < 2; turn++) await ask(proxy, 'DELETE', `${comments}/${id}`)
      await ask(proxy, 'GET', comments)
    },
    { api }
  )
  expect([findings, assume, notChecked]).toEqual([[], {}, []])
  const kept = await shadowed(
    service.url,
    async (proxy) => {
      await ask(proxy, 'GET', `/articles/${second}`)
      service.handle().override({ method: 'DELETE', path: '/articles/{slug}', status: 204, times: 1 } as never)
      await ask(proxy, 'DELETE', `/articles/${second}`)
      await ask(proxy, 'GET', `/articles/${second}`)
    },
    { api }
  )
  expect(kept.findings).toMatchObject([{ operation: 'getArticle', title: '200 in place of 404' }])
})

/** A service for events, with a sign-up, an action, a field that it derives, and a rule between two fields. */
async function eventService(bugs: string[]) {
  const events = new Map<number, Record<string, unknown>>()
  const people = new Set<unknown>()
  const has = (bug: string) => bugs.includes(bug)
  const answer = (method: string, path: string, body: Record<string, unknown>): [number, unknown?] => {
    const [, , named = '', action] = path.split('?')[0]?.split('/') ?? []
    const event = events.get(Number(named))
    if (path === '/login') return [200, { token: 'tk-1' }]
    if (path === '/signup') {
      if (people.has(body.email)) return [has('422 again') ? 422 : 409, {}]
      people.add(body.email)
      return [201, { token: 'tk-1' }]
    }
    if (method === 'POST' && named === '') {
      if (has('refuses all') || `${body.from}` > `${body.to}`) return [422, {}]
      const made = { id: events.size + 1, ...body, state: 'open', changes: 0 }
      events.set(made.id, made)
      return [201, made]
    }
    if (named === '') return [200, [...events.values()].filter(({ changes }) => !path.includes('?') || changes)]
    if (!event) return [404, {}]
    if (method === 'PATCH') {
      const change = has('lost name') ? {} : body
      Object.assign(event, change, { changes: Number(event.changes) + 1 })
    }
    if (action === 'seal') event.state = 'closed'
    return [200, event]
  }
  const { server, url } = await listening((request, response) => {
    let text = ''
    request.on('data', (it) => {
      text += it
    })
    request.on('end', () => {
      const [status, body] = answer(request.method ?? '', request.url ?? '', text === '' ? {} : JSON.parse(text))
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  return { url, close: () => server.close() }
}

const events = (() => {
  const text = { type: 'string' }
  const json = (schema: object) => ({ description: 'Done', content: { 'application/json': { schema } } })
  const error = json({ type: 'object' })
  const given = {
    name: text,
    door_token: text,
    from: { type: 'string', format: 'date' },
    to: { type: 'string', format: 'date' }
  }
  const event = {
    type: 'object',
    title: 'Event',
    required: ['id', 'name'],
    properties: {
      ...{ id: { type: 'integer', readOnly: true }, ...given, state: { type: 'string', enum: ['open', 'closed'] } },
      changes: { type: 'integer', readOnly: true }
    }
  }
  const answers = { 200: json(event), 404: error, 422: error }
  const at = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
  const account = json({ type: 'object', properties: { email: text, password: text }, required: ['email', 'password'] })
  const session = json({ type: 'object', properties: { token: text }, required: ['token'] })
  const open = { security: [], requestBody: account }
  return {
    openapi: '3.1.0',
    info: { title: 'Events', version: '1' },
    security: [{ bearer: [] }],
    paths: {
      '/login': { post: { operationId: 'login', ...open, responses: { 200: session, 401: error } } },
      '/signup': { post: { operationId: 'signUp', ...open, responses: { 201: session, 409: error, 422: error } } },
      '/events': {
        get: {
          operationId: 'listEvents',
          parameters: [{ name: 'near', in: 'query', schema: { type: 'integer' } }],
          responses: { 200: json({ type: 'array', items: event }) }
        },
        post: {
          operationId: 'addEvent',
          requestBody: json({ type: 'object', properties: given, required: ['name', 'from', 'to'] }),
          responses: { 201: json(event), 422: error }
        }
      },
      '/events/{id}': {
        parameters: at,
        get: { operationId: 'getEvent', responses: answers },
        patch: {
          operationId: 'changeEvent',
          requestBody: json({ type: 'object', properties: given }),
          responses: answers
        }
      },
      '/events/{id}/seal': { parameters: at, post: { operationId: 'sealEvent', responses: answers } }
    },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }
  }
})()

const secret = 'open-sesame-1'
const fair = (day: number, to = day + 1) => ({
  name: `Fair ${day}`,
  door_token: secret,
  from: `2026-05-0${day}`,
  to: `2026-05-0${to}`
})
const person = { email: 'ada@events.example', password: 'one two three' }
const seal = [
  ['POST', '/events', fair(1)],
  ['GET', '/events'],
  ['POST', '/events/1/seal'],
  ['GET', '/events/1']
] satisfies Call[]
const refused: Call[] = [['GET', '/events'], ...[1, 2, 3].map((day): Call => ['POST', '/events', fair(day)])]

test.each<[title: string, bugs: string[], findings: string[], why: string | undefined, ...calls: Call[]]>([
  ['a login is let in', [], [], 'no reply shows whom it lets in', ['POST', '/login', person, '']],
  ['a second sign-up is refused', ['422 again'], [], undefined, ...[0, 1].map((): Call => ['POST', '/signup', person])],
  ['an action is not understood', [], [], 'the mock does not understand it', ...seal, ['GET', '/events']],
  ['a parameter is not understood', [], [], 'the mock does not understand it', ...seal, ['GET', '/events?near=1']],
  [
    'a read-only field changes',
    [],
    [],
    'the service derives this field',
    ...seal.slice(0, 2),
    ['PATCH', '/events/1', { name: 'Market' }],
    ['GET', '/events/1']
  ],
  [
    'a rule between two fields refuses',
    [],
    [],
    'which values fit together',
    ['GET', '/events'],
    ['POST', '/events', fair(2, 1)]
  ],
  ['every valid request is refused', ['refuses all'], ['addEvent positive_data_acceptance'], undefined, ...refused],
  [
    'a change is lost',
    ['lost name'],
    ['changeEvent values_read_back'],
    undefined,
    ...seal,
    ['PATCH', '/events/1', { name: 'Market' }]
  ]
])('with a document: %s', async (_, bugs, expected, why, ...calls) => {
  const api = join(folder, 'events.json')
  writeFileSync(api, JSON.stringify(events))
  const service = await eventService(bugs)
  const { findings, notChecked, assume } = await shadowed(service.url, asking(...calls), { api })
  service.close()
  expect(findings.map(({ operation, check }) => `${operation} ${check}`)).toEqual(expected)
  if (why) expect(notChecked.map((it) => it.why).join('\n')).toContain(why)
  expect(assume).toEqual(bugs.includes('422 again') ? { 'signup.again': '422' } : {})
})

test('tokens are in no report, whatever the field is called', async () => {
  const api = join(folder, 'events.json')
  writeFileSync(api, JSON.stringify(events))
  const service = await eventService(['lost name'])
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2ln'
  let shown = ''
  const result = await shadowed(
    service.url,
    async (proxy) => {
      await asking(
        ['POST', '/events', fair(1)],
        ['GET', `/events?access_token=${secret}`],
        ['GET', '/events/1'],
        ['PATCH', '/events/1', { name: jwt, door_token: secret }],
        ['GET', '/events/1']
      )(proxy)
      while (!shown.includes('changeEvent')) shown = JSON.stringify((await call(proxy, 'GET', '/__mock/shadow')).body)
    },
    { api }
  )
  service.close()
  expect(result.findings).toContainEqual(expect.objectContaining({ operation: 'changeEvent' }))
  expect(shown).toContain('"door_token":"***"')
  for (const it of [secret, jwt]) expect(shown + JSON.stringify(result)).not.toContain(it)
})

const hotels = (...of: [id: number, stars: number][]) => of.map(([id, stars]) => ({ id, stars }))

test.each<[title: string, parameters: object[], query: string, choice: string | undefined]>([
  ['a whole list', [], '', 'newest-first'],
  ['a list that a call sorts', ['sort'], '?sort=-stars', undefined],
  ['a list that the document sorts', [{ sort: '-stars' }], '', undefined],
  ['a page', ['limit'], '?limit=2', undefined]
] as never)(
  'the order of rows is learned only from a whole list without a sort: %s',
  async (_, given, query, choice) => {
    const parameters = [...given, 'page'].map((it) => {
      const [[name = '', value] = []] = typeof it === 'string' ? [[it]] : Object.entries(it)
      const schema = /sort/.test(name) ? { enum: ['stars', '-stars'], default: value } : { type: 'integer' }
      return { name, in: 'query', schema: { ...schema, type: /sort/.test(name) ? 'string' : 'integer' } }
    })
    const integer = { type: 'integer' }
    const hotel = {
      type: 'object',
      title: 'Hotel',
      required: ['id', 'stars'],
      properties: { id: integer, stars: integer }
    }
    const list = { type: 'array', items: hotel }
    const json = (schema: object) => ({ description: 'Done', content: { 'application/json': { schema } } })
    const at = [{ name: 'id', in: 'path', required: true, schema: integer }]
    const document = {
      openapi: '3.1.0',
      info: { title: 'Hotels', version: '1' },
      paths: {
        '/hotels': { get: { operationId: 'listHotels', parameters, responses: { 200: json(list) } } },
        '/hotels/{id}': { get: { operationId: 'getHotel', parameters: at, responses: { 200: json(hotel) } } }
      }
    }
    const api = join(folder, 'hotels.json')
    writeFileSync(api, JSON.stringify(document))
    const all = hotels([3, 4], [2, 4], [1, 4])
    const { server, url } = await listening((request, response) => {
      const shown = request.url?.includes('limit') ? all.slice(0, 2) : all
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(shown))
    })
    const { assume, findings } = await shadowed(url, asking(...[0, 1].map((): Call => ['GET', `/hotels${query}`])), {
      api
    })
    server.close()
    expect(findings).toEqual([])
    expect(assume['rows.order']).toBe(choice)
  }
)

const orders = (() => {
  const text = { type: 'string' }
  const json = (schema: object) => ({ description: 'Done', content: { 'application/json': { schema } } })
  const states = { enum: ['open', 'closed', 'lost'] }
  const order = {
    type: 'object',
    title: 'Order',
    required: ['id', 'state'],
    properties: { id: { type: 'integer', readOnly: true }, state: states, name: text }
  }
  const list = { type: 'object', properties: { items: { type: 'array', items: order }, total: { type: 'integer' } } }
  const query = [
    { name: 'state', in: 'query', schema: states },
    { name: 'per_page', in: 'query', schema: { type: 'integer' } }
  ]
  const at = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
  return {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    paths: {
      '/orders': {
        get: { operationId: 'listOrders', parameters: query, responses: { 200: json(list) } },
        post: { operationId: 'addOrder', requestBody: json(order), responses: { 201: json(order) } }
      },
      '/orders/{id}': { parameters: at, get: { operationId: 'getOrder', responses: { 200: json(order) } } }
    }
  }
})()

const inState = (state: string): Call => ['GET', `/orders?per_page=50&state=${state}`]
const all: Call = ['GET', '/orders?per_page=50']
const another: Call = ['POST', '/orders', { state: 'open' }]

test.each<[bug: string, findings: [operation: string, check: string, title: string][], ...calls: Call[]]>([
  ['none', [], all, inState('open'), inState('lost'), another, all],
  ['total', [['listOrders', 'paging_consistent', 'total differs']], all, inState('open'), inState('lost'), all],
  [
    'state',
    [['listOrders', 'same_as_mock', 'a row is shown that the call excludes']],
    ...[all, inState('open'), inState('lost'), inState('closed')]
  ],
  [
    'status',
    [
      ['getOrder', 'response_schema_conformance', '/state must be equal to one of the allowed values'],
      ['addOrder', 'status_code_conformance', 'status n is not in the document, which has n']
    ],
    ...([['GET', '/orders/3'], another] as Call[])
  ]
])('with a document, a fault of lists or statuses is one finding: %s', async (bug, expected, ...calls) => {
  const api = join(folder, 'orders.json')
  writeFileSync(api, JSON.stringify(orders))
  const rows = ['open', 'open', 'closed'].map((state, n) => ({ id: n + 1, state }))
  const { server, url } = await listening(({ method, url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://orders.example')
    const state = bug === 'state' ? null : searchParams.get('state')
    const items = rows.filter((it) => state === null || it.state === state)
    const list = { items, total: items.length + Number(bug === 'total') }
    if (method === 'POST') rows.push({ id: rows.length + 1, state: 'open' })
    const one = pathname === '/orders' ? rows.at(-1) : { id: 3, state: 'strange' }
    response.writeHead(method === 'POST' && bug !== 'status' ? 201 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(method === 'GET' && pathname === '/orders' ? list : one))
  })
  const { findings } = await shadowed(url, asking(...calls), { api })
  server.close()
  expect(findings.map(({ operation, check, title }) => [operation, check, title])).toEqual(expected)
})

test('with --learned, a later run reports what is not as before, and when it was', async () => {
  const learned = join(folder, 'learned/choices.json')
  const run = async (choice: string, day: string) => {
    const service = await startTestMock({ assume: { 'persona.patch': choice } })
    const calls = asking(
      ['GET', '/api/persona/3', undefined, 'admin'],
      ['PATCH', '/api/persona/3', { name: `Another ${choice}` }, 'admin']
    )
    const result = await shadowed(service.url, calls, { learned })
    return keepLearned(learned, { ...result, startedAt: `${day}T10:00:00.000Z` })
  }
  expect(await run('partial', '2026-03-02')).toEqual([])
  expect(await run('partial', '2026-03-03')).toEqual([])
  const changes = await run('replace', '2026-04-12')
  expect(changes).toEqual([{ id: 'persona.patch', was: 'partial', seen: '2026-03-03', is: 'replace' }])
  const [change] = changes as [Change]
  expect(changeText(change, '2026-04-12')).toBe('persona.patch was partial on 3 March, is replace now')
  expect(changeText(change, '2027-01-01')).toContain('on 3 March 2026, is')
  const { choices } = JSON.parse(readFileSync(learned, 'utf8'))
  expect(choices['persona.patch']).toEqual({ choice: 'replace', since: '2026-04-12', seen: '2026-04-12' })
})

test('with --learned, a service that leaves the default, and comes back to it, has changed twice', async () => {
  const learned = join(folder, 'learned/defaults.json')
  const run = async (choice: string) => {
    const service = await startTestMock({ assume: { 'delete.body': choice } })
    const calls = asking(
      ['GET', '/api/persona/3', undefined, 'admin'],
      ['DELETE', '/api/persona/3', undefined, 'admin']
    )
    return keepLearned(learned, await shadowed(service.url, calls, { learned })).map(({ was, is }) => [was, is])
  }
  expect([await run('null'), await run('204'), await run('null')]).toEqual([[], [['null', '204']], [['204', 'null']]])
})

test('a file that no run has written is refused and stays as it is', async () => {
  const file = join(folder, 'other.json')
  writeFileSync(file, '[]')
  expect(() => keepLearned(file, { assume: {}, startedAt: '2026-03-03' } as VerifyResult)).toThrow('--learned')
  expect(readFileSync(file, 'utf8')).toBe('[]')
})

test('both answers of a call are shown by operation, without secrets, with what was made of a difference', async () => {
  const service = await startForeign({ bugs: ['E23-lost'] })
  try {
    await shadowed(service.url, async (proxy) => {
      await asking(
        ['GET', `${project}/details`],
        ['POST', `${project}/instructions`, { instructions: 'Be brief.' }],
        ['GET', `${project}/details`],
        ['GET', '/api/manage/credential/301']
      )(proxy)
      const shadowReport = async () => (await call(proxy, 'GET', '/__mock/shadow')).body
      const of = ({ operations }: { operations: ShadowReport['operations'] }, name: string) =>
        operations.find(({ operation }) => operation === name)
      let shown = await shadowReport()
      while (!of(shown, 'getCredential')) shown = await shadowReport()
      expect(shown.url).toBe(service.url)
      expect(of(shown, 'getProjectDetails')).toMatchObject({ calls: 1, same: 0 })
      const [pair] = of(shown, 'getProjectDetails')?.latest ?? []
      expect(pair?.notes).toContain('finding: project.instructions differs')
      expect(pair?.mock.body).toMatchObject({ project: { instructions: 'Be brief.' } })
      expect(JSON.stringify(shown)).not.toContain('s3cr3t')
    })
  } finally {
    await service.close()
  }
})

test('a report without --shadow is refused', async () => {
  const said = await refusalOf(proxyCommand(), ['http://127.0.0.1:1', '--report', 'ndjson=x'])
  expect(said).toContain('need --shadow')
})

const payable = (status: object) => {
  const order = { type: 'object', required: ['id', 'status'], properties: { id: { type: 'integer' }, status } }
  const ok = { description: 'Done', content: { 'application/json': { schema: order } } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
  const refused = { description: 'Not now' }
  const list = { content: { 'application/json': { schema: { type: 'array', items: order } } } }
  return {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    paths: {
      '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'All', ...list } } } },
      '/orders/{id}': { parameters, get: { operationId: 'getOrder', responses: { 200: ok } } },
      '/orders/{id}/pay': { parameters, post: { operationId: 'payOrder', responses: { 200: ok, 409: refused } } }
    }
  }
}

test.each([
  ['sets no status', { 'actions.status': 'kept' }],
  ['accepts an action twice', { 'actions.again': 'success' }]
])('with a document: a service that %s is recognised, also if the status is read-only', async (_, assume) => {
  const api = join(folder, 'orders.json')
  const document = payable({ type: 'string', enum: ['open', 'paid'], readOnly: true })
  writeFileSync(api, JSON.stringify(document))
  const service = await startTestMock({ api: document, assume, fixtures: 'empty' } as object)
  await call(service.url, 'POST', '/__mock/state/orders', { body: { id: 1, status: 'open' } })
  const pay: Call = ['POST', '/orders/1/pay', undefined, 'admin']
  const { findings, assume: learned } = await shadowed(
    service.url,
    asking(['GET', '/orders', undefined, 'admin'], pay, pay),
    { api }
  )
  expect(findings).toEqual([])
  expect(learned).toMatchObject(assume)
})

const keyed = (place: string, name: string) => ({ type: 'apiKey', in: place, name })

test.each([
  ['in a header', { key: keyed('header', 'X-Api-Key') }, '', { 'X-Api-Key': 'admin' }],
  [
    'in two headers',
    { id: keyed('header', 'Client'), key: keyed('header', 'X-Key') },
    '',
    { Client: 'a', 'X-Key': 'b' }
  ],
  ['in the query', { key: keyed('query', 'api_key') }, '?api_key=admin', {}],
  ['in a cookie', { key: keyed('cookie', 'sid') }, '', { Cookie: 'sid=admin' }]
])('with a document: a client whose key is %s is known to the mock', async (_, securitySchemes, search, headers) => {
  const api = join(folder, 'keyed.json')
  const security = [Object.fromEntries(Object.keys(securitySchemes).map((it) => [it, []]))]
  const document = {
    ...payable({ type: 'string', enum: ['open', 'paid'] }),
    security,
    components: { securitySchemes }
  }
  writeFileSync(api, JSON.stringify(document))
  const service = await startTestMock({ api: document, auth: 'any' } as object)
  const { findings, checks } = await shadowed(
    service.url,
    async (proxy) => {
      for (const path of ['/orders', '/orders/1']) {
        const { status } = await fetch(`${proxy}${path}${search}`, { headers: headers as Record<string, string> })
        expect(status).toBe(200)
      }
    },
    { api }
  )
  expect(findings).toEqual([])
  expect(checks).not.toEqual([])
})
