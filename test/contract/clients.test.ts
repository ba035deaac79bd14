import { startTestMock } from '../mock.js'

const mock = await startTestMock({ profile: 'observed' })

const persona = {
  name: 'a',
  description: 'b',
  document_set_ids: [],
  num_chunks: 10,
  is_public: true,
  recency_bias: 'base_decay',
  llm_filter_extraction: false,
  llm_relevance_filter: false,
  tool_ids: [],
  system_prompt: 'x',
  task_prompt: 'y',
  datetime_aware: true,
  llm_model_provider_override: null,
  llm_model_version_override: null,
  starter_messages: null,
  remove_image: false,
  uploaded_image_id: null,
  icon_name: null,
  search_start_date: null,
  label_ids: null,
  display_priority: null,
  user_file_ids: [],
  users: [],
  groups: []
}
const status = '/api/manage/admin/connector/indexing-status'
const filters = { secondary_index: false, access_type_filters: [], last_status_filters: [], name_filter: null }
const noCount = { docs_count_operator: null, docs_count_value: null }
const pairing = { name: null, access_type: 'public', groups: [], auto_sync_options: null, processing_mode: 'REGULAR' }
const credential = { credential_json: { a: 'b' }, admin_public: true, curator_public: false, groups: [], name: null }

test.each<[string, string, unknown?]>([
  ['POST', '/api/chat/create-chat-session', { persona_id: 0, description: null, project_id: null }],
  ['GET', '/api/chat/get-user-chat-sessions?page_size=50&before=2026-03-02T10:00:00.000000%2B00:00'],
  ['GET', '/api/chat/search?page=1&page_size=20&include_highlights=true'],
  ['PATCH', '/api/persona/1', persona],
  ['POST', '/api/manage/credential', { ...credential, source: 'slack' }],
  ['GET', '/api/manage/admin/similar-credentials/slack?get_editable=True'],
  ['PUT', '/api/manage/connector/1/credential/9', pairing],
  ['POST', status, { ...filters, ...noCount, source_to_page: {} }],
  ['POST', status, { ...filters, ...noCount, source: 'web', source_to_page: { web: 1 } }]
])('requests of clients of the running service are valid under the profile observed: %s %s', async (...sent) => {
  const [method, path, body] = sent
  const answer = await mock.call(method, path, body === undefined ? {} : { body })
  expect([answer.status, answer.headers.get('x-mock-violations')]).toEqual([200, null])
  if (path === status && 'source' in (body as object)) {
    // The running service lists federated connectors of all sources.
    const groups = answer.body.filter((group: { indexing_statuses: object[] }) =>
      group.indexing_statuses.some((it) => 'cc_pair_id' in it)
    )
    expect(groups.map((group: { source: string }) => group.source)).toEqual(['web'])
  }
})
