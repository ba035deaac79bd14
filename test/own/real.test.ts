import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '../../src/doors/program/mock.js'

const json = (schema: object) => ({ description: 'ok', content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const document = (paths: object, schemas: object = {}, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths,
  components: { schemas },
  ...more
})

/** A mock whose operations are answered by `rules`, and a function that sends requests to it. */
function started(given: object, rules = '', lines: string[] = []) {
  const path = mkdtempSync(join(tmpdir(), 'own-real-'))
  writeFileSync(join(path, 'openapi.json'), JSON.stringify(given))
  writeFileSync(join(path, 'rules.cjs'), rules)
  const mock = createMock({ with: [path], anonymous: 'basic', onProblem: (text) => lines.push(text) })
  const ask = async (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await mock.fetch(`http://mock${target}`, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, body: isJson ? JSON.parse(bytes.toString()) : bytes, headers: response.headers }
  }
  return { mock, ask }
}

const echo = 'exports.echo = (input) => input'

const list = { type: 'array', items: { type: 'integer' } }

test('parameters may be lists in one text, and objects in the query', async () => {
  const parameters = [
    { name: 'X-Ids', in: 'header', schema: { anyOf: [list, { type: 'null' }] } },
    { name: 'seen', in: 'cookie', schema: list },
    { name: 'ids', in: 'query', explode: false, schema: list },
    { name: 'piped', in: 'query', style: 'pipeDelimited', schema: list },
    { name: 'repeated', in: 'query', schema: list },
    {
      name: 'filter',
      in: 'query',
      style: 'deepObject',
      schema: { type: 'object', properties: { least: { type: 'integer' }, name: { type: 'string' } } }
    }
  ]
  const { ask } = started(
    document({ '/x': { get: { operationId: 'echo', parameters, responses: { 200: json({}) } } } }),
    echo
  )
  const query = 'ids=1,2&piped=3|4&repeated=5&repeated=6&filter[least]=7&filter[name]=8'
  const { body, headers } = await ask('GET', `/x?${query}`, undefined, { 'X-Ids': '9, 10', Cookie: 'seen=11,12' })
  expect(body).toMatchObject({
    query: { ids: [1, 2], piped: [3, 4], repeated: [5, 6], filter: { least: 7, name: '8' } },
    header: { 'x-ids': [9, 10] },
    cookie: { seen: [11, 12] }
  })
  expect(headers.get('x-mock-violations')).toBeNull()
  expect((await ask('GET', '/x?ids=1,b')).body.detail[0].loc).toEqual(['query', 'ids', 1])
})

test('parameters are converted if their schema is composed, and their errors show numbers', async () => {
  const parameters = [{ name: 'level', in: 'query', schema: { allOf: [ref('Level')], default: 1 } }]
  const schemas = { Level: { type: 'integer', enum: [1, 2] } }
  const { ask } = started(
    document({ '/x': { get: { operationId: 'echo', parameters, responses: { 200: json({}) } } } }, schemas),
    echo
  )
  expect((await ask('GET', '/x?level=2')).body.query).toEqual({ level: 2 })
  expect((await ask('GET', '/x?level=3')).body.detail[0].msg).toBe('Input should be 1 or 2')
})

test('the last parameter of a path may contain slashes if its name or its type says so, and other paths have priority', async () => {
  const get = { responses: { 200: json({}) } }
  const paths = {
    '/files/{file_path}': { get: { ...get, operationId: 'echo' } },
    '/files/{id}/tags': { get: { ...get, operationId: 'tags' } },
    '/rest/{all+}': { get: { ...get, operationId: 'all' } },
    '/n/{count:int}': { get }
  }
  const { ask } = started(document(paths), `${echo}; exports.tags = exports.all = exports.echo`)
  expect((await ask('GET', '/files/a/b%20c/d.txt')).body.path).toEqual({ file_path: 'a/b c/d.txt' })
  expect((await ask('GET', '/files/a/tags')).body.path).toEqual({ id: 'a' })
  expect((await ask('GET', '/rest/a/b')).body.path).toEqual({ all: 'a/b' })
  expect((await ask('GET', '/n/1/2')).status).toBe(404)
})

test('paths begin with the path of the first server, also with variables', async () => {
  const servers = [
    { url: 'https://{host}/{version}', variables: { host: { default: 'x' }, version: { default: 'v3' } } }
  ]
  const { ask } = started(document({ '/x': { get: { responses: { 200: json({}) } } } }, {}, { servers }))
  expect([(await ask('GET', '/v3/x')).status, (await ask('GET', '/x')).status]).toEqual([200, 404])
})

const kinds = {
  Cat: {
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: 'cat' }, lives: { type: 'integer', maximum: 9 } }
  },
  Dog: { type: 'object', required: ['kind'], properties: { kind: { const: 'dog' }, good: { type: 'boolean' } } },
  Pet: {
    oneOf: [ref('Cat'), ref('Dog')],
    discriminator: {
      propertyName: 'kind',
      mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    }
  }
}
const paths = {
  '/pets': {
    post: { requestBody: { required: true, content: json(ref('Pet')).content }, responses: { 200: json(ref('Pet')) } }
  },
  '/exact': {
    post: {
      requestBody: { content: json({ type: 'object', properties: { a: {} }, additionalProperties: false }).content },
      responses: { 200: json({}) }
    }
  }
}

test('a body of several kinds is checked and answered as the kind that it names', async () => {
  const { ask } = started(document(paths, kinds))
  const detailOf = async (body: object) => (await ask('POST', '/pets', body)).body.detail
  const discriminator = "'kind'"
  const invalid = 'does not match any of the expected tags'
  expect(await detailOf({ kind: 'fish' })).toEqual([
    {
      type: 'union_tag_invalid',
      loc: ['body'],
      msg: `Input tag 'fish' found using ${discriminator} ${invalid}: 'cat', 'dog'`
    }
  ])
  expect(await detailOf({})).toEqual([
    { type: 'union_tag_not_found', loc: ['body'], msg: `Unable to extract tag using discriminator ${discriminator}` }
  ])
  expect(await detailOf({ kind: 'cat', lives: 10 })).toEqual([
    { type: 'less_than_equal', loc: ['body', 'cat', 'lives'], msg: 'Input should be less than or equal to 9' }
  ])
  expect((await ask('POST', '/pets', { kind: 'dog', good: false })).body).toEqual({ kind: 'dog', good: false })
})

test('a body is refused with extra fields if the document forbids them', async () => {
  const { ask } = started(document(paths, kinds))
  const { status, body } = await ask('POST', '/exact', { a: 1, b: 2 })
  expect([status, body.detail[0]]).toEqual([
    422,
    { type: 'extra_forbidden', loc: ['body', 'b'], msg: 'Extra inputs are not permitted' }
  ])
})

const picture = (type: string) => ({ get: { responses: { 200: { description: 'ok', content: { [type]: {} } } } } })

test('an answer with an image type is a picture', async () => {
  const { ask } = started(document({ '/a.png': picture('image/png'), '/b.svg': picture('image/svg+xml') }))
  const { body, headers } = await ask('GET', '/a.png')
  expect([headers.get('content-type'), body.subarray(1, 4).toString()]).toEqual(['image/png', 'PNG'])
  expect((await ask('GET', '/b.svg')).body.toString()).toMatch(/^<svg /)
})

test.each([
  ['text/csv; charset=utf-8', /^id,name\r\n1,\w+\r\n$/],
  ['text/html', /^<!doctype html>\n<title>\w+<\/title>\n<p>\w+<\/p>\n$/],
  ['image/svg+xml', /^<svg /],
  ['application/atom+xml', /^<\?xml version="1\.0"\?>\n<item>\w+<\/item>\n$/],
  ['text/plain', /^\w+$/]
])('an answer of the type %s is a text in its form', async (type, form) => {
  const content = { [type]: { schema: { type: 'string' } } }
  const { ask } = started(document({ '/export': { get: { responses: { 200: { description: 'ok', content } } } } }))
  const { body, headers } = await ask('GET', '/export')
  expect([headers.get('content-type'), String(body)]).toEqual([type, expect.stringMatching(form)])
  expect(headers.get('x-mock-violations')).toBe(null)
})

test('an answer from a rule may be bytes', async () => {
  const file = {
    get: { operationId: 'file', responses: { 200: { description: 'ok', content: { 'application/pdf': {} } } } }
  }
  const { ask } = started(document({ '/file': file }), 'exports.file = () => new Uint8Array([0, 255, 128])')
  const { body, headers } = await ask('GET', '/file')
  expect([...body]).toEqual([0, 255, 128])
  expect(headers.get('content-type')).toBe('application/pdf')
  expect([headers.get('content-length'), headers.get('x-mock-violations')]).toEqual(['3', null])
})

test('an answer has the usual texts if a pattern allows them', async () => {
  const price = { type: 'string', pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$' }
  const schema = { type: 'object', required: ['price'], properties: { price } }
  const { ask } = started(document({ '/x': { get: { responses: { 200: json(schema) } } } }))
  expect((await ask('GET', '/x')).body.price).toMatch(/^\d+\.\d\d$/)
})

describe('a document of thousands of schemas', () => {
  const many = 1500
  const schemas = Object.fromEntries(
    Array.from({ length: many }, (_, at) => [
      `S${at}`,
      {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, next: ref(`S${(at + 1) % many}`) },
        // Extensions may refer to anything.
        'x-changes': [{ value: { $ref: '#/components/schemas/S1' } }, { value: { $ref: '#/nowhere' } }]
      }
    ])
  )
  const paths = {
    '/x': {
      get: { responses: { 200: json(ref('S0')) } },
      post: { requestBody: { content: json(ref('S0')).content }, responses: { 200: json(ref('S0')) } }
    }
  }

  test('that all refer to each other is served, checked and shown', async () => {
    const { ask } = started(document(paths, schemas))
    const { status, body } = await ask('GET', '/x')
    expect([status, Object.keys(body)]).toEqual([200, ['id', 'next']])
    expect((await ask('POST', '/x', { id: 1, next: { id: 'x' } })).body.detail[0].loc).toEqual(['body', 'next', 'id'])
    expect(Object.keys((await ask('GET', '/openapi.json')).body.components.schemas)).toContain('S1499')
  })
})

test('each mistake is reported once, and so is what a document lacks', () => {
  const lines: string[] = []
  started({ openapi: '3.1.0', info: { title: 'x', version: '1' }, webhooks: {} }, '', lines)
  expect(lines).toContainEqual(expect.stringMatching(/openapi\.json: the document has no operations\.$/))
  const broken = (responses: object) => () => started(document({ '/x': { get: { responses } } }))
  expect(broken({ 200: { $ref: '#/components/responses/No' } })).toThrow(/cannot be resolved$/)
  expect(broken({ 200: json({ $ref: 'other.yaml#/X' }) })).toThrow(/there is no such file$/)
  const path = join(mkdtempSync(join(tmpdir(), 'own-two-')), 'two.yaml')
  writeFileSync(path, 'openapi: 3.1.0\n---\na: 1\n')
  expect(() => createMock({ with: [path] })).toThrow(/two\.yaml:2:1: the file has several documents: give one$/)
})
