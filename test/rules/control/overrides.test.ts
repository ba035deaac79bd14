import type { NewOverride } from '../../../src/engine/contract/types.gen.js'
import { message, Wire } from '../../doors/listener/wire.js'
import { startTestMock } from '../../mock.js'
import { unchanged } from '../../serve/unchanged.js'
import { override, overridesOf } from './overriding.js'

const mock = await startTestMock()
const persona = '/api/persona/1'

afterEach(async () => {
  await mock.reset()
  expect(await overridesOf(mock)).toEqual([])
  expect((await mock.call('GET', persona)).body.id).toBe(1)
})

async function statusOf(method: string, path: string, body?: unknown): Promise<number> {
  return (await mock.call(method, path, body === undefined ? {} : { body })).status
}

test('an override answers with its status and body, without a token, until it is removed', async () => {
  const { id } = await override(mock, { operation: 'getPersona', status: 503, body: ['any', { json: null }] })
  const { status, body, headers } = await mock.call('GET', persona, { as: null })
  expect([status, body]).toEqual([503, ['any', { json: null }]])
  expect(headers.get('x-mock-violations')).toBeNull()
  expect(headers.get('preference-applied')).toBeNull()
  await mock.call('DELETE', `/__mock/overrides/${id}`)
  expect(await statusOf('GET', persona)).toBe(200)
})

test('an override answers with only a body, with the status 200', async () => {
  await override(mock, { operation: 'getUserRole', body: { role: 'admin' } })
  const { status, body, headers } = await mock.call('GET', '/api/get-user-role', { as: 'basic' })
  expect([status, body, headers.get('x-mock-violations')]).toEqual([200, { role: 'admin' }, null])
})

test('an override answers with a body that is null, or false', async () => {
  await override(mock, { operation: 'getPersona', status: 404, body: null, times: 1 })
  expect((await mock.call('GET', persona)).text).toBe('null')
  await override(mock, { operation: 'getPersona', status: 404, body: false, times: 1 })
  expect((await mock.call('GET', persona)).text).toBe('false')
})

test('an override answers with a named example, also of a refusal', async () => {
  await override(mock, { operation: 'searchChats', example: 'nothing-found', times: 1 })
  expect((await mock.call('GET', '/api/chat/search')).body.groups).toEqual([])
  await override(mock, { operation: 'getPersona', example: 'missing' })
  const { status, body, headers } = await mock.call('GET', '/api/persona/77')
  expect([status, body]).toEqual([404, { detail: 'Persona with ID 77 does not exist' }])
  expect(headers.get('x-mock-assumed')).toBe('errors.missing')
})

test('an override answers with only a status, as the contract documents it, or in the form of the platform', async () => {
  await override(mock, { operation: 'getPersona', status: 422, times: 1 })
  expect((await mock.call('GET', persona)).body.detail[0].loc).toEqual(['path', 'persona_id'])
  await override(mock, { operation: 'getPersona', status: 503, times: 1 })
  expect((await mock.call('GET', persona)).body).toEqual({ detail: 'Service Unavailable' })
  await override(mock, { operation: 'getPersona', status: 299, times: 1 })
  expect((await mock.call('GET', persona)).text).toBe('{}')
  await override(mock, { operation: 'getPersona', status: 204, times: 1 })
  expect(await mock.call('GET', persona)).toMatchObject({ status: 204, text: '' })
})

test('an override answers without running the rule or changing the state', async () => {
  await override(mock, { operation: 'deletePersona', status: 200, body: null, times: 1 })
  await override(mock, { operation: 'createChatSession', status: 500, times: 1 })
  await unchanged(mock, async () => {
    expect(await statusOf('DELETE', persona)).toBe(200)
    expect(await statusOf('POST', '/api/chat/create-chat-session', {})).toBe(500)
  })
})

test('an override answers without harm to the next request of the connection, if it did not read the body', async () => {
  await override(mock, { operation: 'inviteUsers', status: 200, body: 7, times: 3 })
  const emails = Array.from({ length: 5000 }, (_, at) => `user${at}@example.com`)
  for (let count = 0; count < 3; count++) {
    expect((await mock.call('PUT', '/api/manage/admin/users', { body: { emails } })).body).toBe(7)
  }
  expect((await mock.call('PUT', '/api/manage/admin/users', { body: { emails: ['a@b.org'] } })).body).not.toBe(7)
})

describe('a reply that breaks the contract of a documented status is counted', () => {
  test.each([
    ['getUserRole', '/api/get-user-role', 200, { role: 7 }, 1],
    ['getUserRole', '/api/get-user-role', 422, { detail: 'text' }, 1],
    ['getUserRole', '/api/get-user-role', 401, { message: 'no' }, 1],
    ['getUserRole', '/api/get-user-role', 401, { detail: 'no' }, null],
    ['getUserRole', '/api/get-user-role', 422, { detail: [{ type: 'a', loc: ['b'], msg: 'c' }] }, null],
    ['getUserRole', '/api/get-user-role', 418, { any: 'thing' }, null]
  ])('%s %s %i %j', async (operation, path, status, body, violations) => {
    await override(mock, { operation, status, body })
    const answer = await mock.call('GET', path)
    expect([answer.status, answer.body]).toEqual([status, body])
    expect(answer.headers.get('x-mock-violations')).toBe(violations === null ? null : String(violations))
    const { requests } = (await mock.call('GET', '/__mock/requests?limit=1')).body
    expect(requests[0].violations).toHaveLength(violations ?? 0)
  })
})

const rename = { name: 'New', starter_messages: [{ name: 'a', message: 'b' }], num_chunks: 3 }

test.each<[string, NewOverride['match'], string, boolean]>([
  ['every request without a match', undefined, persona, true],
  ['the value of a path parameter, as text', { path: { persona_id: 1 } }, persona, true],
  ['no other value of it', { path: { persona_id: '2' } }, persona, false],
  ['some fields of the body', { body: { num_chunks: 3 } }, persona, true],
  ['no other value of a field', { body: { num_chunks: '3' } }, persona, false],
  ['no body without the field', { body: { num_chunks: 3, description: 'x' } }, persona, false],
  ['a list as a whole', { body: { starter_messages: [{ name: 'a', message: 'b' }] } }, persona, true],
  ['no part of a list', { body: { starter_messages: [{ name: 'a' }] } }, persona, false],
  ['no body that is an object by a scalar', { body: 3 }, persona, false],
  ['path and body at once', { path: { persona_id: 1 }, body: { name: 'New' } }, persona, true],
  ['nothing where one of them differs', { path: { persona_id: 2 }, body: { name: 'New' } }, persona, false],
  ['any body, by an empty object', { body: {} }, persona, true]
])('an override matches %s', async (_, match, path, isMeant) => {
  await override(mock, { operation: 'updatePersona', status: 503, ...(match && { match }) })
  const { status, body } = await mock.call('PATCH', path, { body: rename })
  expect(status).toBe(isMeant ? 503 : 200)
  if (!isMeant) expect(body).toMatchObject(rename)
  expect(mock.sandbox.rows.personas.get(1)?.name === 'New').toBe(!isMeant)
})

test('an override matches values of the query', async () => {
  await override(mock, { operation: 'searchChats', match: { query: { query: 'a b', page: 2 } }, status: 503 })
  expect(await statusOf('GET', '/api/chat/search?page=2&query=a+b')).toBe(503)
  expect(await statusOf('GET', '/api/chat/search?page=2&query=a%20b&page_size=5')).toBe(503)
  expect(await statusOf('GET', '/api/chat/search?page=3&query=a+b')).toBe(200)
  expect(await statusOf('GET', '/api/chat/search?page=2')).toBe(200)
})

test('an override matches a whole body that is not an object', async () => {
  await override(mock, { operation: 'inviteUsers', match: { body: [1, { a: 2 }] }, status: 503 })
  expect(await statusOf('PUT', '/api/manage/admin/users', [1, { a: 2 }])).toBe(503)
  expect(await statusOf('PUT', '/api/manage/admin/users', [1, { a: 2, b: 3 }])).toBe(422)
})

test('an override matches fields of a form', async () => {
  await override(mock, { operation: 'replacePrivateKey', match: { body: { field_key: 'here' } }, status: 503 })
  const form = (key: string) => {
    const data = new FormData()
    data.append('field_key', key)
    data.append('uploaded_file', new Blob(['bytes']), 'a.pfx')
    return data
  }
  const path = '/api/manage/admin/credential/private-key/1'
  expect((await mock.call('PUT', path, { form: form('here') })).status).toBe(503)
  expect((await mock.call('PUT', path, { form: form('there') })).status).toBe(422)
})

test('an override matches only its own operation', async () => {
  await override(mock, { operation: 'getPersona', status: 503 })
  expect(await statusOf('GET', '/api/get-user-role')).toBe(200)
  expect(await statusOf('PATCH', persona, {})).toBe(200)
  expect(await statusOf('GET', '/api/nowhere')).toBe(404)
  expect(await statusOf('GET', '/__mock/health')).toBe(200)
})

test('an override matches no broken body, which is refused as usual, whatever is checked first', async () => {
  await override(mock, { operation: 'updatePersona', match: { body: { name: 'x' } }, status: 503 })
  const broken = await mock.call('PATCH', persona, { body: '{"name": "x"' })
  expect([broken.status, broken.body.detail[0].type]).toEqual([422, 'json_invalid'])
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'auth.order': 'token-first' } })
  expect((await mock.call('PATCH', persona, { body: '{"name": "x"', as: null })).status).toBe(401)
  expect((await mock.call('PATCH', persona, { body: { name: 'x' }, as: null })).status).toBe(503)
})

test('the newest matching override answers a request', async () => {
  await override(mock, { operation: 'getPersona', status: 500 })
  await override(mock, { operation: 'getPersona', match: { path: { persona_id: 1 } }, status: 501, times: 1 })
  expect(await statusOf('GET', '/api/persona/2')).toBe(500)
  expect(await statusOf('GET', persona)).toBe(501)
  expect(await statusOf('GET', persona)).toBe(500)
})

test('the option times limits an override: it answers exactly that many of 50 concurrent requests', async () => {
  await override(mock, {
    operation: 'createChatSession',
    match: { body: { description: 'same' } },
    status: 503,
    times: 7
  })
  const before = mock.sandbox.rows.chatSessions.size
  const calls = Array.from({ length: 50 }, () =>
    statusOf('POST', '/api/chat/create-chat-session', { description: 'same' })
  )
  const statuses = await Promise.all(calls)
  expect(statuses.filter((status) => status === 503)).toHaveLength(7)
  expect(statuses.filter((status) => status === 200)).toHaveLength(43)
  expect(mock.sandbox.rows.chatSessions.size).toBe(before + 43)
  expect(await overridesOf(mock)).toEqual([])
})

test('the option times limits an override for requests that arrive in one piece', async () => {
  await override(mock, { operation: 'getUserRole', status: 503, times: 7 })
  const wire = Wire.open(mock.url)
  await wire.send(message('GET /api/get-user-role').repeat(50))
  const statuses: number[] = []
  for (let count = 0; count < 50; count++) statuses.push((await wire.reply()).status)
  wire.destroy()
  expect(statuses).toEqual([...Array(7).fill(503), ...Array(43).fill(200)])
})

test('the option times decreases in the override as it is read', async () => {
  const { id } = await override(mock, { operation: 'getPersona', status: 503, times: 2 })
  expect((await mock.call('GET', `/__mock/overrides/${id}`)).body).toMatchObject({ remaining: 2, used: 0 })
  await mock.call('GET', persona)
  expect((await mock.call('GET', `/__mock/overrides/${id}`)).body).toMatchObject({ remaining: 1, used: 1 })
  await mock.call('GET', persona)
  expect((await mock.call('GET', `/__mock/overrides/${id}`)).status).toBe(404)
  expect(await statusOf('GET', persona)).toBe(200)
})

test('the option times does not decrease for a request that asks for something itself', async () => {
  await override(mock, { operation: 'getPersona', status: 503, times: 1 })
  const { status } = await mock.call('GET', persona, { headers: { Prefer: 'code=404' } })
  expect(status).toBe(404)
  expect((await mock.call('GET', persona, { headers: { Prefer: 'delay=1' } })).status).toBe(200)
  expect((await mock.call('GET', persona, { headers: { Prefer: 'return=minimal' } })).status).toBe(503)
})

test('the option times is counted in its sandbox only, and separately in a fork', async () => {
  await override(mock, { operation: 'getPersona', status: 503, times: 1 })
  await mock.call('POST', '/__mock/sandboxes', { body: { name: 'fork', from: 'default' } })
  const inFork = { headers: { 'X-Mock-Sandbox': 'fork' } }
  expect((await mock.call('GET', persona, inFork)).status).toBe(503)
  expect((await mock.call('GET', persona, inFork)).status).toBe(200)
  expect(await statusOf('GET', persona)).toBe(503)
})

test('an override does not affect other sandboxes', async () => {
  await override(mock, { operation: 'getPersona', status: 503 }, 'mine')
  const status = async (as: string) => (await mock.call('GET', persona, { as })).status
  expect([await status('admin~mine'), await status('admin~other'), await status('admin')]).toEqual([503, 200, 200])
})

test('a reset removes the overrides, and the next one has the first id again', async () => {
  const { id } = await override(mock, { operation: 'getPersona', status: 503 })
  await mock.call('POST', '/__mock/reset', { body: {} })
  expect(await overridesOf(mock)).toEqual([])
  expect(await statusOf('GET', persona)).toBe(200)
  expect((await override(mock, { operation: 'getPersona', status: 503 })).id).toBe(id)
})

test('the list can be put back unchanged, with ids and counts', async () => {
  await override(mock, { operation: 'getPersona', status: 500, times: 3 })
  await override(mock, { path: '/api/notes/{id}', body: { a: 1 } })
  await mock.call('GET', '/api/persona/1')
  await mock.call('PUT', '/__mock/weather', { body: { profile: 'slow' } })
  const listed = (await mock.call('GET', '/__mock/overrides')).body
  await mock.call('PATCH', `/__mock/overrides/${listed.overrides.at(-2).id}`, { body: { off: true } })
  const before = (await mock.call('GET', '/__mock/overrides')).body
  expect(before.overrides.map(({ used }: { used: number }) => used)).toContain(1)
  await mock.call('DELETE', '/__mock/overrides')
  expect(await mock.call('PUT', '/__mock/overrides', { body: before })).toMatchObject({ status: 200, body: before })
  expect((await mock.call('GET', '/__mock/overrides')).body).toEqual(before)
  const { body } = await mock.call('POST', '/__mock/overrides', { body: before.overrides[0] })
  expect(before.overrides.map(({ id }: { id: string }) => id)).not.toContain(body.id)
  const spent = { ...before.overrides.at(-1), used: 3 }
  const refused = await mock.call('PUT', '/__mock/overrides', { body: [spent] })
  expect([refused.status, refused.body.errors[0].field]).toEqual([400, '0.used'])
})

test('all overrides can be removed at once', async () => {
  await override(mock, { operation: 'getPersona', status: 503 })
  await override(mock, { operation: 'getPersona', status: 504 })
  expect((await mock.call('DELETE', '/__mock/overrides')).body).toEqual({ removed: 2 })
  expect(await statusOf('GET', persona)).toBe(200)
})

test('the journal shows which override answered', async () => {
  const { id } = await override(mock, { operation: 'getPersona', status: 503 })
  const { headers } = await mock.call('GET', persona)
  const { body } = await mock.call('GET', `/__mock/requests/${headers.get('x-mock-request-id')}`)
  expect(body).toMatchObject({ operation: 'getPersona', status: 503, override: id, rule: null })
})

test('an example that the current choices exclude is reported as gone', async () => {
  const { id } = await override(mock, { operation: 'deletePersona', example: 'deleted' })
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'delete.body': '204' } })
  const { status, body } = await mock.call('DELETE', persona)
  expect([status, body.type]).toEqual([400, 'urn:knowledge-chat-mock:bad-prefer'])
  expect(body.detail).toContain(id)
})

describe('an impossible override is refused with the field and its good values', () => {
  const good = { operation: 'getPersona', status: 503 }
  test.each<[string, object, string, string[] | undefined]>([
    [
      'an unknown operation',
      { ...good, operation: 'getPersonas' },
      'operation',
      expect.arrayContaining(['getPersona'])
    ],
    [
      'nothing to do',
      { operation: 'getPersona' },
      'body',
      ['status', 'headers', 'body', 'example', 'chunks', 'first', 'every', 'cutAfter', 'delay', 'fault', 'sequence']
    ],
    ['a status below 200', { ...good, status: 199 }, 'status', undefined],
    ['a status above 599', { ...good, status: 600 }, 'status', undefined],
    ['no times', { ...good, times: 0 }, 'times', undefined],
    ['half a time', { ...good, times: 1.5 }, 'times', undefined],
    ['an unknown field', { ...good, header: {} }, 'header', expect.arrayContaining(['status', 'body', 'times'])],
    ['a body with an example', { operation: 'getPersona', body: {}, example: 'whole' }, 'example', undefined],
    [
      'an unknown example',
      { operation: 'getPersona', example: 'x' },
      'example',
      expect.arrayContaining(['whole', 'missing'])
    ],
    ['an example of another status', { ...good, status: 404, example: 'whole' }, 'example', ['missing']],
    ['a body without a place for it', { ...good, status: 204, body: {} }, 'body', undefined],
    ['a fault with a status', { ...good, fault: 'EMPTY_RESPONSE' }, 'status', undefined],
    ['a fault with a body', { operation: 'getPersona', body: 1, fault: 'EMPTY_RESPONSE' }, 'body', undefined],
    [
      'a fault with an example',
      { operation: 'getPersona', example: 'whole', fault: 'EMPTY_RESPONSE' },
      'example',
      undefined
    ],
    [
      'an unknown fault',
      { operation: 'getPersona', fault: 'FIRE' },
      'fault',
      expect.arrayContaining(['EMPTY_RESPONSE'])
    ],
    ['an unknown path parameter', { ...good, match: { path: { id: 1 } } }, 'match.path.id', ['persona_id']],
    ['an unknown query parameter', { ...good, match: { query: { id: 1 } } }, 'match.query.id', []],
    [
      'a parameter that is not a text',
      { ...good, match: { path: { persona_id: [1] } } },
      'match.path.persona_id',
      undefined
    ],
    ['a body of an operation without one', { ...good, match: { body: {} } }, 'match.body', undefined],
    ['an unknown place', { ...good, match: { header: {} } }, 'match.header', ['path', 'query', 'body']],
    ['an unknown delay', { ...good, delay: { type: 'normal' } }, 'delay.type', ['fixed', 'uniform', 'lognormal']],
    ['a delay without type', { ...good, delay: {} }, 'delay.type', undefined],
    ['a delay that is a number', { ...good, delay: 250 }, 'delay', undefined],
    ['a fixed delay without length', { ...good, delay: { type: 'fixed' } }, 'delay.milliseconds', ['milliseconds']],
    ['a negative delay', { ...good, delay: { type: 'fixed', milliseconds: -1 } }, 'delay.milliseconds', undefined],
    [
      'a delay over an hour',
      { ...good, delay: { type: 'fixed', milliseconds: 3600001 } },
      'delay.milliseconds',
      undefined
    ],
    [
      'a uniform delay without upper',
      { ...good, delay: { type: 'uniform', lower: 1 } },
      'delay.upper',
      ['lower', 'upper']
    ],
    ['lower above upper', { ...good, delay: { type: 'uniform', lower: 2, upper: 1 } }, 'delay.lower', undefined],
    ['no sigma', { ...good, delay: { type: 'lognormal', median: 1 } }, 'delay.sigma', ['median', 'sigma', 'maxValue']],
    [
      'a field of another delay',
      { ...good, delay: { type: 'fixed', milliseconds: 1, sigma: 1 } },
      'delay.sigma',
      ['milliseconds']
    ]
  ])('%s', async (_, wanted, field, allowed) => {
    const { status, body } = await mock.call('POST', '/__mock/overrides', { body: wanted })
    expect([status, body.type]).toEqual([400, 'urn:knowledge-chat-mock:invalid'])
    const error = body.errors.find((it: { field: string }) => it.field === field)
    expect(error ?? body.errors).toMatchObject({ field, detail: expect.any(String), ...(allowed && { allowed }) })
    expect(await overridesOf(mock)).toEqual([])
  })

  test('more than a thousand', async () => {
    for (let count = 0; count < 1000; count++) mock.sandbox.overrides.add({ operation: 'getPersona', status: 503 })
    const { status, body } = await mock.call('POST', '/__mock/overrides', { body: good })
    expect([status, body.detail]).toEqual([429, expect.stringContaining('1000')])
  })
})
