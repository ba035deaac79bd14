import { startTestMock } from '../../mock.js'
import { startAsking } from './asking.js'
import { documentOf, gives, integer, listOf, named, objectOf, shop, takes, text } from './shop.js'

const body = { name: 'Ball', price: 3, note: 'Red' }
const started = (assume?: Record<string, string>) => startAsking(shop, assume)

test('the ledger asks only what the document leaves open, with choices, a default and a reason', async () => {
  const { call } = await started()
  const { assumptions } = (await call('GET', '/__mock/assumptions')).body
  const entry = (id: string) => assumptions.find((it: { id: string }) => it.id === id)
  expect(entry('delete.again')).toMatchObject({ choice: '404', place: expect.arrayContaining(['deleteProductsById']) })
  expect(entry('missing.status').place).not.toContain('deleteProductsById')
  expect(entry('put.absent').default).toBe('removed')
  expect(entry('search.case')).toBeUndefined()
  for (const { choices, reason, question } of assumptions) {
    expect([Object.keys(choices).length > 0, reason !== '', question.endsWith('?')]).toEqual([true, true, true])
  }
  expect(assumptions.some((it: { id: string }) => it.id.startsWith('persona.'))).toBe(false)
  // No names of another API.
  expect(JSON.stringify(assumptions)).not.toMatch(/\bE\d+\b|[Ss]ection|2\.16|\/admin\/|persona|curator|running service/)
})

test('does not ask what has no effect for the document', async () => {
  const text = { type: 'string' }
  const error = { description: 'bad', content: { 'application/json': { schema: text } } }
  const mock = await startTestMock({
    api: {
      openapi: '3.1.0',
      info: { title: 'Plain', version: '1' },
      paths: {
        '/notes': {
          post: {
            requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { text } } } } },
            responses: { 204: { description: 'ok' }, 400: error }
          }
        }
      }
    }
  })
  const ids = (await mock.call('GET', '/__mock/assumptions')).body.assumptions.map((it: { id: string }) => it.id)
  expect(ids.filter((it: string) => it.startsWith('auth.'))).toEqual([])
  for (const id of ['errors.unreadable-body', 'errors.input-and-ctx', 'requests.coercion', 'requests.uuid-spelling'])
    expect(ids).not.toContain(id)
  expect(ids).toContain('requests.unknown-fields')
  const wrong = await mock.call('POST', '/notes', { body: { text: 3 } })
  expect([wrong.status, wrong.headers.get('x-mock-assumed')]).toEqual([400, null])
})

test.each<[string, string, string, string, object, number]>([
  ['auth.unauthenticated', '403', 'GET', '/products/1', { as: null }, 403],
  ['auth.scheme-case', 'exact', 'GET', '/products/1', { as: null, headers: { Authorization: 'bearer admin' } }, 401],
  ['auth.cookie', 'any', 'GET', '/products/1', { as: null, headers: { Cookie: 'kcm-token=admin' } }, 200],
  ['auth.unknown-token', 'admin', 'GET', '/products/1', { as: 'nobody' }, 200],
  ['errors.wrong-method', 'head-refused', 'HEAD', '/products', {}, 405],
  ['requests.coercion', 'lax', 'POST', '/products', { body: { name: 'Ball', price: '3' } }, 201],
  ['requests.unknown-fields', 'rejected', 'POST', '/products', { body: { name: 'Ball', price: 3, size: 1 } }, 400],
  ['requests.whole-numbers', 'refused', 'POST', '/orders/', { body: '{"product_id": 1.0, "amount": 1}' }, 422],
  ['requests.unread-bodies', 'refused', 'DELETE', '/products/1', { body: {} }, 422],
  ['paths.trailing-slash', 'redirected', 'GET', '/products/', {}, 307]
])('%s=%s has an effect, which the answer names', async (id, choice, method, path, options, status) => {
  const usual = await started()
  expect((await usual.call(method, path, options)).status).not.toBe(status)
  const { call } = await started({ [id]: choice })
  const answer = await call(method, path, options)
  // A success names neither how numbers are read, nor that HEAD is served.
  const isNamed = /coercion|method/.test(id) || answer.assumed.includes(id)
  expect([answer.status, isNamed]).toEqual([status, true])
})

test.each([
  ['delete.again', 'success', 204],
  ['delete.again', '404', 404]
])('%s=%s: a second DELETE is a %i', async (id, choice, status) => {
  const { call } = await started({ [id]: choice })
  await call('DELETE', '/products/1')
  const again = await call('DELETE', '/products/1')
  expect([again.status, again.assumed.includes(id)]).toEqual([status, true])
})

test('put.absent=kept keeps what a PUT omits', async () => {
  const { call } = await started({ 'put.absent': 'kept' })
  await call('POST', '/products', { body })
  const { body: row, assumed } = await call('PUT', '/products/11', { body: { name: 'Bat', price: 1 } })
  expect([row.note, assumed.includes('put.absent')]).toEqual(['Red', true])
})

test('put.unknown-id=created creates the row with this id', async () => {
  const { call } = await started({ 'put.unknown-id': 'created' })
  const { body: row, assumed } = await call('PUT', '/products/77', { body })
  expect([row.id, assumed.includes('put.unknown-id')]).toEqual([77, true])
  expect((await call('GET', '/products/77')).body.name).toBe('Ball')
})

test('create.absent=generated generates what a request omits', async () => {
  const { call } = await started({ 'create.absent': 'generated' })
  const { body: row } = await call('POST', '/products', { body: { name: 'Ball', price: 3 } })
  expect(typeof row.note).toBe('string')
})

test('create.location=sent names the address of a new row', async () => {
  const { call } = await started({ 'create.location': 'sent' })
  expect((await call('POST', '/products', { body })).location).toBe('/products/11')
})

test('ids.again=when-highest reuses the highest id', async () => {
  for (const [choice, id] of [
    ['when-highest', 11],
    ['never', 12]
  ] as const) {
    const { call } = await started({ 'ids.again': choice })
    await call('POST', '/products', { body })
    await call('DELETE', '/products/11')
    expect((await call('POST', '/products', { body })).body.id).toBe(id)
  }
})

test('times.change=kept leaves the time of the last change', async () => {
  const { call } = await started({ 'times.change': 'kept' })
  const before = (await call('GET', '/products/1')).body.updated_at
  expect((await call('PATCH', '/products/1', { body: { price: 9 } })).body.updated_at).toBe(before)
})

test('rows.order, pages.size and pages.beyond decide about lists', async () => {
  const { call } = await started({ 'rows.order': 'newest-first', 'pages.size': '3', 'pages.beyond': '404' })
  await call('POST', '/products', { body })
  const { body: page, assumed } = await call('GET', '/products')
  expect([page.items[0].id, assumed]).toEqual([11, ['rows.order']])
  const comments = await call('GET', '/articles/nothing/comments')
  expect(comments.status).toBe(404)
  expect((await call('GET', '/products?page=9')).status).toBe(404)
})

test('a page after the last one is the last one again, where the document says that no page is empty', async () => {
  const page = { in: 'query', name: 'page', schema: integer }
  const paths = {
    '/notes': {
      get: { parameters: [page], ...gives({ ...listOf(named('Note')), minItems: 1 }) },
      post: takes(named('Note'), named('Note'))
    }
  }
  const { call } = await startAsking(documentOf(paths, { Note: objectOf({ id: integer, title: text }) }), {
    'pages.size': '4'
  })
  const { body: last } = await call('GET', '/notes?page=3')
  expect(last).toHaveLength(2)
  const { body: beyond, assumed } = await call('GET', '/notes?page=9')
  expect([beyond, assumed]).toEqual([last, expect.arrayContaining(['pages.beyond'])])
})

test('rows.visible=own and rows.foreign=403 keep users apart', async () => {
  const { mock, call } = await started({ 'rows.visible': 'own', 'rows.foreign': '403' })
  const order = { product_id: 1, amount: 2 }
  const { data } = (await call('POST', '/orders/', { as: 'user', body: order })).body
  expect(data.user_id).toBe('user')
  expect((await call('GET', '/orders/', { as: 'user' })).body.data).toHaveLength(1)
  expect((await call('GET', '/orders/', { as: 'admin' })).body.data).toHaveLength(0)
  expect((await call('DELETE', `/orders/${data.id}`, { as: 'admin' })).status).toBe(403)
  expect((await call('DELETE', `/orders/${data.id}`, { as: 'user' })).status).toBe(204)
  await mock.close()
})

test('a choice can change while the mock runs', async () => {
  const { call } = await started()
  await call('PATCH', '/__mock/assumptions', { body: { 'delete.again': 'success' } })
  await call('DELETE', '/products/1')
  expect((await call('DELETE', '/products/1')).status).toBe(204)
})

const paint = (others: object = {}) => {
  const row = objectOf(
    { id: integer, owner_id: integer, color: { ...text, default: 'blue' }, note: { type: ['string', 'null'] } },
    ['id', 'color', 'note']
  )
  const body = objectOf({ name: text, color: { ...text, default: 'blue' }, note: { type: ['string', 'null'] } })
  const item = {
    get: gives(row),
    put: takes(body, row, 200),
    delete: gives(objectOf({ done: { const: true } }, ['done']))
  }
  const parts = { get: gives(listOf(objectOf({ id: integer }))), post: takes(objectOf({}), objectOf({ id: integer })) }
  return documentOf({
    '/paints': { get: gives(listOf(row)), post: { ...takes(body, row), ...others } },
    '/paints/{id}': item,
    '/paints/{id}/parts': parts
  })
}
const painted = async (assume: Record<string, string>, others?: object) =>
  (await startTestMock({ api: paint(others), assume })).call

test('put.absent=removed puts back defaults and null where the row must have the field', async () => {
  for (const [choice, color, note] of [
    ['removed', 'blue', null],
    ['kept', 'red', 'Thick']
  ]) {
    const call = await painted({ 'put.absent': choice as string })
    await call('PUT', '/paints/1', { body: { color: 'red', note: 'Thick' } })
    expect((await call('PUT', '/paints/1', { body: {} })).body).toMatchObject({ color, note })
  }
})

test('delete.again=success answers with the documented body, unless that has the row', async () => {
  const call = await painted({ 'delete.again': 'success' })
  await call('DELETE', '/paints/1')
  const again = await call('DELETE', '/paints/1')
  expect([again.status, again.body]).toEqual([200, { done: true }])
})

test('missing.status=410 counts for lists below a row too', async () => {
  const call = await painted({ 'missing.status': '410' })
  expect((await call('GET', '/paints/99/parts')).status).toBe(410)
})

test('rows.visible=own hides rows of others by their ids too', async () => {
  const call = await painted({ 'rows.visible': 'own' })
  const { id } = (await call('POST', '/paints', { as: 'user', body: {} })).body
  expect((await call('GET', `/paints/${id}`, { as: 'user' })).status).toBe(200)
  expect((await call('GET', `/paints/${id}`)).status).toBe(404)
  expect((await call('PUT', `/paints/${id}`, { body: {} })).status).toBe(404)
})

test('a documented Location is sent, and no question', async () => {
  const { responses } = takes({}, integer)
  const responded = { responses: { 201: { ...responses[201], headers: { Location: { schema: text } } } } }
  const call = await painted({}, { ...responded, requestBody: { content: {} } })
  const ids = (await call('GET', '/__mock/assumptions')).body.assumptions
  const location = ids.find(({ id }: { id: string }) => id === 'create.location')
  expect(location.place).toEqual(['postPaintsByIdParts'])
})

test.each([
  ['removed', 204, 404],
  ['kept', 204, 200],
  ['refused', 409, 200]
])(
  'delete.children=%s: a DELETE of a row with others below it is a %i, and these a %i',
  async (choice, status, below) => {
    const [project, task] = [named('Project'), named('Task')]
    const api = documentOf(
      {
        '/projects': { get: gives(listOf(project)), post: takes(project, project) },
        '/projects/{id}': { get: gives(project), delete: { responses: { 204: { description: 'gone' } } } },
        '/projects/{id}/tasks': { get: gives(listOf(task)) },
        '/tasks/{id}': { get: gives(task), patch: takes(objectOf({ title: text }), task, 200) }
      },
      { Project: objectOf({ id: integer }), Task: objectOf({ id: integer, project_id: integer, title: text }, ['id']) }
    )
    const mock = await startTestMock({ api, assume: { 'delete.children': choice } })
    const [{ id }] = (await mock.call('GET', '/projects/2/tasks')).body
    const deleted = await mock.call('DELETE', '/projects/2')
    expect([deleted.status, deleted.headers.get('x-mock-assumed')]).toEqual([
      status,
      expect.stringContaining('delete.children')
    ])
    expect((await mock.call('GET', `/tasks/${id}`)).status).toBe(below)
  }
)

test.each([
  ['accepted', 201],
  ['404', 404],
  ['422', 422]
])('references.unknown=%s: a row that names a missing one is a %i', async (choice, status) => {
  const { call } = await started({ 'references.unknown': choice })
  const known = await call('POST', '/orders/', { body: { product_id: 1, amount: 1 } })
  expect([known.status, known.assumed.includes('references.unknown')]).toEqual([201, false])
  const unknown = await call('POST', '/orders/', { body: { product_id: 999, amount: 1 } })
  expect([unknown.status, unknown.assumed.includes('references.unknown')]).toEqual([status, true])
})

test('a wrong request to an operation that lists no 4xx has the status of others in the document, and is the client’s mistake', async () => {
  for (const [assume, status] of [
    [{}, 400],
    [{ 'errors.invalid-request': '422' }, 422]
  ] as const) {
    const api = documentOf({
      '/things': { post: takes(objectOf({ size: integer }), objectOf({ id: integer })) },
      '/others': { get: { responses: { 200: { description: 'ok' }, 400: { description: 'bad' } } } }
    })
    const mock = await startTestMock({ api, assume })
    const wrong = await mock.call('POST', '/things', { body: { size: 'x' } })
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([status, ['body', 'size']])
    expect(wrong.headers.get('x-mock-assumed')).toContain('errors.invalid-request')
    expect(wrong.headers.get('x-mock-violations')).toBeNull()
    const [exchange] = (await mock.call('GET', '/__mock/requests?violations=true')).body.requests
    expect([exchange.refused.length, exchange.violations ?? []]).toEqual([1, []])
  }
})

test('ids.again decides about numbers that are called otherwise than id', async () => {
  const ticket = objectOf({ number: { ...integer, readOnly: true }, text }, ['number'])
  const api = documentOf({
    '/tickets': { get: gives(listOf(ticket)), post: takes(ticket, ticket) },
    '/tickets/{number}': { get: gives(ticket), delete: { responses: { 204: { description: 'gone' } } } }
  })
  for (const [choice, number] of [
    ['when-highest', 11],
    ['never', 12]
  ] as const) {
    const mock = await startTestMock({ api, assume: { 'ids.again': choice } })
    expect((await mock.call('POST', '/tickets', { body: { text: 'One' } })).body.number).toBe(11)
    await mock.call('DELETE', '/tickets/11')
    expect((await mock.call('POST', '/tickets', { body: { text: 'Two' } })).body.number).toBe(number)
  }
})

test('a document whose rows refer into another schema starts, and its numbers are asked about', async () => {
  const refer = (field: string) => ({ $ref: `#/components/schemas/Base/properties/${field}` })
  const ticket = objectOf({ id: refer('id'), text: refer('text') }, ['id'])
  const paths = {
    '/tickets': { get: gives(listOf(ticket)), post: takes(ticket, ticket) },
    '/tickets/{id}': { get: gives(ticket) }
  }
  const api = documentOf(paths, { Base: objectOf({ id: { ...integer, readOnly: true }, text }) })
  const mock = await startTestMock({ api, assume: { 'ids.again': 'when-highest' } })
  expect((await mock.call('POST', '/tickets', { body: { text: 'One' } })).body).toEqual({ id: 11, text: 'One' })
})
