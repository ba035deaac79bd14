/**
 * What a change means for a client of the old document. `breaking`: a request may be rejected, or a reply may surprise.
 * `warning`: nothing is rejected, but something that the client relies on may be gone. `info`: nothing.
 */
export const levels = ['breaking', 'warning', 'info'] as const
export type Level = (typeof levels)[number]

export interface Change {
  /** The kind of change, with oasdiff's name if it has one: `request-property-became-required`. */
  id: string
  level: Level
  /** `PATCH /api/things/{id}`. */
  operation: string
  /** The place in the operation: `request body starter_messages[].name`. Empty for the operation itself. */
  place: string
  /** The old and the new value in words. Absent if there is nothing to show. */
  was?: string
  is?: string
}

/** What differs, in words. */
export type Values = Pick<Change, 'was' | 'is'>

export type Direction = 'request' | 'response'

/**
 * How a change affects the values that a schema allows. `narrower`: fewer. `wider`: more. `other`: some are removed and
 * others added. `meaning`: the same values, but a missing one means something else. `unknown`: cannot be determined.
 */
export type Effect = 'narrower' | 'wider' | 'other' | 'meaning' | 'unknown'

/** Requests and replies are opposites: a request must not become narrower, a reply must not become wider. */
export function levelOf(direction: Direction, effect: Effect): Level {
  if (effect === 'other') return 'breaking'
  if (effect === 'unknown') return 'warning'
  if (effect === 'meaning') return direction === 'request' ? 'warning' : 'info'
  return (effect === 'narrower') === (direction === 'request') ? 'breaking' : 'info'
}

export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
