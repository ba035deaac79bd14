import type { ConnectorIndexingStatus, IndexingStatusGroup, Rows } from '../../src/contract/types.gen.js'
import { startTestMock, type TestMock, testNow } from '../mock.js'

const mock = await startTestMock({ fixtures: 'empty' })
const keepEmpty = await startTestMock({ fixtures: 'empty', assume: { 'indexing.paging': 'keep-empty' } })
const otherName = await startTestMock({
  fixtures: 'empty',
  assume: { 'indexing.operator-name': 'docs_count_comparison' }
})
const manual = await startTestMock({ fixtures: 'empty', assume: { 'indexing.lifecycle': 'manual' } })
const unfederated = await startTestMock({ fixtures: 'empty', assume: { 'indexing.federated': 'omitted' } })
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })
const all = [mock, keepEmpty, otherName, manual, unfederated, sevenSources]

const start = Date.parse(testNow)
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString()

beforeEach(() => {
  for (const { sandbox } of all) {
    const { credentials, connectors, connectorCredentials, indexAttempts, documentSets } = sandbox.rows
    for (const collection of [credentials, connectors, connectorCredentials, indexAttempts, documentSets]) {
      for (const row of [...collection.all()]) collection.remove(row.id)
    }
    sandbox.clock.set({ now: start })
  }
})

/** A pair with a connector and a credential of its own, all of one number. */
function put(
  { sandbox }: TestMock,
  id: number,
  own: Partial<Rows['connectorCredentials']> & { source?: Rows['connectors']['source']; owner?: string | null } = {}
): void {
  const { rows } = sandbox
  const { source = 'web', owner = 'admin', ...pair } = own
  const times = { time_created: at(-9999), time_updated: at(-9999) }
  rows.connectors.put({
    id,
    name: `connector ${id}`,
    source,
    input_type: 'poll',
    connector_specific_config: {},
    refresh_freq: null,
    prune_freq: null,
    indexing_start: null,
    ...times
  })
  rows.credentials.put({
    id,
    credential_json: {},
    admin_public: true,
    source,
    name: null,
    curator_public: false,
    groups: [],
    user_id: owner === null ? null : (rows.users.first('byKey', owner)?.id as string),
    ...times
  })
  rows.connectorCredentials.put({
    id,
    connector_id: id,
    credential_id: id,
    name: `pair ${id}`,
    access_type: 'public',
    status: 'ACTIVE',
    groups: [],
    auto_sync_options: null,
    docs_indexed: 0,
    last_success: null,
    in_repeated_error_state: false,
    ...pair
  })
}

function putAttempt({ sandbox }: TestMock, pair: number, own: Partial<Rows['indexAttempts']> = {}): void {
  const { indexAttempts } = sandbox.rows
  indexAttempts.put({
    id: Number(indexAttempts.lastId() ?? 0) + 1,
    connector_credential_id: pair,
    secondary_index: false,
    time_created: at(-60),
    starts_at: at(-50),
    settles_at: at(-40),
    settles_as: 'success',
    docs_indexed: 5,
    ...own
  })
}

function putFederated(
  { sandbox }: TestMock,
  id: number,
  connectors: [id: number, name: string, source: string][]
): void {
  sandbox.rows.documentSets.put({
    id,
    name: `set ${id}`,
    description: null,
    cc_pair_ids: [],
    is_up_to_date: true,
    is_public: true,
    users: [],
    groups: [],
    federated_connector_summaries: connectors.map(([id, name, source]) => ({ id, name, source, entities: {} }))
  })
}

const report = (on: TestMock, body: object = {}, as = 'admin') =>
  on.call('POST', '/api/manage/admin/connector/indexing-status', { as, body })

async function groupsOf(on: TestMock, body: object = {}, as = 'admin'): Promise<IndexingStatusGroup[]> {
  const answer = await report(on, body, as)
  expect(answer.status).toBe(200)
  return answer.body
}

async function idsOf(on: TestMock, body: object = {}, as = 'admin'): Promise<number[]> {
  const groups = await groupsOf(on, body, as)
  return groups.flatMap((group) =>
    group.indexing_statuses.map((item) => ('cc_pair_id' in item ? item.cc_pair_id : -item.id))
  )
}

async function itemOf(on: TestMock, body: object = {}): Promise<ConnectorIndexingStatus> {
  const [group] = await groupsOf(on, body)
  return group?.indexing_statuses[0] as ConnectorIndexingStatus
}

function moveTo(on: TestMock, seconds: number): void {
  on.sandbox.clock.set({ now: start + seconds * 1000 })
}

describe('the report (E16)', () => {
  test('shows an association with its figures', async () => {
    put(mock, 12, { docs_indexed: 400, last_success: at(-100), access_type: 'sync' })
    putAttempt(mock, 12, { docs_indexed: 12 })
    const [group] = await groupsOf(mock)
    expect(group).toEqual({
      source: 'web',
      summary: { total_connectors: 1, active_connectors: 1, public_connectors: 0, total_docs_indexed: 412 },
      current_page: 1,
      total_pages: 1,
      indexing_statuses: [
        {
          cc_pair_id: 12,
          name: 'pair 12',
          source: 'web',
          access_type: 'sync',
          cc_pair_status: 'ACTIVE',
          in_progress: false,
          in_repeated_error_state: false,
          last_finished_status: 'success',
          last_status: 'success',
          last_success: at(-40),
          is_editable: true,
          docs_indexed: 412,
          latest_index_attempt_docs_indexed: 12
        }
      ]
    })
  })

  test('groups by source in the order of its name, the newest association first', async () => {
    put(mock, 1)
    put(mock, 2, { source: 'airtable' })
    put(mock, 3)
    put(mock, 4, { source: 'zulip' })
    expect((await groupsOf(mock)).map((group) => group.source)).toEqual(['airtable', 'web', 'zulip'])
    expect(await idsOf(mock)).toEqual([2, 3, 1, 4])
  })

  test('leaves out the association that takes what is ingested without a connector', async () => {
    put(mock, 1, { name: 'DefaultCCPair' })
    expect(await groupsOf(mock)).toEqual([])
  })

  test("an administrator may edit all; a curator own and nobody's ones, and sees of the others what is not private", async () => {
    put(mock, 1, { owner: 'curator', access_type: 'private' })
    put(mock, 2, { owner: null, access_type: 'private' })
    put(mock, 3, { access_type: 'private' })
    put(mock, 4, { access_type: 'public' })
    put(mock, 5, { access_type: 'sync' })
    const editable = async (as: string) => {
      const [group] = await groupsOf(mock, {}, as)
      return group?.indexing_statuses.map((item) => [
        (item as ConnectorIndexingStatus).cc_pair_id,
        (item as ConnectorIndexingStatus).is_editable
      ])
    }
    expect(await editable('admin')).toEqual([
      [5, true],
      [4, true],
      [3, true],
      [2, true],
      [1, true]
    ])
    expect(await editable('curator')).toEqual([
      [2, true],
      [1, true],
      [5, false],
      [4, false]
    ])
    expect((await report(mock, {}, 'basic')).status).toBe(403)
  })

  test('a body is needed, its fields are not, and each may be null', async () => {
    put(mock, 1)
    const nothing = {
      secondary_index: null,
      access_type_filters: null,
      last_status_filters: null,
      docs_count_operator: null,
      docs_count_value: null,
      name_filter: null,
      source_to_page: null,
      get_all_connectors: null
    }
    expect(await idsOf(mock, nothing)).toEqual([1])
    expect((await mock.call('POST', '/api/manage/admin/connector/indexing-status')).status).toBe(422)
  })

  test('with sources.values=named-seven, associations of other sources are left out', async () => {
    put(sevenSources, 1, { source: 'slack' })
    put(sevenSources, 2)
    putFederated(sevenSources, 1, [[1, 'Federated Slack', 'federated_slack']])
    expect((await groupsOf(sevenSources)).map((group) => group.source)).toEqual(['web'])
  })
})

describe('the filters (E16)', () => {
  beforeEach(() => {
    put(mock, 1, { access_type: 'private', name: 'Product Wiki', docs_indexed: 10 })
    put(mock, 2, { access_type: 'public', name: 'Wiki, nightly', docs_indexed: 20 })
    put(mock, 3, { access_type: 'sync', name: null, docs_indexed: 30 })
    putAttempt(mock, 1, { settles_as: 'failed' })
    putAttempt(mock, 2, { settles_at: at(10) })
  })

  test.each<[object, number[]]>([
    [{ access_type_filters: ['private'] }, [1]],
    [{ access_type_filters: ['private', 'sync'] }, [3, 1]],
    [{ access_type_filters: [] }, [3, 2, 1]],
    [{ last_status_filters: ['failed'] }, [1]],
    [{ last_status_filters: ['in_progress', 'failed', 'not_started'] }, [2, 1]],
    [{ last_status_filters: ['success'] }, []],
    [{ name_filter: 'wIKI' }, [2, 1]],
    [{ name_filter: '' }, [3, 2, 1]],
    [{ docs_count_operator: '>', docs_count_value: 10 }, [3, 2]],
    [{ docs_count_operator: '<', docs_count_value: 20 }, [1]],
    [{ docs_count_operator: '=', docs_count_value: 20 }, [2]],
    [{ docs_count_operator: '=', docs_count_value: 0 }, []],
    [{ docs_count_operator: '>' }, [3, 2, 1]],
    [{ docs_count_value: 10 }, [3, 2, 1]],
    [{ access_type_filters: ['public', 'sync'], name_filter: 'wiki', last_status_filters: ['in_progress'] }, [2]],
    [{ access_type_filters: ['sync'], name_filter: 'wiki' }, []]
  ])('%j leaves %j', async (body, ids) => {
    expect(await idsOf(mock, body)).toEqual(ids)
  })

  test('the summary counts what is left', async () => {
    const [group] = await groupsOf(mock, { access_type_filters: ['public', 'sync'] })
    expect(group?.summary).toEqual({
      total_connectors: 2,
      active_connectors: 2,
      public_connectors: 1,
      total_docs_indexed: 50
    })
  })

  test('with indexing.operator-name=docs_count_comparison the operator has that name', async () => {
    put(otherName, 1, { docs_indexed: 10 })
    put(otherName, 2, { docs_indexed: 20 })
    const { headers } = await report(otherName, { docs_count_comparison: '>', docs_count_value: 10 })
    expect(headers.get('x-mock-assumed')).toContain('indexing.operator-name')
    expect(await idsOf(otherName, { docs_count_comparison: '>', docs_count_value: 10 })).toEqual([2])
    expect(await idsOf(otherName, { docs_count_operator: '>', docs_count_value: 10 })).toEqual([2, 1])
    expect(await idsOf(mock, { docs_count_comparison: '>', docs_count_value: 10 })).toEqual([3, 2, 1])
    expect((await report(otherName, { docs_count_comparison: '!' })).status).toBe(422)
  })
})

describe('paging (E16)', () => {
  const count = 23

  beforeEach(() => {
    for (const on of [mock, keepEmpty]) {
      for (let id = 1; id <= count; id++) put(on, id, { docs_indexed: 1 })
      put(on, 100, { source: 'file' })
    }
  })

  async function page(on: TestMock, body: object): Promise<[ids: number, current: number, total: number] | undefined> {
    const group = (await groupsOf(on, body)).find((it) => it.source === 'web')
    return group && [group.indexing_statuses.length, group.current_page, group.total_pages]
  }

  test('gives ten of each source, from the page asked for of it', async () => {
    const { headers } = await report(mock)
    expect(headers.get('x-mock-assumed')).toContain('indexing.paging')
    expect(await page(mock, {})).toEqual([10, 1, 3])
    expect(await page(mock, { source_to_page: { web: 2, file: 1 } })).toEqual([10, 2, 3])
    expect(await page(mock, { source_to_page: { web: 3 } })).toEqual([3, 3, 3])
    expect(await idsOf(mock, { source_to_page: { web: 3 } })).toEqual([100, 3, 2, 1])
  })

  test.each([4, 99, 0, -1, 1e15])('a source whose page %d is empty is left out', async (number) => {
    expect(await page(mock, { source_to_page: { web: number } })).toBeUndefined()
    expect(await idsOf(mock, { source_to_page: { web: number } })).toEqual([100])
  })

  test('with indexing.paging=keep-empty it stays, without items', async () => {
    for (const number of [4, 0, -1]) {
      expect(await page(keepEmpty, { source_to_page: { web: number } })).toEqual([0, number, 3])
    }
  })

  test('get_all_connectors gives all at once', async () => {
    expect(await page(mock, { get_all_connectors: true })).toEqual([count, 1, 3])
    expect(await page(mock, { get_all_connectors: true, source_to_page: { web: 7 } })).toEqual([count, 7, 3])
  })

  test('the summary counts all pages', async () => {
    const group = (await groupsOf(mock)).find((it) => it.source === 'web')
    expect(group?.summary).toMatchObject({ total_connectors: count, total_docs_indexed: count })
  })

  test('an answer without paging does not rest on it', async () => {
    const { headers } = await report(mock, { name_filter: 'pair 100' })
    expect(headers.get('x-mock-assumed') ?? '').not.toContain('indexing.paging')
  })
})

describe('attempts and the clock (section 3)', () => {
  test('an association made through the API is scheduled, indexed and active', async () => {
    put(mock, 1)
    mock.sandbox.rows.connectorCredentials.remove(1)
    await mock.call('PUT', '/api/manage/connector/1/credential/1', { body: {} })
    const docs = [...mock.sandbox.rows.indexAttempts.all()][0]?.docs_indexed as number
    const seen = async (seconds: number) => {
      moveTo(mock, seconds)
      const it = await itemOf(mock)
      return [
        it.cc_pair_status,
        it.last_status,
        it.in_progress,
        it.last_finished_status,
        it.docs_indexed,
        it.last_success,
        it.latest_index_attempt_docs_indexed
      ]
    }
    const scheduled = ['SCHEDULED', 'not_started', false, null, 0, null, 0]
    expect(await seen(0)).toEqual(scheduled)
    expect(await seen(1.999)).toEqual(scheduled)
    expect(await seen(2)).toEqual(['INITIAL_INDEXING', 'in_progress', true, null, 0, null, 0])
    expect(await seen(6)).toEqual(['INITIAL_INDEXING', 'in_progress', true, null, 0, null, Math.floor(docs / 2)])
    const done = ['ACTIVE', 'success', false, 'success', docs, at(10), docs]
    expect(await seen(10)).toEqual(done)
    expect(await seen(100_000)).toEqual(done)
    expect(await seen(1)).toEqual(scheduled)
  })

  test('with indexing.lifecycle=manual nothing moves: an attempt is what it was when it was made', async () => {
    put(manual, 1, { status: 'SCHEDULED' })
    putAttempt(manual, 1, { time_created: at(0), starts_at: at(2), settles_at: at(10) })
    moveTo(manual, 1000)
    expect(await itemOf(manual)).toMatchObject({
      last_status: 'not_started',
      cc_pair_status: 'SCHEDULED',
      docs_indexed: 0
    })
    putAttempt(manual, 1, { time_created: at(5), starts_at: at(2), settles_at: at(10) })
    expect(await itemOf(manual)).toMatchObject({ last_status: 'in_progress', cc_pair_status: 'INITIAL_INDEXING' })
    putAttempt(manual, 1, { time_created: at(10), starts_at: at(2), settles_at: at(10) })
    expect(await itemOf(manual)).toMatchObject({ last_status: 'success', cc_pair_status: 'ACTIVE', docs_indexed: 5 })
  })

  test.each(['success', 'canceled', 'failed', 'completed_with_errors'] as const)(
    'an attempt ends as %s where its row says so',
    async (as) => {
      put(mock, 1, { status: 'INITIAL_INDEXING' })
      putAttempt(mock, 1, { settles_at: at(10), settles_as: as })
      expect((await itemOf(mock)).last_status).toBe('in_progress')
      moveTo(mock, 10)
      const succeeded = as === 'success' || as === 'completed_with_errors'
      expect(await itemOf(mock)).toMatchObject({
        last_status: as,
        last_finished_status: as,
        cc_pair_status: succeeded ? 'ACTIVE' : 'INITIAL_INDEXING',
        docs_indexed: succeeded ? 5 : 0,
        last_success: succeeded ? at(10) : null
      })
    }
  )

  test('an attempt whose time never comes stays as it is, and one can be canceled before it starts', async () => {
    put(mock, 1)
    putAttempt(mock, 1, { settles_at: null, docs_indexed: 7 })
    moveTo(mock, 1e6)
    expect(await itemOf(mock)).toMatchObject({ last_status: 'in_progress', latest_index_attempt_docs_indexed: 7 })
    putAttempt(mock, 1, { starts_at: null, settles_at: null })
    expect((await itemOf(mock)).last_status).toBe('not_started')
    putAttempt(mock, 1, { starts_at: null, settles_at: at(0), settles_as: 'canceled' })
    expect((await itemOf(mock)).last_status).toBe('canceled')
  })

  test('the latest attempt counts, and the last one that is over for last_finished_status', async () => {
    put(mock, 1)
    expect(await itemOf(mock)).toMatchObject({
      last_status: null,
      last_finished_status: null,
      latest_index_attempt_docs_indexed: null
    })
    putAttempt(mock, 1, { settles_as: 'failed' })
    putAttempt(mock, 1, { settles_at: at(10) })
    putAttempt(mock, 1, { starts_at: at(20), settles_at: at(30) })
    expect(await itemOf(mock)).toMatchObject({
      last_status: 'not_started',
      last_finished_status: 'failed',
      in_progress: false
    })
    moveTo(mock, 25)
    expect(await itemOf(mock)).toMatchObject({
      last_status: 'in_progress',
      last_finished_status: 'success',
      in_progress: true
    })
  })

  test('secondary_index reports the attempts on the index that is being built', async () => {
    put(mock, 1, { docs_indexed: 100, last_success: at(-10), status: 'SCHEDULED' })
    putAttempt(mock, 1, { settles_as: 'failed' })
    putAttempt(mock, 1, { secondary_index: true })
    expect(await itemOf(mock)).toMatchObject({ last_status: 'failed' })
    const status = await itemOf(mock, { secondary_index: true })
    expect(status).toMatchObject({ last_status: 'success', docs_indexed: 100, cc_pair_status: 'INITIAL_INDEXING' })
  })

  test('a success that the row counts already is not counted twice', async () => {
    put(mock, 1, { docs_indexed: 100, last_success: at(-40) })
    putAttempt(mock, 1, { settles_at: at(-40) })
    putAttempt(mock, 1, { settles_at: at(10), docs_indexed: 20 })
    putAttempt(mock, 1, { settles_at: at(20), docs_indexed: 3, settles_as: 'completed_with_errors' })
    expect(await itemOf(mock)).toMatchObject({ docs_indexed: 100, last_success: at(-40) })
    moveTo(mock, 15)
    expect(await itemOf(mock)).toMatchObject({ docs_indexed: 120, last_success: at(10) })
    moveTo(mock, 20)
    expect(await itemOf(mock)).toMatchObject({ docs_indexed: 123, last_success: at(20) })
  })

  test.each(['PAUSED', 'INVALID', 'DELETING'] as const)('an association that is %s stays so', async (status) => {
    put(mock, 1, { status })
    putAttempt(mock, 1)
    expect((await itemOf(mock)).cc_pair_status).toBe(status)
    const [group] = await groupsOf(mock)
    expect(group?.summary.active_connectors).toBe(0)
  })

  test('a success ends the repeated errors', async () => {
    put(mock, 1, { in_repeated_error_state: true, last_success: at(-100) })
    putAttempt(mock, 1, { settles_at: at(10) })
    expect((await itemOf(mock)).in_repeated_error_state).toBe(true)
    moveTo(mock, 10)
    expect((await itemOf(mock)).in_repeated_error_state).toBe(false)
  })
})

describe('federated connectors (2.9, 2.10)', () => {
  const summaries: [number, string, string][] = [
    [7, 'Federated Slack', 'federated_slack'],
    [2, 'Staff Slack', 'federated_slack']
  ]

  test('come once each, last in the group of their source, with three fields', async () => {
    put(mock, 1, { source: 'slack', access_type: 'private' })
    putFederated(mock, 1, summaries)
    putFederated(mock, 2, summaries.slice(0, 1))
    const { headers } = await report(mock)
    expect(headers.get('x-mock-assumed')).toContain('indexing.federated')
    const [group] = await groupsOf(mock)
    expect(group?.source).toBe('slack')
    expect(group?.summary).toEqual({
      total_connectors: 3,
      active_connectors: 1,
      public_connectors: 0,
      total_docs_indexed: 0
    })
    expect(group?.indexing_statuses.slice(1)).toEqual([
      { id: 2, name: 'Staff Slack', source: 'federated_slack' },
      { id: 7, name: 'Federated Slack', source: 'federated_slack' }
    ])
  })

  test('only the filter by name concerns them', async () => {
    put(mock, 1, { source: 'slack', access_type: 'private' })
    putFederated(mock, 1, summaries)
    expect(
      await idsOf(mock, {
        access_type_filters: ['sync'],
        last_status_filters: ['failed'],
        docs_count_operator: '>',
        docs_count_value: 5
      })
    ).toEqual([-2, -7])
    expect(await idsOf(mock, { name_filter: 'staff' })).toEqual([-2])
    expect(await idsOf(mock, { name_filter: 'nobody' })).toEqual([])
  })

  test('one whose source is unknown is left out', async () => {
    putFederated(mock, 1, [[1, 'Unknown', 'federated_unknown']])
    expect(await groupsOf(mock)).toEqual([])
  })

  test('with indexing.federated=omitted there are none', async () => {
    putFederated(unfederated, 1, summaries)
    expect(await groupsOf(unfederated)).toEqual([])
  })
})
