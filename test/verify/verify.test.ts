import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { isSample } from '../extent.js'
import { startTestMock } from '../mock.js'
import { type Fault, startBroken } from './mutants/server.js'

/** Generated requests of an operation. */
const cases = isSample ? 1 : 10

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function broken(fault: Fault): Promise<string> {
  const server = await startBroken(fault)
  closing.push(() => server.close())
  return server.url
}

test('a target that cannot be tested gets one sentence: nothing listens', async () => {
  await expect(verify({ url: 'http://127.0.0.1:9' })).rejects.toThrow(
    'Nothing listens on http://127.0.0.1:9: is the server running?'
  )
})

test('a target that cannot be tested gets one sentence: another protocol', async () => {
  const server = createSocketServer((socket) => socket.end('220 mail.example.com ESMTP\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(verify({ url })).rejects.toThrow(`${url} does not speak HTTP`)
})

test('a target that cannot be tested gets one sentence: plain HTTP where TLS is wanted', async () => {
  const url = (await startServer((_, response) => response.end())).replace('http:', 'https:')
  await expect(verify({ url })).rejects.toThrow('try http:// in place of https://')
})

test('a target that cannot be tested gets one sentence: silence', async () => {
  const url = await startServer(() => undefined)
  await expect(verify({ url, timeout: 50 })).rejects.toThrow('does not answer within 0.05 s.')
})

test('a target that cannot be tested gets one sentence: a redirect', async () => {
  const url = await startServer((_, response) => response.writeHead(302, { Location: '/login' }).end())
  await expect(verify({ url })).rejects.toThrow(
    `${url} redirects to /login: give the address that serves the interface itself.`
  )
})

test('a target that cannot be tested gets one sentence: a web page', async () => {
  const url = await startServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html>'))
  await expect(verify({ url })).rejects.toThrow('answers with a web page, not with the interface')
})

test('a target that cannot be tested gets one sentence: a token that it does not know', async () => {
  const { url } = await startTestMock()
  await expect(verify({ url, token: 'nobody' })).rejects.toThrow(
    'refuses the token (401): give a good one with --token.'
  )
})

test('a target that cannot be tested gets one sentence: no address', async () => {
  await expect(verify({ url: 'localhost:4010' })).rejects.toThrow('"localhost:4010" is not a base address')
})

test('without --mutating, nothing changes and no operation is called that could change something', async () => {
  const seen = new Set<string>()
  const mock = await startTestMock({
    assume: { 'files.lifecycle': 'manual' },
    onExchange: ({ method, operation }) => seen.add(`${method} ${operation}`)
  })
  const before = JSON.stringify(mock.sandbox.rows)
  const { checks, notChecked, exitCode } = await verify({ url: mock.url, cases })
  expect(exitCode).toBe(0)
  expect(JSON.stringify(mock.sandbox.rows)).toBe(before)
  const changing = [...seen].filter((it) => !/^(GET|HEAD) |getIndexingStatus|openUrls|validateTool/.test(it))
  expect(changing).toEqual([])
  expect(new Set(checks.map(({ operation }) => operation)).size).toBeGreaterThan(15)
  const leftOut = notChecked.filter(({ kind }) => kind === 'left-out').map(({ operation }) => operation)
  expect(leftOut).toEqual(expect.arrayContaining(['createChatSession', 'deleteUser', 'updatePersona']))
})

test('with --mutating, a run deletes what it made where the interface can, and leaves an agent as it was', async () => {
  const mock = await startTestMock()
  const sessions = async () => (await mock.call('GET', '/api/chat/get-user-chat-sessions')).body.sessions.length
  const agent = async () => (await mock.call('GET', '/api/persona/1')).body
  const before = [await sessions(), await agent()]
  await verify({ url: mock.url, mutating: true, operations: 'E1,E2,E3,E4,E6', cases })
  expect([await sessions(), await agent()]).toEqual(before)
})

test('a server that is not a mock keeps every row that verify did not make and was not given', async () => {
  const touched: string[] = []
  const url = await broken(() => async (asked) => {
    if (
      /^(DELETE|PATCH|POST|PUT)$/.test(asked.method) &&
      /^\/api\/(persona|user\/projects|admin|manage\/connector)/.test(asked.url)
    )
      touched.push(`${asked.method} ${asked.url}`)
    const reply = await asked.pass()
    for (const name of Object.keys(reply.headers)) if (name.startsWith('x-mock')) delete reply.headers[name]
    return reply
  })
  const tokens = { token: 'admin', userToken: 'basic' }
  const { findings, notChecked } = await verify({ url, ...tokens, mutating: true, cases })
  expect(findings).toEqual([])
  const named = touched.filter(
    (it) =>
      !/none|seven|not-a-uuid|1\.5|1987654321|0x767932b1|5eedbeef|2d1f3c58|a87ff679|files\/|9{19}|9223372036854775808|x{100}|%|validate(\?.*)?$|projects\/$/.test(
        it
      )
  )
  expect(named).toEqual([])
  expect(notChecked.filter(({ kind }) => kind === 'impossible').map(({ why }) => why)).toContain(
    'no persona is known that may be changed: give one with --disposable persona=<id>'
  )
  const given = await verify({ url, ...tokens, mutating: true, operations: 'deleteTool', disposable: { tool: [7] } })
  expect(given.checks.map(({ check }) => check)).toContain('use_after_free')
})

test('the secrets of a credential are not in a report', async () => {
  const url = await broken(() => async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === 'listCredentials' && Array.isArray(reply.body)) {
      for (const row of reply.body) Object.assign(row, { credential_json: { key: 'top-secret-key' }, id: 'one' })
    }
    return reply
  })
  const { findings } = await verify({ url, operations: 'listCredentials' })
  expect(findings.length).toBeGreaterThan(0)
  expect(JSON.stringify(findings)).not.toContain('top-secret-key')
})

test('a run without an operation or a check exits with 2', async () => {
  const { url } = await startTestMock()
  expect(await verify({ url, operations: 'nothing' })).toMatchObject({ operations: 0, exitCode: 2, checks: [] })
})

test('a wrong option names the good ones', async () => {
  await expect(verify({ url: 'http://127.0.0.1:9', profile: 'real' as never })).rejects.toThrow(
    'give one of documented, observed.'
  )
  await expect(verify({ url: 'http://127.0.0.1:9', assume: ['files.deletion=x'] })).rejects.toThrow(
    'Choices: unlinked, refused.'
  )
})

test.each<[string, string, unknown]>([
  ['getPersona', 'E5,E6', true],
  ['getProjectDetails', 'E22,E23', null],
  ['searchChats', 'E1,E2,E3,E4', { groups: [{ title: 'All', chats: null }], has_more: false, next_page: null }]
])('a %s of another form is a finding and ends no run', async (operation, operations, body) => {
  const url = await broken(() => async (asked) => {
    const reply = await asked.pass()
    return asked.operation === operation && reply.status === 200 ? { ...reply, body } : reply
  })
  const { findings } = await verify({ url, mutating: true, cases: 0, operations })
  expect(findings).toContainEqual(expect.objectContaining({ operation, check: 'response_schema_conformance' }))
})
