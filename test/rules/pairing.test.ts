import { startTestMock, type TestMock } from '../mock.js'
import { clear, putConnector, putCredential, putDocumentSet } from './associations.js'

const mock = await startTestMock({ fixtures: 'empty' })
const observed = await startTestMock({ fixtures: 'empty', profile: 'observed' })
const lenient = await startTestMock({
  fixtures: 'empty',
  assume: {
    'pairing.repeated': 'successful',
    'pairing.data': 'connector',
    'pairing.access-type': 'private',
    'pairing.absent': '404'
  }
})
const strict = await startTestMock({ fixtures: 'empty', assume: { 'errors.missing': '403-foreign' } })
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })

beforeEach(() => {
  const mocks = [mock, observed, lenient, strict, sevenSources]
  clear(...mocks)
  for (const on of mocks) {
    putConnector(on, 1)
    putConnector(on, 2, { source: 'slack' })
    putCredential(on, 1, 'admin')
    putCredential(on, 2, 'curator', { curator_public: true })
    putCredential(on, 3, 'basic')
    putCredential(on, 4, null)
  }
})

const path = (connector: number, credential: number) => `/api/manage/connector/${connector}/credential/${credential}`
const link = (on: TestMock, connector: number, credential: number, as = 'admin', body: object = {}) =>
  on.call('PUT', path(connector, credential), { as, body })
const unlink = (on: TestMock, connector: number, credential: number, as = 'admin') =>
  on.call('DELETE', path(connector, credential), { as })
const pairsOf = ({ sandbox }: TestMock) => [...sandbox.rows.connectorCredentials.all()]

test('associating a credential with a connector (E13) creates a scheduled association with one attempt, which will run and succeed', async () => {
  const body = { name: 'Wiki', auto_sync_options: { customer_id: 'a' }, groups: [2], access_type: 'sync' }
  const reply = await link(mock, 1, 1, 'admin', body)
  const [pair] = pairsOf(mock)
  expect(reply.body).toEqual({
    success: true,
    message: 'Creating new association between Connector 1 and Credential 1',
    data: pair?.id
  })
  expect(pair).toEqual({
    id: expect.any(Number),
    connector_id: 1,
    credential_id: 1,
    ...body,
    status: 'SCHEDULED',
    docs_indexed: 0,
    last_success: null,
    in_repeated_error_state: false
  })
  const attempts = [...mock.sandbox.rows.indexAttempts.all()]
  expect(attempts).toEqual([
    {
      id: expect.any(Number),
      connector_credential_id: pair?.id,
      secondary_index: false,
      time_created: '2026-03-02T10:00:00.000Z',
      starts_at: '2026-03-02T10:00:02.000Z',
      settles_at: '2026-03-02T10:00:10.000Z',
      settles_as: 'success',
      docs_indexed: expect.any(Number)
    }
  ])
  expect(attempts[0]?.docs_indexed).toBeGreaterThanOrEqual(10)
  expect(attempts[0]?.docs_indexed).toBeLessThanOrEqual(500)
  expect((await mock.call('GET', '/api/manage/connector/1')).body.credential_ids).toEqual([1])
})

test('associating a credential with a connector (E13) accepts null for every field, or none: no name, no groups, public', async () => {
  await link(mock, 1, 1, 'admin', { name: null, auto_sync_options: null, groups: null, access_type: null })
  const { headers } = await link(mock, 2, 1)
  expect(headers.get('x-mock-assumed')).toContain('pairing.access-type')
  for (const pair of pairsOf(mock)) {
    expect(pair).toMatchObject({ name: null, auto_sync_options: null, groups: [], access_type: 'public' })
  }
})

test('associating a credential with a connector (E13) creates a private association without access_type with pairing.access-type=private', async () => {
  await link(lenient, 1, 1)
  expect(pairsOf(lenient)[0]?.access_type).toBe('private')
})

test('associating a credential with a connector (E13) leaves an existing association unchanged', async () => {
  const first = await link(mock, 1, 1, 'admin', { name: 'first' })
  const before = pairsOf(mock)
  const { status, body } = await link(mock, 1, 1, 'admin', { name: 'second', access_type: 'private' })
  expect([status, body]).toEqual([
    200,
    { success: false, message: 'Connector 1 already has Credential 1', data: first.body.data }
  ])
  expect(pairsOf(mock)).toEqual(before)
  expect(mock.sandbox.rows.indexAttempts.size).toBe(1)
})

test('associating a credential with a connector (E13) is successful for an existing one with pairing.repeated=successful, and data is the connector with pairing.data=connector', async () => {
  for (const connector of [2, 1]) {
    const replies = [await link(lenient, connector, 1), await link(lenient, connector, 1)]
    expect(replies.map(({ body }) => [body.success, body.data])).toEqual([
      [true, connector],
      [true, connector]
    ])
  }
  expect(pairsOf(lenient)).toHaveLength(2)
})

test('associating a credential with a connector (E13) returns the id of a new association, and that of the connector afterwards, under the profile observed', async () => {
  await link(observed, 2, 1, 'admin', { access_type: 'public' })
  const twice = [1, 2].map(() => link(observed, 1, 1, 'admin', { access_type: 'public' }))
  const [first, second] = await Promise.all(twice)
  const made = pairsOf(observed).find((pair) => pair.connector_id === 1)
  expect([first?.body.data, second?.body.data, second?.body.success]).toEqual([made?.id, 1, false])
  expect(made?.id).not.toBe(1)
})

test('associating a credential with a connector (E13) needs a connector, and a credential that the caller sees', async () => {
  const refused: [number, number, string, string][] = [
    [9, 1, 'admin', 'Connector 9 does not exist'],
    [1, 9, 'admin', 'Credential 9 does not exist or does not belong to user'],
    [1, 3, 'admin', 'Credential 3 does not exist or does not belong to user'],
    [1, 1, 'curator', 'Credential 1 does not exist or does not belong to user']
  ]
  for (const [connector, credential, as, detail] of refused) {
    const { status, body } = await link(mock, connector, credential, as)
    expect([status, body]).toEqual([404, { detail }])
  }
  expect((await link(strict, 1, 3)).status).toBe(403)
  expect((await link(strict, 1, 9)).status).toBe(404)
  expect((await link(observed, 1, 9, 'admin', { access_type: 'public' })).body).toEqual({
    detail: 'Unexpected error'
  })
  expect([pairsOf(mock), pairsOf(strict), pairsOf(observed)]).toEqual([[], [], []])
})

test('associating a credential with a connector (E13) is refused for a connector of another source with sources.values=named-seven', async () => {
  expect((await link(sevenSources, 2, 1)).status).toBe(404)
  expect((await link(sevenSources, 1, 1)).status).toBe(200)
})

test('associating a credential with a connector (E13) needs access_type with requests.required=observed', async () => {
  expect((await link(observed, 1, 1)).status).toBe(422)
  expect((await link(observed, 1, 1, 'admin', { access_type: 'public' })).status).toBe(200)
})

test('dissociating a credential from a connector (E14) removes the association, its attempts and its place in document sets, and nothing else', async () => {
  const { rows } = mock.sandbox
  const gone = (await link(mock, 1, 1)).body.data
  const kept = (await link(mock, 2, 1)).body.data
  putDocumentSet(mock, 1, [gone, kept])
  const { status, body } = await unlink(mock, 1, 1)
  expect([status, body]).toEqual([200, { success: true, message: 'Credential 1 removed from Connector', data: 1 }])
  expect(pairsOf(mock).map((pair) => pair.id)).toEqual([kept])
  expect([...rows.indexAttempts.all()].map((attempt) => attempt.connector_credential_id)).toEqual([kept])
  expect(rows.documentSets.get(1)?.cc_pair_ids).toEqual([kept])
  expect(rows.credentials.get(1)).toBeDefined()
  expect((await mock.call('GET', '/api/manage/connector/1')).body.credential_ids).toEqual([])
})

test('dissociating a credential from a connector (E14) frees no id: a new association has a new one', async () => {
  const first = (await link(mock, 1, 1)).body.data
  await unlink(mock, 1, 1)
  expect((await link(mock, 1, 1)).body.data).toBe(first + 1)
})

test('dissociating a credential from a connector (E14) is answered without success if there is no association', async () => {
  const { status, body } = await unlink(mock, 1, 1)
  expect([status, body]).toEqual([
    200,
    { success: false, message: 'Connector already does not have Credential 1', data: 1 }
  ])
})

test('dissociating a credential from a connector (E14) is a 404 for a missing association with pairing.absent=404', async () => {
  const { status, body } = await unlink(lenient, 1, 1)
  expect([status, body]).toEqual([404, { detail: 'Connector already does not have Credential 1' }])
})

test('dissociating a credential from a connector (E14) needs a connector, and a credential that the caller sees', async () => {
  expect((await unlink(mock, 9, 1)).body.detail).toBe('Connector 9 does not exist')
  for (const [credential, as] of [
    [9, 'admin'],
    [3, 'admin'],
    [1, 'basic']
  ] as const) {
    const { status, body } = await unlink(mock, 1, credential, as)
    expect([status, body.detail]).toEqual([404, `Credential ${credential} does not exist or does not belong to user`])
  }
})

test('dissociating a credential from a connector (E14) needs permission to edit the association', async () => {
  await link(mock, 1, 2, 'curator')
  putCredential(mock, 5, 'basic', { curator_public: true })
  await link(mock, 1, 5, 'basic')
  const { status, body, headers } = await unlink(mock, 1, 5, 'curator')
  expect([status, body.detail]).toEqual([403, 'You may see that connector 1 has credential 5, but not change it.'])
  expect(headers.get('x-mock-assumed')).toContain('errors.missing')
  expect(pairsOf(mock)).toHaveLength(2)
  expect((await unlink(mock, 1, 5, 'basic')).body.success).toBe(true)
  expect((await unlink(mock, 1, 2, 'curator')).body.success).toBe(true)
  expect(pairsOf(mock)).toEqual([])
})
