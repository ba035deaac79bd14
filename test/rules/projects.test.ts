import { type Answer, startTestMock } from '../mock.js'

const mock = await startTestMock()
const { rows } = mock.sandbox
const [completed] = [...rows.userFiles.all()].filter(
  (file) => file.user_id === user('admin').id && file.status === 'COMPLETED'
)

function user(key: string) {
  return rows.users.first('byKey', key) as NonNullable<ReturnType<typeof rows.users.get>>
}

function projectOf(key: string, position = 0) {
  return [...rows.projects.where('byUser', user(key).id)][position] as NonNullable<ReturnType<typeof rows.projects.get>>
}

function filesIn(answer: Answer): string[] {
  return answer.body.files.map((file: { id: string }) => file.id)
}

test.each(['admin', 'curator', 'basic'])(
  'listing projects shows %s all own projects with their sessions, and no others',
  async (as) => {
    const { status, body } = await mock.call('GET', '/api/user/projects/', { as })
    expect(status).toBe(200)
    expect(body.map((project: { id: number }) => project.id)).toEqual(
      [...rows.projects.where('byUser', user(as).id)].map(({ id }) => id)
    )
    expect(new Set(body.map((project: { user_id: string }) => project.user_id))).toEqual(new Set([user(as).id]))
    expect(body.some((project: { chat_sessions: unknown[] }) => project.chat_sessions.length > 0)).toBe(true)
  }
)

test('listing projects redirects a path without its last slash, or serves it with projects.trailing-slash=served', async () => {
  const { status, headers } = await mock.call('GET', '/api/user/projects?a=1')
  expect([status, headers.get('location'), headers.get('x-mock-assumed')]).toEqual([
    307,
    '/api/user/projects/?a=1',
    'projects.trailing-slash'
  ])
  const serving = await startTestMock({ assume: { 'projects.trailing-slash': 'served' } })
  expect((await serving.call('GET', '/api/user/projects')).body).toEqual(
    (await mock.call('GET', '/api/user/projects/')).body
  )
})

test('listing projects shows a session that was created in a project until it is deleted', async () => {
  const { id } = projectOf('basic')
  const made = await mock.call('POST', '/api/chat/create-chat-session', {
    as: 'basic',
    body: { project_id: id, description: 'Here' }
  })
  const sessions = async () => {
    const { body } = await mock.call('GET', `/api/user/projects/${id}/details`, { as: 'basic' })
    return body.project.chat_sessions.map((session: { id: string }) => session.id)
  }
  expect((await sessions())[0]).toBe(made.body.chat_session_id)
  await mock.call('DELETE', `/api/chat/delete-chat-session/${made.body.chat_session_id}`, { as: 'basic' })
  expect(await sessions()).not.toContain(made.body.chat_session_id)
})

test('the details of a project show which agents of its sessions are default ones', async () => {
  const { id } = projectOf('admin')
  const { body } = await mock.call('GET', `/api/user/projects/${id}/details`)
  const expected: Record<string, boolean> = {}
  for (const { persona_id } of body.project.chat_sessions) {
    if (persona_id !== null) expected[persona_id] = rows.personas.get(persona_id)?.is_default_persona as boolean
  }
  expect(Object.keys(expected).length).toBeGreaterThan(0)
  expect(body.persona_id_to_is_default).toEqual(expected)
})

test('the details of a project list FAILED files, unless configured to hide them', async () => {
  const project = [...rows.projects.where('byUser', user('admin').id)].find((it) =>
    [...rows.projectFiles.where('byProject', it.id)].some(
      (link) => rows.userFiles.get(link.user_file_id)?.status === 'FAILED'
    )
  )
  const statuses = async (from: typeof mock) =>
    (await from.call('GET', `/api/user/projects/${project?.id}/details`)).body.files.map(
      (file: { status: string }) => file.status
    )
  expect(await statuses(mock)).toContain('FAILED')
  const hiding = await startTestMock({ assume: { 'projects.failed-files': 'hidden' } })
  const shown = await statuses(hiding)
  expect(shown.length).toBeGreaterThan(0)
  expect(shown).not.toContain('FAILED')
})

test.each(['/details', '/instructions', `/files/${completed?.id}`])(
  "the details of a project of another user's project are treated as missing: %s",
  async (suffix) => {
    const method = suffix === '/details' ? 'GET' : 'POST'
    const body = suffix === '/instructions' ? { body: { instructions: 'mine' } } : {}
    for (const id of [projectOf('curator').id, 987654]) {
      const answer = await mock.call(method, `/api/user/projects/${id}${suffix}`, body)
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Project not found' }])
    }
    expect(rows.projects.get(projectOf('curator').id)?.instructions).not.toBe('mine')
  }
)

test('return instructions unchanged, also when they are empty or very long', async () => {
  const { id } = projectOf('admin')
  for (const instructions of ['Answer in plain English.', '', '🌱'.repeat(20_000)]) {
    const set = await mock.call('POST', `/api/user/projects/${id}/instructions`, { body: { instructions } })
    expect([set.status, set.body]).toEqual([200, { instructions }])
    expect((await mock.call('GET', `/api/user/projects/${id}/details`)).body.project.instructions).toBe(instructions)
  }
})

const linked = (project: number) =>
  [...rows.projectFiles.where('byProject', project)].filter((link) => link.user_file_id === completed?.id)

test('linking a file twice, and twenty times at once, leaves one association', async () => {
  const { id } = projectOf('admin', 1)
  const link = () => mock.call('POST', `/api/user/projects/${id}/files/${completed?.id}`)
  const first = await link()
  const again = await link()
  expect([first.status, first.body.project_id]).toEqual([200, id])
  expect(again.body).toEqual(first.body)
  await Promise.all(Array.from({ length: 20 }, link))
  expect(linked(id)).toHaveLength(1)
  expect(
    filesIn(await mock.call('GET', `/api/user/projects/${id}/details`)).filter((it) => it === completed?.id)
  ).toHaveLength(1)
})

test('linking a file of another user, or of none, changes nothing', async () => {
  const foreign = [...rows.userFiles.where('byUser', user('basic').id)][0]
  const { id } = projectOf('admin')
  const before = rows.projectFiles.size
  for (const file of [foreign?.id, '00000000-0000-4000-8000-000000000000']) {
    const answer = await mock.call('POST', `/api/user/projects/${id}/files/${file}`)
    expect([answer.status, answer.body]).toEqual([404, { detail: 'File not found' }])
  }
  expect(rows.projectFiles.size).toBe(before)
})

test('linking a file that is being deleted links it until it is gone, as E6 does', async () => {
  const from = await startTestMock()
  const deleting = from.sandbox.rows.userFiles.get(completed?.id as string)
  await from.call('DELETE', `/api/user/projects/file/${deleting?.id}`)
  const path = `/api/user/projects/${projectOf('admin').id}/files/${deleting?.id}`
  const give = () => from.call('PATCH', '/api/persona/1', { body: { user_file_ids: [deleting?.id] } })
  expect([(await from.call('POST', path)).status, (await give()).status]).toEqual([200, 200])
  from.sandbox.clock.set({ now: from.sandbox.clock.now + 2000 })
  expect([(await from.call('POST', path)).status, (await give()).status]).toEqual([404, 404])
})

test('linking a file shows no project if files.project-id says so', async () => {
  const other = await startTestMock({ assume: { 'files.project-id': 'null' } })
  const { body, headers } = await other.call(
    'POST',
    `/api/user/projects/${projectOf('admin').id}/files/${completed?.id}`
  )
  expect([body.project_id, headers.get('x-mock-assumed')]).toEqual([
    undefined,
    'files.times, files.temp-id, files.project-id, responses.null'
  ])
})
