import { verify } from '../../../src/index.js'
import { startTestMock } from '../../mock.js'
import { startAsking } from './asking.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const uuid = { type: 'string', format: 'uuid' }
const email = { type: 'string', format: 'email' }
const gone = { responses: { 204: { description: 'gone' }, 404: { description: 'none' } } }
const entering = objectOf({ email, password: { ...text, minLength: 8 } }, ['email', 'password'])
const session = objectOf({ token: text, user: named('User') }, ['token'])
const form = (schema: object) => ({ content: { 'application/x-www-form-urlencoded': { schema } } })

/** Boards, whose paths end with .json. Cards name their board in a field; notes are below a card, and come as a form. */
const api = documentOf(
  {
    '/register': { post: { security: [], ...takes(entering, session) } },
    '/login': { post: { security: [], ...takes(entering, session, 200) } },
    '/me': { get: gives(named('User')) },
    '/boards.json': { get: gives(listOf(named('Board'))), post: takes(named('NewBoard'), named('Board')) },
    '/boards/{id}.json': {
      get: gives(named('Board')),
      put: takes(named('NewBoard'), named('Board'), 200),
      delete: gone
    },
    '/cards': { get: gives(listOf(named('Card'))), post: takes(named('NewCard'), named('Card')) },
    '/cards/{card_id}': { get: gives(named('Card')), delete: gone },
    '/cards/{card_id}/notes': {
      get: gives(listOf(named('Note'))),
      post: {
        requestBody: form(objectOf({ text, labels: listOf(text), at: objectOf({ x: integer }) }, ['text'])),
        ...gives(named('Note'), 201)
      }
    },
    '/cards/{card_id}/notes/{id}': { get: gives(named('Note')), delete: gone }
  },
  {
    User: objectOf({ id: uuid, email, name: text }, ['id', 'email']),
    NewBoard: objectOf({ name: text }, ['name']),
    Board: objectOf({ id: integer, name: text, owner_id: uuid }, ['id', 'name', 'owner_id']),
    NewCard: objectOf({ title: text, board_id: integer }, ['title', 'board_id']),
    Card: objectOf({ id: integer, title: text, board_id: integer }, ['id', 'title', 'board_id']),
    Note: objectOf({ id: integer, text, labels: listOf(text), at: objectOf({ x: integer }) }, ['id', 'text'])
  },
  { security: [{ bearer: [] }] }
)
Object.assign(api.components, { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } })

const started = (assume?: Record<string, string>) => startAsking(api, assume)

test('a path with a suffix after the key names a row', async () => {
  const { call } = await started({ 'create.location': 'sent' })
  const { body, location } = await call('POST', '/boards.json', { body: { name: 'Mine' } })
  expect(location).toBe(`/boards/${body.id}.json`)
  await call('PUT', location as string, { body: { name: 'Ours' } })
  expect((await call('GET', location as string)).body).toEqual({ ...body, name: 'Ours' })
  expect((await call('GET', '/boards.json')).body).toContainEqual({ ...body, name: 'Ours' })
  expect((await call('DELETE', location as string)).status).toBe(204)
  expect((await call('GET', location as string)).status).toBe(404)
})

test('the ids of users are as the fields have them that name the owners of rows', async () => {
  const { call } = await started()
  const { body } = await call('POST', '/boards.json', { body: { name: 'Mine' } })
  const me = await call('GET', '/me')
  expect([body.owner_id, me.body.email]).toEqual([me.body.id, 'admin@example.com'])
})

test.each([
  ['removed', 204, 404],
  ['below', 204, 200],
  ['kept', 204, 200],
  ['refused', 409, 200]
])(
  'delete.children=%s: DELETE of a row that others name in a field is a %i, and then one of them a %i',
  async (choice, status, then) => {
    const { call } = await started({ 'delete.children': choice })
    const board = await call('POST', '/boards.json', { body: { name: 'Mine' } })
    const card = await call('POST', '/cards', { body: { title: 'One', board_id: board.body.id } })
    const deleted = await call('DELETE', `/boards/${board.body.id}.json`)
    expect([deleted.status, deleted.assumed.includes('delete.children')]).toEqual([status, true])
    expect((await call('GET', `/cards/${card.body.id}`)).status).toBe(then)
  }
)

test('verify finds nothing in a mock with forms that are URL-encoded only, and sends them so', async () => {
  const { mock, call } = await started()
  const { findings, notChecked } = await verify({ url: mock.url, api, mutating: true })
  expect([findings, notChecked]).toEqual([[], []])
  const { requests } = (await call('GET', '/__mock/requests?operation=postCardsByCardIdNotes&status=201&limit=1')).body
  const { request } = (await call('GET', `/__mock/requests/${requests[0].id}`)).body
  expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded')
})

// Each choice of each question, in the fewest services.
test.each<Record<string, string>>([
  {
    'delete.children': 'removed',
    'references.unknown': '404',
    'signup.again': 'accepted',
    'auth.password': 'own',
    'errors.invalid-request': '400'
  },
  {
    'delete.children': 'below',
    'references.unknown': '422',
    'signup.again': '422',
    'auth.password': 'any',
    'errors.invalid-request': '422'
  },
  { 'delete.children': 'refused', 'references.unknown': 'accepted' }
])('verify learns the choices of a service: %j', async (choices) => {
  const { mock } = await started(choices)
  const { answers, findings } = await verify({ url: mock.url, api, mutating: true })
  expect(findings).toEqual([])
  expect(Object.fromEntries(answers.map(({ id, choice }) => [id, choice]))).toMatchObject(choices)
})

describe('in the deals of a shop', () => {
  const day = { type: 'string', format: 'date' }
  const bounds = Object.entries({ max_price: integer, sold_from: day }).map(([name, schema]) => {
    return { name, in: 'query', schema }
  })
  const deals = (parameters: object[]) =>
    documentOf(
      {
        '/deals': { get: { ...gives(listOf(named('Deal'))), parameters } },
        '/deals/{id}': { get: { responses: { ...gives(named('Deal')).responses, ...gone.responses } } }
      },
      { Deal: objectOf({ id: integer, price: integer, sold: day }, ['id', 'price', 'sold']) }
    )

  test.each([
    [[], bounds, undefined],
    [['getDeals filter_respected'], bounds.slice(1), undefined],
    [['getDeals filter_respected'], bounds.slice(0, 1), undefined],
    [['getDealsById unknown_id_refused'], bounds, { path: '/deals/1987654321', status: 400 }]
  ])('verify finds %j', async (expected, known, override) => {
    const { mock } = await startAsking(deals(known))
    if (override) await mock.call('POST', '/__mock/overrides', { body: override })
    const { findings } = await verify({ url: mock.url, api: deals(bounds) })
    expect(findings.map(({ operation, check }) => `${operation} ${check}`)).toEqual(expected)
  })
})

test('verify finds a row to read in any list of its collection', async () => {
  const note = objectOf({ id: integer, text }, ['id', 'text'])
  const boards = documentOf(
    {
      '/boards': { get: gives(listOf(named('Board'))) },
      '/boards/{id}': { get: gives(named('Board')) },
      '/boards/{id}/notes': { get: gives(listOf(named('Note'))) },
      '/notes/{id}': { get: gives(named('Note')), delete: gone }
    },
    { Board: objectOf({ id: integer, name: text }, ['id', 'name']), Note: note }
  )
  const { mock } = await startAsking(boards)
  const { findings, notChecked } = await verify({ url: mock.url, api: boards })
  expect([findings, notChecked.filter(({ why }) => why.includes('no list of such rows'))]).toEqual([[], []])
})

test('verify makes rows with words of the run where a pattern allows letters only', async () => {
  const slug = { ...text, pattern: '^[a-z]+(-[a-z]+)*$' }
  const tag = objectOf({ slug, name: text }, ['slug', 'name'])
  const api = documentOf(
    {
      '/tags': { get: gives(listOf(named('Tag'))), post: takes(named('Tag'), named('Tag')) },
      '/tags/{slug}': { get: gives(named('Tag')) }
    },
    { Tag: tag }
  )
  const mock = await startTestMock({ api, fixtures: 'empty' })
  const { findings } = await verify({ url: mock.url, api, mutating: true })
  expect(findings).toEqual([])
  const slugs = (await mock.call('GET', '/tags')).body.map((row: { slug: string }) => row.slug)
  expect(slugs).toContainEqual(expect.stringMatching(/^kcm[a-z]+$/))
})

test('a 422 that a creation gets with known rows, too, says nothing of unknown ones', async () => {
  const { mock } = await started({ 'references.unknown': 'accepted' })
  mock.handle().override({ method: 'POST', path: '/cards', status: 422, body: {} } as never)
  const { answers } = await verify({ url: mock.url, api, mutating: true })
  expect(answers.map(({ id }) => id)).not.toContain('references.unknown')
})

test('verify begins at a path with JSON, and finds nothing where the read of a row needs a header', async () => {
  const thing = objectOf({ id: integer, name: text }, ['id', 'name'])
  const page = { 200: { description: 'A page', content: { 'text/html': { schema: text } } } }
  const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: text }
  const document = documentOf({
    '/authorize': { get: { responses: page } },
    '/things': { get: gives(listOf(thing)), post: takes(thing, thing) },
    '/things/{id}': { get: { parameters: [tenant], responses: { ...gives(thing).responses, ...gone.responses } } }
  })
  const { mock } = await startAsking(document)
  const { findings, problem, exitCode } = await verify({ url: mock.url, api: document, mutating: true })
  expect([findings, problem, exitCode]).toEqual([[], undefined, 0])
})
