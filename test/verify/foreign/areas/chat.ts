import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Session } from '../data/rows.js'
import { deleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { notFound } from '../refused.js'
import { canSee } from './personas.js'

const pageSize = 10
const day = 86_400_000

const item = (session: Session) => ({
  id: session.id,
  name: session.name,
  time_created: new Date(session.created).toISOString(),
  shared_status: session.shared,
  persona_id: session.persona,
  current_alternate_model: session.model,
  current_temperature_override: session.temperature
})

/** A session as lists have it. */
export const summaryOf = (session: Session) => ({
  ...item(session),
  time_updated: new Date(session.updated).toISOString()
})

export const newestFirst = (a: Session, b: Session) => b.created - a.created || (a.id < b.id ? -1 : 1)

function titleOf({ created }: Session, now: number): string {
  const age = now - created
  return age < day ? 'Last 24 hours' : age < 7 * day ? 'Last week' : 'Before'
}

export function addChat(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  door.add({
    id: 'E1',
    method: 'POST',
    url: '/api/chat/create-chat-session',
    body: {
      persona_id: kinds.integer.optional(),
      description: kinds.text.optional(),
      project_id: kinds.integer.optional(),
      incognito: kinds.flag.optional(),
      incognito_session_id: kinds.uuid.optional()
    },
    answer({ user, body }) {
      const persona = body.persona_id ?? 101
      if (!rows.personas.some((it) => it.id === persona && canSee(it, user))) throw notFound('agent')
      const project = body.project_id
      if (project !== undefined && !rows.projects.some((it) => it.id === project && it.user === user.id)) {
        throw notFound('project')
      }
      const now = Date.now()
      const session: Session = {
        id: randomUUID(),
        user: user.id,
        name: body.description ?? '',
        persona,
        project: project ?? null,
        shared: 'private',
        model: null,
        temperature: null,
        created: now,
        updated: now
      }
      if (!body.incognito) rows.sessions.push(session)
      return { chat_session_id: session.id }
    }
  })

  const sessionsOf = (user: string) => rows.sessions.filter((it) => it.user === user).sort(newestFirst)

  door.add({
    id: 'E2',
    method: 'GET',
    url: '/api/chat/get-user-chat-sessions',
    answer: ({ user }) => ({ sessions: sessionsOf(user.id).map(summaryOf) })
  })

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
      const wanted = query.trim().toLowerCase()
      const found = sessionsOf(user.id).filter(({ name }) => name.toLowerCase().includes(wanted))
      const shown = found.slice((page - 1) * page_size, page * page_size)
      const hasMore = found.length > page * page_size
      const now = Date.now()
      const groups = new Map<string, object[]>()
      for (const session of shown) {
        const title = titleOf(session, now)
        groups.set(title, [...(groups.get(title) ?? []), item(session)])
      }
      return {
        groups: [...groups].map(([title, chats]) => ({ title, chats })),
        has_more: hasMore,
        next_page: hasMore ? page + 1 : null
      }
    }
  })

  door.add({
    id: 'E4',
    method: 'DELETE',
    url: '/api/chat/delete-chat-session/:session_id',
    path: { session_id: kinds.uuid },
    answer({ user, path }) {
      const place = rows.sessions.findIndex((it) => it.id === path.session_id && it.user === user.id)
      if (place < 0) throw notFound('session')
      rows.sessions.splice(place, 1)
      return deleted(service)
    }
  })
}
