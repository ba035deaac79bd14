import type { Check } from '../../../src/tools/verify/results.js'
import type { Mutant } from './mutant.js'
import { type Asked, operationOf, operations, type Reply } from './server.js'

type Alter = (asked: Asked, reply: Reply, memory: Map<string, unknown>) => Promise<Reply> | Reply
type Instead = (asked: Asked, memory: Map<string, unknown>) => Promise<Reply> | Reply

/** A fault in what an operation answers. `also`: other operations to verify with it, and to alter. */
function replies(operation: string, name: string, check: Check, alter: Alter, also: string[] = []): Mutant {
  const concerned = new Set([operation, ...also])
  return mutant(operation, name, check, [operation, ...also], async (asked, memory) => {
    const reply = await asked.pass()
    return concerned.has(asked.operation ?? '') ? alter(asked, reply, memory) : reply
  })
}

/** A fault in what an operation does. */
function does(operation: string, name: string, check: Check, instead: Instead, also: string[] = []): Mutant {
  return mutant(operation, name, check, [operation, ...also], (asked, memory) =>
    asked.operation === operation ? instead(asked, memory) : asked.pass()
  )
}

function mutant(operation: string, name: string, check: Check, verified: string[], answer: Instead): Mutant {
  return {
    name: `${operation} ${name}`,
    operations: verified.join(),
    check,
    fault: () => {
      const memory = new Map<string, unknown>()
      return (asked) => answer(asked, memory)
    }
  }
}

const isGood = ({ status }: Reply) => status < 300
const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body
})
const ids = [...operations.keys()]

/** Every operation with another status for its success. */
const statuses = ids.map((id) =>
  replies(id, 'succeeds with 201', 'status_code_conformance', (_, reply) =>
    isGood(reply) ? { ...reply, status: 201 } : reply
  )
)

/** Every other operation with another media type for its success. */
const mediaTypes = ids
  .filter((_, index) => index % 2 === 0)
  .map((id) =>
    replies(id, 'comes as text/plain', 'content_type_conformance', (_, reply) => {
      if (isGood(reply)) reply.headers['content-type'] = 'text/plain'
      return reply
    })
  )

// biome-ignore lint/suspicious/noExplicitAny: items of every shape
type Item = any
const items = (reply: Reply, alter: (item: Item) => void): Reply => {
  for (const item of reply.body?.detail ?? []) alter(item)
  return reply
}

const wrong422: [string, Check, (reply: Reply) => Reply][] = [
  ['answers bad input with 500', 'not_a_server_error', () => json(500, { detail: 'Internal Server Error' })],
  ['answers bad input with 400', 'negative_data_rejection', (reply) => ({ ...reply, status: 400 })],
  ['points with the wrong place', 'validation_error_loc', (reply) => items(reply, (item) => (item.loc[0] = 'header'))],
  ['points at the body alone', 'validation_error_loc', (reply) => items(reply, (item) => (item.loc = ['body']))],
  ['says what is wrong in a text', 'response_schema_conformance', () => json(422, { detail: 'Invalid' })],
  ['leaves out msg', 'response_schema_conformance', (reply) => items(reply, (item) => delete item.msg)],
  [
    'has a loc that is a text',
    'response_schema_conformance',
    (reply) => items(reply, (item) => (item.loc = item.loc.join('.')))
  ],
  ['has no item', 'response_schema_conformance', () => json(422, { detail: [] })],
  ['names the items errors', 'response_schema_conformance', (reply) => json(422, { errors: reply.body.detail })]
]

/** Every operation with input, with one thing wrong about its 422. */
const invalid = ids
  .filter((id) => Object.keys(operationOf(id).input).length > 0)
  .map((id, index) => {
    const [name, check, alter] = wrong422[index % wrong422.length] as (typeof wrong422)[number]
    return replies(id, name, check, (_, reply) => (reply.status === 422 ? alter(reply) : reply))
  })

/** Operations that do not look at the token. */
const open = [
  'getPersona',
  'createChatSession',
  'listProjects',
  'deleteFile',
  'inviteUsers',
  'getUserRole',
  'openUrls'
].map((id) =>
  does(id, 'needs no token', 'ignored_auth', (asked) =>
    /^Bearer \S/.test(asked.headers.authorization ?? '')
      ? asked.pass()
      : asked.pass({ headers: { authorization: 'Bearer admin' } })
  )
)

const others: Mutant[] = [
  does('listChatSessions', 'takes any token', 'ignored_auth', (asked) =>
    asked.headers.authorization ? asked.pass({ headers: { authorization: 'Bearer admin' } }) : asked.pass()
  ),
  ...['listCredentials', 'deleteUser', 'validateTool'].map((id) =>
    does(
      id,
      'is open to everybody',
      'admin_only',
      (asked) =>
        asked.headers.authorization === 'Bearer basic'
          ? asked.pass({ headers: { authorization: 'Bearer admin' } })
          : asked.pass(),
      ['getIndexingStatus', 'inviteUsers', 'deleteTokenRateLimit', 'listCredentials']
    )
  ),

  // Chat
  replies(
    'createChatSession',
    'leaves ctx out of a 422',
    'response_schema_conformance',
    (_, reply) => (reply.status === 422 ? items(reply, (item) => delete item.ctx) : reply),
    ['openUrls']
  ),
  replies(
    'listChatSessions',
    'keeps deleted sessions',
    'use_after_free',
    (asked, reply, memory) => {
      if (asked.operation === 'listChatSessions') {
        const before = (memory.get('sessions') ?? []) as { id: string }[]
        const now = (reply.body?.sessions ?? []) as { id: string }[]
        const lost = before.filter((it) => !now.some(({ id }) => id === it.id))
        if (isGood(reply)) reply.body.sessions = [...now, ...lost]
        memory.set('sessions', [...new Map([...before, ...now].map((it) => [it.id, it])).values()])
      }
      return reply
    },
    ['deleteChatSession']
  ),
  replies('searchChats', 'finds deleted sessions', 'use_after_free', (_, reply, memory) => {
    const found = (reply.body?.groups ?? []) as { chats: unknown[] }[]
    if (found.length > 0) memory.set('groups', found)
    else if (reply.body?.groups) reply.body.groups = memory.get('groups') ?? []
    return reply
  }),
  does('deleteChatSession', 'succeeds on what is gone', 'use_after_free', async (asked) => {
    const reply = await asked.pass()
    return reply.status === 404 && !/dead$/.test(asked.url) ? json(200, null) : reply
  }),
  does(
    'deleteChatSession',
    'deletes nothing',
    'use_after_free',
    (asked) =>
      asked.headers.authorization === 'Bearer admin' && !/not-a|dead|2d1f3c58/.test(asked.url)
        ? json(200, null)
        : asked.pass(),
    ['listChatSessions', 'searchChats']
  ),
  does(
    'createChatSession',
    'stores no session',
    'ensure_resource_availability',
    async (asked) => {
      const reply = await asked.pass()
      if (isGood(reply)) reply.body.chat_session_id = '3c59dc04-8e88-4024-b4e8-7a3f6a5c1d2e'
      return reply
    },
    ['listChatSessions']
  ),
  replies('listChatSessions', 'repeats a row', 'unique_rows', (_, reply) => {
    if (reply.body?.sessions?.length) reply.body.sessions.push(reply.body.sessions[0])
    return reply
  }),
  replies('listChatSessions', 'ignores before', 'paging_consistent', (asked) => {
    const url = asked.url.replace(/[?&]before=[^&]*/, '')
    return asked.pass({ url })
  }),
  replies('searchChats', 'repeats the last row of a page on the next', 'paging_consistent', (asked, reply, memory) => {
    const groups = reply.body?.groups ?? []
    if (groups[0] && Number(asked.query.get('page')) > 1) groups[0].chats[0] = memory.get('last')
    memory.set('last', groups.at(-1)?.chats.at(-1))
    return reply
  }),
  replies('searchChats', 'drops a row between pages', 'paging_consistent', (asked, reply) => {
    if (asked.query.get('page') === '2') reply.body?.groups?.[0]?.chats.shift()
    return reply
  }),
  replies('searchChats', 'says that there is no more', 'paging_consistent', (_, reply) => {
    if (reply.body?.groups) Object.assign(reply.body, { has_more: false, next_page: null })
    return reply
  }),
  replies('searchChats', 'names the same page as the next', 'paging_consistent', (_, reply) => {
    if (reply.body?.next_page) reply.body.next_page--
    return reply
  }),
  does('searchChats', 'ignores the query', 'filter_respected', (asked) =>
    asked.pass({ url: asked.url.replace(/query=[^&]*&?/, '') })
  ),
  does('searchChats', 'fails on texts beyond ASCII', 'not_a_server_error', (asked) =>
    /[^\x20-\x7e]/.test(asked.query.get('query') ?? '') ? json(500, { detail: 'codec' }) : asked.pass()
  ),

  // Agents
  does('getPersona', 'answers any id with the same agent', 'unknown_id_refused', (asked) =>
    /\/\d+$/.test(asked.url) ? asked.pass({ url: '/api/persona/1' }) : asked.pass()
  ),
  does(
    'deletePersona',
    'leaves the agent readable',
    'use_after_free',
    (asked, memory) => {
      if (asked.headers.authorization !== 'Bearer admin' || !asked.url.endsWith('/1')) return asked.pass()
      if (memory.has('gone')) return json(404, { detail: 'gone' })
      memory.set('gone', true)
      return json(200, null)
    },
    ['getPersona']
  ),
  does('updatePersona', 'stores no name', 'values_read_back', (asked) => {
    const { name: _name, ...body } = asked.body ?? {}
    return asked.body?.name && typeof asked.body.name === 'string' ? asked.pass({ body }) : asked.pass()
  }),
  does('updatePersona', 'loses starter messages', 'values_read_back', (asked) =>
    Array.isArray(asked.body?.starter_messages) && asked.body.starter_messages[0]?.name === 'Hello'
      ? asked.pass({ body: { ...asked.body, starter_messages: [] } })
      : asked.pass()
  ),
  replies('updatePersona', 'answers the agent as it was', 'values_read_back', (_, reply, memory) => {
    const told = memory.get('agent')
    if (isGood(reply)) memory.set('agent', reply.body)
    return isGood(reply) && told ? { ...reply, body: told } : reply
  }),
  does('updatePersona', 'clears the description when it is left out', 'values_read_back', (asked) =>
    asked.body?.name && asked.body.description === undefined
      ? asked.pass({ body: { ...asked.body, description: 'none' } })
      : asked.pass()
  ),

  // Credentials
  does('createCredential', 'forgets the name', 'values_read_back', (asked) =>
    typeof asked.body?.name === 'string' ? asked.pass({ body: { ...asked.body, name: 'Credential' } }) : asked.pass()
  ),
  replies('getCredential', 'shows another credential', 'values_read_back', (_, reply) => {
    if (reply.body?.id) reply.body.id++
    return reply
  }),
  does(
    'getCredential',
    'does not find what is listed',
    'ensure_resource_availability',
    async (asked) => {
      const reply = await asked.pass()
      return reply.body?.id ? json(200, { success: false, message: 'none', data: reply.body.id }) : reply
    },
    ['listCredentials']
  ),
  replies('listCredentials', 'repeats a row', 'unique_rows', (_, reply) => {
    if (Array.isArray(reply.body) && reply.body.length) reply.body.push(reply.body[0])
    return reply
  }),
  replies('listCredentials', 'leaves new ones out', 'ensure_resource_availability', (_, reply) => {
    if (Array.isArray(reply.body))
      reply.body = reply.body.filter(({ name }: { name?: string }) => !name?.startsWith('kcm'))
    return reply
  }),
  does('listSimilarCredentials', 'ignores the source', 'filter_respected', async (asked) =>
    /credentials\/(web|file|imap)$/.test(asked.url) ? asked.pass({ url: '/api/manage/admin/credential' }) : asked.pass()
  ),
  replies('replacePrivateKey', 'loses the key', 'values_read_back', (_, reply) => {
    if (isGood(reply)) delete reply.body.credential_json.private_key
    return reply
  }),
  does('getCredential', "shows another user's", 'other_users_rows_hidden', (asked) =>
    asked.headers.authorization === 'Bearer basic'
      ? asked.pass({ headers: { authorization: 'Bearer admin' } })
      : asked.pass()
  ),

  // Associations
  replies(
    'linkCredential',
    'associates twice',
    'association_idempotence',
    (asked, reply, memory) => {
      const key = asked.params.credential_id ?? ''
      if (asked.operation === 'linkCredential' && isGood(reply)) memory.set(key, Number(memory.get(key) ?? 0) + 1)
      if (asked.operation === 'unlinkCredential') memory.delete(key)
      for (const id of [...(reply.body?.credential_ids ?? [])]) {
        for (let n = 1; n < Number(memory.get(String(id)) ?? 1); n++) reply.body.credential_ids.push(id)
      }
      return reply
    },
    ['getConnector', 'unlinkCredential']
  ),
  {
    name: 'linkCredential associates twice where two requests come at the same time',
    operations: 'linkCredential',
    check: 'association_idempotence',
    fault: () => {
      const running = new Map<string, number>()
      const twice = new Set<string>()
      return async (asked) => {
        const key = asked.params.credential_id ?? ''
        if (asked.operation !== 'linkCredential') {
          const reply = await asked.pass()
          for (const id of [...(reply.body?.credential_ids ?? [])])
            if (twice.has(String(id))) reply.body.credential_ids.push(id)
          return reply
        }
        running.set(key, (running.get(key) ?? 0) + 1)
        if ((running.get(key) ?? 0) > 1 && Number(key) < 1e9) twice.add(key)
        const reply = await asked.pass()
        running.set(key, (running.get(key) ?? 1) - 1)
        return reply
      }
    }
  },
  replies('linkCredential', 'tells several that they made it', 'association_idempotence', (_, reply, memory) => {
    if (reply.body?.success === false && memory.get('times') !== 3) {
      memory.set('times', Number(memory.get('times') ?? 0) + 1)
      reply.body.success = true
    }
    return reply
  }),
  does('linkCredential', 'associates nothing', 'ensure_resource_availability', async (asked) => {
    const reply = await asked.pass()
    if (reply.body?.success) await asked.pass({ method: 'DELETE' })
    return reply
  }),
  does('unlinkCredential', 'leaves the association', 'use_after_free', (asked) =>
    Number(asked.params.credential_id) < 1e9 && asked.headers.authorization === 'Bearer admin'
      ? json(200, { success: true, message: 'Removed', data: 1 })
      : asked.pass()
  ),
  does('getConnector', 'fails on an id that does not exist', 'not_a_server_error', async (asked) => {
    const reply = await asked.pass()
    return reply.body?.success === false ? json(500, { detail: 'None' }) : reply
  }),

  // Indexing
  does('getIndexingStatus', 'shows the same page again', 'paging_consistent', (asked) =>
    Object.values(asked.body?.source_to_page ?? {}).some((page) => page === 2) ? asked.pass({ body: {} }) : asked.pass()
  ),
  replies('getIndexingStatus', 'counts wrong', 'paging_consistent', (_, reply) => {
    for (const { summary } of Array.isArray(reply.body) ? reply.body : []) if (summary) summary.total_connectors++
    return reply
  }),
  ...['access_type_filters', 'last_status_filters', 'name_filter'].map((filter) =>
    does('getIndexingStatus', `ignores ${filter}`, 'filter_respected', (asked) => {
      const { [filter]: given, ...body } = asked.body ?? {}
      const isValid = Array.isArray(given)
        ? given.every((it) => /^[a-z_]+$/.test(it) && it !== 'zz')
        : typeof given === 'string'
      return given !== undefined && isValid ? asked.pass({ body }) : asked.pass()
    })
  ),
  replies('getIndexingStatus', 'mixes sources', 'filter_respected', (_, reply) => {
    const groups = Array.isArray(reply.body) ? reply.body : []
    if (groups.length > 1 && groups[0].indexing_statuses) groups[0].source = 'mock_connector'
    return reply
  }),
  replies('getIndexingStatus', 'repeats a connector', 'unique_rows', (_, reply) => {
    for (const { indexing_statuses: items } of Array.isArray(reply.body) ? reply.body : []) {
      if (items?.length > 1) items[0] = items.at(-1)
    }
    return reply
  }),

  // Uploads, web, tools
  replies('uploadConnectorFiles', 'loses a name', 'values_read_back', (_, reply) => {
    if (isGood(reply)) reply.body.file_names.pop()
    return reply
  }),
  replies('uploadConnectorFiles', 'gives files one path', 'unique_rows', (_, reply) => {
    if (isGood(reply)) reply.body.file_paths = reply.body.file_paths.map(() => 'upload')
    return reply
  }),
  replies('openUrls', 'has more pages than it was asked for', 'filter_respected', (_, reply) => {
    if (isGood(reply)) reply.body.results.push(...reply.body.results)
    return reply
  }),
  does('openUrls', 'takes no URL at all', 'negative_data_rejection', async (asked) => {
    const isEmpty = Array.isArray(asked.body?.urls) && asked.body.urls.length === 0
    return isEmpty ? json(200, { results: [], provider_type: 'service_web_crawler' }) : asked.pass()
  }),
  replies('validateTool', 'finds no method', 'values_read_back', (_, reply) => {
    if (isGood(reply)) reply.body.methods = []
    return reply
  }),
  replies('validateTool', 'lists the first method of a path only', 'values_read_back', (_, reply) => {
    if (isGood(reply)) {
      const paths = new Set()
      reply.body.methods = reply.body.methods.filter(
        ({ path }: { path: string }) => !paths.has(path) && paths.add(path)
      )
    }
    return reply
  }),
  does('validateTool', 'takes a text that is not JSON', 'media_type_rejection', (asked) =>
    /^text/.test(asked.headers['content-type'] ?? '') ? json(200, { methods: [] }) : asked.pass()
  ),
  does('openUrls', 'fails on malformed JSON', 'not_a_server_error', (asked) =>
    asked.bytes.length > 0 && asked.body === undefined ? json(500, { detail: 'Unexpected end' }) : asked.pass()
  ),
  does('setProjectInstructions', 'takes malformed JSON for an empty body', 'negative_data_rejection', (asked) =>
    asked.bytes.length > 0 && asked.body === undefined ? json(200, { instructions: '' }) : asked.pass()
  ),
  does('deleteTool', 'deletes nothing', 'use_after_free', (asked) =>
    asked.url.endsWith('/7') && asked.headers.authorization === 'Bearer admin' ? json(200, null) : asked.pass()
  ),
  does('deleteTokenRateLimit', 'deletes nothing', 'use_after_free', (asked) =>
    asked.url.endsWith('/1') && asked.headers.authorization === 'Bearer admin' ? json(200, null) : asked.pass()
  ),
  does('deleteUser', 'deletes nothing', 'use_after_free', (asked) =>
    asked.body?.user_email === 'grace@example.com' && asked.headers.authorization === 'Bearer admin'
      ? json(200, null)
      : asked.pass()
  ),

  // Projects and files
  replies('listProjects', 'repeats a row', 'unique_rows', (_, reply) => {
    if (Array.isArray(reply.body) && reply.body.length) reply.body.push(reply.body[0])
    return reply
  }),
  replies('getProjectDetails', 'shows another name than the list', 'values_read_back', (_, reply) => {
    if (reply.body?.project) reply.body.project.name += ' '
    return reply
  }),
  replies('getProjectDetails', 'lacks sessions of the project', 'ensure_resource_availability', (_, reply) => {
    if (reply.body?.project) reply.body.project.chat_sessions = []
    return reply
  }),
  does('setProjectInstructions', 'stores nothing', 'instructions_read_back', (asked) =>
    typeof asked.body?.instructions === 'string' && asked.params.project_id === '1'
      ? json(200, { instructions: asked.body.instructions })
      : asked.pass()
  ),
  does('setProjectInstructions', 'trims lines', 'instructions_read_back', (asked) =>
    typeof asked.body?.instructions === 'string'
      ? asked.pass({ body: { instructions: asked.body.instructions.slice(0, 20) } })
      : asked.pass()
  ),
  replies(
    'linkFile',
    'links twice',
    'association_idempotence',
    (asked, reply, memory) => {
      const key = asked.params.file_id ?? ''
      if (asked.operation === 'linkFile' && isGood(reply)) memory.set(key, Number(memory.get(key) ?? 0) + 1)
      if (reply.body?.files) {
        const again = reply.body.files.filter(({ id }: { id: string }) => Number(memory.get(id) ?? 0) > 1)
        reply.body.files.push(...again)
      }
      return reply
    },
    ['getProjectDetails']
  ),
  replies('linkFile', 'answers another file', 'values_read_back', (_, reply) =>
    isGood(reply) ? { ...reply, body: { ...reply.body, id: '3c59dc04-8e88-4024-b4e8-7a3f6a5c1d2e' } } : reply
  ),
  ...['FAILED', 'PROCESSING', 'CANCELED'].map((status) =>
    does('getFile', `hides files that are ${status}`, 'file_readable_in_any_status', async (asked) => {
      const reply = await asked.pass()
      return reply.body?.status === status ? json(404, { detail: 'File not found' }) : reply
    })
  ),
  replies(
    'deleteFile',
    'leaves the link',
    'file_delete_unlinks',
    (asked, reply, memory) => {
      if (reply.body?.files && asked.params.project_id === '1') {
        const before = (memory.get('files') ?? []) as { id: string }[]
        const now = reply.body.files as { id: string }[]
        reply.body.files = [...now, ...before.filter((it) => !now.some(({ id }) => id === it.id))]
        memory.set('files', reply.body.files)
      }
      return reply
    },
    ['getProjectDetails']
  ),
  replies('deleteFile', 'says that there are projects, and not which', 'file_delete_unlinks', (_, reply) =>
    isGood(reply) ? json(200, { has_associations: true, project_names: [], assistant_names: [] }) : reply
  ),
  replies(
    'getFile',
    'shows a deleted file as it was',
    'use_after_free',
    (_, reply) => {
      if (reply.body?.status === 'DELETING') reply.body.status = 'COMPLETED'
      return reply
    },
    ['deleteFile']
  ),
  does('getProjectDetails', "shows another user's project", 'other_users_rows_hidden', async (asked) => {
    const reply = await asked.pass()
    return reply.status === 404 && asked.headers.authorization === 'Bearer basic'
      ? asked.pass({ headers: { authorization: 'Bearer admin' } })
      : reply
  }),
  does('getFile', "shows another user's file", 'other_users_rows_hidden', async (asked) => {
    const reply = await asked.pass()
    return reply.status === 404 && asked.headers.authorization === 'Bearer basic'
      ? asked.pass({ headers: { authorization: 'Bearer admin' } })
      : reply
  }),
  does('listProjects', "lists everybody's projects", 'other_users_rows_hidden', async (asked) => {
    const own = await asked.pass()
    const admin = await asked.pass({ headers: { authorization: 'Bearer admin' } })
    return isGood(own) && asked.headers.authorization === 'Bearer basic' ? json(200, [...own.body, ...admin.body]) : own
  }),
  does('listChatSessions', "lists another user's sessions", 'other_users_rows_hidden', async (asked) => {
    const own = await asked.pass()
    if (!isGood(own) || asked.headers.authorization !== 'Bearer admin') return own
    const basic = await asked.pass({ headers: { authorization: 'Bearer basic' } })
    return json(200, { sessions: [...own.body.sessions, ...basic.body.sessions] })
  }),
  does('searchChats', "finds another user's sessions", 'other_users_rows_hidden', async (asked) => {
    const own = await asked.pass()
    if (!isGood(own) || asked.headers.authorization !== 'Bearer admin' || own.body.groups.length > 0) return own
    return asked.pass({ headers: { authorization: 'Bearer basic' } })
  }),
  does('deleteChatSession', "deletes another user's session", 'other_users_rows_hidden', async (asked) => {
    const own = await asked.pass()
    if (own.status !== 404 || asked.headers.authorization !== 'Bearer admin') return own
    return asked.pass({ headers: { authorization: 'Bearer basic' } })
  }),

  // Users
  does('inviteUsers', 'invites the good half', 'bulk_invite_all_or_nothing', async (asked) => {
    const reply = await asked.pass()
    const good = (asked.body?.emails ?? []).filter?.((it: unknown) => /^kcm\S+@example\.com$/.test(String(it)))
    if (reply.status === 400 && good?.length) await asked.pass({ body: { emails: good } })
    return reply
  }),
  does('inviteUsers', 'leaves bad addresses out', 'bulk_invite_all_or_nothing', async (asked) => {
    const reply = await asked.pass()
    const good = (asked.body?.emails ?? []).filter?.((it: unknown) => /^kcm\S+@example\.com$/.test(String(it)))
    return reply.status === 400 ? asked.pass({ body: { emails: good } }) : reply
  }),
  does('inviteUsers', 'invites up to the bad one', 'bulk_invite_all_or_nothing', async (asked) => {
    const reply = await asked.pass()
    const first = asked.body?.emails?.[0]
    if (reply.status === 400 && /^kcm\S+@example\.com$/.test(String(first)))
      await asked.pass({ body: { emails: [first] } })
    return reply
  }),

  // What a client sees only with a second look
  does('getUserRole', 'takes the good token in any scheme', 'ignored_auth', (asked) =>
    asked.headers.authorization === 'Basic admin'
      ? asked.pass({ headers: { authorization: 'Bearer admin' } })
      : asked.pass()
  ),
  does('listProjects', 'takes the token from the query', 'ignored_auth', (asked) =>
    asked.query.has('access_token') ? asked.pass({ headers: { authorization: 'Bearer admin' } }) : asked.pass()
  ),
  replies(
    'getUserRole',
    'says admin to everybody',
    'admin_only',
    (asked, reply) => {
      if (asked.operation === 'getUserRole' && isGood(reply)) reply.body.role = 'admin'
      return reply
    },
    ['listCredentials']
  ),
  does('getFile', 'leads to another host', 'redirect_stays', async (asked) => {
    const reply = await asked.pass()
    return isGood(reply) ? { ...reply, status: 307, headers: { location: 'http://elsewhere.example.com/' } } : reply
  }),
  replies('listProjects', 'shows a password', 'secrets_hidden', (_, reply) => {
    if (Array.isArray(reply.body)) for (const row of reply.body) row.hashed_password = 'x1'
    return reply
  }),
  replies('searchChats', 'shows time_updated', 'response_schema_conformance', (_, reply) => {
    for (const { chats } of reply.body?.groups ?? []) for (const chat of chats) chat.time_updated = chat.time_created
    return reply
  }),
  does('updatePersona', 'ignores users', 'values_read_back', (asked) => {
    const { users, ...body } = asked.body ?? {}
    return Array.isArray(users) && users.every((it) => /-.*-.*-.*-/.test(it)) ? asked.pass({ body }) : asked.pass()
  }),
  does('createCredential', 'takes every source for web', 'values_read_back', (asked) =>
    asked.body?.source === 'imap' ? asked.pass({ body: { ...asked.body, source: 'web' } }) : asked.pass()
  ),
  does('setProjectInstructions', 'writes every project', 'others_untouched', async (asked) => {
    const reply = await asked.pass()
    if (!isGood(reply)) return reply
    for (const id of [1, 2, 3]) await asked.pass({ url: `/api/user/projects/${id}/instructions` })
    return reply
  }),
  does('setProjectInstructions', "writes another user's", 'other_users_rows_hidden', (asked) =>
    asked.headers.authorization === 'Bearer basic'
      ? asked.pass({ headers: { authorization: 'Bearer admin' } })
      : asked.pass()
  ),
  does('deleteFile', "deletes another user's", 'other_users_rows_hidden', (asked) =>
    asked.headers.authorization === 'Bearer basic'
      ? asked.pass({ headers: { authorization: 'Bearer admin' } })
      : asked.pass()
  ),

  // Any
  ...['getUserRole', 'inviteUsers', 'listChatSessions'].map((id) =>
    mutant(id, 'serves a method that it does not have', 'unsupported_method', [id], (asked) =>
      asked.operation === undefined && asked.url.startsWith(operationOf(id).path) && asked.method !== 'HEAD'
        ? json(200, {})
        : asked.pass()
    )
  ),
  replies('getUserRole', 'answers no JSON', 'response_schema_conformance', (asked, reply) =>
    isGood(reply) && asked.method === 'GET' ? { ...reply, text: '{"role":' } : reply
  ),
  replies('listProjects', 'answers nothing', 'response_schema_conformance', (_, reply) =>
    isGood(reply) ? { ...reply, text: '' } : reply
  ),
  replies('getUserRole', 'takes a role for a number', 'response_schema_conformance', (_, reply) =>
    isGood(reply) ? json(200, { role: 3 }) : reply
  ),
  does('createCredential', 'refuses names beyond ASCII', 'positive_data_acceptance', (asked) =>
    /[^\x20-\x7e\n\t]/.test(String(asked.body?.name))
      ? json(422, { detail: [{ type: 'string_type', loc: ['body', 'name'], msg: 'ASCII only' }] })
      : asked.pass()
  ),
  ...[
    ['without a name', (body: Item) => body.name === undefined] as const,
    ['with an empty key', (body: Item) => JSON.stringify(body.credential_json) === '{}'] as const
  ].map(([what, isIt]) =>
    does('createCredential', `fails ${what}`, 'not_a_server_error', async (asked) => {
      const reply = await asked.pass()
      return isGood(reply) && isIt(asked.body) ? json(500, { detail: 'Internal Server Error' }) : reply
    })
  ),
  does('inviteUsers', 'fails when an address comes twice', 'not_a_server_error', async (asked) => {
    const reply = await asked.pass()
    const { length = 0 } = asked.body?.emails ?? []
    return isGood(reply) && new Set(asked.body.emails).size < length ? json(500, { detail: 'duplicate key' }) : reply
  }),
  does('inviteUsers', 'refuses capitals', 'positive_data_acceptance', (asked) =>
    asked.body?.emails?.some?.((it: unknown) => /[A-Z]\w*@/.test(`${it}`))
      ? json(400, { detail: 'not an email address' })
      : asked.pass()
  ),
  does('setProjectInstructions', 'takes 0 for nothing', 'instructions_read_back', (asked) =>
    asked.body?.instructions === '0' ? asked.pass({ body: { instructions: '' } }) : asked.pass()
  ),
  does('updatePersona', 'stores equal starter messages once', 'values_read_back', (asked) => {
    const { starter_messages: all, ...body } = asked.body ?? {}
    if (!Array.isArray(all)) return asked.pass()
    const starter_messages = [...new Set(all.map((it) => JSON.stringify(it)))].map((it) => JSON.parse(it))
    return asked.pass({ body: { ...body, starter_messages } })
  }),
  does('createCredential', 'fails on long names', 'not_a_server_error', (asked) =>
    String(asked.body?.name).length > 200
      ? json(500, { detail: 'value too long for type character varying' })
      : asked.pass()
  ),
  replies(
    'listChatSessions',
    'answers 422 of a chat operation without input',
    'response_schema_conformance',
    (_, reply) => items(reply, (item) => delete item.input)
  ),
  does('getPersona', 'takes a word for an id', 'negative_data_rejection', (asked) =>
    /persona\/seven/.test(asked.url) ? asked.pass({ url: '/api/persona/1' }) : asked.pass()
  )
]

export const behaviourMutants: Mutant[] = [...statuses, ...mediaTypes, ...invalid, ...open, ...others]
