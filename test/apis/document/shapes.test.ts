import { startTestMock } from '../../mock.js'
import { startAsking } from './asking.js'
import { documentOf, gives, integer, json, listOf, named, objectOf, takes, text } from './shop.js'

const started = async (paths: object, schemas: object = {}) => {
  const mock = await startTestMock({ api: documentOf(paths, schemas) })
  return {
    get: async (path: string) => (await mock.call('GET', path)).body,
    post: (path: string, body: unknown) => mock.call('POST', path, { body }),
    call: mock.call
  }
}

test('a row may have a list of rows like itself', async () => {
  const things = { get: gives(listOf(named('Thing'))), post: takes(objectOf({ name: text }), named('Thing')) }
  const { get, post } = await started(
    { '/things': things, '/things/{id}': { get: gives(named('Thing')) } },
    { Thing: objectOf({ id: integer, name: text, children: listOf(named('Thing')) }, ['id', 'name']) }
  )
  const { body } = await post('/things', { name: 'Leaf' })
  expect(await get(`/things/${body.id}`)).toMatchObject({ id: 11, name: 'Leaf' })
})

test('a nested row shows the key of its parent, which several rows may have', async () => {
  const key = { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' }
  const { get, post } = await started(
    {
      '/products': { get: gives(listOf(named('Product'))), post: takes(named('Product'), named('Product')) },
      '/products/{sku}': { get: gives(named('Product')) },
      '/products/{sku}/reviews': {
        get: gives(listOf(named('Review'))),
        post: takes(objectOf({ rating: integer }), named('Review'))
      }
    },
    {
      Product: objectOf({ sku: key, name: text }, ['sku']),
      Review: objectOf({ id: integer, sku: text, rating: integer }, ['id'])
    }
  )
  const [{ sku }] = await get('/products')
  expect(sku).toMatch(/^[A-Z]{3}-[0-9]{4}$/)
  const [review] = await get(`/products/${sku}/reviews`)
  expect(review.sku).toBe(sku)
  for (const rating of [3, 4]) {
    const { status, body } = await post(`/products/${sku}/reviews`, { rating })
    expect([status, body]).toMatchObject([201, { sku, rating }])
  }
  expect(await get(`/products/${sku}/reviews`)).toHaveLength(3)
})

test('a list below a row and a path of the same rows are one collection', async () => {
  const { get, post, call } = await started(
    {
      '/projects': { get: gives(listOf(named('Project'))), post: takes(named('Project'), named('Project')) },
      '/projects/{id}': { get: gives(named('Project')), delete: { responses: { 204: { description: 'gone' } } } },
      '/projects/{id}/tasks': {
        get: gives(listOf(named('Task'))),
        post: takes(objectOf({ title: text }), named('Task'))
      },
      '/tasks/{task_id}': { get: gives(named('Task')), patch: takes(objectOf({ title: text }), named('Task'), 200) },
      '/tasks/{task_id}/notes': { get: gives(listOf(named('Note'))), post: takes(objectOf({ text }), named('Note')) }
    },
    {
      Project: objectOf({ id: integer, name: text }, ['id']),
      Task: objectOf({ id: integer, project_id: integer, title: text }, ['id', 'project_id']),
      Note: objectOf({ id: integer, text }, ['id'])
    }
  )
  const names = (await get('/__mock/collections')).collections.map((it: { name: string }) => it.name)
  expect(names.slice(0, 3)).toEqual(['projects', 'tasks', 'tasksNotes'])
  const { body: task } = await post('/projects/2/tasks', { title: 'Plan' })
  expect(task).toMatchObject({ project_id: 2, title: 'Plan' })
  expect((await call('PATCH', `/tasks/${task.id}`, { body: { title: 'Do' } })).body.title).toBe('Do')
  expect((await get('/projects/2/tasks')).map((it: { title: string }) => it.title)).toContain('Do')
  expect((await get('/projects/1/tasks')).map((it: { id: number }) => it.id)).not.toContain(task.id)
  await post(`/tasks/${task.id}/notes`, { text: 'Soon' })
  expect(await get(`/tasks/${task.id}/notes`)).toMatchObject([{ text: 'Soon' }])
  await call('DELETE', '/projects/2')
  expect((await call('GET', `/tasks/${task.id}`)).status).toBe(404)
})

const order = objectOf(
  {
    id: { ...integer, readOnly: true },
    note: text,
    state: { type: 'string', enum: ['open', 'cancelled'], readOnly: true },
    done: { type: 'boolean', readOnly: true },
    count: { ...integer, readOnly: true },
    closed_on: { type: ['string', 'null'], format: 'date', readOnly: true },
    address: {
      anyOf: [
        objectOf({ id: { ...integer, readOnly: true }, street: text, code: { ...text, writeOnly: true } }, [
          'id',
          'street'
        ]),
        { type: 'null' }
      ]
    }
  },
  ['id', 'state', 'done', 'count']
)
const orders = {
  '/orders': { get: gives(listOf(order)), post: takes(order, order) },
  '/orders/{id}': { get: gives(order), put: takes(order, order, 200) },
  '/orders/{id}/cancel': { post: gives(order) },
  '/orders/{id}/total': { get: gives(objectOf({ total: integer }, ['total'])) }
}

test('what the server sets in a new row says that nothing has happened yet', async () => {
  const { post } = await started(orders)
  const { body } = await post('/orders', { note: 'Hi' })
  expect(body).toEqual({ id: 11, note: 'Hi', state: 'open', done: false, count: 0, closed_on: null })
})

test('objects in a row get what the server sets there, and do not show what is for requests only', async () => {
  const { get, post } = await started(orders)
  const { body } = await post('/orders', { address: { street: 'Main', code: 'secret' } })
  expect(body.address).toEqual({ id: expect.any(Number), street: 'Main' })
  expect((await get(`/orders/${body.id}`)).address).toEqual(body.address)
})

test('an action below a row answers with the row, and needs one', async () => {
  const { get, post, call } = await started(orders)
  const cancelled = await post('/orders/3/cancel', undefined)
  expect([cancelled.body, cancelled.headers.get('x-mock-source')]).toEqual([await get('/orders/3'), 'collection'])
  expect((await post('/orders/99/cancel', undefined)).status).toBe(404)
  expect((await call('GET', '/orders/3/total')).body.total).toEqual(expect.any(Number))
  expect((await call('GET', '/orders/99/total')).status).toBe(404)
})

test('what only requests have inside an object is not shown, also where rows have the object without it', async () => {
  const secret = { ...text, writeOnly: true }
  const card = objectOf({ id: { ...integer, readOnly: true }, card: objectOf({ last4: text, exp: text }) }, ['id'])
  const sent = objectOf({
    card: objectOf({ number: secret, exp: text, owners: listOf(objectOf({ pin: secret, name: text })) })
  })
  const { get, post } = await started({
    '/cards': { get: gives(listOf(card)), post: takes(sent, card) },
    '/cards/{id}': { get: gives(card) }
  })
  const { body } = await post('/cards', { card: { number: '4242', exp: '12/30', owners: [{ pin: '1', name: 'Ada' }] } })
  expect(body).toEqual({ id: 11, card: { exp: '12/30', owners: [{ name: 'Ada' }] } })
  expect(await get('/cards/11')).toEqual(body)
})

test.each<[string, object, object]>([
  ['can be left out, and not null, is taken away', text, {}],
  ['can be null is set to null', { type: ['string', 'null'] }, { hint: null }]
])('null in a merge patch: a field that %s', async (_, hint, after) => {
  const note = objectOf({ id: { ...integer, readOnly: true }, title: text, hint }, ['id', 'title'])
  const schema = objectOf({ title: text, hint: { type: ['string', 'null'] } })
  const content = { 'application/merge-patch+json': { schema }, 'application/json-patch+json': { schema: listOf({}) } }
  const { get, post, call } = await started({
    '/notes': { get: gives(listOf(note)), post: takes(note, note) },
    '/notes/{id}': { get: gives(note), patch: { requestBody: { content }, ...gives(note) } }
  })
  await post('/notes', { title: 'Tea', hint: 'hot' })
  const headers = { 'Content-Type': 'application/merge-patch+json' }
  const { body } = await call('PATCH', '/notes/11', { headers, body: '{"hint":null}' })
  expect(body).toEqual({ id: 11, title: 'Tea', ...after })
  expect(await get('/notes/11')).toEqual(body)
  const refused = 'Its body application/json-patch+json is refused: send another type that it lists.'
  const { not_understood } = await get('/__mock/collections')
  expect(not_understood.map((it: { why: string }) => it.why)).toEqual([refused])
})

test('a filter and a sort may have other words than the rows, and headers without effect are listed', async () => {
  const query = (name: string, schema: object) => ({ name, in: 'query', schema })
  const words = (...values: string[]) => ({ type: 'string', enum: values })
  const parameters = [
    query('sort', words('created', 'title')),
    query('direction', words('asc', 'desc')),
    query('state', { ...words('open', 'closed', 'all'), default: 'open' })
  ]
  const header = (name: string) => ({ name, in: 'header', schema: text })
  const fields = {
    id: { ...integer, readOnly: true },
    state: words('open', 'closed'),
    created_at: { ...text, format: 'date-time' }
  }
  const note = objectOf(fields, ['id', 'state', 'created_at'])
  const { get, post } = await started({
    '/notes': {
      get: { ...gives(listOf(note)), parameters },
      post: { ...takes(note, note), parameters: [header('Idempotency-Key')] }
    },
    '/notes/{id}': { get: gives(note), patch: { ...takes(note, note, 200), parameters: [header('If-Match')] } }
  })
  for (const day of [3, 1, 2]) await post('/notes', { state: 'closed', created_at: `2031-01-0${day}T00:00:00Z` })
  const ids = async (asked: string) => (await get(`/notes?${asked}`)).map((it: { id: number }) => it.id)
  expect((await ids('state=all')).length).toBe(13)
  expect((await ids('')).length).toBeLessThan(11)
  expect((await ids('state=closed&sort=created&direction=desc')).slice(0, 3)).toEqual([11, 13, 12])
  const { not_understood } = await get('/__mock/collections')
  expect(not_understood.map((it: { why: string }) => it.why)).toEqual([
    'Its request header idempotency-key has no effect.',
    'Its request header if-match has no effect.'
  ])
})

test('parameters such as min_size, day_from and createdBefore bound fields', async () => {
  const query = (name: string, schema: object) => ({ name, in: 'query', schema })
  const date = { ...text, format: 'date' }
  const time = { ...text, format: 'date-time' }
  const stay = objectOf({ id: { ...integer, readOnly: true }, size: integer, day: date, created_at: time }, ['id'])
  const names = ['min_size', 'sizeMax', 'size[gt]', 'day_from', 'day_to', 'createdBefore', 'created_until', 'min_age']
  const typeOf = (it: string) => (/size|age/i.test(it) ? integer : it.startsWith('day') ? date : text)
  const { get, post } = await started({
    '/stays': {
      get: { ...gives(listOf(stay)), parameters: names.map((it) => query(it, typeOf(it))) },
      post: takes(stay, stay)
    },
    '/stays/{id}': { get: gives(stay), delete: { responses: { 204: { description: 'gone' } } } }
  })
  for (const it of [1, 2, 3])
    await post('/stays', { size: 1000 * it, day: `2040-01-0${it}`, created_at: `2040-01-0${it}T12:00:00Z` })
  const found = async (asked: string) =>
    (await get(`/stays?day_from=2040-01-01&${asked}`)).map(({ size }: { size: number }) => size / 1000)
  expect(await found('')).toEqual([1, 2, 3])
  expect(await found('min_size=2000')).toEqual([2, 3])
  expect(await found('sizeMax=2000')).toEqual([1, 2])
  expect(await found('size%5Bgt%5D=2000')).toEqual([3])
  expect(await found('day_to=2040-01-02')).toEqual([1, 2])
  expect(await found('createdBefore=2040-01-02')).toEqual([1])
  expect(await found('created_until=2040-01-02')).toEqual([1, 2])
  expect(await found('createdBefore=2040-01-02T14:30:00%2B02:00')).toEqual([1, 2])
  const { not_understood } = await get('/__mock/collections')
  expect(not_understood.map((it: { name: string }) => it.name)).toEqual(['min_age'])
})

const link = { type: ['string', 'null'], format: 'uri' }
const paged = (parameters: string[], others: object = {}) => ({
  '/items': {
    get: {
      parameters: parameters.map((name) => ({ name, in: 'query', schema: name === 'cursor' ? text : integer })),
      responses: {
        200: {
          description: 'ok',
          headers: { 'X-Total-Count': { schema: integer }, 'X-Version': { required: true, schema: { const: 'v7' } } },
          ...json(
            objectOf(
              {
                items: listOf(objectOf({ id: integer })),
                next: link,
                links: objectOf({ self: { type: 'string', format: 'uri' }, prev: link, next: link }, [
                  'self',
                  'prev',
                  'next'
                ])
              },
              ['items', 'next', 'links']
            )
          )
        },
        ...others
      }
    },
    post: takes(objectOf({}), objectOf({ id: integer }))
  },
  '/items/{id}': { get: gives(objectOf({ id: integer })), delete: { responses: { 204: { description: 'gone' } } } }
})

test.each([
  ['page', 'limit'],
  ['offset', 'limit'],
  ['cursor', 'limit']
])('links lead through all pages by %s, and end with null', async (...parameters) => {
  const mock = await startTestMock({ api: documentOf(paged(parameters)) })
  const seen: number[] = []
  let path: string | null = '/items?limit=4'
  while (path !== null) {
    const { body, headers } = await mock.call('GET', path)
    expect([headers.get('x-total-count'), headers.get('x-version')]).toEqual(['10', 'v7'])
    expect([body.links.self, body.links.next]).toEqual([mock.url + path, body.next])
    expect(body.links.prev === null).toBe(seen.length === 0)
    seen.push(...body.items.map(({ id }: { id: number }) => id))
    path = body.next?.slice(mock.url.length) ?? null
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test.each([
  ['the documented 400', { 400: { description: 'wrong' } }, {}, 400, undefined],
  ['422 where the document has no status for it', {}, {}, 422, 'pages.cursor'],
  ['an empty list if the ledger says so', {}, { 'pages.cursor': 'empty' }, 200, 'pages.cursor']
])('a cursor that no page gave gets %s', async (_, responses, assume, status, question) => {
  const { call } = await startAsking(documentOf(paged(['cursor', 'limit'], responses)), assume)
  const answer = await call('GET', '/items?limit=2&cursor=none')
  expect([answer.status, answer.assumed.find((it) => it === 'pages.cursor')]).toEqual([status, question])
  expect(answer.body?.items ?? []).toEqual([])
  expect((await call('GET', '/items?limit=2&cursor=')).body.items).toEqual([{ id: 1 }, { id: 2 }])
})

test('a cursor whose row is gone leads on from its place', async () => {
  const { get, call } = await started(paged(['cursor', 'limit']))
  await call('DELETE', '/items/4')
  expect((await get('/items?limit=2&cursor=4')).items).toEqual([{ id: 5 }, { id: 6 }])
})

test('who signs up, and changes themselves, keeps what they have given', async () => {
  const profile = objectOf({ id: integer, email: text, full_name: text, bio: text }, ['id', 'email'])
  const given = objectOf({ email: text, password: text, full_name: text }, ['email', 'password'])
  const { call } = await started({
    '/users': { post: { security: [], ...takes(given, profile) } },
    '/users/me': { get: gives(profile), patch: takes(objectOf({ full_name: text, bio: text }), profile, 200) }
  })
  const body = { email: 'ann@example.com', password: 'secret-1', full_name: 'Ann Lee' }
  expect((await call('POST', '/users', { body })).body).toMatchObject({ full_name: 'Ann Lee' })
  await call('PATCH', '/users/me', { as: 'ann', body: { bio: 'Climbs.' } })
  const me = { email: body.email, full_name: 'Ann Lee', bio: 'Climbs.' }
  expect((await call('GET', '/users/me', { as: 'ann' })).body).toMatchObject(me)
})

test('fields of a form are read where their schema has no type', async () => {
  const schema = { properties: { count: integer, done: { type: 'boolean' } } }
  const { call } = await started({
    '/things': {
      post: {
        requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } },
        responses: { 204: { description: 'ok' } }
      }
    }
  })
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  expect((await call('POST', '/things', { headers, body: 'count=3&done=true' })).status).toBe(204)
  expect((await call('POST', '/things', { headers, body: 'count=x' })).status).toBe(422)
})

test('rows of several kinds are one collection, and each row has the fields of its kind', async () => {
  const kind = (name: string, field: string) =>
    objectOf({ id: integer, kind: { const: name }, [field]: integer }, ['kind'])
  const { get, post } = await started(
    {
      '/animals': { get: gives(listOf(named('Animal'))), post: takes(named('Animal'), named('Animal')) },
      '/animals/{id}': { get: gives(named('Animal')) }
    },
    {
      Animal: { oneOf: [named('Cat'), named('Dog')], discriminator: { propertyName: 'kind' } },
      Cat: { ...kind('cat', 'lives'), additionalProperties: false },
      Dog: { ...kind('dog', 'barks'), additionalProperties: false }
    }
  )
  const made = await post('/animals', { kind: 'dog', barks: 3 })
  expect([made.status, made.body]).toEqual([201, { id: 11, kind: 'dog', barks: 3 }])
  expect(await get('/animals/11')).toEqual(made.body)
  const shapes = (await get('/animals')).map((row: object) => Object.keys(row).join())
  expect([...new Set(shapes)].sort()).toEqual(['id,kind,barks', 'id,kind,lives'])
})

test('a body that the mock does not read is accepted, and listed as without effect', async () => {
  const things = { get: gives(listOf(named('Thing'))), post: takes(named('Thing'), named('Thing')) }
  const patch = takes({ type: 'array' }, named('Thing'), 200)
  const content = { 'application/json-patch+json': { schema: { type: 'array' } } }
  const { get, call } = await started(
    {
      '/things': things,
      '/things/{id}': { get: gives(named('Thing')), patch: { ...patch, requestBody: { content } } },
      '/imports': {
        post: {
          requestBody: { content: { 'application/xml': { schema: named('Thing') } } },
          responses: { 200: { description: 'ok' } }
        }
      }
    },
    { Thing: objectOf({ id: integer, name: text }, ['id']) }
  )
  const xml = { body: '<thing/>', headers: { 'Content-Type': 'application/xml' } }
  expect((await call('POST', '/imports', xml)).status).toBe(200)
  const { not_understood } = await get('/__mock/collections')
  expect(not_understood.map((it: { why: string }) => it.why)).toEqual([
    'Its body is application/json-patch+json, which changes nothing.',
    'It has no collection: its answer is an example, or made from its schema.'
  ])
})

test('an object with an id inside a row is not mistaken for the row', async () => {
  const post = objectOf({ title: text, author: objectOf({ id: text, name: text }, ['id', 'name']) }, [
    'title',
    'author'
  ])
  const { get } = await started({
    '/posts': { get: gives(objectOf({ total: integer, data: listOf(post) }, ['data'])), post: takes(post, post) },
    '/posts/{slug}': { get: gives(post) }
  })
  const { total, data } = await get('/posts')
  expect([total, data.length]).toEqual([10, 10])
  const rows = (await get('/__mock/state/posts')).rows
  expect(data[0].author).toEqual(rows[0].author)
})

test.each([{ maxLength: 24 }, { pattern: '^[a-z]{3,20}$' }, { pattern: '^cus_[0-9]{4}$' }])(
  'ids of rows do not run out where they are texts of a form: %j',
  async (form) => {
    const thing = objectOf({ id: { type: 'string', readOnly: true, ...form }, name: text }, ['id'])
    const { get, post } = await started({
      '/things': { get: gives(listOf(thing)), post: takes(thing, thing) },
      '/things/{id}': { get: gives(thing) }
    })
    const ids = new Set<string>()
    for (let count = 0; count < 30; count++) {
      const { status, body } = await post('/things', { name: 'x' })
      expect(status).toBe(201)
      ids.add(body.id)
    }
    expect(ids.size).toBe(30)
    expect((await get(`/things/${[...ids][17]}`)).id).toBe([...ids][17])
  }
)

test('a row is refused when every id that its schema allows is taken', async () => {
  const thing = objectOf({ id: { type: 'string', readOnly: true, enum: ['a', 'b'] }, name: text }, ['id'])
  const { post } = await started({
    '/things': { get: gives(listOf(thing)), post: takes(thing, thing) },
    '/things/{id}': { get: gives(thing) }
  })
  const statuses = [await post('/things', { name: 'x' }), await post('/things', { name: 'x' })].map((it) => it.status)
  expect(statuses).toEqual([409, 409])
  expect((await post('/__mock/state/things', { name: 'x' })).status).toBe(409)
})

test.each(['token', 'accessToken', 'jwt', 'api_key', 'sessionToken'])(
  'the token of a sign-in works, also where it is called %s',
  async (name) => {
    const session = objectOf({ user: objectOf({ [name]: text, email: text }, [name]) }, ['user'])
    const { call, post } = await started({
      '/login': { post: takes(objectOf({ email: text, password: text }), session, 200) },
      '/me': { get: gives(objectOf({ email: text }, ['email'])) }
    })
    const { user } = (await post('/login', { email: 'user@example.com', password: 'x' })).body
    const me = await call('GET', '/me', { as: user[name] })
    expect([user[name], me.body.email]).toEqual(['user', 'user@example.com'])
  }
)

test('the fields of an object in a query are parameters themselves', async () => {
  const page = objectOf({ page: integer, size: integer, sort: listOf(text) })
  const pageable = { name: 'pageable', in: 'query', required: true, schema: page }
  const thing = objectOf({ id: integer, name: text }, ['id'])
  const { get } = await started({
    '/things': { get: { ...gives(listOf(thing)), parameters: [pageable] }, post: takes(thing, thing) },
    '/things/{id}': { get: gives(thing) }
  })
  expect((await get('/things?page=1&size=3')).map(({ id }: { id: number }) => id)).toEqual([1, 2, 3])
  expect((await get('/things')).length).toBe(10)
})

test('a creation that answers only the key answers that of its new row', async () => {
  const thing = objectOf({ id: { type: 'string', format: 'uuid' }, name: text }, ['id'])
  const { get, post } = await started({
    '/things': { get: gives(listOf(thing)), post: takes(objectOf({ name: text }), { type: 'string', format: 'uuid' }) },
    '/things/{id}': { get: gives(thing) }
  })
  const { body: id } = await post('/things', { name: 'Only' })
  expect(await get(`/things/${id}`)).toEqual({ id, name: 'Only' })
})

test('a value of a list that a new row must have is the first one', async () => {
  const status = { enum: ['draft', 'live'] }
  const thing = objectOf({ id: integer, status }, ['id', 'status'])
  const { post } = await started({
    '/things': { get: gives(listOf(thing)), post: takes(objectOf({ name: text, status }), thing) },
    '/things/{id}': { get: gives(thing) }
  })
  expect(await post('/things', { name: 'x' })).toMatchObject({ status: 201, body: { id: 11, status: 'draft' } })
})

test('the fields of a whole query in one form are parameters', async () => {
  const form = objectOf({ limit: integer, color: { type: 'string', enum: ['red', 'blue'] } })
  const whole = { name: 'all', in: 'querystring', content: { 'application/x-www-form-urlencoded': { schema: form } } }
  const thing = objectOf({ id: integer, name: text }, ['id'])
  const { get, call } = await started({
    '/things': { get: { ...gives(listOf(thing)), parameters: [whole] }, post: takes(thing, thing) },
    '/things/{id}': { get: gives(thing) }
  })
  expect((await get('/things?limit=3')).length).toBe(3)
  expect((await call('GET', '/things?color=green')).status).toBe(422)
})

test('an answer says which page it is, and which one is before it', async () => {
  const thing = objectOf({ id: integer, name: text }, ['id'])
  const said = { current_page: integer, prev_page: integer, hasPreviousPage: { type: 'boolean' } }
  const page = { name: 'page', in: 'query', schema: integer }
  const size = { name: 'per_page', in: 'query', schema: integer }
  const { get } = await started({
    '/things': { get: { ...gives(objectOf({ data: listOf(thing), meta: objectOf(said) })), parameters: [page, size] } },
    '/things/{id}': { get: gives(thing) }
  })
  expect((await get('/things?page=2&per_page=3')).meta).toEqual({
    current_page: 2,
    prev_page: 1,
    hasPreviousPage: true
  })
  expect((await get('/things?page=1&per_page=3')).meta).toMatchObject({ current_page: 1, hasPreviousPage: false })
})

test('a whole query that is JSON filters and pages, and is checked (OpenAPI 3.2)', async () => {
  const row = objectOf({ id: { ...integer, readOnly: true }, name: text, size: integer }, ['id'])
  const content = json(objectOf({ name: text, size: integer, limit: integer })).content
  const things = {
    get: { parameters: [{ name: 'q', in: 'querystring', content }], ...gives(listOf(row)) },
    post: takes(row, row)
  }
  const { post, call } = await started({ '/things': things, '/things/{id}': { get: gives(row) } })
  const { body: made } = await post('/things', { name: 'a=b', size: 3 })
  const asked = (query: string) => call('GET', `/things?${query}`)
  expect((await asked(encodeURIComponent(JSON.stringify({ name: 'a=b', size: 3 })))).body).toEqual([made])
  expect((await asked(encodeURIComponent('{"limit":2}'))).body).toHaveLength(2)
  const wrong = await asked(encodeURIComponent('{"size":"x"}'))
  expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['query', 'size']])
  expect((await asked('limit=2')).body).toHaveLength(2)
})

test('rows of collections that refer to each other have ids of rows that exist', async () => {
  const rowOf = (field: string) => objectOf({ id: integer, [field]: integer }, ['id', field])
  const { get } = await started(
    {
      '/teams': { get: gives(listOf(named('Team'))) },
      '/teams/{id}': { get: gives(named('Team')) },
      '/leaders': { get: gives(listOf(named('Leader'))) },
      '/leaders/{id}': { get: gives(named('Leader')) }
    },
    { Team: rowOf('leader_id'), Leader: rowOf('team_id') }
  )
  for (const { leader_id } of await get('/teams')) {
    const { team_id } = await get(`/leaders/${leader_id}`)
    expect((await get(`/teams/${team_id}`)).id).toBe(team_id)
  }
})

test('a list that shows fields in another form than its rows still has these rows', async () => {
  const part = (others: object) => ({ ...objectOf({ name: text, ...others }, ['name']), additionalProperties: false })
  const thing = (size: object, parts: object) =>
    objectOf({ id: integer, title: text, size, parts: listOf(parts) }, ['id', 'title', 'size', 'parts'])
  const whole = thing(integer, part({ weight: integer }))
  const body = objectOf({ title: text, size: integer, parts: listOf(part({ weight: integer })) }, ['title'])
  const api = documentOf({
    '/things': { get: gives(listOf(thing(text, part({})))), post: takes(body, whole) },
    '/things/{id}': { get: gives(whole) }
  })
  const mock = await startTestMock({ api })
  const sent = { title: 'Chair', size: 3, parts: [{ name: 'leg', weight: 2 }] }
  const made = (await mock.call('POST', '/things', { body: sent })).body
  expect(made).toEqual({ ...sent, id: 11 })
  const rows = (await mock.call('GET', '/things')).body
  expect(rows.map((it: { id: number }) => it.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(rows[10]).toMatchObject({ title: 'Chair', size: expect.any(String) })
  expect(rows[10].parts.flatMap(Object.keys)).not.toContain('weight')
})

test('a row in an envelope is shown where its schema requires a field that it does not describe', async () => {
  const wallet = objectOf({ id: integer, name: text, code: text }, ['id', 'name', 'code', 'balance'])
  const one = objectOf({ wallet }, ['wallet'])
  const { get, post } = await started({
    '/wallets': { get: gives(objectOf({ wallets: listOf(wallet) })), post: takes(objectOf({ name: text }), one) },
    '/wallets/{id}': { get: gives(one) }
  })
  const { body } = await post('/wallets', { name: 'Savings' })
  expect(body.wallet).toMatchObject({ id: 11, name: 'Savings', balance: expect.anything() })
  expect(await get('/wallets/11')).toEqual(body)
  expect(await get('/wallets/3')).toMatchObject({ wallet: { id: 3 } })
})

test('a field that a document describes around the only part of an allOf has the type of this part, or null', async () => {
  const around = (name: string) => ({ allOf: [named(name)], description: 'More of it' })
  const note = { type: 'object', ...around('Note'), nullable: true }
  const task = objectOf({ id: integer, state: around('State'), note }, ['id', 'state', 'note'])
  const document = documentOf(
    {
      '/tasks': { get: gives(listOf(named('Task'))), post: takes(named('NewTask'), named('Task')) },
      '/tasks/{id}': { get: gives(named('Task')), put: takes(named('NewTask'), named('Task'), 200) }
    },
    {
      State: { type: 'string', enum: ['open', 'done'] },
      Note: objectOf({ text }, ['text']),
      NewTask: objectOf({ state: around('State'), note }),
      Task: task
    }
  )
  const { call } = await startTestMock({ api: { ...document, openapi: '3.0.3' } })
  const created = await call('POST', '/tasks', { body: { state: 'done', note: null } })
  expect([created.status, created.body]).toEqual([201, { id: 11, state: 'done', note: null }])
  const { status, body } = await call('PUT', '/tasks/11', { body: { note: { text: 'Soon' } } })
  expect([status, body]).toEqual([200, { id: 11, state: 'done', note: { text: 'Soon' } }])
})
