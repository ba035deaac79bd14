import { randomUUID } from 'node:crypto'
import type { Session, User } from '../data/rows.js'
import { deleted, nothingDeleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { notFound } from '../refused.js'
import { pause } from '../state.js'
import { canSee } from './personas.js'
import { newestFirst, sessionsOf, summaryOf } from './sessions.js'

export function addChat(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  let busyId: string | undefined

  function nameOf(description = ''): string {
    if (service.chose('E1-own-names')) return ''
    return service.chose('E1-cut-names') ? description.slice(0, 40) : description
  }

  async function newId(): Promise<string> {
    if (!service.broken('race-E1-id')) return randomUUID()
    const id = busyId ?? randomUUID()
    busyId = id
    await pause()
    busyId = undefined
    return id
  }

  async function make(user: User, fields: Partial<Session>, isHidden = false): Promise<Session> {
    const now = service.now()
    const id = await newId()
    const plain = { project: null, shared: 'private', model: null, temperature: null } as const
    const session = { persona: 101, name: '', ...plain, ...fields, id, user: user.id, created: now, updated: now }
    if (isHidden || service.broken('E1-lost')) return session
    const oldest = sessionsOf(rows, user.id).at(-1)
    if ((service.broken('E1-renames') || service.chose('somebody-once')) && oldest) oldest.name = 'Chat'
    if (service.broken('race-E1')) {
      const before = [...rows.sessions]
      await pause()
      rows.sessions = before
    }
    rows.sessions.push(session)
    if (service.broken('E1-twice')) rows.sessions.push({ ...session, id: randomUUID() })
    return session
  }

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
    async answer({ user, body }) {
      let persona = Number.isInteger(body.persona_id) ? (body.persona_id as number) : 101
      const isKnown = rows.personas.some(({ id }) => id === persona)
      if (!isKnown && service.chose('E1-unknown-agent')) persona = 101
      if (!rows.personas.some((it) => it.id === persona && canSee(it, user))) throw notFound('agent')
      const project = Number.isInteger(body.project_id) ? (body.project_id as number) : null
      if (project !== null && !rows.projects.some((it) => it.id === project && it.user === user.id)) {
        throw notFound('project')
      }
      const isHidden = body.incognito && !service.chose('E1-incognito-listed')
      const session = await make(user, { persona, project, name: nameOf(body.description) }, isHidden)
      return { chat_session_id: session.id }
    },
    refused({ user }) {
      if (service.broken('E1-before-check')) void make(user, {})
    }
  })

  door.add({
    id: 'E2',
    method: 'GET',
    url: '/api/chat/get-user-chat-sessions',
    answer({ user }) {
      const shown = service.broken('E2-everybody') ? newestFirst(rows.sessions) : sessionsOf(rows, user.id)
      if (service.chose('E2-oldest-first')) shown.reverse()
      return { sessions: shown.slice(0, service.chose('E2-pages') ? 40 : undefined).map(summaryOf) }
    }
  })

  door.add({
    id: 'E4',
    method: 'DELETE',
    url: '/api/chat/delete-chat-session/:session_id',
    path: { session_id: kinds.uuid },
    async answer({ user, path }) {
      const own = service.broken('E4-others') ? newestFirst(rows.sessions) : sessionsOf(rows, user.id)
      const place = own.findIndex((it) => it.id === path.session_id)
      const session = own[place]
      if (!session) {
        if (service.broken('E4-unknown')) throw new Error('no row')
        return nothingDeleted(service, 'session')
      }
      if (service.broken('E4-kept')) return deleted(service)
      const gone = new Set([session])
      const next = own[place + 1]
      if (service.broken('E4-neighbour') && next) gone.add(next)
      if (service.broken('E4-all-of-agent')) for (const it of own) if (it.persona === session.persona) gone.add(it)
      const left = rows.sessions.filter((it) => !gone.has(it))
      if (service.broken('race-E4')) await pause()
      if (service.broken('E3-deleted')) rows.buried.push(session)
      rows.sessions = left
      return deleted(service)
    }
  })
}
