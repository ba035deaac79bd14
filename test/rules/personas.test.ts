import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { startTestMock } from '../mock.js'
import { agent, deletedFile, fileOfBasic, ids, userId, withAgents } from './agents.js'

const mock = await startTestMock({ fixtures: 'empty' })
const telling = await startTestMock({ fixtures: 'empty', assume: { 'errors.missing': '403-foreign' } })
const observed = await startTestMock({
  fixtures: 'empty',
  assume: { 'errors.missing': 'per-operation', 'persona.deletion': 'kept' }
})
const allowing = await startTestMock({ fixtures: 'empty', assume: { 'persona.builtin-deletion': 'allowed' } })
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })

const read = (id: number, as = 'admin', on = mock) => on.call('GET', `/api/persona/${id}`, { as })
const patch = (body: object) => mock.call('PATCH', '/api/persona/1', { as: 'basic', body })
const erase = (id: number, as = 'admin', on = mock) => on.call('DELETE', `/api/persona/${id}`, { as })

beforeEach(async () => {
  for (const on of [mock, telling, observed, allowing, sevenSources]) await withAgents(on)
})

test('E5 resolves its ids: tools, labels, owner, users, document sets', async () => {
  const { status, body } = await read(1, 'basic')
  expect(status).toBe(200)
  expect(body.tools.map((it: { name: string }) => it.name)).toEqual(['tool2', 'tool1'])
  expect(body.labels).toEqual([{ id: 1, name: 'Writing' }])
  expect(body.owner).toEqual({ id: userId(mock, 'basic'), email: 'tom@example.com' })
  expect(body.users).toEqual([{ id: userId(mock, 'curator'), email: 'mary@example.com' }])
  expect(body.user_file_ids).toEqual([fileOfBasic])
  expect(body.search_start_date).toBe('2026-01-01T00:00:00.000Z')
  expect(body).not.toHaveProperty('tool_ids')
})

test('E5 shows the pairs of a document set with the source of their connector, and nothing that is gone', async () => {
  const { body } = await read(1)
  expect(body.document_sets).toHaveLength(1)
  expect(body.document_sets[0].cc_pair_summaries).toEqual([
    { id: 2, name: 'Pair 2', source: 'slack', access_type: 'sync' },
    { id: 1, name: 'Pair 1', source: 'web', access_type: 'sync' }
  ])
  expect(body.document_sets[0].users).toEqual([userId(mock, 'curator')])
  expect(ids(body.document_sets[0].federated_connector_summaries)).toEqual([1])
})

test('E5 leaves out pairs of a source that the contract does not know', async () => {
  const { status, body } = await read(1, 'admin', sevenSources)
  expect(status).toBe(200)
  expect(ids(body.document_sets[0].cc_pair_summaries)).toEqual([1])
})

test('E5 leaves out rows that were removed directly', async () => {
  const { rows } = mock.sandbox
  rows.tools.remove(1)
  rows.labels.remove(1)
  rows.documentSets.remove(1)
  rows.users.remove(userId(mock, 'curator'))
  rows.users.remove(userId(mock, 'basic'))
  rows.userFiles.remove(fileOfBasic)
  const { status, body } = await read(1)
  expect(status).toBe(200)
  expect(ids(body.tools)).toEqual([2])
  expect(body).toMatchObject({ labels: [], document_sets: [], users: [], user_file_ids: [] })
  expect(body).not.toHaveProperty('owner')
})

test('E5 leaves out a file from the moment its deletion ends', async () => {
  mock.sandbox.rows.personas.put({
    ...(agent(mock, 1) as Rows['personas']),
    user_file_ids: [fileOfBasic, deletedFile]
  })
  expect((await read(1)).body.user_file_ids).toEqual([fileOfBasic, deletedFile])
  mock.sandbox.clock.set({ now: mock.sandbox.clock.now + 1000 })
  expect((await read(1)).body.user_file_ids).toEqual([fileOfBasic])
})

test.each([
  ['admin', 2, 200],
  ['curator', 2, 200],
  ['basic', 2, 404],
  ['basic', 3, 200],
  ['basic', 0, 200],
  ['curator', 1, 200],
  ['admin', 99, 404],
  ['admin', -1, 404]
])('E5 is for who may see the agent: %s, agent %i: %i', async (as, id, status) => {
  expect((await read(id, as)).status).toBe(status)
})

test('E5 is allowed while the agent is shared with the caller', async () => {
  await patch({ is_public: false })
  expect((await read(1, 'curator')).status).toBe(200)
  await patch({ users: [] })
  expect((await read(1, 'curator')).status).toBe(404)
})

test('E5 gives the same answer for hidden and missing agents, unless errors.missing says otherwise', async () => {
  expect((await read(2, 'basic')).body).toEqual({ detail: 'Persona with ID 2 does not exist' })
  expect((await read(9, 'basic')).body).toEqual({ detail: 'Persona with ID 9 does not exist' })
  expect((await read(2, 'basic', telling)).status).toBe(403)
  expect((await read(9, 'basic', telling)).status).toBe(404)
  const replyOf = async (method: string, as: string) => {
    const { status, body } = await observed.call(method, '/api/persona/9', { as })
    return [status, body]
  }
  for (const method of ['GET', 'DELETE']) {
    expect(await replyOf(method, 'admin')).toEqual([400, { message: 'Persona with ID 9 does not exist' }])
    const message = 'Persona with ID 9 does not exist or does not belong to user'
    expect(await replyOf(method, 'basic')).toEqual([400, { message }])
  }
  expect((await read(2, 'basic', observed)).status).toBe(400)
})

test('E7 answers null, and the agent is gone for everyone', async () => {
  const { status, body } = await erase(1, 'basic')
  expect(status).toBe(200)
  expect(body).toBeNull()
  expect((await read(1, 'admin')).status).toBe(404)
  expect((await patch({ name: 'Back' })).status).toBe(404)
  expect((await erase(1)).status).toBe(404)
  expect(agent(mock, 3)).toBeDefined()
})

test.each([
  ['admin', 2, 200],
  ['admin', 0, 400],
  ['curator', 2, 200],
  ['curator', 1, 403],
  ['basic', 2, 404],
  ['basic', 3, 403],
  ['basic', 0, 403],
  ['admin', 99, 404]
])('E7 is for administrators and the owner: %s, agent %i: %i', async (as, id, status) => {
  const before = agent(mock, id)
  expect((await erase(id, as)).status).toBe(status)
  expect(agent(mock, id)).toBe(status === 200 ? undefined : before)
})

test('E7 keeps the built-in agent, unless persona.builtin-deletion is allowed', async () => {
  const { status, body, headers } = await erase(0)
  expect([status, body]).toEqual([400, { detail: 'The persona with ID 0 is built in and cannot be deleted.' }])
  expect(headers.get('x-mock-assumed')).toContain('persona.builtin-deletion')
  expect((await read(0)).status).toBe(200)
  expect([(await erase(0, 'admin', allowing)).status, agent(allowing, 0)]).toEqual([200, undefined])
})

test('E7 is a 403 for users who may only read it, under every choice of errors.missing', async () => {
  for (const on of [mock, telling, observed]) {
    const { status, body, headers } = await erase(3, 'basic', on)
    expect([status, body]).toEqual([403, { detail: 'You may read the persona with ID 3, but not delete it.' }])
    expect(headers.get('x-mock-assumed')).toContain('errors.missing')
  }
})

test('E7 moves its chat sessions to the built-in agent, or leaves them if persona.deletion is kept', async () => {
  for (const on of [mock, observed]) {
    const { body } = await on.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { persona_id: 1 } })
    await erase(1, 'basic', on)
    const { body: list } = await on.call('GET', '/api/chat/get-user-chat-sessions', { as: 'basic' })
    const session = list.sessions.find((it: { id: string }) => it.id === body.chat_session_id)
    expect(session.persona_id).toBe(on === mock ? 0 : 1)
  }
})

test('E7 is refused as in the running service if errors.missing says so', async () => {
  const { status, body } = await erase(2, 'basic', observed)
  expect(status).toBe(400)
  expect(body).toEqual({ message: 'Persona with ID 2 does not exist or does not belong to user' })
  expect(agent(observed, 2)).toBeDefined()
})
