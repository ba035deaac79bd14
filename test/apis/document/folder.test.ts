import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createMock } from '../../../src/doors/program/mock.js'
import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, shop, takes, text } from './shop.js'

const folders: string[] = []

/** A folder with the document of the shop and these files. */
function folderWith(files: Record<string, string>, document = 'openapi.yaml'): string {
  const folder = mkdtempSync(join(tmpdir(), 'api-'))
  folders.push(folder)
  copyFileSync(shop, join(folder, document))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const definition = (body: string) =>
  `import { defineApi } from 'knowledge-chat-mock'\nexport default defineApi(${body})\n`

test('api.mjs names title, users, rules, rows and questions', async () => {
  const folder = folderWith({
    'api.mjs': definition(`{
      title: 'Ann & Co',
      users: [{ key: 'ann', email: 'ann@example.com', role: 'admin' }, { key: 'bob' }],
      fixtures: { products: [{ name: 'Ball', price: 3 }] },
      rules: {
        getProductsById: ({ path }, { rows, assume, refuse, user }) =>
          assume('shop.closed') === 'yes' ? refuse(404, 'Closed for ' + user.key) : rows.products.get(path.id)
      },
      ledger: [{ id: 'shop.closed', question: 'Is it closed?', choices: { yes: 'Yes.', no: 'No.' }, default: 'no', reason: 'It is open.' }]
    }`),
    'assumptions.json': '{ "create.location": "sent" }'
  })
  const mock = await startTestMock({ api: folder })
  const call = (method: string, path: string, options: object = {}) =>
    mock.call(method, path, { as: 'bob', ...options })
  expect((await call('GET', '/openapi.json')).body.info.title).toBe('Ann & Co')
  expect((await call('GET', '/docs')).text).toContain('Ann &#38; Co')
  const ball = await call('GET', '/products/1')
  expect([ball.body.name, ball.headers.get('x-mock-source'), ball.headers.get('x-mock-assumed')]).toEqual([
    'Ball',
    'rule',
    'shop.closed'
  ])
  expect((await mock.call('GET', '/products/1', { as: 'user' })).status).toBe(401)
  const made = await call('POST', '/products', { body: { name: 'Bat', price: 1 } })
  expect([made.status, made.headers.get('location')]).toEqual([201, '/products/2'])
  await call('PATCH', '/__mock/assumptions', { body: { 'shop.closed': 'yes' } })
  expect((await call('GET', '/products/1')).body).toEqual({ code: 404, message: 'Closed for bob' })
})

test('rules, fixtures and scenarios are next to the document, and options override assumptions.json', async () => {
  const folder = folderWith({
    'rules.js':
      'export const getProductsById = () => ({ id: 1, name: "Ruled", price: 1, created_at: "2026-01-01T00:00:00Z" })',
    'fixtures.json': '{ "articles": [{ "slug": "one", "title": "One" }] }',
    'scenarios/two.json':
      '{ "steps": [{ "create": { "collection": "articles", "part": { "slug": "two", "title": "Two" } } }] }',
    'assumptions.json': '{ "delete.again": "success", "create.location": "sent" }'
  })
  const mock = await startTestMock({ api: folder, assume: { 'create.location': 'absent' }, scenario: 'two' })
  expect((await mock.call('GET', '/products/1')).body.name).toBe('Ruled')
  expect((await mock.call('GET', '/articles')).body.articles.map((it: { slug: string }) => it.slug)).toEqual([
    'one',
    'two'
  ])
  await mock.call('DELETE', '/products/2')
  expect((await mock.call('DELETE', '/products/2')).status).toBe(204)
  const made = await mock.call('POST', '/products', { body: { name: 'Bat', price: 1 } })
  expect(made.headers.get('location')).toBeNull()
})

test('users may be rows of the document, and the document may have another name', async () => {
  const text = `{ document: 'shop.yaml', users: { collection: 'articles', token: 'slug' } }`
  const folder = folderWith(
    { 'api.mjs': definition(text), 'fixtures.json': '{ "articles": [{ "slug": "ann" }] }' },
    'shop.yaml'
  )
  const mock = await startTestMock({ api: folder })
  expect((await mock.call('GET', '/products/1', { as: 'ann' })).status).toBe(200)
  expect((await mock.call('GET', '/products/1', { as: 'admin' })).status).toBe(401)
  const { body } = await mock.call('GET', '/__mock/collections', { as: 'ann' })
  expect(body.collections.map((it: { name: string }) => it.name)).not.toContain('mockUsers')
})

test.each([
  ['{ rules: { getProduct: () => 1 } }', 'rules.getProduct is not an operation of the document. Did you mean'],
  ['{ user: [] }', 'user'],
  ["{ document: 'none.yaml' }", 'none.yaml'],
  ['{ users: [{ name: "Ann" }] }', 'api.mjs: users must be a list of { key,'],
  ['{ users: {} }', 'or { collection, token,'],
  ['{ rules: { listProducts: 5 } }', 'api.mjs: rules must be a function for each operation.'],
  ['{ ledger: {} }', 'api.mjs: ledger must be a list of { id, question, choices, default, reason }.'],
  ['{ ledger: [{ id: "shop.closed" }] }', 'api.mjs: ledger must be a list'],
  ['{ scenarios: [{ steps: [] }] }', 'api.mjs: scenarios must be a list of paths.'],
  [
    '{ fixtures: { products: [{ id: 1 }, {}, { id: 1 }] } }',
    /api\.mjs: products\[2\]\.id: products\[0\] has the id 1 already$/
  ],
  [
    "{ collections: { products: { schema: '#/components/schemas/None' } } }",
    /api\.mjs: collections\.products\.schema: #\/components\/schemas\/None cannot be resolved$/
  ],
  [
    "{ collections: { products: { schema: '#/components/schemas/Product', count: -1 } } }",
    /api\.mjs: collections\.products\.count: count must be a whole number from 0 to 10000$/
  ]
])('a wrong definition stops the start: %s', (body, message) => {
  const folder = folderWith({ 'api.mjs': definition(body) }, 'shop.yaml')
  const whole = body.includes('document') ? folder : folderWith({ 'api.mjs': definition(body) })
  expect(() => createMock({ api: whole })).toThrow(message)
})

test('a document that a definition names wins over that in the folder', () => {
  const folder = folderWith({ 'api.mjs': definition("{ document: 'none.yaml' }") })
  expect(() => createMock({ api: folder })).toThrow('none.yaml')
})

test('a missing folder or document stops the start', () => {
  expect(() => createMock({ api: '/nowhere/openapi.yaml' })).toThrow(
    'api: there is no file or folder /nowhere/openapi.yaml'
  )
  expect(() => createMock({ api: folderWith({}, 'other.yaml') })).toThrow('has no openapi.yaml or openapi.json')
})

test('--with adds other documents to an API', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'More', version: '1' },
    paths: {
      '/more': {
        get: { responses: { 200: { description: 'ok', content: { 'application/json': { example: { more: true } } } } } }
      }
    }
  }
  const mock = await startTestMock({ api: shop, with: [document] })
  expect((await mock.call('GET', '/more')).body).toEqual({ more: true })
  expect((await mock.call('GET', '/products')).status).toBe(200)
})

const orders = documentOf(
  {
    '/orders': {
      get: { operationId: 'listOrders', ...gives(listOf(named('Order'))) },
      post: takes(named('Order'), named('Order'))
    },
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: integer }],
      get: gives(named('Order')),
      patch: takes(named('Order'), named('Order'), 200)
    },
    '/states': { get: { operationId: 'listStates', ...gives(listOf(text)) } }
  },
  {
    Order: objectOf({ id: integer, note: text, state: text, since: text, size: { enum: ['small', 'large'] } }, [
      'id',
      'state'
    ])
  }
)

/** An order is paid three seconds after it was made. */
const paidLater = `orders: {
  field: 'state',
  stages: [['pending'], ['paid', 'failed']],
  next({ now }, { state, since }) {
    if (state !== 'pending') return undefined
    const at = new Date(Date.parse(since) + 3000).toISOString()
    return Date.parse(now) < Date.parse(at) ? { status: 'pending', next: 'paid', at } : { status: 'paid', next: null, at: null }
  }
}`

const withLifecycles = (lifecycles: string) =>
  folderWith({
    'api.mjs': definition(`{
      document: ${JSON.stringify(orders)},
      users: [{ key: 'ann' }],
      lifecycles: { ${lifecycles} },
      rules: { listStates: (_, { rows }) => rows.orders.all().map(({ state }) => state) }
    }`)
  })

test.each<[string, string]>([
  ['a status that the row keeps', paidLater],
  [
    'one that follows from a time alone, and is set by it',
    `orders: {
      field: 'state',
      stages: [['pending'], ['paid']],
      next: ({ now }, { since }) => (now < since ? { status: 'pending', next: 'paid', at: since } : { status: 'paid' }),
      setStatus({ now, rows }, row, to) {
        rows.orders.put({ ...row, since: to === 'paid' ? now : new Date(Date.parse(now) + 3000).toISOString() })
      }
    }`
  ]
])('a PATCH of a status answers as the next GET does: %s', async (_, lifecycles) => {
  const mock = await startTestMock({ api: withLifecycles(lifecycles), fixtures: 'empty' })
  const call = (method: string, path: string, body?: object) => mock.call(method, path, { as: 'ann', body })
  await call('PUT', '/__mock/clock', { now: '2026-03-02T10:00:00Z', speed: 0 })
  await call('POST', '/__mock/state/orders', { id: 1, state: 'pending', since: '2026-03-02T10:00:01Z' })
  for (const state of ['paid', 'pending']) {
    const { status, body } = await call('PATCH', '/orders/1', { id: 1, state })
    expect([status, body.state, (await call('GET', '/orders/1')).body]).toEqual([200, state, body])
  }
})

test('a status of api.mjs changes with the clock, in replies, rules, the state and its history', async () => {
  const mock = await startTestMock({ api: withLifecycles(paidLater), fixtures: 'empty' })
  const call = (method: string, path: string, body?: object) => mock.call(method, path, { as: 'ann', body })
  const made = { id: 1, state: 'pending', since: '2026-03-02T10:00:00Z' }
  await call('PUT', '/__mock/clock', { now: '2026-03-02T10:00:00Z', speed: 0 })
  await call('POST', '/__mock/state/orders', made)
  const [collection] = (await call('GET', '/__mock/collections')).body.collections
  expect(collection.lifecycle).toEqual({ field: 'state', stages: [['pending'], ['paid', 'failed']] })
  expect((await call('GET', '/orders/1')).body.state).toBe('pending')
  expect((await call('GET', '/__mock/lifecycles')).body.lifecycles).toMatchObject([{ id: 1, next: 'paid' }])

  await call('PUT', '/__mock/clock', { advance: '3s' })
  expect((await call('GET', '/orders/1')).body.state).toBe('paid')
  expect((await call('GET', '/orders')).body).toMatchObject([{ id: 1, state: 'paid' }])
  expect((await call('GET', '/states')).body).toEqual(['paid'])
  expect((await call('GET', '/__mock/state/orders/1')).body.state).toBe('paid')
  expect((await call('GET', '/__mock/state/orders/1/history')).body.changes[0]).toMatchObject({
    control: 'time',
    before: { state: 'pending' },
    after: { state: 'paid' }
  })
  await call('POST', '/__mock/lifecycles/orders/1', { to: 'failed' })
  expect((await call('GET', '/orders/1')).body.state).toBe('failed')
  const refused = await call('POST', '/__mock/lifecycles/orders/1', { to: 'lost' })
  expect([refused.status, refused.body.errors[0].allowed]).toEqual([400, ['pending', 'paid', 'failed']])
})

test.each([
  ['things: { field: "state", stages: [["a"]] }', /api\.mjs: lifecycles\.things is not a collection/],
  ['orders: { field: "state", stages: ["a"] }', /api\.mjs: lifecycles\.orders needs a field and stages/],
  ['orders: { stages: [["a"]] }', /api\.mjs: lifecycles\.orders needs a field and stages/],
  ['orders: { field: "state", stages: [] }', /api\.mjs: lifecycles\.orders needs a field and stages/],
  [
    'orders: { field: "stat", stages: [["a"]] }',
    /api\.mjs: lifecycles\.orders\.field: rows of orders have no field stat\. Did you mean state\?/
  ],
  ['orders: { field: "state", stages: [["a"], ["a"]] }', /api\.mjs: lifecycles\.orders\.stages has the status a twice/],
  ['orders: { field: "state", stages: [[1]] }', /lifecycles\.orders\.stages has the status 1, which is not a text/],
  [
    'orders: { field: "size", stages: [["small"], ["huge"]] }',
    /orders\.stages has the status "huge", which is not a value of size: small, large/
  ],
  ['orders: { field: "state", stages: [["a"]], next: "a" }', /api\.mjs: lifecycles\.orders\.next must be a function/]
])('lifecycles that are wrong are refused at the start: %s', (given, message) => {
  expect(() => createMock({ api: withLifecycles(given) })).toThrow(message)
})

test.each([
  ['{ throw new Error("kaboom") }', 'throws an error: kaboom'],
  ['{ return Promise.reject(new Error("late")) }', 'returns a promise: the status of a row must be known at once.'],
  ['{ return "paid" }', 'returns "paid" for the row 1, and not { status, next, at } or undefined.'],
  [
    '{ return { status: "lost" } }',
    'returns the status "lost" for the row 1, which is not one of pending, paid, failed.'
  ],
  [
    '{ return { status: "paid", next: "lost", at: null } }',
    'returns the next "lost" for the row 1, which is not one of pending, paid, failed.'
  ],
  [
    '{ return { status: "paid", next: "failed", at: "soon" } }',
    'returns the at "soon" for the row 1, which is not a time such as 2026-03-02T10:00:00.000Z.'
  ],
  [
    '{ return { status: "paid", next: "failed", at: now } }',
    'returns the at "2026-03-02T10:00:00.000Z" for the row 1, which is not after now (2026-03-02T10:00:00.000Z).'
  ]
])(
  'a lifecycle that does something wrong is named in the journal and in the answers of the control API: %s',
  async (next, text) => {
    const stages = "stages: [['pending'], ['paid', 'failed']]"
    const api = withLifecycles(`orders: { field: 'state', ${stages}, next({ now }) ${next} }`)
    const problems: string[] = []
    const mock = await startTestMock({ api, onProblem: (it: string) => problems.push(it) })
    const call = (method: string, path: string, body?: object) => mock.call(method, path, { as: 'ann', body })
    await call('PUT', '/__mock/clock', { now: '2026-03-02T10:00:00Z', speed: 0 })
    expect((await call('GET', '/orders')).status).toBe(500)
    const [entry] = (await call('GET', '/__mock/requests')).body.requests
    expect(entry.failure).toContain(`lifecycles.orders.next ${text}\n    at `)
    const { status, body } = await call('GET', '/__mock/lifecycles')
    expect([status, body.detail]).toEqual([500, `lifecycles.orders.next ${text}`])
    expect(problems).toEqual([expect.stringContaining(`lifecycles.orders.next ${text}`)])
  }
)

test('a step without a next status ends the lifecycle, and a row keeps a status that only a request can set', async () => {
  const next = 'next: (_, { state }) => ({ status: state })'
  const api = withLifecycles(`orders: { field: 'state', stages: [['pending'], ['paid']], ${next} }`)
  const mock = await startTestMock({ api, fixtures: 'empty' })
  const call = (method: string, path: string, body?: object) => mock.call(method, path, { as: 'ann', body })
  await call('POST', '/__mock/state/orders', { id: 1, state: 'lost' })
  expect((await call('GET', '/orders/1')).body.state).toBe('lost')
  expect((await call('GET', '/__mock/lifecycles')).body.lifecycles).toMatchObject([
    { status: 'lost', next: null, at: null }
  ])
})

test('setStatus that throws is named in the answer', async () => {
  const given = "orders: { field: 'state', stages: [['pending'], ['paid']], setStatus() { throw new Error('shut') } }"
  const mock = await startTestMock({ api: withLifecycles(given), fixtures: 'empty', onProblem: () => {} })
  const call = (method: string, path: string, body?: object) => mock.call(method, path, { as: 'ann', body })
  await call('POST', '/__mock/state/orders', { id: 1, state: 'pending' })
  const { status, body } = await call('POST', '/__mock/lifecycles/orders/1', { to: 'paid' })
  expect([status, body.detail]).toEqual([500, 'lifecycles.orders.setStatus throws an error: shut'])
})

test.each<[string, string, string | RegExp]>([
  ['as init wrote it', '(input, context) => context.otherwise()', 'ours'],
  ['written', "() => 'theirs'", /rules.getProductsById: getProductsById is a function of the rules file, too/]
])('a rule of api.mjs has its place where the rules file has the same one %s', async (_, rule, result) => {
  const folder = folderWith({
    'api.mjs': definition(
      "{ rules: { getProductsById: ({ path }, { rows }) => ({ ...rows.products.get(path.id), name: 'ours' }) } }"
    ),
    'rules.mjs': `export const getProductsById = ${rule}\n`
  })
  const answer = startTestMock({ api: folder }).then(async ({ call }) => (await call('GET', '/products/1')).body.name)
  if (typeof result === 'string') expect(await answer).toBe(result)
  else await expect(answer).rejects.toThrow(result)
})
