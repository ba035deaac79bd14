import { inMap } from '../../../../engine/contract/once.js'
import type { ChatSearchGroup, ChatSessionSummary, Operations, Rows } from '../../types.gen.js'
import { builtInPersona, canSee } from '../personas/visibility.js'
import { type Context, inOrder, later, missing, nothingLeft, Refusal, type Rule, type Rules } from '../rule.js'
import { withStems, withWords } from './search-words.js'
import { listed, searchItem, summary } from './sessions.js'

type Session = Rows['chatSessions']

const dayLength = 24 * 60 * 60 * 1000

/** The periods that a search groups by, with the age in days at which each ends. */
const periods = [
  { title: 'Today', end: 1 },
  { title: 'Yesterday', end: 2 },
  { title: 'This Week', end: 7 },
  { title: 'This Month', end: 30 },
  { title: 'Older', end: Infinity }
] as const

/** E3: the sessions that match the query, or all, newest first. Returns one page, grouped by period. */
const searchChats: Rule<'searchChats'> = ({ query: { query = '', page = 1, page_size = 10 } }, context) => {
  if (page <= 0 || page_size <= 0) return { groups: [], has_more: false, next_page: null }
  const sessions: Session[] = []
  let toSkip = (page - 1) * page_size
  let has_more = false
  for (const session of listed(context, newestFirst(context, query))) {
    if (isElsewhere(context, session)) continue
    if (toSkip-- > 0) continue
    has_more = sessions.length === page_size
    if (has_more) break
    sessions.push(session)
  }
  return { groups: grouped(context, inOrder(context, sessions)), has_more, next_page: has_more ? page + 1 : null }
}

/** Whether a session is in a project and therefore not in the search. */
function isElsewhere(context: Context, { project_id }: Session): boolean {
  return project_id !== null && context.assume('chat.search-scope') === 'no-project'
}

function newestFirst(context: Context, query: string): Iterable<Session> {
  const { rows, user } = context
  if (query.trim() === '') return rows.chatSessions.where('byCreation', user.id, { descending: true })
  return context.assume('chat.search-match') === 'substring' ? withWords(context, query) : withStems(context, query)
}

/** Groups in the order of their first session. None is empty. */
function grouped(context: Context, sessions: Session[]): ChatSearchGroup[] {
  if (sessions.length === 0) return []
  const byAge = context.assume('chat.groups') === 'by-age'
  const today = day(context.now)
  const groups = new Map<string, ChatSearchGroup>()
  for (const session of sessions) {
    const title = byAge ? period(today - day(session.time_created)) : 'All'
    inMap(groups, title, (): ChatSearchGroup => ({ title, chats: [] })).chats.push(searchItem(session))
  }
  return [...groups.values()]
}

/** The period of an age in days. */
function period(age: number): string {
  return (periods.find(({ end }) => age < end) ?? periods[4]).title
}

function day(moment: string): number {
  return Math.floor(Date.parse(moment) / dayLength)
}

type ListQuery = Operations['listChatSessions']['input']['query']

/** The longest name of a session, and the name of a session without one. */
const longestName = 100
const nameless = 'New chat'

/** Milliseconds that a session without messages stays in lists that hide such sessions. */
const graceTime = 5 * 60 * 1000

/** Chat sessions: E1 to E4. Lists show the caller's own sessions, without incognito and deleted ones. */
export const chatRules: Rules<'chat'> = {
  /** E1 */
  createChatSession({ body }, context) {
    const { rows, ids, user, now } = context
    const { persona_id, description, project_id, incognito, incognito_session_id, ...rest } = body
    nothingLeft(rest)
    if (incognito && context.assume('chat.incognito') === 'refused') throw new Refusal('incognito-off')
    if (project_id != null && rows.projects.get(project_id)?.user_id !== user.id) {
      throw new Refusal('unknown-project', { project_id })
    }
    const agent = personaToTalkTo(context, persona_id ?? null)
    const chosenId = incognito ? (incognito_session_id ?? null) : null
    if (chosenId !== null && rows.chatSessions.get(chosenId)) throw new Refusal('taken-id', { session_id: chosenId })
    const session = {
      id: chosenId ?? ids.uuid(),
      user_id: user.id,
      name: nameOf(context, description ?? ''),
      time_created: now,
      time_updated: now,
      shared_status: context.assume('chat.shared-status'),
      persona_id: agent,
      current_alternate_model: null,
      current_temperature_override: null,
      project_id: project_id ?? null,
      incognito: incognito ?? false,
      message_count: 0
    }
    // An incognito session may already have the next id.
    while (!rows.chatSessions.add(session)) session.id = ids.uuid()
    return { chat_session_id: session.id }
  },

  /** E2: last updated first. */
  listChatSessions({ query }, context) {
    const recent = context.assume('chat.list-query') === 'recent'
    const { project_id, only_non_project_chats = recent, include_failed_chats = false } = query
    const { page_size = recent ? 50 : Infinity } = query
    const sessions: ChatSessionSummary[] = []
    for (const session of listed(context, lastUpdatedFirst(context, query))) {
      if (project_id === undefined && only_non_project_chats && session.project_id !== null) continue
      if (recent && !include_failed_chats && isFailed(session, context.now)) continue
      sessions.push(summary(context, session))
      if (sessions.length >= page_size) break
    }
    return { sessions: inOrder(context, sessions) }
  },

  /** E3 */
  searchChats,

  /** E4 */
  deleteChatSession({ path }, context) {
    const { rows, user } = context
    const session = rows.chatSessions.get(path.session_id)
    if (session?.user_id !== user.id) throw missing(session, path)
    const isKept = context.assume('chat.deletion') === 'marked'
    if (session.deleted) throw isKept ? new Refusal('deleted-already') : missing(undefined, path)
    if (isKept) rows.chatSessions.put({ ...session, deleted: true })
    else rows.chatSessions.remove(session.id)
    return { deleted: true, id: null }
  }
}

/** The name of a session that is created with a description. */
function nameOf(context: Context, description: string): string {
  const tidied = description.trim().slice(0, longestName) || nameless
  return tidied === description || context.assume('chat.name') === 'as-given' ? description : tidied
}

/** The agent in the body, if the caller may see it. Default: the built-in agent, if there is one. */
function personaToTalkTo(context: Context, id: number | null): number | null {
  if (id !== null && id !== builtInPersona) {
    const persona = context.rows.personas.get(id)
    if (!persona || !mayTalkTo(context, persona)) throw new Refusal('unknown-persona', { persona_id: id })
    return id
  }
  const builtIn = context.rows.personas.get(builtInPersona)?.id ?? null
  if (id !== null && builtIn !== null) return builtIn
  return context.assume('chat.default-persona') === 'built-in' ? builtIn : null
}

function mayTalkTo(context: Context, persona: Rows['personas']): boolean {
  return canSee(context, persona) || context.assume('chat.hidden-persona') === 'allowed'
}

/** The sessions of a project of the caller, or all of the caller's. With `before`: those updated earlier. */
function lastUpdatedFirst({ rows, user }: Context, { project_id, before }: ListQuery): Iterable<Rows['chatSessions']> {
  const walk = { descending: true, from: before }
  if (project_id === undefined) return rows.chatSessions.where('byUpdate', user.id, walk)
  const isOwn = rows.projects.get(project_id)?.user_id === user.id
  return isOwn ? rows.chatSessions.where('byProject', project_id, walk) : []
}

/** Whether the session has been without messages for too long to get any. */
function isFailed(session: Rows['chatSessions'], now: string): boolean {
  return session.message_count === 0 && later(session.time_created, graceTime) < now
}
