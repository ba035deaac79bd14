import { startTestMock, type TestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, objectOf, shop, takes, text } from './shop.js'

let mock: TestMock
beforeAll(async () => {
  mock = await startTestMock({ api: shop })
})
beforeEach(() => mock.reset())

const get = (path: string) => mock.call('GET', path)
const post = (path: string, body: unknown) => mock.call('POST', path, { body })

test('a document without marks has collections with the names of the last fixed segments, and nested ones with the parents’ names too', async () => {
  const { body } = await get('/__mock/collections')
  const names = body.collections.map((it: { name: string }) => it.name)
  expect(names).toEqual(['products', 'articles', 'orders', 'articlesComments', 'mockUsers'])
  const orders = body.collections.find((it: { name: string }) => it.name === 'orders')
  expect(orders.fields).toContainEqual(expect.objectContaining({ name: 'product_id', references: 'products' }))
})

test('a document without marks keeps a new row until it is deleted, and answers 404 afterwards', async () => {
  const made = await post('/products', { name: 'Ball', price: 3 })
  expect([made.status, made.body]).toEqual([
    201,
    { id: 11, name: 'Ball', price: 3, created_at: '2026-03-02T10:00:00.000Z', updated_at: '2026-03-02T10:00:00.000Z' }
  ])
  expect((await get('/products/11')).body).toEqual(made.body)
  expect((await get('/products?page_size=20')).body).toMatchObject({ total: 11 })
  expect((await mock.call('DELETE', '/products/11')).status).toBe(204)
  const gone = await get('/products/11')
  expect([gone.status, gone.body]).toEqual([404, { code: 404, message: 'products has no row 11' }])
})

test('a document without marks changes a row by PATCH, replaces it by PUT, and ignores fields that only the server sets', async () => {
  await post('/products', { name: 'Ball', price: 3, note: 'Red' })
  const body = { name: 'Bat', id: 99, created_at: '2020-01-01T00:00:00Z' }
  const patched = await mock.call('PATCH', '/products/11', { body })
  expect(patched.body).toMatchObject({
    id: 11,
    name: 'Bat',
    price: 3,
    note: 'Red',
    created_at: '2026-03-02T10:00:00.000Z'
  })
  const replaced = await mock.call('PUT', '/products/11', { body: { name: 'Bat', price: 4 } })
  expect(replaced.body).toMatchObject({ id: 11, name: 'Bat', price: 4, created_at: '2026-03-02T10:00:00.000Z' })
  expect(replaced.body).not.toHaveProperty('note')
  expect((await mock.call('PUT', '/products/77', { body: { name: 'Bat', price: 4 } })).status).toBe(404)
})

test('a document without marks pages by its defaults, filters by declared names, and ignores others', async () => {
  const all = (await get('/products?page_size=50')).body.items
  const second = (await get('/products?page=2&name=nothing')).body
  expect(second).toEqual({ items: all.slice(5, 10), total: 10 })
  const toys = all.filter((it: { category: string }) => it.category === 'toys')
  expect((await get('/products?category=toys&page_size=50')).body).toEqual({ items: toys, total: toys.length })
  const { status, body } = await get('/products?page_size=51')
  expect([status, Object.keys(body)]).toEqual([422, ['errors']])
})

test('a document without marks follows a cursor through all rows once', async () => {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await get(`/orders/?limit=4${cursor && `&cursor=${cursor}`}`)
    expect(body.meta.total).toBe(10)
    ids.push(...body.data.map((it: { id: string }) => it.id))
    cursor = body.meta.next_cursor
  }
  expect([ids.length, new Set(ids).size]).toEqual([10, 10])
})

test('a document without marks makes slugs from titles, keeps them, and finds rows by them in their wrapper', async () => {
  const first = await post('/articles', { article: { title: 'Été in  Paris!' } })
  expect(first.body.article).toMatchObject({ slug: 'ete-in-paris', title: 'Été in  Paris!' })
  expect((await post('/articles', { article: { title: 'Ete in Paris' } })).body.article.slug).toBe('ete-in-paris-2')
  await mock.call('PUT', '/articles/ete-in-paris', { body: { article: { title: 'Winter' } } })
  expect((await get('/articles/ete-in-paris')).body.article.title).toBe('Winter')
  const { articles, articlesCount } = (await get('/articles?limit=3')).body
  expect([articles.length, articlesCount]).toEqual([3, 12])
})

test('a document without marks keeps nested rows with their parent, and deletes them with it', async () => {
  const [{ slug }, { slug: other }] = (await get('/articles')).body.articles
  const { comment } = (await post(`/articles/${slug}/comments`, { comment: { body: 'Hi' } })).body
  const has = async (of: string) =>
    (await get(`/articles/${of}/comments`)).body.comments.some((it: { id: number }) => it.id === comment.id)
  expect([await has(slug), await has(other)]).toEqual([true, false])
  expect((await mock.call('DELETE', `/articles/${other}/comments/${comment.id}`)).status).toBe(404)
  await mock.call('DELETE', `/articles/${slug}`)
  expect((await get(`/articles/${slug}/comments`)).status).toBe(404)
  const { rows } = (await get('/__mock/state/articlesComments?limit=100')).body
  expect(rows.some((it: { id: number }) => it.id === comment.id)).toBe(false)
})

test('a document without marks refuses a wrong body with the status and body of the document', async () => {
  const product = await post('/products', { name: 3 })
  expect(product.status).toBe(400)
  expect(product.body).toEqual({
    code: 400,
    message: expect.stringContaining('body.name: Input should be a valid string')
  })
  const article = await post('/articles', { article: {} })
  expect([article.status, article.body]).toEqual([422, { errors: { body: ['body.article.title: Field required'] } }])
  expect((await get('/products/abc')).status).toBe(404)
  expect((await get('/orders/nothing')).body).toMatchObject({ code: 404, message: 'orders has no row nothing' })
})

test('a document without marks shows all rows validly, with their references', async () => {
  const { items } = (await get('/products?page_size=50')).body
  const ids = items.map((it: { id: number }) => it.id)
  const { data } = (await get('/orders/?limit=50')).body
  expect(data.every((it: { product_id: number }) => ids.includes(it.product_id))).toBe(true)
  expect((await get('/__mock/requests?violations=true')).body.total).toBe(0)
})

describe('marks', () => {
  test('override what is inferred', async () => {
    const row = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, text: { type: 'string' } } }
    const content = (schema: object) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } })
    const marked = await startTestMock({
      api: {
        openapi: '3.1.0',
        info: { title: 'Notes', version: '1' },
        'x-mock-collections': { notes: { schema: row, count: 3 } },
        paths: {
          '/notes': { get: { responses: content({ type: 'array', items: row }) } },
          '/notes/{id}': { get: { 'x-mock': {}, responses: content({ ...row, example: { id: 7, text: 'Fixed' } }) } }
        }
      }
    })
    expect((await marked.call('GET', '/notes')).body).toHaveLength(3)
    expect((await marked.call('GET', '/notes/2')).body).toEqual({ id: 7, text: 'Fixed' })
  })
})

test.each([
  ['texts', text, ['red', 'blue']],
  ['objects', objectOf({ name: text }), [{ name: 'red' }, { name: 'blue' }]]
])('a parameter filters by a list of %s that has its name in the plural', async (_, items, tags) => {
  const car = objectOf({ id: { ...integer, readOnly: true }, tags: listOf(items) }, ['id', 'tags'])
  const parameters = ['tag', 'status'].map((name) => ({ name, in: 'query', schema: text }))
  const api = documentOf({ '/cars': { get: { parameters, ...gives(listOf(car)) }, post: takes(car, car) } })
  const { call } = await startTestMock({ api, fixtures: 'empty' })
  await call('POST', '/cars', { body: { tags } })
  const { length } = (await call('GET', '/cars?tag=blue')).body
  expect([length, (await call('GET', '/cars?tag=green')).body]).toEqual([1, []])
  const { not_understood } = (await call('GET', '/__mock/collections')).body
  expect(not_understood.map(({ name }: { name: string }) => name)).toEqual(['status'])
})
