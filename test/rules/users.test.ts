import type { Context } from '../../src/apis/knowledge-chat/rules/rule.js'
import { userRules } from '../../src/apis/knowledge-chat/rules/users/users.js'
import type { Refusal } from '../../src/engine/contract/message/refusal.js'
import { startTestMock } from '../mock.js'

const invitation = '/api/manage/admin/users'
const deletion = '/api/manage/admin/delete-user'

const mock = await startTestMock()
const empty = await startTestMock({ fixtures: 'empty' })
const other = await startTestMock({
  fixtures: 'empty',
  assume: {
    'invites.invalid': '422',
    'invites.count': 'new',
    'users.delete-active': 'refused',
    'errors.input-and-ctx': 'always'
  }
})

afterEach(() => Promise.all([mock, empty, other].map((it) => it.reset())))

const invite = (emails: string[], it = empty) => it.call('PUT', invitation, { body: { emails } })
const invited = (it = empty) => [...it.sandbox.rows.invites.all()].map((row) => row.email)

test('E27, inviting users of many bad addresses the first thousand are listed', async () => {
  const { status, body } = await invite(Array(2000).fill('nobody'), other)
  expect([status, body.detail.length, body.detail.at(-1).loc]).toEqual([422, 1000, ['body', 'emails', 999]])
  expect(invited(other)).toEqual([])
})

test('addresses are added to the list in order, with their domains in lower case', async () => {
  const { status, body, headers } = await invite(['grace@example.com', 'Alan.Turing@Example.COM', 'x+y@Bücher.de'])
  expect([status, body, headers.get('x-mock-assumed')]).toEqual([
    200,
    3,
    'auth.roles, invites.addresses, invites.count'
  ])
  expect(invited()).toEqual(['grace@example.com', 'Alan.Turing@example.com', 'x+y@bücher.de'])
  const { rows, clock } = empty.sandbox
  expect(rows.invites.get(1)).toEqual({
    id: 1,
    email: 'grace@example.com',
    invited_at: new Date(clock.now).toISOString(),
    invited_by: rows.users.first('byKey', 'admin')?.id
  })
})

test('the answer is the size of the list', async () => {
  const before = mock.sandbox.rows.invites.size
  expect((await invite(['new@example.com'], mock)).body).toBe(before + 1)
  expect((await invite([], mock)).body).toBe(before + 1)
})

test('a repeated address is on the list once, as it came first', async () => {
  expect((await invite(['Grace@example.com', 'grace@EXAMPLE.com', 'Grace@example.com'])).body).toBe(1)
  expect((await invite(['GRACE@example.com', 'alan@example.com'])).body).toBe(2)
  expect(invited()).toEqual(['Grace@example.com', 'alan@example.com'])
})

test('an accent and its letter count as one letter, however they are written', async () => {
  expect((await invite(['rene\u0301@example.com', 'ren\u00e9@example.com'])).body).toBe(1)
  expect(invited()).toEqual(['ren\u00e9@example.com'])
})

test('the answer is the number of new addresses with the choice new of invites.count', async () => {
  expect((await invite(['a@example.com', 'b@example.com', 'A@example.com'], other)).body).toBe(2)
  expect((await invite(['b@example.com', 'c@example.com'], other)).body).toBe(1)
  expect(invited(other)).toHaveLength(3)
})

test('the address of a user is accepted', async () => {
  expect((await invite(['tom@example.com'])).status).toBe(200)
})

test('a thousand addresses are a thousand invites', async () => {
  const emails = Array.from({ length: 1000 }, (_, i) => `user${i}@example.com`)
  expect((await invite(emails)).body).toBe(1000)
  expect((await invite(emails)).body).toBe(1000)
  expect(invited()).toEqual(emails)
})

test('one bad address among good ones invites no user; the first is named', async () => {
  const { status, body, headers } = await invite(['good@example.com', 'bad', 'worse@', 'fine@example.com'])
  expect([status, body]).toEqual([
    400,
    { detail: 'Invalid email address: bad - An email address must have an @-sign.' }
  ])
  expect(headers.get('x-mock-assumed')).toBe('auth.roles, invites.addresses, invites.invalid')
  expect(invited()).toEqual([])
})

test('the beginning of a long bad address is shown', async () => {
  const { body } = await invite([`@${'x'.repeat(1e6)}`])
  expect(body.detail).toMatch(/^Invalid email address: @x{199}… - /)
})

test('the addresses after the first bad one are not read', () => {
  const emails = ['good@example.com', 'bad', 'unread@example.com']
  Object.defineProperty(emails, 2, {
    get: () => {
      throw new Error('was read')
    }
  })
  const context = { assume: (id: string) => (id === 'invites.invalid' ? '400' : 'checked') } as unknown as Context
  const reasonOf = () => {
    try {
      userRules.inviteUsers({ body: { emails } } as never, context)
    } catch (error) {
      return (error as Refusal).reason
    }
  }
  expect(reasonOf()).toBe('bad-address')
})

test('every bad address is named in its place with the choice 422 of invites.invalid', async () => {
  const { status, body } = await invite(['good@example.com', 'bad', 'worse@'], other)
  const item = (i: number, input: string, reason: string) => ({
    type: 'value_error',
    loc: ['body', 'emails', i],
    msg: `Value error, Invalid email address: ${input} - ${reason}`,
    input,
    ctx: { error: {} }
  })
  expect([status, body.detail]).toEqual([
    422,
    [
      item(1, 'bad', 'An email address must have an @-sign.'),
      item(2, 'worse@', 'There must be something after the @-sign.')
    ]
  ])
  expect(invited(other)).toEqual([])
})

test.each([
  ['', 'An email address must have an @-sign.'],
  ['@example.com', 'There must be something before the @-sign.'],
  ['a@', 'There must be something after the @-sign.'],
  [' a@example.com', 'The email address contains invalid characters before the @-sign: SPACE.'],
  ['a(b) c@example.com', "The email address contains invalid characters before the @-sign: '(', ')', SPACE."],
  ['a\tb@example.com', 'The email address contains invalid characters before the @-sign: U+0009.'],
  ['a\u200db@example.com', 'The email address contains unsafe characters: U+200D.'],
  ['.a@example.com', 'An email address cannot start with a period.'],
  ['a.@example.com', 'An email address cannot have a period immediately before the @-sign.'],
  ['a..b@example.com', 'An email address cannot have two periods in a row.'],
  ['"a b"@example.com', 'Quoting the part before the @-sign is not allowed here.'],
  ['Ada <a@example.com>', 'A display name and angle brackets around the email address are not permitted here.'],
  ['a@example.com ', 'The part after the @-sign contains invalid characters: SPACE.'],
  ['a@b@example.com', "The part after the @-sign contains invalid characters: '@'."],
  ['a@[192.0.2.1]', 'A bracketed IP address after the @-sign is not allowed here.'],
  ['a@example', 'The part after the @-sign is not valid. It should have a period.'],
  ['a@192.0.2.1', 'The part after the @-sign is not valid. It is not within a valid top-level domain.'],
  ['a@example..com', 'An email address cannot have two periods in a row.'],
  ['a@.example.com', 'An email address cannot have a period immediately after the @-sign.'],
  ['a@example.com.', 'An email address cannot end with a period.'],
  ['a@-example.com', 'An email address cannot have a hyphen immediately after the @-sign.'],
  ['a@example.com-', 'An email address cannot end with a hyphen.'],
  ['a@my-.example.com', 'An email address cannot have a period and a hyphen next to each other.'],
  [
    'a@ab--c.com',
    'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.'
  ],
  ['a@xn--a.com', 'The part after the @-sign is not valid IDNA.'],
  [
    `a@${'x'.repeat(64)}.com`,
    'After the @-sign, periods cannot be separated by so many characters (1 character too many).'
  ],
  [
    `a@${'ü.'.repeat(60)}com`,
    'The email address is too long after the @-sign (230 bytes too many after IDNA encoding).'
  ],
  [`${'a'.repeat(244)}@example.com`, 'The email address is too long (2 characters too many).'],
  [`${'\u0958'.repeat(80)}@example.com`, 'The email address is too long after normalization (238 bytes too many).'],
  ['a@host.local', 'The part after the @-sign is a special-use or reserved name that cannot be used with email.'],
  ['a@Example.TEST', 'The part after the @-sign is a special-use or reserved name that cannot be used with email.']
])('E27, inviting users: %j is not an address', async (email, reason) => {
  const { status, body } = await invite([email])
  const shown = email.length > 200 ? `${email.slice(0, 200)}…` : email
  expect([status, body]).toEqual([400, { detail: `Invalid email address: ${shown} - ${reason}` }])
})

test.each([
  'a@example.com',
  "o'hara+x_y=z/{1}@sub.example-site.co",
  'üñ@example.com',
  'a@thelocal.se',
  '1@2.co',
  '😀@example.com'
])('E27, inviting users: %j is an address', async (email) => {
  expect((await invite([email])).body).toBe(1)
  expect(invited()).toEqual([email])
})

test('a text of combining characters is refused at once', async () => {
  // Composed first, it would take minutes.
  const { status } = await invite([`a${'\u0301\u0316'.repeat(300_000)}@example.com`])
  expect(status).toBe(400)
})

describe('E28, deleting a user', () => {
  const remove = (user_email: string, it = mock) => it.call('DELETE', deletion, { body: { user_email } })

  test('the user is deleted with all owned rows, and the token becomes invalid', async () => {
    const { rows } = mock.sandbox
    const id = rows.users.first('byKey', 'basic')?.id as string
    const owned = () => [
      [...rows.chatSessions.where('byUpdate', id)].length,
      [...rows.projects.where('byUser', id)].length,
      [...rows.userFiles.where('byUser', id)].length,
      [...rows.personas.where('byOwner', id)].length
    ]
    for (const count of owned()) expect(count).toBeGreaterThan(0)
    const others = rows.chatSessions.size - (owned()[0] as number)
    const { status, text, headers } = await remove('tom@example.com')
    expect([status, text]).toEqual([200, 'null'])
    expect(headers.get('x-mock-assumed')).toContain('users.delete-active')
    expect(owned()).toEqual([0, 0, 0, 0])
    expect([rows.users.get(id), rows.chatSessions.size]).toEqual([undefined, others])
    expect((await mock.call('GET', '/api/get-user-role', { as: 'basic' })).status).toBe(401)
    expect((await remove('tom@example.com')).status).toBe(404)
  })

  test('the address is compared without regard to case, on either side', async () => {
    const { users } = mock.sandbox.rows
    expect((await remove('Grace@EXAMPLE.com')).status).toBe(200)
    expect(users.first('byKey', 'grace')).toBeUndefined()
    const mei = users.first('byKey', 'mei')
    users.put({ ...(mei as NonNullable<typeof mei>), email: 'Mei.Li@Example.com' })
    expect((await remove('mei@example.com')).status).toBe(404)
    expect((await remove('mei.li@example.com')).status).toBe(200)
    expect(users.first('byKey', 'mei')).toBeUndefined()
  })

  test('the invites of the user are deleted too, in any case of their letters', async () => {
    const { invites } = mock.sandbox.rows
    await mock.call('PUT', invitation, { body: { emails: ['Grace@example.com'] } })
    const before = invites.size
    await remove('grace@example.com')
    expect(invites.size).toBe(before - 1)
  })

  test('an unknown address is refused', async () => {
    const { status, body } = await remove('nobody@example.com')
    expect([status, body]).toEqual([404, { detail: 'User not found' }])
  })

  test('users cannot delete themselves', async () => {
    const { status, body } = await remove('Ada@example.com')
    expect([status, body]).toEqual([400, { detail: 'You cannot delete yourself' }])
    expect((await mock.call('GET', '/api/get-user-role')).status).toBe(200)
  })

  test('an active user must be deactivated first with the choice refused of users.delete-active', async () => {
    const { users } = other.sandbox.rows
    for (const email of ['tom@example.com', 'ada@example.com']) {
      const { status, body } = await remove(email, other)
      expect([status, body]).toEqual([400, { detail: 'User must be deactivated before deleting' }])
    }
    const tom = users.first('byKey', 'basic')
    users.put({ ...(tom as NonNullable<typeof tom>), is_active: false })
    expect((await remove('tom@example.com', other)).status).toBe(200)
    expect(users.first('byKey', 'basic')).toBeUndefined()
  })

  test.each(['curator', 'basic'])('a user of the role %s may delete no user', async (as) => {
    const { status } = await mock.call('DELETE', deletion, { as, body: { user_email: 'grace@example.com' } })
    expect(status).toBe(403)
    expect(mock.sandbox.rows.users.first('byKey', 'grace')).toBeDefined()
  })
})

test.each(['admin', 'curator', 'basic', 'limited', 'global_curator'])(
  'E29 answers the role of the caller: %s',
  async (as) => {
    const { status, body } = await mock.call('GET', '/api/get-user-role', { as })
    expect([status, body]).toEqual([200, { role: as }])
  }
)
