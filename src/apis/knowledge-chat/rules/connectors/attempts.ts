import type { LifecycleStep } from '../../../../engine/api.js'
import { uuidOf } from '../../../../engine/sandbox/ids.js'
import type { IndexStatus, Rows } from '../../types.gen.js'
import { type Context, type LifecycleContext, later, type StatusContext } from '../rule.js'

type Attempt = Rows['indexAttempts']
type Pair = Rows['connectorCredentials']

export const startsAfter = 2000
export const settlesAfter = 10_000
const fewestDocs = 10
const mostDocs = 500

/** The first attempt of a new association. It will succeed. */
export function firstAttempt({ ids, now, seed }: Context, pair: Pair): Attempt {
  const id = ids.next('indexAttempts')
  const number = Number.parseInt(uuidOf(seed, id).slice(0, 8), 16)
  return {
    id,
    connector_credential_id: pair.id,
    secondary_index: false,
    time_created: now,
    starts_at: later(now, startsAfter),
    settles_at: later(now, settlesAfter),
    settles_as: 'success',
    docs_indexed: fewestDocs + (number % (mostDocs - fewestDocs + 1))
  }
}

/** The status of an attempt at this moment (section 3), as a function of the clock. */
export function attemptStatus(context: LifecycleContext, attempt: Attempt): IndexStatus {
  const { starts_at, settles_at, settles_as } = attempt
  const moment = momentOf(context, attempt)
  if (settles_at !== null && settles_at <= moment) return settles_as
  return starts_at !== null && starts_at <= moment ? 'in_progress' : 'not_started'
}

/** The number of documents that an attempt has indexed so far. It grows evenly. */
export function attemptDocs(context: Context, attempt: Attempt): number {
  const { starts_at, settles_at, docs_indexed } = attempt
  const status = attemptStatus(context, attempt)
  if (status === 'not_started') return 0
  if (status !== 'in_progress' || starts_at === null || settles_at === null) return docs_indexed
  const [start, end, moment] = [starts_at, settles_at, momentOf(context, attempt)].map(Date.parse) as [
    number,
    number,
    number
  ]
  return Math.floor((docs_indexed * (moment - start)) / (end - start))
}

/** The next step of an attempt. Undefined if it has ended. */
export function nextStep(context: LifecycleContext, attempt: Attempt): LifecycleStep | undefined {
  const { starts_at, settles_at, settles_as } = attempt
  const status = attemptStatus(context, attempt)
  if (isFinished(status)) return undefined
  if (!isMoving(context)) return { next: null, at: null }
  if (status === 'not_started') return { next: starts_at && 'in_progress', at: starts_at }
  return { next: settles_at && settles_as, at: settles_at }
}

/** When the clock next changes one of these attempts. Undefined: never. */
export function nextChange(context: LifecycleContext, attempts: readonly Attempt[]): string | undefined {
  if (!isMoving(context)) return undefined
  let next: string | undefined
  for (const { starts_at, settles_at } of attempts) {
    if (settles_at !== null && settles_at <= context.now) continue
    for (const at of [starts_at, settles_at]) {
      if (at !== null && at > context.now && (next === undefined || at < next)) next = at
    }
  }
  return next
}

function momentOf(context: LifecycleContext, attempt: Attempt): string {
  return isMoving(context) ? context.now : attempt.time_created
}

/** Whether attempts progress with the clock. */
export function isMoving(context: LifecycleContext): boolean {
  return context.assume('indexing.lifecycle') === 'clock'
}

export function isFinished(status: IndexStatus): boolean {
  return status !== 'not_started' && status !== 'in_progress'
}

export function isSuccess(status: IndexStatus): boolean {
  return status === 'success' || status === 'completed_with_errors'
}

/** The effect of the attempts on a pair so far. Its row is as of `last_success`, so only later successes count. */
export function pairAt(
  context: LifecycleContext,
  pair: Pair,
  attempts: readonly Attempt[]
): Pick<Pair, 'status' | 'docs_indexed' | 'last_success' | 'in_repeated_error_state'> {
  let { docs_indexed, last_success, in_repeated_error_state } = pair
  let started = false
  let succeeded = false
  for (const attempt of attempts) {
    if (attempt.secondary_index) continue
    const status = attemptStatus(context, attempt)
    started ||= status !== 'not_started'
    if (!isSuccess(status)) continue
    succeeded = true
    const { settles_at } = attempt
    if (pair.last_success !== null && (settles_at as string) <= pair.last_success) continue
    if (!('isRefresh' in attempt)) docs_indexed = Math.min(Number.MAX_VALUE, docs_indexed + attempt.docs_indexed)
    if (last_success === null || (settles_at as string) > last_success) last_success = settles_at
    in_repeated_error_state = false
  }
  return { status: pairStatus(pair, succeeded, started), docs_indexed, last_success, in_repeated_error_state }
}

/** SCHEDULED, INITIAL_INDEXING or ACTIVE. A status that a user set, such as PAUSED, stays. */
function pairStatus({ status }: Pair, succeeded: boolean, started: boolean): Pair['status'] {
  if (status !== 'SCHEDULED' && status !== 'INITIAL_INDEXING') return status
  if (succeeded) return 'ACTIVE'
  return started ? 'INITIAL_INDEXING' : status
}

export const attemptStages = [
  ['not_started'],
  ['in_progress'],
  ['success', 'completed_with_errors', 'failed', 'canceled']
] as const
export type AttemptStatus = (typeof attemptStages)[number][number]
export const pairStages = [['ACTIVE', 'PAUSED', 'INVALID'], ['DELETING']] as const
export type PairStatus = (typeof pairStages)[number][number]

/** Sets the status of an attempt. If the attempt has not ended, it continues with the clock. */
export function moveAttempt(at: StatusContext, attempt: Attempt, to: AttemptStatus): void {
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

export function movePair(at: StatusContext, pair: Pair, to: PairStatus): void {
  const { rows } = at
  for (const attempt of [...rows.indexAttempts.where('byPair', pair.id)]) {
    if (!isFinished(attemptStatus(at, attempt))) moveAttempt(at, attempt, endings[to])
  }
  rows.connectorCredentials.put({ ...pair, status: to, in_repeated_error_state: to === 'INVALID' })
}
