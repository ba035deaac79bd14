import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { addressOf } from '../contract/examples.js'
import { ask, message } from '../doors/listener/wire.js'
import { startTestMock } from '../mock.js'
import { unchanged } from './unchanged.js'

const mock = await startTestMock()
const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
const role = '/api/get-user-role'

/** The status and the body of a request that must change nothing. */
async function replyTo(start: string, headers: Record<string, string | undefined> = {}, body?: string) {
  const reply = await unchanged(mock, () => ask(mock.url, message(start, headers, body)))
  return [reply.status, reply.body]
}

const asAdmin = [200, { role: 'admin' }]

const paths = new Map<string, { path: string; methods: string[] }>()
for (const operation of operations.values()) {
  const [example] = Object.values(operation.examples)
  const known = paths.get(operation.path) ?? { path: addressOf(operation, example?.path), methods: [] }
  known.methods.push(operation.method)
  paths.set(operation.path, known)
}

test.each([...paths.values()])('the method of $path is one of $methods', async ({ path, methods }) => {
  const allow = [...methods].sort().join(', ')
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    if (methods.includes(method)) continue
    const reply = await ask(mock.url, message(`${method} ${path}`))
    expect([method, reply.status, reply.headers.allow]).toEqual([method, 405, allow])
    expect(reply.body).toEqual({ detail: 'Method Not Allowed' })
  }
  const head = await ask(mock.url, message(`HEAD ${path}`), { hasBody: false })
  expect(head.status).toBe(methods.includes('GET') ? 200 : 405)
  if (!methods.includes('GET')) return
  const get = await ask(mock.url, message(`GET ${path}`))
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
})

test.each(['get', 'FROB', 'G ET', ''])('the method: %j is not a method', async (method) => {
  expect((await replyTo(`${method} ${role}`))[0]).toBe(400)
})

test('CONNECT and OPTIONS * lead nowhere', async () => {
  expect(await replyTo('OPTIONS *')).toEqual([404, { detail: 'Not Found' }])
  expect(await ask(mock.url, message('CONNECT example.com:443'))).toMatchObject({ status: 405 })
  expect(await replyTo(`GET ${role}`)).toEqual(asAdmin)
})

describe('the path', () => {
  const named = (text: string) => [text.slice(0, 40), text] as const

  test.each(
    [
      '//',
      `/${role}`,
      '/api//get-user-role',
      '/api/./get-user-role',
      '/api/../api/get-user-role',
      '/../../etc/passwd',
      '/API/get-user-role',
      '/api/get-user-role%00',
      '/api/get-user-role;x=1',
      '/api%2fget-user-role',
      '/api\\get-user-role',
      '/api/get-user-role/more',
      '/api/persona',
      '/api/persona/',
      '/api/persona/../../etc/passwd',
      '/api/persona/1/2',
      '/api/%zz',
      '/__proto__',
      '/constructor/prototype',
      `/${'x'.repeat(10_000)}`,
      '/x'.repeat(5000)
    ].map(named)
  )('%s is unknown', async (_, path) => {
    expect(await replyTo(`GET ${path}`)).toEqual([404, { detail: 'Not Found' }])
    expect(await replyTo(`POST ${path}`, { Authorization: undefined }, '{}')).toEqual([404, { detail: 'Not Found' }])
  })

  test.each(
    ['%zz', '%', '%f', '%ff', '%c0%ae', '%00', '%2e%2e', '..', '1%2f2', '%0d%0aX: y', '1;2', 'x'.repeat(10_000)].map(
      named
    )
  )('with %s for an id is invalid', async (_, id) => {
    const [status, body] = await replyTo(`GET /api/persona/${id.replace(' ', '%20')}`)
    expect([status, body.detail[0].loc]).toEqual([422, ['path', 'persona_id']])
    const file = await replyTo(`DELETE /api/user/projects/file/${id.replace(' ', '%20')}`)
    expect([file[0], file[1].detail[0].loc]).toEqual([422, ['path', 'file_id']])
  })

  test('may encode characters of an id without need', async () => {
    const [status, body] = await replyTo('GET /api/persona/%31')
    expect([status, body.id]).toEqual([200, 1])
  })

  test.each(['/api/persona/\0', '/api/per sona/1'])('%j is not a target', async (path) => {
    expect([400, 404]).toContain((await replyTo(`GET ${path}`))[0])
  })

  test('with bytes above 127 gets an answer', async () => {
    const target = Buffer.from(message('GET /api/persona/\u00ff\u00fe'), 'latin1')
    const reply = await unchanged(mock, () => ask(mock.url, target))
    expect([400, 422]).toContain(reply.status)
  })

  test.each([
    ['GET', '/api/user/projects', '/api/user/projects/'],
    ['GET', '/api/user/projects?a=1&b', '/api/user/projects/?a=1&b'],
    ['GET', '/api/user/projects//', '/api/user/projects/'],
    ['GET', '/api/persona/1/', '/api/persona/1'],
    ['DELETE', '/api/persona/1/', '/api/persona/1'],
    ['POST', '/api/chat/create-chat-session/', '/api/chat/create-chat-session'],
    ['GET', '/api/persona/%2e%2e%2f/', '/api/persona/%2e%2e%2f']
  ])('of %s %s redirects to %s', async (method, path, location) => {
    const reply = await unchanged(mock, () => ask(mock.url, message(`${method} ${path}`)))
    expect([reply.status, reply.headers.location, reply.body]).toEqual([307, location, ''])
  })

  test('and the query may be as long as headers may', async () => {
    expect((await replyTo(`GET /api/chat/search?page=${'0'.repeat(9000)}1`))[1]).toMatchObject({
      groups: expect.any(Array)
    })
    for (const target of [
      `/${'x'.repeat(20_000)}`,
      `${role}?${'x'.repeat(20_000)}`,
      `${role}?a=${'%20'.repeat(60_000)}`
    ]) {
      expect((await replyTo(`GET ${target}`))[0]).toBe(431)
    }
    expect((await replyTo(`GET ${role}`, { 'X-Long': 'x'.repeat(20_000) }))[0]).toBe(431)
  })
})

test.each([
  ['page=%zz', 422],
  ['page=', 422],
  ['page', 422],
  ['page=1%00', 422],
  ['page=%2B1', 200],
  ['query=%ff%fe', 200],
  ['query=%00', 200],
  ['query=%', 200],
  ['query=a%26page=0', 200],
  ['&&&', 200],
  ['=&=x', 200],
  ['?page=0', 200],
  ['page=1#page=0', 422],
  ['page[]=0&page.x=0', 200],
  ['%70age=0', 422],
  ['page=0;page=1', 422]
])('the query %s is answered with %d', async (query, status) => {
  expect([query, (await replyTo(`GET /api/chat/search?${query}`))[0]]).toEqual([query, status])
})

test('the query uses the last of several parameters with the same name', async () => {
  expect((await replyTo('GET /api/chat/search?page=0&page=1'))[0]).toBe(200)
  expect((await replyTo('GET /api/chat/search?page=1&page=0'))[0]).toBe(422)
  const repeated = Array.from({ length: 1000 }, (_, at) => `page=${-at}`).join('&')
  expect((await replyTo(`GET /api/chat/search?${repeated}&page=1`))[0]).toBe(200)
})
