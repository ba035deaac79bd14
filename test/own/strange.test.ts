import { createMock } from '../../src/doors/program/mock.js'

type Schema = object | boolean

const json = (schema: Schema, more = {}) => ({
  description: 'ok',
  content: { 'application/json': { schema, ...more } }
})
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const document = (paths: object, schemas: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Odd', version: '1' },
  paths,
  components: { schemas }
})

/** A mock with a document, its messages at the start, and a function that sends requests to it. */
function started(given: object) {
  const lines: string[] = []
  const mock = createMock({ with: [given], onProblem: (text) => lines.push(text) })
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await mock.fetch(`http://mock${path}`, {
      method,
      headers: { Authorization: 'Bearer admin', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
      violations: response.headers.get('x-mock-violations')
    }
  }
  return { lines, ask }
}

/** A document whose only operation, GET /x, answers with a schema. */
const answering = (schema: Schema, schemas: object = {}) =>
  document({ '/x': { get: { responses: { 200: json(schema) } } } }, schemas)

test('schemas that are composed of themselves are cut where they recur, and the start reports it', async () => {
  const kinds = {
    Base: {
      oneOf: [ref('Cat'), ref('Dog')],
      type: 'object',
      required: ['kind', 'name'],
      properties: { kind: { type: 'string' }, name: { type: 'string' } }
    },
    Cat: { allOf: [ref('Base'), { properties: { kind: { const: 'cat' } } }] },
    Dog: { allOf: [ref('Base'), { properties: { kind: { const: 'dog' } } }] }
  }
  const { lines, ask } = started(answering(ref('Cat'), kinds))
  const { status, body, violations } = await ask('GET', '/x')
  expect([status, body, violations]).toEqual([200, { kind: 'cat', name: expect.any(String) }, null])
  expect(lines[0]).toBe(
    'with[0]: #/components/schemas/Base is composed of itself: inside itself, only its own fields are checked.'
  )
  const { ask: chase } = started(answering(ref('A'), { A: ref('B'), B: ref('A') }))
  expect((await chase('GET', '/x')).status).toBe(200)
})

test('schemas that are composed of themselves are read as anyOf where two of them allow the same, and the start reports it', async () => {
  const error = (code: string) => ({
    allOf: [ref('Error'), { type: 'object', properties: { code: { type: 'string', default: code } } }]
  })
  const kinds = {
    Error: { type: 'object', properties: { code: { type: 'string' }, description: { type: 'string' } } },
    Empty: error('EMPTY'),
    Missing: error('MISSING'),
    Either: { oneOf: [ref('Empty'), ref('Missing')] },
    Other: { oneOf: ['title', 'name'].map((it) => ({ required: [it], properties: { [it]: { type: 'string' } } })) }
  }
  const { lines, ask } = started(answering({ properties: { either: ref('Either'), other: ref('Other') } }, kinds))
  const { status, violations } = await ask('GET', '/x')
  expect([status, violations]).toEqual([200, null])
  expect(lines.filter((it) => it.includes('anyOf'))).toEqual([
    'with[0]: #/components/schemas/Either has two schemas in oneOf that allow the same: it is read as anyOf.'
  ])
})

test('schemas that are composed of themselves give an example without the fields that one of them forbids', async () => {
  const closed = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }
  const open = { type: 'object', properties: { a: { minLength: 2 }, b: { type: 'string' } } }
  for (const allOf of [
    [closed, open],
    [open, closed]
  ]) {
    const { ask } = started(answering({ allOf }, {}))
    const { body, violations } = await ask('GET', '/x')
    expect([body, violations]).toEqual([{ a: expect.any(String) }, null])
  }
})

test('schemas that are composed of themselves are cut as rows of a collection, too', async () => {
  const schemas = { A: { allOf: [ref('B'), { properties: { n: { type: 'integer' } } }] }, B: { allOf: [ref('A')] } }
  const paths = { '/as': { get: { 'x-mock': { collection: 'as' }, responses: { 200: json({ type: 'array' }) } } } }
  const { ask } = started({ ...document(paths, schemas), 'x-mock-collections': { as: { schema: ref('A').$ref } } })
  expect((await ask('GET', '/as')).body).toHaveLength(10)
})

test('schemas that are composed of themselves that double with every step stop the start', () => {
  for (const word of ['allOf', 'anyOf', 'oneOf']) {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `N${at}`,
        at === 39 ? {} : { [word]: [ref(`N${at + 1}`), ref(`N${at + 1}`)] }
      ])
    )
    expect(() => started(answering(ref('N0'), schemas))).toThrow('is made of more than 5000 others')
  }
})

test('schemas that are composed of themselves that only double through fields are served', async () => {
  const wide = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = at === 39 ? { type: 'string' } : ref(`N${at + 1}`)
      return [`N${at}`, { type: 'object', required: ['a', 'b'], properties: { a: next, b: next } }]
    })
  )
  expect((await started(answering(ref('N0'), wide)).ask('GET', '/x')).status).toBe(200)
})

test('documents of real services may have schemas with identifiers and anchors, but references cannot point to anchors', async () => {
  const same = { $id: 'https://example.com/s.json', $anchor: 'here', type: 'integer' }
  const { ask } = started(
    document({
      '/x': { get: { responses: { 200: json(same) } } },
      '/y': { get: { responses: { 200: json({ ...same, type: 'string' }) } } },
      '/z': { get: { responses: { 200: json({ $dynamicRef: '#node' }) } } }
    })
  )
  expect((await ask('GET', '/x')).body).toEqual(expect.any(Number))
  expect((await ask('GET', '/y')).body).toEqual(expect.any(String))
  expect((await ask('GET', '/z')).status).toBe(200)
  expect(() => started(answering({ $ref: '#here' }))).toThrow('#here is an anchor: use a path')
})

test('documents of real services may percent-encode references, and have letters in paths that URLs cannot have', async () => {
  const { ask } = started(
    document({
      '/é t/{x y}': { get: { responses: { 200: json({ type: 'integer', minimum: 7, maximum: 7 }) } } },
      '/x': {
        get: {
          responses: {
            200: json({
              $ref: '#/paths/~1%C3%A9%20t~1%7Bx%20y%7D/get/responses/200/content/application~1json/schema'
            })
          }
        }
      }
    })
  )
  expect((await ask('GET', '/x')).body).toBe(7)
  expect((await ask('GET', '/%C3%A9%20t/1')).body).toBe(7)
})

test('documents of real services are published with resolved references to other parts, also with endless ones', async () => {
  const schema = {
    type: 'object',
    properties: { self: { $ref: '#/paths/~1y/get/responses/200/content/application~1json/schema' } }
  }
  const { ask } = started({
    ...document({
      '/x': {
        get: {
          responses: {
            200: json({ $ref: '#/paths/~1y/get/responses/200/content/application~1json/schema' }),
            404: { $ref: '#/components/responses/Gone' }
          }
        }
      },
      '/y': { get: { responses: { 200: json(schema) } } }
    }),
    components: {
      responses: { Gone: { description: 'gone', headers: { a: { $ref: '#/components/responses/Gone' } } } }
    }
  })
  const { status, body } = await ask('GET', '/openapi.json')
  expect([status, body.paths['/x'].get.responses[404].description]).toEqual([200, 'gone'])
  for (const [, path] of JSON.stringify(body).matchAll(/"\$ref":"([^"]*)"/g)) expect(path).toMatch(/^#\/components\//)
})

test('documents of real services may repeat an operation id or an address, which is reported and served', async () => {
  const of = (value: number) => ({ operationId: 'same', responses: { 200: json({ const: value }) } })
  const { lines, ask } = started(
    document({ '/a/{x}': { get: of(1), post: of(2) }, '/a/{y}': { get: { responses: { 200: json({ const: 3 }) } } } })
  )
  expect([(await ask('GET', '/a/1')).body, (await ask('POST', '/a/1')).body]).toEqual([1, 2])
  expect(lines).toEqual([
    'with[0]: two operations have the id same: POST /a/{x} gets the id postAByX.',
    'with[0]: GET /a/{…} appears twice: the first one is used.'
  ])
  const { ask: health } = started(document({ '/health': { get: { responses: { 200: json({ const: 'up' }) } } } }))
  expect((await health('GET', '/health')).body).toBe('up')
})

test('documents of real services do not require read-only fields in requests, and do not show write-only fields in answers', async () => {
  const User = {
    type: 'object',
    required: ['id', 'name', 'secret'],
    properties: {
      id: { type: 'integer', readOnly: true },
      name: { type: 'string' },
      secret: { type: 'string', writeOnly: true }
    }
  }
  const { ask } = started({
    ...document(
      {
        '/users': {
          post: {
            'x-mock': { collection: 'people' },
            requestBody: { required: true, content: { 'application/json': { schema: ref('User') } } },
            responses: { 201: json(ref('User')) }
          }
        },
        '/me': { get: { responses: { 200: json(ref('User')) } } }
      },
      { User }
    ),
    'x-mock-collections': { people: { schema: ref('User').$ref } }
  })
  const made = await ask('POST', '/users', { name: 'Ann', secret: 's3' })
  expect(made).toEqual({ status: 201, body: { id: 11, name: 'Ann' }, violations: null })
  const me = await ask('GET', '/me')
  expect([Object.keys(me.body).sort(), me.violations]).toEqual([['id', 'name'], null])
})

test('documents of real services do not require a field that is read-only by its reference, or by a part of it', async () => {
  const Thing = {
    type: 'object',
    required: ['id', 'made', 'name'],
    properties: { id: ref('Id'), made: { allOf: [ref('Id')], description: 'when' }, name: { type: 'string' } }
  }
  const { ask } = started(
    document(
      {
        '/things': {
          post: {
            requestBody: { required: true, content: { 'application/json': { schema: ref('Thing') } } },
            responses: { 201: json(ref('Thing')) }
          }
        }
      },
      { Thing, Id: { type: 'string', readOnly: true } }
    )
  )
  expect(await ask('POST', '/things', { name: 'a' })).toMatchObject({ status: 201, violations: null })
  expect((await ask('POST', '/things', {})).status).toBe(422)
})

test('documents of real services get texts that fit their names, numbers from 0, and an empty object for anything', async () => {
  const properties = { email: { type: 'string' }, price: { type: 'number' }, name: { type: 'string' } }
  const { body } = await started(answering({ type: 'object', required: ['email'], properties })).ask('GET', '/x')
  expect([body.email, body.price >= 0, body.name.length > 3]).toEqual([expect.stringMatching(/.@./), true, true])
  expect((await started(answering({})).ask('GET', '/x')).body).toEqual({})
})

test('documents of real services have impossible sizes cut, and statuses without a body stay empty', async () => {
  for (const schema of [
    { type: 'array', items: { type: 'integer' }, minItems: 1e9 },
    { type: 'string', minLength: 1e12 },
    { type: 'object', minProperties: 1e9, additionalProperties: { type: 'string' } },
    { type: 'string', pattern: '^((x{1000}){1000}){1000}$' }
  ]) {
    expect((await started(answering(schema)).ask('GET', '/x')).status).toBe(200)
  }
  const gone = document({ '/x': { delete: { responses: { 204: json({ type: 'object' }) } } } })
  expect(await started(gone).ask('DELETE', '/x')).toEqual({ status: 204, body: '', violations: null })
})

test('documents of real services have no more rows in a collection than its schema has ids', async () => {
  const paths = { '/as': { get: { 'x-mock': { collection: 'as' }, responses: { 200: json({ type: 'array' }) } } } }
  const schema = (id: object) => ({
    ...document(paths),
    'x-mock-collections': { as: { schema: { type: 'object', properties: { id } } } }
  })
  const { body } = await started(schema({ enum: ['a', 'b'] })).ask('GET', '/as')
  expect(body.map((it: { id: string }) => it.id).sort()).toEqual(['a', 'b'])
  expect(() => started(schema({ type: 'object' }))).toThrow('the id of its rows must be a string or an integer')
})

test('a collection has no name that all objects have', async () => {
  const row = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
  const paths = {
    '/constructor': { get: { responses: { 200: json({ type: 'array', items: row }) } } },
    '/constructor/{id}': { get: { responses: { 200: json(row) } } }
  }
  const marked = { ...document(paths), 'x-mock-collections': { toString: { schema: row } } }
  expect(() => started(marked)).toThrow('the collection toString exists already: choose another name')
  const mock = createMock({ api: document(paths) })
  const { status, headers } = await mock.fetch('http://mock/constructor/1')
  expect([status, headers.get('x-mock-source')]).toEqual([200, 'collection'])
})

test('a body may be JSON or a form, each with its own schema', async () => {
  const body = (type: string, field: string, schema = { type: 'integer' }) => ({
    [type]: { schema: { type: 'object', required: [field], properties: { [field]: schema } } }
  })
  const content = { ...body('application/json', 'a'), ...body('application/x-www-form-urlencoded', 'b') }
  const paths = { '/x': { post: { requestBody: { required: true, content }, responses: { 200: json({}) } } } }
  const mock = createMock({ with: [document(paths)], anonymous: 'basic', strict: true } as object)
  const send = async (type: string, text: string) => {
    const init = { method: 'POST', headers: { 'Content-Type': type }, body: text }
    const response = await mock.fetch('http://mock/x', init)
    return [response.status, ((await response.json()) as { detail?: { loc: unknown }[] }).detail?.[0]?.loc]
  }
  expect(await send('application/json', '{"a": 1}')).toEqual([200, undefined])
  expect(await send('application/json', '{"b": 1}')).toEqual([422, ['body', 'a']])
  expect(await send('application/x-www-form-urlencoded;charset=utf-8', 'b=1')).toEqual([200, undefined])
  expect(await send('application/x-www-form-urlencoded', 'a=1')).toEqual([422, ['body', 'b']])
  const [wrong] = mock.sandbox().requests({ status: '422' })
  expect(JSON.stringify(wrong)).not.toContain('content_type')
})

test('documents of real services are refused with the mistake, without a crash', () => {
  const wrong = (given: object) => () => started(given)
  const circle: Record<string, unknown> = answering({})
  circle.self = circle
  expect(wrong(circle)).toThrow('with[0]: the document contains itself. Give it with its $refs')
  expect(wrong(answering({ enum: [] }))).toThrow('enum is a list with at least one value')
  expect(wrong(answering({ type: [] }))).toThrow('type is one of')
  expect(wrong(answering({ dependentRequired: { a: 'b' } }))).toThrow(
    'dependentRequired is an object whose values are lists'
  )
  expect(wrong(document({ '/x': { get: { security: {}, responses: { 200: {} } } } }))).toThrow('security is a list')
  expect(wrong(document({ '/x?y=1': { get: {} } }))).toThrow('a path must not contain ?')
  const media = document({ '/x': { get: { responses: { 200: { content: { 'a\r\nb: c': {} } } } } } })
  expect(wrong(media)).toThrow('is not a media type')
  const body = { content: { 'application/json': null } }
  expect(wrong(document({ '/x': { post: { requestBody: body, responses: { 200: {} } } } }))).not.toThrow()
  expect(wrong({ ...document({}), components: { schemas: null } })).not.toThrow()
})

const names = ['constructor', '__proto__', 'toString']
const parameters = [
  ...names.map((name) => ({ name, in: 'query', required: name === 'constructor', schema: { type: 'integer' } })),
  { name: 'hasOwnProperty', in: 'header', schema: { type: 'string' } },
  { name: 'valueOf', in: 'cookie', schema: { type: 'string' } }
]
const schema = {
  type: 'object',
  required: ['toString'],
  properties: { toString: { type: 'string' }, constructor: { type: 'integer' } }
}
const { ask } = started(
  document({
    '/x': { get: { parameters, responses: { 200: json({}) } } },
    '/y': { post: { requestBody: { content: json(schema).content }, responses: { 200: json(schema) } } }
  })
)

test('names that every object has are ordinary parameters', async () => {
  expect((await ask('GET', '/x')).body.detail).toEqual([expect.objectContaining({ loc: ['query', 'constructor'] })])
  expect((await ask('GET', '/x?constructor=1')).status).toBe(200)
  const { body } = await ask('GET', '/x?constructor=a&toString=b')
  expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([
    ['query', 'constructor'],
    ['query', 'toString']
  ])
})

test('names that every object has are ordinary fields', async () => {
  const { body } = await ask('POST', '/y', {})
  expect(body.detail).toEqual([expect.objectContaining({ type: 'missing', loc: ['body', 'toString'] })])
  expect((await ask('POST', '/y', { toString: 'a' })).body.toString).toBe('a')
})

describe('schemas that refer to themselves from two branches', () => {
  const branch = (kind: string) => ({
    type: 'object',
    required: ['kind'],
    properties: { of: ref('Filter'), kind: { const: kind } }
  })
  const { ask } = started(
    document(
      { '/x': { post: { requestBody: json(ref('Filter')), responses: { 200: { description: 'ok' } } } } },
      { Filter: { anyOf: [branch('and'), branch('or'), branch('not')] } }
    )
  )
  const nested = (depth: number, leaf: object) => {
    let value: object = leaf
    for (let level = 0; level < depth; level++) value = { kind: 'not', of: value }
    return value
  }

  test('check a deep body once, not once for each path through the branches', async () => {
    expect((await ask('POST', '/x', nested(100, { kind: 'or' }))).status).toBe(200)
    expect((await ask('POST', '/x', nested(100, { kind: 'none' }))).status).toBe(422)
    expect((await ask('POST', '/x', { kind: 'and', of: { kind: 'nor' } })).body.detail).not.toHaveLength(0)
  })
})

test('bytes are a text in JSON, and a file in forms only', async () => {
  const bytes = { type: 'string', format: 'binary' }
  const blob = { type: 'object', required: ['data'], properties: { data: bytes } }
  const { ask } = started(
    document({
      '/json': { post: { requestBody: json(blob), responses: { 200: json(blob) } } },
      '/form': {
        post: { requestBody: { content: { 'multipart/form-data': { schema: blob } } }, responses: { 200: json({}) } }
      }
    })
  )
  expect(await ask('POST', '/json', { data: 'abc' })).toEqual({ status: 200, body: { data: 'abc' }, violations: null })
  expect((await ask('POST', '/form', undefined)).status).not.toBe(500)
  const { components, paths } = (await ask('GET', '/openapi.json')).body
  expect(components).toBeDefined()
  expect(paths['/form'].post.requestBody.content['multipart/form-data'].schema.properties.data).toEqual(bytes)
})
