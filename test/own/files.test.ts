import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import supertest from 'supertest'
import { createMock } from '../../src/doors/program/mock.js'
import { moduleCases, moduleKinds, words } from './module-kinds.js'

const root = mkdtempSync(join(tmpdir(), 'kcm-files-'))

let count = 0
/** A new folder with these files. */
function folderWith(files: Record<string, unknown>): string {
  const folder = join(root, String(++count))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

/** A document whose only operation, GET /pets, has these fields. */
const document = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: operation } },
  ...more
})
const answering = (schema: object) => ({
  responses: {
    200: { $ref: 'parts/answers.yaml#/Ok' },
    201: { description: 'x', content: { 'application/json': { schema } } }
  }
})
const started = (path: string) => createMock({ with: [path], onProblem: () => {} })
const problem = (files: Record<string, unknown>, main = 'openapi.json') => {
  const folder = folderWith(files)
  try {
    started(join(folder, main))
    return undefined
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, '')
  }
}

const files = {
  'openapi.json': document(
    { parameters: [{ $ref: 'parts/limit.json' }], responses: { 200: { $ref: 'parts/answers.yaml#/Ok' } } },
    { components: { schemas: { Kind: { enum: ['cat'] } } } }
  ),
  'parts/limit.json': { name: 'limit', in: 'query', schema: { type: 'integer' } },
  'parts/answers.yaml':
    "Ok:\n  description: ok\n  content: { application/json: { schema: { type: array, minItems: 1, items: { $ref: '../pet.yaml#/$defs/Pet' } } } }\n",
  'pet.yaml':
    "$defs:\n  Pet:\n    type: object\n    required: [kind, name]\n    properties:\n      kind: { $ref: 'openapi.json#/components/schemas/Kind' }\n      name: { $ref: '#/$defs/Name' }\n      parent: { $ref: '#/$defs/Pet' }\n  Name: { type: string, enum: [Tom] }\n"
}

test('a document in several files is served and published as one document', async () => {
  const mock = started(folderWith(files))
  const ask = async (path: string) => JSON.parse(await (await mock.fetch(`http://mock${path}`)).text())
  expect((await ask('/pets'))[0]).toMatchObject({ kind: 'cat', name: 'Tom' })
  expect((await ask('/pets?limit=x')).detail[0].loc).toEqual(['query', 'limit'])
  const { paths, components } = await ask('/openapi.json')
  expect(JSON.stringify(paths['/pets'])).toContain('"#/components/schemas/Pet"')
  expect(components.schemas.Pet.properties).toEqual({
    kind: { $ref: '#/components/schemas/Kind' },
    name: { $ref: '#/components/schemas/Name' },
    parent: { $ref: '#/components/schemas/Pet' }
  })
})

test('a document in several files that names a missing file or a missing part is refused with its place', () => {
  expect(problem({ 'openapi.json': document(answering({ $ref: './none.yaml#/Pet' })) })).toMatch(
    /^openapi\.json:1:\d+ .*\$ref: .*: there is no such file$/
  )
  const part = { ...files, 'pet.yaml': '$defs:\n  Pets: {}\n' }
  expect(problem(part)).toMatch(
    /^parts\/answers\.yaml:3:\d+ .*\$ref: .* cannot be resolved: pet\.yaml has no \/\$defs\/Pet$/
  )
  const wrong = { ...files, 'pet.yaml': '$defs:\n  Pet:\n    type: objekt\n' }
  expect(problem(wrong)).toMatch(/^pet\.yaml:3:\d+ \/\$defs\/Pet\/type: type is one of/)
  expect(problem({ ...files, 'pet.yaml': '$defs: [' })).toMatch(/^pet\.yaml:1:9: /)
})

test('a document may name missing files in extensions for other tools, but not in a header called so', async () => {
  const json = { 'application/json': { example: [] } }
  const answering = (headers: object) => ({ responses: { 200: { description: 'ok', content: json, headers } } })
  const samples = { 'x-codeSamples': [{ lang: 'PHP', source: { $ref: 'examples/pet.php' } }] }
  const mock = started(join(folderWith({ 'openapi.json': document({ ...answering({}), ...samples }) }), 'openapi.json'))
  expect((await mock.fetch('http://mock/pets')).status).toBe(200)
  const counted = document(answering({ 'x-total': { $ref: 'none.yaml#/Total' } }))
  expect(problem({ 'openapi.json': counted })).toContain('there is no such file')
})

test('a document in several files reads no URL, and nothing outside of its folder', () => {
  for (const reference of [
    'https://example.com/pet.json',
    'file:///etc/hostname',
    '/etc/hostname',
    'parts\\..\\..\\x',
    '//host/x'
  ]) {
    expect(problem({ 'openapi.json': document(answering({ $ref: reference })) })).toMatch(
      /there is no such file|is not a file next to the document/
    )
  }
  writeFileSync(join(root, 'secret.yaml'), 'Secret: { type: string }')
  const outside = document(answering({ $ref: '../secret.yaml#/Secret' }))
  const inside = { 'parts/answers.yaml': 'Ok: { description: ok }' }
  expect(problem({ 'openapi.json': outside, ...inside })).toContain('is outside of the folder of the document')
  expect(problem({ 'openapi.json': document(answering({ $ref: '%2e%2e/secret.yaml#/Secret' })), ...inside })).toContain(
    'is outside of the folder of the document'
  )
  const folder = folderWith({ 'openapi.json': document(answering({ $ref: 'link.yaml#/Secret' })), ...inside })
  symlinkSync(join(root, 'secret.yaml'), join(folder, 'link.yaml'))
  expect(() => started(folder)).toThrow('is outside of the folder of the document')
})

test('a document in several files with a circle of references is served if they are schemas, and refused otherwise', async () => {
  const chain = { 'a.json': { $ref: 'b.json' }, 'b.json': { $ref: 'a.json' } }
  const schema = {
    responses: { 200: { description: 'x', content: { 'application/json': { schema: { $ref: 'a.json' } } } } }
  }
  const mock = started(folderWith({ 'openapi.json': document(schema), ...chain }))
  expect((await mock.fetch('http://mock/pets')).status).toBe(200)
  expect(problem({ 'openapi.json': document({ responses: { 200: { $ref: 'a.json' } } }), ...chain })).toMatch(
    /in a circle of references$/
  )
})

test('a folder without a document adds its scenarios and its rows', async () => {
  const scenario = 'steps:\n  - create: { collection: labels, part: { name: Arranged } }\n'
  const mock = started(
    folderWith({ 'scenarios/arranged.yaml': scenario, 'fixtures.json': { labels: [{ name: 'Own' }] } })
  )
  const box = mock.sandbox()
  expect(box.rows('labels').at(-1)?.name).toBe('Own')
  await box.play('arranged')
  expect(box.rows('labels').at(-1)?.name).toBe('Arranged')
})

test('a folder without a document is refused with what it needs, if it has rules or nothing', () => {
  expect(() => started(folderWith({ 'rules.js': '' }))).toThrow('has rules, but no openapi.yaml or openapi.json')
  expect(() => started(folderWith({ 'read.me': '' }))).toThrow('no fixtures and no scenarios')
})

describe('rules.js and routes.js may be modules of either kind, whatever package.json says', () => {
  const answer = { responses: { 200: { description: 'ok', content: { 'application/json': {} } } } }
  const openapi = document({ operationId: 'getPets', ...answer })

  test.each(moduleCases)('%s under the type %s, in a program', async (kind, type) => {
    const folder = folderWith({ 'package.json': { type }, 'openapi.json': openapi, ...moduleKinds[kind], ...words })
    const mock = started(folder)
    await supertest(mock.app)
      .get('/pets')
      .expect(200, [{ name: 'Tom' }])
    await supertest(mock.app).get('/own').expect(200, 'own')
  })

  test.each(['rules.ts', 'rules.mts', 'rules.cts'])('%s is loaded', async (name) => {
    const rules = 'export const getPets = (): { name: string }[] => [{ name: "Tom" as string }]'
    const folder = folderWith({ 'package.json': {}, 'openapi.json': openapi, [name]: rules })
    await supertest(started(folder).app)
      .get('/pets')
      .expect(200, [{ name: 'Tom' }])
  })

  test.each(['export const x = 5', 'export default 5', ''])('a rules file without functions is noted: %j', (text) => {
    const said: string[] = []
    createMock({ with: [folderWith({ 'openapi.json': openapi, 'rules.mjs': text })], onProblem: (it) => said.push(it) })
    expect(said).toEqual([expect.stringContaining('rules.mjs: no function')])
  })

  test.each([
    ['module', 'exports.a = 1\nexports.b = ('],
    ['commonjs', "import 'node:fs'\nexport const b = ("]
  ])('an error under the type %s is reported with its file', (type, rules) => {
    const folder = folderWith({ 'package.json': { type }, 'openapi.json': openapi, 'rules.js': rules })
    expect(() => started(folder)).toThrow(/rules\.js(:\d)? cannot be loaded: /)
  })
})

describe('data that nests too deep is refused with the name of its file', () => {
  const depth = 5000
  const json = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const yaml = `${'['.repeat(depth)}${']'.repeat(depth)}`
  const paths = { '/x': { get: { responses: { 200: { description: '', content: { 'application/json': {} } } } } } }
  const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths })

  test.each<[string, string, object]>([
    ['deep.json', text.replace('"application/json":{}', `"application/json":{"example":${json}}`), { with: ['FILE'] }],
    ['deep.yaml', `openapi: 3.1.0\ninfo: {}\npaths: {}\nx-deep: ${yaml}`, { with: ['FILE'] }],
    ['fixtures.json', `{"collections":{"credentials":[{"credential_json":${json}}]}}`, { fixtures: 'FILE' }],
    ['overrides.json', `[{"operation":"getPersona","status":200,"body":${json}}]`, { overrides: 'FILE' }]
  ])('%s', (name, content, options) => {
    const file = join(folderWith({ [name]: content }), name)
    expect(() => createMock(JSON.parse(JSON.stringify(options).replace('FILE', file)))).toThrow(
      `${name} nests deeper than 500 levels`
    )
  })

  test.each([
    ['deep.json', `{"steps":[{"control":{"operation":"addRow","body":${json}}}]}`],
    ['deep.yml', `steps:\n  - override: { path: /x, status: 200, body: ${yaml} }\n`]
  ])('scenarios/%s', (name, content) => {
    expect(() => started(folderWith({ [`scenarios/${name}`]: content })).scenarios).toThrow(
      `${name} nests deeper than 500 levels`
    )
  })

  test('an object in a program is refused, too', async () => {
    const deep = JSON.parse(json)
    expect(() => createMock({ with: [{ ...document({}), 'x-deep': deep }] })).toThrow('with[0] nests deeper than')
    const box = createMock({}).sandbox()
    expect(() => box.create('credentials', { credential_json: deep })).toThrow('The body nests deeper than 500 levels.')
    await expect(box.play({ steps: [{ override: { path: '/x', status: 200, body: deep } }] })).rejects.toThrow(
      'The body nests deeper than 500 levels'
    )
  })
})
