import { filesForm, type Probe, seen, statusOf } from '../probe.js'

const create = '/api/chat/create-chat-session'
const upload = '/api/manage/admin/connector/file/upload'

export const requestProbes: Record<string, Probe> = {
  'requests.coercion': async ({ call }) => {
    const { status, body } = await call('PATCH', '/api/persona/1', { body: { num_chunks: '7' } })
    return [status, body.num_chunks]
  },

  'requests.unknown-fields': async ({ call }) => {
    const { status, headers } = await call('POST', create, { body: { descripton: 'Frost' } })
    return [status, headers.get('x-mock-violations')]
  },

  'requests.client-fields': async ({ call }) => {
    const { status, headers } = await call('GET', '/api/chat/search?include_highlights=true')
    return [status, headers.get('x-mock-violations')]
  },

  'requests.no-content-type': ({ call }) => seen(call('POST', create, { body: '{}', headers: { 'Content-Type': '' } })),

  'requests.repeated': async ({ call }) => {
    const { body } = await call('GET', '/api/chat/get-user-chat-sessions?page_size=1&page_size=2')
    const form = new FormData()
    for (const name of ['First', 'Second']) form.append('name', name)
    for (const name of ['field_key', 'type_definition_key']) form.append(name, 'key')
    form.append('credential_json', '{}')
    form.append('uploaded_file', new Blob(['a key']), 'key.pem')
    const replaced = await call('PUT', '/api/manage/admin/credential/private-key/1', { form })
    return [body.sessions.length, replaced.body.name]
  },

  'requests.integers': async ({ call }) => {
    const body = '{"credential_json": {"id": 9007199254740993}, "admin_public": true, "source": "web"}'
    const { status, headers } = await call('POST', '/api/manage/credential', { body })
    return [status, headers.get('x-mock-violations')]
  },

  'requests.whole-numbers': ({ call }) => statusOf(call('POST', create, { body: '{"persona_id": 1.0}' })),

  'requests.repeated-names': ({ call }) =>
    statusOf(call('POST', create, { body: '{"description": "First", "description": "Second"}' })),

  'requests.uuid-spelling': ({ call }) =>
    statusOf(call('POST', create, { body: { incognito_session_id: '{2D1F3C58-4B0E-4F6A-9D8E-6F0A0E9B7C11}' } })),

  'requests.times-without-offset': async ({ call }) => {
    const { status, body } = await call('PATCH', '/api/persona/1', { body: { search_start_date: '2026-01-01T09:00' } })
    return [status, body.search_start_date]
  },

  'requests.unread-bodies': ({ call }) => statusOf(call('DELETE', '/api/persona/1', { body: {} })),

  'requests.required': async ({ call }) => {
    const { status, body } = await call('PATCH', '/api/persona/1', { body: { name: 'Scribe' } })
    return [status, body.detail?.length]
  },

  'requests.null': async ({ call }) => [
    await statusOf(call('POST', create, { body: { description: null } })),
    await statusOf(call('POST', create, { body: { persona_id: null } })),
    await statusOf(call('PATCH', '/api/persona/1', { body: { description: null } }))
  ],

  'upload.folders': async ({ call }) => {
    const form = new FormData()
    form.append('files', new Blob(['text']), 'reports/2026/june.txt')
    return (await call('POST', upload, { form })).body.file_names
  },

  'limits.upload': async ({ call }) => [
    await statusOf(call('POST', upload, { form: filesForm(3) })),
    await statusOf(call('POST', upload, { form: filesForm(21) }))
  ]
}
