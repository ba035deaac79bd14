import { setTimeout } from 'node:timers/promises'

/** The answers of a service, or of the gateway before it, that cannot serve now. They show nothing about the contract. */
export const isOverload = (status: number): boolean => [429, 502, 503, 504].includes(status)

/** The parts of a reply that show overload. */
interface LoadAnswer {
  status: number
  headers: { 'retry-after'?: string | undefined }
}

export interface Time {
  now(): number
  /** It ends with the signal. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export const realTime: Time = {
  now: Date.now,
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, signal && { signal }).catch(() => undefined)
}

/** The highest number of attempts per request. */
const mostTries = 12

/**
 * Waits when the server reports overload: 429, or 503 with Retry-After. After that, requests are sent one after another. The
 * total wait is limited; after that, limited requests are no longer sent.
 */
export class Patience {
  /** How many requests had to wait, and the total wait in milliseconds. */
  times = 0
  waited = 0
  private until = 0
  private last: Promise<unknown> = Promise.resolve()
  private isExhausted = false

  constructor(
    private readonly most = 60_000,
    private readonly time: Time = realTime
  ) {}

  /** Returns the first reply that is not about load. Throws Stopped if that takes too long. */
  send<T extends LoadAnswer>(send: () => Promise<T>): Promise<T> {
    if (this.times === 0) return this.patient(send)
    const turn = this.last.then(() => this.patient(send))
    this.last = turn.catch(() => undefined)
    return turn
  }

  private async patient<T extends LoadAnswer>(send: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      const delay = this.until - this.time.now()
      if (delay > 0) await this.time.sleep(delay)
      const reply = await send()
      const wait = waitOf(reply, this.time.now(), tries)
      if (wait === undefined) return reply
      this.times++
      this.postpone(wait)
      if (this.isExhausted || tries >= mostTries) {
        throw new Stopped(`the server limits the rate of requests (${reply.status})`, true)
      }
    }
  }

  /** Concurrent requests get the same answer, so they wait together. */
  private postpone(wait: number): void {
    const now = this.time.now()
    const more = Math.max(0, now + wait - Math.max(this.until, now))
    if (this.waited + more > this.most) this.isExhausted = true
    if (this.isExhausted) return
    this.waited += more
    this.until = Math.max(this.until, now + wait)
  }
}

/** Milliseconds that a reply asks to wait. Undefined if it is not about load. */
function waitOf({ status, headers }: LoadAnswer, now: number, tries: number): number | undefined {
  const retryAfter = headers['retry-after']
  if (status !== 429 && !(status === 503 && retryAfter !== undefined)) return undefined
  if (retryAfter !== undefined && /^\s*\d+\s*$/.test(retryAfter)) return Math.max(Number(retryAfter) * 1000, 20)
  const moment = Date.parse(retryAfter ?? '')
  return Number.isNaN(moment) ? 250 * 2 ** Math.min(tries, 5) : Math.max(moment - now, 20)
}

/** The current work cannot continue. The message says what could not be checked. None: a finding says it. */
export class Stopped extends Error {
  constructor(
    message?: string,
    /** Whether the service did not answer, or answered that it cannot serve now. */
    readonly isLost = false
  ) {
    super(message)
  }
}

/** The same, and the service may have done what the request asks. */
export class Unanswered extends Stopped {}

/** Why there is no answer. `broken`: the connection ended, or it is no HTTP. `unread`: only this client cannot read it. */
export type Silence = 'late' | 'absent' | 'broken' | 'unread' | 'unreadable'

/** The target cannot be tested. The message gives the reason in one sentence. */
export class Unreachable extends Error {
  constructor(
    message: string,
    readonly silence: Silence = 'broken'
  ) {
    super(message)
  }
}
