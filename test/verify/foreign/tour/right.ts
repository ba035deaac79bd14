import { uuid } from '../data/seed.js'
import type { Asked, Tourist } from './client.js'

const get = (path: string, token?: string): Asked => ({ method: 'GET', path, token })
const send = (method: string, path: string, body?: unknown, token?: string): Asked => ({ method, path, body, token })
const file = (n: number) => uuid('f11e', n)

/** Reads everything that can be read. */
export async function read(it: Tourist): Promise<void> {
  for (const token of ['tok-ada', 'tok-bob']) {
    for (const path of [
      '/api/chat/get-user-chat-sessions',
      '/api/chat/search',
      '/api/user/projects/',
      '/api/get-user-role'
    ]) {
      await it.ask(get(path, token))
    }
    for (const id of [101, 102, 104, 105, 106, 107, 108]) await it.ask(get(`/api/persona/${id}`, token))
    for (const id of [301, 302, 303, 304, 307]) await it.ask(get(`/api/manage/credential/${id}`, token))
    for (const id of [201, 291, 292]) await it.ask(get(`/api/manage/connector/${id}`, token))
    for (const id of [601, 602, 603, 604]) await it.ask(get(`/api/user/projects/${id}/details`, token))
    for (const n of [0, 1, 2, 3, 4, 8, 20]) await it.ask(get(`/api/user/projects/file/${file(n)}`, token))
    await it.ask(get('/api/manage/admin/credential', token))
    await it.ask(get('/api/manage/admin/similar-credentials/web', token))
    await it.ask(send('POST', '/api/manage/admin/connector/indexing-status', {}, token))
  }
}

/** Searches by every query and filter. */
export async function search(it: Tourist): Promise<void> {
  const queries = [
    'query=holiday',
    'query=Holiday',
    'query=oliday',
    'query=(',
    'page=2',
    'page=5',
    'page=0',
    'page_size=43',
    'q=holiday'
  ]
  for (const query of [
    ...queries,
    'search_query=holiday',
    'offset=10',
    'page_size=20&page=2',
    'query=holiday&page_size=1&page=2'
  ])
    await it.ask(get(`/api/chat/search?${query}`))
  const filters = [
    { name_filter: 'web pair 2' },
    { name_filter: 'WEB' },
    { name_filter: 'none' },
    {},
    { access_type_filters: ['private'] },
    { access_type_filters: ['private', 'sync'] },
    { last_status_filters: ['failed'] },
    { last_status_filters: ['failed', 'success'] },
    { access_type_filters: ['public'], last_status_filters: ['failed'] },
    { access_type_filters: [] },
    { docs_count_value: 50 },
    ...['>', '<', '='].map((docs_count_operator) => ({ docs_count_value: 50, docs_count_operator })),
    { docs_count_value: 50, docs_count_is: '>' },
    { docs_count_value: 0, docs_count_operator: '>' },
    { source_to_page: { web: 2 }, access_type_filters: ['public'] },
    { source_to_page: { web: 2 } },
    { source_to_page: { web: 9 } },
    { get_all_connectors: true },
    { secondary_index: 1 }
  ]
  for (const body of filters) await it.ask(send('POST', '/api/manage/admin/connector/indexing-status', body))
}

/** Comes in by every door. */
export async function knock(it: Tourist): Promise<void> {
  const path = '/api/get-user-role'
  const headers = [
    'Basic tok-ada',
    'tok-ada',
    'Bearer tok-adam',
    'Bearer tok-a',
    'Bearer TOK-ADA',
    'Bearer',
    'Bearer none',
    'bearer tok-ada'
  ]
  for (const authorization of headers) await it.ask({ method: 'GET', path, token: '', headers: { authorization } })
  for (const query of ['?access_token=tok-ada', '?token=tok-ada']) await it.ask(get(path + query, ''))
  await it.ask({ method: 'HEAD', path, token: '' })
  await it.ask({ method: 'HEAD', path })
  const doors = [
    get('/api/persona/101'),
    send('POST', '/api/manage/credential', {}),
    send('POST', '/api/manage/admin/connector/indexing-status', {}),
    send('POST', '/api/manage/admin/connector/file/upload'),
    send('POST', '/api/web-search/open-urls', { urls: ['https://a.example/'] }),
    send('DELETE', '/api/user/projects/file/none'),
    send('DELETE', '/api/admin/token-rate-limits/rate-limit/x'),
    get('/api/manage/admin/similar-credentials/imap'),
    get('/api/manage/%61dmin/credential'),
    get('/api/manage//admin/credential'),
    send('PUT', '/api/manage/admin/credential/private-key/x'),
    send('POST', '/api/admin/tool/custom/validate', { definition: { paths: {} } }),
    send('DELETE', '/api/admin/tool/custom/x'),
    send('PUT', '/api/manage/admin/users', { emails: [] }),
    send('DELETE', '/api/manage/admin/delete-user', {}),
    send('DELETE', '/api/admin/token-rate-limits/rate-limit/504'),
    send('PATCH', '/api/persona/104', {}),
    send('POST', '/api/manage/credential', { credential_json: {}, admin_public: true, source: 'web' })
  ]
  for (const door of doors) for (const token of ['', 'tok-bob']) await it.ask({ ...door, token })
  for (let n = 0; n < 3; n++) await it.ask(get(path))
}
