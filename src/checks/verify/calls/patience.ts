import { setTimeout } from 'node:timers'
import { Stopped } from './stopped.js'

/** What a server says of its load. */
interface Told {
  status: number
  headers: { 'retry-after'?: string | undefined }
}

export interface Time {
  now(): number
  sleep(milliseconds: number): Promise<void>
}

export const realTime: Time = {
  now: Date.now,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** How often one request is sent again at most. */
const mostTries = 12

/**
 * Waits where a server says that it has too much to do: 429, or 503 with Retry-After. From then on requests go out one
 * after the other. A run waits for so long in all, and then makes no request that the server limits.
 */
export class Patience {
  /** How many requests were told to wait, and for how long it was waited, in milliseconds. */
  times = 0
  waited = 0
  private until = 0
  private last: Promise<unknown> = Promise.resolve()
  private isExhausted = false

  constructor(
    private readonly most = 60_000,
    private readonly time: Time = realTime
  ) {}

  /** Gives the first reply that is not about the load. Throws Stopped where that takes too long. */
  send<T extends Told>(send: () => Promise<T>): Promise<T> {
    if (this.times === 0) return this.patient(send)
    const turn = this.last.then(() => this.patient(send))
    this.last = turn.catch(() => undefined)
    return turn
  }

  private async patient<T extends Told>(send: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      const left = this.until - this.time.now()
      if (left > 0) await this.time.sleep(left)
      const reply = await send()
      const wait = waitOf(reply, this.time.now(), tries)
      if (wait === undefined) return reply
      this.times++
      this.hold(wait)
      if (this.isExhausted || tries >= mostTries) {
        throw new Stopped(`the server limits the rate of requests (${reply.status})`)
      }
    }
  }

  /** Requests at the same time are told the same: they wait together. */
  private hold(wait: number): void {
    const now = this.time.now()
    const more = Math.max(0, now + wait - Math.max(this.until, now))
    if (this.waited + more > this.most) this.isExhausted = true
    if (this.isExhausted) return
    this.waited += more
    this.until = Math.max(this.until, now + wait)
  }
}

/** How long a reply asks to wait, in milliseconds; undefined where it is about something else. */
function waitOf({ status, headers }: Told, now: number, tries: number): number | undefined {
  const told = headers['retry-after']
  if (status !== 429 && !(status === 503 && told !== undefined)) return undefined
  if (told !== undefined && /^\s*\d+\s*$/.test(told)) return Math.max(Number(told) * 1000, 20)
  const moment = Date.parse(told ?? '')
  return Number.isNaN(moment) ? 250 * 2 ** Math.min(tries, 5) : Math.max(moment - now, 20)
}
