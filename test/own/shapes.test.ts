import { type Schema, Validator } from '@cfworker/json-schema'
import { createMock } from '../../src/doors/program/mock.js'
import { ok } from './notes.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const cat = { type: 'object', required: ['kind', 'name'], properties: { kind: { const: 'cat' }, name: text } }
const dog = { type: 'object', required: ['kind', 'bark'], properties: { kind: { const: 'dog' }, bark: text } }
const oneOrOther = [{ required: ['a'] }, { required: ['b'] }]

/** Shapes that documents have and generators of values miss. */
const shapes: Record<string, object> = {
  'keys of an enum': {
    type: 'object',
    propertyNames: { enum: ['a', 'b'] },
    additionalProperties: whole,
    minProperties: 1
  },
  'keys of a pattern': { type: 'object', propertyNames: { pattern: '^[a-z]{3}$' }, minProperties: 1 },
  'keys of a reference': { type: 'object', propertyNames: { $ref: '#/components/schemas/Key' }, minProperties: 1 },
  'bytes in base64': { type: 'array', items: { type: 'string', format: 'byte' }, minItems: 3 },
  'a duration': { type: 'string', format: 'duration' },
  'one of several with extra fields': {
    type: 'object',
    required: ['z'],
    properties: { z: whole },
    oneOf: [cat, dog]
  },
  'all of several, one with branches': { allOf: [{ anyOf: [cat, dog] }, { type: 'object', properties: { z: whole } }] },
  'one field or another': { type: 'object', properties: { a: whole, b: whole }, oneOf: oneOrOther },
  'one field or another, or both': { type: 'object', properties: { a: whole, b: whole }, anyOf: oneOrOther },
  'a required field without a schema': { type: 'object', required: ['first', 'other'], properties: { first: whole } },
  'more fields than are listed': { type: 'object', properties: { a: whole }, minProperties: 3 },
  'defaults of another type': {
    type: 'object',
    properties: { n: { ...whole, default: 'x' }, s: { ...text, default: null } }
  }
}

function served(paths: object, schemas: object = {}) {
  return createMock({
    with: [{ openapi: '3.1.0', info: { title: 'Shapes', version: '1' }, paths, components: { schemas } }]
  })
}

describe('a generated answer matches its schema, with', () => {
  test.each(Object.keys(shapes))('%s', async (name) => {
    const schemas = { Key: { type: 'string', enum: ['x', 'y'] } }
    const schema = shapes[name] as Schema
    const mock = served({ '/it': { get: { responses: ok(schema) } } }, schemas)
    const response = await mock.fetch('http://mock/it')
    const body = await response.json()
    expect([body, new Validator({ ...schema, components: { schemas } }, '2020-12').validate(body).errors]).toEqual([
      body,
      []
    ])
    expect([response.status, response.headers.get('x-mock-violations')]).toEqual([200, null])
    await mock.close()
  })

  test('a pattern of another language', async () => {
    const mock = served({ '/it': { get: { responses: ok({ type: 'string', pattern: '[' }) } } })
    const response = await mock.fetch('http://mock/it')
    expect([typeof (await response.json()), response.headers.get('x-mock-violations')]).toEqual(['string', null])
    await mock.close()
  })
})

const schema = {
  type: 'object',
  required: ['meta'],
  properties: { meta: { type: 'object', properties: { n: whole } } }
}
const post = { requestBody: { content: { 'multipart/form-data': { schema } } }, responses: ok({}) }
const sent = async (meta: string) => {
  const mock = served({ '/it': { post } })
  const body = new FormData()
  body.append('meta', meta)
  const response = await mock.fetch(new Request('http://mock/it', { method: 'POST', body }))
  await mock.close()
  return [response.status, JSON.stringify(await response.json())]
}

test('a form reads objects as JSON, and checks their fields', async () => {
  expect((await sent('{"n":5}'))[0]).toBe(200)
  expect(await sent('{"n":"x"}')).toEqual([422, expect.stringContaining('"loc":["body","meta","n"]')])
  expect(await sent('n=5')).toEqual([422, expect.stringContaining('"loc":["body","meta"]')])
  expect(await sent('['.repeat(100_000))).toEqual([422, expect.stringContaining('"loc":["body","meta"]')])
})

test('HEAD is answered as the document says, if it has it', async () => {
  const none = { 204: { description: 'None' } }
  const mock = served({
    '/both': { get: { responses: none }, head: { responses: ok({}) } },
    '/get': { get: { responses: none } }
  })
  const status = async (path: string) =>
    (await mock.fetch(new Request(`http://mock${path}`, { method: 'HEAD' }))).status
  expect([await status('/both'), await status('/get')]).toEqual([200, 204])
  await mock.close()
})

const Row = { type: 'object', required: ['id'], properties: { id: whole } }
const orNull = { anyOf: [text, { type: 'null' }] }
const page = async (properties: object, query = '') => {
  const required = Object.keys(properties)
  const list = { type: 'object', required, properties: { ...properties, items: { type: 'array', items: Row } } }
  const parameters = ['page', 'size'].map((name) => ({ name, in: 'query', schema: whole }))
  const get = { 'x-mock': { collection: 'rows' }, parameters: parameters, responses: ok(list) }
  const document = { openapi: '3.1.0', info: { title: 'Pages', version: '1' }, paths: { '/rows': { get } } }
  const mock = createMock({ with: [{ ...document, 'x-mock-collections': { rows: { schema: Row, count: 5 } } }] })
  const response = await mock.fetch(`http://mock/rows${query}`)
  const { items, ...rest } = (await response.json()) as { items: { id: number }[] }
  await mock.close()
  expect(response.headers.get('x-mock-violations')).toBeNull()
  return { ...rest, ids: items.map(({ id }) => id) }
}

test('a page of a collection has the number of pages, and shows that nothing follows the last one', async () => {
  const fields = { total: whole, pages: whole, hasNext: { type: 'boolean' }, next_cursor: orNull }
  expect(await page(fields, '?page=3&size=2')).toEqual({
    ids: [5],
    total: 5,
    pages: 3,
    hasNext: false,
    next_cursor: null
  })
  expect(await page(fields, '?page=1&size=2')).toMatchObject({
    ids: [1, 2],
    hasNext: true,
    next_cursor: expect.any(String)
  })
})

test('a page of a collection does not change fields that only have the name of a part of a page', async () => {
  expect(await page({ start: { ...text, format: 'date' }, pages: { type: 'array', items: text } })).toEqual({
    ids: [1, 2, 3, 4, 5],
    start: expect.stringMatching(/^\d{4}-/),
    pages: expect.any(Array)
  })
})

test('scenarios of the package are left out if another operation replaces one that they call', async () => {
  const replaced = { 'x-mock': { replace: true }, operationId: 'mine', responses: ok({}) }
  const mock = served({ '/api/get-user-role': { get: replaced } })
  const scenarios = await (await mock.fetch('http://mock/__mock/scenarios')).text()
  expect([scenarios.includes('"first-day"'), scenarios.includes('"slow-upload"')]).toEqual([false, true])
  const entered = await mock.fetch('http://mock/__mock/enter?user=basic&sandbox=a&scenario=first-day')
  expect(entered.status).toBe(400)
  await mock.close()
})

describe('an answer that its schema makes too large is cut, with a violation', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const fields = (names: string[], schema: object) => ({
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, schema]))
  })
  const schemas = {
    Twice: fields(['left', 'right'], ref('Twice')),
    Ping: fields(['a', 'b', 'c'], ref('Pong')),
    Pong: fields(['d', 'e', 'f'], ref('Ping')),
    Fan: fields(['x', 'y'], { oneOf: [ref('Fan'), ref('Twice')] }),
    Map: { type: 'object', minProperties: 50, additionalProperties: ref('Map') },
    Row: { type: 'object', required: ['id'], properties: { id: whole, name: text } }
  }
  const large: Record<string, object> = {
    'a field that is the schema itself': ref('Twice'),
    'two schemas that need each other': ref('Ping'),
    'one of several that need it again': ref('Fan'),
    'keys that need keys': ref('Map'),
    'lists of lists': {
      type: 'array',
      minItems: 1e9,
      items: { type: 'array', minItems: 1e5, items: { ...text, minLength: 1e4 } }
    },
    'a constant in a long list': { type: 'array', minItems: 4000, items: { const: 'x'.repeat(3000) } },
    'items that it contains': { type: 'array', contains: whole, minContains: 1e8 },
    'a pattern that repeats repetitions': {
      type: 'array',
      minItems: 100,
      items: { ...text, pattern: '^(((((((((a*)*)*)*)*)*)*)*)*)*b$' }
    }
  }

  test.each(Object.keys(large))('%s', async (name) => {
    const mock = served({ '/it': { get: { operationId: 'getIt', responses: ok(large[name] as object) } } }, schemas)
    const response = await mock.fetch('http://mock/it')
    const sent = await response.text()
    const [{ violations = [] } = {}] = mock.sandbox().requests()
    expect([response.status, violations[0]]).toEqual([200, expect.stringContaining('so this one is cut')])
    expect(sent.length).toBeLessThan(1_000_000)
    await mock.close()
  })

  test('texts and lists with a high limit are as short as others', async () => {
    const schema = fields(['zz', 'list'], {})
    Object.assign(schema.properties, {
      zz: { ...text, minLength: 60, maxLength: 1e9 },
      list: { type: 'array', items: whole, minItems: 1, maxItems: 1e9 }
    })
    const mock = served({ '/it': { get: { responses: ok(schema) } } })
    const response = await mock.fetch('http://mock/it')
    const { zz, list } = (await response.json()) as { zz: string; list: number[] }
    expect([response.headers.get('x-mock-violations'), zz.length >= 60, zz.length < 300, list.length < 10]).toEqual([
      null,
      true,
      true,
      true
    ])
    await mock.close()
  })

  test('rows of a list that lack such a field', async () => {
    const shown = fields(['id', 'more'], {})
    Object.assign(shown.properties, { id: whole, more: ref('Twice') })
    const paths = {
      '/rows': { get: { 'x-mock': { collection: 'rows' }, responses: ok({ type: 'array', items: shown }) } }
    }
    const mock = createMock({
      with: [
        {
          openapi: '3.1.0',
          info: { title: 'Rows', version: '1' },
          paths,
          components: { schemas },
          'x-mock-collections': { rows: { schema: '#/components/schemas/Row', count: 2000 } }
        }
      ]
    })
    const response = await mock.fetch('http://mock/rows')
    const sent = await response.text()
    expect([response.status, JSON.parse(sent).length, sent.length < 10_000_000]).toEqual([200, 2000, true])
    await mock.close()
  })
})
