import type { CollectionName, Store } from '../../src/apis/knowledge-chat/collections.js'
import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { testNow } from '../mock.js'
import type { TestSandbox } from '../stores.js'

/*
 * A small world: some rows of every collection, of several users, in every state that sequences of calls can meet.
 */

const start = Date.parse(testNow)
const minute = 60_000
const day = 24 * 60 * minute

/** Puts it into a sandbox that has the users admin, curator and basic, and the built-in agent. */
export function furnish({ rows, ids }: TestSandbox): void {
  const admin = rows.users.first('byKey', 'admin')?.id as string
  const curator = rows.users.first('byKey', 'curator')?.id as string
  const basic = rows.users.first('byKey', 'basic')?.id as string
  const grace = uuid('9', 1)
  rows.users.put({ id: grace, key: 'grace', email: 'Grace@Example.com', role: 'basic', is_active: true })
  rows.users.put({ id: uuid('9', 2), key: 'piet', email: 'piet@example.com', role: 'basic', is_active: false })

  for (const [index, name] of ['Writing', 'Data'].entries()) rows.labels.put({ id: index + 1, name })
  for (const row of tools(admin, curator)) rows.tools.put(row)
  for (const row of credentials(admin, curator, basic)) rows.credentials.put(row)
  for (const row of connectors) rows.connectors.put(row)
  for (const row of pairs) rows.connectorCredentials.put(row)
  for (const row of attempts) rows.indexAttempts.put(row)
  for (const row of documentSets(basic, curator)) rows.documentSets.put(row)
  for (const [index, user] of [admin, curator, basic, grace].entries()) workspace(rows, index, user)
  for (const own of personas(admin, curator, basic)) {
    rows.personas.put({ ...(rows.personas.get(0) as Rows['personas']), builtin_persona: false, ...own })
  }
  for (const [index, invited_by] of [admin, null].entries()) {
    rows.invites.put({ id: index + 1, email: `old${index}@example.com`, invited_at: ago(day), invited_by })
  }
  for (const id of [1, 2, 3]) {
    rows.tokenRateLimits.put({ id, enabled: true, token_budget: 100, period_hours: 24, scope: 'global' })
  }
  // These numbers are taken from now on, like those of an initial state.
  for (const name of numbered) ids.next(name, rows)
}

const numbered: CollectionName[] = ['credentials', 'connectorCredentials', 'indexAttempts', 'projectFiles', 'invites']

function ago(milliseconds: number): string {
  return new Date(start - milliseconds).toISOString()
}

function uuid(kind: string, number: number): string {
  return `${kind.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** Two projects, files in every state, and sessions of every age. */
function workspace(rows: Store, index: number, user_id: string): void {
  const [first, second] = [2 * index + 1, 2 * index + 2]
  for (const id of [first, second]) {
    const instructions = id === first ? null : 'Be brief.'
    rows.projects.put({ id, name: `Project ${id}`, description: null, created_at: ago(day), user_id, instructions })
  }
  const states: Partial<Rows['userFiles']>[] = [
    {},
    {},
    { status: 'PROCESSING', settles_at: ago(-3000) },
    { status: 'PROCESSING', settles_at: ago(-3000), settles_as: 'FAILED' },
    { status: 'FAILED', settles_as: 'FAILED' },
    { status: 'DELETING', settles_at: ago(-2000) }
  ]
  for (const [at, own] of states.entries()) {
    const id = uuid('f', 10 * index + at)
    const row = {
      id,
      name: `file ${at}.pdf`,
      user_id,
      file_id: id,
      created_at: ago(day),
      temp_id: null,
      ...file,
      ...own
    }
    rows.userFiles.put(row)
  }
  const links: [project: number, file: number][] = [
    [first, 0],
    [first, 3],
    [first, 4],
    [second, 0]
  ]
  for (const [at, [project_id, linked]] of links.entries()) {
    const id = 10 * index + at + 1
    rows.projectFiles.put({ id, project_id, user_file_id: uuid('f', 10 * index + linked), linked_at: ago(minute * at) })
  }
  const sessions: [age: number, project: number | null, own?: Partial<Rows['chatSessions']>][] = [
    [minute, null],
    [minute, first, { persona_id: 2 }],
    [day, null, { name: null, persona_id: null }],
    [9 * day, second, { persona_id: 1 }],
    [90 * day, null, { incognito: true }]
  ]
  for (const [at, [age, project_id, own]] of sessions.entries()) {
    const times = { time_created: ago(age), time_updated: ago(Math.floor(age / 2)) }
    const id = uuid('c', 10 * index + at)
    rows.chatSessions.put({ id, user_id, name: `Frost alert ${at}`, project_id, ...times, ...session, ...own })
  }
}

const file = {
  status: 'COMPLETED',
  settles_at: null,
  settles_as: 'COMPLETED',
  reads: 0,
  last_accessed_at: null,
  file_type: 'application/pdf',
  chat_file_type: 'document',
  token_count: 700,
  chunk_count: 2
} satisfies Partial<Rows['userFiles']>

const session = {
  shared_status: 'private',
  persona_id: 0,
  current_alternate_model: null,
  current_temperature_override: 0.5,
  incognito: false,
  message_count: 3
} satisfies Partial<Rows['chatSessions']>

function tools(admin: string, curator: string): Rows['tools'][] {
  const common = {
    description: '',
    definition: null,
    custom_headers: [{ key: 'X-Client', value: 'assistant' }],
    passthrough_auth: false,
    mcp_server_id: null,
    oauth_config_id: null,
    oauth_config_name: null,
    enabled: true,
    chat_selectable: true,
    agent_creation_selectable: true,
    default_enabled: false
  }
  return [null, null, admin, curator, null].map((user_id, at) => ({
    id: at + 1,
    name: `tool_${at + 1}`,
    display_name: `Tool ${at + 1}`,
    in_code_tool_id: at < 2 ? 'SearchTool' : null,
    user_id,
    ...common
  }))
}

const old = { time_created: ago(30 * day), time_updated: ago(20 * day) }

function credentials(admin: string, curator: string, basic: string): Rows['credentials'][] {
  const common = { name: 'a credential', curator_public: false, admin_public: true, groups: [], ...old }
  const credential_json = { api_token: 'abcdefghijklmnopqrstuvwxyz', wiki_base: 'https://wiki.example.com', port: 8080 }
  return [
    { ...common, id: 0, credential_json: {}, source: 'not_applicable', user_id: null, name: null },
    { ...common, id: 1, credential_json, source: 'web', user_id: admin },
    { ...common, id: 2, credential_json, source: 'web', user_id: admin, admin_public: false, groups: [1] },
    { ...common, id: 3, credential_json, source: 'web', user_id: curator, curator_public: true, admin_public: false },
    { ...common, id: 4, credential_json, source: 'confluence', user_id: basic },
    { ...common, id: 5, credential_json, source: 'confluence', user_id: null, curator_public: true }
  ]
}

const connectors: Rows['connectors'][] = (['web', 'file', 'confluence'] as const).map((source, at) => ({
  id: at + 1,
  name: `Connector ${at + 1}`,
  source,
  input_type: 'poll',
  connector_specific_config: { base_url: 'https://wiki.example.com' },
  refresh_freq: 1800,
  prune_freq: null,
  indexing_start: null,
  ...old
}))

const pair = {
  groups: [],
  auto_sync_options: null,
  docs_indexed: 40,
  last_success: ago(day),
  in_repeated_error_state: false
} satisfies Partial<Rows['connectorCredentials']>

const pairs: Rows['connectorCredentials'][] = [
  { ...pair, id: 1, connector_id: 1, credential_id: 1, name: 'Wiki', access_type: 'public', status: 'ACTIVE' },
  { ...pair, id: 2, connector_id: 1, credential_id: 3, name: null, access_type: 'private', status: 'ACTIVE' },
  { ...pair, id: 3, connector_id: 3, credential_id: 5, name: 'Pages', access_type: 'sync', status: 'PAUSED' },
  { ...pair, id: 4, connector_id: 2, credential_id: 0, name: 'DefaultCCPair', access_type: 'public', status: 'ACTIVE' }
]

const attempt = { time_created: ago(day), secondary_index: false, docs_indexed: 12 }

const attempts: Rows['indexAttempts'][] = [
  { ...attempt, id: 1, connector_credential_id: 1, starts_at: ago(day), settles_at: ago(day), settles_as: 'success' },
  { ...attempt, id: 2, connector_credential_id: 1, starts_at: ago(1), settles_at: ago(-5000), settles_as: 'success' },
  { ...attempt, id: 3, connector_credential_id: 2, starts_at: ago(day), settles_at: ago(9), settles_as: 'failed' },
  {
    ...attempt,
    id: 4,
    connector_credential_id: 2,
    starts_at: ago(-1000),
    settles_at: ago(-4000),
    settles_as: 'canceled'
  },
  { ...attempt, id: 5, connector_credential_id: 3, starts_at: null, settles_at: null, settles_as: 'success' },
  {
    ...attempt,
    id: 6,
    connector_credential_id: 3,
    secondary_index: true,
    starts_at: ago(minute),
    settles_at: ago(2),
    settles_as: 'completed_with_errors'
  }
]

function documentSets(basic: string, curator: string): Rows['documentSets'][] {
  const common = { description: null, is_up_to_date: true, is_public: false, groups: [] }
  const federated_connector_summaries = [
    { id: 1, name: 'Federated Slack', source: 'federated_slack', entities: { include_dm: true } }
  ]
  return [
    { ...common, id: 1, name: 'All', cc_pair_ids: [1, 2, 3], users: [basic, curator], federated_connector_summaries },
    { ...common, id: 2, name: 'None', cc_pair_ids: [], users: [], federated_connector_summaries: [] }
  ]
}

type Persona = Rows['personas']

function personas(admin: string, curator: string, basic: string): (Partial<Persona> & { id: number })[] {
  const links = { tool_ids: [1, 3], label_ids: [1], document_set_ids: [1] }
  return [
    {
      id: 1,
      name: 'Private',
      uploaded_image_id: 'image-0',
      owner_id: admin,
      is_public: false,
      user_ids: [curator],
      user_file_ids: [uuid('f', 0)],
      ...links
    },
    { id: 2, name: 'Public', owner_id: curator, is_public: true, user_file_ids: [uuid('f', 10)], tool_ids: [4, 5] },
    { id: 3, name: 'Own', owner_id: basic, is_public: false, user_ids: [admin, basic], ...links }
  ]
}
