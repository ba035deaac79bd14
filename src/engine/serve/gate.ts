import type { RateLimiterRes } from 'rate-limiter-flexible'
import { lazily } from '../contract/lazy.js'
import { Refusal } from '../contract/message/refusal.js'
import type { Operation } from '../contract/model.js'
import { timestamp } from '../sandbox/clock.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { type CallerOf, clientOf, isControlPath, networkOf, readTarget, sandboxOf } from './message/caller.js'
import { createOriginCheck } from './message/cors.js'
import type { AnswerHeaders, Request } from './message/message.js'
import { createVisitorCookie, newVisitor } from './message/visitor-cookie.js'

export interface GateOptions {
  /** The public mode: each visitor gets a sandbox, and answers get security headers. */
  isPublic: boolean
  cookieSecret: string | undefined
  /** Points per minute. 0: no limit. */
  rateLimit: number
  /** The count that several processes share. Undefined: this one counts only its own. */
  rateStore: RateStore | undefined
  proxies: number
  /** Milliseconds between two full resets. Undefined: no resets. */
  resetEvery: number | undefined
  startAnew: () => void
  /** When the next full reset is. Undefined: the gate looks after it. */
  nextReset: (() => number | undefined) | undefined
  corsOrigin: readonly string[]
  /** The operation of the control API that a request calls. */
  controlOperation: (method: string, path: string) => Operation | undefined
  sandboxes: Sandboxes
  callerOf: CallerOf
  /** Milliseconds since 1970. */
  realTime: () => number
}

/** What is decided about a request before the first step. */
export interface Entry {
  headers?: AnswerHeaders
  /** The sandbox for a request that names none. */
  visitorSandbox?: string | undefined
  /** Whether it comes from a client. Then its sandbox is in use. */
  isVisit?: boolean
  /** Why it is refused, no matter what it asks for. */
  refusal?: Refusal | undefined
  unreachable?: Refusal | undefined
  /** Its sandbox does not exist, and it may not create it. It is answered as if in a new one, which is not kept. */
  isUnmade?: boolean
  /** It concerns no sandbox. */
  isOutside?: boolean
}

/** The one place that every request from outside passes, at any door. It decides on origin, rate, cost and sandbox. */
export interface Gate {
  /** Whether only calls of the control API need a decision. */
  isOpen: boolean
  decide: (request: Request) => Entry | Promise<Entry>
}

/** A request about which nothing has to be decided. */
const open: Entry = {}

export function createGate(options: GateOptions): Gate {
  const { isPublic, rateLimit, proxies, resetEvery, startAnew, sandboxes, callerOf, realTime } = options
  const cookie = createVisitorCookie(options.cookieSecret)
  const foreign = createForeignCheck(options.corsOrigin)
  const limit = rateLimit > 0 ? createRateLimit(rateLimit, options.rateStore) : undefined
  const newSandboxes = isPublic ? createNewSandboxLimit(sandboxes) : undefined
  const schedule = options.nextReset || resetEvery === undefined ? undefined : new Schedule(resetEvery, realTime)
  const nextReset = options.nextReset ?? (() => schedule?.next)
  const isOpen = !isPublic && rateLimit === 0 && resetEvery === undefined

  const decide: Gate['decide'] = (request) => {
    const target = readTarget(request)
    const isControl = isControlPath(target.path)
    const operation = isControl ? options.controlOperation(request.method, target.path) : undefined
    const hasScenario = operation?.redirect === true && new URLSearchParams(target.search).has('scenario')
    const refusal = isControl ? foreign(request, target.host, operation, hasScenario) : undefined
    if (isOpen) return refusal ? { refusal } : open
    return decided(request, target.path, { operation, hasScenario, refusal })
  }
  return { isOpen, decide }

  async function decided(
    request: Request,
    path: string,
    of: { operation: Operation | undefined; hasScenario: boolean; refusal: Refusal | undefined }
  ): Promise<Entry> {
    if (schedule?.isDue()) startAnew()
    const { operation, hasScenario } = of
    const { address, isSecure } = clientOf(request, proxies)
    const headers = isPublic ? hardened(isSecure) : {}
    const visitor = isPublic ? cookie.read(request.headers.cookie, isSecure) : undefined
    const cost = operation?.redirect && !hasScenario ? 1 : (operation?.cost ?? 1)
    let { refusal } = of
    // Probes ask for health, and a preflight does nothing yet.
    const isFree = request.method === 'OPTIONS' || operation?.id === 'getHealth'
    if (!isFree) refusal ??= await limit?.(address, visitor, cost)
    const sandbox = sandboxOf(request, callerOf)
    const isVisit = !isControlPath(path) || operation?.redirect === true
    const isVisitor = isPublic && !isFree && isVisit && sandbox === undefined
    const visitorSandbox = isVisitor ? (visitor ?? newVisitor()) : undefined
    const name = sandbox ?? visitorSandbox ?? 'default'
    const mayMake = !isFree && (operation ? operation.method !== 'GET' || hasScenario : !isControlPath(path))
    if (mayMake) refusal ??= await newSandboxes?.(address, name)
    if (isVisitor && !visitor && !refusal) headers['Set-Cookie'] = cookie.write(name, isSecure)
    announce(headers, name)
    return { headers, visitorSandbox, refusal, isVisit: true }
  }

  function announce(headers: AnswerHeaders, sandbox: string): void {
    const { idle } = sandboxes.limits
    const ends = [nextReset(), isPublic && idle > 0 && sandbox !== 'default' ? realTime() + idle : undefined]
    const first = Math.min(...ends.filter((end) => end !== undefined))
    if (Number.isFinite(first)) headers['X-Mock-Resets-At'] = timestamp(first)
  }
}

/**
 * Refuses requests of pages on other sites to the control API. Scripts name their origin, but images, frames and links do not.
 * For these, browsers say in Sec-Fetch-* who asks and what for, over TLS and to this machine; elsewhere Referer and Accept
 * decide. A person may follow a link to a page, or to a sign-in that plays no scenario.
 */
function createForeignCheck(corsOrigin: readonly string[]) {
  const isGood = createOriginCheck(corsOrigin)
  return (
    { method, headers }: Request,
    host: string | undefined,
    operation: Operation | undefined,
    hasScenario: boolean
  ): Refusal | undefined => {
    const { origin, referer, accept, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers
    // A foreign preflight gets no CORS headers.
    if (method === 'OPTIONS') return undefined
    if (origin !== undefined) return isGood(origin, host) ? undefined : new Refusal('foreign-origin', { origin })
    const isPrefetch = /prefetch/.test(String(headers['sec-purpose'] ?? headers.purpose ?? ''))
    if (operation?.redirect && (mode === 'no-cors' || isPrefetch)) return new Refusal('foreign-page')
    const page = typeof referer === 'string' && URL.canParse(referer) ? new URL(referer).origin : undefined
    const isOwn = page === undefined ? site === undefined || site !== 'cross-site' : isGood(page, host)
    if (isOwn || (site !== undefined && site !== 'cross-site')) return undefined
    const isFollowed =
      site === undefined ? String(accept).includes('text/html') : mode === 'navigate' && dest === 'document'
    return isFollowed && !hasScenario ? undefined : new Refusal('foreign-page')
  }
}

/** The number of visitors who may share one address, as in an office or a school. */
const visitorsPerAddress = 5

/** Where several processes count together. */
export interface RateStore {
  /** The part of a Redis client that we use. */
  client: { eval(script: string, given: { keys: string[]; arguments: string[] }): Promise<unknown> }
  prefix: string
}

const limiters = () => lazily('rate-limiter-flexible') as typeof import('rate-limiter-flexible')

/**
 * Limits points per minute: for each visitor, and several times as many for one address. Before the first cookie, the address
 * counts. Returns the refusal of a request above the limit. While the store is down, each process counts only its own.
 */
function createRateLimit(perMinute: number, store: RateStore | undefined) {
  const { RateLimiterMemory, RateLimiterRedis } = limiters()
  const limits = { visitor: perMinute, address: visitorsPerAddress * perMinute }
  const limiterOf = (who: keyof typeof limits) => {
    const limit = { points: limits[who], duration: 60 }
    const alone = new RateLimiterMemory(limit)
    if (!store) return alone
    return new RateLimiterRedis({
      ...limit,
      storeClient: store.client,
      useRedisPackage: true,
      keyPrefix: `${store.prefix}:${who}`,
      inMemoryBlockOnConsumed: limit.points,
      insuranceLimiter: alone
    })
  }
  const [visitors, addresses] = [limiterOf('visitor'), limiterOf('address')]

  return async (address: string, visitor: string | undefined, cost: number): Promise<Refusal | undefined> => {
    const network = networkOf(address)
    const who = visitor === undefined ? 'address' : 'visitor'
    // A call that costs more than a minute's points would never be allowed.
    const points = Math.min(cost, perMinute)
    return (
      (await over(visitors.consume(visitor ?? network, points), (seconds) => {
        return new Refusal('rate-limited', { limit: limits.visitor, who, seconds })
      })) ??
      (await over(addresses.consume(network, points), (seconds) => {
        return new Refusal('rate-limited', { limit: limits.address, who: 'address', seconds })
      }))
    )
  }
}

/** The time in which one address may start only a part of all sandboxes. */
const minutesOfNew = 10
const shareOfNew = 0.1
const leastNew = 20
const mostRemembered = 10_000

/** Limits how many sandboxes an address may start. Returns the refusal of one too many. */
function createNewSandboxLimit(sandboxes: Sandboxes) {
  const limit = Math.max(leastNew, Math.floor(sandboxes.limits.count * shareOfNew))
  const limiter = new (limiters().RateLimiterMemory)({ points: limit, duration: minutesOfNew * 60 })
  /** Sandboxes that were started. They may live in another process. */
  const begun = new Set<string>()
  return async (address: string, name: string): Promise<Refusal | undefined> => {
    if (name === 'default' || begun.has(name) || sandboxes.find(name)) return undefined
    const refusal = await over(limiter.consume(networkOf(address)), (seconds) => {
      return new Refusal('too-many-new', { limit, minutes: minutesOfNew, seconds })
    })
    if (refusal) return refusal
    begun.add(name)
    for (const oldest of begun) {
      if (begun.size <= mostRemembered) break
      begun.delete(oldest)
    }
    return undefined
  }
}

/** The refusal, if a limiter rejects a request. */
async function over(consumed: Promise<unknown>, refusal: (seconds: number) => Refusal): Promise<Refusal | undefined> {
  try {
    await consumed
    return undefined
  } catch (error) {
    if (error instanceof Error) throw error
    return refusal(Math.ceil((error as RateLimiterRes).msBeforeNext / 1000))
  }
}

const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY'
}

/** Security headers for browsers. Pages replace the policy with their own. */
function hardened(isSecure: boolean): AnswerHeaders {
  return isSecure ? { ...securityHeaders, 'Strict-Transport-Security': 'max-age=31536000' } : { ...securityHeaders }
}

/** The times of full resets. There is no timer: each request asks whether one is due. */
export class Schedule {
  /** Milliseconds since 1970. */
  next: number

  /** `every`: milliseconds. */
  constructor(
    private readonly every: number,
    private readonly realTime: () => number
  ) {
    this.next = realTime() + every
  }

  /** Whether a reset is due. Afterwards the next one is due at the end of a whole interval. */
  isDue(): boolean {
    const late = this.realTime() - this.next
    if (late < 0) return false
    this.next += (Math.floor(late / this.every) + 1) * this.every
    return true
  }
}
