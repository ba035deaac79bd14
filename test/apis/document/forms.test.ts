import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const item = objectOf({ price: integer, quantity: integer })
const change = objectOf({
  name: text,
  metadata: { type: 'object', additionalProperties: text },
  items: listOf(item),
  expand: listOf(text)
})
const order = objectOf(
  {
    id: { ...integer, readOnly: true },
    name: text,
    metadata: { type: 'object', additionalProperties: text },
    items: listOf(item),
    expand: listOf(text)
  },
  ['id']
)
const form = (type: string) => ({ requestBody: { content: { [type]: { schema: change } } }, ...gives(named('Order')) })
const paths = (type: string) => ({
  '/orders': {
    get: gives(objectOf({ data: listOf(named('Order')), has_more: { type: 'boolean' } })),
    post: form(type)
  },
  '/orders/{id}': {
    get: gives(named('Order')),
    post: form(type),
    delete: gives(objectOf({ id: integer, deleted: { type: 'boolean' } }))
  }
})
const started = (type: string) => startTestMock({ api: documentOf(paths(type), { Order: order }) })
const urlencoded = 'application/x-www-form-urlencoded'

test('a POST to a row changes the fields that it has, and needs the row', async () => {
  const mock = await started(urlencoded)
  const headers = { 'Content-Type': urlencoded }
  const made = (await mock.call('POST', '/orders', { headers, body: 'name=First&metadata[color]=red' })).body
  expect(made).toMatchObject({ id: 11, name: 'First', metadata: { color: 'red' } })
  const changed = await mock.call('POST', '/orders/11', { headers, body: 'name=Second' })
  expect([changed.status, changed.body]).toMatchObject([200, { id: 11, name: 'Second', metadata: { color: 'red' } }])
  expect((await mock.call('GET', '/orders/11')).body).toEqual(changed.body)
  expect((await mock.call('POST', '/orders/99', { headers, body: 'name=None' })).status).toBe(404)
  const { not_understood } = (await mock.call('GET', '/__mock/collections')).body
  expect(not_understood).toEqual([])
})

test('names with brackets in a form are objects and lists, with the types of the document', async () => {
  const mock = await started(urlencoded)
  const body = new URLSearchParams([
    ['items[1][price]', '700'],
    ['items[0][price]', '500'],
    ['items[0][quantity]', '2'],
    ['metadata[a]', '1'],
    ['metadata[__proto__]', 'x'],
    ['expand[]', 'customer'],
    ['expand[]', 'items']
  ])
  const headers = { 'Content-Type': urlencoded }
  const { status, body: made } = await mock.call('POST', '/orders', { headers, body: String(body) })
  expect([status, made.items, made.expand]).toEqual([
    200,
    [{ price: 500, quantity: 2 }, { price: 700 }],
    ['customer', 'items']
  ])
  expect(Object.entries(made.metadata)).toEqual([
    ['a', '1'],
    ['__proto__', 'x']
  ])
  const wrong = await mock.call('POST', '/orders', { headers, body: 'items[0][price]=much' })
  expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['body', 'items', 0, 'price']])
  const deep = await mock.call('POST', '/orders', { headers, body: `metadata${'[a]'.repeat(50_000)}=1` })
  expect(deep.status).toBe(200)
})

test('names with brackets are read in multipart forms too', async () => {
  const mock = await started('multipart/form-data')
  const body = new FormData()
  for (const [name, value] of [
    ['items[0][price]', '5'],
    ['metadata[a]', 'b']
  ] as const)
    body.set(name, value)
  const response = await fetch(`${mock.url}/orders`, {
    method: 'POST',
    body,
    headers: { Authorization: 'Bearer admin' }
  })
  expect(await response.json()).toMatchObject({ items: [{ price: 5 }], metadata: { a: 'b' } })
})

test('a row that an upload makes has the name, size and type of the file', async () => {
  const row = objectOf(
    { id: { ...integer, readOnly: true }, filename: text, size: integer, mime_type: text, title: text },
    ['id', 'filename', 'size', 'mime_type']
  )
  const upload = objectOf({ file: { type: 'string', format: 'binary' }, title: text }, ['file'])
  const { call, url } = await startTestMock({
    api: documentOf({
      '/files': {
        get: gives(listOf(row)),
        post: { requestBody: { content: { 'multipart/form-data': { schema: upload } } }, ...gives(row, 201) }
      },
      '/files/{id}': { get: gives(row) }
    })
  })
  const body = new FormData()
  body.append('file', new Blob(['one,two'], { type: 'text/csv' }), 'report.csv')
  body.append('title', 'Mine')
  const response = await fetch(`${url}/files`, { method: 'POST', body, headers: { Authorization: 'Bearer admin' } })
  const made = (await response.json()) as { id: number }
  const file = { filename: 'report.csv', size: 7, mime_type: 'text/csv', title: 'Mine' }
  expect([response.status, made]).toMatchObject([201, file])
  expect((await call('GET', `/files/${made.id}`)).body).toEqual(made)
})

test.each(['anyOf', 'oneOf'])(
  'a POST to a row changes it, where the answer of its GET may be %s a row and a deleted one',
  async (kinds) => {
    const account = objectOf({ id: text, object: { type: 'string', enum: ['account'] }, email: text }, ['id', 'object'])
    const gone = objectOf({ id: text, deleted: { type: 'boolean' } }, ['id', 'deleted'])
    const body = objectOf({ email: text })
    const change = { requestBody: { content: { [urlencoded]: { schema: body } } }, ...gives(named('Account')) }
    const line = objectOf({ id: text, email: text }, ['id'])
    const { call } = await startTestMock({
      api: documentOf(
        {
          '/accounts': { get: gives(listOf(named('Account'))), post: change },
          '/accounts/{account}': {
            get: gives({ [kinds]: [named('Account'), named('Gone')] }),
            post: change,
            delete: gives(named('Gone'))
          },
          '/accounts/{account}/lines': { get: gives(listOf(named('Line'))), post: takes(body, named('Line'), 200) },
          '/accounts/{account}/lines/{line}': { post: takes(body, named('Line'), 200), delete: gives(named('Gone')) }
        },
        { Account: account, Gone: gone, Line: line }
      )
    })
    const headers = { 'Content-Type': urlencoded }
    const { body: made } = await call('POST', '/accounts', { headers, body: 'email=a@b.c' })
    const path = `/accounts/${made.id}`
    const changed = await call('POST', path, { headers, body: 'email=z@b.c' })
    expect(changed.body).toEqual({ ...made, email: 'z@b.c' })
    expect((await call('GET', path)).body).toEqual(changed.body)
    expect((await call('POST', '/accounts/none', { headers, body: 'email=z@b.c' })).status).toBe(404)
    const { body: added } = await call('POST', `${path}/lines`, { body: { email: 'l@b.c' } })
    const moved = await call('POST', `${path}/lines/${added.id}`, { body: { email: 'm@b.c' } })
    expect(moved.body).toEqual({ id: added.id, email: 'm@b.c' })
    expect((await call('POST', `${path}/lines/none`, { body: {} })).status).toBe(404)
    for (const [at, id] of [
      [`${path}/lines/${added.id}`, added.id],
      [path, made.id]
    ])
      expect((await call('DELETE', at)).body).toEqual({ id, deleted: true })
  }
)

test('a body of a type that the document does not list is refused with 415', async () => {
  const content = { 'image/png': {}, 'text/*': { schema: text } }
  const put = { requestBody: { required: true, content }, responses: { 204: { description: 'ok' } } }
  const { call } = await startTestMock({ api: documentOf({ '/cover': { put } }) })
  const status = async (type: string) =>
    (await call('PUT', '/cover', { headers: { 'Content-Type': type }, body: 'bytes' })).status
  expect(await status('image/png; q=1')).toBe(204)
  expect(await status('text/csv')).toBe(204)
  const { status: refused, body } = await call('PUT', '/cover', { headers: { 'Content-Type': 'image/gif' }, body: 'x' })
  expect([refused, body]).toEqual([415, { detail: 'The body may be image/png or text/*, not image/gif.' }])
})
