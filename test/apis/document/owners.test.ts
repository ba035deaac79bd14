import { startAsking } from './asking.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const uuid = { type: 'string', format: 'uuid' }
const order = (customer: object) =>
  objectOf({ id: integer, customer_id: customer, warehouse_id: integer, note: text }, [
    'id',
    'customer_id',
    'warehouse_id'
  ])
const paths = {
  '/orders': { get: gives(listOf(named('Order'))), post: takes(objectOf({ note: text }), named('Order')) },
  '/orders/{id}': { get: gives(named('Order')) }
}
const of = (name: string, schema: string) => ({
  [`/${name}`]: { get: gives(listOf(named(schema))), post: takes(named(schema), named(schema)) },
  [`/${name}/{id}`]: { get: gives(named(schema)) }
})

test.each([
  ['a number', integer],
  ['a UUID', uuid]
])('a new row whose request has no customer is of the calling user, whose id is %s', async (_, id) => {
  const { call, mock } = await startAsking(documentOf(paths, { Order: order(id) }))
  const users = (await mock.call('GET', '/__mock/state/mockUsers')).body.rows
  const { body } = await call('POST', '/orders', { as: 'user', body: { note: 'soon' } })
  expect(body.customer_id).toBe(users[1].id)
  expect(body.warehouse_id).toBeGreaterThan(0)
})

test('a new row names a customer that exists, where customers are rows', async () => {
  const customer = objectOf({ id: integer, name: text }, ['id'])
  const { call } = await startAsking(
    documentOf({ ...paths, ...of('customers', 'Customer') }, { Order: order(integer), Customer: customer })
  )
  const { body, assumed } = await call('POST', '/orders', { body: {} })
  expect((await call('GET', '/customers')).body.map(({ id }: { id: number }) => id)).toContain(body.customer_id)
  expect((await call('GET', '/orders/1')).assumed).not.toContain('rows.visible')
  expect(assumed).not.toContain('rows.visible')
})

test('the author of a book is one of the authors, and not the calling user', async () => {
  const author = objectOf({ id: { ...integer, readOnly: true }, name: text }, ['id'])
  const book = objectOf({ id: { ...integer, readOnly: true }, author_id: integer, title: text }, ['id', 'title'])
  const { call } = await startAsking(
    documentOf({ ...of('books', 'Book'), ...of('authors', 'Author') }, { Book: book, Author: author })
  )
  const { body } = await call('POST', '/books', { body: { title: 'Tea' } })
  expect(body).toEqual({ id: 11, title: 'Tea' })
})
