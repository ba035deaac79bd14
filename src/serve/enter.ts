import { timestamp } from '../mock/sandbox/clock.js'
import type { Sandboxes } from '../mock/sandbox/sandboxes.js'
import { Schedule } from '../mock/sandbox/schedule.js'
import type { EntranceDecision } from './exchange.js'
import type { CallerOf } from './message/caller.js'
import { clientOf } from './message/client.js'
import { hardened } from './message/harden.js'
import type { AnswerHeaders, Request } from './message/message.js'
import { createRateLimit, type RateStore } from './message/rate.js'
import { isControlPath, readTarget } from './message/target.js'
import { createVisitorCookie, newVisitor } from './message/visitor-cookie.js'

export interface EntranceOptions {
  /** The public mode: each visitor gets a sandbox, and answers get security headers. */
  isPublic: boolean
  cookieSecret: string | undefined
  /** Requests per minute. 0: no limit. */
  rateLimit: number
  /** Where several processes count together. Undefined: this one counts alone. */
  rateStore: RateStore | undefined
  /** The number of proxies before the mock. */
  proxies: number
  /** Milliseconds between two full resets. Undefined: no resets. */
  resetEvery: number | undefined
  startAnew: () => void
  /** When the next full reset is. Undefined: the entrance looks after it. */
  nextReset: (() => number | undefined) | undefined
  sandboxes: Sandboxes
  callerOf: CallerOf
  /** Milliseconds since 1970. */
  realTime: () => number
}

/** Decides about a request before the first step. */
export type Entrance = (request: Request) => Promise<EntranceDecision>

/** The entrance for these options. Undefined if they need none, which then costs nothing. */
export function createEntrance(options: EntranceOptions): Entrance | undefined {
  const { isPublic, cookieSecret, rateLimit, proxies, resetEvery, startAnew, sandboxes, callerOf, realTime } = options
  const own = options.nextReset ? undefined : resetEvery
  if (!isPublic && rateLimit === 0 && resetEvery === undefined) return undefined
  const cookie = createVisitorCookie(cookieSecret)
  const limit = rateLimit > 0 ? createRateLimit(rateLimit, options.rateStore) : undefined
  const schedule = own === undefined ? undefined : new Schedule(own, realTime)
  const nextReset = options.nextReset ?? (() => schedule?.next)

  return async (request) => {
    if (schedule?.isDue()) startAnew()
    const { address, isSecure } = clientOf(request, proxies)
    const headers = isPublic ? hardened(isSecure) : {}
    const { path } = readTarget(request)
    const named = callerOf(request, path).sandbox
    // The control API has its own token, health checks are not visitors, and a preflight does nothing yet.
    if (isControlPath(path) || request.method === 'OPTIONS') {
      announce(headers, named ?? 'default')
      return { headers }
    }
    const known = isPublic ? cookie.read(request.headers.cookie, isSecure) : undefined
    const refusal = await limit?.(address, known)
    let seat: string | undefined
    // A visitor without a sandbox gets a new one.
    if (isPublic && !refusal && named === undefined) {
      seat = known ?? newVisitor()
      if (!known) headers['Set-Cookie'] = cookie.write(seat, isSecure)
    }
    announce(headers, named ?? seat ?? 'default')
    return { headers, seat, refusal }
  }

  /** Announces when the sandbox will be reset. */
  function announce(headers: AnswerHeaders, sandbox: string): void {
    const { idle } = sandboxes.limits
    const ends = [nextReset(), isPublic && idle > 0 && sandbox !== 'default' ? realTime() + idle : undefined]
    const first = Math.min(...ends.filter((end) => end !== undefined))
    if (Number.isFinite(first)) headers['X-Mock-Resets-At'] = timestamp(first)
  }
}
