import { latest, timestamp } from '../../../../engine/sandbox/clock.js'
import { uuidOf } from '../../../../engine/sandbox/ids.js'
import type { Rows } from '../../types.gen.js'
import { attemptStatus, isFinished, isMoving, isSuccess, nextChange } from '../connectors/attempts.js'
import { later, type StatusContext } from '../rule.js'

type Attempt = Rows['indexAttempts']
type Pair = Rows['connectorCredentials']

/** An attempt that follows from the clock, without a row. It finds changed documents, but no new ones. */
export interface Refresh extends Attempt {
  isRefresh: true
}

/** Milliseconds that indexing an association again takes. */
const refreshTime = 10_000
/** The highest number of documents that changed since the previous attempt. */
const mostChanged = 20

/** The attempts of a pair, on the current index and on the one that is being built, latest first. */
export function attemptsOf(context: StatusContext, pair: Pair): Attempt[] {
  const attempts = [...context.rows.indexAttempts.where('byPair', pair.id, { descending: true })]
  return [...refreshesOf(context, pair, attempts), ...attempts]
}

/** When the clock next changes one of a pair's attempts or starts another. Undefined: never. */
export function nextChangeOf(context: StatusContext, pair: Pair, attempts: readonly Attempt[]): string | undefined {
  const change = nextChange(context, attempts)
  const rhythm = rhythmOf(context, pair, attempts)
  if (!rhythm) return change
  const begins = later(timestamp(rhythm.ended), rhythm.pause)
  if (begins <= context.now) return change
  return change === undefined || begins < change ? begins : change
}

/** The refreshes after the latest attempt, by `refresh_freq`: the one in progress, and the last that ended. */
function refreshesOf(context: StatusContext, pair: Pair, attempts: readonly Attempt[]): Refresh[] {
  const rhythm = rhythmOf(context, pair, attempts)
  if (!rhythm) return []
  const { last, ended, pause } = rhythm
  const passed = Date.parse(context.now) - ended
  const round = pause + refreshTime
  const rounds = Math.floor(passed / round)
  const refresh = (number: number): Refresh => {
    const settles = ended + number * round
    const starts = timestamp(settles - refreshTime)
    const draw = Number.parseInt(uuidOf(context.seed + pair.id, number).slice(0, 8), 16)
    return {
      ...last,
      time_created: starts,
      starts_at: starts,
      settles_at: timestamp(Math.min(latest, settles)),
      settles_as: settledAs(pair, last),
      docs_indexed: settledAs(pair, last) === 'failed' ? 0 : draw % (mostChanged + 1),
      isRefresh: true
    }
  }
  const isUnderWay = passed - rounds * round >= pause
  return [...(isUnderWay ? [refresh(rounds + 1)] : []), ...(rounds > 0 ? [refresh(rounds)] : [])]
}

/** The attempt before a pair's next refresh, its end, and the pause after it in milliseconds. */
function rhythmOf(context: StatusContext, pair: Pair, attempts: readonly Attempt[]) {
  if (!isMoving(context)) return undefined
  const inUse = attempts.filter((attempt) => !attempt.secondary_index)
  const [last] = inUse
  if (!last?.settles_at || !isFinished(attemptStatus(context, last)) || !isActive(context, pair, inUse))
    return undefined
  const seconds = context.rows.connectors.get(pair.connector_id)?.refresh_freq ?? 0
  if (seconds <= 0 || !isRefreshing(context)) return undefined
  return { last, ended: Date.parse(last.settles_at), pause: seconds * 1000 }
}

export function isRefreshing(context: StatusContext): boolean {
  return context.assume('indexing.refresh') === 'by-refresh-freq'
}

/** Whether the pair has been indexed and is not stopped. */
function isActive(context: StatusContext, { status }: Pair, inUse: readonly Attempt[]): boolean {
  if (status === 'ACTIVE') return true
  const isNew = status === 'SCHEDULED' || status === 'INITIAL_INDEXING'
  return isNew && inUse.some((attempt) => isSuccess(attemptStatus(context, attempt)))
}

/** Ends like the previous attempt, unless that was a single failure. */
function settledAs({ in_repeated_error_state }: Pair, { settles_as }: Attempt): Attempt['settles_as'] {
  if (settles_as === 'failed') return in_repeated_error_state ? 'failed' : 'success'
  return settles_as === 'completed_with_errors' ? settles_as : 'success'
}
