import { verify } from '../../../src/index.js'
import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const gone = { responses: { 204: { description: 'gone' }, 404: { description: 'none' } } }
const refusable = (operation: { responses: object }) => ({
  ...operation,
  responses: { ...operation.responses, 422: { description: 'wrong' } }
})
const order = { customer_id: integer, currency: text }
const api = documentOf(
  {
    '/customers': { get: gives(listOf(named('Customer'))), post: takes(objectOf({ name: text }), named('Customer')) },
    '/customers/{id}': { get: gives(named('Customer')), delete: gone },
    '/orders': {
      get: gives(listOf(named('Order'))),
      post: refusable(takes(objectOf(order, ['customer_id', 'currency']), named('Order')))
    },
    '/orders/{id}': { get: gives(named('Order')), delete: gone }
  },
  {
    Customer: objectOf({ id: integer, name: text }, ['id', 'name']),
    Order: objectOf({ id: integer, ...order, currency: { ...text, minLength: 3, maxLength: 3 } }, ['id', 'currency'])
  }
)
const learned = async (assume: object, prepare = (_: Awaited<ReturnType<typeof startTestMock>>) => {}) => {
  const mock = await startTestMock({ api, assume } as object)
  prepare(mock)
  const { findings, answers } = await verify({ url: mock.url, api, token: 'admin', mutating: true })
  expect(findings).toEqual([])
  return answers.find(({ id }) => id === 'references.unknown')?.choice
}

test.each(['accepted', '422'])(
  'verify sends texts as long as rows may have, and learns that unknown rows are %s',
  async (choice) => {
    expect(await learned({ 'references.unknown': choice })).toBe(choice)
  }
)

test('verify does not learn from a refusal that another field is the reason of', async () => {
  const all = { method: 'POST' as const, path: '/orders', status: 422, body: { detail: 'The shop is closed.' } }
  expect(await learned({}, (mock) => mock.handle('default').override(all))).toBeUndefined()
})
