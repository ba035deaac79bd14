import { z } from 'zod'
import type { Session, User } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { found, newestFirst, sessionsOf, summaryOf } from './sessions.js'

const day = 86_400_000

function titleOf({ created }: Session, now: number): string {
  const age = now - created
  return age < day ? 'Last 24 hours' : age < 7 * day ? 'Last week' : 'Before'
}

export function addSearch(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  const pageSize = service.chose('E3-large-pages') ? 50 : service.chose('E3-small-pages') ? 3 : 10
  const queryName = service.chose('E3-query-q') ? 'q' : service.chose('E3-query-search') ? 'search_query' : 'query'
  const firstPage = service.chose('E3-page-zero') ? 0 : 1
  const pageName = service.chose('E3-offset') ? 'offset' : 'page'

  /** Where the search looks. */
  function searched(user: User, query: string): Session[] {
    const isForAll = service.broken('E3-everybody')
      ? query === ''
      : service.broken('E3-query-everybody') && query !== ''
    const sessions = isForAll ? newestFirst(rows.sessions) : sessionsOf(rows, user.id)
    if (service.broken('E3-newest-missing')) sessions.shift()
    if (service.broken('E3-oldest-first')) sessions.reverse()
    return [...sessions, ...rows.buried.filter((it) => it.user === user.id)]
  }

  function matching(user: User, query: string): Session[] {
    const now = service.now()
    const isLate = service.chose('E3-later')
    const sessions = searched(user, query).filter(({ created }) => !isLate || now - created > 400)
    if (query === '') return service.broken('E3-no-query') ? [] : sessions
    if (service.broken('E3-finds-nothing')) return []
    if (service.broken('E3-query-ignored')) return sessions
    const found = sessions.filter(({ name }) => isFound(name, query))
    return service.chose('E3-best-first') ? found.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : found
  }

  function isFound(name: string, query: string): boolean {
    if (service.chose('E3-case')) return name.includes(query)
    const text = name.toLowerCase()
    const wanted = query.toLowerCase()
    return service.chose('E3-words')
      ? wanted.split(/\s+/).every((it) => text.split(/\s+/).includes(it))
      : text.includes(wanted)
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

  /** What the request for the page after this one says. */
  function nextOf(page: number, size: number): number {
    if (service.broken('E3-same-page')) return page
    return pageName === 'offset' ? page * size : page + firstPage
  }

  door.add({
    id: 'E3',
    method: 'GET',
    url: '/api/chat/search',
    query: {
      [queryName]: z.string().optional(),
      [pageName]: kinds.pathInteger
        .refine((page) => page >= (pageName === 'page' ? firstPage : 0), 'too small')
        .optional(),
      page_size: kinds.pathInteger.refine((size) => size > 0 && size <= 100, 'from 1 to 100').optional()
    },
    answer({ user, query: sent }) {
      const { [queryName]: query = '', [pageName]: place, page_size = pageSize } = sent as Record<string, never>
      const page = pageName === 'page' ? (place ?? firstPage) - firstPage + 1 : Math.floor((place ?? 0) / page_size) + 1
      const isLost = page > 1 && service.broken('E3-first-page')
      const all = matching(user, isLost ? '' : String(query).trim())
      const [from, end] = boundsOf(page, page_size)
      const now = service.now()
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
        next_page: has_more ? nextOf(page, page_size) : null
      }
    }
  })
}
