import type { Check } from '../../../src/tools/verify/results.js'
import type { Mutant } from './mutant.js'
import type { Asked, Reply } from './server.js'

// biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies of every shape
type Body = any
type Alter = (asked: Asked, reply: Reply, memory: Map<string, Body>) => unknown

/** A fault that sees every reply, and may remember it. What it gives is answered instead. */
const fault = (operations: string, check: Check, name: string, alter: Alter): Mutant => ({
  name,
  operations,
  check,
  fault: () => {
    const memory = new Map<string, Body>()
    return async (asked) => {
      const reply = await asked.pass()
      const body = await alter(asked, reply, memory)
      return body === undefined ? reply : { ...reply, status: 200, body }
    }
  }
})

const missing = (reply: Reply) => Object.assign(reply, { status: 404, body: { detail: 'Not found' } })
const isGood = ({ status }: Reply) => status < 300
const was = (asked: Asked, reply: Reply, operation: string) => asked.operation === operation && isGood(reply)
const editable = (asked: Asked) => asked.query.get('get_editable')
const asAdmin = { authorization: 'Bearer admin' }

/** Faults that no reply shows alone: of each, the replies differ from one another. */
export const betweenCalls: Mutant[] = [
  fault('E5,E20', 'use_after_free', 'a deleted tool stays with other agents than the first', (asked, reply, memory) => {
    if (was(asked, reply, 'deleteTool')) memory.set('tool', Number(asked.params.tool_id))
    if (!was(asked, reply, 'getPersona') || asked.params.persona_id === '1' || !memory.has('tool')) return
    reply.body.tools.push({ ...(reply.body.tools[0] ?? {}), id: memory.get('tool') })
  }),
  fault('E7', 'others_untouched', 'the files of an agent are deleted with it', (asked, reply, memory) => {
    if (was(asked, reply, 'updatePersona')) memory.set('files', reply.body.user_file_ids)
    if (was(asked, reply, 'deletePersona')) memory.set('deleted', memory.get('files') ?? [])
    if (asked.operation === 'getFile' && memory.get('deleted')?.includes(asked.params.file_id)) missing(reply)
  }),
  fault('E26', 'others_untouched', 'another file of the type is deleted, too', (asked, reply, memory) => {
    const id = asked.params.file_id
    if (was(asked, reply, 'getFile')) memory.set(`type ${id}`, reply.body.file_type)
    if (was(asked, reply, 'deleteFile')) memory.set('type', memory.get(`type ${id}`))
    const isOne = asked.operation === 'getFile' && memory.has('type') && memory.get(`type ${id}`) === memory.get('type')
    if (isOne) missing(reply)
  }),
  fault('E24', 'not_a_server_error', 'a file that is FAILED cannot be linked', (asked, reply, memory) => {
    if (was(asked, reply, 'getFile')) memory.set(`${asked.params.file_id}`, reply.body.status)
    if (was(asked, reply, 'linkFile') && memory.get(`${asked.params.file_id}`) === 'FAILED') reply.status = 500
  }),
  fault('E8,E10', 'ensure_resource_availability', 'credentials without a name are not listed', (asked, reply) => {
    return was(asked, reply, 'listCredentials') ? reply.body.filter(({ name }: Body) => name) : undefined
  }),
  fault('E21,E22', 'other_users_rows_hidden', 'a list is kept for all users', (asked, reply, memory) => {
    if (!was(asked, reply, 'listProjects')) return undefined
    if (!memory.has('list')) memory.set('list', reply.body)
    return memory.get('list')
  }),
  fault('E5,E6', 'values_read_back', 'an agent is kept as it was first read', (asked, reply, memory) => {
    if (!was(asked, reply, 'getPersona')) return undefined
    const key = `${asked.url} ${asked.headers.authorization}`
    if (!memory.has(key)) memory.set(key, reply.body)
    return memory.get(key)
  }),
  fault('E22,E25', 'values_read_back', 'a file has another status alone than in its project', (asked, reply) => {
    if (was(asked, reply, 'getFile') && reply.body.status === 'COMPLETED') reply.body.status = 'PROCESSING'
  }),
  fault('E8,E9', 'others_untouched', 'a credential is made anew by each read', (asked, reply, memory) => {
    if (!was(asked, reply, 'getCredential') || !('time_created' in reply.body)) return
    memory.set('reads', (memory.get('reads') ?? 0) + 1)
    reply.body.time_created = new Date(Date.parse('2026-01-01') + memory.get('reads') * 1000).toISOString()
  }),
  fault('E2', 'others_untouched', 'chat sessions were made at another time in each list', (asked, reply, memory) => {
    if (!was(asked, reply, 'listChatSessions')) return
    memory.set('lists', (memory.get('lists') ?? 0) + 1)
    for (const session of reply.body.sessions) {
      session.time_created = new Date(Date.parse(session.time_created) + memory.get('lists') * 60_000).toISOString()
    }
  }),
  fault(
    'E1,E2,E4',
    'other_users_rows_hidden',
    "the second user's list has a session of the first",
    async (asked, reply) => {
      if (!was(asked, reply, 'listChatSessions') || asked.headers.authorization !== 'Bearer basic') return
      const { sessions } = (await asked.pass({ headers: asAdmin })).body
      reply.body.sessions.push(...sessions.slice(0, 1))
    }
  ),
  fault('E1,E22', 'other_users_rows_hidden', "a session goes into another user's project", async (asked, reply) => {
    const isTaken = asked.operation === 'createChatSession' && reply.status === 404 && asked.body?.project_id
    return isTaken && asked.headers.authorization === 'Bearer basic'
      ? (await asked.pass({ headers: asAdmin })).body
      : undefined
  }),
  fault(
    'E1,E4,E21,E22',
    'use_after_free',
    'a deleted session stays in the list of projects',
    (asked, reply, memory) => {
      if (!was(asked, reply, 'listProjects')) return
      for (const { id, chat_sessions } of reply.body) {
        const kept = memory.get(id) ?? new Map()
        for (const session of chat_sessions) kept.set(session.id, session)
        memory.set(id, kept)
        chat_sessions.splice(0, chat_sessions.length, ...kept.values())
      }
    }
  ),
  fault('E5,E6,E7', 'use_after_free', 'a deleted agent is changed', (asked, reply, memory) => {
    const id = asked.params.persona_id as string
    if (was(asked, reply, 'getPersona')) memory.set(id, reply.body)
    const isAdmin = asked.headers.authorization === asAdmin.authorization
    const isBack = asked.operation === 'updatePersona' && reply.status === 404 && memory.has(id)
    return isAdmin && isBack ? memory.get(id) : undefined
  }),
  fault('E22,E23', 'others_untouched', 'instructions that are refused are written', async (asked, reply) => {
    const isRefused = asked.operation === 'setProjectInstructions' && reply.status === 422
    const { instructions } = asked.body ?? {}
    const isRow = /^\d$/.test(asked.params.project_id ?? '')
    if (isRefused && isRow && instructions) await asked.pass({ body: { instructions: JSON.stringify(instructions) } })
  }),
  fault('E8,E13,E14,E15', 'others_untouched', 'a connector lists what was read of another', (asked, reply, memory) => {
    if (!was(asked, reply, 'getConnector')) return
    const { connector_id } = asked.params
    if (!memory.has('first')) memory.set('first', connector_id)
    if (memory.get('first') === connector_id) memory.set('ids', reply.body.credential_ids)
    else reply.body.credential_ids = memory.get('ids')
  }),
  fault('E11', 'filter_respected', 'with its boolean E11 lists more than without', (asked, reply) => {
    if (was(asked, reply, 'listSimilarCredentials') && editable(asked) !== 'true') reply.body = reply.body.slice(0, -1)
  }),
  fault('E11', 'negative_data_rejection', 'E11 takes any word for its boolean', async (asked, reply) =>
    asked.operation === 'listSimilarCredentials' && reply.status === 422 && editable(asked) !== null
      ? (await asked.pass({ url: asked.url.replace(/\?.*/, '') })).body
      : undefined
  ),
  fault('E6', 'not_a_server_error', 'a tool that does not exist makes E6 fail', (asked, reply) => {
    if (asked.operation !== 'updatePersona' || !asked.body?.tool_ids?.some?.((id: unknown) => Number(id) > 1000)) return
    Object.assign(reply, { status: 500, body: { detail: 'Internal Server Error' } })
  }),
  fault('E19', 'values_read_back', 'a method has the spec of another', (asked, reply) => {
    if (!was(asked, reply, 'validateTool')) return
    const specs = reply.body.methods.map(({ spec }: { spec: object }) => spec).reverse()
    for (const [index, method] of reply.body.methods.entries()) method.spec = specs[index]
  }),
  fault(
    'E1,E2,E21,E22',
    'ensure_resource_availability',
    'a session without a description is not listed',
    (asked, reply) =>
      was(asked, reply, 'listChatSessions')
        ? { ...reply.body, sessions: reply.body.sessions.filter(({ name }: Body) => name) }
        : undefined
  ),
  fault('E2', 'others_untouched', 'each list has a later time for its sessions', (asked, reply, memory) => {
    if (!was(asked, reply, 'listChatSessions')) return
    memory.set('lists', (memory.get('lists') ?? 0) + 1)
    for (const session of reply.body.sessions)
      session.time_updated = new Date(Date.parse(session.time_updated) + memory.get('lists') * 1000).toISOString()
  }),
  fault('E1,E2,E3,E4', 'filter_respected', 'a search leaves out letters with accents', async (asked, reply) =>
    was(asked, reply, 'searchChats') && asked.url.includes('%C3%A9')
      ? (await asked.pass({ url: asked.url.replaceAll('%C3%A9', '') })).body
      : undefined
  ),
  fault('E16', 'negative_data_rejection', 'any other operator is =', async (asked, reply) =>
    asked.operation === 'getIndexingStatus' && reply.status === 422 && asked.body?.docs_count_operator === '!='
      ? (await asked.pass({ body: { ...asked.body, docs_count_operator: '=' } })).body
      : undefined
  ),
  fault('E8,E10', 'values_read_back', 'each credential in a list has another address of its user', (asked, reply) => {
    if (!was(asked, reply, 'listCredentials')) return
    for (const [at, row] of reply.body.entries()) if (row.user_email) row.user_email = `${at}${row.user_email}`
  }),
  fault(
    'E5,E6,E21',
    'ensure_resource_availability',
    'an agent is hidden from a user with whom it is shared',
    (asked, reply) => {
      const isTheirs = asked.headers.authorization === 'Bearer basic' && was(asked, reply, 'getPersona')
      if (isTheirs && !reply.body.is_public) missing(reply)
    }
  ),
  fault('E5,E6', 'others_untouched', 'a flag sets the flag before it', async (asked, reply) => {
    const { llm_relevance_filter: flag, llm_filter_extraction: other } = asked.body ?? {}
    const isIt = was(asked, reply, 'updatePersona') && flag !== undefined && other === undefined
    return isIt ? (await asked.pass({ body: { ...asked.body, llm_filter_extraction: flag } })).body : undefined
  }),
  fault('E24,E25', 'values_read_back', 'a link empties the counts of a file', (asked, reply) => {
    if (was(asked, reply, 'linkFile')) Object.assign(reply.body, { token_count: 0, chunk_count: 0 })
  }),
  fault('E22,E24', 'others_untouched', 'another file is linked, too', (asked, reply, memory) => {
    if (was(asked, reply, 'linkFile')) memory.set('linked', (memory.get('linked') ?? 0) + 1)
    if (!was(asked, reply, 'getProjectDetails') || !memory.has('linked') || reply.body.files.length === 0) return
    const end = `${memory.get('linked')}`.padStart(12, '0')
    reply.body.files.push({ ...reply.body.files[0], id: `0f7c2a1e-5d3b-4c86-9a11-${end}` })
  }),
  fault(
    'E22,E25',
    'file_readable_in_any_status',
    'a file is there from its third reading on',
    (asked, reply, memory) => {
      if (!was(asked, reply, 'getFile')) return
      const reads = (memory.get(asked.url) ?? 0) + 1
      memory.set(asked.url, reads)
      if (reads < 3) missing(reply)
    }
  ),
  fault('E11', 'filter_respected', 'without its boolean E11 lists none', (asked, reply) => {
    if (was(asked, reply, 'listSimilarCredentials') && editable(asked) === null) reply.body = []
  }),
  fault('E3', 'filter_respected', 'a search heeds its first word only', async (asked) => {
    const [first = '', ...others] = (asked.query.get('query') ?? '').split(' ')
    if (asked.operation !== 'searchChats' || others.length === 0) return
    return (await asked.pass({ url: `/api/chat/search?query=${encodeURIComponent(first)}` })).body
  }),
  fault('E3', 'paging_consistent', 'the last group of a search has the first session again', (asked, reply) => {
    if (!was(asked, reply, 'searchChats') || reply.body.groups.length < 2) return
    reply.body.groups.at(-1).chats.push(reply.body.groups[0].chats[0])
  }),
  fault('E1,E2', 'filter_respected', 'only_non_project_chats=false is taken for true', async (asked) => {
    if (asked.operation !== 'listChatSessions' || asked.query.get('only_non_project_chats') !== 'false') return
    return (await asked.pass({ url: asked.url.replace('=false', '=true') })).body
  }),
  fault(
    'E5,E6',
    'other_users_rows_hidden',
    'a user changes an agent that is shared with him',
    async (asked, reply, memory) => {
      if (was(asked, reply, 'updatePersona')) memory.set('users', reply.body.users)
      const isShared = asked.operation === 'updatePersona' && reply.status === 403 && memory.get('users')?.length > 0
      return isShared ? (await asked.pass({ headers: asAdmin })).body : undefined
    }
  ),
  fault('E6', 'others_untouched', 'another icon removes the image', async (asked, reply) => {
    const { icon_name, description } = asked.body ?? {}
    const isIt = was(asked, reply, 'updatePersona') && icon_name !== undefined && description === undefined
    return isIt ? (await asked.pass({ body: { ...asked.body, remove_image: true } })).body : undefined
  }),
  fault('E6', 'others_untouched', 'another image removes the icon', async (asked, reply) => {
    const { icon_name, uploaded_image_id: image } = asked.body ?? {}
    const isIt = was(asked, reply, 'updatePersona') && image !== undefined && icon_name === undefined
    return isIt ? (await asked.pass({ body: { ...asked.body, icon_name: '' } })).body : undefined
  }),
  fault('E7', 'others_untouched', 'chat sessions of a deleted agent get another one', (asked, reply, memory) => {
    if (was(asked, reply, 'createChatSession')) memory.set(reply.body.chat_session_id, asked.body.persona_id)
    if (was(asked, reply, 'deletePersona')) memory.set('deleted', Number(asked.params.persona_id))
    if (!was(asked, reply, 'listChatSessions') || !memory.has('deleted')) return
    for (const it of reply.body.sessions) if (memory.get(it.id) === memory.get('deleted')) it.persona_id = 3
  }),
  fault('E7,E26', 'use_after_free', 'the deletion of a file names a deleted agent', (asked, reply, memory) => {
    if (was(asked, reply, 'updatePersona')) memory.set('name', reply.body.name)
    if (was(asked, reply, 'deletePersona')) memory.set('deleted', memory.get('name'))
    if (was(asked, reply, 'deleteFile') && memory.has('deleted')) reply.body.assistant_names.push(memory.get('deleted'))
  }),
  fault('E8,E10', 'others_untouched', 'of credentials with one name the newest is listed', (asked, reply) => {
    if (!was(asked, reply, 'listCredentials')) return undefined
    return [...new Map(reply.body.map((it: Body) => [`${it.source} ${it.name}`, it])).values()]
  }),
  fault('E11', 'filter_respected', 'private credentials of others are listed', (asked, reply) => {
    if (!was(asked, reply, 'listSimilarCredentials') || reply.body.length === 0) return
    reply.body.push({ ...reply.body[0], id: 987_654, admin_public: false, curator_public: false })
  }),
  fault('E16', 'values_read_back', 'connectors are in progress that are not', (asked, reply) => {
    if (!was(asked, reply, 'getIndexingStatus')) return
    for (const { indexing_statuses } of reply.body)
      for (const it of indexing_statuses) if (it.last_status === 'success') it.in_progress = true
  }),
  fault('E16', 'paging_consistent', 'a page that was asked for stays', async (asked, reply, memory) => {
    if (!was(asked, reply, 'getIndexingStatus') || asked.body?.get_all_connectors) return undefined
    const source_to_page = { ...memory.get('pages'), ...asked.body?.source_to_page }
    memory.set('pages', source_to_page)
    return (await asked.pass({ body: { ...asked.body, source_to_page } })).body
  }),
  fault('E17', 'values_read_back', 'of a zip one entry is taken', (asked, reply) => {
    if (!was(asked, reply, 'uploadConnectorFiles') || !reply.body.file_names.includes('kcm-2.txt')) return
    reply.body = { ...reply.body, file_names: ['kcm-1.txt'], file_paths: reply.body.file_paths.slice(0, 1) }
  }),
  fault('E18', 'not_a_server_error', 'a host that does not exist is a failure', (asked, reply) => {
    if (`${asked.body?.urls}`.includes('.invalid/,')) reply.status = 500
  }),
  fault('E18', 'ensure_resource_availability', 'a host that does not exist is the last one', (asked, reply) => {
    if (`${asked.body?.urls}`.includes('.invalid/,')) reply.body.results = []
  }),
  fault('E18', 'unique_rows', 'all pages have one identifier', (asked, reply) => {
    if (!was(asked, reply, 'openUrls')) return
    const [first] = reply.body.results
    for (const it of reply.body.results) it.unique_identifier_to_strip_away = first.unique_identifier_to_strip_away
  }),
  fault('E18', 'values_read_back', 'a page has the content of the first one of its host', (asked, reply, memory) => {
    if (!was(asked, reply, 'openUrls')) return
    for (const it of reply.body.results) {
      const host = /\/\/[^/]+/.exec(it.unique_identifier_to_strip_away)?.[0] ?? ''
      if (!memory.has(host)) memory.set(host, `This is ${it.unique_identifier_to_strip_away}.`)
      it.content = memory.get(host)
    }
  }),
  fault(
    'E19,E5',
    'others_untouched',
    'a definition that is checked becomes a tool of all agents',
    (asked, reply, memory) => {
      if (was(asked, reply, 'validateTool')) memory.set('checks', (memory.get('checks') ?? 0) + 1)
      if (!was(asked, reply, 'getPersona') || !memory.has('checks') || reply.body.tools.length === 0) return
      reply.body.tools.push({ ...reply.body.tools[0], id: 98_700 + memory.get('checks') })
    }
  ),
  fault('E20', 'use_after_free', 'an agent keeps a deleted tool that it got', (asked, reply, memory) => {
    if (asked.operation === 'updatePersona' && asked.body?.tool_ids) memory.set('tools', asked.body.tool_ids)
    if (was(asked, reply, 'deleteTool')) memory.set('deleted', Number(asked.params.tool_id))
    const isKept =
      memory.get('tools')?.includes(memory.get('deleted')) && asked.params.persona_id === memory.get('agent')
    if (asked.operation === 'updatePersona') memory.set('agent', asked.params.persona_id)
    if (!was(asked, reply, 'getPersona') || !isKept || reply.body.tools.length === 0) return
    reply.body.tools.push({ ...reply.body.tools[0], id: memory.get('deleted') })
  }),
  fault('E22', 'values_read_back', 'a project has its agents the wrong way round', (asked, reply) => {
    if (!was(asked, reply, 'getProjectDetails')) return
    const entries = Object.entries(reply.body.persona_id_to_is_default)
    reply.body.persona_id_to_is_default = Object.fromEntries(entries.map(([id, it]) => [id, !it]))
  }),
  fault(
    'E25',
    'response_schema_conformance',
    'a file has an unknown status when it is first read',
    (asked, reply, memory) => {
      if (!was(asked, reply, 'getFile') || memory.has(asked.url)) return
      memory.set(asked.url, true)
      reply.body.status = 'INDEXED'
    }
  ),
  {
    name: 'of a domain one address is invited',
    operations: 'E27',
    check: 'bulk_invite_all_or_nothing',
    fault: () => (asked) => {
      if (asked.operation !== 'inviteUsers' || !Array.isArray(asked.body?.emails)) return asked.pass()
      const ends = asked.body.emails.map((it: unknown) => `${it}`.split('@')[1])
      const emails = asked.body.emails.filter(
        (it: unknown, at: number) => !`${it}`.includes('@') || ends.indexOf(ends[at]) === at
      )
      return asked.pass({ body: { ...asked.body, emails } })
    }
  },
  fault('E28', 'others_untouched', 'credentials of the caller are deleted with a user', (asked, reply, memory) => {
    const isAdmin = asked.headers.authorization === asAdmin.authorization
    if (was(asked, reply, 'createCredential') && isAdmin) memory.set('caller', reply.body.credential.user_id)
    if (was(asked, reply, 'deleteUser')) memory.set('deleted', true)
    if (!was(asked, reply, 'listCredentials') || !memory.has('deleted')) return undefined
    return reply.body.filter(({ user_id }: Body) => user_id !== memory.get('caller'))
  }),
  fault('E29', 'other_users_rows_hidden', 'the role is kept by caches for all users', (asked, reply) => {
    if (was(asked, reply, 'getUserRole')) reply.headers['cache-control'] = 'public, max-age=60'
  }),
  fault('E22,E24', 'values_read_back', 'projects show each file as COMPLETED', (asked, reply) => {
    if (was(asked, reply, 'getProjectDetails')) for (const it of reply.body.files) it.status = 'COMPLETED'
  }),
  fault('E16', 'paging_consistent', 'with a filter there is one page', (asked, reply) => {
    const { access_type_filters = [], get_all_connectors: all } = asked.body ?? {}
    if (!was(asked, reply, 'getIndexingStatus') || all || access_type_filters.length === 0) return
    for (const group of reply.body) {
      group.indexing_statuses = group.indexing_statuses.slice(0, 1)
      group.total_pages = 1
    }
  }),
  fault('E26,E5', 'others_untouched', 'an agent loses all its files with one of them', (asked, reply, memory) => {
    if (was(asked, reply, 'deleteFile')) memory.set('deleted', true)
    if (was(asked, reply, 'updatePersona')) memory.delete('deleted')
    if (was(asked, reply, 'getPersona') && memory.has('deleted')) reply.body.user_file_ids = []
  }),
  fault('E12', 'secrets_hidden', 'the reason of a 422 has the text that is no JSON', (asked, reply) => {
    const isIt = asked.operation === 'replacePrivateKey' && reply.status === 422 && Array.isArray(reply.body.detail)
    if (isIt) for (const it of reply.body.detail) it.msg = `${it.msg}: ${asked.bytes}`
  }),
  {
    name: 'dots of addresses are dropped',
    operations: 'E27',
    check: 'bulk_invite_all_or_nothing',
    fault: () => (asked) => {
      if (asked.operation !== 'inviteUsers' || !Array.isArray(asked.body?.emails)) return asked.pass()
      const plain = (it: unknown) =>
        typeof it === 'string' ? it.replace(/^[^@]*/, (name) => name.replaceAll('.', '')) : it
      return asked.pass({ body: { ...asked.body, emails: asked.body.emails.map(plain) } })
    }
  }
]
