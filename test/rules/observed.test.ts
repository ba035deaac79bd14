import { startTestMock } from '../mock.js'

/** Behaviour of the running service that is missing or different in the description. */
const observed = await startTestMock({ profile: 'observed' })
const documented = await startTestMock()
beforeEach(() => Promise.all([observed.reset(), documented.reset()]))

const file = 'a87ff679-a2f3-471d-9181-a67b7542122c'

/** The complete agent that the running service needs for E6. */
const agent = {
  name: 'Scribe',
  description: 'Writes',
  document_set_ids: [],
  num_chunks: 10,
  is_public: true,
  recency_bias: 'base_decay',
  llm_filter_extraction: false,
  llm_relevance_filter: false,
  tool_ids: [],
  system_prompt: '',
  task_prompt: '',
  datetime_aware: true
}
const patch = async (change: object, on = observed) =>
  (await on.call('PATCH', '/api/persona/1', { body: { ...agent, ...change } })).body

test.each([[{}], [{ user_file_ids: null }]])(
  'E6 of the running service keeps the files of an agent with %j',
  async (change) => {
    await patch({ user_file_ids: [file] })
    expect((await patch(change)).user_file_ids).toEqual([file])
    expect((await patch({ user_file_ids: [] })).user_file_ids).toEqual([])
  }
)

test('E6 of the running service keeps the files also if a body has all other fields', async () => {
  await patch({ user_file_ids: [file] })
  const others = {
    uploaded_image_id: null,
    icon_name: null,
    display_priority: null,
    starter_messages: null,
    llm_model_provider_override: null,
    llm_model_version_override: null,
    label_ids: [],
    users: [],
    groups: [],
    is_default_persona: false,
    replace_base_system_prompt: false,
    search_start_date: null,
    remove_image: false
  }
  expect((await patch({ ...others, user_file_ids: null })).user_file_ids).toEqual([file])
})

test('E6 of the running service sets display_priority only if there is none', async () => {
  const { rows } = observed.sandbox
  const row = rows.personas.get(1)
  if (row) rows.personas.put({ ...row, display_priority: null })
  expect((await patch({ display_priority: 4 })).display_priority).toBe(4)
  expect((await patch({ display_priority: 9 })).display_priority).toBe(4)
  expect((await patch({})).display_priority).toBe(4)
  await patch({ display_priority: 4 }, documented)
  expect((await patch({ display_priority: 9 }, documented)).display_priority).toBe(9)
})

test('E6 of the running service makes an agent visible with every edit', async () => {
  for (const on of [observed, documented]) {
    const { rows } = on.sandbox
    const row = rows.personas.get(1)
    if (row) rows.personas.put({ ...row, is_visible: false })
  }
  expect([(await patch({})).is_visible, (await patch({}, documented)).is_visible]).toEqual([true, false])
})

test('E6 of the running service accepts a num_chunks with a fraction, although the description makes it an integer', async () => {
  expect((await patch({ num_chunks: 2.5 })).num_chunks).toBe(2.5)
  expect((await patch({ num_chunks: 2.5 }, documented)).detail[0].loc).toEqual(['body', 'num_chunks'])
})

test('E6 of the running service stores nothing that breaks the contract when the choice changes', async () => {
  await patch({ num_chunks: 2.5 })
  await observed.call('PATCH', '/__mock/assumptions', { body: { 'persona.num-chunks': 'integer' } })
  const { status, body } = await observed.call('GET', '/api/persona/1')
  expect([status, body.num_chunks]).toEqual([200, 2])
})

test('the running service keeps temp_id until the upload, and writes created_at without an offset', async () => {
  const snapshots = async (on: typeof observed) => {
    const { rows } = on.sandbox
    const row = rows.userFiles.get(file)
    if (row) rows.userFiles.put({ ...row, temp_id: 'upload-1' })
    const details = await on.call('GET', '/api/user/projects/1/details')
    return [
      details.body.files.find((it: { id: string }) => it.id === file),
      (await on.call('POST', `/api/user/projects/1/files/${file}`)).body,
      (await on.call('GET', `/api/user/projects/file/${file}`)).body
    ]
  }
  for (const it of await snapshots(documented)) {
    expect(it).toMatchObject({ temp_id: 'upload-1', created_at: expect.stringMatching(/Z$/) })
  }
  for (const it of await snapshots(observed)) {
    expect(it).toMatchObject({ temp_id: null, created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+$/) })
    expect(it.last_accessed_at ?? 'Z').toMatch(/Z$/)
  }
  const forced = await observed.call('GET', `/api/user/projects/file/${file}?__code=200`)
  expect(forced.body.created_at).toBe('2026-03-02T09:12:44.120')
})

test('the running service lets a user chat with an agent that E5 hides, but not with an unknown one', async () => {
  const chat = async (persona_id: number, on: typeof observed) =>
    (await on.call('POST', '/api/chat/create-chat-session', { as: 'basic', body: { persona_id } })).status
  for (const on of [observed, documented]) {
    const { rows } = on.sandbox
    const row = rows.personas.get(1)
    if (row) rows.personas.put({ ...row, is_public: false, user_ids: [] })
  }
  expect([await chat(1, observed), await chat(4711, observed)]).toEqual([200, 400])
  expect([await chat(1, documented), await chat(4711, documented)]).toEqual([404, 404])
})

const session = '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11'
const remove = async (on: typeof observed, as = 'admin') => {
  const { status, body } = await on.call('DELETE', `/api/chat/delete-chat-session/${session}`, { as })
  return [status, body]
}

test('a deleted chat session counts as already deleted in the running service, and as unknown in the description', async () => {
  expect([await remove(observed), await remove(observed)]).toEqual([
    [200, null],
    [400, { detail: 'Chat session has been deleted' }]
  ])
  expect(await remove(observed, 'basic')).toEqual([400, { detail: 'Invalid Chat Session ID provided' }])
  expect([await remove(documented), await remove(documented)]).toEqual([
    [200, null],
    [404, { detail: 'Chat session not found' }]
  ])
})

test('a deleted chat session is in no list, although the running service keeps it', async () => {
  const lists = [
    '/api/chat/get-user-chat-sessions?include_failed_chats=true',
    '/api/chat/search',
    '/api/user/projects/'
  ]
  const seen = async () => {
    const replies = await Promise.all(lists.map((path) => observed.call('GET', path)))
    return replies.map(({ text }) => text.includes(session))
  }
  expect(await seen()).toContain(true)
  await remove(observed)
  expect(observed.sandbox.rows.chatSessions.get(session)?.deleted).toBe(true)
  expect(await seen()).toEqual([false, false, false])
  await observed.call('PATCH', '/__mock/assumptions', { body: { 'chat.deletion': 'removed' } })
  expect(await remove(observed)).toEqual([400, { detail: 'Invalid Chat Session ID provided' }])
})

test('the running service compares invited addresses with case, but domains without', async () => {
  const invite = async (on: typeof observed) => {
    const before = on.sandbox.rows.invites.size
    const body = { emails: ['Q@example.com', 'q@example.com', 'q@EXAMPLE.com', 'Q@example.com'] }
    return (await on.call('PUT', '/api/manage/admin/users', { body })).body - before
  }
  expect([await invite(observed), await invite(documented)]).toEqual([2, 1])
})

test('E14 of the running service names the connector without its id', async () => {
  const detailOf = async (path: string) => (await observed.call('DELETE', `/api/manage/connector/${path}`)).body.detail
  expect(await detailOf('999/credential/1')).toBe('Connector does not exist')
  expect(await detailOf('1/credential/999')).toBe('Credential does not exist or does not belong to user')
})

test('errors.validation-body=message answers every 422 in one line, and the document follows', async () => {
  const on = await startTestMock({ assume: { 'errors.validation-body': 'message' } })
  const answers = [
    await on.call('PATCH', '/api/persona/1', { body: { num_chunks: 'many', name: 7 } }),
    await on.call('POST', '/api/chat/create-chat-session', { body: '{' }),
    await on.call('GET', '/api/persona/x'),
    await on.call('POST', '/api/admin/tool/custom/validate', { body: { definition: {} } }),
    await on.call('GET', '/api/persona/1', { headers: { Prefer: 'code=422' } })
  ]
  for (const { status, body, headers } of answers) {
    expect([status, body]).toEqual([422, { status_code: 422, message: expect.any(String), data: null }])
    expect(headers.get('x-mock-assumed')).toContain('errors.validation-body')
    expect(headers.get('x-mock-assumed')).not.toContain('errors.input-and-ctx')
    expect(headers.get('x-mock-violations')).toBeNull()
  }
  expect(answers[0]?.body.message).toBe(
    '2 validation errors: body.name: Input should be a valid string; body.num_chunks: Input should be a valid integer'
  )
  expect(answers[3]?.body.message).toMatch(/^1 validation error: body\.definition: Value error, `info` section/)
  const { components, paths } = (await on.call('GET', '/__mock/openapi.json')).body
  for (const name of ['ValidationError', 'ChatValidationError']) {
    expect(components.schemas[name].required).toEqual(['status_code', 'message', 'data'])
  }
  const { examples } = paths['/api/persona/{persona_id}'].patch.responses['422'].content['application/json']
  expect(examples['wrong-body'].value).toMatchObject({ status_code: 422, data: null })
})

test('errors.validation-body=message is the default of neither profile', async () => {
  for (const on of [observed, documented]) {
    expect((await on.call('GET', '/api/persona/x')).body).toEqual({ detail: expect.any(Array) })
  }
})
