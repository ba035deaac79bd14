import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const thing = objectOf({ id: integer, name: text }, ['id', 'name'])
const flag = { type: 'boolean' }

/** A mock of things whose list answers with a schema and takes parameters, such as `{ page: integer }`. */
async function listed(list: object, parameters: Record<string, object> = {}) {
  const query = Object.entries(parameters).map(([name, schema]) => ({ name, in: 'query', schema }))
  const paths = { '/things': { get: { ...gives(list), parameters: query } }, '/things/{id}': { get: gives(thing) } }
  const { call } = await startTestMock({ api: documentOf(paths) })
  return async (search = '') => (await call('GET', `/things${search}`)).body
}

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

test('a page of Spring says where it is, and sorts by name,desc', async () => {
  const page = { first: flag, last: flag, empty: flag, number: integer, numberOfElements: integer }
  const get = await listed(objectOf({ content: listOf(thing), ...page }, Object.keys(page)), {
    page: { type: 'integer', minimum: 0 },
    size: { type: 'integer', default: 4 },
    sort: text
  })
  expect(await get()).toMatchObject({ first: true, last: false, empty: false, number: 0, numberOfElements: 4 })
  expect(await get('?page=2')).toMatchObject({ first: false, last: true, empty: false, number: 2, numberOfElements: 2 })
  const names = (await get('?size=10&sort=name,desc')).content.map(({ name }: { name: string }) => name)
  expect(names).toEqual([...names].sort().reverse())
  expect(new Set(names).size).toBeGreaterThan(1)
})

test('a page that no parameter names is the first one', async () => {
  const number = { type: ['integer', 'null'] }
  const meta = objectOf({ next_page: number, prev_page: number, from: integer, to: integer, last_page: integer })
  const get = await listed(objectOf({ things: listOf(thing), meta }), { page: integer, per_page: integer })
  expect((await get('?per_page=4')).meta).toEqual({ next_page: 2, prev_page: null, from: 1, to: 4, last_page: 3 })
})

test('a list of OData pages and sorts, and links to its next page', async () => {
  const fields = { '@odata.count': integer, '@odata.nextLink': text, value: listOf(thing) }
  const get = await listed(objectOf(fields, ['value']), { $top: integer, $skip: integer, $orderby: text })
  const page = await get('?$top=2&$orderby=id%20desc')
  expect(page).toMatchObject({ '@odata.count': 10, value: [{ id: 10 }, { id: 9 }] })
  const { search } = new URL(page['@odata.nextLink'])
  expect(await get(search)).toMatchObject({ value: [{ id: 8 }, { id: 7 }] })
})

test('a cursor that is never null leads from the last page to an empty one', async () => {
  const get = await listed(objectOf({ data: listOf(thing), next_cursor: text }, ['data', 'next_cursor']), {
    cursor: text,
    limit: integer
  })
  const { next_cursor } = await get('?limit=10')
  expect(await get(`?limit=10&cursor=${next_cursor}`)).toEqual({ data: [], next_cursor: '' })
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
