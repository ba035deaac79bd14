import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '../../src/doors/program/mock.js'
import { startTestMock as start } from '../mock.js'
import { notes, ok, rulesOfNotes } from './notes.js'

/** A folder with these files. */
function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), 'own-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const started = () => start({ with: [notes()] })

test('a user’s collection starts with the configured number of rows, and its list pages through them', async () => {
  const mock = await started()
  const all = await mock.call('GET', '/api/notes?limit=100')
  expect(all.body).toHaveLength(20)
  expect((await mock.call('GET', '/api/notes')).body).toEqual(all.body.slice(0, 5))
  expect((await mock.call('GET', '/api/notes?limit=5&offset=5')).body).toEqual(all.body.slice(5, 10))
  expect((await mock.call('GET', '/api/notes?limit=100&done=true')).body).toEqual(
    all.body.filter((it: { done: boolean }) => it.done)
  )
})

test('a user’s collection accepts new rows, changes and deletions, which its list shows, but other sandboxes do not', async () => {
  const mock = await started()
  const made = await mock.call('POST', '/api/notes', { body: { title: 'Mine' } })
  expect([made.status, made.body.title, made.body.id]).toEqual([201, 'Mine', 21])
  const changed = await mock.call('PATCH', '/api/notes/21', { body: { done: true, title: 'Yours' } })
  expect(changed.body).toEqual({ ...made.body, done: true, title: 'Yours' })
  expect((await mock.call('GET', '/api/notes/21')).body).toEqual(changed.body)
  expect((await mock.call('GET', '/api/notes/21', { as: 'admin~other' })).status).toBe(404)
  expect((await mock.call('DELETE', '/api/notes/21')).status).toBe(204)
  expect((await mock.call('GET', '/api/notes/21')).body).toEqual({ detail: 'notes has no row 21' })
})

test('a user’s collection is part of state, reset and snapshots', async () => {
  const mock = await started()
  const before = await mock.call('GET', '/__mock/state/notes')
  expect(before.body.total).toBe(20)
  await mock.call('POST', '/__mock/snapshots/then')
  await mock.call('DELETE', '/api/notes/1')
  expect((await mock.call('GET', '/__mock/state/notes')).body.total).toBe(19)
  await mock.call('POST', '/__mock/snapshots/then/restore')
  expect((await mock.call('GET', '/__mock/state/notes')).body).toEqual(before.body)
  const state = await mock.call('GET', '/__mock/state')
  await mock.call('DELETE', '/api/notes/1')
  expect((await mock.call('PUT', '/__mock/state', { body: state.body })).status).toBe(200)
  expect((await mock.call('GET', '/__mock/state')).body).toEqual(state.body)
  await mock.call('DELETE', '/api/notes/1')
  await mock.call('POST', '/__mock/reset')
  expect((await mock.call('GET', '/__mock/state/notes')).body).toEqual(before.body)
})

test('a user’s collection has the same rows for the same seed, and others for another', async () => {
  const titles = async (seed: number) =>
    (await (await start({ with: [notes()], seed })).call('GET', '/__mock/state/notes')).body.rows
  expect(await titles(1)).toEqual(await titles(1))
  expect(await titles(2)).not.toEqual(await titles(1))
})

test('a user’s collection survives a restart in a data folder', async () => {
  const data = mkdtempSync(join(tmpdir(), 'own-data-'))
  const first = await start({ with: [notes()], data })
  await first.call('POST', '/api/notes', { body: { title: 'Kept' } })
  await first.call('DELETE', '/api/notes/1')
  const rows = (await first.call('GET', '/__mock/state/notes')).body
  await first.close()
  const second = await start({ with: [notes()], data })
  expect((await second.call('GET', '/__mock/state/notes')).body).toEqual(rows)
  await second.close()
  // Without the document the rows stay in the folder, unseen.
  const without = await start({ data })
  expect((await without.call('GET', '/__mock/state/notes')).status).toBe(400)
  await without.call('POST', '/api/user/projects/create?name=x')
  await without.close()
  const third = await start({ with: [notes()], data })
  expect((await third.call('GET', '/__mock/state/notes')).body).toEqual(rows)
})

test('a user’s row that is older than its document gets the fields that are required now, and can be changed', async () => {
  const data = mkdtempSync(join(tmpdir(), 'own-older-'))
  const first = await start({ with: [notes()], data })
  await first.call('POST', '/api/notes', { body: { title: 'Old' } })
  await first.close()
  const { components, ...others } = notes()
  const { Note } = components.schemas
  const color = { type: 'string', enum: ['red', 'blue'] }
  const newer = { ...Note, required: [...Note.required, 'color'], properties: { ...Note.properties, color } }
  const document = { ...others, components: { schemas: { ...components.schemas, Note: newer } } }
  const files = { 'openapi.json': JSON.stringify(document), 'rules.mjs': rulesOfNotes }
  const second = await start({ with: [folder(files)], data })
  const { body: shown } = await second.call('GET', '/api/notes/21')
  expect(shown).toMatchObject({ title: 'Old', color: expect.stringMatching(/^(red|blue)$/) })
  const changed = await second.call('PATCH', '/api/notes/21', { body: { title: 'New' } })
  expect([changed.status, changed.body]).toEqual([200, { ...shown, title: 'New' }])
  expect((await second.call('POST', '/api/notes/2/archive')).body).toMatchObject({
    done: true,
    color: expect.any(String)
  })
})

test('a user’s collection starts empty with the fixtures empty', async () => {
  const mock = await start({ with: [notes()], fixtures: 'empty' })
  expect((await mock.call('GET', '/api/notes')).body).toEqual([])
  expect((await mock.call('POST', '/api/notes', { body: { title: 'First' } })).body.id).toBe(1)
})

test('fixtures of a folder replace generated rows, and add to the platform’s', async () => {
  const project = { id: 900, name: 'Mine', user_id: 'basic', created_at: '-2h' }
  const rows = { notes: [{ title: 'First' }, { id: 7, title: 'Seventh', done: true }], projects: [project] }
  const path = folder({
    'openapi.json': JSON.stringify(notes()),
    'fixtures.cjs': `module.exports = ${JSON.stringify(rows)}`
  })
  const mock = await start({ with: [path] })
  const all = (await mock.call('GET', '/api/notes')).body
  expect(all.map((it: { id: number; title: string }) => [it.id, it.title])).toEqual([
    [1, 'First'],
    [7, 'Seventh']
  ])
  const details = await mock.call('GET', '/api/user/projects/900/details', { as: 'basic' })
  expect(details.body.project).toMatchObject({ name: 'Mine', created_at: '2026-03-02T08:00:00.000Z' })
})

test('a user’s operation is checked: its input and its answer', async () => {
  const mock = await started()
  const wrong = await mock.call('POST', '/api/notes', { body: { title: '' } })
  expect([wrong.status, wrong.body.detail[0].loc, wrong.body.detail[0].type]).toEqual([
    422,
    ['body', 'title'],
    'string_too_short'
  ])
  expect((await mock.call('GET', '/api/notes?limit=x')).body.detail[0].loc).toEqual(['query', 'limit'])
  expect((await mock.call('GET', '/api/notes/abc')).body.detail[0].loc).toEqual(['path', 'note_id'])
  const unknown = await mock.call('POST', '/api/notes', { body: { title: 'x', colour: 'red' } })
  expect(unknown.headers.get('x-mock-violations')).toBe('1')
  const broken = await start({ with: [notes()], strict: true })
  await broken.call('POST', '/__mock/overrides', {
    body: { operation: 'getNote', body: { id: 'no number' }, status: 200 }
  })
  expect((await broken.call('GET', '/api/notes/1')).headers.get('x-mock-violations')).not.toBeNull()
})

test('a user’s operation describes an error in the form that was sent, if a body may have several', async () => {
  const one = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const many = { type: 'array', items: one }
  const deep = { anyOf: [many, { type: 'object', properties: { list: many, one }, additionalProperties: false }] }
  for (const schema of [deep, { oneOf: deep.anyOf }, { type: 'object', properties: { in: deep } }]) {
    const post = {
      operationId: 'tell',
      requestBody: { content: { 'application/json': { schema } } },
      responses: ok({})
    }
    const mock = await start({ with: [{ ...notes(), paths: { '/api/tell': { post } } }] })
    const at = 'properties' in schema ? ['in'] : []
    const tell = async (body: unknown) => {
      const { status, body: answer } = await mock.call('POST', '/api/tell', { body: at.length ? { in: body } : body })
      return [status, answer.detail?.map?.((it: { loc: unknown }) => it.loc)]
    }
    const places = (...loc: unknown[]) => [422, expect.arrayContaining([['body', ...at, ...loc]])]
    expect(await tell({ list: [{ n: 1 }, { n: 'x' }] })).toEqual(places('list', 1, 'n'))
    expect(await tell({ one: { n: 'x' } })).toEqual(places('one', 'n'))
    expect(await tell([{ n: 1 }, { n: 'x' }])).toEqual(places(1, 'n'))
  }
})

test('a user’s operation shows rows of the platform as one of its operations does', async () => {
  const mock = await started()
  const [first] = (await mock.call('GET', '/api/agents')).body
  expect(first).toEqual((await mock.call('GET', `/api/persona/${first.id}`)).body)
  // Rows that the user may not see are not shown.
  const all = (await mock.call('GET', '/api/agents')).body.length
  expect((await mock.call('GET', '/api/agents', { as: 'basic' })).body.length).toBeLessThan(all)
  expect((await mock.call('GET', '/api/agents', { as: null })).status).toBe(401)
})

test('a user’s operation answers with its example, or else with a generated value that its schema allows', async () => {
  const mock = await started()
  const hello = await mock.call('GET', '/api/hello', { as: null })
  expect([hello.text, hello.headers.get('content-type')]).toEqual(['hi', 'text/plain'])
  const status = await mock.call('GET', '/api/status', { as: null })
  expect([status.status, status.headers.get('x-mock-violations')]).toEqual([200, null])
  expect(status.body).toEqual((await mock.call('GET', '/api/status')).body)
})

test('a user’s operation needs a token if the document says so', async () => {
  const mock = await started()
  expect((await mock.call('GET', '/api/me', { as: null })).status).toBe(401)
  expect((await mock.call('GET', '/api/me', { as: 'nobody-such' })).status).toBe(401)
  expect((await mock.call('GET', '/api/me')).status).toBe(200)
})

test('a user’s operation reads forms, lists in the query, headers and cookies with the types in the document', async () => {
  const path = folder({
    'openapi.json': JSON.stringify(notes()),
    'rules.mjs': 'export const echo = (input) => ({ said: input })'
  })
  const mock = await start({ with: [path] })
  const body = new URLSearchParams([
    ['count', '3'],
    ['tags', 'a'],
    ['tags', 'b']
  ])
  const response = await fetch(`${mock.url}/api/echo?ids=1&ids=2&ids=3`, {
    method: 'POST',
    body,
    headers: { 'X-Level': '7', Cookie: 'session=s1; other=2', Authorization: 'Bearer admin' }
  })
  expect(response.status).toBe(200)
  const { said } = (await response.json()) as { said: object }
  expect(said).toMatchObject({
    query: { ids: [1, 2, 3] },
    header: { 'x-level': 7 },
    cookie: { session: 's1' },
    body: { count: 3, tags: ['a', 'b'] }
  })
  const wrong = await fetch(`${mock.url}/api/echo`, { method: 'POST', headers: { 'X-Level': 'high' } })
  expect(((await wrong.json()) as { detail: { loc: string[] }[] }).detail.map((it) => it.loc)).toEqual([
    ['query', 'ids'],
    ['header', 'x-level']
  ])
})

test('a user’s operation accepts one file or more if its form has a list, also by a reference', async () => {
  const files = { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } }
  const document = {
    openapi: '3.1.0',
    paths: {
      '/api/files': {
        post: {
          requestBody: { content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Upload' } } } },
          responses: ok({})
        }
      }
    },
    components: { schemas: { Upload: { type: 'object', required: ['files'], properties: { files } } } }
  }
  const mock = await start({ with: [document] })
  for (const count of [0, 1, 2]) {
    const body = new FormData()
    for (let number = 0; number < count; number++) body.append('files', new File(['# A'], 'a.md'))
    const { status } = await fetch(`${mock.url}/api/files`, { method: 'POST', body })
    expect([count, status]).toEqual([count, count === 0 ? 422 : 200])
  }
})

test('a user’s operation is in the journal, in the coverage and in /openapi.json', async () => {
  const mock = await started()
  await mock.call('GET', '/api/notes/1')
  const [entry] = (await mock.call('GET', '/__mock/requests')).body.requests
  expect(entry).toMatchObject({ operation: 'getNote', status: 200 })
  const { operations } = (await mock.call('GET', '/__mock/coverage')).body
  expect(operations[0].code).toBe('E1')
  expect(operations.find((it: { operation: string }) => it.operation === 'getNote').statuses).toContainEqual({
    status: 200,
    documented: true,
    seen: 1,
    violations: 0
  })
  const { paths, components } = (await mock.call('GET', '/openapi.json')).body
  expect(paths['/api/notes/{note_id}'].get.operationId).toBe('getNote')
  expect(components.schemas.Note.required).toEqual(['id', 'title', 'done', 'created_at'])
  expect(paths['/api/persona/{persona_id}'].get.operationId).toBe('getPersona')
})

test('a user’s operation hides passwords in the journal: in messages, in problems and in changed rows', async () => {
  const User = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: { type: 'string' }, pass: { type: 'string', format: 'password' } }
  }
  const body = { required: true, content: { 'application/json': { schema: { ...User, required: ['name'] } } } }
  const post = { 'x-mock': { collection: 'people' }, requestBody: body, responses: ok(User) }
  const paths = { '/api/people': { post } }
  const document = { ...notes(), paths, 'x-mock-collections': { people: { schema: User } } }
  const mock = await start({ with: [document], assume: { 'errors.input-and-ctx': 'always' } })
  for (const sent of [
    { name: 'Ann', pass: 'hush-hush' },
    { name: 1, pass: ['hush-hush'] }
  ]) {
    const { status, headers } = await mock.call('POST', '/api/people', { body: sent })
    const entry = await mock.call('GET', `/__mock/requests/${headers.get('x-mock-request-id')}`)
    expect([status, entry.text.includes('hush-hush'), entry.text.includes('***')]).toEqual([status, false, true])
  }
})

test('a user’s operation is in /openapi.json under its tags, or else under the title of its document', async () => {
  const document = notes() as unknown as { paths: Record<string, { get: object }>; tags: object[] }
  document.tags = [{ name: 'Reading', description: 'What can be read.' }]
  Object.assign(document.paths['/api/notes']?.get as object, { tags: ['Reading'] })
  const mock = await start({ with: [document] })
  const { paths, tags } = (await mock.call('GET', '/openapi.json')).body
  expect(paths['/api/notes'].get.tags).toEqual(['Reading'])
  expect(paths['/api/notes'].post.tags).toEqual(['Notes'])
  expect(tags.slice(-2)).toEqual([
    { name: 'Reading', description: 'What can be read.' },
    expect.objectContaining({ name: 'Notes' })
  ])
})

describe('a user’s rule', () => {
  const started = () =>
    start({ with: [folder({ 'openapi.json': JSON.stringify(notes()), 'rules.mjs': rulesOfNotes })] })

  test('gets its input, the calling user, and the rows of all collections', async () => {
    const mock = await started()
    expect((await mock.call('GET', '/api/me', { as: 'basic' })).body).toEqual({
      email: 'tom@example.com',
      role: 'basic'
    })
    expect((await mock.call('GET', '/api/trouble?how=where', { as: 'basic~here' })).body).toBe('here')
    const archived = await mock.call('POST', '/api/notes/2/archive')
    expect([archived.status, archived.body.done]).toEqual([200, true])
    expect((await mock.call('GET', '/api/notes/2')).body.done).toBe(true)
    const gone = await mock.call('POST', '/api/notes/99/archive')
    expect([gone.status, gone.body]).toEqual([404, { detail: 'Note 99 not found' }])
  })

  test('that fails changes nothing, and the journal has the reason', async () => {
    const mock = await started()
    const before = (await mock.call('GET', '/__mock/state')).body
    for (const [how, reason] of Object.entries(reasons)) {
      const answer = await mock.call('GET', `/api/trouble?how=${how}`)
      expect([how, answer.status, answer.body]).toEqual([how, 500, { detail: 'Internal Server Error' }])
      const { failure } = (await mock.call('GET', `/__mock/requests/${answer.headers.get('x-mock-request-id')}`)).body
      expect([how, failure]).toEqual([how, expect.stringContaining(reason)])
    }
    expect((await mock.call('GET', '/__mock/state')).body).toEqual(before)
  })

  test('has what rules of the platform have: the seed, free ids, choices of the ledger', async () => {
    const rule = `(input, { seed, ids, assume }) => [seed, ids.nextFree('notes'), ids.next('notes'), assume('lists.order')]`
    const files = { 'openapi.json': JSON.stringify(notes()), 'rules.mjs': `export const trouble = ${rule}` }
    const mock = await start({ with: [folder(files)], seed: 7, assume: { 'lists.order': 'reversed' } })
    const answer = await mock.call('GET', '/api/trouble?how=it')
    expect([answer.body, answer.headers.get('x-mock-assumed')]).toEqual([[7, 21, 22, 'reversed'], 'lists.order'])
  })

  test('generates the same values for the same request', async () => {
    const [one, two] = await Promise.all([started(), started()])
    const names = (mock: typeof one) => mock.call('GET', '/api/trouble?how=fakes').then((it) => it.body)
    expect(await names(one)).toEqual(await names(two))
  })
})

const reasons = {
  throws: 'of its own',
  breaks: 'put a row that breaks its contract: title: Field required',
  circles: 'The row contains itself',
  counts: 'The row has a BigInt, which JSON does not have',
  waits: 'rules are synchronous',
  writes: 'read only'
}

const withDocument = (change: (document: ReturnType<typeof notes>) => unknown) => {
  const document = notes()
  change(document)
  return () => createMock({ with: [folder({ 'openapi.json': JSON.stringify(document, null, 2) })] })
}
// biome-ignore lint/suspicious/noExplicitAny: documents are broken on purpose
const at = (document: any) => document.paths

test('a document that does not fit stops the start with file, line and reason', () => {
  const responses = ok({ $ref: '#/components/schemas/Nobody' })
  expect(withDocument((it) => Object.assign(at(it)['/api/me'].get, { responses }))).toThrow(
    /openapi\.json:\d+:\d+ .*: #\/components\/schemas\/Nobody cannot be resolved/
  )
  expect(withDocument((it) => Object.assign(at(it)['/api/me'].get, { responses: {} }))).toThrow(
    'an operation has at least one response'
  )
  const collection = withDocument((it) => Object.assign(at(it)['/api/notes'].get['x-mock'], { collection: 'nots' }))
  expect(collection).toThrow('there is no collection nots. Did you mean notes?')
  const view = withDocument((it) => Object.assign(at(it)['/api/agents'].get['x-mock'], { view: 'getPersonas' }))
  expect(view).toThrow('Did you mean getPersona?')
  expect(withDocument((it) => Object.assign(at(it), { '/__mock/x': {} }))).toThrow(
    'paths under /__mock belong to the control API'
  )
  expect(() => createMock({ with: [{ swagger: '2.0' }] })).toThrow('with[0] /swagger: this is Swagger 2.0')
  expect(() => createMock({ with: ['/nowhere'] })).toThrow('with: there is no file or folder /nowhere')
  expect(() => createMock({ with: ['http://127.0.0.1:8000/openapi.json'] })).toThrow(
    'Save the document first: curl -o api.json http://127.0.0.1:8000/openapi.json'
  )
  const yaml = folder({ 'openapi.yaml': 'openapi: 3.1.0\ninfo: [a\npaths: {}' })
  expect(() => createMock({ with: [yaml] })).toThrow(/openapi\.yaml:3:\d+: /)
  const rows = folder({ 'openapi.json': JSON.stringify(notes()), 'fixtures.json': '{"notes": [{"title": 7}]}' })
  expect(() => createMock({ with: [rows] })).toThrow(/fixtures\.json: notes\[0\]\.title: /)
  const counted = (module: string) => {
    const files = folder({ 'openapi.json': JSON.stringify(notes()), 'fixtures.cjs': `module.exports = ${module}` })
    return () => createMock({ with: [files] }).sandbox().state
  }
  expect(counted('{ notes: [{ id: 1n }] }')).toThrow(/fixtures\.cjs has a BigInt, which JSON does not have/)
  expect(counted('() => ({ notes: [{ count: 1n }] })')).toThrow(/fixtures\.cjs: notes\[0\]: It has a BigInt/)
})

test('a document that does not fit may not replace an operation of the platform without its mark', async () => {
  const taken = (mock?: object) =>
    withDocument((it) => {
      delete at(it)['/api/agents']
      at(it)['/api/persona/{id}'] = {
        get: {
          operationId: 'mine',
          ...(mock && { 'x-mock': mock }),
          responses: { 200: { description: 'ok', content: { 'application/json': { example: { id: 0 } } } } }
        }
      }
    })
  expect(taken()).toThrow(
    'GET /api/persona/{…}: the platform has it as getPersona. Leave it out, or replace it with x-mock: { replace: true }.'
  )
  const mock = taken({ replace: true })()
  expect(await (await mock.fetch('http://mock/api/persona/1')).json()).toEqual({ id: 0 })
})

test('a document that does not fit that describes the platform adds only what the mock lacks', async () => {
  const platform = JSON.parse(await (await createMock().fetch('http://mock/openapi.json')).text())
  platform.paths['/api/extra'] = {
    get: {
      operationId: 'extra',
      responses: { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'integer' } } } } }
    }
  }
  delete platform.security
  const lines: string[] = []
  const mock = createMock({ with: [platform], onProblem: (text) => lines.push(text) })
  expect(lines).toEqual(["with[0]: 30 operations of the platform stay the platform's own."])
  expect((await mock.fetch('http://mock/api/extra')).status).toBe(200)
  expect((await mock.fetch('http://mock/api/persona/1', { headers: { Authorization: 'Bearer admin' } })).status).toBe(
    200
  )
})
