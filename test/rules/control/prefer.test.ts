import { createContract } from '../../../src/engine/contract/contract.js'
import { readDocuments } from '../../../src/engine/contract/load.js'
import type { Operation } from '../../../src/engine/contract/model.js'
import { outcomesOf, statusesOf } from '../../../src/engine/contract/outcomes.js'
import { readPrefer } from '../../../src/engine/serve/forced/forced.js'
import { addressOf } from '../../contract/examples.js'
import { type Answer, type CallOptions, startTestMock, type TestMock } from '../../mock.js'
import { unchanged } from '../../serve/unchanged.js'

const documented = await startTestMock()
const observed = await startTestMock({ profile: 'observed' })
const mock = documented

function contractOf({ sandbox }: TestMock) {
  return createContract(readDocuments(), sandbox.choices)
}

/** A request with the operation's first example, without a token and a body. */
function prefer(to: TestMock, operation: Operation, preferences: string, options: CallOptions = {}): Promise<Answer> {
  const [example] = Object.values(operation.examples)
  const headers = { Prefer: preferences, ...options.headers }
  return to.call(operation.method, addressOf(operation, example?.path), { as: null, ...options, headers })
}

function operationNamed(id: string): Operation {
  return contractOf(mock).operations.get(id) as Operation
}

const persona = '/api/persona/1'

describe.each([
  ['documented', documented],
  ['observed', observed]
])('under the profile %s', (_, mock) => {
  const contract = contractOf(mock)
  const operations = [...contract.operations.values()]

  test.each(operations.map((it) => [it.id, it] as const))(
    '%s gives each of its answers by name',
    async (_, operation) => {
      await unchanged(mock, async () => {
        for (const { kind, name, status } of outcomesOf(contract, operation)) {
          const wish = `code=${status}, example=${name}`
          const { headers, text, body, ...answer } = await prefer(mock, operation, wish)
          expect([name, answer.status]).toEqual([name, status])
          expect(headers.get('preference-applied')).toBe(wish)
          expect(headers.get('x-mock-violations')).toBeNull()
          if (kind === 'response') continue
          expect(contract.checkReply(operation, status, body, new Set())).toEqual([])
          expect(text).not.toMatch(/\{\w+\}|undefined/)
        }
      })
    }
  )

  test.each(operations.map((it) => [it.id, it] as const))('%s gives each of its statuses', async (_, operation) => {
    for (const status of statusesOf(contract, operation)) {
      expect((await prefer(mock, operation, `code=${status}`)).status).toBe(status)
    }
  })
})

test('every example of a 422 in the OpenAPI document can be forced by its name', async () => {
  const { body: document } = await mock.call('GET', '/openapi.json')
  for (const operation of contractOf(mock).operations.values()) {
    const { responses } = document.paths[operation.path][operation.method.toLowerCase()]
    for (const [name, { value }] of Object.entries<{ value: unknown }>(
      responses[422].content['application/json'].examples
    )) {
      const forced = await prefer(mock, operation, `example=${name}`)
      expect([operation.id, name, forced.status, forced.body]).toEqual([operation.id, name, 422, value])
    }
  }
})

test('a forced 422 equals the one for a typical mistake', async () => {
  const cases: [string, CallOptions & { path?: string }][] = [
    ['getPersona', { path: '/api/persona/abc' }],
    ['searchChats', { path: '/api/chat/search?page=abc' }],
    ['createChatSession', { body: { ...exampleBody('createChatSession'), persona_id: 'abc' } }],
    ['openUrls', { body: {} }]
  ]
  for (const [id, { path, ...options }] of cases) {
    const operation = operationNamed(id)
    const made = await mock.call(operation.method, path ?? operation.path, options)
    const forced = await prefer(mock, operation, 'code=422')
    expect([id, made.status, forced.body]).toEqual([id, 422, made.body])
    expect(forced.headers.get('x-mock-assumed')).toBe(made.headers.get('x-mock-assumed'))
  }
})

test('a forced 422 has the current dialect', async () => {
  const older = await startTestMock({
    assume: { 'errors.validation-dialect': 'pydantic-1', 'requests.coercion': 'lax' }
  })
  const { body } = await prefer(older, operationNamed('getPersona'), 'code=422')
  expect(body).toEqual({
    detail: [{ type: 'type_error.integer', loc: ['path', 'persona_id'], msg: 'value is not a valid integer' }]
  })
})

test('an operation without input gives the 422 of an unknown parameter', async () => {
  const { body, headers } = await prefer(mock, operationNamed('getUserRole'), 'code=422')
  expect(body.detail).toMatchObject([{ type: 'extra_forbidden', loc: ['query', 'unexpected'] }])
  expect(headers.get('x-mock-assumed')).toContain('requests.unknown-fields')
})

test('a forced refusal names the rows in the request, and the assumptions', async () => {
  const { body, headers } = await mock.call('GET', '/api/persona/77', { headers: { Prefer: 'code=404' } })
  expect(body).toEqual({ detail: 'Persona with ID 77 does not exist' })
  expect(headers.get('x-mock-assumed')).toBe('errors.missing')
})

test('a forced refusal has its headers', async () => {
  const { headers } = await mock.call('GET', persona, { headers: { Prefer: 'code=401' } })
  expect(headers.get('www-authenticate')).toBe('Bearer')
})

test('a forced delete names the assumption about all deletes', async () => {
  const { headers, body } = await mock.call('DELETE', persona, { headers: { Prefer: 'code=200' } })
  expect([body, headers.get('x-mock-assumed')]).toEqual([null, 'delete.body'])
  expect(mock.sandbox.rows.personas.get(1)).toBeDefined()
})

test('an example that two statuses have selects the first, unless a code selects another', async () => {
  const operation = operationNamed('unlinkCredential')
  const other = await startTestMock({ assume: { 'pairing.absent': '404' } })
  expect((await prefer(other, operation, 'example=not-associated')).status).toBe(200)
  expect((await prefer(other, operation, 'example=not-associated, code=404')).status).toBe(404)
  // An answer that a choice excludes cannot be requested.
  expect((await prefer(mock, operation, 'example=not-associated, code=404')).status).toBe(400)
})

test.each([
  ['?__code=404', 404],
  ['?__example=missing', 404],
  ['?__code=401&__example=unauthenticated', 401],
  ['?__code=%34%30%34', 404]
])('the query %s forces an outcome', async (search, status) => {
  expect((await mock.call('GET', persona + search)).status).toBe(status)
})

test('the query is overridden by the header, preference by preference', async () => {
  const { status } = await mock.call('GET', `${persona}?__code=404`, { headers: { Prefer: 'code=401' } })
  expect(status).toBe(401)
  const kept = await mock.call('GET', `${persona}?__code=404`, { headers: { Prefer: 'delay=1' } })
  expect([kept.status, kept.headers.get('preference-applied')]).toEqual([404, 'code=404, delay=1'])
})

test('the query is removed before the contract is checked', async () => {
  const search = '/api/chat/search?__code=200&query=a'
  expect((await mock.call('GET', search)).headers.get('x-mock-violations')).toBeNull()
  const delayed = await mock.call('GET', `${persona}?__other=1`, { headers: { Prefer: 'delay=1' } })
  expect([delayed.status, delayed.headers.get('x-mock-violations')]).toEqual([200, '1'])
})

test('the query survives a redirect', async () => {
  const response = await fetch(`${mock.url}/api/user/projects?__code=401`)
  expect([response.redirected, response.status]).toEqual([true, 401])
})

test.each([
  ['code=404', { code: '404' }],
  ['  code  =\t404 ', { code: '404' }],
  ['CODE=404', { code: '404' }],
  ['code="404"', { code: '404' }],
  ['example="a \\"b\\", c; d"', { example: 'a "b", c; d' }],
  ['return=minimal, code=404;q=1; x="a,b" , , wait=10', { return: 'minimal', code: '404', wait: '10' }],
  ['code=404, code=401', { code: '404' }],
  ['respond-async', { 'respond-async': '' }],
  ['__proto__=1, constructor=2', { ['__proto__']: '1', constructor: '2' }],
  [', ;', {}],
  ['', {}]
])('the Prefer header %j is read as RFC 7240 says', (header, preferences) => {
  expect(Object.fromEntries(readPrefer(header) as Map<string, string>)).toEqual(preferences)
})

test.each(['code="404', 'code 404', 'code==404', '=404', 'code=404 x', 'code=4/4', 'a=b;c d'])(
  'the Prefer header %j is not a list of preferences',
  (header) => {
    expect(readPrefer(header)).toBeUndefined()
  }
)

test('the Prefer header may be sent several times', async () => {
  const response = await fetch(mock.url + persona, {
    headers: [
      ['Prefer', 'return=minimal'],
      ['Prefer', 'code=404']
    ]
  })
  expect(response.status).toBe(404)
})

test('the Prefer header is ignored if it asks for something unknown', async () => {
  const { status, headers } = await mock.call('GET', persona, { headers: { Prefer: 'return=minimal, wait=5' } })
  expect([status, headers.get('preference-applied')]).toEqual([200, null])
})

test('the Prefer header with many thousand characters is read in linear time', () => {
  expect(readPrefer(`${'; '.repeat(200_000)}/`)).toBeUndefined()
  expect(readPrefer(`code="${'\\\\'.repeat(200_000)}`)).toBeUndefined()
})

describe('a wrong preference is refused with the good ones', () => {
  test.each([
    ['code=418', ['code is "418". getPersona documents 200, 401, 404, 422.']],
    ['code=abc', ['200, 401, 404, 422']],
    ['code', ['200, 401, 404, 422']],
    ['code=0200', ['200, 401, 404, 422']],
    [
      'example=nothing',
      ['example is "nothing". getPersona has whole, invalid, wrong-path, unknown-parameter, missing, unauthenticated']
    ],
    ['code=404, example=whole', ['example is "whole". getPersona with code 404 has missing.']],
    ['delay=soon', ['delay is "soon". Give whole milliseconds from 0 to 3600000.']],
    ['delay=-1', ['from 0 to 3600000']],
    ['delay=1.5', ['from 0 to 3600000']],
    ['delay=3600001', ['from 0 to 3600000']],
    ['fault=FIRE', ['CONNECTION_RESET_BY_PEER, EMPTY_RESPONSE, MALFORMED_RESPONSE_CHUNK, RANDOM_DATA_THEN_CLOSE']],
    ['fault=toString', ['Known: CONNECTION_RESET_BY_PEER']],
    ['fault=EMPTY_RESPONSE, code=404', ['leave out code and example']],
    ['code=1, delay=x, fault=y', ['code is "1"', 'delay is "x"', 'fault is "y"']],
    ['code 404', ['code=404, delay=250', 'code, example, delay, fault']]
  ])('%s', async (header, sentences) => {
    const { status, headers, body } = await mock.call('GET', persona, { headers: { Prefer: header } })
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
    expect(body).toMatchObject({ type: 'urn:knowledge-chat-mock:bad-prefer', status: 400 })
    for (const sentence of sentences) expect(body.detail).toContain(sentence)
    expect(headers.get('preference-applied')).toBeNull()
  })

  test('?__code=418', async () => {
    expect((await mock.call('GET', `${persona}?__code=418`)).body.detail).toContain('200, 401, 404, 422')
  })
})

test('a forced outcome skips the rule and reads no body', async () => {
  const before = mock.sandbox.rows.chatSessions.size
  const { status } = await mock.call('POST', '/api/chat/create-chat-session', {
    body: '{"broken',
    headers: { Prefer: 'code=200' }
  })
  expect([status, mock.sandbox.rows.chatSessions.size]).toEqual([200, before])
})

test('a forced outcome affects only that request', async () => {
  await unchanged(mock, () => mock.call('GET', '/api/get-user-role', { headers: { Prefer: 'code=401' } }))
})

test('a page of another origin may force an outcome, and read what was applied', async () => {
  const origin = { Origin: 'https://front.example' }
  const preflight = await mock.call('OPTIONS', persona, {
    as: null,
    headers: {
      ...origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization,prefer'
    }
  })
  expect(preflight.headers.get('access-control-allow-headers')).toContain('prefer')
  const { status, headers } = await mock.call('GET', persona, { headers: { ...origin, Prefer: 'code=404' } })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([404, '*'])
  expect(headers.get('access-control-expose-headers')).toContain('Preference-Applied')
})

test('the journal shows that Prefer answered', async () => {
  const { headers } = await mock.call('GET', persona, { headers: { Prefer: 'code=404' } })
  const { body } = await mock.call('GET', `/__mock/requests/${headers.get('x-mock-request-id')}`)
  expect(body).toMatchObject({ operation: 'getPersona', status: 404, override: 'Prefer', rule: null })
  expect(body.response.body).toEqual({ detail: 'Persona with ID 1 does not exist' })
  await mock.call('GET', persona)
  const { body: plain } = await mock.call('GET', '/__mock/requests?limit=1')
  expect(plain.requests[0].override).toBeUndefined()
})

function exampleBody(id: string): object {
  return Object.values(operationNamed(id).examples)[0]?.body as object
}
