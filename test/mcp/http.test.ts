import { once } from 'node:events'
import { connect } from 'node:net'
import { lingerLimits } from '../../src/doors/listener/pace.js'
import { startTestMock } from '../mock.js'
import { restored } from '../restored.js'
import { httpAgent } from './client.js'

restored(lingerLimits)
// For this long a client that has left looks like one that has sent everything and still reads.
lingerLimits.milliseconds = 1000
const mock = await startTestMock()
const guarded = await startTestMock({ controlToken: 'secret-7' })
const accept = 'application/json, text/event-stream'
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
}

function post(body: unknown, headers: Record<string, string> = {}) {
  return mock.call('POST', '/__mock/mcp', { as: null, body, headers: { accept, ...headers } })
}

/** The names of the sandboxes of agents. */
async function sessions(it = mock, headers: Record<string, string> = {}): Promise<string[]> {
  const { body } = await it.call('GET', '/__mock/sandboxes', { headers })
  return body.sandboxes.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('mcp-'))
}

async function begun(): Promise<string> {
  const { status, headers } = await post(initialize)
  expect(status).toBe(200)
  return headers.get('mcp-session-id') as string
}

test('a session has a sandbox, which ends with it', async () => {
  const agent = await httpAgent(mock.url)
  expect(await sessions()).toContain(agent.sandbox)
  const { sessionId } = agent.transport
  expect(sessionId).toBe(agent.sandbox)
  await agent.leave()
  expect(await sessions()).not.toContain(agent.sandbox)
  const { status, body } = await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, { 'mcp-session-id': sessionId })
  expect([status, body.detail]).toEqual([404, expect.stringContaining('send initialize')])
})

test('sessions that were unused for a day are removed when another one begins', async () => {
  const [left, used] = [await begun(), await begun()]
  const sandbox = mock.sandboxNamed(left)
  sandbox.usedAt -= 24 * 60 * 60 * 1000 + 1
  const other = await begun()
  const all = await sessions()
  expect([all.includes(left), all.includes(used), all.includes(other)]).toEqual([false, true, true])
})

test.each([
  ['no session', {}, 400],
  ['an unknown session', { 'mcp-session-id': 'mcp-7' }, 404],
  ['a sandbox without a session', { 'mcp-session-id': 'default' }, 404]
])('%s is refused with its own status', async (_, headers, status) => {
  expect((await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers)).status).toBe(status)
})

const token = { 'X-Mock-Control-Token': 'secret-7' }
test('the guards of the control API check: the token', async () => {
  await expect(httpAgent(guarded.url)).rejects.toThrow(/control API needs its token/)
  await expect(httpAgent(guarded.url, { Authorization: 'Bearer wrong' })).rejects.toThrow(/control API needs its token/)
  expect(await sessions(guarded, token)).toEqual([])
  const agent = await httpAgent(guarded.url, { Authorization: 'Bearer secret-7' })
  expect((await agent.use('setClock', { speed: 0 })).speed).toBe(0)
  await agent.leave()
})

test('the guards of the control API check: the host', async () => {
  const socket = connect(Number(new URL(mock.url).port), '127.0.0.1')
  const body = JSON.stringify(initialize)
  const head = [
    'POST /__mock/mcp HTTP/1.1',
    'Host: evil.example',
    `Accept: ${accept}`,
    'Content-Type: application/json'
  ]
  socket.end([...head, `Content-Length: ${body.length}`, 'Connection: close', '', body].join('\r\n'))
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  await once(socket, 'close')
  expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(text).not.toMatch(/mcp-session-id/i)
})

test('the guards of the control API check: the origin, and the media type', async () => {
  expect((await post(initialize, { Origin: 'https://evil.example' })).status).toBe(403)
  expect((await post(JSON.stringify(initialize), { 'Content-Type': 'text/plain' })).status).toBe(415)
})

test('the guards of the control API check: the MCP endpoint does not exist with --control off, or with --public without a token', async () => {
  for (const options of [{ control: 'off' }, { public: true }] as const) {
    const closed = await startTestMock(options)
    expect((await closed.call('POST', '/__mock/mcp', { body: initialize, headers: { accept } })).status).toBe(404)
  }
})

describe('the mock still answers after', () => {
  afterEach(async () => {
    const agent = await httpAgent(mock.url)
    expect((await agent.use('listOperations')).operations).toHaveLength(30)
    await agent.leave()
  })

  test.each([
    ['text that is not JSON', '{"jsonrpc": "2.0", "method": ', 400],
    ['JSON that is not JSON-RPC', { hello: 'world' }, 400],
    ['a number', '7', 400],
    ['a batch of nonsense', '[1, null, "x"]', 400],
    ['an answer without a question', { jsonrpc: '2.0', id: 7, result: {} }, 202],
    ['a message too deep to read', `${'[['.repeat(50_000)}`, 400],
    ['an unknown method', { jsonrpc: '2.0', id: 7, method: 'constructor' }, 200],
    ['a tool without a name', { jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} }, 200]
  ])('%s', async (_, body, status) => {
    const session = await begun()
    const answer = await post(body, { 'mcp-session-id': session })
    expect([answer.status, answer.text.length < 2000]).toEqual([status, true])
  })

  test('a body that is too large', async () => {
    const session = await begun()
    const call = { name: 'addRow', arguments: { collection: 'labels', body: { name: 'x'.repeat(40 * 1024 * 1024) } } }
    const { status } = await post(
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: call },
      { 'mcp-session-id': session }
    )
    expect(status).toBe(413)
    expect(
      (await mock.call('GET', '/__mock/state/labels?q=xxxx', { headers: { 'X-Mock-Sandbox': session } })).body.total
    ).toBe(0)
  })

  test('a client that leaves while a tool waits, and ends the wait', async () => {
    const agent = await httpAgent(mock.url)
    const leaving = new AbortController()
    const headers = { Prefer: 'delay=3600000' }
    const call = { name: 'callOperation', arguments: { operation: 'getPersona', path: { persona_id: 1 }, headers } }
    const waiting = agent.client.callTool(call, undefined, { signal: leaving.signal })
    leaving.abort()
    await expect(waiting).rejects.toThrow()
    const response = fetch(`${mock.url}/__mock/mcp`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', 'mcp-session-id': agent.sandbox },
      body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: call }),
      signal: AbortSignal.timeout(300)
    })
    await expect(response).rejects.toThrow()
    // Its journal shows the exchange once it is over: an hour later, if nothing ended it.
    const requests = () => mock.handle(agent.sandbox).requests({ operation: 'getPersona' })
    while (requests().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })
})

test.each([
  [{ name: 'listOperations', arguments: null }, false, 'getPersona'],
  [{ name: 'getOperation', arguments: null }, true, 'id'],
  [{ name: 'listOperations', arguments: 'all' }, true, 'arguments is "all": give an object'],
  [{ name: 'listOperations', arguments: [1] }, true, 'arguments is [1]: give an object'],
  [{ arguments: {} }, true, 'The name of the tool is missing'],
  [undefined, true, 'The name of the tool is missing']
])('a tool call with %j has a result with the reason', async (params, isError, text) => {
  const session = await begun()
  const call = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params }
  const { body } = await post(call, { 'mcp-session-id': session })
  const { content, isError: hasFailed = false } = body.result
  expect([body.id, hasFailed, content[0].text]).toEqual(['a', isError, expect.stringContaining(text)])
})
