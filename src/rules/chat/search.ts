import type { ChatSearchGroup, Rows } from '../../contract/types.gen.js'
import { inOrder } from '../order.js'
import type { Context, Rule } from '../rule.js'
import { withStems, withWords } from './search-words.js'
import { listed, searchItem } from './sessions.js'

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
export const searchChats: Rule<'searchChats'> = ({ query: { query = '', page = 1, page_size = 10 } }, context) => {
  if (page <= 0 || page_size <= 0) return { groups: [], has_more: false, next_page: null }
  const found: Session[] = []
  let toSkip = (page - 1) * page_size
  let has_more = false
  for (const session of listed(context, newestFirst(context, query))) {
    if (isElsewhere(context, session)) continue
    if (toSkip-- > 0) continue
    has_more = found.length === page_size
    if (has_more) break
    found.push(session)
  }
  return { groups: grouped(context, inOrder(context, found)), has_more, next_page: has_more ? page + 1 : null }
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
    const group = groups.get(title) ?? { title, chats: [] }
    group.chats.push(searchItem(session))
    groups.set(title, group)
  }
  return [...groups.values()]
}

/** The period of an age in days. */
function period(age: number): string {
  return (periods.find(({ end }) => age < end) ?? periods[4]).title
}

/** The day number of a moment, in UTC. */
function day(moment: string): number {
  return Math.floor(Date.parse(moment) / dayLength)
}
