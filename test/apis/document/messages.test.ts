import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, json, listOf, named, objectOf, takes, text } from './shop.js'

const noted = (error: object, others: object = {}) => ({
  '/notes': {
    post: {
      ...takes(objectOf({ title: text, count: integer }, ['title']), objectOf({ id: integer, title: text }, ['id'])),
      responses: {
        201: { description: 'ok', ...json(objectOf({ id: integer, title: text }, ['id'])) },
        400: { description: 'bad', ...error }
      }
    },
    get: gives(listOf(objectOf({ id: integer, title: text })))
  },
  '/notes/{id}': { get: { ...gives(objectOf({ id: integer, title: text })), ...others } }
})

/** The body and type of the answer to a wrong title, under a schema of errors. */
async function refused(schema: object, type = 'application/json', body: object = { title: 3, count: 'x' }) {
  const { call } = await startTestMock({ api: documentOf(noted({ content: { [type]: { schema } } })) })
  const answer = await call('POST', '/notes', { body })
  expect(answer.headers.get('x-mock-violations')).toBeNull()
  return { ...answer, type: answer.headers.get('content-type') }
}

const title = 'Input should be a valid string'
const count = 'Input should be a valid integer'
const both = `body.title: ${title}; body.count: ${count}`

test.each<[string, object, object]>([
  [
    'status, texts and a list of fields',
    objectOf({
      code: text,
      message: text,
      details: listOf(objectOf({ field: text, issue: text }, ['field'])),
      hint: text
    }),
    {
      code: '400',
      message: both,
      details: [
        { field: 'title', issue: title },
        { field: 'count', issue: count }
      ]
    }
  ],
  [
    'a problem document',
    objectOf({ type: text, title: text, status: integer, detail: text, instance: text }, ['title', 'status']),
    { title: both, status: 400, detail: both }
  ],
  [
    'errors of JSON:API',
    objectOf({ errors: listOf(objectOf({ status: text, title: text, source: objectOf({ pointer: text }) })) }),
    {
      errors: [
        { status: '400', title, source: { pointer: 'title' } },
        { status: '400', title: count, source: { pointer: 'count' } }
      ]
    }
  ],
  [
    'errors by field',
    objectOf({ errors: { type: 'object', additionalProperties: listOf(text) } }, ['errors']),
    { errors: { title: [title], count: [count] } }
  ],
  [
    'an error in an object',
    objectOf({ error: objectOf({ code: integer, message: text }, ['message']) }, ['error']),
    { error: { code: 400, message: both } }
  ],
  [
    'one of several forms',
    { oneOf: [objectOf({ reason: text }, ['reason']), objectOf({ other: integer }, ['other'])] },
    { reason: both }
  ]
])('an error has the form of the document: %s', async (_, schema, body) => {
  expect((await refused(schema)).body).toEqual(body)
})

test('an error that the document lists without a body has the detail of the mock', async () => {
  const responses = { ...gives(objectOf({ id: integer, title: text })).responses, 404: { description: 'none' } }
  const { call } = await startTestMock({ api: documentOf(noted({}, { responses })), strict: true })
  const missing = await call('GET', '/notes/99')
  expect([missing.status, missing.body]).toEqual([404, { detail: 'notes has no row 99' }])
  const wrong = await call('POST', '/notes', { body: {} })
  expect([wrong.status, wrong.body.detail]).toEqual([400, [expect.objectContaining({ loc: ['body', 'title'] })]])
})

test('a wrong method and an unknown path have the one error of the document, and a second sign-up a status that it lists', async () => {
  const error = {
    description: 'wrong',
    ...json(objectOf({ errors: objectOf({ body: listOf(text) }, ['body']) }, ['errors']))
  }
  const entry = objectOf({ email: text, password: text }, ['email', 'password'])
  const signUp = takes(entry, objectOf({ email: text, token: text }, ['email']))
  const thing = gives(objectOf({ id: integer }))
  const { call } = await startTestMock({
    api: documentOf({
      '/users': { post: { ...signUp, responses: { ...signUp.responses, 422: error } } },
      '/things/{id}': { get: { ...thing, responses: { ...thing.responses, 404: error } } }
    })
  })
  const wrong = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, { body })
    return [answer.status, answer.body]
  }
  expect(await wrong('GET', '/users')).toEqual([405, { errors: { body: ['Method Not Allowed'] } }])
  expect(await wrong('GET', '/nothing')).toEqual([404, { errors: { body: ['Not Found'] } }])
  const ann = { email: 'ann@example.com', password: 'secret-1' }
  await wrong('POST', '/users', ann)
  expect(await wrong('POST', '/users', ann)).toEqual([
    422,
    { errors: { body: ['ann@example.com has already been taken'] } }
  ])
  expect((await call('GET', '/__mock/nothing')).body).not.toHaveProperty('errors')
})

test('an answer has the JSON type of the document', async () => {
  const problem = objectOf({ title: text, status: integer })
  expect((await refused(problem, 'application/problem+json')).type).toBe('application/problem+json')
  const good = await refused(problem, 'application/problem+json', { title: 'Plan' })
  expect([good.status, good.type]).toEqual([201, 'application/json'])
})

test('a problem has the type of those that say no more than their status', async () => {
  const problem = objectOf({ type: text, title: text, status: integer }, ['type', 'title', 'status'])
  expect((await refused(problem, 'application/problem+json')).body).toMatchObject({ type: 'about:blank' })
})

const schemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  bearer: { type: 'http', scheme: 'bearer' }
}
const secured = (security: object[]) => ({
  ...documentOf({ '/state': { get: { security, ...gives(objectOf({ ok: { const: true } }, ['ok'])) } } }),
  components: { securitySchemes: schemes }
})

test.each([
  ['header', 'Send X-Key: admin.', '/state', { 'X-Key': 'admin' }],
  ['query', 'Send ?api_key=admin.', '/state?api_key=admin', {}],
  ['cookie', 'Send Cookie: sid=admin.', '/state', { Cookie: 'sid=admin' }],
  ['bearer', 'Send Authorization: Bearer admin.', '/state', { Authorization: 'Bearer admin' }]
])('a 401 says where the document wants a token, which then counts: %s', async (name, how, path, headers) => {
  const { call } = await startTestMock({
    api: secured([{ [name]: [] }]),
    assume: { 'requests.unknown-fields': 'rejected' }
  })
  const none = await call('GET', '/state', { as: null })
  expect([none.status, none.body.detail]).toEqual([401, `Not authenticated: there is no token. ${how}`])
  expect((await call('GET', path, { as: null, headers })).status).toBe(200)
})

test('an operation that asks for two tokens is not called with one', async () => {
  const { call } = await startTestMock({ api: secured([{ header: [], bearer: [] }]) })
  const one = await call('GET', '/state')
  expect([one.status, one.body.detail]).toEqual([
    401,
    expect.stringContaining('X-Key: admin with Authorization: Bearer')
  ])
  expect((await call('GET', '/state', { headers: { 'X-Key': 'admin' } })).status).toBe(200)
})

test('/openapi.json keeps the security of operations, and webhooks', async () => {
  const security = [{ header: [] }]
  const document = secured(security)
  const webhooks = { made: { post: takes(named('Note'), named('Note')) } }
  const schemas = { Note: objectOf({ id: integer }) }
  const { call } = await startTestMock({
    api: { ...document, webhooks, components: { ...document.components, schemas } }
  })
  const { body } = await call('GET', '/openapi.json')
  expect(body.paths['/state'].get.security).toEqual(security)
  expect(body.webhooks).toEqual(webhooks)
})

const none = 'notes has no row 99'
test.each<[string, object, object]>([
  [
    'a list of fields, which is optional',
    objectOf({ title: text, errors: listOf(objectOf({ field: text, message: text }, ['field', 'message'])) }, [
      'title'
    ]),
    { title: none }
  ],
  [
    'a list of fields, which is required',
    objectOf({ errors: listOf(objectOf({ path: text, problem: text }, ['path', 'problem'])) }, ['errors']),
    { errors: [{ path: '', problem: none }] }
  ],
  [
    'texts by field',
    objectOf({ errors: { type: 'object', additionalProperties: listOf(text) } }, ['errors']),
    { errors: { detail: [none] } }
  ]
])('an error that is about no field says why, and nothing else, also with %s', async (_, schema, body) => {
  const responses = { ...gives(objectOf({ id: integer })).responses, 404: { description: 'none', ...json(schema) } }
  const { call } = await startTestMock({ api: documentOf(noted({ content: {} }, { responses })) })
  const answer = await call('GET', '/notes/99')
  expect([answer.status, answer.body]).toEqual([404, body])
})

test.each<[string, number, object]>([
  ['of a missing row, too', 404, { code: 400, message: `body.title: ${title}` }],
  ['of wrong requests only', 422, { detail: [expect.objectContaining({ loc: ['body', 'title'] })] }]
])(
  'a request to an operation that lists no error has the one error of the document, if it is one %s',
  async (_, listed, body) => {
    const error = objectOf({ code: integer, message: text }, ['code', 'message'])
    const note = objectOf({ id: { ...integer, readOnly: true }, title: text }, ['id', 'title'])
    const get = gives(note)
    const { call } = await startTestMock({
      api: documentOf({
        '/notes': { get: gives(listOf(note)), post: takes(note, note) },
        '/notes/{id}': { get: { responses: { ...get.responses, [listed]: { description: 'no', ...json(error) } } } }
      }),
      assume: { 'errors.invalid-request': '400' }
    })
    expect((await call('POST', '/notes', { body: { title: 3 } })).body).toEqual(body)
  }
)

test('a wrong request to an operation that lists no 422 has the error that all others list with it', async () => {
  const note = objectOf({ id: { ...integer, readOnly: true }, title: text }, ['id', 'title'])
  const listing = (status: number, error: object) => ({ [status]: { description: 'no', ...json(error) } })
  const wrong = listing(422, objectOf({ problems: listOf(text) }, ['problems']))
  const { call } = await startTestMock({
    api: documentOf({
      '/notes': {
        get: gives(listOf(note)),
        post: { ...takes(note, note), responses: { ...gives(note, 201).responses, ...wrong } }
      },
      '/notes/{id}': {
        get: { responses: { ...gives(note).responses, ...listing(404, objectOf({ message: text }, ['message'])) } },
        patch: takes(note, note, 200)
      }
    })
  })
  const answer = await call('PATCH', '/notes/1', { body: { title: 3 } })
  expect([answer.status, answer.body]).toEqual([422, { problems: [`body.title: ${title}`] }])
})
