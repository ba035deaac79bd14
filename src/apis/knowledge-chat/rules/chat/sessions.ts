import type { ChatSession, ChatSessionSummary, Rows } from '../../types.gen.js'
import { type Context, inOrder } from '../rule.js'

type Session = Rows['chatSessions']

/** The sessions of a project, last updated first. */
export function sessionsOfProject(context: Context, project: number): Session[] {
  const rows = context.rows.chatSessions.where('byProject', project, { descending: true })
  return inOrder(context, [...listed(context, rows)])
}

/** The summaries of these sessions, if they are the caller's own and neither incognito nor deleted. */
export function* listed({ user }: Context, sessions: Iterable<Session>): IterableIterator<Session> {
  for (const session of sessions) {
    if (session.user_id === user.id && !session.incognito && !session.deleted) yield session
  }
}

/** A session in a list (2.3). */
export function summary(context: Context, session: Session): ChatSessionSummary {
  const isUtc = context.assume('chat.times') === 'z'
  const timeOf = (time: string) => (isUtc ? time : time.replace('Z', '+00:00'))
  return {
    id: session.id,
    name: session.name,
    time_created: timeOf(session.time_created),
    time_updated: timeOf(session.time_updated),
    shared_status: session.shared_status,
    persona_id: session.persona_id,
    current_alternate_model: session.current_alternate_model,
    current_temperature_override: session.current_temperature_override
  }
}

/** A session in a search: the summary without time_updated (2.3). */
export function searchItem(session: Session): ChatSession {
  return {
    id: session.id,
    name: session.name,
    time_created: session.time_created,
    shared_status: session.shared_status,
    persona_id: session.persona_id,
    current_alternate_model: session.current_alternate_model,
    current_temperature_override: session.current_temperature_override
  }
}
