import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const uuid = { type: 'string', format: 'uuid' }
const set = (schema: object) => ({ ...schema, readOnly: true })

describe.each<[string, object, object, object?]>([
  ['a UUID and the only key', uuid, { ownerId: set(uuid) }],
  ['a number and the only key', integer, { ownerId: set(integer) }],
  ['a UUID called id', uuid, { id: set(uuid) }],
  ['a UUID and the only key, and callers sign in', uuid, { ownerId: set(uuid) }, { security: [{ bearer: [] }] }]
])('rows that may name their owner, which has %s', (_, reference, ownKey, security = {}) => {
  const paths = {
    '/pets': { get: gives(listOf(named('Pet'))), post: takes(named('Pet'), named('Pet')) },
    '/pets/{id}': { get: gives(named('Pet')) },
    '/owners': { get: gives(listOf(named('Owner'))), post: takes(named('Owner'), named('Owner')) },
    '/owners/{ownerId}': { get: gives(named('Owner')), delete: { responses: { 204: { description: 'gone' } } } },
    '/owners/{ownerId}/pets': { get: gives(listOf(named('Pet'))) }
  }
  const schemas = {
    Pet: objectOf({ id: set(integer), name: text, ownerId: { anyOf: [reference, { type: 'null' }] } }, ['name']),
    Owner: objectOf({ ...ownKey, name: text }, [...Object.keys(ownKey), 'name'])
  }
  const schemes = { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } }
  const document = documentOf(paths, schemas)
  const api = { ...document, ...security, components: { ...document.components, ...schemes } }
  const [keyField = ''] = Object.keys(ownKey)

  test('a new row has no owner, unless the request names one', async () => {
    const mock = await startTestMock({ api })
    const free = await mock.call('POST', '/pets', { body: { name: 'Rex' } })
    expect([free.status, free.body]).toEqual([201, { id: 11, name: 'Rex' }])
    const owner = (await mock.call('POST', '/owners', { body: { name: 'Ada' } })).body[keyField]
    const owned = await mock.call('POST', '/pets', { body: { name: 'Tom', ownerId: owner } })
    expect(owned.body).toEqual({ id: 12, name: 'Tom', ownerId: owner })
    expect((await mock.call('GET', `/owners/${owner}/pets`)).body).toEqual([owned.body])
  })

  test('the first rows are below the owner that they name, and go with it', async () => {
    const mock = await startTestMock({ api })
    const pets = (await mock.call('GET', '/pets')).body
    const below = async ({ ownerId }: { ownerId: string }) => (await mock.call('GET', `/owners/${ownerId}/pets`)).body
    expect(pets).toHaveLength(10)
    for (const pet of pets) expect(await below(pet)).toEqual([pet])
    const [first] = pets
    await mock.call('DELETE', `/owners/${first.ownerId}`)
    expect((await mock.call('GET', `/pets/${first.id}`)).status).toBe(404)
  })
})
