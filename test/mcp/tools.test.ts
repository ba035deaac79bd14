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

test('the tools are the operations of the control contract that are marked as such, with their summaries', async () => {
  const tools = await agent.tools()
  expect(tools.map(({ name }) => name)).toEqual([...control.values()].filter(({ tool }) => tool).map(({ id }) => id))
  for (const { name, description } of tools) expect(description).toContain(control.get(name)?.summary)
})

test('the schema of a tool is whole, and says which arguments it needs', async () => {
  const tools = new Map((await agent.tools()).map((tool) => [tool.name, tool.inputSchema]))
  expect(tools.get('addRow')).toMatchObject({
    required: ['collection'],
    properties: { count: { maximum: 10_000 }, body: {} }
  })
  expect(Object.keys(tools.get('callOperation').properties)).toEqual(
    expect.arrayContaining(['operation', 'path', 'body'])
  )
  for (const schema of tools.values()) {
    for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g))
      expect(schema.$defs).toHaveProperty(name as string)
  }
})

test('every tool takes the example of its operation', async () => {
  for (const { name } of await agent.tools()) {
    const [{ path, query, body } = {}] = Object.values(control.get(name)?.examples ?? {})
    const fields = ['addRow', 'changeAssumptions'].includes(name) ? { body } : (body as object)
    const { content, isError } = await agent.client.callTool({ name, arguments: { ...path, ...query, ...fields } })
    const told = isError ? content[0].text : ''
    expect([name, told]).toEqual([name, expect.not.stringMatching(/not known here|Field required|is a bug/)])
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
  ['addOverride', { operation: 'getPersona', stauts: 500 }, /stauts/],
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
])('%s with %j says what would be right', async (tool, given, told) => {
  expect(await agent.fails(tool, given)).toMatch(told)
})

test('null is as good as an argument that is left out', async () => {
  expect(
    (await agent.use('addRow', { collection: 'labels', count: null, trait: null, body: { name: 'Null' } })).name
  ).toBe('Null')
})

test('a text that would be too long is shortened, and stays JSON', async () => {
  const { assumptions, cut } = await agent.use('getAssumptions')
  expect([assumptions.length > 5, cut]).toEqual([true, expect.stringMatching(/^\d+ of \d+: ask for less/)])
})

test('a server is verified', async () => {
  const { outcome, report } = await agent.use('verifyServer', { url: mock.url, operations: 'getUserRole', cases: 1 })
  expect([outcome, report]).toEqual(['held', expect.stringContaining('0 findings')])
})

test('a mock that others can reach asks no other server', async () => {
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
    await agent.use('playGiven', { steps }),
    await agent.use('listRequests'),
    await agent.use('getRequest', { id: made.headers['x-mock-request-id'] }),
    await agent.use('callOperation', { operation: 'createCredential', body: { ...body, credential_json: secret } })
  ]
  expect(results[2].results.rows.total).toBeGreaterThan(0)
  expect(JSON.stringify(results)).not.toContain(secret)
})

describe('an agent stays in its sandbox', () => {
  test.each([
    ['by the name in a header', { operation: 'createChatSession', body: {}, headers: { 'X-Mock-Sandbox': 'theirs' } }],
    ['by a token', { operation: 'createChatSession', body: {}, user: 'admin~theirs' }]
  ])('%s', async (_, call) => {
    await agent.use('callOperation', call)
    expect(mock.sandboxes.find('theirs')).toBeUndefined()
  })

  test.each([
    ['DELETE', '/__mock/sandboxes'],
    ['GET', '/__mock/sandboxes'],
    ['DELETE', '/__mock/sandboxes/theirs'],
    ['GET', '/__mock/enter?sandbox=theirs&scenario=first-day'],
    ['DELETE', '/__mock/mcp']
  ])('%s %s', async (method, url) => {
    mock.sandboxNamed('theirs')
    const { status, body } = await agent.use('callOperation', { method, url })
    expect([status, body.detail]).toEqual([403, expect.stringContaining('its own sandbox')])
    const call = [{ call: { method, url } }]
    expect(await agent.fails('playGiven', { steps: call })).toMatch(/Calls of the control API are control steps/)
    expect(mock.sandboxes.find('theirs')?.journal.size).toBe(0)
    mock.sandboxes.drop('theirs')
  })

  test.each([
    ['dropSandboxes', {}],
    ['dropSandbox', { path: { name: 'theirs' } }],
    ['listSandboxes', {}]
  ])('in a control step of a scenario: %s', async (operation, more) => {
    mock.sandboxNamed('theirs')
    expect(await agent.fails('playGiven', { steps: [{ control: { operation, ...more } }] })).toMatch(/its own sandbox/)
    mock.sandboxes.drop('theirs')
  })
})

test('without the SDK it says which package is missing, and how to get it', () => {
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
