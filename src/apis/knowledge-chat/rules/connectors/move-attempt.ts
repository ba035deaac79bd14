import type { Rows } from '../../../../engine/contract/types.gen.js'
import { later, type StatusContext } from '../rule.js'
import { attemptStatus, isFinished, isMoving, settlesAfter, startsAfter } from './attempts.js'

type Attempt = Rows['indexAttempts']
type Pair = Rows['connectorCredentials']

export const attemptMoves = [
  'not_started',
  'in_progress',
  'success',
  'completed_with_errors',
  'failed',
  'canceled'
] as const
export const pairMoves = ['ACTIVE', 'PAUSED', 'INVALID', 'DELETING'] as const

/** Sets the status of an attempt. If the attempt has not ended, it continues with the clock. */
export function moveAttempt(at: StatusContext, attempt: Attempt, to: (typeof attemptMoves)[number]): void {
  const { rows, now } = at
  // If attempts do not progress, each keeps its creation time.
  const time_created = isMoving(at) && attempt.time_created < now ? attempt.time_created : now
  const put = (own: Partial<Attempt>) => void rows.indexAttempts.put({ ...attempt, time_created, ...own })
  if (to === 'not_started') {
    put({ starts_at: later(now, startsAfter), settles_at: later(now, settlesAfter), settles_as: 'success' })
  } else if (to === 'in_progress') {
    put({ starts_at: now, settles_at: later(now, settlesAfter - startsAfter), settles_as: 'success' })
  } else {
    const starts_at = attempt.starts_at !== null && attempt.starts_at < now ? attempt.starts_at : now
    const isEmpty = to === 'failed' || to === 'canceled'
    put({ starts_at, settles_at: now, settles_as: to, ...(isEmpty && { docs_indexed: 0 }) })
  }
}

/** How a pair's attempts in progress end. */
const endings = { ACTIVE: 'success', PAUSED: 'canceled', INVALID: 'failed', DELETING: 'canceled' } as const

/** Sets the status of an association. */
export function movePair(at: StatusContext, pair: Pair, to: (typeof pairMoves)[number]): void {
  const { rows } = at
  for (const attempt of [...rows.indexAttempts.where('byPair', pair.id)]) {
    if (!isFinished(attemptStatus(at, attempt))) moveAttempt(at, attempt, endings[to])
  }
  rows.connectorCredentials.put({ ...pair, status: to, in_repeated_error_state: to === 'INVALID' })
}
