import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initialize } from '../../../src/doors/cli/init.js'
import { verify } from '../../../src/doors/program/handle/verify.js'
import { startMock } from '../../../src/doors/program/server.js'
import { startTestMock } from '../../mock.js'
import { faults, plant } from './faults.js'
import { documentOf, gives, integer, json, listOf, objectOf, shop, takes, text } from './shop.js'

const headers = { 'X-Mock-Sandbox': 'verify' }
const found = async (options: Parameters<typeof verify>[0]) => {
  const { findings, notChecked, ...result } = await verify({ api: shop, mutating: true, ...options })
  return { ...result, notChecked, findings: findings.map(({ operation, check }) => `${operation} ${check}`) }
}

test('the mock itself has no finding, and the same rows afterwards', async () => {
  const mock = await startTestMock({ api: shop })
  const before = (await mock.call('GET', '/__mock/state/products?limit=100')).body.rows
  const { findings, exitCode, notChecked } = await found({ url: mock.url })
  expect([findings, exitCode]).toEqual([[], 0])
  expect(notChecked.filter(({ kind }) => kind === 'impossible')).toEqual([])
  expect((await mock.call('GET', '/__mock/state/products?limit=100')).body.rows).toEqual(before)
})

test('verify changes nothing without --mutating', async () => {
  const mock = await startTestMock({ api: shop })
  const { findings, notChecked } = await found({ url: mock.url, mutating: false })
  expect(findings).toEqual([])
  expect(notChecked).toContainEqual(
    expect.objectContaining({ operation: 'postProducts', why: 'it changes something: see --mutating' })
  )
  const { body } = await mock.call('GET', '/__mock/requests?limit=1000')
  expect(body.requests.filter(({ method }: { method: string }) => !['GET', 'HEAD'].includes(method))).toEqual([])
})

test('the folder of init has no finding on its own mock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'verify-api-'))
  initialize(shop, join(folder, 'shop'), false)
  const api = join(folder, 'shop')
  const mock = await startTestMock({ api })
  expect(await found({ url: mock.url, api })).toMatchObject({ findings: [], exitCode: 0 })
})

test.each([
  ['auth.unauthenticated', '403'],
  ['auth.unknown-token', 'admin'],
  ['requests.coercion', 'lax'],
  ['missing.status', '410'],
  ['delete.again', 'success'],
  ['put.absent', 'kept'],
  ['put.unknown-id', 'created'],
  ['create.absent', 'generated'],
  ['create.location', 'sent'],
  ['ids.again', 'when-highest'],
  ['times.change', 'kept'],
  ['rows.order', 'newest-first'],
  ['rows.visible', 'own'],
  ['rows.foreign', '403'],
  ['pages.beyond', '404'],
  ['pages.cursor', 'empty']
])('a service that chooses %s=%s has no finding, and the answer is that choice', async (id, choice) => {
  // Times change only if the clock moves.
  const mock = await startMock({ port: 0, api: shop, assume: { [id]: choice } })
  const { findings, assume } = await found({ url: mock.url, headers })
  await mock.close()
  expect([findings, assume[id]]).toEqual([[], choice])
})

test('the mock acts like the service with the answers as assumptions', async () => {
  const choices = { 'delete.again': 'success', 'put.absent': 'kept', 'rows.order': 'newest-first' }
  const service = await startTestMock({ api: shop, assume: choices })
  const { assume } = await found({ url: service.url })
  expect(assume).toMatchObject(choices)
  const mock = await startTestMock({ api: shop, assume })
  await mock.call('DELETE', '/products/1')
  expect((await mock.call('DELETE', '/products/1')).status).toBe(204)
})

test.each(faults)('a fault is found: %s', async (_, check, fault) => {
  const mock = await startTestMock({ api: shop })
  const { url, close } = await plant(mock.url, fault())
  const { findings, exitCode } = await found({ url, token: 'admin', userToken: 'user' })
  await close()
  expect(exitCode).toBe(1)
  expect(findings.map((it) => it.split(' ')[1])).toContain(check)
})

test('the same mock behind a proxy without a fault has no finding', async () => {
  const mock = await startTestMock({ api: shop })
  const { url, close } = await plant(mock.url, (call, next) => next(call))
  expect(await found({ url, token: 'admin', userToken: 'user' })).toMatchObject({ findings: [], exitCode: 0 })
  await close()
})

test('a PATCH of one field in an envelope that clears the others is found, and the mock’s own has no finding', async () => {
  const item = objectOf({ id: { ...integer, readOnly: true }, name: text, note: text }, ['id'])
  const enveloped = objectOf({ item }, ['item'])
  const change = objectOf({ item: objectOf({ name: text, note: text }) })
  const api = documentOf({
    '/items': { get: gives(listOf(item)), post: takes(change, enveloped) },
    '/items/{id}': { get: gives(enveloped), patch: takes(change, enveloped, 200) }
  })
  const mock = await startTestMock({ api })
  const results = await found({ url: mock.url, api })
  expect([results.findings, results.notChecked.filter(({ kind }) => kind === 'impossible')]).toEqual([[], []])
  const clearing = await plant(mock.url, (call, next) =>
    next(call.method === 'PATCH' ? { ...call, body: { item: { name: '', note: '', ...call.body.item } } } : call)
  )
  const { findings } = await found({ url: clearing.url, api, token: 'admin', userToken: 'user' })
  await clearing.close()
  expect(findings).toContain('patchItemsById values_read_back')
})

test('the keys of users, which rows show as their owners, do not count as secrets of the mock', async () => {
  const api = mkdtempSync(join(tmpdir(), 'verify-keys-'))
  const users = "users: [{ key: 'keeper-token' }, { key: 'visitor-token' }]"
  writeFileSync(
    join(api, 'api.mjs'),
    `import { defineApi } from 'knowledge-chat-mock'
export default defineApi({ document: ${JSON.stringify(shop)}, ${users} })`
  )
  const mock = await startTestMock({ api })
  const tokens = { token: 'keeper-token', userToken: 'visitor-token' }
  expect(await found({ url: mock.url, api, ...tokens })).toMatchObject({ findings: [], exitCode: 0 })
  const { url, close } = await plant(mock.url, (call, next) => next(call))
  // Behind a proxy it is a service like any other.
  expect((await found({ url, api, ...tokens })).findings).toContain('getUser secrets_hidden')
  await close()
})

/** What verify finds of the shop through a fault, for one user. */
async function foundBehind(fault: Parameters<typeof plant>[1]) {
  const mock = await startTestMock({ api: shop })
  const { url, close } = await plant(mock.url, fault)
  const results = await found({ url, token: 'admin', userToken: null })
  await close()
  return results
}

test.each([
  ['creation', 'POST', /^\/products$/, 'DELETE'],
  ['change', 'PATCH', /^\/products\/\d+$/, 'PATCH'],
  ['deletion', 'DELETE', /^\/products\/\d+$/, 'DELETE']
])('what another client does once during a %s is not a finding', async (_, method, path, other) => {
  let isDone = false
  let before = ''
  const { findings, notChecked } = await foundBehind(async (call, next) => {
    const answer = await next(call)
    const isAfterList = before === 'GET /products'
    if (call.url.pathname.startsWith('/products')) before = `${call.method} ${call.url.pathname}`
    const isCall = call.method === method && path.test(call.url.pathname) && answer.status < 300
    if (isDone || !isCall || !isAfterList) return answer
    isDone = true
    const body = other === 'PATCH' ? { price: 77 } : undefined
    await next({ ...call, method: other, url: new URL('/products/3', call.url), body })
    return answer
  })
  expect([isDone, findings]).toEqual([true, []])
  expect(notChecked.map(({ why }) => why)).toContain('it changed once, which may be another client')
})

test.each([
  ['rows that come and go at any time are not findings', false],
  ['a deletion that removes its neighbour is found among rows that come and go', true]
])('%s', async (_, isWrong) => {
  let isOver = false
  const mock = await startTestMock({ api: shop })
  const busy = async () => {
    const made: number[] = []
    for (let count = 0; !isOver; count++) {
      const body = { name: `other ${count}`, price: count }
      made.push((await mock.call('POST', '/products', { body })).body.id)
      if (made.length > 3) await mock.call('DELETE', `/products/${made.shift()}`)
      await mock.call('PATCH', '/products/4', { body: { price: count } })
    }
  }
  const { url, close } = await plant(mock.url, async (call, next) => {
    const answer = await next(call)
    const id = Number(/^\/products\/(\d+)$/.exec(call.url.pathname)?.[1])
    if (isWrong && call.method === 'DELETE' && answer.status === 204)
      for (const at of [1, 2, 3, 4, 5, 6]) await next({ ...call, url: new URL(`/products/${id + at}`, call.url) })
    return answer
  })
  const loops = [busy(), busy()]
  const { findings } = await found({ url, token: 'admin', userToken: 'user' })
  isOver = true
  await Promise.all([...loops, close()])
  if (isWrong) expect(findings.join()).toMatch(/deleteProducts\w* others_untouched/)
  else expect(findings).toEqual([])
})

test('rows that another client removes while pages are read are not findings', async () => {
  let next3 = 3
  const { findings, notChecked } = await foundBehind(async (call, next) => {
    const answer = await next(call)
    const isPage = call.url.pathname === '/products' && call.url.searchParams.get('page') === '2'
    if (isPage && next3 < 6)
      await next({ ...call, method: 'DELETE', url: new URL(`/products/${next3++}`, call.url), body: undefined })
    return answer
  })
  expect([next3, findings]).toEqual([6, []])
  expect(notChecked.filter(({ kind }) => kind === 'impossible')).toEqual([])
})

test('bodies have the JSON media type of the document, and a refusal for another reason is not a missing check of the token', async () => {
  const typed = (schema: object) => ({ content: { 'application/vnd.press.v1+json': { schema } } })
  const item = objectOf({ id: { ...integer, readOnly: true }, name: text }, ['id'])
  const answers = (status: number) => ({ [status]: { description: 'ok', ...typed(item) } })
  const api = documentOf(
    {
      '/items': { get: gives(listOf(item)), post: { requestBody: typed(item), responses: answers(201) } },
      '/items/{id}': {
        get: { responses: answers(200) },
        patch: { requestBody: typed(item), responses: answers(200) }
      }
    },
    {},
    { security: [{ bearer: [] }] }
  )
  const described = { ...api, components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } }
  const mock = await startTestMock({ api: described })
  const refused = { status: 415, type: '', body: undefined }
  const { url, close } = await plant(mock.url, async (call, next) => {
    if (call.body === undefined) return next(call)
    return call.type !== 'application/vnd.press.v1+json' || call.token === undefined ? refused : next(call)
  })
  const { findings, notChecked } = await found({ url, api: described, token: 'admin', userToken: 'user' })
  await close()
  expect(findings).toEqual([])
  expect(notChecked).toContainEqual({
    operation: 'postItems',
    subject: 'no token',
    why: 'it was refused for another reason than its token (415)',
    kind: 'impossible'
  })
})

test.each([{ format: 'binary' }, { contentMediaType: 'application/octet-stream' }])(
  'files are uploaded to a form that describes them as %j',
  async (described) => {
    const file = { ...text, ...described }
    const form = objectOf({ file, files: listOf(file), title: text }, ['file'])
    const asset = objectOf({ id: integer, title: text }, ['id'])
    const api = documentOf({
      '/assets': {
        get: gives(listOf(asset)),
        post: { requestBody: { content: { 'multipart/form-data': { schema: form } } }, ...gives(asset, 201) }
      },
      '/assets/{id}': { get: gives(asset) }
    })
    const mock = await startTestMock({ api })
    const { findings, notChecked, har } = await found({ url: mock.url, api, har: true })
    expect([findings, notChecked.filter(({ kind }) => kind === 'impossible')]).toEqual([[], []])
    expect(JSON.stringify(har)).toMatch(/name=\\"file\\"; filename=.*name=\\"files\\"; filename=/)
  }
)

const item = objectOf({ id: { ...text, format: 'uuid', readOnly: true }, name: text }, ['id', 'name'])
const itemsWith = (fields: object) => {
  const row = { ...item, properties: { ...item.properties, ...fields } }
  return documentOf({
    '/items': { get: gives(listOf(row)), post: takes(row, row) },
    '/items/{id}': { get: gives(row), put: takes(row, row, 200), delete: { responses: { 204: { description: 'ok' } } } }
  })
}

test.each([
  ['has a default', { archived: { type: 'boolean', default: false } }],
  ['every row gets from the service', { plan: { type: 'string', enum: ['free'] } }]
])('a field that %s does not show what a PUT does with absent fields', async (_, fields) => {
  const api = itemsWith(fields)
  const mock = await startTestMock({ api, assume: { 'put.absent': 'removed' } })
  const { url, close } = await plant(mock.url, (call, next) =>
    next('plan' in fields && call.body ? { ...call, body: { plan: 'free', ...call.body } } : call)
  )
  const { findings, answers, notChecked } = await found({ url, api, token: 'admin', userToken: 'user' })
  await close()
  expect([findings, answers.filter(({ id }) => id === 'put.absent')]).toEqual([[], []])
  expect(notChecked).toContainEqual(expect.objectContaining({ operation: 'putItemsById', subject: 'put.absent' }))
})

test.each(['ids', 'newest-first'])('the order %s is learned from rows whose random ids show it', async (choice) => {
  const api = itemsWith({ created_at: { ...text, format: 'date-time', readOnly: true } })
  for (const seed of [1, 2, 3, 4, 5]) {
    const mock = await startTestMock({ api, fixtures: 'empty', seed, assume: { 'rows.order': choice } })
    const { url, close } = await plant(mock.url, (call, next) => {
      if (call.method === 'POST') mock.handle('default').clock.advance('1s')
      return next(call)
    })
    const { answers } = await found({ url, api, token: 'admin', userToken: 'user' })
    await close()
    expect(answers.find(({ id }) => id === 'rows.order')?.choice).toBe(choice)
  }
})

test('an archive has no token, however short: neither in an address, nor in the answer to a sign-in', async () => {
  const api = documentOf(
    { '/items': { get: gives(listOf(item)) }, '/session': { get: gives(objectOf({ token: text, role: text })) } },
    {},
    { security: [{ key: [] }] }
  )
  const securitySchemes = { key: { type: 'apiKey', in: 'query', name: 'api_key' } }
  const described = { ...api, components: { securitySchemes } }
  const mock = await startTestMock({ api: described })
  const { url, close } = await plant(mock.url, async (call, next) => {
    const body = { token: 's3cr~t', role: `of s3cr~t: ${call.url.searchParams.get('api_key')}`, again: 's3cr~t' }
    return call.url.pathname === '/session' ? { status: 200, type: 'application/json', body } : next(call)
  })
  const { har } = await found({ url, api: described, token: 'admin~v', userToken: 'user', har: true })
  await close()
  expect(JSON.stringify(har)).toContain('api_key=***')
  expect(JSON.stringify(har)).not.toMatch(/s3cr~t|admin~v/)
})

const orderly = (query: Record<string, object>, type: object = { ...text, maxLength: 60 }) => {
  const note = objectOf(
    {
      id: { ...integer, readOnly: true },
      title: type,
      remark: { ...text, nullable: true },
      created_at: { ...text, format: 'date-time', readOnly: true }
    },
    ['id', 'title', 'created_at']
  )
  const parameters = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }))
  const change = objectOf({ title: type, remark: { ...text, nullable: true } })
  const made = { description: 'ok', headers: { Location: { schema: text } }, ...json(note) }
  const paths = {
    '/notes': {
      get: { parameters, ...gives(listOf(note)) },
      post: { requestBody: json(note), responses: { 201: made } }
    },
    '/notes/{id}': { get: gives(note), patch: takes(change, note, 200), delete: { responses: { 204: made } } }
  }
  return { ...documentOf(paths), openapi: '3.0.3' }
}
const sorting = { type: 'string', enum: ['title', '-title', 'created_at', '-created_at'] }
const searched = orderly({ q: text, sort: sorting })
const directed = orderly({ sort: { ...text, enum: ['title'] }, order: { ...text, enum: ['asc', 'desc'] } })
const either = orderly({ sort: { ...text, enum: ['title'] } })

type Fault = Parameters<typeof plant>[1]
const asking =
  (change: (query: URLSearchParams) => void): Fault =>
  (call, next) => {
    const url = new URL(call.url)
    change(url.searchParams)
    return next({ ...call, url })
  }
const reversed: Fault = asking((query) => {
  const sort = query.get('sort')
  if (sort) query.set('sort', sort.startsWith('-') ? sort.slice(1) : `-${sort}`)
})
const turned: Fault = asking((query) => query.set('order', query.get('order') === 'asc' ? 'desc' : 'asc'))
const elsewhere: Fault = async (call, next) => {
  const answer = await next(call)
  return { ...answer, ...(answer.location && { location: '/notes/1' }) }
}
const nullLost: Fault = (call, next) => {
  const { remark, ...rest } = call.body ?? {}
  return next(call.method === 'PATCH' && remark === null ? { ...call, body: rest } : call)
}
const falling: Fault = async (call, next) => {
  const answer = await next(call)
  return call.url.searchParams.has('sort') ? { ...answer, body: answer.body.toReversed() } : answer
}

test.each([
  ['a search is ignored', searched, asking((query) => query.delete('q')), 'getNotes filter_respected'],
  ['an order is ignored', searched, asking((query) => query.delete('sort')), 'getNotes filter_respected'],
  ['an order with a sign is turned round', searched, reversed, 'getNotes filter_respected'],
  ['an order with a direction is turned round', directed, turned, 'getNotes filter_respected'],
  [
    'an order without a direction is ignored',
    either,
    asking((query) => query.delete('sort')),
    'getNotes filter_respected'
  ],
  ['a Location names another row', searched, elsewhere, 'postNotes ensure_resource_availability'],
  ['a null in a PATCH is ignored', searched, nullLost, 'patchNotesById values_read_back']
])('a fault of a list or a row is found: %s', async (_, api, fault, finding) => {
  const mock = await startTestMock({ api })
  const { url, close } = await plant(mock.url, fault)
  const { findings } = await found({ url, api, token: 'admin', userToken: 'user' })
  await close()
  expect(findings).toEqual([finding])
})

test.each([
  ['the mock’s own', searched, (call, next) => next(call)],
  ['a descending order where only the field is documented', either, falling],
  [
    'its own order of listed values',
    orderly({ sort: sorting }, { ...text, enum: ['low', 'high', 'medium'] }),
    asking((query) => query.get('sort')?.endsWith('title') && query.delete('sort'))
  ],
  [
    'an absolute Location with another base',
    searched,
    async (call, next) => {
      const answer = await next(call)
      return { ...answer, ...(answer.location && { location: `https://notes.example.com${answer.location}/` }) }
    }
  ]
] as [string, object, Fault][])('what a service may do is not a finding: %s', async (_, api, fault) => {
  const mock = await startTestMock({ api })
  const { url, close } = await plant(mock.url, fault)
  const { findings } = await found({ url, api, token: 'admin', userToken: 'user' })
  await close()
  expect(findings).toEqual([])
})
