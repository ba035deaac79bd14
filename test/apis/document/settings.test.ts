import { verify } from '../../../src/doors/program/handle/verify.js'
import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const settings = objectOf({ theme: text, size: integer }, ['theme'])
const change = objectOf({ theme: text, size: integer })
const user = objectOf({ id: { ...integer, readOnly: true }, name: text }, ['id', 'name'])
const gone = { responses: { 204: { description: 'gone' }, 404: { description: 'none' } } }
const enveloped = objectOf({ data: named('Settings') }, ['data'])
const security = { security: [{ bearer: [] }] }
const api = documentOf(
  {
    '/settings': { get: gives(named('Settings')), put: takes(named('Settings'), named('Settings'), 200) },
    '/limits': { get: gives(enveloped), patch: takes(objectOf({ data: change }, ['data']), enveloped, 200) },
    '/people': { get: gives(listOf(named('User'))), post: takes(named('User'), named('User')) },
    '/people/{id}': { get: gives(named('User')), delete: gone },
    '/people/{id}/settings': { get: gives(named('Settings')), patch: takes(change, named('Settings'), 200) },
    '/people/{id}/badge': {
      get: gives(named('Settings')),
      put: takes(named('Settings'), named('Settings'), 200),
      delete: gone
    },
    '/orgs/{org}/settings': { get: gives(named('Settings')), put: takes(named('Settings'), named('Settings'), 200) },
    '/me/settings': {
      get: { ...security, ...gives(named('Settings')) },
      put: { ...security, ...takes(named('Settings'), named('Settings'), 200) }
    }
  },
  { Settings: settings, User: user },
  {
    components: {
      schemas: { Settings: settings, User: user },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }
    }
  }
)

const started = async () => {
  const mock = await startTestMock({ api })
  const get = async (path: string, as?: string) => (await mock.call('GET', path, { as })).body
  const put = async (path: string, body: object, as?: string) => (await mock.call('PUT', path, { body, as })).status
  const patch = async (path: string, body: object) => (await mock.call('PATCH', path, { body })).body
  return { mock, get, put, patch }
}

test('a path without a key shows what was written last, is a collection of one row, and a reset undoes it', async () => {
  const { mock, get, put, patch } = await started()
  const before = await get('/settings')
  expect(typeof before.theme).toBe('string')
  expect(await put('/settings', { theme: 'dark', size: 3 })).toBe(200)
  expect(await get('/settings')).toEqual({ theme: 'dark', size: 3 })
  await put('/settings', { theme: 'light' })
  expect(await get('/settings')).toEqual({ theme: 'light' })
  await patch('/limits', { data: { size: 9 } })
  expect((await get('/limits')).data.size).toBe(9)
  const { collections, not_understood } = await get('/__mock/collections')
  const shown = collections.find((it: { name: string }) => it.name === 'settings')
  expect([shown.rows, not_understood]).toEqual([1, []])
  expect((await get('/__mock/state/settings')).rows).toMatchObject([{ theme: 'light' }])
  await mock.reset()
  expect(await get('/settings')).toEqual(before)
})

test('each row has its own row below it, a new one too, and takes it along', async () => {
  const { mock, get, patch } = await started()
  const other = await get('/people/3/settings')
  expect(await patch('/people/2/settings', { theme: 'dark' })).toMatchObject({ theme: 'dark' })
  expect(await get('/people/3/settings')).toEqual(other)
  const { body: made } = await mock.call('POST', '/people', { body: { name: 'Ann' } })
  const first = await get(`/people/${made.id}/settings`)
  expect(await get(`/people/${made.id}/settings`)).toEqual(first)
  expect(await patch(`/people/${made.id}/settings`, { size: 5 })).toEqual({ ...first, size: 5 })
  expect((await mock.call('GET', '/people/99/settings')).status).toBe(404)
  await mock.call('DELETE', '/people/2')
  expect((await mock.call('GET', '/people/2/settings')).status).toBe(404)
  const { rows } = await get('/__mock/state/peopleSettings?limit=50')
  expect(rows.some((it: { theme: string }) => it.theme === 'dark')).toBe(false)
})

test('a row that can be deleted is missing until a PUT writes it again', async () => {
  const { mock, get, put } = await started()
  await get('/people/1/badge')
  expect((await mock.call('DELETE', '/people/1/badge')).status).toBe(204)
  expect((await mock.call('GET', '/people/1/badge')).status).toBe(404)
  expect(await put('/people/1/badge', { theme: 'gold' })).toBe(200)
  expect(await get('/people/1/badge')).toEqual({ theme: 'gold' })
})

test('a path about the caller has a row for each user, and one below other parameters a row for each of their values', async () => {
  const { mock, get, put } = await started()
  await put('/me/settings', { theme: 'hers' }, 'admin')
  await put('/me/settings', { theme: 'his' }, 'user')
  expect([await get('/me/settings', 'admin'), await get('/me/settings', 'user')]).toEqual([
    { theme: 'hers' },
    { theme: 'his' }
  ])
  expect((await mock.call('GET', '/me/settings', { as: null })).status).toBe(401)
  await put('/orgs/a/settings', { theme: 'A' })
  await put('/orgs/b/settings', { theme: 'B' })
  expect([await get('/orgs/a/settings'), await get('/orgs/b/settings')]).toEqual([{ theme: 'A' }, { theme: 'B' }])
})

test('verify reads back what it writes there, puts back what was there, and finds a service that forgets it', async () => {
  const { mock, get } = await started()
  const before = await get('/settings')
  const { findings, exitCode } = await verify({ url: mock.url, api, mutating: true })
  expect([findings, exitCode, await get('/settings')]).toEqual([[], 0, before])
  await mock.call('POST', '/__mock/overrides', {
    body: { operation: 'putSettings', status: 200, body: before }
  })
  const forgetful = await verify({ url: mock.url, api, mutating: true })
  expect(forgetful.findings.map(({ operation, check }) => [operation, check])).toContainEqual([
    'getSettings',
    'values_read_back'
  ])
})
