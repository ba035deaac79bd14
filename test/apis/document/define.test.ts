import { defineApi } from '../../../src/define.js'
import { cancelOrder, type operations } from './operations.js'

test('rules of an API have the types of their operations', () => {
  const api = defineApi<operations>({ rules: { cancelOrder, pay: ({ body }, { reply }) => reply(204, body.amount) } })
  expect(api.rules?.cancelOrder?.({ path: { id: 1 }, query: {} }, {} as never)).toEqual({ id: 2, state: 'cancelled' })
})
