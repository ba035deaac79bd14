import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recorderFor, summaryOf } from '../../src/doors/cli/record.js'
import { recordLive } from '../../src/tools/record/live.js'
import { textsIn } from '../../src/tools/record/traffic.js'
import { call, startTestMock } from '../mock.js'
import { structureOf } from './session.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-record-api-'))

const text = { type: 'string' }
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ok = (schema: object) => ({ description: 'Done', ...json(schema) })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const list = (name: string) => ({ type: 'array', items: ref(name) })
const at = (...names: string[]) => names.map((name) => ({ name, in: 'path', required: true, schema: text }))
const number = (...names: string[]) =>
  names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer' } }))

/** A shop with products, their reviews, and articles that paths name by their titles. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/products': {
      get: { operationId: 'listProducts', responses: { 200: ok(list('Product')) } },
      post: { operationId: 'addProduct', requestBody: json(ref('NewProduct')), responses: { 201: ok(ref('Product')) } }
    },
    '/products/{id}': {
      parameters: number('id'),
      get: { operationId: 'getProduct', responses: { 200: ok(ref('Product')) } },
      patch: {
        operationId: 'changeProduct',
        requestBody: json(ref('NewProduct')),
        responses: { 200: ok(ref('Product')) }
      },
      delete: { operationId: 'removeProduct', responses: { 204: { description: 'Gone' } } }
    },
    '/products/{id}/reviews': {
      parameters: number('id'),
      get: {
        operationId: 'listReviews',
        responses: { 200: ok({ type: 'object', properties: { reviews: list('Review') } }) }
      },
      post: { operationId: 'addReview', requestBody: json(ref('NewReview')), responses: { 201: ok(ref('Review')) } }
    },
    '/products/{id}/reviews/{review_id}': {
      parameters: number('id', 'review_id'),
      get: { operationId: 'getReview', responses: { 200: ok(ref('Review')) } }
    },
    '/articles': {
      get: { operationId: 'listArticles', responses: { 200: ok(list('Article')) } },
      post: { operationId: 'addArticle', requestBody: json(ref('NewArticle')), responses: { 201: ok(ref('Article')) } }
    },
    '/articles/{slug}': {
      parameters: at('slug'),
      get: { operationId: 'getArticle', responses: { 200: ok(ref('Article')) } }
    },
    '/articles/{slug}/comments': {
      parameters: at('slug'),
      get: { operationId: 'listComments', responses: { 200: ok(list('Review')) } }
    },
    '/articles/{slug}/comments/{comment_id}': {
      parameters: [...at('slug'), ...number('comment_id')],
      delete: { operationId: 'removeComment', responses: { 204: { description: 'Gone' } } }
    }
  },
  components: {
    schemas: {
      Product: {
        type: 'object',
        required: ['id', 'name', 'price', 'state'],
        properties: {
          id: { type: 'integer', readOnly: true },
          name: text,
          price: { type: 'number' },
          state: { enum: ['available', 'sold-out'] },
          maker: {
            type: 'object',
            properties: { name: text, email: { ...text, format: 'email' }, phone: { ...text, pattern: '^\\+\\d+$' } }
          },
          tags: { type: 'array', items: text },
          api_key: text,
          createdAt: { ...text, format: 'date-time', readOnly: true }
        }
      },
      NewProduct: {
        type: 'object',
        properties: {
          name: text,
          price: { type: 'number' },
          state: text,
          maker: { type: 'object' },
          tags: { type: 'array', items: text },
          api_key: text
        }
      },
      Review: {
        type: 'object',
        required: ['id', 'body'],
        properties: { id: { type: 'integer' }, body: text, author: text }
      },
      NewReview: { type: 'object', properties: { body: text, author: text } },
      Article: { type: 'object', required: ['slug', 'title'], properties: { slug: text, title: text, body: text } },
      NewArticle: { type: 'object', properties: { title: text, body: text } }
    }
  }
}

test('any API: its rows start a mock that answers the same GETs, without the texts of the traffic', async () => {
  const api = { api: document } as object
  const service = await startTestMock({ ...api, now: undefined })
  const to = join(folder, 'shop')
  const recording = recordLive(await recorderFor(to, { api: document }), () => {}, summaryOf)
  const upstream = { url: service.url, mocked: new Set<string>(), strict: false, timeout: 60_000, recording }
  const proxy = await startTestMock({ ...api, strict: false, auth: 'any', upstream, now: undefined })
  const answers: unknown[] = []
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await call(proxy.url, method, path, { as: 'user', body })
    answers.push(answer.body)
    return answer.body
  }
  const [first] = await ask('GET', '/products')
  const maker = { name: 'Marguerite Oyelaran', email: 'm.oyelaran@lamps.example', phone: '+4917112345' }
  const lamp = { name: 'Lamp of Marguerite', price: 7, state: 'available', tags: ['living room'], maker }
  const { id } = await ask('POST', '/products', { ...lamp, api_key: 'sk-1234567890' })
  await ask('PATCH', `/products/${id}`, { price: 9 })
  await ask('POST', `/products/${id}/reviews`, { body: 'A fine lamp, says Marguerite', author: maker.name })
  await ask('DELETE', `/products/${first.id}`)
  await ask('POST', '/articles', { title: 'How Marguerite makes lamps', body: 'With care.' })
  const gets = ['', `/${id}`, `/${id}/reviews`, `/${first.id}`].map((it) => `/products${it}`)
  for (const path of [...gets, '/articles']) await ask('GET', path)
  await proxy.close()

  const copy = await startTestMock({ ...api, fixtures: join(to, 'fixtures.json') as `${string}.json`, now: undefined })
  const get = async (url: string, path: string) => {
    const { status, body } = await call(url, 'GET', path, { as: 'user' })
    return [path, status, structureOf(body)]
  }
  for (const path of [...gets, '/articles']) expect(await get(copy.url, path)).toEqual(await get(service.url, path))
  const made = (await copy.call('GET', `/products/${id}`, { as: 'user' })).body
  expect(made).toMatchObject({ id, price: 9, state: 'available' })
  expect(made.maker.phone).toMatch(/^\+\d{10}$/)
  const [{ author }] = (await copy.call('GET', `/products/${id}/reviews`, { as: 'user' })).body.reviews
  expect(author).toBe(made.maker.name)
  // A key that is made of a title is a text, too.
  for (const { slug } of (await copy.call('GET', '/articles', { as: 'user' })).body)
    expect((await copy.call('GET', `/articles/${slug}`, { as: 'user' })).status).toBe(200)

  const written = readFileSync(join(to, 'fixtures.json'), 'utf8')
  const isOpen = (field: string) => field === 'createdAt' || field === 'state'
  const texts = [...textsIn(answers)].filter(([it, field]) => it.length > 4 && !isOpen(field)).map(([it]) => it)
  expect(texts.length).toBeGreaterThan(50)
  expect(texts.filter((it) => written.includes(it))).toEqual([])
})

test('rows stay with the row that their path names by a key, also if no reply shows that one', async () => {
  const to = join(folder, 'comments')
  const recorder = await recorderFor(to, { api: document })
  const comments = (slug: string, ...ids: number[]) =>
    recorder.add({
      ...{ method: 'GET', target: `/articles/${slug}/comments`, headers: {}, body: '', status: 200, time: Date.now() },
      text: JSON.stringify(ids.map((id) => ({ id, body: `Comment ${id}` })))
    })
  comments('spring-is-near-2', 5, 6)
  comments('late-frost-7', 9)
  recorder.write()
  const mock = await startTestMock({ api: document, fixtures: join(to, 'fixtures.json') } as object)
  const idsOf = async (slug: string) =>
    (await mock.call('GET', `/articles/${slug}/comments`, { as: null })).body.map(({ id }: { id: number }) => id)
  expect(await idsOf('spring-is-near-2')).toEqual([5, 6])
  expect(await idsOf('late-frost-7')).toEqual([9])
})

test.each(['slug', 'articleId'])(
  'the key of the row that others belong to, shown as %s, stays a key',
  async (field) => {
    const keyed = structuredClone(document)
    Object.assign(keyed.components.schemas.Review.properties, { [field]: text })
    const to = join(folder, field)
    const recorder = await recorderFor(to, { api: keyed })
    const shown = { method: 'GET', headers: {}, body: '', status: 200, time: Date.now() }
    const comments = JSON.stringify([{ id: 5, body: 'Comment', [field]: 'spring-is-near-2' }])
    recorder.add({ ...shown, target: '/articles/spring-is-near-2/comments', text: comments })
    recorder.write()
    const mock = await startTestMock({ api: keyed, fixtures: join(to, 'fixtures.json') } as object)
    const { body } = await mock.call('GET', '/articles/spring-is-near-2/comments', { as: null })
    expect(body).toMatchObject([{ id: 5, [field]: 'spring-is-near-2' }])
  }
)

test('the same member of two teams is one of each, and one that is put or removed is followed', async () => {
  const named = (name: string) => ({
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: text },
    title: name
  })
  const rows = (name: string) => ({ responses: { 200: ok({ type: 'array', items: named(name) }) } })
  const gone = { responses: { 204: { description: 'Done' } } }
  const teams = {
    openapi: '3.1.0',
    info: { title: 'Teams', version: '1' },
    paths: {
      '/users': { get: rows('User') },
      '/users/{id}': { parameters: number('id'), get: { responses: { 200: ok(named('User')) } } },
      '/teams': { get: rows('Team') },
      '/teams/{id}': { parameters: number('id'), get: { responses: { 200: ok(named('Team')) } } },
      '/teams/{id}/members': { parameters: number('id'), get: rows('Member') },
      '/teams/{id}/members/{user_id}': { parameters: number('id', 'user_id'), put: gone, delete: gone }
    }
  }
  const to = join(folder, 'members')
  const recorder = await recorderFor(to, { api: teams })
  const made = (method: string, target: string, reply?: unknown) =>
    recorder.add({
      ...{ method, target, headers: {}, body: '', time: Date.now() },
      ...{ status: reply === undefined ? 204 : 200, text: reply === undefined ? '' : JSON.stringify(reply) }
    })
  const people = [5, 6].map((id) => ({ id, name: `Person ${id}` }))
  made('GET', '/users', people)
  for (const team of [1, 2]) made('GET', `/teams/${team}/members`, people.slice(0, 1))
  made('PUT', '/teams/2/members/6')
  made('DELETE', '/teams/1/members/5')
  recorder.write()
  const mock = await startTestMock({ api: teams, fixtures: join(to, 'fixtures.json') } as object)
  const membersOf = async (team: number) => (await mock.call('GET', `/teams/${team}/members`, { as: null })).body
  expect(await membersOf(1)).toEqual([])
  expect((await membersOf(2)).map(({ id }: { id: number }) => id)).toEqual([5, 6])
})

test.each<[field: string, schema: object, values: unknown[], form: RegExp]>([
  [
    'national_id',
    text,
    ['83.04.17-123.45', '791201/7777', 'AB123456C'],
    /^(\d\d\.\d\d\.\d\d-\d{3}\.\d\d|\d{6}\/\d{4}|[A-Z]{2}\d{6}[A-Z])$/
  ],
  ['ssn', { type: 'integer' }, [830417123, 791201777], /^[1-9]\d{8}$/],
  ['passportNumber', text, ['EH1234567'], /^[A-Z]{2}\d{7}$/],
  ['birth_date', { ...text, format: 'date' }, ['1983-04-17', '1979-12-01'], /^(19|20)\d\d-[01]\d-[0-2]\d$/],
  ['dateOfBirth', { ...text, format: 'date-time' }, ['1983-04-17T00:00:00Z'], /^(19|20)\d\d-[01]\d-[0-2]\dT00:00:00Z$/],
  ['lat', { type: 'number', maximum: 90 }, [51.05362, -89.5], /^-?\d{1,2}(\.\d{1,5})?$/],
  ['salary', { type: 'number' }, [71250.5, 65000], /^[1-9]\d{4}(\.\d)?$/]
])('the %s of a person is replaced in its form, the same everywhere', async (field, schema, values, form) => {
  const person = {
    type: 'object',
    title: 'Person',
    required: ['id'],
    properties: { id: { type: 'integer' }, [field]: schema }
  }
  const people = {
    openapi: '3.1.0',
    info: { title: 'People', version: '1' },
    paths: {
      '/people': { get: { responses: { 200: ok({ type: 'array', items: person }) } } },
      '/people/{id}': { parameters: number('id'), get: { responses: { 200: ok(person) } } }
    }
  }
  const to = join(folder, `people-${field}`)
  const recorder = await recorderFor(to, { api: people })
  const all = [...values, ...values].map((it, n) => ({ id: n + 1, [field]: it }))
  const shown = { method: 'GET', target: '/people', headers: {}, body: '', status: 200, time: Date.now() }
  recorder.add({ ...shown, text: JSON.stringify(all) })
  recorder.write()
  const written = JSON.parse(readFileSync(join(to, 'fixtures.json'), 'utf8')).collections.people
  const made = written.map((it: Record<string, unknown>) => it[field])
  expect(made.slice(values.length)).toEqual(made.slice(0, values.length))
  for (const [n, it] of values.entries()) {
    expect(`${made[n]}`).toMatch(form)
    expect([typeof made[n], made[n]]).not.toEqual([typeof made[n], it])
    expect(typeof made[n]).toBe(typeof it)
  }
})

test('a field that names rows by their key is replaced as the key is, also if that is short', async () => {
  const hotel = { type: 'object', title: 'Hotel', required: ['slug', 'name'], properties: { slug: text, name: text } }
  const room = { type: 'object', title: 'Room', required: ['number'], properties: { number: text, view: text } }
  const booking = {
    type: 'object',
    title: 'Booking',
    required: ['id'],
    properties: { id: { type: 'integer' }, hotel: text, room_number: text, host: text }
  }
  const rows = (schema: object) => ({ responses: { 200: ok({ type: 'array', items: schema }) } })
  const row = (schema: object) => ({ responses: { 200: ok(schema) } })
  const hotels = {
    openapi: '3.1.0',
    info: { title: 'Hotels', version: '1' },
    paths: {
      '/hotels': { get: rows(hotel) },
      '/hotels/{slug}': { parameters: at('slug'), get: row(hotel) },
      '/rooms': { get: rows(room) },
      '/rooms/{number}': { parameters: at('number'), get: row(room) },
      '/bookings': { get: rows(booking) },
      '/bookings/{id}': { parameters: number('id'), get: row(booking) }
    }
  }
  const to = join(folder, 'hotels')
  const recorder = await recorderFor(to, { api: hotels })
  const shown = (target: string, all: object[]) =>
    recorder.add({
      ...{ method: 'GET', target, headers: {}, body: '', status: 200, time: Date.now() },
      text: JSON.stringify(all)
    })
  const named = { hotel: 'villa-marguerite', host: 'Marguerite Oyelaran' }
  shown('/bookings', [
    { id: 1, ...named, room_number: '101' },
    { id: 2, ...named, room_number: 'attic' }
  ])
  shown('/hotels', [{ slug: 'villa-marguerite', name: 'Villa Marguerite' }])
  shown('/rooms', [{ number: '101' }, { number: 'attic' }])
  recorder.write()
  const { collections } = JSON.parse(readFileSync(join(to, 'fixtures.json'), 'utf8'))
  const [{ slug }] = collections.hotels
  const [first, second] = collections.rooms.map((it: { number: string }) => it.number)
  expect(slug).not.toContain('marguerite')
  expect(second).not.toBe('attic')
  expect(collections.bookings).toMatchObject([
    { hotel: slug, room_number: first },
    { hotel: slug, room_number: second }
  ])
})

test('one row of a path without a key is kept, and the summary names what is not kept', async () => {
  const policy = {
    type: 'object',
    title: 'Policy',
    required: ['from'],
    properties: { from: text, days: { type: 'integer' } }
  }
  const hotel = { type: 'object', title: 'Hotel', required: ['slug'], properties: { slug: text } }
  const rate = { type: 'object', title: 'Rate', properties: { currency: text } }
  const rows = (schema: object) => ({ responses: { 200: ok({ type: 'array', items: schema }) } })
  const single = {
    get: { responses: { 200: ok(policy) } },
    put: { requestBody: json(policy), responses: { 200: ok(policy) } }
  }
  const person = {
    type: 'object',
    title: 'Owner',
    required: ['id'],
    properties: { id: text, since: { type: 'integer' } }
  }
  const owner = {
    get: { responses: { 200: ok(person) } },
    put: { requestBody: json(person), responses: { 200: ok(person) } },
    delete: { responses: { 204: { description: 'Gone' } } }
  }
  const hotels = {
    openapi: '3.1.0',
    info: { title: 'Hotels', version: '1' },
    paths: {
      '/hotels': { get: rows(hotel) },
      '/hotels/{slug}': { parameters: at('slug'), get: { responses: { 200: ok(hotel) } } },
      '/hotels/{slug}/policy': { parameters: at('slug'), ...single },
      '/hotels/{slug}/owner': { parameters: at('slug'), ...owner },
      '/settings': single,
      '/rates': { get: rows(rate) }
    }
  }
  const to = join(folder, 'policies')
  const recorder = await recorderFor(to, { api: hotels })
  const made = (method: string, target: string, reply: unknown, body = '') =>
    recorder.add({
      method,
      target,
      headers: {},
      body,
      status: 200,
      time: Date.now(),
      text: JSON.stringify(reply) ?? ''
    })
  const [early, late] = [
    { from: '7', days: 2 },
    { from: '9', days: 5 }
  ]
  made('GET', '/hotels', [{ slug: 'inn-1' }, { slug: 'inn-2' }])
  for (const it of ['/hotels/inn-1/policy', '/hotels/inn-2/policy', '/settings']) made('GET', it, early)
  made('PUT', '/hotels/inn-2/policy', late, JSON.stringify(late))
  for (const currency of ['EUR', 'USD']) made('GET', '/rates', [{ currency }])
  made('GET', '/rates', [])
  for (const n of [1, 2]) made('GET', `/hotels/inn-${n}/owner`, { id: `owner-7${n}`, since: 2000 + n })
  made('DELETE', '/hotels/inn-2/owner', undefined)
  expect(summaryOf(recorder.write()).split('\n').slice(0, -1)).toEqual([
    'GET /rates is not kept: no collection has such rows (2 calls)',
    expect.stringMatching(/: 6 rows of 11 calls\. /)
  ])
  const mock = await startTestMock({ api: hotels, fixtures: join(to, 'fixtures.json') } as object)
  const get = async (path: string) => (await mock.call('GET', path, { as: null })).body
  expect(await get('/hotels/inn-1/policy')).toMatchObject({ days: 2 })
  expect(await get('/settings')).toMatchObject({ days: 2 })
  expect(await get('/hotels/inn-2/policy')).toMatchObject({ days: 5 })
  expect(await get('/hotels/inn-1/owner')).toEqual({ id: 'owner-71', since: 2001 })
  expect((await mock.call('GET', '/hotels/inn-2/owner', { as: null })).status).toBe(404)
})

test('an action that is taken back by DELETE removes no row', async () => {
  const starred = structuredClone(document)
  Object.assign(starred.paths, {
    '/products/{id}/star': {
      parameters: number('id'),
      delete: { operationId: 'unstar', responses: { 200: ok(ref('Product')) } }
    }
  })
  const to = join(folder, 'star')
  const recorder = await recorderFor(to, { api: starred })
  const shown = { headers: {}, body: '', status: 200, time: Date.now() }
  recorder.add({ ...shown, method: 'GET', target: '/products/7', text: JSON.stringify({ id: 7, price: 3 }) })
  recorder.add({ ...shown, method: 'DELETE', target: '/products/7/star', text: JSON.stringify({ id: 7, price: 4 }) })
  recorder.write()
  const { collections } = JSON.parse(readFileSync(join(to, 'fixtures.json'), 'utf8'))
  expect(collections.products).toMatchObject([{ id: 7, price: 4 }])
})
