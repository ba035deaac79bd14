import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openapiCommand } from '../../src/doors/cli/openapi.js'
import { verifyCommand } from '../../src/doors/cli/verify.js'
import { verify } from '../../src/doors/program/handle/verify.js'
import { openapi } from '../../src/doors/program/openapi.js'
import { json, startService } from '../checks/proxy/service.js'
import { invoke } from '../invoke.js'
import { startTestMock as start } from '../mock.js'
import { notes, ok } from './notes.js'

const asked = { userToken: null, operations: ['listNotes', 'getNote', 'agents', 'trouble', 'search', 'addNote'] }

/** The answers of a service that does not pass a request on to the mock. */
async function serviceBefore(answers: Record<string, ReturnType<typeof json>>) {
  const mock = await start({ with: [notes()], strict: false })
  return startService(async (response, got, request) => {
    const answer = answers[got.url.split('?')[0] as string]
    if (answer) return answer(response, got, request)
    const { authorization } = request.headers
    const passed = await fetch(mock.url + got.url, { headers: authorization === undefined ? {} : { authorization } })
    response.writeHead(passed.status, { 'Content-Type': passed.headers.get('content-type') ?? '' })
    response.end(await passed.text())
  })
}

test('verify of user operations sends only requests that change nothing, reads rows by the ids in their lists, and reports what it left out', async () => {
  const { url } = await start({ with: [notes()] })
  const document = notes()
  Object.assign(document.paths, {
    '/api/search': {
      get: {
        operationId: 'search',
        parameters: [{ name: 'q', in: 'query', required: true, example: 'x y', schema: { type: 'string' } }],
        responses: { 404: { description: 'of the mock, which has no such path' } }
      }
    }
  })
  const { findings, checks, notChecked, exitCode } = await verify({ url, with: [document], ...asked })
  expect([findings, exitCode]).toEqual([[], 0])
  expect([...new Set(checks.map(({ operation }) => operation))].sort()).toEqual([
    'agents',
    'getNote',
    'listNotes',
    'search'
  ])
  expect(notChecked.map(({ operation, why }) => [operation, why])).toEqual([
    ['addNote', 'it may change something: only GET and HEAD of your own are called'],
    ['trouble', 'the document has no example of its query parameter how']
  ])
})

test('verify of user operations finds a status, a media type, a shape and a failure that the document does not have', async () => {
  const service = await serviceBefore({
    '/api/notes': json([{ id: 'first' }]),
    '/api/me': json({}, 500),
    '/api/hello': json({ hello: 'you' }),
    '/api/status': json({}, 202)
  })
  const operations = ['listNotes', 'me', 'hello', 'status', 'getUserRole']
  const { findings, exitCode } = await verify({ url: service.url, with: [notes()], operations, token: 'admin' })
  expect(findings.map(({ operation, check }) => [operation, check])).toEqual([
    ['listNotes', 'response_schema_conformance'],
    ['me', 'not_a_server_error'],
    ['hello', 'content_type_conformance'],
    ['status', 'status_code_conformance']
  ])
  expect(findings[0]).toMatchObject({
    expected: expect.stringContaining("/0 must have required property 'title'"),
    curl: expect.stringContaining('/api/notes')
  })
  expect(exitCode).toBe(1)
})

test('verify of user operations reads documents from the command line, and names the place of an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-verify-'))
  const file = join(folder, 'api.json')
  writeFileSync(file, JSON.stringify(notes()))
  const { url } = await start({ with: [notes()] })
  const { code, stdout } = await invoke(verifyCommand(), [url, '--with', file, '--operations', 'listNotes,getUserRole'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 operations')])
  const wrong = await invoke(verifyCommand(), [url, '--with', join(folder, 'none.json')])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('there is no file or folder')])
})

test('a proxy checks each line of a streamed answer', async () => {
  const schema = { type: 'object', required: ['token'], properties: { token: { type: 'string' } } }
  const responses = { 200: { description: 'ok', content: { 'application/x-ndjson': { schema } } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Streams', version: '1' },
    paths: { '/api/say': { get: { operationId: 'say', responses } } }
  }
  const service = await startService((response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).end('{"token":"a"}\n{"token":2}\n')
  })
  const upstream = { url: service.url, mocked: new Set<string>(), strict: false, timeout: 60_000 }
  const proxy = await start({ with: [document], strict: false, auth: 'any', upstream })
  await proxy.call('GET', '/api/say')
  const { requests } = (await proxy.call('GET', '/__mock/requests?violations=true')).body
  expect(requests[0].violations).toEqual(['response: value 2: /token must be string'])
})

test('a proxy checks user operations both ways, in the journal and in the coverage', async () => {
  const service = await serviceBefore({ '/api/notes': json([{ id: 'first' }]), '/api/me': json({}, 500) })
  const upstream = { url: service.url, mocked: new Set(['hello']), strict: false, timeout: 60_000 }
  const proxy = await start({ with: [notes()], strict: false, auth: 'any', upstream })
  const good = await proxy.call('GET', '/api/notes/1')
  expect([good.status, good.headers.get('x-mock-violations')]).toEqual([200, null])
  expect((await proxy.call('GET', '/api/notes?limit=x')).headers.get('x-mock-violations')).not.toBeNull()
  expect((await proxy.call('GET', '/api/me')).status).toBe(500)
  expect((await proxy.call('GET', '/api/hello')).text).toBe('hi')
  const { requests } = (await proxy.call('GET', '/__mock/requests?violations=true')).body
  expect(requests.map((it: { operation: string; violations: string[] }) => [it.operation, it.violations])).toEqual(
    expect.arrayContaining([
      [
        'listNotes',
        [
          expect.stringContaining('query.limit'),
          expect.stringContaining('in place of 422'),
          expect.stringMatching(/^response: /)
        ]
      ],
      ['me', ['response: status 500 is a server error']]
    ])
  )
  const { operations } = (await proxy.call('GET', '/__mock/coverage')).body
  expect(operations.find((it: { operation: string }) => it.operation === 'getNote').statuses[0].seen).toBe(1)
})

test('openapi, in a program and on the command line, prints user operations', async () => {
  const document = openapi({ with: [{ ...notes(), paths: { '/api/mine': { get: { responses: ok({}) } } } }] })
  expect(Object.keys(document.paths as object)).toContain('/api/mine')
  const file = join(mkdtempSync(join(tmpdir(), 'own-openapi-')), 'api.json')
  writeFileSync(file, JSON.stringify(notes()))
  const { code, stdout } = await invoke(openapiCommand(), ['--with', file])
  expect([code, Object.keys(JSON.parse(stdout).paths)]).toEqual([0, expect.arrayContaining(['/api/notes/{note_id}'])])
})
