import type { OverrideTurn } from '../../../src/engine/contract/types.gen.js'
import { startTestMock } from '../../mock.js'
import { override } from './overriding.js'

const mock = await startTestMock()
const on = (sandbox: string) => ({ headers: { 'X-Mock-Sandbox': sandbox } })

test('an override adds headers to its answer, and each turn of a sequence has its own', async () => {
  const sandbox = 'turns'
  const sequence: OverrideTurn[] = [
    { status: 429, headers: { 'retry-after': '30', 'X-Turn': 'one' }, body: { detail: 'Later' } },
    { headers: { 'X-Turn': 'two' } }
  ]
  await override(mock, { operation: 'getPersona', sequence }, sandbox)
  const first = await mock.call('GET', '/api/persona/1', on(sandbox))
  expect([first.status, first.headers.get('Retry-After'), first.headers.get('X-Turn')]).toEqual([429, '30', 'one'])
  const second = await mock.call('GET', '/api/persona/1', on(sandbox))
  expect([second.status, second.body.id, second.headers.get('X-Turn')]).toEqual([200, 1, 'two'])
  expect(second.headers.get('Retry-After')).toBeNull()
})

test('a header replaces the one that the answer has, in any case', async () => {
  const sandbox = 'replaced'
  const headers = { 'content-type': 'application/problem+json', 'www-authenticate': 'Bearer realm="mine"' }
  await override(mock, { operation: 'getUserRole', headers }, sandbox)
  const { status, headers: given } = await mock.call('GET', '/api/get-user-role', { ...on(sandbox), as: null })
  expect([status, given.get('Content-Type'), given.get('WWW-Authenticate')]).toEqual([
    401,
    'application/problem+json',
    'Bearer realm="mine"'
  ])
})

test('a header may have the name of a property that every object has', async () => {
  const sandbox = 'names'
  await override(mock, { operation: 'getUserRole', headers: { constructor: 'x' } }, sandbox)
  const { status, headers } = await mock.call('GET', '/api/get-user-role', on(sandbox))
  expect([status, headers.get('constructor')]).toEqual([200, 'x'])
})

test.each([
  ['a name with a space', { 'Retry After': '1' }, 'letters, digits and hyphens'],
  ['an empty name', { '': '1' }, 'letters, digits and hyphens'],
  ['the name that an object has for its prototype', { ['__proto__']: '1' }, 'letters, digits and hyphens'],
  ['a value of two lines', { 'X-A': 'a\r\nSet-Cookie: b' }, 'one line'],
  ['a value that is not Latin-1', { 'X-A': '→' }, 'one line'],
  ['a header that frames the message', { 'content-length': '5' }, 'leave it out'],
  ['a header of the mock', { 'X-Mock-Request-Id': 'r0' }, 'leave it out']
])('%s is refused with its place, also in a sequence', async (_, headers, text) => {
  for (const body of [
    { operation: 'getPersona', status: 503, headers },
    { operation: 'getPersona', sequence: [{ status: 503, headers }] }
  ]) {
    const answer = await mock.call('POST', '/__mock/overrides', { body, ...on('refused') })
    const field = `${body.sequence ? 'sequence.0.' : ''}headers.${Object.keys(headers)[0]}`
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [expect.objectContaining({ field, detail: expect.stringContaining(text) })]
    ])
  }
  expect(mock.handle('refused').requests()).toEqual([])
})
