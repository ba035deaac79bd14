import { invalidAt, startTestMock } from '../mock.js'

const path = '/api/admin/tool/custom/validate'
const mock = await startTestMock({ fixtures: 'empty' })
const as400 = await startTestMock({ fixtures: 'empty', profile: 'observed' })

const get = { operationId: 'getX', summary: 'Read an x' }
const inPath = (name: string) => ({ name, in: 'path', schema: { type: 'string' } })

/** A definition with one change each. */
const good = {
  openapi: '3.1.0',
  info: { title: 'Weather', description: 'Forecasts by city' },
  servers: [{ url: 'https://weather.example.com' }],
  paths: { '/x': { get } }
}
const withPaths = (paths: unknown, more: object = {}) => ({ ...good, paths, ...more })
const without = (name: keyof typeof good) => ({ ...good, [name]: undefined })

const validate = (definition: unknown, on = mock) => on.call('POST', path, { as: 'curator', body: { definition } })
const methods = async (definition: unknown) => (await validate(definition)).body.methods
const flaw = async (definition: unknown) => {
  const { status, body } = await validate(definition)
  const [{ loc, msg }] = body.detail
  expect([status, body.detail.length, loc]).toEqual([422, 1, ['body', 'definition']])
  return msg.replace('Value error, ', '')
}

test('E19, a definition that is good is answered with its methods in order, each with the operation as it was sent', async () => {
  const get = { operationId: 'readForecast', summary: 'Read it', tags: ['a'], 'x-cost': { deep: [1, null] } }
  const Delete = { operationId: 'dropAlert', description: 'Delete an alert' }
  const result = await methods(
    withPaths({ '/z': { DELETE: Delete, get }, '/a': { post: { ...get, summary: '', description: 'Or so' } } })
  )
  expect(result).toEqual([
    { name: 'dropAlert', summary: 'Delete an alert', path: '/z', method: 'DELETE', spec: Delete },
    { name: 'readForecast', summary: 'Read it', path: '/z', method: 'get', spec: get },
    {
      name: 'readForecast',
      summary: 'Or so',
      path: '/a',
      method: 'post',
      spec: { ...get, summary: '', description: 'Or so' }
    }
  ])
})

test('E19, a definition that is good may have keys in a path item that are not methods', async () => {
  const item = { summary: 's', description: 'd', servers: [], $ref: '#/x', parameters: [], 'x-owner': 'me', get }
  expect(await methods(withPaths({ '/x': item }))).toHaveLength(1)
})

test('E19, a definition that is good may declare path parameters on the path item, on the operation, or by reference', async () => {
  const parameters = { b: inPath('b'), again: { $ref: '#/components/parameters/b' } }
  const item = {
    parameters: [inPath('a')],
    get: { ...get, parameters: [{ $ref: '#/components/parameters/again' }, { name: 'limit', in: 'query' }] }
  }
  expect(await methods(withPaths({ '/{a}/{b}': item }, { components: { parameters } }))).toHaveLength(1)
})

test('E19, a definition that is good may have a request body, if application/json is one of its types', async () => {
  const post = (requestBody: unknown) => withPaths({ '/x': { post: { ...get, requestBody } } })
  for (const body of [{ content: { 'text/csv': {}, 'application/json': {} } }, { content: {} }, {}]) {
    expect(await methods(post(body))).toHaveLength(1)
  }
})

test('E19, a definition that is good is not stored', async () => {
  await validate(good)
  expect([...mock.sandbox.rows.tools.all()]).toEqual([])
})

test.each<[string, unknown]>([
  ['`info` section is required in OpenAPI schema', without('info')],
  ['`title` is required in `info` section of OpenAPI schema', { ...good, info: { description: 'd' } }],
  ['`description` is required in `info` section of OpenAPI schema', { ...good, info: { title: 't' } }],
  ['`openapi` field which specifies OpenAPI schema version is required', without('openapi')],
  ["OpenAPI version '2.0' is not supported", { ...good, openapi: '2.0' }],
  ['`paths` section is required in OpenAPI schema', without('paths')],
  ['Expected exactly one URL in OpenAPI schema, but found []', without('servers')],
  ['Expected exactly one URL in OpenAPI schema, but found []', { ...good, servers: [{}, { url: '' }] }],
  [
    "Expected exactly one URL in OpenAPI schema, but found ['https://a', 'https://b']",
    { ...good, servers: [{ url: 'https://a' }, { url: 'https://b' }] }
  ],
  ['Operation ID is not specified for GET /x', withPaths({ '/x': { get: { summary: 's' } } })],
  ['Summary is not specified for GET /x', withPaths({ '/x': { get: { operationId: 'o', summary: '' } } })],
  ['No methods found in OpenAPI schema', withPaths({})],
  ['No methods found in OpenAPI schema', withPaths({ '/x': { parameters: [], 'x-a': 1 } })],
  ["Missing path parameter: 'id'", withPaths({ '/x/{id}': { get } })],
  [
    "Missing path parameter: 'id'",
    withPaths({ '/x/{id}': { get: { ...get, parameters: [{ name: 'id', in: 'query' }] } } })
  ],
  [
    "Unsupported content type: 'text/csv'. Only 'application/json' is supported.",
    withPaths({ '/x': { post: { ...get, requestBody: { content: { 'text/csv': {} } } } } })
  ],
  ["HTTP method 'options' is not supported.", withPaths({ '/x': { options: get } })],
  ["HTTP method 'trace' is not supported.", withPaths({ '/x': { get, trace: get } })],
  ['Operation ID is not specified for HEAD /x', withPaths({ '/x': { head: {} } })]
])('E19, a definition with one mistake is answered with: %s', async (text, definition) => {
  expect(await flaw(definition)).toBe(text)
})

test('E19, a definition with one mistake is answered with the first of several mistakes', async () => {
  const definition: Record<string, unknown> = {}
  expect(await flaw(definition)).toContain('`info`')
  definition.info = {}
  expect(await flaw(definition)).toContain('`title`')
  definition.info = { title: 't' }
  expect(await flaw(definition)).toContain('`description`')
  definition.info = good.info
  expect(await flaw(definition)).toContain('`openapi` field which')
  definition.openapi = '4.0'
  expect(await flaw(definition)).toContain("'4.0'")
  definition.openapi = '3.0.0'
  expect(await flaw(definition)).toContain('`paths`')
  const requestBody = { content: { 'text/csv': {} } }
  definition.paths = { '/{id}': { options: { requestBody } }, '/z': { get: {} } }
  expect(await flaw(definition)).toContain('exactly one URL')
  definition.servers = good.servers
  expect(await flaw(definition)).toBe('Operation ID is not specified for OPTIONS /{id}')
  definition.paths = { '/{id}': { options: { operationId: 'o', requestBody } }, '/z': { get: {} } }
  expect(await flaw(definition)).toBe('Summary is not specified for OPTIONS /{id}')
  definition.paths = { '/{id}': { options: { ...get, requestBody } }, '/z': { get: {} } }
  expect(await flaw(definition)).toBe('Operation ID is not specified for GET /z')
  definition.paths = { '/{id}': { options: { ...get, requestBody } } }
  expect(await flaw(definition)).toBe("Missing path parameter: 'id'")
  definition.paths = { '/': { options: { ...get, requestBody } } }
  expect(await flaw(definition)).toContain("'text/csv'")
  definition.paths = { '/': { options: get } }
  expect(await flaw(definition)).toContain("'options'")
})

test('E19, a definition with one mistake is a 400 with only the text if tool.definition says so', async () => {
  const { status, body, headers } = await validate(without('info'), as400)
  expect([status, body]).toEqual([400, { detail: '`info` section is required in OpenAPI schema' }])
  expect(headers.get('x-mock-assumed')).toContain('tool.definition')
  expect((await validate(good, as400)).status).toBe(200)
})

const op = (change: object) => withPaths({ '/x': { get: { ...get, ...change } } })

test.each<[string, unknown]>([
  ['`info` section must be an object', { ...good, info: 'a title and a description' }],
  ['`info` section must be an object', { ...good, info: null }],
  ['`openapi` field must be a string', { ...good, openapi: 3.1 }],
  ['`paths` section must be an object', withPaths([])],
  ['`servers` section must be a list', { ...good, servers: { url: 'https://a' } }],
  ['Each of `servers` must be an object', { ...good, servers: ['https://a'] }],
  ['`url` of a server must be a string', { ...good, servers: [{ url: 5 }] }],
  ['Path item /x must be an object', withPaths({ '/x': null })],
  ['Operation GET /x must be an object', withPaths({ '/x': { get: null } })],
  ['Operation ID for GET /x must be a string', op({ operationId: 5 })],
  ['Summary for GET /x must be a string', op({ summary: ['s'] })],
  ['Parameters of GET /x must be a list', op({ parameters: { id: {} } })],
  ['Parameters of GET /x must be a list', op({ parameters: null })],
  ['Each of Parameters of GET /x must be an object', op({ parameters: ['id'] })],
  ['Parameters of /x must be a list', withPaths({ '/x': { get, parameters: 'id' } })],
  ['Request body of GET /x must be an object', op({ requestBody: 'json' })],
  ['Content of the request body of GET /x must be an object', op({ requestBody: { content: ['application/json'] } })]
])('E19, a definition of wrong types is answered with: %s', async (text, definition) => {
  expect(await flaw(definition)).toBe(text)
})

test('E19, a definition of wrong types may have fields with names that all objects have, without effect', async () => {
  const text = JSON.stringify(withPaths({ '/{constructor}': { get } })).replace(
    '"paths"',
    '"__proto__":{"info":1},"paths"'
  )
  const wrong = (msg: string) => invalidAt(['body', 'definition'], msg)
  const { body } = await mock.call('POST', path, { body: `{"definition":${text}}` })
  expect(body).toEqual(wrong("Missing path parameter: 'constructor'"))
  const proto = '{"definition":{"__proto__":{"info":{"title":"t","description":"d"}}}}'
  expect((await mock.call('POST', path, { body: proto })).body).toEqual(
    wrong('`info` section is required in OpenAPI schema')
  )
  expect(await flaw(op({ parameters: [{ $ref: '#/constructor/prototype' }] }).paths)).toContain('`info`')
})

test('E19, a definition of wrong types keeps fields named __proto__ in the operation', async () => {
  const text = JSON.stringify(good).replace('"summary"', '"__proto__":{"a":1},"summary"')
  const { status, text: reply } = await mock.call('POST', path, { body: `{"definition":${text}}` })
  expect(status).toBe(200)
  expect(reply).toContain('"__proto__":{"a":1}')
})

const inItem = (parameters: unknown[], components: unknown) =>
  withPaths({ '/x/{id}': { get: { ...get, parameters } } }, { components })
const ref = (name: string) => ({ $ref: `#/components/parameters/${name}` })

test('E19, a hostile definition is not followed around circles of references', async () => {
  const parameters = { a: ref('b'), b: ref('a'), self: ref('self') }
  expect(await flaw(inItem([ref('a'), ref('self')], { parameters }))).toBe("Missing path parameter: 'id'")
})

test('E19, a hostile definition may have references to nothing, to elsewhere and to values other than objects', async () => {
  for (const $ref of [
    '#/components/parameters/none',
    'https://example.com/x.json#/id',
    '#',
    '#/openapi',
    '#/servers/0',
    ''
  ]) {
    expect(await flaw(inItem([{ $ref }], {}))).toBe("Missing path parameter: 'id'")
  }
})

test('E19, a hostile definition may be wide, and have long chains of references', async () => {
  const count = 1000
  const chain = Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, ref(`p${i + 1}`)]))
  const paths: Record<string, unknown> = {}
  for (let i = 0; i < count; i++) paths[`/x${i}`] = { get }
  paths['/x/{id}'] = { get: { ...get, parameters: Array(count).fill(ref('p0')) } }
  expect(await flaw({ ...good, paths, components: { parameters: chain } })).toBe("Missing path parameter: 'id'")
})

test('E19, a hostile definition may be deep', async () => {
  const deep = '['.repeat(480) + ']'.repeat(480)
  for (const place of ['"info":', '"summary":']) {
    const text = JSON.stringify(good).replace(place, `"x-deep":${deep},${place}`)
    expect((await mock.call('POST', path, { body: `{"definition":${text}}` })).status).toBe(200)
  }
})
