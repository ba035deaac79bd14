import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import { timestamp } from '../../../engine/sandbox/clock.js'
import type { Id } from '../../../engine/store/collection.js'
import type { Book, Effect, Recording } from '../../../tools/record/book.js'
import type { Call } from '../../../tools/record/traffic.js'
import { builtInPersona } from '../rules/personas/visibility.js'
import type { OperationId } from '../rules/rule.js'

const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const idsOf = (rows: readonly JsonObject[]) => rows.map(({ id }) => id as Json)
const pairs = 'connectorCredentials'

/** What each operation shows and changes. Files for connectors, web pages and checks of tools are not rows. */
const effects: { [Id in OperationId]?: Effect } = {
  createChatSession: (call, book) => {
    const { chat_session_id: id } = object(call.reply)
    if (id === undefined) return
    const { persona_id, description, project_id = null, incognito = false } = call.body
    const isUsual = persona_id === undefined || persona_id === null
    book.hints.set(`made ${id}`, { time: call.time, isUsual })
    book.show('chatSessions', {
      id,
      ...(!isUsual && { persona_id }),
      project_id,
      incognito,
      name: description ?? '',
      user_id: book.me(call),
      shared_status: 'private',
      current_alternate_model: null,
      current_temperature_override: null,
      message_count: 0
    })
  },
  listChatSessions: (call, book) => {
    for (const it of list(object(call.reply).sessions)) session(book, it, book.me(call))
  },
  searchChats: (call, book) => {
    for (const { title, chats } of list(object(call.reply).groups)) {
      for (const it of list(chats)) session(book, it, book.me(call))
      if (title === 'Today') book.isOf('day', call, list(chats).at(-1)?.time_created)
    }
  },
  deleteChatSession: removed('chatSessions', 'session_id'),
  getPersona: persona,
  updatePersona: persona,
  deletePersona: removed('personas', 'persona_id'),
  createCredential: (call, book) => {
    const credential = object(object(call.reply).credential)
    if (credential.id === undefined) return
    book.me(call, credential.user_id)
    book.isOf('moment', call, credential.time_created)
    credentials({ ...call, reply: credential }, book)
  },
  getCredential: credentials,
  listCredentials: credentials,
  listSimilarCredentials: credentials,
  replacePrivateKey: ({ reply, path }, book) => {
    const { credential_json: _, ...shown } = object(reply)
    book.show('credentials', { ...shown, id: Number(path.credential_id) })
  },
  linkCredential: ({ reply, path, body }, book) => {
    const { name = null, access_type, groups = [], auto_sync_options = null } = body
    const row = {
      name,
      access_type,
      groups,
      auto_sync_options,
      status: 'SCHEDULED',
      docs_indexed: 0,
      last_success: null
    }
    pair(book, endsOf(path), object(reply).success === true ? (row as JsonObject) : {})
  },
  unlinkCredential: ({ reply, path }, book) => {
    if (object(reply).success !== false) for (const it of between(book, endsOf(path))) book.remove(pairs, it.id)
  },
  getConnector: ({ reply }, book) => {
    const { id: connector_id, credential_ids } = object(reply)
    if (connector_id === undefined || !Array.isArray(credential_ids)) return
    book.show('connectors', book.whole('connectors.json#/$defs/ConnectorSnapshot', object(reply)))
    book.drop(pairs, (it) => it.connector_id === connector_id && !credential_ids.includes(it.credential_id as Json))
    for (const credential_id of credential_ids) pair(book, { connector_id, credential_id })
  },
  getIndexingStatus: indexing,
  deleteTool: removed('tools', 'tool_id'),
  listProjects: (call, book) => {
    for (const it of list(call.reply)) project(call, book, it)
  },
  getProjectDetails: (call, book) => {
    const { project: shown, files } = object(call.reply)
    if (!isObject(shown)) return
    project(call, book, shown)
    const links = list(files).map((it) => file(call, book, it))
    book.drop('projectFiles', (it) => it.project_id === shown.id && !links.includes(it.user_file_id as Json))
    for (const [at, id] of links.entries()) link(book, shown.id as Json, id as Json, call.time - at * 1000)
  },
  setProjectInstructions: (call, book) => {
    const { instructions } = object(call.reply)
    const id = Number(call.path.project_id)
    // Only its owner may write them.
    const { user_id = book.me(call) } = book.row('projects', id) ?? {}
    if (instructions !== undefined) book.show('projects', { id, user_id, instructions })
  },
  linkFile: (call, book) => {
    const id = file(call, book, object(call.reply))
    const project = Number(call.path.project_id)
    if (!book.row('projectFiles', `${project}/${id}`)) link(book, project, id as Json, call.time)
  },
  getFile: (call, book) => {
    const id = file(call, book, object(call.reply))
    const { project_id = null } = object(call.reply)
    if (id === undefined || project_id === null) return
    // It shows the last one of its links.
    const row = book.row('projectFiles', `${project_id}/${id}`)
    book.drop('projectFiles', (it) => it === row)
    link(book, project_id, id, row ? Date.parse(String(row.linked_at)) : call.time)
  },
  deleteFile: ({ path }, book) => removeFile(book, book.id('userFiles', path.file_id)),
  inviteUsers: (call, book) => {
    const invited = { invited_at: book.timeOf(call.time), invited_by: book.me(call) }
    const { emails = [] } = call.body
    for (const email of [emails].flat()) book.show('invites', { ...invited, id: `${email}`.toLowerCase(), email })
  },
  deleteUser: ({ body }, book) => {
    const isIt = ({ email }: JsonObject) => `${email}`.toLowerCase() === `${body.user_email}`.toLowerCase()
    for (const { id } of book.all('users').filter(isIt)) removeUser(book, id as string)
    book.drop('invites', isIt)
  },
  getUserRole: (call, book) => {
    const { role } = object(call.reply)
    if (typeof role === 'string') book.hasRole(call, role.toLowerCase())
  },
  deleteTokenRateLimit: removed('tokenRateLimits', 'token_rate_limit_id')
}

/** How the traffic of the Knowledge Chat API becomes rows. */
export const recording: Recording = {
  effectOf: (id) => effects[id as OperationId],
  missed,
  heirs: { personas: builtInPersona },
  outside: new Set(['openUrls']),
  minimal,
  finish
}

/** A file that its owner had is deleted now. An agent that starting rows have is not there. */
function missed(call: Call, book: Book): void {
  const { operation, path } = call
  const id = book.id('userFiles', path.file_id)
  if (operation.id === 'getFile' && book.row('userFiles', id)?.user_id === book.me(call)) removeFile(book, id)
  if (operation.id === 'getPersona' && !book.row('personas', Number(path.persona_id)))
    book.absent.add(`personas ${path.persona_id}`)
}

function removed(collection: string, parameter: string): Effect {
  return ({ path }, book) => book.remove(collection, book.id(collection, path[parameter]))
}

/** A deleted user's own rows are deleted, too. */
function removeUser(book: Book, id: string): void {
  for (const name of ['chatSessions', 'userFiles', 'projects', 'tools', 'credentials'])
    for (const it of book.all(name)) if (it.user_id === id) book.remove(name, it.id)
  for (const it of book.all('personas')) if (it.owner_id === id) book.remove('personas', it.id)
  book.remove('users', id)
}

function session(book: Book, shown: JsonObject, user_id: Json, project: JsonObject = {}): void {
  const whole = book.whole('chat.json#/$defs/ChatSessionSummary', shown)
  book.show('chatSessions', { ...whole, ...project, user_id, incognito: false })
}

function persona(call: Call, book: Book): void {
  const shown = object(call.reply)
  if (shown.id === undefined) return
  const form = call.operation.id === 'getPersona' ? 'ReadPersona' : 'Persona'
  const whole = book.whole(`personas.json#/$defs/${form}`, shown)
  // The reply of E6 may leave it out although the agent has one.
  if (form === 'Persona' && shown.search_start_date === undefined) delete whole.search_start_date
  const of = (name: string) => list(shown[name])
  const [tools, labels, sets, users] = [of('tools'), of('labels'), of('document_sets'), of('users')]
  const owner = object(shown.owner)
  if (!shown.is_public && owner.id !== undefined) book.isOneOf(call, [owner.id, ...idsOf(users)])
  for (const it of tools) book.show('tools', book.whole('tools.json#/$defs/Tool', it))
  for (const it of labels) book.show('labels', it)
  for (const it of [...users, owner]) if (it.id !== undefined) book.show('users', it)
  for (const it of sets) {
    const summaries = list(it.cc_pair_summaries)
    for (const { id, name = null, source, access_type } of summaries) {
      book.show(pairs, { id, name, access_type } as JsonObject)
      book.hints.set(`source ${id}`, { source: source as Json })
    }
    book.show('documentSets', { description: null, ...it, cc_pair_ids: idsOf(summaries) })
  }
  book.show('personas', {
    ...whole,
    owner_id: owner.id ?? null,
    user_ids: idsOf(users),
    tool_ids: idsOf(tools),
    label_ids: idsOf(labels),
    document_set_ids: idsOf(sets)
  })
}

function credentials(call: Call, book: Book): void {
  for (const shown of list([call.reply ?? []].flat())) {
    const { id, user_id, user_email: email, curator_public } = shown
    if (id === undefined) continue
    if (!curator_public && user_id) book.isOneOf(call, [user_id])
    if (user_id) book.show('users', { id: user_id, ...(email && { email }) })
    book.show('credentials', book.whole('credentials.json#/$defs/CredentialSnapshot', shown))
  }
}

function project(call: Call, book: Book, shown: JsonObject): void {
  book.me(call, shown.user_id)
  book.show('projects', book.whole('projects.json#/$defs/Project', shown))
  for (const it of list(shown.chat_sessions)) session(book, it, shown.user_id as Json, { project_id: shown.id as Json })
}

function file(call: Call, book: Book, shown: JsonObject): Json | undefined {
  const { id } = shown
  if (id === undefined || (shown.status === 'DELETING' && book.gone.get('userFiles')?.has(id as string))) return id
  book.me(call, shown.user_id)
  book.show('userFiles', book.whole('files.json#/$defs/UserFile', shown))
  return id
}

function link(book: Book, project_id: Json, user_file_id: Json, linked: number): void {
  const id = `${project_id}/${user_file_id}`
  book.show('projectFiles', { id, project_id, user_file_id, linked_at: timestamp(linked) })
}

/** A deleted file is in no project and with no agent. */
function removeFile(book: Book, id: Id): void {
  book.remove('userFiles', id)
  book.drop('projectFiles', (it) => it.user_file_id === id)
}

type Ends = { connector_id: Json; credential_id: Json }

const endsOf = (path: Call['path']): Ends => ({
  connector_id: Number(path.connector_id),
  credential_id: Number(path.credential_id)
})
const between = (book: Book, { connector_id, credential_id }: Ends) =>
  book.all(pairs).filter((it) => it.connector_id === connector_id && it.credential_id === credential_id)

/** Shows an association by its ends, if it is not there. */
function pair(book: Book, ends: Ends, shown: JsonObject = {}): void {
  if (between(book, ends).length > 0) return
  book.show(pairs, { ...shown, ...ends, id: `${ends.connector_id}/${ends.credential_id}` })
}

/** The lines of a report are associations. Factories make the attempts that lead to what they show. */
function indexing({ reply, body }: Call, book: Book): void {
  if (body.secondary_index) return
  for (const { source, indexing_statuses } of list(reply)) {
    for (const it of list(indexing_statuses)) {
      const { cc_pair_id: id, name = null, cc_pair_status: status, last_success = null } = it
      if (id === undefined) book.hints.set(`federated ${it.id}`, { ...it, entities: {} })
      else {
        book.show(pairs, { ...it, id, name, status: status as Json, last_success })
        book.hints.set(`source ${id}`, { source: source as Json })
      }
    }
  }
}

function finish(book: Book): void {
  finishSessions(book)
  for (const it of book.all('userFiles')) {
    const isMoving = it.status === 'PROCESSING' || it.status === 'DELETING'
    it.settles_at ??= isMoving ? timestamp(book.now + 3000) : null
    it.settles_as ??= isMoving ? 'COMPLETED' : (it.status ?? 'COMPLETED')
    it.reads ??= 0
  }
  finishPairs(book)
  const listed = new Set(book.all('documentSets').flatMap((it) => idsOf(list(it.federated_connector_summaries))))
  for (const [key, { id, name, source, entities }] of book.hints) {
    if (!key.startsWith('federated ') || listed.has(id as Json)) continue
    const federated_connector_summaries = [{ id, name, source, entities }] as JsonObject[]
    book.show('documentSets', { id: key, cc_pair_ids: [], is_public: true, federated_connector_summaries })
  }
}

/** Sessions that were made without an agent have the one that lists have shown of others. */
function finishSessions(book: Book): void {
  const sessions = book.all('chatSessions')
  const madeOf = ({ id }: JsonObject) => book.hints.get(`made ${id}`)
  const usual = sessions.find((it) => madeOf(it)?.isUsual && it.persona_id !== undefined)?.persona_id
  for (const it of sessions) {
    it.project_id ??= null
    it.incognito ??= false
    it.message_count ??= 2
    const hint = madeOf(it)
    if (!hint) continue
    it.persona_id ??= usual ?? builtInPersona
    it.time_created ??= book.timeOf(hint.time as number)
    it.time_updated ??= it.time_created
  }
}

/** Joins the associations of reports with those that were shown by their ends, and gives the others ends. */
function finishPairs(book: Book): void {
  const open = new Set(book.all(pairs).filter(({ id }) => typeof id === 'string'))
  for (const it of book.all(pairs).filter(({ connector_id }) => connector_id === undefined)) {
    const same = [...open].filter((other) => sourceOf(book, other) === sourceOf(book, it))
    const isNamed = (other: JsonObject) => other.name !== undefined && other.name === it.name
    const ends = same.find(isNamed) ?? same.find(({ name }) => name === undefined)
    if (!ends) continue
    open.delete(ends)
    book.drop(pairs, (other) => other === ends)
    Object.assign(it, { ...ends, ...it })
  }
  const rows = book.all('credentials')
  let nextId = lowestMade
  for (const it of book.all(pairs)) {
    it.connector_id ??= nextId++
    // Another credential would be in lists that have not shown it.
    const like = rows.find(({ source }) => source === sourceOf(book, it)) ?? rows[0]
    it.credential_id ??= like?.id ?? nextId++
  }
}

/** Numbers of connectors and credentials from here on are of rows that no client has asked for. */
const lowestMade = 1_000_000

function sourceOf(book: Book, { id, connector_id }: JsonObject): Json | undefined {
  return book.row('connectors', connector_id)?.source ?? book.hints.get(`source ${id}`)?.source
}

/** Nobody else sees what no list has shown. */
function minimal(book: Book, collection: string, referrer: JsonObject): JsonObject {
  if (collection === 'personas') return { is_public: false, owner_id: referrer.user_id ?? null }
  const source = collection === 'connectors' || collection === 'credentials' ? sourceOf(book, referrer) : undefined
  const fields: JsonObject = source === undefined ? {} : { source }
  if (collection !== 'credentials') return fields
  return { ...fields, admin_public: false, curator_public: false, user_id: book.stranger() }
}
