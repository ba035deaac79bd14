/**
 * What a change means for who kept to the old document: `breaking`, a request may be refused or a reply may surprise;
 * `warning`, nothing is refused, but what it relies on may be gone; `info`, nothing.
 */
export const levels = ['breaking', 'warning', 'info'] as const
export type Level = (typeof levels)[number]

/** One difference between two documents. */
export interface Change {
  /** What kind it is, by oasdiff's name for it where it has one: `request-property-became-required`. */
  id: string
  level: Level
  /** `PATCH /api/persona/{persona_id}`. */
  operation: string
  /** Where in the operation: `request body starter_messages[].name`; empty: the operation itself. */
  place: string
  /** What stood in the old document, and what stands in the new one, in words; absent where there is nothing to show. */
  was?: string
  is?: string
}

/** Takes what is found, one change at a time. */
export type Report = (change: Change) => void

export type Direction = 'request' | 'response'

/**
 * What a change does to the values that a schema allows. `narrower`: fewer; `wider`: more; `other`: some go and some
 * come; `meaning`: the same, but what is left out means something else; `unknown`: that cannot be told.
 */
export type Effect = 'narrower' | 'wider' | 'other' | 'meaning' | 'unknown'

/** Requests and replies are opposite: a request must not be narrowed, a reply must not be widened. */
export function levelOf(direction: Direction, effect: Effect): Level {
  if (effect === 'other') return 'breaking'
  if (effect === 'unknown') return 'warning'
  if (effect === 'meaning') return direction === 'request' ? 'warning' : 'info'
  return (effect === 'narrower') === (direction === 'request') ? 'breaking' : 'info'
}

/** A value as a line of a report shows it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
