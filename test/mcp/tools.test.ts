import { loadSdk } from '../../src/doors/mcp/sdk.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { Refusal } from '../../src/engine/contract/message/refusal.js'
import { startTestMock } from '../mock.js'
import { httpAgent } from './client.js'

const mock = await startTestMock()
const { control } = createContract(readDocuments(), defaultChoices(readLedger()))
const agent = await httpAgent(mock.url)

const marked = [...control.values()].flatMap(({ id, tool }) => (tool ? [{ id, ...tool }] : []))
const idOf = (name: string) => marked.find((it) => (it.name ?? it.id) === name)?.id as string

test('each marked operation of the control contract is a tool', async () => {
  const tools = await agent.tools()
  expect(tools.map(({ name }) => name)).toEqual(marked.map(({ id, name = id }) => name))
  for (const { name, description } of tools) expect(description.length).toBeGreaterThan(name.length)
})

test('the list of tools has at most 12,000 characters, and a short operation 2,000', async () => {
  expect(JSON.stringify(await agent.tools()).length).toBeLessThanOrEqual(12_000)
  for (const { id } of (await agent.use('listOperations')).operations) {
    expect(JSON.stringify(await agent.use('getOperation', { id })).length).toBeLessThanOrEqual(2_000)
  }
})

test('an operation shows what its secret fields take, and its result hides what they have', async () => {
  const { required } = await agent.use('getOperation', { id: 'createCredential' })
  expect(required.body.credential_json).toBe('object')
  const body = { credential_json: { api_token: 'hunter2' }, admin_public: true, source: 'web' }
  await agent.use('callOperation', { operation: 'createCredential', body, user: 'admin' })
  expect(JSON.stringify(await agent.use('listRows', { collection: 'credentials', limit: 3 }))).not.toContain('hunter2')
})

test('a tool names its arguments, the required ones, and its effect on the state', async () => {
  const tools = new Map((await agent.tools()).map((tool) => [tool.name, tool]))
  expect(tools.get('addRow')?.inputSchema).toMatchObject({
    required: ['collection'],
    properties: { collection: {}, count: { type: 'integer' }, body: {} }
  })
  expect(Object.keys(tools.get('callOperation')?.inputSchema.properties)).toEqual(
    expect.arrayContaining(['operation', 'path', 'body'])
  )
  expect(['listRows', 'removeRow', 'resetSandbox', 'addRow'].map((it) => tools.get(it)?.annotations)).toEqual([
    { readOnlyHint: true },
    { destructiveHint: true, idempotentHint: true },
    { destructiveHint: true },
    { destructiveHint: false }
  ])
})

test('a result is structured content with the promised fields, and the same as text', async () => {
  const tools = new Map((await agent.tools()).map((tool) => [tool.name, tool]))
  for (const [name, given] of Object.entries({
    listRows: { collection: 'labels' },
    listOperations: {},
    getCoverage: {}
  })) {
    const { content, structuredContent } = await agent.client.callTool({ name, arguments: given })
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    for (const field of tools.get(name)?.outputSchema.required ?? []) expect(structuredContent).toHaveProperty(field)
  }
})

test('only the changed choice is shown, and the ledger has it', async () => {
  const body = { 'delete.body': '204' }
  const { assumptions } = await agent.use('changeAssumptions', { body })
  expect(assumptions).toMatchObject([{ id: 'delete.body', choice: '204' }])
  expect((await agent.use('listAssumptions', { q: 'delete.body' })).assumptions).toEqual(assumptions)
})

test('rows are changed and removed, and their history shows it', async () => {
  const { id } = await agent.use('addRow', { collection: 'labels', body: { name: 'first' } })
  await agent.use('changeRow', { collection: 'labels', id: String(id), body: { name: 'second' } })
  expect((await agent.use('listRows', { collection: 'labels', q: 'second' })).rows).toMatchObject([{ id }])
  await agent.use('removeRow', { collection: 'labels', id: String(id) })
  const { changes } = await agent.use('getRowHistory', { collection: 'labels', id: String(id) })
  expect(changes).toMatchObject([
    { before: { name: 'second' }, after: null },
    { before: { name: 'first' }, after: { name: 'second' } },
    { before: null, after: { name: 'first' } }
  ])
})

test('contract, ledger and journal are resources of the sandbox', async () => {
  const { resources } = await agent.client.listResources()
  expect(resources).toMatchObject([{ uri: 'mock://contract' }, { uri: 'mock://ledger' }, { uri: 'mock://journal' }])
  const read = async (uri: string) => JSON.parse((await agent.client.readResource({ uri })).contents[0].text)
  expect(Object.keys((await read('mock://contract')).paths).length).toBeGreaterThan(20)
  expect((await read('mock://ledger')).assumptions[0]).toHaveProperty('choice')
  await agent.use('callOperation', { operation: 'getUserRole', user: 'basic' })
  expect((await read('mock://journal')).requests[0]).toMatchObject({ operation: 'getUserRole', status: 200 })
  await expect(agent.client.readResource({ uri: 'mock://other' })).rejects.toThrow('mock://journal')
})

test('every tool accepts the example of its operation', async () => {
  for (const { name } of await agent.tools()) {
    const [{ path, query, body } = {}] = Object.values(control.get(idOf(name))?.examples ?? {})
    const fields = ['addRow', 'changeRow', 'changeAssumptions'].includes(name) ? { body } : (body as object)
    const { content, isError } = await agent.client.callTool({ name, arguments: { ...path, ...query, ...fields } })
    const error = isError ? content[0].text : ''
    expect([name, error]).toEqual([name, expect.not.stringMatching(/not known here|Field required|is a bug/)])
  }
})

test.each([
  ['addRow', { collection: 'lables' }, /collection.*labels/s],
  ['addRow', { collection: 'userFiles', body: { status: 'BROKEN' } }, /status.*PROCESSING/s],
  [
    'addRow',
    { colection: 'labels' },
    /colection: This is not known here\. Good values: collection, count, trait, body/
  ],
  ['addRow', {}, /collection: Field required/],
  ['forceAnswer', { operation: 'getPersona', stauts: 500 }, /stauts/],
  ['callOperation', { operation: 'getPersnoa' }, /getPersnoa.*getPersona/s],
  ['callOperation', { operation: 'getPersona' }, /needs the parameter persona_id/],
  ['callOperation', { operation: 'getPersona', path: { persona_id: 1 }, body: {} }, /getPersona takes no body/],
  ['callOperation', { url: '/api/get-user-role', headers: { 'a b': 'x' } }, /headers.*"a b"/],
  ['callOperation', { operation: 'uploadConnectorFiles', body: null }, /fields of the form/],
  ['setClock', { advance: 'soon' }, /advance/],
  ['restoreSnapshot', { name: 'nowhere' }, /nowhere/],
  ['playScenario', { name: 'nowhere' }, /first-day/],
  ['getOperation', { id: 'getPersnoa' }, /Did you mean getPersona\?/],
  ['getRequest', { id: 'r999' }, /r999/],
  ['changeAssumptions', { body: { 'files.deletion': 'perhaps' } }, /unlinked/],
  ['verifyServer', { url: 'file:///etc/passwd' }, /url/],
  ['verifyServer', { url: 'http://127.0.0.1:1' }, /Nothing listens/],
  ['getPersona', {}, /There is no tool "getPersona"\. Did you mean getOperation\?/]
])('%s with %j explains what would be right', async (tool, given, message) => {
  expect(await agent.fails(tool, given)).toMatch(message)
})

test('null is equal to an argument that is left out', async () => {
  expect(
    (await agent.use('addRow', { collection: 'labels', count: null, trait: null, body: { name: 'Null' } })).name
  ).toBe('Null')
})

test('a text that is too long is shortened, and remains JSON', async () => {
  const { assumptions, cut } = await agent.use('listAssumptions')
  expect([assumptions.length > 5, cut]).toEqual([true, expect.stringMatching(/^\d+ of \d+: ask for less/)])
})

test('a server is verified', async () => {
  const { outcome, report } = await agent.use('verifyServer', { url: mock.url, operations: 'getUserRole', cases: 1 })
  expect([outcome, report]).toEqual(['held', expect.stringContaining('0 findings')])
})

test('a mock that others can reach sends no requests to other servers', async () => {
  const exposed = await startTestMock({ host: '0.0.0.0', controlToken: 'secret-7' })
  const other = await httpAgent(exposed.url.replace('0.0.0.0', '127.0.0.1'), { 'X-Mock-Control-Token': 'secret-7' })
  expect(await other.fails('verifyServer', { url: mock.url })).toMatch(/listens beyond this machine/)
  await other.leave()
})

test('no result has a secret', async () => {
  const secret = 'hunter2-hunter2'
  const body = {
    credential_json: { api_key: secret },
    source: 'github',
    name: 'Mine',
    admin_public: true,
    curator_public: false,
    groups: []
  }
  const call = { operation: 'createCredential', body }
  const made = await agent.use('callOperation', call)
  expect(made.status).toBe(200)
  const steps = [
    { create: { collection: 'credentials', part: { credential_json: { api_key: secret } } }, as: 'made' },
    { call: { operation: 'getCredential', path: { credential_id: '{made.id}' } }, as: 'read' },
    { control: { operation: 'listRows', path: { collection: 'credentials' }, query: { q: secret } }, as: 'rows' }
  ]
  await agent.use('changeAssumptions', { body: { 'credential.masking': 'plain' } })
  const results = [
    made,
    await agent.use('addRow', { collection: 'credentials', body: { credential_json: { api_key: secret } } }),
    await agent.use('playSteps', { steps }),
    await agent.use('listRequests'),
    await agent.use('getRequest', { id: made.headers['x-mock-request-id'] }),
    await agent.use('callOperation', { operation: 'createCredential', body: { ...body, credential_json: secret } })
  ]
  expect(results[2].results.rows.total).toBeGreaterThan(0)
  expect(JSON.stringify(results)).not.toContain(secret)
})

test.each([
  ['by the name in a header', { operation: 'createChatSession', body: {}, headers: { 'X-Mock-Sandbox': 'theirs' } }],
  ['by a token', { operation: 'createChatSession', body: {}, user: 'admin~theirs' }]
])('an agent stays in its sandbox: %s', async (_, call) => {
  await agent.use('callOperation', call)
  expect(mock.sandboxes.find('theirs')).toBeUndefined()
})

test.each([
  ['DELETE', '/__mock/sandboxes'],
  ['GET', '/__mock/sandboxes'],
  ['DELETE', '/__mock/sandboxes/theirs'],
  ['GET', '/__mock/enter?sandbox=theirs&scenario=first-day'],
  ['DELETE', '/__mock/mcp']
])('an agent stays in its sandbox: %s %s', async (method, url) => {
  mock.sandboxNamed('theirs')
  const { status, body } = await agent.use('callOperation', { method, url })
  expect([status, body.detail]).toEqual([403, expect.stringContaining('its own sandbox')])
  const call = [{ call: { method, url } }]
  expect(await agent.fails('playSteps', { steps: call })).toMatch(/Calls of the control API are control steps/)
  expect(mock.sandboxes.find('theirs')?.journal.size).toBe(0)
  mock.sandboxes.drop('theirs')
})

test.each([
  ['dropSandboxes', {}],
  ['dropSandbox', { path: { name: 'theirs' } }],
  ['listSandboxes', {}]
])('an agent stays in its sandbox in a control step of a scenario: %s', async (operation, more) => {
  mock.sandboxNamed('theirs')
  expect(await agent.fails('playSteps', { steps: [{ control: { operation, ...more } }] })).toMatch(/its own sandbox/)
  mock.sandboxes.drop('theirs')
})

test('the command names the missing package and how to get it without the SDK', () => {
  const missing = Object.assign(new Error('x'), { code: 'MODULE_NOT_FOUND' })
  const load = () => {
    throw missing
  }
  let thrown: unknown
  try {
    loadSdk(load)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(Refusal)
  expect((thrown as Refusal).values.detail).toMatch(/npm install --save-dev @modelcontextprotocol\/sdk/)
})
