import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestMock } from '../../mock.js'

const notes = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/api/notes': {
      get: {
        operationId: 'listNotes',
        parameters: [
          { name: 'sizes', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } }
        ],
        responses: { 200: { description: 'Notes', content: { 'application/json': { schema: { type: 'array' } } } } }
      }
    }
  }
}
const file = join(mkdtempSync(join(tmpdir(), 'kcm-notes-')), 'notes.json')
writeFileSync(file, JSON.stringify(notes))

const mock = await startTestMock({ with: [file] })
beforeEach(() => mock.reset())

async function check(call: object): Promise<Record<string, unknown>> {
  const { status, body } = await mock.call('POST', '/__mock/calls/check', { body: call })
  expect(status).toBe(200)
  return body
}

const update = { operation: 'updatePersona', path: { persona_id: 1 } }

test('a call is checked as if it were sent, with advice, but not sent', async () => {
  const wrong = { num_chunks: 'many', bogus: 1 }
  const answer = await check({ ...update, body: wrong })
  expect(answer).toMatchObject({
    operation: 'updatePersona',
    held: false,
    problems: [{ loc: ['body', 'num_chunks'], msg: 'Input should be a valid integer' }],
    violations: ['body.bogus is not in the contract'],
    advice: [{ loc: ['body', 'num_chunks'] }, { loc: ['body', 'bogus'], remove: true }],
    corrected: { url: '/api/persona/1' }
  })
  expect(mock.sandbox.journal.size).toBe(0)
  await mock.call('PATCH', '/api/persona/1', { body: wrong })
  const { checks } = (await mock.call('GET', '/__mock/requests/r1')).body
  expect(checks[0].problems.filter(({ loc }: { loc?: string[] }) => loc)).toEqual(answer.problems)
  expect(await check({ ...update, body: { num_chunks: 5 } })).toEqual({
    operation: 'updatePersona',
    held: true,
    problems: [],
    violations: []
  })
})

test('a check follows the current choices', async () => {
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'requests.unknown-fields': 'rejected' } })
  expect(await check({ ...update, body: { bogus: 1 } })).toMatchObject({
    problems: [{ loc: ['body', 'bogus'] }],
    violations: []
  })
})

test.each([
  ['a text that is not JSON', { ...update, text: '{"name": }' }, ['json_invalid', ['body', 9]]],
  [
    'a parameter of the path',
    { operation: 'getPersona', path: { persona_id: 'one' } },
    ['int_parsing', ['path', 'persona_id']]
  ],
  ['a parameter of the query', { url: '/api/chat/search?page=0' }, ['greater_than_equal', ['query', 'page']]],
  ['a form without its files', { operation: 'uploadConnectorFiles', body: {} }, ['missing', ['body', 'files']]],
  ['an own list in the query', { url: '/api/notes?sizes=1,x' }, ['int_parsing', ['query', 'sizes', 1]]]
])('%s is found wrong', async (_, call, [type, loc]) => {
  expect(await check(call)).toMatchObject({ held: false, problems: [{ type, loc }] })
})

test('files of a form, and lists of a user operation, are read as they are when sent', async () => {
  const files = [{ 'x-file': { name: 'a.md', type: 'text/markdown', size: 3 } }]
  expect(await check({ operation: 'uploadConnectorFiles', body: { files } })).toMatchObject({ held: true })
  expect(await check({ url: '/api/notes?sizes=1,2' })).toMatchObject({ operation: 'listNotes', held: true })
})

test('a path without an operation has near misses', async () => {
  const answer = await check({ url: '/api/persnoa/1' })
  expect(answer).toMatchObject({ operation: null, held: false, near_misses: expect.anything() })
  expect((answer.near_misses as object[])[0]).toMatchObject({ operation: 'getPersona' })
})

test('a check that is impossible names the field', async () => {
  const { status, body } = await mock.call('POST', '/__mock/calls/check', { body: { operation: 'getPersnoa' } })
  expect([status, body.errors[0].field]).toEqual([400, 'operation'])
})

test('an unknown name in the path and a body that is not base64 are reported', async () => {
  const answer = async (call: object) =>
    JSON.stringify((await mock.call('POST', '/__mock/calls/check', { body: call })).body.errors)
  expect(await answer({ operation: 'getPersona', path: { persona_id: 1, id: 2 } })).toContain(
    'getPersona has no parameter id in its path.'
  )
  expect(await answer({ operation: 'createPersona', base64: 'e30=?' })).toContain('These characters are not base64.')
  expect(await answer({ operation: 'createPersona', base64: 'e30=', body: {} })).not.toContain('not base64')
})

test('a check sends no events, and creates no sandbox', async () => {
  const answer: string[] = []
  mock.sandbox.journal.listen((event) => answer.push(event.type))
  await check(update)
  await mock.call('POST', '/__mock/overrides/check', { body: { operation: 'getPersona', status: 404 } })
  expect(answer).toEqual([])
  const before = mock.sandboxes.list().length
  await mock.call('POST', '/__mock/calls/check', { body: update, headers: { 'X-Mock-Sandbox': 'nobodys' } })
  expect(mock.sandboxes.list()).toHaveLength(before)
})

async function broken(override: object): Promise<{ violations: string[]; notes: string[] }> {
  return (await mock.call('POST', '/__mock/overrides/check', { body: override })).body
}

test('an override that breaks the contract is reported as the journal would later, and is not added', async () => {
  const override = { operation: 'getPersona', status: 200, body: { id: 'one' } }
  const { violations, notes } = await broken(override)
  expect(violations.length).toBeGreaterThan(0)
  expect(notes).toEqual([])
  expect((await mock.call('GET', '/__mock/overrides')).body.overrides).toEqual([])
  await mock.call('POST', '/__mock/overrides', { body: override })
  await mock.call('GET', '/api/persona/1')
  expect(mock.sandbox.journal.find('r1')?.entry.violations).toEqual(violations)
})

test('each turn of a sequence is checked, and an undocumented status is only mentioned', async () => {
  const sequence = [{ status: 418, body: {} }, { status: 404, body: { wrong: true } }, {}]
  const { violations, notes } = await broken({ operation: 'getPersona', sequence })
  expect(notes).toEqual(['sequence.0: getPersona documents no status 418, so its answer is not checked.'])
  expect(violations).toEqual([expect.stringMatching(/^sequence\.1: /)])
})

test.each([
  { operation: 'getPersona', status: 404, body: { detail: 'Gone' } },
  { operation: 'getPersona', status: 404 },
  { operation: 'getPersona', example: 'whole' },
  { operation: 'getPersona', delay: { type: 'fixed', milliseconds: 1 } },
  { path: '/api/elsewhere', status: 200, body: { any: 1 } }
])('an override that keeps the contract has no problems: %j', async (override) => {
  expect(await broken(override)).toEqual({ violations: [], notes: [] })
})

const chat = { operation: 'createChatSession' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const typed = (type: string) => ({ headers: { 'Content-Type': type } })

test.each([
  ['base64', { ...chat, base64: base64('{"description": 7}') }],
  ['base64 that is cut off', { ...chat, base64: base64('{"descr') }],
  ['another Content-Type', { ...chat, body: { description: 'x' }, ...typed('text/plain') }],
  ['no text', { operation: 'inviteUsers', text: '' }],
  ['a form of another Content-Type', { operation: 'uploadConnectorFiles', text: '{}', ...typed('application/json') }],
  ['a fragment', { method: 'GET', url: '/api/persona/x#a' }],
  ['backslashes', { method: 'GET', url: '/api\\persona\\x' }],
  ['a dot segment', { method: 'GET', url: '/api/./persona/x' }]
])('a check and the answer agree on a call with %s', async (_, call) => {
  const { problems } = await check(call)
  const { body } = await mock.call('POST', '/__mock/calls', { body: call })
  const places = (list: { type: string; loc: unknown }[]) => list.map(({ type, loc }) => [type, loc])
  expect(body.status).toBe(422)
  expect(places(problems as [])).toEqual(places(body.body.detail))
})

test('an invalid address, and the bytes of a form, are reported', async () => {
  expect(await check({ method: 'GET', url: '//[' })).toMatchObject({ operation: null, held: false })
  const call = { operation: 'uploadConnectorFiles', text: '--b--', ...typed('multipart/form-data; boundary=b') }
  const { status, body } = await mock.call('POST', '/__mock/calls/check', { body: call })
  expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('Give its fields in `body`')])
})

test('a check of the stream of events ends', async () => {
  const { body } = await mock.call('POST', '/__mock/calls', { body: { method: 'GET', url: '/__mock/events' } })
  expect(body).toMatchObject({ status: 200, body: '' })
})
