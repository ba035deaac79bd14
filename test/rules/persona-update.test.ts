import { emptyPersona } from '../../src/apis/knowledge-chat/rows.gen.js'
import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { follow, type Json, type JsonObject, readDocuments } from '../../src/engine/contract/load.js'
import { type Answer, startTestMock } from '../mock.js'
import { agent, fileOfAdmin, fileOfBasic, fileOfCurator, ids, nowhere, userId, withAgents } from './agents.js'

/** An agent without the field that only E5 returns. */
const answered = ({ search_start_date: _, ...rest }: Record<string, unknown>) => rest
const start = (assume: Record<string, string> = {}) => startTestMock({ fixtures: 'empty', assume })
const mock = await start()
const nullable = await start({ 'requests.null': 'accepted', 'responses.null': 'null' })
const replacing = await start({ 'persona.patch': 'replace', 'requests.null': 'observed', 'responses.null': 'null' })
const defaulting = await start({ 'persona.patch': 'defaults' })
const dropping = await start({ 'persona.references': 'dropped', 'persona.search-start-date': 'present' })
const guarding = await start({ 'persona.builtin': 'refused', 'persona.default': 'guarded' })
const telling = await start({ 'errors.missing': '403-foreign' })
const observed = await start({ 'errors.missing': 'per-operation' })

const read = (id: number, as = 'admin', on = mock) => on.call('GET', `/api/persona/${id}`, { as })
const patch = (body: object, on = mock, as = 'basic', id = 1) => on.call('PATCH', `/api/persona/${id}`, { as, body })
const assumed = ({ headers }: Answer) => headers.get('x-mock-assumed') ?? ''

/** The other fields of the interface, each with a value. */
function later(fields: object): JsonObject {
  const values: Record<string, Json> = { string: 'later', integer: 1, boolean: false, array: [] }
  const { properties } = follow(readDocuments(), 'personas.json#/operations/updatePersona/input/body') as JsonObject
  const others = Object.entries(properties as Record<string, JsonObject>).filter(([name]) => !(name in fields))
  return Object.fromEntries(others.map(([name, { type }]) => [name, values[type as string] as Json]))
}

beforeEach(async () => {
  for (const on of [mock, nullable, replacing, defaulting, dropping, guarding, telling, observed]) await withAgents(on)
})

test('E6 changes the given fields and leaves the rest, also fields that have a default', async () => {
  const before = answered((await read(1)).body)
  const answer = await patch({ name: 'Writer', num_chunks: 3, label_ids: [2] })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ ...before, name: 'Writer', num_chunks: 3, labels: [{ id: 2, name: 'Support' }] })
  expect(answered((await read(1)).body)).toEqual(answer.body)
  expect(assumed(answer)).toContain('persona.patch')
  expect((await patch({})).body).toEqual(answer.body)
})

test('E6 accepts every field of the interface', async () => {
  const body = {
    name: 'All',
    description: 'new',
    system_prompt: 's',
    task_prompt: 't',
    icon_name: 'i',
    num_chunks: 1,
    display_priority: 1,
    llm_model_provider_override: 'p',
    llm_model_version_override: 'v',
    uploaded_image_id: 'image-2',
    groups: [9, 8],
    document_set_ids: [2],
    tool_ids: [3],
    label_ids: [2],
    users: [userId(mock, 'admin')],
    user_file_ids: [],
    is_public: false,
    llm_filter_extraction: false,
    llm_relevance_filter: false,
    datetime_aware: false,
    is_default_persona: false,
    replace_base_system_prompt: false,
    remove_image: false,
    starter_messages: [{ name: 'n', message: 'm' }],
    search_start_date: '2025-05-05T05:05:05Z'
  }
  const { status, body: reply, headers } = await patch({ ...later(body), ...body })
  expect(status).toBe(200)
  const { remove_image, document_set_ids, tool_ids, label_ids, users, search_start_date, ...same } = body
  expect(reply).toMatchObject({ ...later(body), ...same })
  expect((await read(1)).body.search_start_date).toBe('2025-05-05T05:05:05.000Z')
  expect([ids(reply.document_sets), ids(reply.tools), ids(reply.labels)]).toEqual([[2], [3], [2]])
  expect(ids(reply.users)).toEqual(users)
  expect(headers.get('x-mock-assumed')).not.toContain('persona.patch')
  expect(reply).not.toHaveProperty('remove_image')
})

test('E6 empties with null what may be empty, and leaves the rest unchanged', async () => {
  const { body } = await patch(
    {
      name: null,
      description: null,
      is_public: null,
      datetime_aware: null,
      is_default_persona: null,
      remove_image: null,
      system_prompt: null,
      task_prompt: null,
      llm_model_provider_override: null,
      llm_model_version_override: null,
      uploaded_image_id: null,
      icon_name: null,
      num_chunks: null,
      display_priority: null,
      starter_messages: null,
      search_start_date: null,
      tool_ids: null,
      document_set_ids: null,
      label_ids: null,
      users: null,
      groups: null,
      user_file_ids: null
    },
    nullable
  )
  expect(body).toMatchObject({
    name: 'Scribe',
    description: 'Writes',
    is_public: true,
    datetime_aware: true,
    is_default_persona: true,
    system_prompt: null,
    task_prompt: null,
    llm_model_provider_override: null,
    llm_model_version_override: null,
    uploaded_image_id: null,
    icon_name: null,
    num_chunks: null,
    display_priority: null,
    starter_messages: null,
    tools: [],
    document_sets: [],
    labels: [],
    users: [],
    groups: [],
    user_file_ids: []
  })
})

test('E6 empties absent fields if persona.patch is replace, except the image and the files', async () => {
  const files = agent(replacing, 1)?.user_file_ids
  expect(files).not.toEqual([])
  const { body } = await patch({ name: 'Only', is_public: true, num_chunks: 4, uploaded_image_id: null }, replacing)
  const { id, owner, is_visible, builtin_persona, ...rest } = (await read(1, 'basic', replacing)).body
  expect(body).toMatchObject(answered(rest))
  expect(owner.email).toBe('tom@example.com')
  const { document_set_ids, tool_ids, label_ids, ...empty } = emptyPersona
  expect(rest).toEqual({
    ...empty,
    name: 'Only',
    is_public: true,
    num_chunks: 4,
    uploaded_image_id: 'image-1',
    description: '',
    icon_name: null,
    system_prompt: null,
    task_prompt: null,
    llm_model_provider_override: null,
    llm_model_version_override: null,
    display_priority: null,
    starter_messages: null,
    search_start_date: null,
    tools: [],
    document_sets: [],
    labels: [],
    users: [],
    groups: [],
    user_file_ids: files,
    is_default_persona: false,
    replace_base_system_prompt: false,
    llm_relevance_filter: false,
    llm_filter_extraction: false,
    datetime_aware: false
  })
  expect((await patch({ remove_image: true }, replacing)).body.uploaded_image_id).toBeNull()
})

test('E6 gives absent fields their default if persona.patch is defaults', async () => {
  const before = answered((await read(1, 'admin', defaulting)).body)
  const { body } = await patch({ name: 'Plain' }, defaulting)
  expect(body).toEqual({ ...before, name: 'Plain', is_default_persona: false, replace_base_system_prompt: false })
  expect((await patch({ is_default_persona: true }, defaulting)).body.is_default_persona).toBe(true)
})

test('E6 removes the image on request, unless a new one is given', async () => {
  expect((await patch({ remove_image: false })).body.uploaded_image_id).toBe('image-1')
  expect((await patch({ remove_image: true, uploaded_image_id: 'image-2' })).body.uploaded_image_id).toBe('image-2')
  expect((await patch({ remove_image: true })).body).not.toHaveProperty('uploaded_image_id')
  expect((await patch({ uploaded_image_id: 'image-3' })).body.uploaded_image_id).toBe('image-3')
})

test('E6 stores a repeated id once', async () => {
  const user = userId(mock, 'admin')
  const { body } = await patch({
    users: [user, user.toUpperCase()],
    tool_ids: [3, 1, 3],
    user_file_ids: [fileOfBasic, fileOfBasic]
  })
  expect(ids(body.users)).toEqual([user])
  expect(ids(body.tools)).toEqual([3, 1])
  expect(body.user_file_ids).toEqual([fileOfBasic])
})

test('E6 changes the row of this agent only', async () => {
  const twin = agent(mock, 3)
  await patch({ name: 'Changed', tool_ids: [] })
  expect(agent(mock, 3)).toBe(twin)
  expect(agent(mock, 1)).toMatchObject({ name: 'Changed', owner_id: userId(mock, 'basic'), builtin_persona: false })
})

test.each([
  ['admin', 1, 200],
  ['basic', 1, 200],
  ['curator', 1, 403],
  ['basic', 2, 404],
  ['basic', 3, 403],
  ['basic', 0, 403],
  ['admin', 0, 200],
  ['admin', 99, 404]
])('E6 is for administrators and the owner: %s, agent %i: %i', async (as, id, status) => {
  const before = agent(mock, id)
  const answer = await patch({ name: 'Mine now' }, mock, as, id)
  expect(answer.status).toBe(status)
  if (status === 200) expect(agent(mock, id)?.name).toBe('Mine now')
  else expect(agent(mock, id)).toBe(before)
})

test('E6 distinguishes missing from foreign agents if errors.missing says so', async () => {
  expect((await patch({}, telling, 'basic', 2)).body.detail).toBe('This belongs to another user.')
  expect((await patch({}, telling, 'curator', 99)).status).toBe(404)
  const { status, body } = await patch({}, observed, 'curator')
  expect(status).toBe(403)
  expect(body.detail).toBe('Persona with ID 1 does not exist or user is not authorized to access it')
})

test('E6 omits search_start_date in its answer, unless persona.search-start-date is present', async () => {
  const change = { search_start_date: '2026-02-02T00:00:00Z' }
  const stored = '2026-02-02T00:00:00.000Z'
  expect((await patch(change)).body).not.toHaveProperty('search_start_date')
  expect((await read(1)).body.search_start_date).toBe(stored)
  expect((await patch(change, dropping)).body.search_start_date).toBe(stored)
  const forced = (on: typeof mock) => on.call('PATCH', '/api/persona/1?__code=200', { body: {} })
  expect((await forced(mock)).body).not.toHaveProperty('search_start_date')
  expect((await forced(dropping)).body).toHaveProperty('search_start_date')
})

test.each<[string, object, string]>([
  ['tools', { tool_ids: [1, 99, 100] }, 'tool_ids not found: 99, 100'],
  ['document sets', { document_set_ids: [99] }, 'document_set_ids not found: 99'],
  ['labels', { label_ids: [2, 9] }, 'label_ids not found: 9'],
  ['users', { users: [nowhere] }, `users not found: ${nowhere}`],
  ['files', { user_file_ids: [fileOfBasic, nowhere] }, `user_file_ids not found: ${nowhere}`],
  ['texts other than a uuid', { user_file_ids: ['a', fileOfBasic] }, 'user_file_ids not found: a'],
  ['files of others', { user_file_ids: [fileOfCurator] }, `user_file_ids not found: ${fileOfCurator}`],
  ['several kinds', { label_ids: [9], tool_ids: [8, 1] }, 'tool_ids not found: 8; label_ids not found: 9']
])('unknown ids in E6 are refused, and nothing changes: %s', async (_, body, detail) => {
  const before = agent(mock, 1)
  const answer = await patch({ name: 'Half done', ...body })
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual({ detail })
  expect(assumed(answer)).toContain('persona.references')
  expect(agent(mock, 1)).toBe(before)
})

test('unknown ids in E6 are dropped if persona.references is dropped and one of the list is known', async () => {
  const { status, body } = await patch(
    { tool_ids: [99, 3], document_set_ids: [2, 99], user_file_ids: [nowhere, fileOfBasic, fileOfCurator] },
    dropping
  )
  expect(status).toBe(200)
  expect(ids(body.tools)).toEqual([3])
  expect(ids(body.document_sets)).toEqual([2])
  expect(body.user_file_ids).toEqual([fileOfBasic])
})

test.each<[object, string]>([
  [{ tool_ids: [99] }, 'Tools not found'],
  [{ document_set_ids: [99, 98] }, 'document_sets not found'],
  [{ user_file_ids: [nowhere] }, 'user_files not found'],
  [{ user_file_ids: [fileOfBasic, 'no-uuid'] }, 'Invalid user_file_ids; must be UUID strings']
])(
  'unknown ids in E6 are refused if persona.references is dropped and none is known or valid: %j',
  async (body, detail) => {
    const before = agent(dropping, 1)
    const answer = await patch({ name: 'Half done', ...body }, dropping)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ detail })
    expect(agent(dropping, 1)).toBe(before)
  }
)

test('unknown ids in E6 never count among labels and users if persona.references is dropped', async () => {
  const { status, body } = await patch({ label_ids: [9], users: [nowhere] }, dropping)
  expect(status).toBe(200)
  expect(body).toMatchObject({ labels: [], users: [] })
})

test('unknown ids in E6 include no files of the owner, of the caller, or that are linked already', async () => {
  const filesAfter = async (user_file_ids: string[], as: string) =>
    (await patch({ user_file_ids }, mock, as)).body.user_file_ids
  expect(await filesAfter([fileOfAdmin], 'admin')).toEqual([fileOfAdmin])
  expect(await filesAfter([fileOfBasic, fileOfAdmin], 'admin')).toEqual([fileOfBasic, fileOfAdmin])
  expect(await filesAfter([fileOfAdmin.toUpperCase()], 'basic')).toEqual([fileOfAdmin])
  expect(await filesAfter([fileOfBasic], 'basic')).toEqual([fileOfBasic])
  expect((await patch({ user_file_ids: [fileOfAdmin] })).status).toBe(404)
})

test('E6 keeps a built-in agent if persona.builtin is refused', async () => {
  const before = agent(guarding, 0)
  const { status, body } = await patch({ name: 'New' }, guarding, 'admin', 0)
  expect(status).toBe(400)
  expect(body.detail).toBe('Cannot update builtin persona with non-builtin.')
  expect(agent(guarding, 0)).toBe(before)
  expect((await patch({ name: 'New' }, mock, 'admin', 0)).body.builtin_persona).toBe(true)
  expect((await patch({ name: 'x' }, guarding, 'basic', 0)).status).toBe(403)
})

test.each<[string, number, object, string | null]>([
  ['curator', 2, { is_default_persona: true }, 'Cannot make a default persona non public'],
  ['curator', 3, { is_default_persona: true, is_public: false }, 'Cannot make a default persona non public'],
  ['curator', 2, { is_default_persona: true, is_public: true }, null],
  ['curator', 3, { is_default_persona: true }, null],
  ['basic', 1, { is_default_persona: true }, 'Only admins can make a default persona'],
  ['basic', 1, { is_public: false }, 'Cannot make a default persona non public'],
  ['basic', 1, { is_public: false, is_default_persona: false }, null],
  ['basic', 1, { name: 'Renamed' }, null]
])('E6 guards default agents if persona.default is guarded: %s, agent %i, %j', async (as, id, body, detail) => {
  const before = agent(guarding, id)
  const answer = await patch(body, guarding, as, id)
  expect(answer.status).toBe(detail === null ? 200 : 400)
  if (detail === null) return expect(agent(guarding, id)).toMatchObject(body)
  expect(answer.body).toEqual({ detail })
  expect(agent(guarding, id)).toBe(before)
  expect((await patch(body, mock, as, id)).body).toMatchObject(body)
})

test('E6 lets a default agent be renamed that was hidden before', async () => {
  const hidden = agent(guarding, 2) as Rows['personas']
  guarding.sandbox.rows.personas.put({ ...hidden, is_default_persona: true })
  expect((await patch({ name: 'Renamed' }, guarding, 'curator', 2)).body).toMatchObject({
    name: 'Renamed',
    is_public: false
  })
  expect((await patch({ is_default_persona: true }, guarding, 'curator', 2)).status).toBe(400)
})
