import { startTestMock, type TestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, objectOf, shop, takes, text } from './shop.js'

let mock: TestMock
beforeAll(async () => {
  mock = await startTestMock({ api: shop })
})
beforeEach(() => mock.reset())

test('an API replaces Knowledge Chat: it has its own title, paths, users and tokens', async () => {
  const { body } = await mock.call('GET', '/openapi.json', { as: null })
  expect(body.info).toMatchObject({ title: 'Little Shop', version: '2.1.0' })
  expect(Object.keys(body.paths)).toContain('/articles/{slug}/comments')
  expect(Object.keys(body.paths).some((it) => it.startsWith('/api'))).toBe(false)
  expect(body.components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } })
  expect((await mock.call('GET', '/api/persona')).status).toBe(404)
  expect((await mock.call('GET', '/__mock/health')).body.contract.version).toBe('2.1.0')
  expect((await mock.call('GET', '/__mock/state/mockUsers')).body.rows).toMatchObject([
    { key: 'admin' },
    { key: 'user' }
  ])
  for (const page of ['/docs', '/__mock/']) expect((await mock.call('GET', page, { as: null })).status).toBe(200)
})

test('a token is needed if the document requires one, and only then', async () => {
  const status = async (path: string, as: string | null) => (await mock.call('GET', path, { as })).status
  expect(await status('/products', null)).toBe(200)
  expect(await status('/products', 'nobody')).toBe(200)
  expect(await status('/products/1', null)).toBe(401)
  expect(await status('/products/1', 'nobody')).toBe(401)
  expect(await status('/products/1', 'user')).toBe(200)
})

test('a token names a sandbox after its tilde', async () => {
  const { body } = await mock.call('POST', '/products', { as: 'user~mine', body: { name: 'Ball', price: 1 } })
  expect((await mock.call('GET', `/products/${body.id}`, { as: 'user~mine' })).status).toBe(200)
  expect((await mock.call('GET', `/products/${body.id}`)).status).toBe(404)
})

test('a user who signs up can sign in, and the token in the answer is theirs', async () => {
  const user = { email: 'jake@example.com', username: 'jake', password: 'secret' }
  const made = await mock.call('POST', '/users', { as: null, body: { user } })
  expect([made.status, made.body.user]).toMatchObject([
    201,
    { email: 'jake@example.com', token: 'jake', username: 'jake' }
  ])
  const { password, email } = user
  const signedIn = await mock.call('POST', '/users/login', { as: null, body: { user: { email, password } } })
  expect(signedIn.body.user.token).toBe('jake')
  expect((await mock.call('GET', '/user', { as: 'jake' })).body.user).toMatchObject({ email, token: 'jake' })
  expect((await mock.call('POST', '/users', { as: null, body: { user } })).status).toBe(409)
})

test('keys in headers, queries and Authorization are tokens, as the document declares them', async () => {
  const content = {
    'application/json': { schema: { type: 'object', required: ['ok'], properties: { ok: { const: true } } } }
  }
  const keyed = await startTestMock({
    api: {
      openapi: '3.1.0',
      info: { title: 'Keyed', version: '1' },
      security: [{ header: [] }, { query: [] }, { token: [] }],
      paths: { '/state': { get: { responses: { 200: { description: 'ok', content } } } } },
      components: {
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          query: { type: 'apiKey', in: 'query', name: 'api_key' },
          token: { type: 'apiKey', in: 'header', name: 'Authorization' }
        }
      }
    }
  })
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await keyed.call('GET', path, { as: null, headers })).status
  expect(await status('/state')).toBe(401)
  expect(await status('/state', { 'X-API-Key': 'user' })).toBe(200)
  expect(await status('/state', { 'X-API-Key': 'nobody' })).toBe(401)
  expect(await status('/state?api_key=user~mine')).toBe(200)
  expect(await status('/state', { Authorization: 'Token user' })).toBe(200)
  expect(await status('/state', { Authorization: 'Bearer user' })).toBe(200)
  expect(await status('/state', { Authorization: `Basic ${btoa('admin:secret')}` })).toBe(200)
})

test.each<[string, object[], string]>([
  ['Basic alone', [{ basic: [] }], 'Basic realm="mock"'],
  ['Basic and Bearer', [{ basic: [] }, { bearer: [] }], 'Bearer']
])('a 401 of a document with %s says so', async (_, security, scheme) => {
  const securitySchemes = { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } }
  const paths = { '/state': { get: gives(objectOf({ ok: text })) } }
  const api = { ...documentOf(paths), security, components: { securitySchemes } }
  const { status, headers } = await (await startTestMock({ api })).call('GET', '/state', { as: null })
  expect([status, headers.get('WWW-Authenticate')]).toEqual([401, scheme])
})

test('/__mock/collections lists what of the document has no effect', async () => {
  const parameters = [
    { name: 'limit', in: 'query', schema: integer },
    { name: 'mood', in: 'query', schema: text },
    { name: 'sort', in: 'query', schema: { enum: ['newest', 'oldest'] } },
    { name: 'order_by', in: 'query', schema: { enum: ['name_asc', 'name_desc'] } }
  ]
  const headers = { Link: {}, ETag: {}, 'X-Total-Count': {} }
  const row = objectOf({ id: integer, name: text })
  const { call } = await startTestMock({
    api: documentOf({
      '/things': {
        get: { parameters, responses: { 200: { ...gives(listOf(row)).responses[200], headers } } },
        post: takes(row, row)
      },
      '/things/{id}': { get: gives(row) },
      '/report': { get: gives(objectOf({ total: integer })) }
    })
  })
  const things = { operation: 'getThings' }
  expect((await call('GET', '/__mock/collections')).body.not_understood).toEqual([
    { ...things, part: 'query', name: 'mood', why: 'Its query parameter mood has no effect.' },
    { ...things, part: 'query', name: 'sort', why: 'Its query parameter sort has no effect.' },
    { ...things, part: 'response-header', name: 'etag', why: 'Its response header etag says nothing of the rows.' },
    { operation: 'getReport', why: 'It has no collection: its answer is an example, or made from its schema.' }
  ])
})

test('a day that no calendar has is not a date', async () => {
  const { call } = await startTestMock({
    api: documentOf({
      '/days': { post: takes(objectOf({ day: { type: 'string', format: 'date' } }), objectOf({ id: integer })) }
    })
  })
  expect((await call('POST', '/days', { body: { day: '2026-02-28' } })).status).toBe(201)
  expect((await call('POST', '/days', { body: { day: '2026-02-30' } })).status).toBe(422)
})

test('a list has the documented header Link, with the other pages', async () => {
  const parameters = ['page', 'page_size'].map((name) => ({ name, in: 'query', schema: integer }))
  const list = { ...gives(listOf(objectOf({ id: integer }))).responses[200], headers: { Link: {} } }
  const { call, url } = await startTestMock({
    api: documentOf({
      '/things': { get: { parameters, responses: { 200: list } } },
      '/things/{id}': { get: gives(objectOf({ id: integer })) }
    })
  })
  const linkOf = async (path: string) => (await call('GET', path)).headers.get('Link')
  const page = (number: number) => `<${url}/things?page=${number}&page_size=4>`
  expect(await linkOf('/things?page=2&page_size=4')).toBe(
    `${page(1)}; rel="first", ${page(1)}; rel="prev", ${page(3)}; rel="next", ${page(3)}; rel="last"`
  )
  expect(await linkOf('/things?page=3&page_size=4')).not.toContain('next')
})

test.each<[string, string, number[]]>([
  ['sort', '-rank', [3, 2, 1]],
  ['sort', 'rank:desc', [3, 2, 1]],
  ['order_by', 'rank_desc', [3, 2, 1]],
  ['order_by', 'rank asc', [1, 2, 3]],
  ['sort', '+rank', [1, 2, 3]],
  ['sort', 'rank&sort_dir=desc', [3, 2, 1]],
  ['sort', 'rank_desc,id', [3, 2, 1]]
])('%s=%s sorts a list', async (name, value, ranks) => {
  const row = objectOf({ id: integer, rank: integer })
  const parameters = [name, 'sort_dir'].map((it) => ({ name: it, in: 'query', schema: text }))
  const { call } = await startTestMock({
    api: documentOf({
      '/things': { get: { parameters, ...gives(listOf(row)) }, post: takes(row, row) },
      '/things/{id}': { get: gives(row) }
    }),
    fixtures: 'empty'
  })
  for (const rank of [2, 3, 1]) await call('POST', '/things', { body: { rank } })
  const { body } = await call('GET', `/things?${name}=${value.replace('+', '%2B')}`)
  expect(body.map((it: { rank: number }) => it.rank)).toEqual(ranks)
})
