import { type Seeded, seedRows } from '../fixtures/index.js'
import type { IndexingStatusGroup } from '../src/apis/knowledge-chat/types.gen.js'
import { createContract } from '../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../src/engine/contract/ledger.js'
import { follow, type Json, type JsonObject, readDocuments } from '../src/engine/contract/load.js'
import { addressOf, bodyOf } from './contract/examples.js'
import { startTestMock, testNow } from './mock.js'

const contract = createContract(readDocuments(), defaultChoices(readLedger()))
const rows = seedRows('demo', { seed: 1, scale: 1, now: Date.parse(testNow) })
const userId = (key: string) => rows.users.find((it) => it.key === key)?.id as string
const later = (milliseconds: number) => new Date(Date.parse(testNow) + milliseconds).toISOString()
const mock = await startTestMock({ fixtures: 'demo' })

describe('every value of an enumeration occurs in', () => {
  const fields = [...contract.collections.values()].flatMap(({ name, row }) =>
    Object.entries(target(row).properties as JsonObject).map(([field, schema]) => ({
      field,
      name,
      path: `${name}.${field}`,
      schema: target(schema as JsonObject)
    }))
  )
  const valuesOf = (name: string, field: string) => new Set(rowsOf(name).map((row) => row[field] as Json))

  test.each(fields.filter((it) => it.schema.enum && it.path !== 'indexAttempts.settles_as'))('$path', (it) => {
    expect([...valuesOf(it.name, it.field)].sort()).toEqual([...(it.schema.enum as string[])].sort())
  })

  // Rows have chatSessions.deleted only after a deletion under a choice of chat.deletion.
  test.each(fields.filter((it) => it.schema.type === 'boolean' && it.path !== 'chatSessions.deleted'))(
    '$path',
    ({ name, field }) => {
      expect([...valuesOf(name, field)].sort()).toEqual([false, true])
    }
  )

  test('the last status of the associations', async () => {
    const statuses = new Set(
      (await indexing()).flatMap((group) => group.indexing_statuses).map((it) => 'last_status' in it && it.last_status)
    )
    expect([...statuses]).toEqual(expect.arrayContaining(definition('IndexStatus')))
  })
})

test('the people have unique lower-case addresses', () => {
  for (const { email } of rows.users) expect(email).toMatch(/^[a-z0-9.]+@example\.com$/)
  expect(new Set(rows.users.map((it) => it.email)).size).toBe(rows.users.length)
  expect(rows.users.find((it) => it.key === 'admin')?.email).toBe('ada@example.com')
  expect(rows.users.map((it) => it.email)).toContain('grace@example.com')
})

test('the people include one per role with its name, and others', () => {
  for (const role of definition('Role')) expect(rows.users.find((it) => it.key === role)).toMatchObject({ role })
  expect(rows.users.length).toBeGreaterThanOrEqual(definition('Role').length + 8)
  expect(rows.users.filter((it) => !it.is_active)).toHaveLength(1)
})

test('the people have invited some dozens, none of them twice and none who is a user', () => {
  const emails = rows.invites.map((it) => it.email)
  expect(emails.length).toBeGreaterThanOrEqual(24)
  expect(new Set([...emails, ...rows.users.map((it) => it.email)]).size).toBe(emails.length + rows.users.length)
  for (const email of emails) expect(email).toMatch(/^[a-z]+[._][a-z-]+@example\.com$/)
})

test('the people have the token limits 1 to 6', () => {
  expect(rows.tokenRateLimits.map((it) => it.id)).toEqual([1, 2, 3, 4, 5, 6])
})

describe.each(['admin', 'curator', 'basic'])('the user %s', (key) => {
  const sessions = rows.chatSessions.filter((it) => it.user_id === userId(key))
  const projects = rows.projects.filter((it) => it.user_id === userId(key))
  const files = rows.userFiles.filter((it) => it.user_id === userId(key))

  test('has 45 sessions or more, of every period', async () => {
    expect(sessions.length).toBeGreaterThanOrEqual(45)
    const { body } = await mock.call('GET', '/api/chat/search?page_size=100', { as: key })
    const counts = body.groups.map((group: { title: string; chats: object[] }) => [
      group.title,
      group.chats.length >= 5
    ])
    expect(counts).toEqual(['Today', 'Yesterday', 'This Week', 'This Month', 'Older'].map((title) => [title, true]))
  })

  test('has sessions of every period whatever the hour', () => {
    const ages = sessions.map((it) => Date.parse(testNow) - Date.parse(it.time_created))
    expect(ages.some((age) => age <= 86_400_000 && age > 86_400_000 - 60_000)).toBe(true)
    expect(Math.min(...ages)).toBeLessThan(60_000)
  })

  test('has a newest session with a name', async () => {
    const { body } = await mock.call('GET', '/api/chat/get-user-chat-sessions', { as: key })
    expect(body.sessions[0].name).not.toBe('')
    const newest = sessions.toSorted((a, b) => b.time_created.localeCompare(a.time_created))[0]
    expect(newest?.name).not.toBe('')
  })

  test('has sessions in and out of projects, most with a value in every field', () => {
    expect(sessions.filter((it) => it.project_id !== null).length).toBeGreaterThan(5)
    const full = sessions.filter(
      (it) => it.name && it.current_alternate_model && it.current_temperature_override !== null
    )
    expect(full.length).toBeGreaterThan(sessions.length * 0.7)
    expect(full.length).toBeLessThan(sessions.length)
    expect(new Set(sessions.map((it) => it.time_updated)).size).toBe(sessions.length)
    for (const it of sessions) expect(it.time_created <= it.time_updated && it.time_updated <= testNow).toBe(true)
  })

  test('owns three agents or more', () => {
    expect(rows.personas.filter((it) => it.owner_id === userId(key)).length).toBeGreaterThanOrEqual(3)
  })

  test('owns three projects or more, each with files and sessions', () => {
    expect(projects.length).toBeGreaterThanOrEqual(3)
    for (const { id } of projects) {
      expect(rows.projectFiles.filter((it) => it.project_id === id).length).toBeGreaterThan(1)
      expect(sessions.filter((it) => it.project_id === id).length).toBeGreaterThan(0)
    }
  })

  test('has twelve files or more, in every status, some about to settle in every way', () => {
    expect(files.length).toBeGreaterThanOrEqual(12)
    expect([...new Set(files.map((it) => it.status))].sort()).toEqual([...definition('UserFileStatus')].sort())
    const fresh = files.filter((it) => it.status === 'PROCESSING' && it.settles_at === later(3000))
    expect(fresh.map((it) => it.settles_as).sort()).toEqual(['CANCELED', 'COMPLETED', 'FAILED'])
    for (const { created_at } of fresh) expect(Date.parse(testNow) - Date.parse(created_at)).toBeLessThan(3000)
    const endings = (status: string) => files.filter((it) => it.status === status).map((it) => it.settles_at)
    expect(endings('PROCESSING')).toContain(later(86_400_000))
    expect(endings('DELETING').sort()).toEqual([later(2000), later(86_400_000)])
  })

  test('sees the files that are about to settle first, in every project', async () => {
    for (const { id } of projects) {
      const { body } = await mock.call('GET', `/api/user/projects/${id}/details`, { as: key })
      const soon = body.files.map(
        ({ id }: { id: string }) => files.find((it) => it.id === id)?.settles_at === later(3000)
      )
      expect(soon[0]).toBe(true)
      expect(soon).toEqual([...soon].sort((a, b) => Number(b) - Number(a)))
    }
  })

  test('reads every row that the fixtures give it', async () => {
    for (const { id } of files)
      expect((await mock.call('GET', `/api/user/projects/file/${id}`, { as: key })).status).toBe(200)
    for (const { owner_id, id } of rows.personas) {
      if (owner_id === userId(key)) expect((await mock.call('GET', `/api/persona/${id}`, { as: key })).status).toBe(200)
    }
  })
})

const pairsOf = (source: string) => {
  const ids = new Set(rows.connectors.filter((it) => it.source === source).map((it) => it.id))
  return rows.connectorCredentials.filter((it) => ids.has(it.connector_id))
}

test('the sources fill pages of the indexing status: three with more than 10 associations, one with more than 20', async () => {
  const counts = definition('DocumentSource').map((source) => pairsOf(source).length)
  expect(counts.filter((it) => it > 10).length).toBeGreaterThanOrEqual(3)
  expect(counts.filter((it) => it > 20).length).toBeGreaterThanOrEqual(1)
  const [first, second, third] = await Promise.all([1, 2, 3].map((page) => indexing({ source_to_page: { web: page } })))
  const shown = [first, second, third].map(
    (groups) => groups?.find((it) => it.source === 'web')?.indexing_statuses.length
  )
  expect(shown).toEqual([10, 10, pairsOf('web').length - 20])
})

test('the sources have federated connectors in document sets and in the indexing status', async () => {
  const federated = rows.documentSets.flatMap((it) => it.federated_connector_summaries)
  expect(federated.length).toBeGreaterThan(1)
  for (const { source, entities } of federated) {
    expect(source).toBe('federated_slack')
    expect(Object.keys(entities)).toEqual(
      expect.arrayContaining(['search_all_channels', 'channels', 'default_search_days'])
    )
  }
  const items = (await indexing({ get_all_connectors: true })).find((it) => it.source === 'slack')?.indexing_statuses
  expect(items).toContainEqual({ id: 1, name: 'Federated Slack', source: 'federated_slack' })
})

test('the sources begin with a connector of the web that has the first credential and not the second', () => {
  expect(rows.connectors[0]).toMatchObject({ id: 1, name: 'Product wiki', source: 'web' })
  expect(rows.connectorCredentials.filter((it) => it.connector_id === 1).map((it) => it.credential_id)).toEqual([1])
  const own = { source: 'web', user_id: userId('admin'), admin_public: true }
  for (const id of [1, 2]) expect(rows.credentials.find((it) => it.id === id)).toMatchObject(own)
})

test('the sources have credentials without an owner and of every role that may create one, named and not, with secrets of every kind', () => {
  const owners = new Set(rows.credentials.map((it) => it.user_id))
  for (const role of ['admin', 'curator', 'global_curator']) expect(owners).toContain(userId(role))
  expect(owners).toContain(null)
  expect(new Set(rows.credentials.map((it) => it.name === null)).size).toBe(2)
  const secrets = rows.credentials.flatMap((it) => Object.values(it.credential_json))
  for (const kind of ['string', 'number', 'boolean', 'object']) expect(secrets.map((it) => typeof it)).toContain(kind)
  expect(secrets).toContain(null)
  const texts = secrets.filter((it) => typeof it === 'string') as string[]
  expect(Math.min(...texts.map((it) => it.length))).toBeLessThan(4)
  expect(Math.max(...texts.map((it) => it.length))).toBeGreaterThan(300)
  expect(JSON.stringify(secrets)).toContain('BEGIN PRIVATE KEY')
})

test('the sources were last indexed successfully when their last good attempt ended', () => {
  for (const pair of rows.connectorCredentials) {
    const good = rows.indexAttempts.filter(
      (it) =>
        it.connector_credential_id === pair.id &&
        !it.secondary_index &&
        /success|errors/.test(it.settles_as) &&
        it.settles_at !== null &&
        it.settles_at <= testNow
    )
    expect(pair.last_success).toBe(good.at(-1)?.settles_at ?? null)
  }
})

test('the tools and agents include six built-in tools, then custom ones, with an MCP one and one with OAuth', () => {
  const builtin = [
    'SearchTool',
    'ImageGenerationTool',
    'WebSearchTool',
    'KnowledgeGraphTool',
    'OpenURLTool',
    'PythonTool'
  ]
  expect(rows.tools.slice(0, 6).map((it) => it.in_code_tool_id)).toEqual(builtin)
  for (const it of rows.tools.slice(0, 6)) expect(it).toMatchObject({ user_id: null, definition: null })
  for (const it of rows.tools.slice(6)) expect(it.in_code_tool_id).toBeNull()
  expect(rows.tools[6]).toMatchObject({ id: 7, definition: { openapi: '3.0.3' } })
  expect(rows.tools.filter((it) => it.mcp_server_id !== null)).toHaveLength(1)
  expect(rows.tools.filter((it) => it.oauth_config_id !== null)).toHaveLength(1)
  expect(rows.tools.some((it) => it.custom_headers?.length)).toBe(true)
})

test('the tools and agents have definitions that the service accepts', async () => {
  const definitions = rows.tools.flatMap((it) => it.definition ?? [])
  expect(definitions.length).toBeGreaterThanOrEqual(4)
  for (const definition of definitions) {
    const { status, body } = await mock.call('POST', '/api/admin/tool/custom/validate', { body: { definition } })
    expect([status, body.methods?.length > 0]).toEqual([200, true])
  }
})

test('the demo has agents with everything that an agent can have, and a hidden one', () => {
  const lists = ['tool_ids', 'label_ids', 'document_set_ids', 'user_file_ids', 'user_ids', 'starter_messages'] as const
  for (const list of lists) expect(rows.personas.some((it) => it[list]?.length)).toBe(true)
  expect(rows.personas.filter((it) => !it.is_visible)).toHaveLength(1)
  expect(rows.personas.filter((it) => it.builtin_persona).length).toBeGreaterThan(1)
})

const examples = [...contract.operations.values()].flatMap((operation) =>
  Object.entries(operation.examples).map(([name, example]) => ({ operation, name, example, id: operation.id }))
)

test.each(examples)('the example requests of the contract work: $id, $name', async ({ operation, example }) => {
  await mock.reset()
  const address = addressOf(operation, example.path, example.query)
  const { status, body } = await mock.call(operation.method, address, bodyOf(operation, example.body))
  expect(status).toBeLessThan(300)
  expect(body?.success ?? true).toBe(true)
})

test('the example requests of the contract work: the file is complete and in project 1, the session is the administrator’s', () => {
  const admin = userId('admin')
  const file = rows.userFiles.find((it) => it.id === 'a87ff679-a2f3-471d-9181-a67b7542122c')
  expect(file).toMatchObject({ name: 'Launch plan.pdf', user_id: admin, status: 'COMPLETED' })
  expect(rows.projectFiles.filter((it) => it.user_file_id === file?.id).map((it) => it.project_id)).toEqual([1])
  const session = rows.chatSessions.find((it) => it.id === '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11')
  expect(session).toMatchObject({ user_id: admin, persona_id: 1, project_id: 1 })
  expect(rows.projects[0]).toMatchObject({ id: 1, name: 'Spring launch', user_id: admin })
  expect(rows.personas.find((it) => it.id === 1)).toMatchObject({ name: 'Release scribe', owner_id: admin })
})

async function indexing(body: object = { get_all_connectors: true }): Promise<IndexingStatusGroup[]> {
  return (await mock.call('POST', '/api/manage/admin/connector/indexing-status', { body })).body
}

function rowsOf(name: string): Record<string, Json>[] {
  return rows[name as keyof Seeded] as unknown as Record<string, Json>[]
}

/** The values of an enumeration of the contract. */
function definition(name: string): string[] {
  return target({ $ref: `common.json#/$defs/${name}` }).enum as string[]
}

function target(schema: JsonObject): JsonObject {
  return typeof schema.$ref === 'string' ? target(follow(contract.documents, schema.$ref) as JsonObject) : schema
}
