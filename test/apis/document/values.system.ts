import { verify } from '../../../src/doors/program/handle/verify.js'
import { startTestMock } from '../../mock.js'
import { plant } from './faults.js'
import { documentOf, gives, integer, json, listOf, named, objectOf, takes, text } from './shop.js'

/** What a service says of values. */
const strict = {
  name: { ...text, minLength: 2, maxLength: 80 },
  stars: { ...integer, minimum: 1, maximum: 5 },
  price: { type: 'number', exclusiveMinimum: 0 },
  tags: { ...listOf({ ...text, enum: ['pool', 'spa'] }), uniqueItems: true, maxItems: 2 },
  kind: { ...text, enum: ['inn', 'camp'] },
  code: { ...text, pattern: '^[A-Z]{3}$' },
  opened: { ...text, format: 'date' },
  email: { ...text, format: 'email' },
  password: { ...text, minLength: 8 },
  size: { ...integer, minimum: 1, maximum: 50, default: 10 },
  sort: { ...text, enum: ['name', '-name'] },
  label: { ...text, maxLength: 20 },
  status: { ...text, enum: ['new', 'used'] } as object | undefined
}
type Values = { [Name in keyof typeof strict]?: object | undefined }

/** The document of hotels, with rooms that only a PUT makes, a sign-up, and labels that come as forms. */
function documentWith(others: Values) {
  const { name, stars, price, tags, kind, code, opened, email, password, size, sort, label, status } = {
    ...strict,
    ...others
  }
  const hotel = { name, stars, price, tags, kind, code, opened }
  const set = { ...integer, readOnly: true }
  const bad = { 400: { description: 'bad', ...json(objectOf({ detail: {} })) } }
  const refusing = ({ responses, ...rest }: ReturnType<typeof gives> & { requestBody?: object }) => ({
    ...rest,
    responses: { ...responses, ...bad }
  })
  const list = refusing(
    gives(
      objectOf({ items: listOf(named('Hotel')), total: integer, page_size: integer }, ['items', 'total', 'page_size'])
    )
  )
  const query = (name: string, schema: object | undefined) => (schema ? [{ name, in: 'query', schema }] : [])
  const form = { content: { 'application/x-www-form-urlencoded': { schema: objectOf({ label }, ['label']) } } }
  const user = { id: set, email, name: text }
  return documentOf(
    {
      '/hotels': {
        get: { ...list, parameters: [...query('page_size', size), ...query('page', integer), ...query('sort', sort)] },
        post: refusing(takes(named('NewHotel'), named('Hotel')))
      },
      '/hotels/{id}': {
        get: gives(named('Hotel')),
        put: refusing(takes(named('NewHotel'), named('Hotel'), 200)),
        patch: refusing(takes(objectOf(hotel), named('Hotel'), 200)),
        delete: { responses: { 204: { description: 'gone' } } }
      },
      '/hotels/{id}/rooms': { get: gives(listOf(named('Room'))) },
      '/hotels/{id}/rooms/{number}': {
        get: gives(named('Room')),
        put: {
          requestBody: json(objectOf({ kind }, ['kind'])),
          responses: { ...gives(named('Room')).responses, ...gives(named('Room'), 201).responses, ...bad }
        }
      },
      '/labels': {
        get: gives(listOf(named('Label'))),
        post: refusing({ requestBody: form, ...gives(named('Label'), 201) })
      },
      '/labels/{id}': { get: gives(named('Label')) },
      '/things': { get: { ...gives(listOf(named('Thing'))), parameters: query('status', status) } },
      '/things/{id}': { get: gives(named('Thing')) },
      '/register': {
        post: refusing(takes(objectOf({ email, password, name: text }, ['email', 'password']), named('User')))
      },
      '/users': { get: gives(listOf(named('User'))) },
      '/users/{id}': { get: gives(named('User')) }
    },
    {
      NewHotel: objectOf(hotel, Object.keys(hotel)),
      Hotel: objectOf({ id: set, ...hotel }, ['id', ...Object.keys(hotel)]),
      Room: objectOf({ number: text, kind }, ['number', 'kind']),
      Label: objectOf({ id: set, label }, ['id', 'label']),
      Thing: objectOf({ id: set, status: strict.status as object }, ['id', 'status']),
      User: objectOf(user, ['id', 'email'])
    }
  )
}

type Fault = Parameters<typeof plant>[1]

/** What verify finds of a service that takes other values than its document says. */
async function foundIn(service: Values, fault: Fault = (call, next) => next(call)) {
  const mock = await startTestMock({
    api: documentWith(service),
    fixtures: Object.values(service).some((it) => it !== undefined) ? 'empty' : 'demo'
  })
  const { url, close } = await plant(mock.url, fault)
  const results = await verify({ url, api: documentWith({}), mutating: true, token: 'admin', userToken: null })
  await close()
  const found = results.findings.map(({ operation, check, expected }) => `${operation} ${check}: ${expected}`)
  return { found, notChecked: results.notChecked.filter(({ kind }) => kind === 'impossible') }
}

test('a service that keeps the values of its document has no finding, and all of it is checked', async () => {
  expect(await foundIn({})).toEqual({ found: [], notChecked: [] })
})

const refusal = 'negative_data_rejection: a refusal:'
test.each<[string, Values, string]>([
  ['a short text', { name: { ...text, maxLength: 80 } }, `postHotels ${refusal} body.name is too short`],
  ['a long text', { name: { ...text, minLength: 2 } }, `putHotelsById ${refusal} body.name is too long`],
  ['a small number', { stars: { ...integer, maximum: 5 } }, `patchHotelsById ${refusal} body.stars is too small`],
  ['a large number', { stars: { ...integer, minimum: 1 } }, `postHotels ${refusal} body.stars is too large`],
  ['an exclusive bound', { price: { type: 'number', minimum: 0 } }, `postHotels ${refusal} body.price is 0`],
  [
    'an item twice',
    { tags: { ...strict.tags, uniqueItems: false } },
    `postHotels ${refusal} body.tags has an item twice`
  ],
  ['any word', { kind: text }, `putHotelsByIdRoomsByNumber ${refusal} body.kind is "zz"`],
  ['any code', { code: text }, `postHotels ${refusal} body.code has another form`],
  ['any day', { opened: text }, `postHotels ${refusal} body.opened is not a valid date`],
  ['any address', { email: text }, `postRegister ${refusal} body.email is not a valid email`],
  ['any password', { password: text }, `postRegister ${refusal} body.password is too short`],
  ['a long text in a form', { label: text }, `postLabels ${refusal} body.label is too long`],
  ['a sort by anything', { sort: text }, `getHotels ${refusal} query sort is not one of its values`]
])('a service that accepts %s is found', async (_, service, finding) => {
  expect((await foundIn(service)).found).toContain(finding)
})

test('a service that refuses the value at a bound is found', async () => {
  const { found } = await foundIn({ name: { ...text, minLength: 2, maxLength: 79 } })
  expect(found).toContain('postHotels positive_data_acceptance: a success: name may have 80 characters')
})

test('a filter that is ignored is found where all rows have the same value', async () => {
  const asNew = (row: object) => ({ ...row, status: 'new' })
  const alike: Fault = async (call, next) => {
    const answer = await next(call)
    if (!call.url.pathname.startsWith('/things') || answer.status !== 200) return answer
    return { ...answer, body: Array.isArray(answer.body) ? answer.body.map(asNew) : asNew(answer.body) }
  }
  expect((await foundIn({ status: undefined }, alike)).found).toEqual([
    'getThings filter_respected: only rows with status used'
  ])
})

test.each([
  ['ignores the largest page is found', true, [`getHotels ${refusal} query page_size is too large`]],
  ['shortens a page that is too large has no finding', false, []]
])('a service that %s', async (_, isIgnored, findings) => {
  const shorten: Fault = (call, next) => {
    const url = new URL(call.url)
    if (Number(url.searchParams.get('page_size')) > 50) url.searchParams.set('page_size', '50')
    return next({ ...call, url })
  }
  const size = { ...integer, minimum: 1, default: 10 }
  expect((await foundIn({ size }, isIgnored ? undefined : shorten)).found).toEqual(findings)
})
