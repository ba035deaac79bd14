import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Refusal } from '../contract/refusal.js'
import { readBearer } from '../http/bearer.js'
import { clientOf } from '../http/client.js'
import { harden } from '../http/harden.js'
import { createRateLimit } from '../http/rate.js'
import { readTarget } from '../http/target.js'
import { createVisitorCookie, newVisitor } from '../http/visitor-cookie.js'
import { timestamp } from '../mock/clock.js'
import type { Sandboxes } from '../mock/sandboxes.js'
import { Schedule } from '../mock/schedule.js'
import { isControlPath } from './control.js'

export interface EntranceOptions {
  /** Anybody may visit: each visitor gets a sandbox, and answers are hardened. */
  isPublic: boolean
  cookieSecret: string | undefined
  /** Requests a minute; 0: any number. */
  rateLimit: number
  /** How many proxies stand before the mock. */
  proxies: number
  /** After so many milliseconds all starts anew; undefined: never. */
  resetEvery: number | undefined
  startAnew: () => void
  sandboxes: Sandboxes
  /** Milliseconds since 1970. */
  realTime: () => number
}

/** What requests pass before the pipeline. */
export interface Entrance {
  /** Resolves when the request may go on: to be answered, or to be refused. */
  pass(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Why a request that passed is to be refused. */
  refusalOf(request: IncomingMessage): Refusal | undefined
}

/** The entrance that the options ask for; undefined: requests go straight to the pipeline. */
export function createEntrance(options: EntranceOptions): Entrance | undefined {
  const { isPublic, cookieSecret, rateLimit, proxies, resetEvery, startAnew, sandboxes, realTime } = options
  if (!isPublic && rateLimit === 0 && resetEvery === undefined) return undefined
  const cookie = createVisitorCookie(cookieSecret)
  const limit = rateLimit > 0 ? createRateLimit(rateLimit) : undefined
  const schedule = resetEvery === undefined ? undefined : new Schedule(resetEvery, realTime)
  const refusals = new WeakMap<IncomingMessage, Refusal>()

  const pass: Entrance['pass'] = async (request, response) => {
    if (schedule?.isDue()) startAnew()
    const { address, isSecure } = clientOf(request, proxies)
    if (isPublic) harden(response, isSecure)
    // The control API has its token, probes of health are no visitors, and a preflight asks for nothing yet.
    if (isControlPath(readTarget(request).path) || request.method === 'OPTIONS') return announce(response, 'default')
    const known = isPublic ? cookie.read(request.headers.cookie, isSecure) : undefined
    const tooMany = await limit?.(address, known)
    if (tooMany) refusals.set(request, tooMany)
    else if (isPublic) seat(request, response, known, isSecure)
    announce(response, readBearer(request).sandbox ?? 'default')
  }

  /** Gives a visitor who names no sandbox one of its own; what comes after sees it as named. */
  const seat = (request: IncomingMessage, response: ServerResponse, known: string | undefined, isSecure: boolean) => {
    if (readBearer(request).sandbox !== undefined) return
    const name = known ?? newVisitor()
    if (!known) response.setHeader('Set-Cookie', cookie.write(name, isSecure))
    request.headers['x-mock-sandbox'] = name
  }

  /** Says when the sandbox starts anew if nobody comes before. */
  const announce = (response: ServerResponse, sandbox: string): void => {
    const { idle } = sandboxes.limits
    const ends = [schedule?.next, isPublic && idle > 0 && sandbox !== 'default' ? realTime() + idle : undefined]
    const first = Math.min(...ends.filter((end) => end !== undefined))
    if (Number.isFinite(first)) response.setHeader('X-Mock-Resets-At', timestamp(first))
  }

  return { pass, refusalOf: (request) => refusals.get(request) }
}
