import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { initialize } from '../../../src/doors/cli/init.js'
import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, objectOf, shop, takes, text } from './shop.js'

const folders: string[] = []
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'init-'))
  folders.push(folder)
  return join(folder, 'shop')
}

test('the folder that init writes runs unchanged, with rows from faker', async () => {
  const folder = newFolder()
  initialize(shop, folder, false)
  const mock = await startTestMock({ api: folder })
  const { items } = (await mock.call('GET', '/products?page_size=50')).body
  expect(items).toHaveLength(10)
  const { articles } = (await mock.call('GET', '/articles')).body
  expect(new Set(articles.map((it: { slug: string }) => it.slug)).size).toBe(10)
  const { comments } = (await mock.call('GET', `/articles/${articles[0].slug}/comments`)).body
  expect(comments).toHaveLength(1)
  expect((await mock.call('POST', '/products', { body: { name: 'Ball', price: 3 } })).body.id).toBe(11)
  expect((await mock.call('GET', '/__mock/requests?violations=true')).body.total).toBe(0)
  for (const name of ['empty', 'many-rows', 'failing'])
    expect([name, (await mock.call('POST', `/__mock/scenarios/${name}`)).status]).toEqual([name, 200])
})

test('ledger.json has the questions that the document leaves open, and assumptions.json their choices', () => {
  const folder = newFolder()
  initialize(shop, folder, false)
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  for (const entry of read('ledger.json'))
    expect(entry).toMatchObject({
      id: expect.any(String),
      question: expect.any(String),
      place: expect.any(Array),
      choices: expect.any(Object),
      default: expect.any(String),
      observed: expect.any(String),
      reason: expect.any(String),
      probe: [expect.any(String), ...(entry.probe.slice(1) as string[])]
    })
  expect(read('assumptions.json')).toMatchObject({ 'delete.again': '404', 'put.absent': 'removed' })
})

test('other operations get a typed skeleton, which answers as the mock does', async () => {
  const folder = newFolder()
  const document = join(folder, '..', 'one.json')
  const schema = { type: 'object', required: ['sum'], properties: { sum: { type: 'integer', enum: [7] } } }
  writeFileSync(
    document,
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'One', version: '1' },
      paths: {
        '/add/{a}': {
          post: {
            operationId: 'add',
            responses: { 200: { description: 'ok', content: { 'application/json': { schema } } } }
          }
        }
      }
    })
  )
  initialize(document, folder, false)
  expect(readFileSync(join(folder, 'operations.d.ts'), 'utf8')).toContain('path: { a: string }')
  const mock = await startTestMock({ api: folder })
  const { body, headers } = await mock.call('POST', '/add/1')
  expect([body, headers.get('x-mock-source')]).toEqual([{ sum: 7 }, 'rule'])
})

test('keys are made as their schemas say, and rows of a form with a file are written too', async () => {
  const folder = newFolder()
  const document = join(folder, '..', 'keyed.json')
  const item = objectOf({ sku: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' }, name: text }, ['sku'])
  const file = objectOf({ file: { type: 'string', format: 'binary' }, note: text })
  const form = { requestBody: { content: { 'multipart/form-data': { schema: file } } } }
  writeFileSync(
    document,
    JSON.stringify(
      documentOf({
        '/items': { get: gives(listOf(item)), post: takes(item, item) },
        '/items/{sku}': { get: gives(item) },
        '/files': { post: { ...form, responses: { 201: { description: 'ok' } } } },
        '/files/{id}': {
          put: { ...form, responses: { 204: { description: 'ok' } } },
          delete: { responses: { 204: { description: 'ok' } } }
        }
      })
    )
  )
  initialize(document, folder, false)
  const mock = await startTestMock({ api: folder })
  const { body } = await mock.call('GET', '/items')
  expect(new Set(body.map(({ sku }: { sku: string }) => /^[A-Z]{3}-[0-9]{4}$/.test(sku) && sku)).size).toBe(10)
  expect((await mock.call('GET', '/__mock/state/files')).body.total).toBe(10)
})

test.each([
  ['the key', 'id', {}],
  ['not the key', 'number', { number: { type: 'integer' } }]
])('ids of a form that are %s are made as their schema says', async (_, parameter, others) => {
  const folder = newFolder()
  const document = join(folder, '..', `tickets-${parameter}.json`)
  const id = { type: 'string', pattern: '^tck_[0-9a-z]{10}$', readOnly: true }
  const ticket = objectOf({ id, title: text, ...others }, ['id', 'title', ...Object.keys(others)])
  const item = { parameters: [{ name: parameter, in: 'path', required: true, schema: {} }], ...gives(ticket) }
  const tickets = { get: gives(listOf(ticket)), post: takes(objectOf({ title: text }), ticket) }
  writeFileSync(
    document,
    JSON.stringify(documentOf({ '/tickets': tickets, [`/tickets/{${parameter}}`]: { get: item } }))
  )
  initialize(document, folder, false)
  for (const api of [document, folder]) {
    const { call } = await startTestMock({ api })
    const { status, body: made } = await call('POST', '/tickets', { body: { title: 'New' } })
    expect([status, made]).toEqual([
      201,
      { id: expect.stringMatching(/^tck_[0-9a-z]{10}$/), title: 'New', ...(parameter !== 'id' && { number: 11 }) }
    ])
    expect((await call('GET', `/tickets/${made[parameter]}`)).body).toEqual(made)
    expect((await call('GET', '/tickets')).body).toHaveLength(11)
    expect((await call('POST', '/__mock/state/tickets?count=2', { body: {} })).status).toBe(201)
  }
})

test('the types of bodies are by their media types, and files are what rules receive', () => {
  const folder = newFolder()
  const document = join(folder, '..', 'uploads.json')
  const file = { type: 'string', format: 'binary' }
  const form = (type: string, schema: object) => ({ requestBody: { content: { [type]: { schema } } } })
  const pdf = { responses: { 200: { description: 'ok', content: { 'application/pdf': { schema: file } } } } }
  const paths = {
    '/photos': { post: { ...form('multipart/form-data', objectOf({ file }, ['file'])), ...gives(text, 201) } },
    '/pay': { post: { ...form('application/x-www-form-urlencoded', objectOf({ amount: integer })), ...pdf } }
  }
  writeFileSync(document, JSON.stringify(documentOf(paths)))
  initialize(document, folder, false)
  const types = readFileSync(join(folder, 'operations.d.ts'), 'utf8')
  expect(types.match(/'[a-z]+\/.*(?= \})/g)).toEqual([
    "'multipart/form-data': { file: { name: string; type: string; bytes: Uint8Array } } }",
    "'application/json': string }",
    "'application/x-www-form-urlencoded': { amount?: number } }",
    "'application/pdf': string }"
  ])
})

test('a folder with files is refused without force, and a second run keeps edited files', () => {
  const folder = newFolder()
  initialize(shop, folder, false)
  const edited = 'export default {}\n'
  writeFileSync(join(folder, 'fixtures.mjs'), edited)
  rmSync(join(folder, 'ledger.json'))
  const newer = join(folder, '..', 'newer.yaml')
  writeFileSync(
    newer,
    readFileSync(shop, 'utf8')
      .replace('paths:', "paths:\n  /ping:\n    get: { operationId: ping, responses: { '204': { description: ok } } }")
      .replace('amount: { type: integer }', 'amount: { type: number }')
  )
  const lines = initialize(newer, folder, false).join('\n')
  expect(lines).toContain('fixtures.mjs: kept, because it was edited')
  expect(lines).toContain('openapi.yaml: changed')
  expect(lines).toContain('new operations: ping\nchanged schemas: Order')
  expect(readFileSync(join(folder, 'fixtures.mjs'), 'utf8')).toBe(edited)
  expect(readFileSync(join(folder, 'rules.mjs'), 'utf8')).toContain('export const ping')
  expect(readdirSync(folder)).toContain('ledger.json')
  const other = join(newFolder(), '..')
  writeFileSync(join(other, 'mine.txt'), '')
  expect(() => initialize(shop, other, false)).toThrow('has files already: choose another folder, or give --force')
  initialize(shop, other, true)
  expect(readdirSync(other)).toContain('api.mjs')
})

test('a folder that is a file, and a memory of earlier runs that is broken, are named', () => {
  const folder = newFolder()
  const file = `${folder}.txt`
  writeFileSync(file, '')
  expect(() => initialize(shop, file, false)).toThrow('shop.txt is a file: name a folder.')
  initialize(shop, folder, false)
  writeFileSync(join(folder, '.init.json'), '{ bad')
  expect(() => initialize(shop, folder, false)).toThrow(/\.init\.json:1:3: /)
  writeFileSync(join(folder, '.init.json'), '[]')
  expect(() => initialize(shop, folder, false)).toThrow(
    '.init.json is not what init wrote: delete it, and give --force.'
  )
})

test('a second run keeps a document that was edited', () => {
  const folder = newFolder()
  initialize(shop, folder, false)
  const copy = join(folder, 'openapi.yaml')
  writeFileSync(copy, `${readFileSync(copy, 'utf8')}# A note.\n`)
  expect(initialize(shop, folder, false).join('\n')).toContain('openapi.yaml: kept, because it was edited')
  expect(readFileSync(copy, 'utf8')).toContain('# A note.')
})

const parsed = () => parse(readFileSync(shop, 'utf8')) as object
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, it]) => [key, reversed(it)])
  )
}

test('a document in another form takes the place of the one before, and is the same if it says the same', async () => {
  const folder = newFolder()
  initialize(shop, folder, false)
  const { openapi, ...others } = parsed() as { openapi: string }
  const other = join(folder, '..', 'renamed.json')
  writeFileSync(other, JSON.stringify({ openapi, ...(reversed(others) as object) }))
  const lines = initialize(other, folder, false).join('\n')
  expect(lines).toContain('openapi.yaml: removed')
  expect(lines).toContain('openapi.json: written')
  expect(lines).toContain('the document has the same operations and schemas as before')
  expect(readdirSync(folder).filter((it) => it.startsWith('openapi'))).toEqual(['openapi.json'])
  const mock = await startTestMock({ api: folder })
  expect((await mock.call('GET', '/products')).status).toBe(200)
})

test('changed parameters of a path change its operations', () => {
  const folder = newFolder()
  const file = `${folder}.json`
  const write = (maximum: number) => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', maximum } }]
    writeFileSync(
      file,
      JSON.stringify(documentOf({ '/a/{id}': { parameters, get: gives(text) }, '/b': { get: gives(text) } }))
    )
    return initialize(file, folder, false).join('\n')
  }
  write(5)
  expect(write(6)).toContain('changed operations: getAById\n')
})

test('an edited document stays when the next one has another form, unless init is forced', async () => {
  const folder = newFolder()
  initialize(shop, folder, false)
  const copy = join(folder, 'openapi.yaml')
  writeFileSync(copy, `${readFileSync(copy, 'utf8')}# A note.\n`)
  const other = join(folder, '..', 'other.json')
  writeFileSync(other, JSON.stringify(parsed()))
  for (const _ of [1, 2])
    expect(initialize(other, folder, false).join('\n')).toContain('openapi.yaml: kept, because it was edited')
  expect(readdirSync(folder).filter((it) => it.startsWith('openapi'))).toEqual(['openapi.yaml'])
  initialize(other, folder, true)
  expect(readdirSync(folder).filter((it) => it.startsWith('openapi'))).toEqual(['openapi.json'])
})

test('an unedited skeleton leaves its operation among those that are not understood', async () => {
  const paths = { '/refund': { post: gives(text) }, '/ping': { get: gives(text) } }
  const notUnderstood = async (edit: (rules: string) => string) => {
    const folder = newFolder()
    writeFileSync(`${folder}.json`, JSON.stringify(documentOf(paths)))
    initialize(`${folder}.json`, folder, false)
    const rules = join(folder, 'rules.mjs')
    writeFileSync(rules, edit(readFileSync(rules, 'utf8')))
    const mock = await startTestMock({ api: folder })
    const { not_understood } = (await mock.call('GET', '/__mock/collections')).body
    return not_understood.map((it: { operation: string }) => it.operation)
  }
  expect(await notUnderstood((rules) => rules)).toEqual(['postRefund', 'getPing'])
  const edited = (rules: string) => rules.replace(/getPing = .*/, "getPing = () => 'pong'")
  expect(await notUnderstood(edited)).toEqual(['postRefund'])
})
