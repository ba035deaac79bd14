import { z } from 'zod'
import type { Session, User } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { found, newestFirst, sessionsOf, summaryOf } from './sessions.js'

const pageSize = 10
const day = 86_400_000

function titleOf({ created }: Session, now: number): string {
  const age = now - created
  return age < day ? 'Last 24 hours' : age < 7 * day ? 'Last week' : 'Before'
}

export function addSearch(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  /** Where the search looks. */
  function searched(user: User, query: string): Session[] {
    const isForAll = service.broken('E3-everybody')
      ? query === ''
      : service.broken('E3-query-everybody') && query !== ''
    const sessions = isForAll ? rows.sessions.toSorted(newestFirst) : sessionsOf(rows, user.id)
    if (service.broken('E3-newest-missing')) sessions.shift()
    if (service.broken('E3-oldest-first')) sessions.reverse()
    return [...sessions, ...rows.buried.filter((it) => it.user === user.id)]
  }

  function matching(user: User, query: string): Session[] {
    const sessions = searched(user, query)
    if (query === '') return service.broken('E3-no-query') ? [] : sessions
    if (service.broken('E3-finds-nothing')) return []
    if (service.broken('E3-query-ignored')) return sessions
    return sessions.filter(({ name }) => name.toLowerCase().includes(query))
  }

  /** The first and the last place of a page. */
  function boundsOf(page: number, size: number): [number, number] {
    const from = (page - 1) * size
    if (page > 1 && service.broken('E3-overlap')) return [from - 1, from + size - 1]
    if (page > 1 && service.broken('E3-gap')) return [from + 1, from + size + 1]
    return [from, from + size]
  }

  function hasMore(count: number, end: number): boolean {
    if (service.broken('E3-never-more')) return false
    return service.broken('E3-more-at-end') ? count >= end : count > end
  }

  door.add({
    id: 'E3',
    method: 'GET',
    url: '/api/chat/search',
    query: {
      query: z.string().optional(),
      page: kinds.pathInteger.refine((page) => page > 0, 'pages begin at 1').optional(),
      page_size: kinds.pathInteger.refine((size) => size > 0 && size <= 100, 'from 1 to 100').optional()
    },
    answer({ user, query: { query = '', page = 1, page_size = pageSize } }) {
      const all = matching(user, query.trim().toLowerCase())
      const [from, end] = boundsOf(page, page_size)
      const now = Date.now()
      const form = service.broken('E3-time-updated') ? summaryOf : found
      const groups = new Map<string, object[]>()
      for (const session of all.slice(from, end)) {
        const title = titleOf(session, now)
        groups.set(title, [...(groups.get(title) ?? []), form(session)])
        if (service.broken('E3-twice')) groups.set('All', [...(groups.get('All') ?? []), form(session)])
      }
      const has_more = hasMore(all.length, end)
      return {
        groups: [...groups].map(([title, chats]) => ({ title, chats })),
        has_more,
        next_page: has_more ? page + (service.broken('E3-same-page') ? 0 : 1) : null
      }
    }
  })
}
