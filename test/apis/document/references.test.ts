import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialize } from '../../../src/doors/cli/init.js'
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
    '/pets/{id}': { get: gives(named('Pet')), patch: takes(named('Pet'), named('Pet'), 200) },
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
    const moved = await mock.call('PATCH', '/pets/11', { body: { name: 'Rex', ownerId: owner } })
    expect(moved.body).toEqual({ id: 11, name: 'Rex', ownerId: owner })
    expect((await mock.call('GET', `/owners/${owner}/pets`)).body).toHaveLength(2)
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

describe.each<[string, Record<'board' | 'card', string>, object]>([
  ['card_id, in numbers', { board: 'board_id', card: 'card_id' }, integer],
  ['cardId, in UUIDs', { board: 'boardId', card: 'cardId' }, uuid]
])('rows three deep name the rows that they belong to: %s', (_, field, id) => {
  const board = '/boards/{boardId}'
  const card = `${board}/cards/{cardId}`
  const nested = (name: string) => ({ get: gives(listOf(named(name))), post: takes(named(name), named(name)) })
  const paths = {
    '/boards': nested('Board'),
    [`${board}/cards`]: nested('Card'),
    [`${card}/notes`]: nested('Note'),
    [`${card}/notes/{noteId}/votes`]: nested('Vote')
  }
  const schema = (fields: string[]) =>
    objectOf({ id: set(id), text, ...Object.fromEntries(fields.map((it) => [it, set(id)])) }, ['id', 'text', ...fields])
  const schemas = {
    Board: schema([]),
    Card: schema([field.board]),
    Note: schema([field.card, field.board]),
    Vote: schema([])
  }
  const api = documentOf(paths, schemas)

  test('the first ones', async () => {
    const mock = await startTestMock({ api })
    const boards = (await mock.call('GET', '/boards')).body
    let notes = 0
    for (const { id: own } of boards) {
      const cards = (await mock.call('GET', `/boards/${own}/cards`)).body
      for (const it of cards) {
        expect(it[field.board]).toBe(own)
        for (const note of (await mock.call('GET', `/boards/${own}/cards/${it.id}/notes`)).body) {
          expect(note).toMatchObject({ [field.card]: it.id, [field.board]: own })
          notes += 1
        }
      }
    }
    expect(notes).toBe(10)
  })

  test('new ones', async () => {
    const mock = await startTestMock({ api })
    const body = { text: 'new' }
    const made = (await mock.call('POST', '/boards', { body })).body
    const cards = `/boards/${made.id}/cards`
    const { body: below } = await mock.call('POST', cards, { body })
    expect(below[field.board]).toBe(made.id)
    const note = await mock.call('POST', `${cards}/${below.id}/notes`, { body })
    expect(note.body).toMatchObject({ ...body, [field.card]: below.id, [field.board]: made.id })
    expect(note.headers.get('x-mock-violations')).toBeNull()
    const vote = await mock.call('POST', `${cards}/${below.id}/notes/${note.body.id}/votes`, { body })
    expect([vote.status, Object.keys(vote.body).sort()]).toEqual([201, ['id', 'text']])
  })
})

test('a key of rows that is called like the parameter of their parent stays their own', async () => {
  const row = objectOf({ id: set(integer), name: text }, ['id', 'name'])
  const list = { get: gives(listOf(row)), post: takes(row, row) }
  const api = documentOf({ '/tags': list, '/tags/{name}': { get: gives(row) }, '/tags/{name}/posts': list })
  const mock = await startTestMock({ api })
  const tag = (await mock.call('GET', '/tags')).body[0].name
  const made = await mock.call('POST', `/tags/${tag}/posts`, { body: { name: 'Mine' } })
  expect([made.status, made.body.name]).toEqual([201, 'Mine'])
})

test('a row names the row that is three levels above it, though no row between them does', async () => {
  const schema = (...fields: string[]) =>
    objectOf({ id: set(integer), ...Object.fromEntries(fields.map((it) => [it, set(integer)])) }, ['id', ...fields])
  const nested = (name: string) => ({ get: gives(listOf(named(name))), post: takes(named(name), named(name)) })
  const board = '/boards/{boardId}'
  const note = `${board}/cards/{cardId}/notes/{noteId}`
  const paths = {
    '/boards': nested('Board'),
    [`${board}/cards`]: nested('Card'),
    [`${board}/cards/{cardId}/notes`]: nested('Note'),
    [`${note}/votes`]: nested('Vote'),
    [note]: { get: gives(named('Note')) }
  }
  const schemas = { Board: schema(), Card: schema(), Note: schema(), Vote: schema('boardId', 'cardId') }
  const { call } = await startTestMock({ api: documentOf(paths, schemas) })
  const idOf = async (path: string) => (await call('POST', path, { body: {} })).body.id
  await idOf('/boards')
  const boardId = await idOf('/boards')
  const cardId = await idOf(`/boards/${boardId}/cards`)
  const notes = `/boards/${boardId}/cards/${cardId}/notes`
  const votes = `${notes}/${await idOf(notes)}/votes`
  expect((await call('POST', votes, { body: {} })).body).toMatchObject({ boardId, cardId })
  const { body: first } = await call('GET', '/boards/1/cards/1/notes/1/votes')
  expect(first).toMatchObject([{ id: 1, boardId: 1, cardId: 1 }])
})

describe.each<[string, object, Record<string, unknown>]>([
  ['a text', text, {}],
  ['a number', integer, {}],
  ['a text, next to an id', text, { id: set(integer) }]
])('rows whose key is unique below their parent, and is %s', (_, schema, others) => {
  const shelf = objectOf({ ...others, code: schema, label: text }, [...Object.keys(others), 'code'])
  const box = objectOf({ id: set(integer), code: schema, size: integer }, ['id', 'code'])
  const path = '/shops/{shop}/shelves/{code}'
  const api = documentOf({
    '/shops': {
      get: gives(listOf(objectOf({ id: integer }, ['id']))),
      post: takes(objectOf({}), objectOf({ id: integer }))
    },
    '/shops/{shop}': { get: gives(objectOf({ id: integer }, ['id'])) },
    '/shops/{shop}/shelves': { get: gives(listOf(shelf)), post: takes(shelf, shelf) },
    [path]: {
      get: gives(shelf),
      put: takes(objectOf({ label: text }), shelf, 200),
      delete: { responses: { 204: { description: 'gone' } } }
    },
    [`${path}/boxes`]: { get: gives(listOf(box)), post: takes(objectOf({ size: integer }), box) }
  })
  const [code, next] = schema === text ? ['A1', 'A2'] : [1, 2]

  test('may have the same key as a row of another parent', async () => {
    const mock = await startTestMock({ api, assume: { 'put.unknown-id': 'created' } })
    const { call } = mock
    for (const [method, at, body] of [
      ['PUT', `/shops/1/shelves/${code}`, { label: 'one' }],
      ['PUT', `/shops/2/shelves/${code}`, { label: 'two' }],
      ['POST', '/shops/3/shelves', { code, label: 'three' }],
      ['POST', '/shops/4/shelves', { code, label: 'four' }]
    ] as const)
      expect([at, (await call(method, at, { body })).status]).toEqual([at, method === 'PUT' ? 200 : 201])
    for (const [shop, label] of [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
      [4, 'four']
    ])
      expect((await call('GET', `/shops/${shop}/shelves/${code}`)).body).toMatchObject({ code, label })
    expect((await call('POST', '/shops/4/shelves', { body: { code } })).status).toBe(409)
    const made = await call('POST', `/shops/1/shelves/${code}/boxes`, { body: { size: 3 } })
    expect(made.body).toMatchObject({ code, size: 3 })
    expect((await call('GET', `/shops/2/shelves/${code}/boxes`)).body).not.toContainEqual(made.body)
    expect((await call('GET', `/shops/1/shelves/${code}/boxes`)).body).toContainEqual(made.body)
    await call('DELETE', `/shops/2/shelves/${code}`)
    expect((await call('GET', `/shops/1/shelves/${code}/boxes`)).body).toContainEqual(made.body)
    const state = (await call('GET', '/__mock/state')).body
    expect((await call('PUT', '/__mock/state', { body: state })).status).toBe(200)
    expect((await call('GET', `/shops/3/shelves/${code}`)).body).toMatchObject({ label: 'three' })
    expect((await call('POST', `/shops/3/shelves`, { body: { code: next } })).status).toBe(201)
  })

  test('may have it as rows of the control API', async () => {
    const { call } = await startTestMock({ api, fixtures: 'empty' })
    for (const shop of [1, 2]) {
      await call('POST', '/shops', { body: {} })
      const row = { _shops: shop, code, label: `of ${shop}` }
      expect((await call('POST', '/__mock/state/shopsShelves', { body: row })).status).toBe(201)
      expect((await call('GET', `/shops/${shop}/shelves`)).body).toMatchObject([{ code, label: `of ${shop}` }])
    }
  })
})

test.each<[string, string, string, object]>([
  ['issue_number', 'number', 'issues', integer],
  ['issueNumber', 'number', 'issues', integer],
  ['number', 'number', 'issues', integer],
  ['ref_number', 'number', 'issues', integer],
  ['issue_id', 'id', 'issues', text],
  ['branch_name', 'name', 'branches', text],
  ['owner_name', 'id', 'branches', text]
])('{%s} is the field %s of %s', async (parameter, field, name, schema) => {
  const row = objectOf({ id: set(text), number: set(integer), name: text }, ['id', 'number'])
  const item = { parameters: [{ name: parameter, in: 'path', required: true, schema }], ...gives(row) }
  const projects = { get: gives(listOf(objectOf({ id: integer }, ['id']))) }
  const api = documentOf({
    '/projects': projects,
    '/projects/{id}': { get: gives(objectOf({ id: integer }, ['id'])) },
    [`/projects/{id}/${name}`]: { get: gives(listOf(row)), post: takes(objectOf({ name: text }), row) },
    [`/projects/{id}/${name}/{${parameter}}`]: { get: item }
  })
  const { call } = await startTestMock({ api })
  const { body: made } = await call('POST', `/projects/1/${name}`, { body: { name: 'new' } })
  expect((await call('GET', `/projects/1/${name}/${made[field]}`)).body).toEqual(made)
  const { body: next } = await call('POST', `/projects/2/${name}`, { body: { name: 'other' } })
  if (field === 'number') expect([made.number, next.number]).toEqual([2, 3])
})

describe.each<[string, object, object, number]>([
  ['lists 201, and no other operation creates rows', {}, { 201: { description: 'made' } }, 201],
  [
    'lists 201, and a POST creates rows',
    { post: takes(text, objectOf({ code: text })) },
    { 201: { description: 'made' } },
    404
  ],
  ['lists no 201', {}, {}, 404]
])('a PUT of an unknown row that %s', (_, post, responses, status) => {
  const room = objectOf({ code: text, size: integer }, ['code'])
  const put = takes(objectOf({ size: integer }), room, 200)
  const api = documentOf({
    '/hotels': { get: gives(listOf(objectOf({ id: integer }, ['id']))) },
    '/hotels/{hotel}': { get: gives(objectOf({ id: integer }, ['id'])) },
    '/hotels/{hotel}/rooms': { get: gives(listOf(room)), ...post },
    '/hotels/{hotel}/rooms/{code}': {
      get: gives(room),
      put: { ...put, responses: { ...put.responses, ...responses } }
    },
    '/hotels/{hotel}/rooms/{code}/beds/{bed}': { get: gives(room), delete: gives(room) }
  })

  test(`answers ${status}, and an unknown row above it is named`, async () => {
    const { call } = await startTestMock({ api })
    const made = await call('PUT', '/hotels/1/rooms/B2', { body: { size: 3 } })
    expect(made.status).toBe(status)
    expect(made.headers.get('x-mock-assumed')).toContain('put.unknown-id')
    for (const path of ['/hotels/99/rooms/B2', '/hotels/99/rooms/B2/beds/1']) {
      const { body } = await call(path.includes('beds') ? 'GET' : 'PUT', path, {
        body: path.includes('beds') ? undefined : {}
      })
      expect(body).toEqual({ detail: 'hotels has no row 99' })
    }
  })
})

const hotel = objectOf({ slug: text, name: text }, ['slug', 'name'])
const customer = objectOf({ id: text, name: text }, ['id', 'name'])
const fields = {
  id: integer,
  hotel: text,
  customer: { anyOf: [text, named('Customer')] },
  payer: { ...text, description: 'Who pays.' },
  agent: { ...text, description: 'ID of the agent who made it.' },
  city: text,
  guest_id: { ...text, format: 'uuid' }
}
const rowsOf = (name: string, key: string) => ({
  [`/${name.toLowerCase()}s`]: { get: gives(listOf(named(name))), post: takes(named(name), named(name)) },
  [`/${name.toLowerCase()}s/{${key}}`]: { get: gives(named(name)) }
})
const api = documentOf(
  {
    // Those that name others come first.
    ...rowsOf('Booking', 'id'),
    ...rowsOf('Hotel', 'slug'),
    ...rowsOf('Customer', 'id'),
    ...rowsOf('Agent', 'id'),
    ...rowsOf('Guest', 'id'),
    '/cities': { get: gives(listOf(named('City'))) },
    '/cities/{id}': { get: gives(named('City')) }
  },
  {
    Booking: objectOf(fields, Object.keys(fields)),
    Hotel: hotel,
    Customer: customer,
    Agent: customer,
    Guest: objectOf({ id: { ...text, format: 'uuid' }, email: text }, ['id', 'email']),
    City: customer
  }
)
const referencesIn = async (mock: { call: Awaited<ReturnType<typeof startTestMock>>['call'] }) => {
  const { collections } = (await mock.call('GET', '/__mock/collections')).body
  const { fields } = collections.find(({ name }: { name: string }) => name === 'bookings')
  const found = fields.map(({ name, references }: Record<string, string>) => [name, references])
  return Object.fromEntries(found.filter(([, it]: string[]) => it !== undefined))
}
const inferred = { hotel: 'hotels', customer: 'customers', agent: 'agents', guest_id: 'guests' }

test('texts that name rows by a slug, in the place of the row, or as the description says, are references', async () => {
  expect(await referencesIn(await startTestMock({ api }))).toEqual(inferred)
  const { call } = await startTestMock({ api, assume: { 'references.unknown': '422' } })
  const [booking] = (await call('GET', '/bookings')).body
  expect((await call('GET', `/hotels/${booking.hotel}`)).status).toBe(200)
  expect((await call('POST', '/bookings', { body: { ...booking, hotel: 'nowhere' } })).status).toBe(422)
})

test('texts that name rows are whole in the folder that init writes, whose api.mjs can overrule them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'references-'))
  try {
    const document = join(folder, 'openapi.json')
    writeFileSync(document, JSON.stringify(api))
    initialize(document, join(folder, 'mock'), false)
    const mock = await startTestMock({ api: join(folder, 'mock') })
    const rows = async (path: string, key: string) =>
      (await mock.call('GET', path)).body.map((it: Record<string, string>) => it[key])
    for (const [field, name] of Object.entries(inferred)) {
      const keys = await rows(`/${name}`, name === 'hotels' ? 'slug' : 'id')
      for (const it of await rows('/bookings', field)) expect(keys).toContain(it)
    }
    // A module is loaded once.
    const withReferences = (name: string, references: string) => {
      initialize(document, join(folder, name), false)
      const file = join(folder, name, 'api.mjs')
      const marked = readFileSync(file, 'utf8').replace('bookings: {', `bookings: { references: ${references},`)
      writeFileSync(file, marked)
      return startTestMock({ api: join(folder, name) })
    }
    const { agent: _, ...others } = inferred
    const marked = await withReferences('marked', "{ agent: null, payer: 'customers' }")
    expect(await referencesIn(marked)).toEqual({ ...others, payer: 'customers' })
    await expect(withReferences('wrong', "{ payer: 'nobody' }")).rejects.toThrow(
      /api.mjs: collections.bookings.references: references has fields of its rows, each with the collection that it names/
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('lists and objects inside the first rows name rows that are there, also in the folder of init', async () => {
  const line = objectOf({ product_id: uuid, quantity: integer }, ['product_id'])
  const lines = { ...listOf(line), minItems: 1 }
  const Order = objectOf({ id: set(integer), items: lines, gift: line }, ['id', 'items', 'gift'])
  const document = documentOf(
    {
      '/products': { get: gives(listOf(named('Product'))), post: takes(named('Product'), named('Product')) },
      '/products/{id}': { get: gives(named('Product')) },
      '/orders': { get: gives(listOf(named('Order'))), post: takes(named('Order'), named('Order')) },
      '/orders/{id}': { get: gives(named('Order')) }
    },
    { Order, Product: objectOf({ id: set(uuid), name: text }, ['id', 'name']) }
  )
  const folder = mkdtempSync(join(tmpdir(), 'inner-'))
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(document))
  initialize(join(folder, 'shop.json'), join(folder, 'api'), false)
  for (const api of [document, join(folder, 'api')]) {
    const { call } = await startTestMock({ api })
    const products = (await call('GET', '/products')).body.map(({ id }: { id: string }) => id)
    const orders: { items: { product_id: string }[]; gift: { product_id: string } }[] = (await call('GET', '/orders'))
      .body
    expect(orders).toHaveLength(10)
    const names = orders.flatMap(({ items, gift }) => [...items, gift]).map((it) => it.product_id)
    expect(names.filter((it) => !products.includes(it))).toEqual([])
    expect(new Set(names).size).toBeGreaterThan(3)
  }
  rmSync(folder, { recursive: true })
})
