import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import type { Call, Model } from './model/model.js'
import type { Random } from './random.js'

type Name = keyof Rows
type Id = string | number

/** Generates a call of an operation: its ids are of existing, deleted or no rows. */
export function compose(operation: string, random: Random, model: Model): Call {
  const call: Call = {
    operation,
    as: caller(random),
    path: {},
    query: {},
    ...(makers[operation] as Maker)(random, model)
  }
  return random.chance(0.06) ? spoiled(call, random) : call
}

type Maker = (random: Random, model: Model) => Partial<Call>

const words = ['frost', 'alert', 'Release', 'NOTES', 'größe', '0']

const makers: Record<string, Maker> = {
  createChatSession: (random, model) => ({
    body: some(random, {
      persona_id: () => idOf(random, model, 'personas'),
      description: () => text(random),
      project_id: () => idOf(random, model, 'projects'),
      incognito: () => random.chance(0.5),
      incognito_session_id: () => idOf(random, model, 'chatSessions')
    })
  }),
  listChatSessions: (random, model) => ({
    query: some(random, {
      project_id: () => String(idOf(random, model, 'projects')),
      only_non_project_chats: () => random.pick(['true', 'false']),
      include_failed_chats: () => random.pick(['true', 'false']),
      page_size: () => random.pick(['1', '3', '100']),
      before: () => new Date(model.now - random.pick([0, 30_000, 60_000, 864e5])).toISOString()
    })
  }),
  searchChats: (random) => ({
    query: some(random, {
      query: () => random.pick(['', ' ', random.pick(words), text(random)]),
      page: () => random.pick(['1', '2', '3']),
      page_size: () => random.pick(['1', '2', '5', '100'])
    })
  }),
  deleteChatSession: (random, model) => ({ path: { session_id: idOf(random, model, 'chatSessions') } }),
  getPersona: (random, model) => ({ path: { persona_id: idOf(random, model, 'personas') } }),
  updatePersona: (random, model) => ({
    path: { persona_id: idOf(random, model, 'personas') },
    body: patch(random, model)
  }),
  deletePersona: (random, model) => ({ path: { persona_id: idOf(random, model, 'personas') } }),
  createCredential: (random) => ({
    body: {
      credential_json: secrets(random),
      admin_public: random.chance(0.5),
      source: random.pick(['web', 'confluence']),
      ...some(random, {
        name: () => text(random),
        curator_public: () => random.chance(0.5),
        groups: () => random.pick([[], [1, 2]])
      })
    }
  }),
  getCredential: (random, model) => ({ path: { credential_id: idOf(random, model, 'credentials') } }),
  listCredentials: () => ({}),
  listSimilarCredentials: (random) => ({
    path: { source_type: random.pick(['web', 'confluence', 'not_applicable', 'slack']) },
    query: some(random, { get_editable: () => random.pick(['true', 'false']) })
  }),
  replacePrivateKey: (random, model) => ({
    path: { credential_id: idOf(random, model, 'credentials') },
    form: [
      ['name', random.pick(['', 'Intranet'])],
      ['credential_json', random.chance(0.1) ? random.pick(['{', '[1]', 'null']) : JSON.stringify(secrets(random))],
      ['uploaded_file', { name: 'key.pfx', text: text(random) }],
      ['field_key', random.pick(['private_key', 'api_token', '__proto__'])],
      ['type_definition_key', 'sharepoint_pfx_file']
    ]
  }),
  linkCredential: (random, model) => ({
    path: { connector_id: idOf(random, model, 'connectors'), credential_id: idOf(random, model, 'credentials') },
    body: some(random, {
      name: () => text(random),
      auto_sync_options: () => random.pick([{}, { every: 1 }]),
      groups: () => random.pick([[], [3]]),
      access_type: () => random.pick(['public', 'private', 'sync'])
    })
  }),
  unlinkCredential: (random, model) => {
    const pairs = model.all('connectorCredentials')
    const pair = random.chance(0.7) && pairs.length > 0 ? random.pick(pairs) : undefined
    const connector_id = pair?.connector_id ?? idOf(random, model, 'connectors')
    return { path: { connector_id, credential_id: pair?.credential_id ?? idOf(random, model, 'credentials') } }
  },
  getConnector: (random, model) => ({ path: { connector_id: idOf(random, model, 'connectors') } }),
  getIndexingStatus: (random) => ({
    body: some(random, {
      secondary_index: () => random.chance(0.5),
      access_type_filters: () => random.pick([[], ['public'], ['private', 'sync']]),
      last_status_filters: () => random.pick([[], ['success', 'in_progress'], ['not_started']]),
      name_filter: () => random.pick(['', 'WIKI', 'slack', 'o']),
      source_to_page: () => random.pick([{}, { web: 2 }, { web: 1, slack: 0 }]),
      get_all_connectors: () => random.chance(0.5)
    })
  }),
  uploadConnectorFiles: (random) => ({
    form: random
      .some(['a.txt', 'b c.csv', 'größe.md', 'a.txt'], 1)
      .map((name) => ['files', { name, text: text(random) }])
  }),
  openUrls: (random) => ({
    body: { urls: random.some(['https://a.example/x', ' http://b.example ', 'https://c.invalid/', 'no url', ' '], 1) }
  }),
  validateTool: (random) => {
    const info = random.chance(0.8) ? { title: 'T', description: 'D' } : undefined
    const get = { operationId: text(random) || 'op', summary: 'S' }
    const servers = [{ url: 'https://a.example' }]
    return { body: { definition: { openapi: '3.0.0', info, servers, paths: { '/x': { get, put: get } } } } }
  },
  deleteTool: (random, model) => ({ path: { tool_id: idOf(random, model, 'tools') } }),
  listProjects: () => ({}),
  getProjectDetails: (random, model) => ({ path: { project_id: idOf(random, model, 'projects') } }),
  setProjectInstructions: (random, model) => ({
    path: { project_id: idOf(random, model, 'projects') },
    body: { instructions: text(random) }
  }),
  linkFile: (random, model) => {
    // A project and a file of one user, often enough.
    const project = idOf(random, model, 'projects')
    const owner = model.find('projects', project)?.user_id
    const files = model.all('userFiles', (it) => it.user_id === owner)
    const file_id = files.length > 0 && random.chance(0.8) ? random.pick(files).id : idOf(random, model, 'userFiles')
    return { path: { project_id: project, file_id } }
  },
  getFile: (random, model) => ({ path: { file_id: idOf(random, model, 'userFiles') } }),
  deleteFile: (random, model) => ({ path: { file_id: idOf(random, model, 'userFiles') } }),
  inviteUsers: (random) => {
    const emails = random.some(['new@example.com', 'NEW@Example.com', 'old0@example.com', 'other@example.org'], 0)
    return { body: { emails: random.chance(0.2) ? [...emails, 'no address'] : emails } }
  },
  deleteUser: (random, model) => {
    const email = random.pick(model.all('users')).email
    return { body: { user_email: random.pick([email, email.toUpperCase(), 'nobody@example.com']) } }
  },
  getUserRole: () => ({}),
  deleteTokenRateLimit: (random, model) => ({ path: { token_rate_limit_id: idOf(random, model, 'tokenRateLimits') } })
}

export const operations = Object.keys(makers)

/** Mostly users with permission, and others who are refused. */
function caller(random: Random): string | null {
  const [may, other] = [
    random.pick(['admin', 'admin', 'curator', 'basic']),
    random.pick(['grace', 'piet', 'nobody', null])
  ]
  return random.chance(0.9) ? may : other
}

/** The id of an existing row, sometimes of a deleted one, sometimes of none. */
function idOf(random: Random, model: Model, name: Name): Id {
  const present = [...model.tables[name].keys()]
  const gone = model.gone[name]
  if (gone.length > 0 && random.chance(0.12)) return random.pick(gone)
  if (present.length > 0 && random.chance(0.9)) return random.pick(present)
  const isNumber = typeof (present[0] ?? gone[0] ?? 0) === 'number'
  return isNumber ? random.pick([-1, 4711, 2 ** 31]) : `5f0c9c1e-0f5e-4b5f-9c55-0d6f6f6c9a${random.int(10, 99)}`
}

function patch(random: Random, model: Model): object {
  const ids = (name: Name) => random.some([idOf(random, model, name), idOf(random, model, name)], 0)
  const flag = () => random.chance(0.5)
  const words = () => text(random)
  return some(random, {
    name: words,
    description: words,
    system_prompt: words,
    icon_name: words,
    num_chunks: () => random.pick([0, 12]),
    display_priority: () => -3,
    is_public: flag,
    datetime_aware: flag,
    is_default_persona: flag,
    starter_messages: () => random.pick([[], [{ name: 'a', message: 'b' }]]),
    groups: () => random.pick([[], [2, 2]]),
    users: () => ids('users'),
    tool_ids: () => ids('tools'),
    label_ids: () => ids('labels'),
    document_set_ids: () => ids('documentSets'),
    user_file_ids: () => ids('userFiles'),
    remove_image: flag,
    uploaded_image_id: () => 'image-1',
    search_start_date: () => '2026-01-01T00:00:00.000Z'
  })
}

function secrets(random: Random): object {
  return some(random, {
    api_token: () => random.pick(['short', 'exactly14chars', 'a token that is long']),
    wiki_base: () => 'https://wiki.example.com',
    nested: () => ({ list: [1, 'a token that is long', null, true], cloud_id: 'plain' }),
    constructor: () => 7
  })
}

function text(random: Random): string {
  return random.some(words, 0).join(' ')
}

/** Some of these fields. */
// biome-ignore lint/suspicious/noExplicitAny: fields of every type
function some(random: Random, fields: Record<string, () => unknown>): Record<string, any> {
  const entries = Object.entries(fields)
  const share = random.pick([0.15, 0.5])
  return Object.fromEntries(entries.filter(() => random.chance(share)).map(([name, value]) => [name, value()]))
}

/** The call with one mistake. */
function spoiled(call: Call, random: Random): Call {
  const [parameter] = Object.keys(call.path)
  if (parameter && random.chance(0.5)) {
    return { ...call, path: { ...call.path, [parameter]: 'no-id' }, wrong: ['path', parameter] }
  }
  if (call.form) return { ...call, form: [], wrong: ['body'] }
  if (call.body === undefined) return call
  const fields = Object.keys(call.body as object)
  if (fields.length > 0 && random.chance(0.4)) {
    const field = random.pick(fields)
    return { ...call, body: { ...(call.body as object), [field]: null }, wrong: ['body', field] }
  }
  if (random.chance(0.5)) return { ...call, malformed: JSON.stringify(call.body).slice(0, -1) }
  return { ...call, body: random.pick([[], 'text', 7, null, [call.body]]), wrong: ['body'] }
}
