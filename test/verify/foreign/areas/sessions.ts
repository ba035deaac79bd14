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

/** Of those of one moment, the last one that was made is first: by their ids, each run would have another order. */
export const newestFirst = (sessions: Session[]) => sessions.toReversed().sort((a, b) => b.created - a.created)

export const sessionsOf = (rows: Rows, user: string) => newestFirst(rows.sessions.filter((it) => it.user === user))
