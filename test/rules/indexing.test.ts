import type { ConnectorIndexingStatus } from '../../src/apis/knowledge-chat/types.gen.js'
import { startTestMock, type TestMock } from '../mock.js'
import { at, clear, putAttempt, putDocumentSet, putIndexed } from './associations.js'
import { groupsOf, idsOf, report } from './reports.js'

const mock = await startTestMock({ fixtures: 'empty' })
const keepEmpty = await startTestMock({ fixtures: 'empty', assume: { 'indexing.paging': 'keep-empty' } })
const nullable = await startTestMock({ fixtures: 'empty', assume: { 'requests.null': 'accepted' } })
const otherName = await startTestMock({
  fixtures: 'empty',
  assume: { 'indexing.operator-name': 'docs_count_comparison' }
})
const sourceless = await startTestMock({ fixtures: 'empty', assume: { 'indexing.source': 'unknown' } })
const byName = await startTestMock({ fixtures: 'empty', assume: { 'indexing.federated-filters': 'name-only' } })
const unfederated = await startTestMock({ fixtures: 'empty', assume: { 'indexing.federated': 'omitted' } })
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })

beforeEach(() => clear(mock, keepEmpty, otherName, unfederated, sevenSources, sourceless, byName))

test('the report (E16) shows an association with its figures', async () => {
  putIndexed(mock, 12, { docs_indexed: 400, last_success: at(-100), access_type: 'sync' })
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

test('the report (E16) groups by source in the order of its name, the newest association first', async () => {
  putIndexed(mock, 1)
  putIndexed(mock, 2, { source: 'airtable' })
  putIndexed(mock, 3)
  putIndexed(mock, 4, { source: 'zulip' })
  expect((await groupsOf(mock)).map((group) => group.source)).toEqual(['airtable', 'web', 'zulip'])
  expect(await idsOf(mock)).toEqual([2, 3, 1, 4])
})

test('the report (E16) leaves out the association for documents that are ingested without a connector', async () => {
  putIndexed(mock, 1, { name: 'DefaultCCPair' })
  expect(await groupsOf(mock)).toEqual([])
})

test('the report (E16) lets an administrator edit all, and a curator own and unowned ones, and shows a curator the public rest', async () => {
  putIndexed(mock, 1, { owner: 'curator', access_type: 'private' })
  putIndexed(mock, 2, { owner: null, access_type: 'private' })
  putIndexed(mock, 3, { access_type: 'private' })
  putIndexed(mock, 4, { access_type: 'public' })
  putIndexed(mock, 5, { access_type: 'sync' })
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

test('the report (E16) needs a body, but not its fields, and each may be null if requests.null says so', async () => {
  putIndexed(mock, 1)
  putIndexed(nullable, 1)
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
  expect([await idsOf(mock), await idsOf(nullable, nothing)]).toEqual([[1], [1]])
  expect((await mock.call('POST', '/api/manage/admin/connector/indexing-status')).status).toBe(422)
})

test('the report (E16) leaves out associations of other sources with sources.values=named-seven', async () => {
  putIndexed(sevenSources, 1, { source: 'slack' })
  putIndexed(sevenSources, 2)
  putDocumentSet(sevenSources, 1, [], [[1, 'Federated Slack', 'federated_slack']])
  expect((await groupsOf(sevenSources)).map((group) => group.source)).toEqual(['web'])
})

describe('the filters (E16)', () => {
  beforeEach(() => {
    putIndexed(mock, 1, { access_type: 'private', name: 'Product Wiki', docs_indexed: 10 })
    putIndexed(mock, 2, { access_type: 'public', name: 'Wiki, nightly', docs_indexed: 20 })
    putIndexed(mock, 3, { access_type: 'sync', name: null, docs_indexed: 30 })
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

  test('count only what they leave in the summary', async () => {
    const [group] = await groupsOf(mock, { access_type_filters: ['public', 'sync'] })
    expect(group?.summary).toEqual({
      total_connectors: 2,
      active_connectors: 2,
      public_connectors: 1,
      total_docs_indexed: 50
    })
  })

  test('have the operator under the name docs_count_comparison with indexing.operator-name', async () => {
    putIndexed(otherName, 1, { docs_indexed: 10 })
    putIndexed(otherName, 2, { docs_indexed: 20 })
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
      for (let id = 1; id <= count; id++) putIndexed(on, id, { docs_indexed: 1 })
      putIndexed(on, 100, { source: 'file' })
    }
  })

  async function page(on: TestMock, body: object): Promise<[ids: number, current: number, total: number] | undefined> {
    const group = (await groupsOf(on, body)).find((it) => it.source === 'web')
    return group && [group.indexing_statuses.length, group.current_page, group.total_pages]
  }

  test('gives ten of each source, from its requested page', async () => {
    const { headers } = await report(mock)
    expect(headers.get('x-mock-assumed')).toContain('indexing.paging')
    expect(await page(mock, {})).toEqual([10, 1, 3])
    expect(await page(mock, { source_to_page: { web: 2, file: 1 } })).toEqual([10, 2, 3])
    expect(await page(mock, { source_to_page: { web: 3 } })).toEqual([3, 3, 3])
    expect(await idsOf(mock, { source_to_page: { web: 3 } })).toEqual([100, 3, 2, 1])
  })

  test.each([4, 99, 0, -1, 1e15])('leaves out a source whose page %d is empty', async (number) => {
    expect(await page(mock, { source_to_page: { web: number } })).toBeUndefined()
    expect(await idsOf(mock, { source_to_page: { web: number } })).toEqual([100])
  })

  test('keeps a source with an empty page, without items, with indexing.paging=keep-empty', async () => {
    for (const number of [4, 0, -1]) {
      expect(await page(keepEmpty, { source_to_page: { web: number } })).toEqual([0, number, 3])
    }
  })

  test('gives all at once with get_all_connectors', async () => {
    expect(await page(mock, { get_all_connectors: true })).toEqual([count, 1, 3])
    expect(await page(mock, { get_all_connectors: true, source_to_page: { web: 7 } })).toEqual([count, 7, 3])
  })

  test('counts all pages in the summary', async () => {
    const group = (await groupsOf(mock)).find((it) => it.source === 'web')
    expect(group?.summary).toMatchObject({ total_connectors: count, total_docs_indexed: count })
  })

  test('names no assumption about paging in an answer without paging', async () => {
    const { headers } = await report(mock, { name_filter: 'pair 100' })
    expect(headers.get('x-mock-assumed') ?? '').not.toContain('indexing.paging')
  })
})

const withSources = (on: TestMock) => {
  for (let id = 1; id <= 12; id++) putIndexed(on, id)
  putIndexed(on, 20, { source: 'slack' })
  putDocumentSet(on, 1, [], [[7, 'Federated Slack', 'federated_slack']])
}

test('one source is reported alone, so that a client can page through it', async () => {
  withSources(mock)
  mock.sandbox.rows.documentSets.remove(1)
  const { body, headers } = await report(mock, { source: 'web', source_to_page: { web: 2 } })
  expect(body).toMatchObject([{ source: 'web', current_page: 2, total_pages: 2 }])
  expect(body[0].indexing_statuses.map((it: ConnectorIndexingStatus) => it.cc_pair_id)).toEqual([2, 1])
  expect([headers.get('x-mock-assumed')?.includes('indexing.source'), headers.get('x-mock-violations')]).toEqual([
    true,
    null
  ])
  expect(await idsOf(mock, { source: 'gmail' })).toEqual([])
  expect((await report(mock, { source: 'nowhere' })).body.detail[0].loc).toEqual(['body', 'source'])
})

test('one source is an unknown field under indexing.source=unknown', async () => {
  withSources(sourceless)
  const { body, headers } = await report(sourceless, { source: 'web' })
  expect([body.map((group: { source: string }) => group.source), headers.get('x-mock-violations')]).toEqual([
    ['slack', 'web'],
    '1'
  ])
})

test('one source and other filters leave out federated connectors, unless indexing.federated-filters=name-only', async () => {
  for (const on of [mock, byName]) withSources(on)
  for (const body of [
    { source: 'web' },
    { access_type_filters: ['private'] },
    { last_status_filters: ['failed'] },
    { docs_count_operator: '>', docs_count_value: 0 }
  ]) {
    const [all, some] = [await idsOf(byName, body), await idsOf(mock, body)]
    expect([all.includes(-7), some.includes(-7)]).toEqual([true, false])
  }
  expect(await idsOf(mock, { source: 'slack' })).toEqual([20, -7])
  expect(await idsOf(mock, { docs_count_operator: '>' })).toContain(-7)
})

const summaries: [number, string, string][] = [
  [7, 'Federated Slack', 'federated_slack'],
  [2, 'Staff Slack', 'federated_slack']
]

test('federated connectors (2.9, 2.10) are listed once each, last in the group of their source, with three fields', async () => {
  putIndexed(mock, 1, { source: 'slack', access_type: 'private' })
  putDocumentSet(mock, 1, [], summaries)
  putDocumentSet(mock, 2, [], summaries.slice(0, 1))
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

test('federated connectors (2.9, 2.10) are hidden by any filter, and under indexing.federated-filters=name-only only by names', async () => {
  for (const on of [mock, byName]) {
    putIndexed(on, 1, { source: 'slack', access_type: 'private' })
    putDocumentSet(on, 1, [], summaries)
    expect(await idsOf(on, { name_filter: 'staff' })).toEqual([-2])
    expect(await idsOf(on, { name_filter: 'nobody' })).toEqual([])
  }
  for (const filter of [
    { access_type_filters: ['sync'] },
    { last_status_filters: ['failed'] },
    { docs_count_operator: '>', docs_count_value: 5 },
    { source: 'web' }
  ]) {
    expect([filter, await idsOf(mock, filter), await idsOf(byName, filter)]).toEqual([filter, [], [-2, -7]])
  }
  const { headers } = await report(mock, { access_type_filters: ['sync'] })
  expect(headers.get('x-mock-assumed')).toContain('indexing.federated-filters')
})

test('federated connectors (2.9, 2.10) with an unknown source are left out', async () => {
  putDocumentSet(mock, 1, [], [[1, 'Unknown', 'federated_unknown']])
  expect(await groupsOf(mock)).toEqual([])
})

test('federated connectors (2.9, 2.10) are left out with indexing.federated=omitted', async () => {
  putDocumentSet(unfederated, 1, [], summaries)
  expect(await groupsOf(unfederated)).toEqual([])
})
