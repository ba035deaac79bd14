import { uuid } from '../data/seed.js'
import type { Asked, Tourist } from './client.js'
import { read } from './right.js'

const get = (path: string, token?: string): Asked => ({ method: 'GET', path, token })
const send = (method: string, path: string, body?: unknown, token?: string): Asked => ({ method, path, body, token })
const file = (n: number) => uuid('f11e', n)
const role = '/api/get-user-role'
const chats = '/api/chat/create-chat-session'

const changes = {
  name: 'Zoë of the long corridor 😀',
  description: 'new',
  system_prompt: 'one',
  task_prompt: 'two',
  llm_model_provider_override: 'p',
  llm_model_version_override: 'v',
  uploaded_image_id: 'other',
  icon_name: 'sun',
  document_set_ids: [802],
  tool_ids: [402],
  groups: [9],
  label_ids: [902],
  num_chunks: 0,
  display_priority: 77,
  is_public: false,
  llm_filter_extraction: true,
  llm_relevance_filter: false,
  datetime_aware: false,
  is_default_persona: true,
  replace_base_system_prompt: true,
  starter_messages: [
    { name: 'a', message: 'b' },
    { name: 'c', message: 'd' }
  ],
  users: [uuid('a5e0', 2)],
  user_file_ids: [file(5), 'none'],
  search_start_date: '2011-01-01T02:00:00+02:00'
}

const definition = {
  openapi: '3.1.0',
  paths: { '/a': { get: { operationId: 'a' }, post: { operationId: 'b' } }, '/c': { get: {} } }
}

/** Writes that come at the same time. */
async function race(it: Tourist): Promise<void> {
  await it.together(...['one', 'two', 'three'].map((description) => send('POST', chats, { description })))
  await it.together(
    send('PATCH', '/api/persona/108', { icon_name: 'x' }),
    send('PATCH', '/api/persona/108', { task_prompt: 'y' })
  )
  const credential = { credential_json: { k: 'a-long-secret' }, admin_public: false, source: 'imap' }
  await it.together(...['a', 'b'].map((name) => send('POST', '/api/manage/credential', { ...credential, name })))
  const pair = '/api/manage/connector/293/credential/306'
  await it.together(send('PUT', pair, {}), send('PUT', pair, {}))
  const upload: Asked = {
    method: 'POST',
    path: '/api/manage/admin/connector/file/upload',
    form: { files: new File(['x'], 'x') }
  }
  await it.together(upload, upload)
  await it.together(
    ...['a', 'b'].map((name) => send('POST', '/api/web-search/open-urls', { urls: [`https://${name}.example/`] }))
  )
  await it.together(
    send('POST', '/api/admin/tool/custom/validate', { definition }),
    send('POST', '/api/admin/tool/custom/validate', { definition: { openapi: '3', paths: {} } })
  )
  await it.together(
    ...['a', 'b'].map((instructions) => send('POST', '/api/user/projects/602/instructions', { instructions }))
  )
  const link = send('POST', `/api/user/projects/603/files/${file(9)}`)
  await it.together(link, link, link)
  await it.together(get(role), get(role, 'tok-bob'))
  const { sessions } = await it.ask(get('/api/chat/get-user-chat-sessions'))
  const gone = sessions
    .slice(0, 2)
    .map(({ id }: { id: string }) => send('DELETE', `/api/chat/delete-chat-session/${id}`))
  await it.together(...gone)
}

/** Makes and changes rows. */
async function make(it: Tourist): Promise<void> {
  const { chat_session_id } = await it.ask(
    send('POST', chats, {
      description: '😀 a description that is longer than others are',
      persona_id: 102,
      project_id: 601
    })
  )
  await it.ask(send('POST', chats, { description: 'hidden', incognito: true }))
  await it.ask(send('POST', chats, { persona_id: 98_765 }))
  await it.ask(send('POST', chats))
  await it.ask(send('POST', chats, { description: 'a\u0000' }, 'tok-bob'))
  await it.ask(send('DELETE', `/api/chat/delete-chat-session/${chat_session_id}`, undefined, 'tok-bob'))
  for (const [name, value] of Object.entries(changes))
    await it.ask(send('PATCH', '/api/persona/106', { [name]: value }))
  await it.ask(send('PATCH', '/api/persona/106', { icon_name: '' }))
  await it.ask(send('PATCH', '/api/persona/106', { system_prompt: 'three', task_prompt: 'four', remove_image: true }))
  await it.ask(send('PATCH', '/api/persona/106', { name: 'half', num_chunks: 'x' }))
  const credential = { credential_json: { k: 'a-long-secret' }, admin_public: false, source: 'file', groups: [3] }
  await it.ask(send('POST', '/api/manage/credential', { ...credential, name: '😀', curator_public: true }))
  const { id } = await it.ask(send('POST', '/api/manage/credential', { ...credential, name: '😀' }))
  await it.ask(send('POST', '/api/manage/credential', { ...credential, admin_public: true, source: 'web' }))
  await it.ask(get(`/api/manage/credential/${id}`))
  for (const connector of [291, 292])
    for (const credential of [301, 306])
      await it.ask(send('PUT', `/api/manage/connector/${connector}/credential/${credential}`, { name: 'Link' }))
  await it.ask(send('POST', '/api/manage/admin/connector/indexing-status', { name_filter: 'Link' }))
  await it.ask(send('PUT', '/api/manage/connector/291/credential/301', { name: 'again' }))
  await it.ask(send('DELETE', '/api/manage/connector/291/credential/301'))
  await it.ask({
    method: 'PUT',
    path: '/api/manage/admin/credential/private-key/306',
    form: {
      name: 'neu für é',
      credential_json: '{"a":"b"}',
      uploaded_file: new File(['k'], 'k'),
      field_key: 'k',
      type_definition_key: 't'
    }
  })
  const upload = { method: 'POST', path: '/api/manage/admin/connector/file/upload' }
  const two = await it.ask({
    ...upload,
    form: { files: [new File(['x'], 'x.txt'), new File(['y'], 'x.txt'), new File(['z'], 'Z é.TXT')] }
  })
  it.see(`${new Set(two?.file_paths).size} paths`)
  await it.ask(send('POST', '/api/admin/tool/custom/validate', { definition }))
  await it.ask(send('POST', '/api/admin/tool/custom/validate', { definition: { paths: definition.paths } }))
  await it.ask(send('POST', '/api/web-search/open-urls', { urls: ['https://a.example/', 'https://a.example/', 'odd'] }))
  for (const instructions of ['new', '', ' <b>😀</b> & ', 'x'.repeat(300), 'x'.repeat(6000), 'a\u0000b']) {
    await it.ask(send('POST', '/api/user/projects/601/instructions', { instructions }))
    await it.ask(get('/api/user/projects/601/details'))
  }
  await it.ask(send('POST', '/api/user/projects/601/instructions', { instructions: 'mine' }, 'tok-bob'))
  for (const n of [0, 0, 5, 4, 20]) await it.ask(send('POST', `/api/user/projects/603/files/${file(n)}`))
  await it.ask(send('POST', `/api/user/projects/603/files/${file(21)}`, undefined, 'tok-bob'))
  await it.ask(send('PUT', '/api/manage/admin/users', { emails: ['new@workshop.example', 'ada@workshop.example'] }))
}

/** Deletes rows. */
async function remove(it: Tourist): Promise<void> {
  const { sessions } = await it.ask(get('/api/chat/get-user-chat-sessions'))
  await it.ask(send('DELETE', `/api/chat/delete-chat-session/${sessions[3]?.id}`))
  await it.ask(get(`/api/chat/search?query=${encodeURIComponent(sessions[3]?.name)}`))
  for (const n of [0, 5, 6]) await it.ask(send('DELETE', `/api/user/projects/file/${file(n)}`))
  await it.ask(send('DELETE', `/api/user/projects/file/${file(20)}`))
  for (const id of [108, 107, 107, 101]) await it.ask(send('DELETE', `/api/persona/${id}`))
  for (const id of [403, 403, 405]) await it.ask(send('DELETE', `/api/admin/tool/custom/${id}`))
  for (const id of [501, 501, 503, 504]) await it.ask(send('DELETE', `/api/admin/token-rate-limits/rate-limit/${id}`))
  for (const name of ['eli', 'eli', 'FAY', 'fay', 'none', 'ada']) {
    await it.ask(send('DELETE', '/api/manage/admin/delete-user', { user_email: `${name}@workshop.example` }))
  }
}

/** Writes, and reads everything after each kind of write. */
export async function write(it: Tourist): Promise<void> {
  for (const step of [make, race, remove]) {
    await step(it)
    await read(it)
  }
  for (let n = 0; n < 70; n++) await it.ask(get(role))
}
