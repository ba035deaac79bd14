import { verify } from '../../../src/index.js'
import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const gone = { responses: { 204: { description: 'gone' }, 404: { description: 'not there' } } }
const done = { responses: { 204: { description: 'done' }, 404: { description: 'not there' } } }
const person = objectOf({ id: { ...integer, readOnly: true }, name: text, email: text }, ['id', 'name'])
const rows = (name: string) => ({ get: gives(listOf(named(name))), post: takes(named(name), named(name)) })
const item = (name: string) => ({ get: gives(named(name)), delete: gone })

const apiOf = (member: object, put: object) =>
  documentOf(
    {
      '/users': rows('User'),
      '/users/{id}': item('User'),
      '/teams': rows('Team'),
      '/teams/{id}': item('Team'),
      '/teams/{id}/members': rows('Member'),
      '/teams/{id}/members/{user_id}': { get: gives(named('Member')), put, delete: gone }
    },
    { User: person, Team: objectOf({ id: integer, name: text }, ['id', 'name']), Member: member }
  )

const role = objectOf({ role: text })
describe.each<[string, object, object, (id: number, name: string) => object]>([
  [
    'shows the id of the other row in a field',
    objectOf({ user_id: integer, role: text }, ['user_id']),
    role,
    (id) => ({ user_id: id })
  ],
  [
    'looks like the other row',
    objectOf({ id: integer, name: text, email: text, role: text }, ['id', 'name']),
    role,
    (id, name) => ({ id, name })
  ]
])('a membership that %s', (_, member, body, shownAs) => {
  const start = async (put: object) => {
    const { call } = await startTestMock({ api: apiOf(member, put) })
    const { body: made } = await call('POST', '/users', { body: { name: 'Ada', email: 'ada@example.com' } })
    const isIn = async (team: number) => {
      const all = (await call('GET', `/teams/${team}/members`)).body as Record<string, unknown>[]
      return all.filter((it) => (it.user_id ?? it.id) === made.id).length
    }
    return { call, made, isIn }
  }

  test.each<[string, object]>([
    ['with an answer', takes(body, named('Member'), 200)],
    ['without one', done]
  ])('is put by the id of the other row, once, into each parent, and removed again (%s)', async (_, put) => {
    const { call, made, isIn } = await start(put)
    for (const team of [1, 2])
      for (let turn = 0; turn < 2; turn++) {
        const { status } = await call('PUT', `/teams/${team}/members/${made.id}`, { body: { role: 'lead' } })
        expect([team, turn, Math.floor(status / 100)]).toEqual([team, turn, 2])
      }
    expect([await isIn(1), await isIn(2), await isIn(3)]).toEqual([1, 1, 0])
    expect((await call('GET', `/teams/1/members/${made.id}`)).body).toMatchObject(shownAs(made.id, 'Ada'))
    expect((await call('DELETE', `/teams/1/members/${made.id}`)).status).toBe(204)
    expect([await isIn(1), await isIn(2)]).toEqual([0, 1])
    expect((await call('GET', `/teams/1/members/${made.id}`)).status).toBe(404)
    await call('DELETE', `/users/${made.id}`)
    expect(await isIn(2)).toBe(0)
  })

  test('is added or a 404 as put.member chooses, and the answer names that', async () => {
    const { call, made, isIn } = await start(done)
    const put = () => call('PUT', `/teams/1/members/${made.id}`, { body: { role: 'lead' } })
    await call('PATCH', '/__mock/assumptions', { body: { 'put.member': '404' } })
    expect([(await put()).status, await isIn(1)]).toEqual([404, 0])
    await call('PATCH', '/__mock/assumptions', { body: { 'put.member': 'added' } })
    const { status, headers } = await put()
    expect([status, await isIn(1)]).toEqual([204, 1])
    expect(headers.get('x-mock-assumed')).toContain('put.member')
  })

  test.each(['added', '404'])('verify finds nothing in a mock, and learns that put.member is %s', async (choice) => {
    const api = apiOf(member, { ...takes(body, body), ...done })
    const { url } = await startTestMock({ api, assume: { 'put.member': choice } })
    const { answers, findings } = await verify({ url, api, mutating: true })
    expect(findings).toEqual([])
    expect(answers.find(({ id }) => id === 'put.member')?.choice).toBe(choice)
  })

  test('of a row that does not exist is a 404', async () => {
    const { call } = await start(done)
    expect((await call('PUT', '/teams/1/members/9999')).status).toBe(404)
    expect((await call('PUT', '/teams/9999/members/1')).status).toBe(404)
  })

  test('is there at first for rows that exist, and each is found by its id', async () => {
    const { call } = await start(done)
    let count = 0
    for (let team = 1; team <= 10; team++)
      for (const it of (await call('GET', `/teams/${team}/members`)).body) {
        const id = it.user_id ?? it.id
        expect((await call('GET', `/users/${id}`)).body).toMatchObject('name' in it ? { id, name: it.name } : { id })
        expect((await call('GET', `/teams/${team}/members/${id}`)).body).toEqual(it)
        count++
      }
    expect(count).toBe(10)
  })
})
