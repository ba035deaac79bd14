import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { addressOf, bodyOf } from '../contract/examples.js'
import { startTestMock } from '../mock.js'

const ledger = readLedger()
const { operations, access } = createContract(readDocuments(), defaultChoices(ledger))
const mock = await startTestMock()
const observed = await startTestMock({ assume: { 'auth.roles': 'matrix' } })
const admins = await startTestMock({ assume: { 'auth.roles': 'admins' } })
const open = await startTestMock({ assume: { 'auth.roles': 'off' } })
const all = [...operations.values()].map((operation) => [operation.code, operation.id, operation] as const)

/** Whether the contract refuses a user under a choice of auth.roles, by the user's key. */
function refusedBy(operation: (typeof all)[number][2], choice: string, keys: string[]): [string, boolean][] {
  const roles = access[operation.access[choice] as string]?.roles
  return keys.map((key) => [key, roles ? !roles.includes(key) : false])
}

/** The status of an operation's first example, in its own sandbox. */
async function statusOf(from: typeof mock, operation: (typeof all)[number][2], key: string | null) {
  const [example] = Object.values(operation.examples)
  const address = addressOf(operation, example?.path, example?.query)
  const as = key === null ? null : `${key}~${operation.id}-${key}`
  return from.call(operation.method, address, { as, ...bodyOf(operation, example?.body) })
}

/** Refused for the caller's role, not because the row belongs to another user. */
const isDenied = (body: { detail?: unknown } | null) => String(body?.detail).startsWith('Access denied')

test('the contract gives each operation the roles that its path and the ledger give it', () => {
  const paths = ledger.find(({ id }) => id === 'auth.roles')?.choices.paths ?? ''
  const adminOnly: string[] = paths.match(/E\d+/g) ?? []
  expect(adminOnly).toHaveLength(3)
  for (const [code, id, { path, access }] of all) {
    const isForAdmins = path.includes('/admin/')
    expect([id, access.paths !== 'anyone', access.admins]).toEqual([id, isForAdmins, isForAdmins ? 'admin' : 'anyone'])
    if (adminOnly.includes(code)) expect([id, access.paths]).toEqual([id, 'admin'])
  }
})

describe.each(all)('%s %s', (_code, _id, operation) => {
  test('refuses requests without a token', async () => {
    const { status, body, headers } = await statusOf(mock, operation, null)
    expect([status, Object.keys(body), headers.get('www-authenticate')]).toEqual([401, ['detail'], 'Bearer'])
    expect(headers.get('x-mock-assumed')).toContain('auth.unauthenticated')
  })

  test('accepts the roles that the description names', async () => {
    for (const [key, isRefused] of refusedBy(operation, 'paths', ['admin', 'curator', 'basic'])) {
      const { body, headers } = await statusOf(mock, operation, key)
      expect([key, isDenied(body)]).toEqual([key, isRefused])
      if (isRefused) expect(headers.get('x-mock-assumed')).toContain('auth.roles')
    }
  })

  test('accepts only administrators under auth.roles=admins, if its path says so', async () => {
    const isForAdmins = operation.path.includes('/admin/')
    for (const [key, isRefused] of Object.entries({ admin: false, curator: isForAdmins, basic: isForAdmins })) {
      const { body, headers } = await statusOf(admins, operation, key)
      expect([key, isDenied(body)]).toEqual([key, isRefused])
      if (isForAdmins) expect(headers.get('x-mock-assumed')).toContain('auth.roles')
    }
  })

  test('names auth.roles when the role decides, also when it accepts the caller', async () => {
    const decides = async (on: typeof mock, key: string) =>
      ((await statusOf(on, operation, key)).headers.get('x-mock-assumed') ?? '').split(', ').includes('auth.roles')
    const isForAdmins = operation.path.includes('/admin/')
    const isClosed = ['paths', 'admins', 'matrix'].some((choice) => refusedBy(operation, choice, ['basic'])[0]?.[1])
    expect([await decides(mock, 'admin'), await decides(open, 'basic')]).toEqual([isForAdmins, isClosed])
  })

  test('accepts the observed roles under the matrix', async () => {
    for (const [key, isRefused] of refusedBy(operation, 'matrix', ['admin', 'curator', 'basic', 'limited'])) {
      expect([key, isDenied((await statusOf(observed, operation, key)).body)]).toEqual([key, isRefused])
    }
  })
})

const detail = async (on: typeof mock, authorization: string) => {
  const { status, body } = await on.call('GET', '/api/get-user-role', {
    as: null,
    headers: { Authorization: authorization }
  })
  return [status, body.detail]
}

test('a caller who is refused learns that no user has the token, and which tokens exist', async () => {
  const text = 'Not authenticated: no user of this sandbox has this token. Tokens are the keys of its users, such as'
  expect(await detail(mock, 'Bearer nobody')).toEqual([401, `${text} admin, curator, basic.`])
  const [status, gone] = await detail(mock, 'Bearer nobody~other')
  expect([status, gone]).toEqual([401, expect.stringContaining('no user of this sandbox has this token')])
})

test('a caller who is refused learns no tokens if other machines can reach the mock', async () => {
  for (const options of [{ public: true }, { host: '0.0.0.0' }]) {
    const other = await startTestMock(options)
    const [status, text] = await detail(other, 'Bearer nobody~mine')
    expect([status, text]).toEqual([
      401,
      expect.stringMatching(/this sandbox has this token. Tokens are the keys of its users.$/)
    ])
  }
})

test('a caller who is refused learns that the user is deactivated', async () => {
  expect(await detail(mock, 'Bearer piet')).toEqual([
    401,
    'Not authenticated: the user with this token is deactivated.'
  ])
})

test.each([
  ['Basic YWRtaW46', 'the scheme of the Authorization header is not Bearer. Send Authorization: Bearer <user>.'],
  ['admin', 'the Authorization header has no scheme before the token. Send Authorization: Bearer <user>.'],
  ['Bearer', 'no token follows Bearer in the Authorization header. Send Authorization: Bearer <user>.'],
  ['Bearer a b', 'more than one word follows Bearer in the Authorization header. Send Authorization: Bearer <user>.'],
  [
    'Bearer "admin"',
    'the token in the Authorization header has characters that are not allowed in a token. It may have letters, digits and - . _ ~ + / with = at its end.'
  ]
])('a caller who is refused learns what is wrong with %s', async (authorization, reason) => {
  expect(await detail(mock, authorization)).toEqual([401, `Not authenticated: ${reason}`])
})

const role = async (token: string, headers: Record<string, string> = {}) => {
  const { status, body } = await mock.call('GET', '/api/get-user-role', { as: token, headers })
  return [status, body.role]
}

test('a token is the key of a user, in any sandbox', async () => {
  expect(await role('curator')).toEqual([200, 'curator'])
  expect(await role('basic~anywhere_1-x')).toEqual([200, 'basic'])
})

test('a token of an inactive or deleted user is refused', async () => {
  const inactive = [...mock.sandbox.rows.users.all()].find((user) => !user.is_active)
  expect(await role(inactive?.key as string)).toEqual([401, undefined])
  const email = mock.sandbox.rows.users.first('byKey', 'basic')?.email
  await mock.call('DELETE', '/api/manage/admin/delete-user', { as: 'admin~gone', body: { user_email: email } })
  expect(await role('basic~gone')).toEqual([401, undefined])
  expect(await role('basic')).toEqual([200, 'basic'])
})

test('a token that no user has is refused, or acts as admin with --auth any', async () => {
  expect(await role('nobody')).toEqual([401, undefined])
  const any = await startTestMock({ auth: 'any' })
  const { body, headers } = await any.call('GET', '/api/get-user-role', { as: 'sk-live-1234' })
  expect([body.role, headers.get('x-mock-assumed')?.includes('auth.unknown-token')]).toEqual(['admin', true])
  expect((await any.call('GET', '/api/get-user-role', { as: 'basic' })).body.role).toBe('basic')
})

test('a token names a sandbox after a tilde, and the header X-Mock-Sandbox has priority', async () => {
  const list = async (token: string, headers = {}) =>
    (await mock.call('GET', '/api/chat/search?query=only-in-one', { as: token, headers })).body.groups.length
  await mock.call('POST', '/api/chat/create-chat-session', { as: 'admin~one', body: { description: 'only-in-one' } })
  expect([await list('admin~one'), await list('admin~two'), await list('admin')]).toEqual([1, 0, 0])
  expect([
    await list('admin~two', { 'X-Mock-Sandbox': 'one' }),
    await list('admin~one', { 'X-Mock-Sandbox': 'two' })
  ]).toEqual([1, 0])
})

const post = (from: typeof mock, as: string | null, body: string) =>
  from.call('POST', '/api/manage/admin/connector/indexing-status', { as, body })

test('the order of checks starts with malformed JSON, then the token, then the role, then everything else together', async () => {
  expect((await post(mock, null, '{')).status).toBe(422)
  expect((await post(mock, null, '{"docs_count_value": "x"}')).status).toBe(401)
  expect((await post(mock, 'basic', '{"docs_count_value": "x"}')).status).toBe(403)
  expect((await post(mock, 'admin', '{"docs_count_value": "x"}')).status).toBe(422)
})

test('the order of checks starts with the token under auth.order=token-first', async () => {
  const other = await startTestMock({ assume: { 'auth.order': 'token-first' } })
  expect([
    (await post(other, null, '{')).status,
    (await post(other, 'basic', '{')).status,
    (await post(other, 'admin', '{')).status
  ]).toEqual([401, 403, 422])
})

test('a response that depends on no assumption names none', async () => {
  const { status, headers } = await mock.call('POST', '/api/user/projects/1/instructions', {
    body: { instructions: 'x' }
  })
  expect([status, headers.get('x-mock-assumed'), headers.get('x-mock-violations')]).toEqual([200, null, null])
})

test('a field that the contract does not name is ignored and counted', async () => {
  const { status, headers } = await mock.call('POST', '/api/user/projects/1/instructions?a=1', {
    body: { instructions: 'x', instruction: 'y' }
  })
  expect([status, headers.get('x-mock-violations'), headers.get('x-mock-assumed')]).toEqual([
    200,
    '2',
    'requests.unknown-fields'
  ])
})
