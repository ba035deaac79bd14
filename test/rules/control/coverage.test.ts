import { operationIds } from '../../contract/document.js'
import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

const coverage = async () => (await mock.call('GET', '/__mock/coverage')).body

interface Row {
  operation: string
  code: string
  label: string
  statuses: { status: number; documented: boolean; seen: number; violations: number }[]
}

async function rowOf(id: string): Promise<Row> {
  const { operations } = await coverage()
  return operations.find(({ operation }: Row) => operation === id)
}
const seenOf = ({ statuses }: Row) =>
  Object.fromEntries(statuses.filter(({ seen }) => seen > 0).map(({ status, seen }) => [status, seen]))

test('every documented status is listed at first, and no operation is used', async () => {
  const { operations, unknown, assumptions, summary } = await coverage()
  expect(operations.map(({ code }: Row) => code)).toEqual(operationIds.map((_, at) => `E${at + 1}`))
  expect(operations.every(({ label }: Row) => label === 'not used')).toBe(true)
  expect([unknown, assumptions, summary]).toEqual([
    [],
    [],
    { operations: operationIds.length, covered: 0, violations: 0 }
  ])
  const { statuses } = await rowOf('getPersona')
  expect(statuses.map(({ status, documented, seen }) => [status, documented, seen])).toEqual([
    [200, true, 0],
    [401, true, 0],
    [404, true, 0],
    [422, true, 0]
  ])
})

test('statuses are counted as clients see them', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/2')
  await mock.call('GET', '/api/persona/999')
  await mock.call('GET', '/api/persona/first')
  await mock.call('GET', '/api/persona/1', { as: null })
  const row = await rowOf('getPersona')
  expect([row.label, seenOf(row)]).toEqual(['covered', { 200: 2, 401: 1, 404: 1, 422: 1 }])
  expect((await coverage()).summary).toEqual({ operations: operationIds.length, covered: 1, violations: 0 })
})

test('an undocumented status is marked', async () => {
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'listProjects', status: 418, times: 1 } })
  await mock.call('GET', '/api/user/projects/')
  const { statuses } = await rowOf('listProjects')
  expect(statuses).toContainEqual({ status: 418, documented: false, seen: 1, violations: 0 })
})

test('an answer of the mock is judged by the choices of its time, and the mock’s redirects are its own', async () => {
  const assume = (body: object) => mock.call('PATCH', '/__mock/assumptions', { body })
  await mock.call('GET', '/api/user/projects')
  await assume({ 'credential.missing': '401' })
  await mock.call('GET', '/api/manage/credential/999999')
  await assume({ 'credential.missing': '404' })
  await mock.call('GET', '/api/manage/credential/999999')
  await assume({ 'credential.missing': 'documented' })
  for (const at of ['', '?at=r3']) {
    const { operations } = (await mock.call('GET', `/__mock/coverage${at}`)).body
    const seen = operations.flatMap((row: Row) =>
      row.statuses.filter((it) => it.seen > 0).map(({ status, documented }) => [row.operation, status, documented])
    )
    expect(seen).toEqual([
      ['getCredential', 401, true],
      ['getCredential', 404, true],
      ['listProjects', 307, true]
    ])
  }
})

test('violations are counted at the status where they occurred', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 1, colour: 'red', size: 4 } })
  expect((await rowOf('createChatSession')).statuses).toContainEqual({
    status: 200,
    documented: true,
    seen: 1,
    violations: 2
  })
  expect((await coverage()).summary.violations).toBe(2)
})

test('an unknown operation is shown and never counted', async () => {
  for (const method of ['GET', 'GET', 'POST']) await mock.call(method, '/api/personas/1?page=2')
  await mock.call('PUT', '/api/persona/1')
  await mock.call('GET', '/api/persona/1', { headers: { 'X-Mock-Sandbox': 'no good name' } })
  const { unknown, summary } = await coverage()
  expect(unknown).toEqual([
    { method: 'GET', path: '/api/personas/1', seen: 2 },
    { method: 'POST', path: '/api/personas/1', seen: 1 },
    { method: 'PUT', path: '/api/persona/1', seen: 1 }
  ])
  expect(summary.covered).toBe(0)
})

test('only so many unknown paths are kept, and only so much of each', () => {
  const { coverage: counted } = mock.sandbox
  for (let count = 0; count < 3000; count++) counted.countUnknown('GET', `/${count}/${'x'.repeat(5000)}`)
  expect(counted.unknown.size).toBe(1000)
  expect(Math.max(...[...counted.unknown.keys()].map(({ length }) => length))).toBeLessThan(250)
  counted.countUnknown('GET', '/0/x')
  expect(counted.unknown.size).toBe(1000)
})

test('a broken connection covers nothing', () => {
  mock.sandbox.coverage.count('getPersona', 0, 0, ['errors.missing'])
  expect([mock.sandbox.coverage.statuses.size, mock.sandbox.coverage.assumptions.size]).toEqual([0, 0])
})

test('assumptions that clients depend on are ranked by use as questions to ask', async () => {
  await mock.call('GET', '/api/persona/999')
  await mock.call('GET', '/api/persona/998')
  await mock.call('GET', '/api/manage/connector/999')
  await mock.call('DELETE', '/api/persona/2')
  const { assumptions } = await coverage()
  const uses = assumptions.map((it: { uses: number }) => it.uses)
  expect(uses).toEqual([...uses].sort((a, b) => b - a))
  expect(assumptions[0]).toEqual({
    id: 'errors.missing',
    question: expect.stringMatching(/\?$/),
    choice: '404',
    uses: 2,
    operations: ['getPersona']
  })
  expect(assumptions).toContainEqual(
    expect.objectContaining({ id: 'delete.body', uses: 1, operations: ['deletePersona'] })
  )
})

test('coverage survives an emptied journal, starts again with a reset, and belongs to each sandbox', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('DELETE', '/__mock/requests')
  expect(seenOf(await rowOf('getPersona'))).toEqual({ 200: 1 })
  const other = await mock.call('GET', '/__mock/coverage', { as: 'admin~other' })
  expect(other.body.summary.covered).toBe(0)
  await mock.call('POST', '/__mock/reset', { body: {} })
  expect((await coverage()).summary.covered).toBe(0)
})

test('an unknown path counts as a use of the assumptions behind its answer', async () => {
  await mock.call('GET', '/api/nothing/1')
  const { assumptions } = await coverage()
  expect(assumptions.find(({ id }: { id: string }) => id === 'errors.unknown-path')).toMatchObject({
    uses: 1,
    operations: []
  })
})
