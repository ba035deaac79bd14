import type { ConnectorIndexingStatus, IndexingStatusGroup } from '../../src/apis/knowledge-chat/types.gen.js'
import type { Answer, TestMock } from '../mock.js'

/** The indexing report of E16. */
export function report(mock: TestMock, body: object = {}, as = 'admin'): Promise<Answer> {
  return mock.call('POST', '/api/manage/admin/connector/indexing-status', { as, body })
}

export async function groupsOf(mock: TestMock, body: object = {}, as = 'admin'): Promise<IndexingStatusGroup[]> {
  const answer = await report(mock, body, as)
  expect(answer.status).toBe(200)
  return answer.body
}

/** The numbers of all pairs in a report, in its order; those of federated connectors are negative. */
export async function idsOf(mock: TestMock, body: object = {}, as = 'admin'): Promise<number[]> {
  const items = (await groupsOf(mock, body, as)).flatMap((group) => group.indexing_statuses)
  return items.map((item) => ('cc_pair_id' in item ? item.cc_pair_id : -item.id))
}

/** The first pair of a report. */
export async function itemOf(mock: TestMock, body: object = {}): Promise<ConnectorIndexingStatus> {
  const [group] = await groupsOf(mock, body)
  return group?.indexing_statuses[0] as ConnectorIndexingStatus
}
