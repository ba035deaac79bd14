import { startTestMock, testNow } from '../mock.js'
import { type Agent, httpAgent, stdioAgent } from './client.js'

const mock = await startTestMock()
const base = (agent: Agent) => /http:\/\/127\.0\.0\.1:\d+/.exec(agent.instructions)?.[0] as string

describe.each([
  ['stdin and stdout', () => stdioAgent(['--now', testNow])],
  ['streamable HTTP', () => httpAgent(mock.url)]
])('over %s', (_, connect) => {
  let agent: Agent
  const callAs = (user: string, operation: string, more: object = {}) =>
    agent.use('callOperation', { operation, user, ...more })
  beforeAll(async () => {
    agent = await connect()
  })

  test('an agent finds operations, and reads one', async () => {
    const { operations } = await agent.use('listOperations')
    expect(operations).toHaveLength(30)
    const { paths, components } = await agent.use('getOperation', { id: 'linkCredential', full: true })
    expect(Object.keys(paths)).toEqual(['/api/manage/connector/{connector_id}/credential/{credential_id}'])
    expect(
      JSON.stringify(paths)
        .match(/schemas\/\w+/g)
        ?.map((it) => it.slice(8))
    ).toEqual(expect.arrayContaining(Object.keys(components.schemas).slice(0, 1)))
  })

  test('a session that the agent creates is listed', async () => {
    const { status, body, headers } = await callAs('basic', 'createChatSession', { body: { persona_id: 1 } })
    expect([status, headers['x-mock-request-id']]).toEqual([200, expect.stringMatching(/^r\d+$/)])
    const listed = await callAs('basic', 'listChatSessions')
    expect(JSON.stringify(listed.body)).toContain(body.chat_session_id)
  })

  test('a wrong body is a 422, and the journal explains it', async () => {
    const { status, headers } = await callAs('admin', 'updatePersona', {
      path: { persona_id: 1 },
      body: { num_chunks: 'x' }
    })
    expect(status).toBe(422)
    const exchange = await agent.use('getRequest', { id: headers['x-mock-request-id'] })
    expect(JSON.stringify(exchange.checks)).toContain('num_chunks')
  })

  test('a file is uploaded', async () => {
    const file = { 'x-file': { name: 'handbook.md', type: 'text/markdown', text: '# Handbook' } }
    const { status, body } = await callAs('admin', 'uploadConnectorFiles', { body: { files: [file] } })
    expect([status, body.file_names]).toEqual([200, ['handbook.md']])
  })

  test('the clock moves a file on', async () => {
    const { id } = await agent.use('addRow', {
      collection: 'userFiles',
      body: { user_id: 'basic', status: 'PROCESSING' }
    })
    const statusOf = async () => (await callAs('basic', 'getFile', { path: { file_id: id } })).body.status
    expect(await statusOf()).toBe('PROCESSING')
    await agent.use('setClock', { advance: '2h' })
    expect(await statusOf()).toBe('COMPLETED')
  })

  test('an override answers, until it is removed', async () => {
    const read = async () => (await callAs('admin', 'getPersona', { path: { persona_id: 1 } })).status
    await agent.use('forceAnswer', { operation: 'getPersona', status: 503, body: { detail: 'Busy' } })
    expect(await read()).toBe(503)
    await agent.use('clearForcedAnswers')
    expect(await read()).toBe(200)
  })

  test('a snapshot brings back what was deleted', async () => {
    const read = async () => (await callAs('admin', 'getPersona', { path: { persona_id: 3 } })).status
    await agent.use('takeSnapshot', { name: 'before' })
    await callAs('admin', 'deletePersona', { path: { persona_id: 3 } })
    expect(await read()).toBe(404)
    await agent.use('restoreSnapshot', { name: 'before' })
    expect(await read()).toBe(200)
  })

  test('the journal has the exchanges, and near misses of unknown requests', async () => {
    await agent.use('callOperation', { url: '/api/persnoa/1' })
    const { requests } = await agent.use('listRequests', { unmatched: true })
    expect(
      requests.map(({ near_misses }: { near_misses: { operation: string }[] }) => near_misses[0]?.operation)
    ).toEqual(['getPersona'])
    expect((await agent.use('listRequests', { operation: 'deletePersona' })).total).toBe(1)
    expect((await agent.use('getCoverage')).summary.covered).toBeGreaterThan(5)
  })

  test('an app that names the sandbox sees what the agent prepared', async () => {
    await agent.use('addRow', { collection: 'labels', body: { name: 'For the app' } })
    const headers = { 'X-Mock-Sandbox': agent.sandbox }
    const labels = (await (await fetch(`${base(agent)}/__mock/state/labels?q=For+the+app`, { headers })).json()) as {
      total: number
    }
    expect(labels.total).toBe(1)
  })

  test('a capsule has what happened, and plays it again', async () => {
    const capsule = await agent.use('exportScenario')
    expect(capsule.steps.length).toBeGreaterThan(5)
    expect((await agent.use('playSteps', capsule)).steps).toBe(capsule.steps.length)
    expect((await agent.use('listRequests', { operation: 'deletePersona' })).total).toBeGreaterThan(0)
  })

  test('scenarios, assumptions and a reset', async () => {
    expect((await agent.use('listScenarios')).scenarios.map(({ name }: { name: string }) => name)).toContain(
      'first-day'
    )
    expect((await agent.use('playScenario', { name: 'first-day' })).name).toBe('first-day')
    const steps = [{ create: { collection: 'labels', part: { name: 'Own' } }, as: 'label' }]
    expect((await agent.use('playSteps', { name: 'own', steps })).results.label.name).toBe('Own')
    await agent.use('changeAssumptions', { body: { 'files.deletion': 'refused' } })
    const { assumptions } = await agent.use('listAssumptions', { q: 'files.deletion' })
    expect(assumptions.find(({ id }: { id: string }) => id === 'files.deletion').choice).toBe('refused')
    expect((await agent.use('resetSandbox', { fixtures: 'empty' })).fixtures).toBe('empty')
  })

  test('two agents do not see each other', async () => {
    const other = await connect()
    const named = async (it: Agent) => {
      const { body } = await it.use('callOperation', { operation: 'getPersona', path: { persona_id: 0 } })
      return body.description
    }
    const before = await named(other)
    await agent.use('resetSandbox', {})
    await agent.use('callOperation', {
      operation: 'updatePersona',
      path: { persona_id: 0 },
      body: { description: 'Mine' }
    })
    await agent.use('setClock', { now: '2030-01-01T00:00:00Z' })
    expect([await named(agent), await named(other)]).toEqual(['Mine', before])
    expect((await other.use('listRequests')).total).toBe(2)
  })
})
