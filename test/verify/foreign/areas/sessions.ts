import type { Rows, Session } from '../data/rows.js'

/** A session as the search has it. */
export const found = (session: Session) => ({
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
  ...found(session),
  time_updated: new Date(session.updated).toISOString()
})

export const newestFirst = (a: Session, b: Session) => b.created - a.created || (a.id < b.id ? -1 : 1)

export const sessionsOf = (rows: Rows, user: string) => rows.sessions.filter((it) => it.user === user).sort(newestFirst)
