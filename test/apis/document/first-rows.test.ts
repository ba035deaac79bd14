import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const time = { type: 'string', format: 'date-time' }
const isDone = { type: 'boolean', default: false }
const state = { type: 'string', enum: ['open', 'shipped', 'lost'] }
const api = documentOf(
  {
    '/register': { post: takes(objectOf({ email: text, password: text }, ['email', 'password']), named('User')) },
    '/me': { get: gives(named('User')) },
    '/parcels': { get: gives(listOf(named('Parcel'))), post: takes(named('NewParcel'), named('Parcel')) },
    '/parcels/{id}': { get: gives(named('Parcel')) },
    '/senders': { get: gives(listOf(named('Sender'))) },
    '/senders/{id}': { get: gives(named('Sender')), delete: { responses: { 204: { description: 'gone' } } } }
  },
  {
    User: objectOf({ id: integer, email: text, created_at: time }, ['id', 'email', 'created_at']),
    NewParcel: objectOf({ title: text, done: isDone, state: { allOf: [state], default: 'open' } }, ['title']),
    Parcel: objectOf(
      {
        id: integer,
        title: text,
        slug: text,
        done: isDone,
        state: { allOf: [state], default: 'open' },
        created_at: time,
        updated_at: time,
        posted_at: time,
        shippedAt: { type: ['string', 'null'], format: 'date-time' },
        price: { type: 'number', minimum: 0 },
        arrived_at: { type: ['string', 'null'], format: 'date-time' }
      },
      ['id', 'title', 'slug', 'created_at', 'updated_at']
    ),
    Sender: objectOf({ id: integer, name: text, email: { ...text, format: 'email' } }, ['id', 'name', 'email'])
  }
)
const started = () => startTestMock({ api, now: '2026-03-01T12:00:00Z' })

test('a new row has a slug of its title, null where nothing has happened, and the time where something has', async () => {
  const mock = await started()
  const { body } = await mock.call('POST', '/parcels', { body: { title: 'A small box' } })
  expect(body).toMatchObject({ slug: 'a-small-box-11', done: false, state: 'open', arrived_at: null })
  expect([body.created_at, body.posted_at]).toEqual([body.updated_at, body.updated_at])
  expect(body.posted_at).toMatch(/^2026-03-01T12:00/)
})

test('the first rows have each of few values, slugs of their own, and no change before they were created', async () => {
  const mock = await started()
  const rows = (await mock.call('GET', '/parcels')).body as Record<string, string>[]
  expect(new Set(rows.map((it) => it.done)).size).toBe(2)
  expect(new Set(rows.map((it) => it.state)).size).toBeGreaterThan(1)
  expect(new Set(rows.map((it) => it.slug)).size).toBe(10)
  for (const row of rows) expect((row.created_at as string) <= (row.updated_at as string)).toBe(true)
})

test('in a first row, only the time of its status is set, it is after the creation, and a price has at most two decimals', async () => {
  const mock = await started()
  const rows = (await mock.call('GET', '/parcels')).body as Record<string, string>[]
  expect(rows.map((it) => it.shippedAt !== null)).toEqual(rows.map((it) => it.state === 'shipped'))
  const shipped = rows.filter((it) => it.state === 'shipped')
  expect(shipped.length).toBeGreaterThan(0)
  for (const row of shipped) expect(String(row.shippedAt) >= String(row.created_at)).toBe(true)
  const state = '/__mock/state/parcels'
  expect((await mock.call('POST', state, { body: { state: 'shipped' } })).body.shippedAt).toMatch(/^2026-/)
  expect((await mock.call('POST', state, { body: { state: 'lost' } })).body.shippedAt).toBe(null)
  for (const { price } of rows) expect(String(price)).toMatch(/^\d+(\.\d{1,2})?$/)
})

test('the first people have names and addresses of their own', async () => {
  const mock = await started()
  const rows = (await mock.call('GET', '/senders')).body as { name: string; email: string }[]
  expect(new Set(rows.map(({ email }) => email)).size).toBe(10)
  for (const { name, email } of rows) expect(email.startsWith((name.split(' ')[0] as string).toLowerCase())).toBe(true)
})

test('somebody who signs up was created then', async () => {
  const mock = await started()
  const { body } = await mock.call('POST', '/register', { body: { email: 'zoe@example.com', password: 'secret' } })
  expect(body.created_at).toMatch(/^2026-03-01T12:00/)
})

test('the fields of a collection show the values behind allOf', async () => {
  const mock = await started()
  const { collections } = (await mock.call('GET', '/__mock/collections')).body
  const { fields } = collections.find((it: { name: string }) => it.name === 'parcels')
  expect(fields.find((it: { name: string }) => it.name === 'state')).toMatchObject({ types: ['string'] })
})

describe('first rows of a hotel', () => {
  const date = { ...text, format: 'date' }
  const nullable = { type: ['string', 'null'], format: 'date-time' }
  const at = (...names: string[]) => names.map((name) => ({ name, in: 'path', required: true, schema: text }))
  const hotels = documentOf(
    {
      '/hotels': { get: gives(listOf(named('Hotel'))), post: takes(named('Hotel'), named('Hotel')) },
      '/hotels/{slug}': { parameters: at('slug'), get: gives(named('Hotel')) },
      '/hotels/{slug}/rooms': {
        parameters: at('slug'),
        get: gives(listOf(named('Room'))),
        post: takes(objectOf({ number: text }, ['number']), named('Room'))
      },
      '/hotels/{slug}/rooms/{number}': { parameters: at('slug', 'number'), get: gives(named('Room')) },
      '/stays': { get: gives(listOf(named('Stay'))), post: takes(named('Stay'), named('Stay')) },
      '/stays/{id}': { get: gives(named('Stay')) }
    },
    {
      Hotel: objectOf({ slug: { ...text, pattern: '^[a-z-]+$' }, name: text }, ['slug', 'name']),
      Room: objectOf({ number: text, hotel: text }, ['number', 'hotel']),
      Stay: objectOf(
        {
          id: integer,
          status: { type: 'string', enum: ['booked', 'paid', 'cancelled'] },
          guest_name: text,
          check_in: date,
          check_out: date,
          startsAt: { ...date, format: 'date-time' },
          minPrice: integer,
          maxPrice: integer,
          price: { type: 'number', minimum: 0, multipleOf: 0.01 },
          placed_at: { ...date, format: 'date-time' },
          paid_at: nullable,
          cancelled_at: { ...date, format: 'date-time' }
        },
        ['id', 'status', 'check_in', 'check_out', 'price', 'minPrice', 'maxPrice']
      )
    }
  )
  const open = () => startTestMock({ api: hotels, now: '2026-03-01T12:00:00Z' })

  test('each row has a different key, even where a key may have no digits', async () => {
    const rows = (await (await open()).call('GET', '/hotels')).body as { slug: string }[]
    expect(new Set(rows.map(({ slug }) => slug)).size).toBe(10)
  })

  test('a row below another one names it in the field that is called like it', async () => {
    const mock = await open()
    for (const { slug } of (await mock.call('GET', '/hotels')).body) {
      await mock.call('POST', `/hotels/${slug}/rooms`, { body: { number: '7a' } })
      const rooms = (await mock.call('GET', `/hotels/${slug}/rooms`)).body as { hotel: string }[]
      expect(rooms.map(({ hotel }) => hotel)).toEqual([slug, slug])
    }
  })

  test('what lies between two fields begins before it ends, and dates are near', async () => {
    const rows = (await (await open()).call('GET', '/stays')).body as Record<string, string>[]
    for (const { check_in = '', check_out = '', minPrice = '', maxPrice = '' } of rows) {
      expect(check_in <= check_out && minPrice <= maxPrice).toBe(true)
      expect(check_in).toMatch(/^2026-0[123]/)
    }
  })

  test('the times of a status are only there with it, if the rows have no time of creation, or no null', async () => {
    const rows = (await (await open()).call('GET', '/stays')).body as Record<string, string>[]
    expect(rows.map((it) => it.paid_at !== null)).toEqual(rows.map((it) => it.status === 'paid'))
    expect(rows.map((it) => 'cancelled_at' in it)).toEqual(rows.map((it) => it.status === 'cancelled'))
    for (const { price } of rows) expect(String(price)).toMatch(/^\d+(\.\d{1,2})?$/)
  })
})

test('each of the first rows that paths name by an address has another one', async () => {
  const bounce = objectOf({ email: { type: 'string', format: 'email' }, reason: text }, ['email'])
  const one = { get: gives(bounce), delete: { responses: { 204: { description: 'gone' } } } }
  const { call } = await startTestMock({
    api: documentOf({ '/bounces': { get: gives(listOf(bounce)) }, '/bounces/{email}': one })
  })
  const { body } = await call('GET', '/bounces')
  expect(new Set(body.map(({ email }: { email: string }) => email)).size).toBe(10)
})

test('times in seconds of first rows are of the last years', async () => {
  const row = objectOf({ id: integer, sent: { ...integer, format: 'unix-time' } }, ['id', 'sent'])
  const { call } = await startTestMock({ api: documentOf({ '/letters': { get: gives(listOf(row)) } }) })
  const rows = (await call('GET', '/letters')).body
  const years = rows.map(({ sent }: { sent: number }) => new Date(sent * 1000).getUTCFullYear())
  expect(new Set(years)).toEqual(new Set([2025]))
})
