import { defineApi, type Rules } from '../../../src/define.js'

/** What openapi-typescript writes for two operations. */
export interface operations {
  cancelOrder: {
    parameters: { query?: { why?: string }; header?: never; path: { id: number }; cookie?: never }
    requestBody?: never
    responses: {
      200: { headers: object; content: { 'application/json': { id: number; state: 'open' | 'cancelled' } } }
    }
  }
  pay: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    requestBody: { content: { 'application/json': { amount: number } } }
    responses: { 204: { headers: object; content?: never } }
  }
}

export const cancelOrder: Rules<operations>['cancelOrder'] = ({ path }) => ({ id: path.id + 1, state: 'cancelled' })

/** A row as the reply. */
export const shown: Rules<operations>['cancelOrder'] = ({ path }, { rows, refuse }) =>
  rows.orders?.get(path.id) ?? refuse(404, 'none')
export const put: Rules<operations>['cancelOrder'] = ({ path }, { rows }) =>
  rows.orders?.put({ ...path, state: 'open' })

// Compiled only: each mistake has to be one, or `npm run types` fails.
export const mistakes = () => [
  // @ts-expect-error The document has no such operation.
  defineApi<operations>({ rules: { cancelOrders: cancelOrder } }),
  // @ts-expect-error `pay` is missing.
  defineApi<operations, 'cancelOrder' | 'pay'>({ rules: { cancelOrder } }),
  // @ts-expect-error All rules are missing.
  defineApi<operations, 'pay'>({}),
  // @ts-expect-error The document has no such state.
  defineApi<operations>({ rules: { cancelOrder: ({ path }) => ({ id: path.id, state: 'lost' }) } }),
  // @ts-expect-error The path has no such parameter.
  defineApi<operations>({ rules: { cancelOrder: ({ path }) => ({ id: path.order_id, state: 'open' }) } }),
  // @ts-expect-error The body has no such field.
  defineApi<operations>({ rules: { pay: ({ body }) => void body.sum } })
]
