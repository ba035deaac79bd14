import { chatSession } from '../../fixtures/chat.js'
import { Maker } from '../../fixtures/maker.js'
import { persona } from '../../fixtures/personas.js'
import { project } from '../../fixtures/projects.js'
import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { type CallOptions, startTestMock, type TestMock, testNow } from '../mock.js'

const minute = 60_000
const creation = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const make = new Maker(7, Date.parse(testNow))

const mock = await startTestMock({ fixtures: 'empty' })
const recent = await startTestMock({ fixtures: 'empty', assume: { 'chat.list-query': 'recent' } })
const wary = await startTestMock({
  fixtures: 'empty',
  assume: { 'chat.persona-check': '400-and-403', 'chat.incognito': 'refused', 'chat.default-persona': 'none' }
})
const observed = await startTestMock({ fixtures: 'empty', assume: { 'errors.missing': 'per-operation' } })
const lenient = await startTestMock({ fixtures: 'empty', assume: { 'requests.null': 'accepted' } })
const frank = await startTestMock({ fixtures: 'empty', assume: { 'errors.missing': '403-foreign' } })

afterEach(() => Promise.all([mock, recent, wary, observed, frank, lenient].map((it) => it.reset())))

describe('E1, creating a session', () => {
  test('the session is the newest of its creator, with the given name, private and without messages', async () => {
    const { status, body } = await mock.call('POST', creation, { body: { description: 'Spring launch' } })
    expect(status).toBe(200)
    expect(body).toEqual({ chat_session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    const summary = {
      id: body.chat_session_id,
      name: 'Spring launch',
      time_created: testNow,
      time_updated: testNow,
      shared_status: 'private',
      persona_id: 0
    }
    expect(await sessions(mock)).toEqual([summary])
    expect(await sessions(mock, '', { as: 'basic' })).toEqual([])
    expect(mock.sandbox.rows.chatSessions.get(body.chat_session_id)).toEqual({
      ...summary,
      current_alternate_model: null,
      current_temperature_override: null,
      user_id: userId(mock, 'admin'),
      project_id: null,
      incognito: false,
      message_count: 0
    })
  })

  test.each([{}, { description: null }, { description: '' }])(
    'the name is empty without a description (%j)',
    async (body) => {
      await lenient.call('POST', creation, { body })
      expect((await sessions(lenient))[0]?.name).toBe('')
    }
  )

  test.each([
    ['its own', 'basic', { owner_id: 'basic' }],
    ['one without an owner', 'basic', { owner_id: null, is_public: false }],
    ['a public one', 'basic', { owner_id: 'curator', is_public: true }],
    ['one that is shared with it', 'basic', { owner_id: 'curator', user_ids: ['basic'] }],
    ['one that is not listed', 'basic', { owner_id: 'basic', is_visible: false }],
    ['an administrator: any', 'admin', { owner_id: 'curator' }]
  ])('a user may talk to %s', async (_, as, own) => {
    const id = addPersona(mock, own)
    const { status } = await mock.call('POST', creation, { as, body: { persona_id: id } })
    expect(status).toBe(200)
    expect((await sessions(mock, '', { as }))[0]?.persona_id).toBe(id)
  })

  test.each([
    ['of another user', () => addPersona(mock, { owner_id: 'curator', user_ids: ['admin'] })],
    ['that does not exist', () => 404],
    ['below all', () => -1]
  ])('an agent %s is refused, and no session is created', async (_, persona_id) => {
    const id = persona_id()
    const { status, body, headers } = await mock.call('POST', creation, { as: 'basic', body: { persona_id: id } })
    expect([status, body]).toEqual([404, { detail: `Persona with ID ${id} does not exist` }])
    expect(headers.get('x-mock-assumed')).toContain('chat.persona-check')
    expect(mock.sandbox.rows.chatSessions.size).toBe(0)
  })

  test.each([{}, { persona_id: null }, { persona_id: 0 }])('%j starts with the built-in agent', async (body) => {
    await lenient.call('POST', creation, { body })
    expect((await sessions(lenient))[0]?.persona_id).toBe(0)
  })

  test.each([{}, { persona_id: 0 }])('%j starts without an agent if there is no built-in one', async (body) => {
    mock.sandbox.rows.personas.remove(0)
    const { status, headers } = await mock.call('POST', creation, { body })
    expect([status, headers.get('x-mock-assumed')]).toEqual([
      200,
      'chat.default-persona, chat.name, chat.shared-status'
    ])
    expect((await sessions(mock))[0]).not.toHaveProperty('persona_id')
  })

  test('a session without an agent in the request has none under the choice none of chat.default-persona', async () => {
    const { headers } = await wary.call('POST', creation, { body: { description: 'none' } })
    expect(headers.get('x-mock-assumed')).toBe('chat.default-persona, chat.shared-status')
    wary.sandbox.clock.set({ now: wary.sandbox.clock.now + 1 })
    await wary.call('POST', creation, { body: { persona_id: 0, description: 'named' } })
    expect((await sessions(wary)).map((it) => [it.name, it.persona_id])).toEqual([
      ['named', 0],
      ['none', undefined]
    ])
  })

  test('a session in a project is in the project', async () => {
    const project_id = addProject(mock, 'basic')
    const { body } = await mock.call('POST', creation, { as: 'basic', body: { project_id } })
    const details = await mock.call('GET', `/api/user/projects/${project_id}/details`, { as: 'basic' })
    expect(details.body.project.chat_sessions.map((it: { id: string }) => it.id)).toEqual([body.chat_session_id])
  })

  test('a project of another user is refused, also for an administrator', async () => {
    const project_id = addProject(mock, 'basic')
    for (const id of [project_id, 404, 0]) {
      const { status, body } = await mock.call('POST', creation, { body: { project_id: id } })
      expect([status, body]).toEqual([404, { detail: 'Project not found' }])
    }
    expect(mock.sandbox.rows.chatSessions.size).toBe(0)
  })

  test('agents and projects are refused as observed under the choice 400-and-403 of chat.persona-check', async () => {
    const unknownPersona = await wary.call('POST', creation, { body: { persona_id: 404 } })
    expect([unknownPersona.status, unknownPersona.body]).toEqual([400, { detail: 'Invalid Persona provided.' }])
    const unknownProject = await wary.call('POST', creation, { body: { project_id: 404 } })
    expect([unknownProject.status, unknownProject.body]).toEqual([
      403,
      { detail: 'User does not have access to project' }
    ])
  })
})

describe('incognito sessions', () => {
  const id = '5f0c9c1e-0f5e-4b5f-9c55-0d6f6f6c9a10'
  const incognito = { incognito: true, incognito_session_id: id }

  test('one gets the requested id, is in no list, and can be deleted', async () => {
    const project_id = addProject(mock, 'admin')
    const { body, headers } = await mock.call('POST', creation, {
      body: { ...incognito, project_id, description: 'Salary' }
    })
    expect([body, headers.get('x-mock-assumed')]).toEqual([
      { chat_session_id: id },
      'chat.incognito, chat.default-persona, chat.shared-status'
    ])
    expect(await sessions(mock)).toEqual([])
    expect(await sessions(mock, `?project_id=${project_id}`)).toEqual([])
    for (const query of ['', '?query=salary']) {
      expect((await mock.call('GET', `/api/chat/search${query}`)).body.groups).toEqual([])
    }
    expect((await mock.call('GET', '/api/user/projects/')).body[0].chat_sessions).toEqual([])
    const details = await mock.call('GET', `/api/user/projects/${project_id}/details`)
    expect([details.body.project.chat_sessions, details.body.persona_id_to_is_default]).toEqual([[], {}])
    expect((await mock.call('DELETE', `/api/chat/delete-chat-session/${id}`)).status).toBe(200)
    expect(mock.sandbox.rows.chatSessions.size).toBe(0)
  })

  test('one without a requested id gets a new id', async () => {
    const { body } = await mock.call('POST', creation, { body: { incognito: true } })
    expect(mock.sandbox.rows.chatSessions.get(body.chat_session_id)?.incognito).toBe(true)
  })

  test('an id that is in use by any user is refused', async () => {
    await mock.call('POST', creation, { as: 'basic', body: incognito })
    const before = mock.sandbox.rows.chatSessions.get(id)
    const { status, body } = await mock.call('POST', creation, { body: incognito })
    expect([status, body]).toEqual([400, { detail: `A chat session with ID ${id} exists already` }])
    expect(mock.sandbox.rows.chatSessions.get(id)).toBe(before)
  })

  test('the id is ignored if the session is not incognito', async () => {
    const { body } = await mock.call('POST', creation, { body: { incognito_session_id: id } })
    expect(body.chat_session_id).not.toBe(id)
    expect(await sessions(mock)).toHaveLength(1)
  })

  test('the id that would come next may be requested, and is not used again', async () => {
    const next = (await mock.call('POST', creation, { body: {} })).body.chat_session_id
    await mock.reset()
    await mock.call('POST', creation, { as: 'basic', body: { incognito: true, incognito_session_id: next } })
    const { body } = await mock.call('POST', creation, { body: {} })
    expect(body.chat_session_id).not.toBe(next)
    expect(mock.sandbox.rows.chatSessions.get(next)?.user_id).toBe(userId(mock, 'basic'))
    expect(mock.sandbox.rows.chatSessions.size).toBe(2)
  })

  test('incognito sessions do not exist under the choice refused of chat.incognito', async () => {
    const { status, body } = await wary.call('POST', creation, { body: incognito })
    expect([status, body]).toEqual([403, { detail: 'Incognito chat is not enabled for this user.' }])
    expect(wary.sandbox.rows.chatSessions.size).toBe(0)
    expect((await wary.call('POST', creation, { body: { incognito: false } })).status).toBe(200)
  })
})

describe('E2, listing sessions', () => {
  test('the last updated comes first, and rows of others are not listed', async () => {
    for (const age of [3, 1, 2]) addSession(mock, { name: `${age}`, age: 90 * minute, time_updated: ago(age) })
    addSession(mock, { user_id: userId(mock, 'basic') })
    expect((await sessions(mock)).map((it) => it.name)).toEqual(['1', '2', '3'])
  })

  test('only those of a project, or only those of none, are listed on request', async () => {
    const project_id = addProject(mock, 'admin')
    addSession(mock, { name: 'in it', project_id, time_updated: ago(1) })
    addSession(mock, { name: 'in another', project_id: addProject(mock, 'admin'), time_updated: ago(2) })
    addSession(mock, { name: 'in none', time_updated: ago(3) })
    const names = async (query: string) => (await sessions(mock, query)).map((it) => it.name)
    expect(await names('')).toEqual(['in it', 'in another', 'in none'])
    expect(await names('?only_non_project_chats=true')).toEqual(['in none'])
    expect(await names(`?project_id=${project_id}`)).toEqual(['in it'])
    expect(await names(`?project_id=${project_id}&only_non_project_chats=true`)).toEqual(['in it'])
  })

  test('another user’s project, or an unknown one, shows nothing', async () => {
    const project_id = addProject(mock, 'basic')
    addSession(mock, { user_id: userId(mock, 'basic'), project_id })
    expect(await sessions(mock, `?project_id=${project_id}`)).toEqual([])
    expect(await sessions(mock, '?project_id=404')).toEqual([])
    expect(await sessions(mock, `?project_id=${project_id}`, { as: 'basic' })).toHaveLength(1)
  })

  test('another user’s session in a project of the caller is not listed', async () => {
    const project_id = addProject(mock, 'admin')
    addSession(mock, { user_id: userId(mock, 'basic'), project_id })
    expect(await sessions(mock, `?project_id=${project_id}`)).toEqual([])
    expect((await mock.call('GET', '/api/user/projects/')).body[0].chat_sessions).toEqual([])
  })

  test('the sessions of another user’s project are not even read', async () => {
    const project_id = addProject(mock, 'basic')
    const { chatSessions } = mock.sandbox.rows
    chatSessions.where = () => {
      throw new Error('looked at')
    }
    expect(await sessions(mock, `?project_id=${project_id}`)).toEqual([])
  })

  test.each(['', 'project_id=1&'])(
    'pages of two by the time of the last session give every session once (%j)',
    async (filter) => {
      const project_id = addProject(mock, 'admin')
      expect(project_id).toBe(1)
      for (let age = 1; age <= 5; age++) addSession(mock, { name: `${age}`, project_id, time_updated: ago(age) })
      const names: string[] = []
      for (let before = ''; ; before = `&before=${names.length ? encodeURIComponent(ago(names.length)) : ''}`) {
        const page = await sessions(mock, `?${filter}page_size=2${before}`)
        if (page.length === 0) break
        names.push(...page.map((it) => String(it.name)))
      }
      expect(names).toEqual(['1', '2', '3', '4', '5'])
    }
  )

  test('before excludes the moment itself, in any time zone', async () => {
    addSession(mock, { name: 'then', time_updated: '2026-03-01T08:00:00.000Z' })
    addSession(mock, { name: 'earlier', time_updated: '2026-03-01T07:59:59.999Z' })
    const query = `?before=${encodeURIComponent('2026-03-01T09:00:00+01:00')}`
    expect((await sessions(mock, query)).map((it) => it.name)).toEqual(['earlier'])
  })

  test.each(['page_size=0', 'page_size=101', 'before=yesterday', 'project_id=one'])('%s is invalid', async (query) => {
    const { status, body } = await mock.call('GET', `${list}?${query}`)
    expect([status, body.detail[0].loc]).toEqual([422, ['query', query.split('=')[0]]])
  })

  test('all are listed by default, also old ones without messages', async () => {
    for (let i = 0; i < 120; i++) addSession(mock, { message_count: 0, age: 60 * minute + i })
    const { body, headers } = await mock.call('GET', list)
    expect(body.sessions).toHaveLength(120)
    expect(await sessions(mock, '?include_failed_chats=false')).toHaveLength(120)
    expect(headers.get('x-mock-assumed')).toContain('chat.list-query')
  })

  describe('with the choice recent of chat.list-query', () => {
    test('the 50 last used are listed, unless a page size is given', async () => {
      for (let i = 0; i < 70; i++) addSession(recent, { time_updated: ago(i) })
      expect((await sessions(recent)).map((it) => it.time_updated)).toEqual(
        Array.from({ length: 50 }, (_, i) => ago(i))
      )
      expect(await sessions(recent, '?page_size=60')).toHaveLength(60)
    })

    test('sessions of projects are left out, unless requested', async () => {
      const project_id = addProject(recent, 'admin')
      addSession(recent, { project_id })
      expect(await sessions(recent)).toEqual([])
      expect(await sessions(recent, '?only_non_project_chats=false')).toHaveLength(1)
      expect(await sessions(recent, `?project_id=${project_id}`)).toHaveLength(1)
    })

    test('a session without messages is hidden after five minutes, unless requested', async () => {
      const { clock } = recent.sandbox
      await recent.call('POST', creation, { body: {} })
      clock.set({ now: clock.now + 5 * minute })
      expect(await sessions(recent)).toHaveLength(1)
      clock.set({ now: clock.now + 1 })
      expect(await sessions(recent)).toHaveLength(0)
      expect(await sessions(recent, '?include_failed_chats=true')).toHaveLength(1)
      addSession(recent, { message_count: 1, age: 60 * minute })
      expect(await sessions(recent)).toHaveLength(1)
    })
  })
})

describe('E4, deleting a session', () => {
  test('the session is gone from every list, and a second deletion is refused', async () => {
    const project_id = addProject(mock, 'admin')
    const id = addSession(mock, { project_id })
    const other = addSession(mock, {})
    const { status, text } = await mock.call('DELETE', `/api/chat/delete-chat-session/${id}`)
    expect([status, text]).toEqual([200, 'null'])
    expect((await sessions(mock)).map((it) => it.id)).toEqual([other])
    expect((await mock.call('GET', '/api/chat/search')).text).not.toContain(id)
    expect((await mock.call('GET', '/api/user/projects/')).body[0].chat_sessions).toEqual([])
    const again = await mock.call('DELETE', `/api/chat/delete-chat-session/${id}`)
    expect([again.status, again.body]).toEqual([404, { detail: 'Chat session not found' }])
  })

  test('another user’s session is treated as missing, and remains', async () => {
    const id = addSession(mock, { user_id: userId(mock, 'basic') })
    const { status, body } = await mock.call('DELETE', `/api/chat/delete-chat-session/${id}`)
    expect([status, body]).toEqual([404, { detail: 'Chat session not found' }])
    expect(mock.sandbox.rows.chatSessions.size).toBe(1)
  })

  test('errors.missing decides the answers for missing and foreign sessions', async () => {
    const missing = '/api/chat/delete-chat-session/00000000-0000-4000-8000-000000000000'
    const ofOthers = (it: TestMock) =>
      `/api/chat/delete-chat-session/${addSession(it, { user_id: userId(it, 'basic') })}`
    for (const path of [missing, ofOthers(observed)]) {
      const { status, body } = await observed.call('DELETE', path)
      expect([status, body]).toEqual([400, { detail: 'Invalid Chat Session ID provided' }])
    }
    expect((await frank.call('DELETE', missing)).status).toBe(404)
    const foreign = await frank.call('DELETE', ofOthers(frank))
    expect([foreign.status, foreign.body]).toEqual([403, { detail: 'This belongs to another user.' }])
    expect(frank.sandbox.rows.chatSessions.size).toBe(1)
  })
})

async function sessions(it: TestMock, query = '', options: CallOptions = {}): Promise<Record<string, never>[]> {
  const { status, body } = await it.call('GET', list + query, options)
  expect(status).toBe(200)
  return body.sessions
}

function addSession(it: TestMock, own: Partial<Rows['chatSessions']> & { age?: number }): string {
  return it.sandbox.rows.chatSessions.put(chatSession(make, { user_id: userId(it, 'admin'), ...own })).id
}

function addProject(it: TestMock, key: string): number {
  const { rows, ids } = it.sandbox
  return rows.projects.put(project(make, { id: ids.next('projects', rows), user_id: userId(it, key) })).id
}

function addPersona(it: TestMock, own: Partial<Rows['personas']>): number {
  const { rows, ids } = it.sandbox
  const row = persona(make, { name: 'Agent', owner_id: null, ...own, id: ids.next('personas', rows) })
  const owner_id = row.owner_id && userId(it, row.owner_id)
  return rows.personas.put({ ...row, owner_id, user_ids: row.user_ids.map((key) => userId(it, key)) }).id
}

function userId(it: TestMock, key: string): string {
  return it.sandbox.rows.users.first('byKey', key)?.id as string
}

/** This many minutes before the time of the tests. */
function ago(minutes: number): string {
  return new Date(Date.parse(testNow) - minutes * minute).toISOString()
}
