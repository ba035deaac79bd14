import type { Asked } from './client.js'

const bad = (method: string, path: string, good: object, fields: Record<string, unknown>): Asked[] =>
  Object.entries(fields).map(([name, value]) => ({ method, path, body: { ...good, [name]: value } }))

const report = '/api/manage/admin/connector/indexing-status'
const agent = '/api/persona/107'
const pair = '/api/manage/connector/291/credential/306'
const credential = { credential_json: {}, admin_public: true, source: 'web' }
const long = 'x'.repeat(300)
const digits = { name: 'text', credential_json: '{}', field_key: 'k', type_definition_key: 't' }

/** Requests of which each has one mistake, or something odd. */
export const wrong: Asked[] = [
  ...bad(
    'POST',
    '/api/chat/create-chat-session',
    {},
    {
      persona_id: [],
      description: 7,
      project_id: {},
      incognito: 'maybe',
      incognito_session_id: 'none'
    }
  ),
  ...bad(
    'PATCH',
    agent,
    {},
    {
      name: [],
      num_chunks: 'some',
      is_public: 'maybe',
      users: 'all',
      groups: ['x'],
      tool_ids: ['x'],
      label_ids: ['x'],
      user_file_ids: [7],
      uploaded_image_id: [],
      starter_messages: ['x'],
      search_start_date: 'soon',
      remove_image: 'maybe',
      display_priority: 'high',
      icon_name: []
    }
  ),
  ...bad(
    'PATCH',
    agent,
    {},
    { users: ['x'], tool_ids: 'x', starter_messages: 'x', label_ids: [98765], user_file_ids: ['none'], name: '' }
  ),
  ...bad(
    'PATCH',
    agent,
    {},
    { name: 7, num_chunks: '7', is_public: 'yes', is_default_persona: null, search_start_date: '2020-01-01' }
  ),
  ...bad(
    'PATCH',
    agent,
    {},
    {
      search_start_date: '2020-01-01T00:00:00',
      odd: 1,
      description: `${long}${long}${long}${long}${long}${long}${long}${long}`
    }
  ),
  ...bad(
    'PATCH',
    agent,
    {},
    { task_prompt: long, system_prompt: 'x'.repeat(150), num_chunks: 2 ** 40, display_priority: true }
  ),
  ...bad(
    'PATCH',
    agent,
    {},
    { name: 'Archivist', description: 'e\u0301 \u05d0\u05d1', task_prompt: 'a\u0000b', icon_name: 'x'.repeat(5000) }
  ),
  ...bad('PATCH', '/api/persona/101', {}, { display_priority: 3 }),
  ...bad('POST', '/api/manage/credential', credential, {
    credential_json: 'x',
    admin_public: 'maybe',
    source: 'nowhere',
    name: [],
    curator_public: 'maybe',
    groups: ['x']
  }),
  ...['credential_json', 'admin_public', 'source'].map((name) => ({
    method: 'POST',
    path: '/api/manage/credential',
    body: { ...credential, [name]: undefined }
  })),
  ...bad('PUT', pair, {}, { name: [], auto_sync_options: 'x', groups: ['x'] }),
  { method: 'PUT', path: pair },
  { method: 'PUT', path: '/api/manage/connector/229/credential/301', body: {} },
  ...bad(
    'POST',
    report,
    {},
    {
      secondary_index: 'maybe',
      access_type_filters: ['open'],
      last_status_filters: ['odd'],
      docs_count_value: 'x',
      docs_count_operator: '!=',
      name_filter: [],
      source_to_page: 'x',
      get_all_connectors: 'maybe'
    }
  ),
  { method: 'POST', path: report },
  ...bad('POST', report, {}, { source_to_page: { web: 0 }, name_filter: '[' }),
  ...bad('POST', report, {}, { source_to_page: { web: 'x' } }),
  { method: 'PATCH', path: agent, body: {} },
  ...bad('PATCH', agent, {}, { search_start_date: '2020-02-30T00:00:00Z' }),
  ...bad('PATCH', agent, {}, { search_start_date: 'Wed, 01 Jan 2020 00:00:00 GMT' }),
  ...bad('POST', '/api/manage/credential', credential, { source: 'toString' }),
  { method: 'POST', path: '/api/chat/create-chat-session', body: { persona_id: 'x', project_id: 'x' } },
  { method: 'POST', path: '/api/chat/create-chat-session', body: { description: 'a\ufffdb' } },
  { method: 'GET', path: '/api/persona/0x65' },
  { method: 'GET', path: '/api/persona/%E0%A4%A' },
  { method: 'GET', path: '/api/user/projects/file/11111111-1111-1111-1111-1111111111110' },
  ...bad('POST', '/api/manage/credential', credential, { credential_json: { k: ['x'] } }),
  ...bad('POST', '/api/web-search/open-urls', {}, { urls: ['https://a.example:99999/'] }),
  ...bad('PUT', '/api/manage/admin/users', {}, { emails: ['😀@workshop.example'] }),
  {
    method: 'POST',
    path: '/api/admin/tool/custom/validate',
    raw: `{"definition": {"a": ${'['.repeat(1000)}${']'.repeat(1000)}}}`
  },
  ...bad('POST', '/api/web-search/open-urls', {}, { urls: [] }),
  ...bad('POST', '/api/web-search/open-urls', {}, { urls: [7], more: 1 }),
  ...bad('POST', '/api/web-search/open-urls', {}, { urls: 'x' }),
  ...bad('POST', '/api/web-search/open-urls', {}, { urls: ['odd'] }),
  ...bad('POST', '/api/web-search/open-urls', {}, { urls: Array(6).fill('https://a.example/') }),
  ...bad('POST', '/api/admin/tool/custom/validate', {}, { definition: 'x' }),
  ...bad('POST', '/api/admin/tool/custom/validate', {}, { definition: {} }),
  { method: 'POST', path: '/api/admin/tool/custom/validate' },
  { method: 'POST', path: '/api/admin/tool/custom/validate', body: {} },
  { method: 'POST', path: '/api/admin/tool/custom/validate', raw: '{' },
  ...bad('POST', '/api/user/projects/603/instructions', {}, { instructions: [] }),
  { method: 'POST', path: '/api/user/projects/603/instructions', body: {} },
  { method: 'POST', path: '/api/user/projects/603/instructions', raw: 'x', headers: { 'content-type': 'text/plain' } },
  ...bad('PUT', '/api/manage/admin/users', {}, { emails: 'x' }),
  ...bad('PUT', '/api/manage/admin/users', {}, { emails: [7] }),
  ...bad('PUT', '/api/manage/admin/users', {}, { emails: ['odd'] }),
  ...bad('PUT', '/api/manage/admin/users', {}, { emails: ['ok@elsewhere.test'] }),
  ...bad('PUT', '/api/manage/admin/users', {}, { emails: [] }),
  { method: 'PUT', path: '/api/manage/admin/users', body: {} },
  { method: 'PUT', path: '/api/manage/admin/users' },
  { method: 'PUT', path: '/api/manage/admin/users', body: { emails: ['both@workshop.example', 7] } },
  {
    method: 'PUT',
    path: '/api/manage/admin/users',
    body: { emails: ['both@workshop.example', 'both@workshop.example'] }
  },
  ...bad('DELETE', '/api/manage/admin/delete-user', {}, { user_email: 7 }),
  ...bad('DELETE', '/api/manage/admin/delete-user', {}, { user_email: 'odd' }),
  { method: 'DELETE', path: '/api/manage/admin/delete-user', body: {} },
  { method: 'DELETE', path: '/api/chat/delete-chat-session/none' },
  { method: 'DELETE', path: '/api/chat/delete-chat-session/11111111-1111-1111-1111-111111111111' },
  ...['x', '-1', '2147483648', '9999999999999999999'].flatMap((id) =>
    [
      `/api/persona/${id}`,
      `/api/manage/credential/${id}`,
      `/api/manage/connector/${id}`,
      `/api/user/projects/${id}/details`
    ].map((path) => ({ method: 'GET', path }))
  ),
  { method: 'PATCH', path: '/api/persona/x', body: { name: 7 } },
  { method: 'GET', path: '/api/manage/connector/98765' },
  { method: 'GET', path: '/api/manage/credential/98765' },
  { method: 'GET', path: '/api/manage/admin/similar-credentials/nowhere' },
  { method: 'GET', path: '/api/manage/admin/similar-credentials/imap?odd=1' },
  { method: 'GET', path: '/api/manage/admin/similar-credentials/slack' },
  { method: 'GET', path: '/api/user/projects/file/none' },
  { method: 'GET', path: '/api/user/projects/file/11111111-1111-1111-1111-111111111111' },
  { method: 'DELETE', path: '/api/admin/tool/custom/x' },
  { method: 'DELETE', path: '/api/admin/tool/custom/98765' },
  { method: 'DELETE', path: '/api/admin/tool/custom/401' },
  { method: 'DELETE', path: '/api/admin/token-rate-limits/rate-limit/x' },
  { method: 'DELETE', path: '/api/admin/token-rate-limits/rate-limit/98765' },
  { method: 'DELETE', path: '/api/admin/token-rate-limits/rate-limit/2147483648' },
  { method: 'PATCH', path: agent, body: [] },
  { method: 'PATCH', path: agent },
  { method: 'POST', path: '/api/manage/credential' },
  { method: 'PUT', path: '/api/manage/connector/98765/credential/301', body: {} },
  { method: 'PUT', path: '/api/manage/connector/291/credential/98765', body: {} },
  { method: 'DELETE', path: pair },
  { method: 'PUT', path: '/api/manage/admin/credential/private-key/301', form: { ...digits, uploaded_file: 'text' } },
  {
    method: 'PUT',
    path: '/api/manage/admin/credential/private-key/301',
    form: { ...digits, uploaded_file: new File(['k'], 'k'), credential_json: 'x' }
  },
  ...['name', 'credential_json', 'field_key', 'type_definition_key'].map((name) => ({
    method: 'PUT',
    path: '/api/manage/admin/credential/private-key/304',
    form: Object.fromEntries(
      Object.entries({ ...digits, uploaded_file: new File(['k'], 'k') }).filter(([it]) => it !== name)
    )
  })),
  { method: 'PUT', path: '/api/manage/admin/credential/private-key/304', form: digits },
  { method: 'PUT', path: '/api/manage/admin/credential/private-key/304' },
  { method: 'POST', path: '/api/manage/admin/connector/file/upload', form: { files: 'text' } },
  { method: 'POST', path: '/api/manage/admin/connector/file/upload', form: { other: 'text' } },
  { method: 'POST', path: '/api/manage/admin/connector/file/upload', form: { files: new File([], 'empty') } },
  { method: 'GET', path: '/api/user/projects' },
  { method: 'GET', path: '/api/get-user-role/' },
  { method: 'OPTIONS', path: '/api/get-user-role' },
  { method: 'DELETE', path: '/api/get-user-role' },
  { method: 'GET', path: '/nowhere' },
  { method: 'GET', path: `/api/get-user-role?${long}` },
  { method: 'POST', path: '/api/web-search/open-urls', body: { urls: ['x'.repeat(70_000)] } }
]
