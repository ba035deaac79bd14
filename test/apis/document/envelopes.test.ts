import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const thing = objectOf({ id: integer, name: text }, ['id', 'name'])

test.each([
  { ...listOf(thing), nullable: true },
  { type: ['array', 'null'], items: thing }
])('a list that may be null has the rows, whichever version of OpenAPI says so: %j', async (items) => {
  const openapi = 'nullable' in items ? '3.0.3' : '3.1.0'
  const paths = { '/things': { get: gives(objectOf({ items })) }, '/things/{id}': { get: gives(thing) } }
  const { call } = await startTestMock({ api: { ...documentOf(paths), openapi } })
  const [first] = (await call('GET', '/things')).body.items
  expect((await call('GET', `/things/${first.id}`)).body).toEqual(first)
})

test.each([
  ['Id', '{id}'],
  ['ThingId', '{thingId}'],
  ['thingId', '{thing_id}']
])('a row has the key %s where its path has %s', async (key, parameter) => {
  const row = objectOf({ [key]: { type: 'integer', readOnly: true }, name: text })
  const paths = {
    '/things': { get: gives(listOf(named('Thing'))), post: takes(named('Thing'), named('Thing')) },
    [`/things/${parameter}`]: { get: gives(named('Thing')) }
  }
  const { call } = await startTestMock({ api: documentOf(paths, { Thing: row }) })
  const { body } = await call('POST', '/things', { body: { name: 'Tea' } })
  expect(body).toMatchObject({ [key]: 11, name: 'Tea' })
  expect((await call('GET', '/things/11')).body).toEqual(body)
})
