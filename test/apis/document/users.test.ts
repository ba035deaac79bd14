import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialize } from '../../../src/doors/cli/init.js'
import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const open = { security: [] }
const user = objectOf({ id: { ...integer, readOnly: true }, email: text, username: text, bio: text }, ['id', 'email'])
const signUp = objectOf({ email: text, username: text, password: text }, ['email', 'password'])
const session = objectOf({ access_token: text }, ['access_token'])
const note = objectOf({ id: { ...integer, readOnly: true }, user_id: integer, text }, ['id'])
const securitySchemes = { bearer: { type: 'http', scheme: 'bearer' } }
const api = documentOf(
  {
    '/register': { post: { ...open, ...takes(signUp, named('User')) } },
    '/login': { post: { ...open, ...takes(objectOf({ email: text, password: text }), session, 200) } },
    '/me': { get: gives(named('User')), patch: takes(objectOf({ bio: text }), named('User'), 200) },
    '/me/settings': {
      get: gives(objectOf({ theme: text })),
      put: takes(objectOf({ theme: text }), objectOf({ theme: text }), 200)
    },
    '/users': { get: gives(listOf(named('User'))), post: takes(signUp, named('User')) },
    '/users/{id}': { get: gives(named('User')), delete: { responses: { 204: { description: 'gone' } } } },
    '/notes': { get: gives(listOf(named('Note'))), post: takes(named('Note'), named('Note')) },
    '/notes/{id}': { get: gives(named('Note')) }
  },
  {},
  { security: [{ bearer: [] }], components: { schemas: { User: user, Note: note }, securitySchemes } }
)

const started = async (assume: Record<string, string> = {}, source: string | object = api) => {
  const mock = await startTestMock({ api: source, assume })
  const get = async (path: string, as = 'admin') => (await mock.call('GET', path, { as })).body
  const post = (path: string, body: object, as: string | null = null) => mock.call('POST', path, { body, as })
  return { mock, get, post }
}
const ann = { email: 'ann@example.com', username: 'ann', password: 'secret-1' }

test('who signs up is in the list of users, signs in, and is deleted there', async () => {
  const { mock, get, post } = await started()
  const { status, body: made } = await post('/register', ann)
  expect([status, made]).toMatchObject([201, { email: ann.email, username: 'ann' }])
  const shown = await get(`/users/${made.id}`)
  expect(shown).toMatchObject({ id: made.id, email: ann.email })
  expect(Object.keys(shown).filter((it) => it.startsWith('_') || it === 'password')).toEqual([])
  expect((await get('/users')).map((it: { id: number }) => it.id)).toContain(made.id)
  const { access_token } = (await post('/login', { email: ann.email, password: 'secret-1' })).body
  expect(access_token).toBe('ann')
  await mock.call('PATCH', '/me', { as: 'ann', body: { bio: 'Climbs.' } })
  expect((await get(`/users/${made.id}`)).bio).toBe('Climbs.')
  expect((await post('/notes', { text: 'Hi' }, 'ann')).body.user_id).toBe(made.id)
  await mock.call('DELETE', `/users/${made.id}`)
  expect((await mock.call('GET', '/me', { as: 'ann' })).status).toBe(401)
})

test('a user whom an operation of the collection creates signs in too, and so do the rows of the mock', async () => {
  const { get, post } = await started()
  const { body: made } = await post('/users', { ...ann, username: 'bob', email: 'bob@example.com' }, 'admin')
  expect((await get('/me', 'bob')).id).toBe(made.id)
  const users = await get('/users')
  expect(users.slice(0, 2)).toMatchObject([{ username: 'admin' }, { username: 'user' }])
  expect((await post('/login', { email: users[4].email, password: 'any' })).status).toBe(200)
  const names = (await get('/__mock/collections')).collections.map((it: { name: string }) => it.name)
  expect(names).not.toContain('mockUsers')
})

test('the first users are there in an empty sandbox, and with the rows of a folder that init wrote', async () => {
  const empty = await startTestMock({ api, fixtures: 'empty' })
  expect((await empty.call('GET', '/users')).body).toHaveLength(2)
  const folder = mkdtempSync(join(tmpdir(), 'users-'))
  try {
    writeFileSync(join(folder, 'users.json'), JSON.stringify(api))
    initialize(join(folder, 'users.json'), join(folder, 'mock'), false)
    const { get } = await started({}, join(folder, 'mock'))
    expect([(await get('/me', 'user')).id, (await get('/users')).length]).toEqual([2, 10])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('each user has settings below /me', async () => {
  const { mock, get } = await started()
  await mock.call('PUT', '/me/settings', { as: 'user', body: { theme: 'dark' } })
  expect([(await get('/me/settings', 'user')).theme, (await get('/me/settings')).theme]).toEqual([
    'dark',
    expect.not.stringMatching(/^dark$/)
  ])
})

const assumedIn = (response: { headers: Headers }) => response.headers.get('x-mock-assumed')?.split(', ') ?? []

test.each([
  ['any', 200],
  ['own', 401]
])('auth.password=%s: a sign-in with another password is a %i', async (choice, status) => {
  const { post } = await started({ 'auth.password': choice })
  await post('/register', ann)
  const other = await post('/login', { email: ann.email, password: 'other' })
  expect([other.status, assumedIn(other).includes('auth.password')]).toEqual([status, true])
  expect((await post('/login', { email: ann.email, password: 'secret-1' })).status).toBe(200)
})

test.each([
  ['409', 409],
  ['422', 422],
  ['accepted', 201]
])('signup.again=%s: a second sign-up with the same name is a %i', async (choice, status) => {
  const { post } = await started({ 'signup.again': choice })
  await post('/register', ann)
  const again = await post('/register', ann)
  expect([again.status, assumedIn(again).includes('signup.again')]).toEqual([status, true])
})

const id = { type: 'string', format: 'uuid', readOnly: true }
const orNull = { type: ['string', 'null'] }
const guest = objectOf({ id, email: text, full_name: text, phone: orNull, city: text }, ['id', 'email', 'full_name'])
const entry = objectOf({ email: text, password: text, full_name: text }, ['email', 'password', 'full_name'])

test('who signs up is a row of the collection that the answer shows, whatever it is called', async () => {
  const { get, post } = await started(
    {},
    documentOf(
      {
        '/register': { post: { ...open, ...takes(entry, named('Session')) } },
        '/me': { get: gives(named('Guest')) },
        '/guests': {
          get: { ...gives(listOf(named('Guest'))), parameters: [{ name: 'email', in: 'query', schema: text }] }
        },
        '/guests/{id}': { get: gives(named('Guest')) }
      },
      {},
      {
        security: [{ bearer: [] }],
        components: {
          schemas: { Guest: guest, Session: objectOf({ token: text, guest: named('Guest') }, ['token', 'guest']) },
          securitySchemes
        }
      }
    )
  )
  const { body } = await post('/register', { email: 'ann@example.com', password: 'secret-1', full_name: 'Ann' })
  expect(body.guest).toEqual({ id: expect.any(String), email: 'ann@example.com', full_name: 'Ann', phone: null })
  expect(await get('/guests?email=ann@example.com')).toEqual([body.guest])
  expect(await get(`/guests/${body.guest.id}`)).toEqual(body.guest)
  expect(await get('/me', body.token)).toEqual(body.guest)
})

test('a new row shows its author, and all answers show the same of a user', async () => {
  const person = { username: text, image: text, bio: orNull }
  const me = objectOf({ user: objectOf({ email: text, token: text, ...person }, ['email', 'token', 'image', 'bio']) }, [
    'user'
  ])
  const article = objectOf(
    {
      id: integer,
      title: text,
      author: objectOf({ ...person, following: { type: 'boolean' } }, ['username', 'image'])
    },
    ['id', 'author']
  )
  const change = objectOf({ user: objectOf({ bio: text }) })
  const author = { name: 'author', in: 'query', schema: text }
  const { mock, get, post } = await started(
    {},
    documentOf(
      {
        '/users': { post: { ...open, ...takes(objectOf({ user: signUp }), me) } },
        '/user': { get: gives(me), put: takes(change, me, 200) },
        '/articles': {
          get: { ...gives(listOf(article)), parameters: [author] },
          post: takes(objectOf({ title: text }), article)
        },
        '/articles/{id}': { get: gives(article) }
      },
      {},
      { security: [{ bearer: [] }], components: { securitySchemes } }
    )
  )
  const made = (await post('/users', { user: ann })).body.user
  expect(made).toMatchObject({ username: 'ann', bio: null, image: expect.any(String) })
  expect((await get('/user', 'ann')).user).toEqual(made)
  const changed = await mock.call('PUT', '/user', { as: 'ann', body: { user: { bio: 'Climbs.' } } })
  expect(changed.body.user).toEqual({ ...made, bio: 'Climbs.' })
  const { body } = await post('/articles', { title: 'Up' }, 'ann')
  expect(body.author).toMatchObject({ username: 'ann', bio: 'Climbs.' })
  expect(await get('/articles?author=ann')).toEqual([body])
})

test('each answer shows the same role of somebody who signs up, if users have other roles than the mock', async () => {
  const role = { ...text, enum: ['reader', 'writer', 'editor', 'owner', 'guest'] }
  const user = objectOf({ id: integer, email: text, role }, ['id', 'email', 'role'])
  const api = documentOf({
    '/register': { post: takes(objectOf({ email: text, password: text }), objectOf({ token: text, user })) },
    '/me': { get: gives(objectOf({ email: text, role }, ['email', 'role'])) }
  })
  const { call } = await startTestMock({ api })
  const made = await call('POST', '/register', { body: { email: 'zoe@example.com', password: 'secret' } })
  const me = await call('GET', '/me', { as: 'zoe' })
  expect([made.body.user.role, me.body.role]).toEqual(['reader', 'reader'])
})
