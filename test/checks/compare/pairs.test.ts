import type { Json, JsonObject } from '../../../src/engine/contract/load.js'
import { compare, type Document } from './documents.js'

const ok = { 200: { description: 'Done' } }

/** A document whose only operation is this one. */
function documentOf(operation: JsonObject, more: JsonObject = {}): Document {
  return { openapi: '3.1.0', paths: { '/things': { post: { responses: ok, ...operation } } }, ...more }
}

const signedBy = (scheme: JsonObject, name = 'key') =>
  documentOf({ security: [{ [name]: [] }] }, { components: { securitySchemes: { [name]: scheme } } })
const taking = (schema: Json, type = 'application/json', openapi = '3.1.0', more: JsonObject = {}): Document => {
  const requestBody = { required: true, content: { [type]: { schema } } }
  return { ...documentOf({ requestBody }, more), openapi }
}
const giving = (schema: Json, type = 'application/json') =>
  documentOf({ responses: { 200: { description: 'Done', content: { [type]: { schema } } } } })

/** The changes in both directions. */
const both = (one: Document, other: Document) =>
  [compare(one, other), compare(other, one)].map((changes) => changes.map(({ level, id }) => `${level} ${id}`))
const breaks = (one: Document, other: Document) => both(one, other)[0]?.filter((it) => it.startsWith('breaking'))

const key = { type: 'apiKey', in: 'header', name: 'X-Key' }

describe('what is sent to authenticate', () => {
  test.each([
    ['a key moves from the header to the query', key, { ...key, in: 'query' }],
    ["a key's header has another name", key, { ...key, name: 'X-Api-Key' }],
    ['a bearer token becomes a password', { type: 'http', scheme: 'bearer' }, { type: 'http', scheme: 'basic' }]
  ])('%s: both break', (_, was, is) => {
    expect(both(signedBy(was), signedBy(is))).toEqual(
      Array(2).fill(['breaking api-security-removed', 'info api-security-added'])
    )
  })

  test('a scheme that only has another name is the same', () => {
    expect(both(signedBy(key), signedBy({ ...key, name: 'x-key' }, 'other'))).toEqual([[], []])
  })
})

test('an operation that goes before its x-sunset breaks, and one that goes after it does not', () => {
  const until = (date: string): Document => {
    const document = documentOf({ deprecated: true, 'x-sunset': date })
    return { ...document, paths: { ...document.paths, '/others': { get: { responses: ok } } } }
  }
  const without: Document = { openapi: '3.1.0', paths: { '/others': { get: { responses: ok } } } }
  expect(breaks(until('9999-01-01'), without)).toEqual(['breaking api-path-removed-before-sunset'])
  expect(breaks(until('2001-01-01'), without)).toEqual([])
})

describe('how a field of a form is written', () => {
  const form = (encoding?: JsonObject): Document => {
    const schema = { type: 'object', properties: { photo: { type: 'string', format: 'binary' } } }
    const media: JsonObject = { schema, ...(encoding && { encoding: { photo: encoding } }) }
    return documentOf({ requestBody: { content: { 'multipart/form-data': media } } })
  }

  test('another media type breaks, one more does not', () => {
    const [png, jpeg, more] = ['image/png', 'image/jpeg', 'image/png, image/jpeg'].map((it) =>
      form({ contentType: it })
    )
    expect(breaks(png, jpeg)).toEqual(['breaking request-body-encoding-changed'])
    expect(both(png, more)).toEqual([
      ['info request-body-encoding-changed'],
      ['breaking request-body-encoding-changed']
    ])
  })

  test('an encoding that comes breaks, unless it is the usual one', () => {
    expect(breaks(form(), form({ contentType: 'image/png' }))).toEqual(['breaking request-body-encoding-changed'])
    expect(both(form(), form({ contentType: 'application/octet-stream' }))).toEqual([[], []])
  })

  test('another style breaks', () => {
    expect(breaks(form({ style: 'form' }), form({ style: 'deepObject' }))).toEqual([
      'breaking request-body-encoding-style-changed'
    ])
  })
})

test('in 3.0, an enumeration that loses null does not take null any more', () => {
  const color = (...values: Json[]) =>
    taking({ type: 'string', nullable: true, enum: values }, 'application/json', '3.0.3')
  expect(both(color('red', null), color('red'))).toEqual([
    ['breaking request-body-became-not-nullable'],
    ['info request-body-became-nullable']
  ])
})

describe('what the server sends', () => {
  const event = (required: string[]): JsonObject => {
    const schema = { type: 'object', properties: { id: { type: 'string' } }, required }
    return { post: { requestBody: { content: { 'application/json': { schema } } }, responses: ok } }
  }
  const hook = (required: string[]) => documentOf({}, { webhooks: { made: event(required) } })
  const called = (required: string[]) =>
    documentOf({ callbacks: { made: { '{$request.body#/url}': event(required) } } })

  test.each([
    ['a webhook', hook],
    ['a callback', called]
  ])('%s: a field that may be missing breaks, one that is always there does not', (_, of) => {
    expect(both(of(['id']), of([]))).toEqual([
      ['breaking request-property-became-optional'],
      ['info request-property-became-required']
    ])
    expect(breaks(of(['id']), documentOf({}))).toEqual(['breaking webhook-removed-without-deprecation'])
    expect(both(documentOf({}), of(['id']))[0]).toEqual(['info webhook-added'])
  })
})

test('a wider number is not a break in a request, and a narrower one none in a reply', () => {
  const number = (type: string, format: string): JsonObject => ({ type, format })
  const [int32, int64] = [number('integer', 'int32'), number('integer', 'int64')]
  const [float, double] = [number('number', 'float'), number('number', 'double')]
  expect(breaks(taking(int32), taking(int64))).toEqual([])
  expect(breaks(taking(int64), taking(int32))).toEqual(['breaking request-body-type-specialized'])
  expect(breaks(giving(double), giving(float))).toEqual([])
  expect(breaks(giving(float), giving(double))).toEqual(['breaking response-body-type-generalized'])
})

test.each(['Authorization', 'Content-Type', 'accept'])('a header parameter %s does not count', (name) => {
  const parameters = [{ name, in: 'header', required: true, schema: { type: 'string' } }]
  expect(both(documentOf({}), documentOf({ parameters }))).toEqual([[], []])
})

test('in 3.0, what is next to a reference does not count in 3.0, and does in 3.1', () => {
  const of = (schema: JsonObject, version: string) =>
    taking(schema, 'application/json', version, { components: { schemas: { Name: { type: 'string' } } } })
  const [plain, limited] = [{}, { maxLength: 3 }].map((it) => ({ $ref: '#/components/schemas/Name', ...it }))
  expect(both(of(plain as JsonObject, '3.0.3'), of(limited as JsonObject, '3.0.3'))).toEqual([[], []])
  expect(breaks(of(plain as JsonObject, '3.1.0'), of(limited as JsonObject, '3.1.0'))).toEqual([
    'breaking request-body-max-length-set'
  ])
})

test('a range of media types is not a break for one that is in it', () => {
  const [json, any, other] = ['application/json', 'application/*', 'text/*'].map((it) => taking({ type: 'object' }, it))
  expect(breaks(json, any)).toEqual([])
  expect(breaks(any, json)).toEqual(['breaking request-body-media-type-removed'])
  expect(breaks(json, other)).toEqual(['breaking request-body-media-type-removed'])
  const [text, number] = [{ type: 'string' }, { type: 'integer' }]
  expect(breaks(giving(text), giving(text, 'application/*'))).toEqual([])
  expect(breaks(giving(text), giving(number, 'application/*'))).toEqual(['breaking response-body-type-changed'])
})

test('another path of the first server is a break, and another host or no server is not', () => {
  const at = (...urls: string[]) => documentOf({}, urls.length > 0 ? { servers: urls.map((url) => ({ url })) } : {})
  const moved = ['breaking api-base-path-changed']
  expect(both(at('/api'), at('https://shop.example.com/api/v2'))).toEqual([moved, moved])
  expect(both(at('/api'), at('https://shop.example.com'))).toEqual([moved, moved])
  expect(both(at('/api'), at('https://shop.example.com/api/', '/other'))).toEqual([[], []])
  expect(both(at('/api'), at())).toEqual([[], []])
  expect(both(at('/api'), documentOf({}, { servers: [] }))).toEqual([[], []])
})
