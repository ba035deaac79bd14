import { verify } from '../../../src/index.js'
import { startAsking } from './asking.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const time = { type: ['string', 'null'], format: 'date-time', readOnly: true }
const flag = { type: 'boolean', readOnly: true }
const values = 'draft published checked_in cancelled CLOSED paid archived active inactive processing'.split(' ')
const order = objectOf(
  {
    id: { ...integer, readOnly: true },
    size: { type: 'string', enum: ['small', 'published'] },
    status: { type: 'string', enum: values },
    cancelled_at: time,
    starred: flag,
    note: text
  },
  ['id', 'status', 'starred']
)
const conflict = { 409: { description: 'conflict' } }
const done = { responses: { 204: { description: 'done' } } }
const given = { requestBody: takes(objectOf({ note: text }), order).requestBody }
const at = (...names: string[]) =>
  Object.fromEntries(names.map((it) => [`/orders/{id}/${it}`, { post: gives(named('Order')) }]))
const api = documentOf(
  {
    '/orders': {
      get: { ...gives(listOf(named('Order'))), parameters: [{ name: 'depth', in: 'query', schema: integer }] },
      post: takes(named('Order'), named('Order'))
    },
    '/orders/{id}': { get: gives(named('Order')) },
    ...at('publish', 'check-in', 'close', 'pay', 'activate', 'deactivate', 'process', 'mark-as-paid', 'approve'),
    '/orders/{id}/cancel': { post: { ...given, responses: { ...gives(named('Order')).responses, ...conflict } } },
    '/orders/{id}/archive': { put: done },
    '/orders/{id}/star': { post: gives(named('Order')), delete: done }
  },
  { Order: order }
)

test('a verb after a colon is an action, too', async () => {
  const paths = { ...api.paths, '/orders/{id}:cancel': { post: gives(named('Order')) } }
  const { call } = await startAsking({ ...api, paths })
  const { body } = await call('POST', '/orders/2:cancel')
  expect([body.id, body.status]).toEqual([2, 'cancelled'])
  expect((await call('GET', '/orders/2')).body).toEqual(body)
  expect((await call('POST', '/orders/99:cancel')).status).toBe(404)
})

const started = async (assume?: Record<string, string>) => {
  const { call } = await startAsking(api, assume)
  await call('POST', '/orders', { body: { status: 'draft', size: 'small' } })
  return { call, read: async () => (await call('GET', '/orders/11')).body }
}

test.each([
  ['publish', 'published'],
  ['check-in', 'checked_in'],
  ['close', 'CLOSED'],
  ['pay', 'paid'],
  ['activate', 'active'],
  ['deactivate', 'inactive'],
  ['process', 'processing'],
  ['mark-as-paid', 'paid']
])('after the action %s the status of a row is %s, and the answer names the assumption', async (action, status) => {
  const { call, read } = await started()
  const { body, assumed } = await call('POST', `/orders/11/${action}`)
  expect([body.status, body.size, assumed.includes('actions.status')]).toEqual([status, 'small', true])
  expect(await read()).toEqual(body)
})

test('an action sets the time of its status and what it was sent, and is a documented 409 the second time', async () => {
  const { call } = await started()
  const first = await call('POST', '/orders/11/cancel', { body: { note: 'Too late' } })
  expect(first.body).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String), note: 'Too late' })
  const again = await call('POST', '/orders/11/cancel', { body: {} })
  expect([again.status, again.assumed.includes('actions.again')]).toEqual([409, true])
  expect((await call('POST', '/orders/11/publish')).status).toBe(200)
  expect((await call('POST', '/orders/11/publish')).status).toBe(200)
})

test('an action without a row in its answer changes the row, and one may set and take away a flag', async () => {
  const { call, read } = await started()
  expect((await call('PUT', '/orders/11/archive')).status).toBe(204)
  expect((await call('POST', '/orders/11/star')).body).toMatchObject({ status: 'archived', starred: true })
  expect((await call('DELETE', '/orders/11/star')).status).toBe(204)
  expect((await read()).starred).toBe(false)
})

test.each<[string, string, unknown[]]>([
  ['actions.status', 'kept', ['draft', 200]],
  ['actions.again', 'success', ['cancelled', 200]]
])('%s=%s', async (id, choice, expected) => {
  const { call, read } = await started({ [id]: choice })
  await call('POST', '/orders/11/cancel', { body: {} })
  const { status } = await call('POST', '/orders/11/cancel', { body: {} })
  expect([(await read()).status, status]).toEqual(expected)
})

test('collections show their actions, and what is not understood is named on the answers that leave it out', async () => {
  const { call, read } = await started()
  const { collections, not_understood } = (await call('GET', '/__mock/collections')).body
  expect(collections[0].actions).toContainEqual({
    operation: 'postOrdersByIdCancel',
    field: 'status',
    value: 'cancelled'
  })
  expect(not_understood.map(({ operation }: { operation: string }) => operation)).toEqual([
    'getOrders',
    'postOrdersByIdApprove'
  ])
  const before = await read()
  const id = 'requests.not-understood'
  const named = async (method: string, path: string) => (await call(method, path)).assumed.includes(id)
  expect(await named('POST', '/orders/11/approve')).toBe(true)
  expect(await named('GET', '/orders?depth=3')).toBe(true)
  expect([await named('GET', '/orders'), await named('POST', '/orders/11/pay')]).toEqual([false, false])
  expect(before.status).toBe('draft')
  const strict = await started({ [id]: 'refused' })
  const refusal = await strict.call('POST', '/orders/11/approve')
  expect([refusal.status, JSON.stringify(refusal.body)]).toEqual([
    422,
    expect.stringContaining('The mock does not understand postOrdersByIdApprove')
  ])
  expect((await strict.call('GET', '/orders')).status).toBe(200)
})

test.each<Record<string, string>>([
  { 'actions.status': 'kept' },
  { 'actions.status': 'followed', 'actions.again': 'success' },
  { 'actions.again': '409' }
])('verify learns what a service does with actions: %j', async (choices) => {
  const { mock } = await startAsking(api, choices)
  const { answers, findings } = await verify({ url: mock.url, api, mutating: true })
  expect(findings).toEqual([])
  expect(Object.fromEntries(answers.map(({ id, choice }) => [id, choice]))).toMatchObject(choices)
})

test('verify reports an action that changes nothing in a service that follows others', async () => {
  const shorter = { ...order.properties, status: { ...text, enum: values.filter((it) => it !== 'CLOSED') } }
  const without = { ...api, components: { schemas: { Order: { ...order, properties: shorter } } } }
  const { mock } = await startAsking(without)
  const { findings } = await verify({ url: mock.url, api, mutating: true })
  expect(findings.map(({ operation, check }) => `${operation} ${check}`)).toEqual([
    'postOrdersByIdClose values_read_back'
  ])
})

describe('an action that is undone, or sets what it is sent', () => {
  const stages = ['draft', 'published', 'archived']
  const page = {
    id: { ...integer, readOnly: true },
    status: { type: 'string', enum: stages, readOnly: true },
    published_at: time,
    reason: { type: ['string', 'null'], readOnly: true },
    editor: { type: ['string', 'null'] },
    title: text
  }
  const body = (...names: (keyof typeof page)[]) =>
    takes(objectOf(Object.fromEntries(names.map((it) => [it, it === 'reason' ? text : page[it]]))), named('Page'))
  const pages = documentOf(
    {
      '/pages': { get: gives(listOf(named('Page'))), post: takes(named('Page'), named('Page')) },
      '/pages/{id}': { get: gives(named('Page')) },
      '/pages/{id}/publish': { post: gives(named('Page')), delete: gives(named('Page')) },
      '/pages/{id}/unpublish': { post: gives(named('Page')) },
      '/pages/{id}/archive': { post: body('reason') },
      '/pages/{id}/assign': { post: body('editor') },
      '/pages/{id}/title': { put: { ...done, requestBody: body('title').requestBody } },
      '/pages/{id}/charge': { post: takes(objectOf({ title: text, amount: integer }), named('Page')) }
    },
    { Page: objectOf(page, ['id', 'status']) }
  )
  const open = async () => {
    const { call } = await startAsking(pages)
    await call('POST', '/pages', { body: { title: 'One' } })
    return { call, read: async () => (await call('GET', '/pages/11')).body }
  }

  test.each([
    ['DELETE', 'publish'],
    ['POST', 'unpublish']
  ])('%s %s takes the status back to the first one, and its time away', async (method, name) => {
    const { call, read } = await open()
    await call('POST', '/pages/11/publish')
    expect(await read()).toMatchObject({ status: 'published', published_at: expect.any(String) })
    await call(method, `/pages/11/${name}`)
    expect(await read()).toMatchObject({ status: 'draft', published_at: null })
  })

  test('an action keeps a field of its body that no other request may set', async () => {
    const { call, read } = await open()
    await call('POST', '/pages/11/archive', { body: { reason: 'Old' } })
    expect(await read()).toMatchObject({ status: 'archived', reason: 'Old' })
  })

  test('an action whose body has only fields of the row sets them', async () => {
    const { call, read } = await open()
    const { body: answer, assumed } = await call('POST', '/pages/11/assign', { body: { editor: 'Ada' } })
    expect(assumed).toContain('actions.status')
    expect((await call('PUT', '/pages/11/title', { body: { title: 'Two' } })).status).toBe(204)
    expect(answer).toMatchObject({ editor: 'Ada', title: 'One' })
    expect(await read()).toMatchObject({ editor: 'Ada', title: 'Two' })
  })

  test('an action whose body has more than fields of the row is not understood', async () => {
    const { call, read } = await open()
    const { assumed } = await call('POST', '/pages/11/charge', { body: { title: 'Two', amount: 3 } })
    expect(assumed).toContain('requests.not-understood')
    expect((await read()).title).toBe('One')
  })
})
