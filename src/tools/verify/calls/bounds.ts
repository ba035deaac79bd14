import { setMaxListeners } from 'node:events'
import { clearTimeout, setTimeout } from 'node:timers'
import { realTime, Stopped, type Time } from './patience.js'
import type { Call } from './request.js'

/** The milliseconds for clean-up after the time of a run is over, or after it was interrupted. */
const cleanUpTime = 5000

/** Something is not checked because of the options, or because the run was ended. */
export class LeftOut extends Stopped {}

/** A call is not made because it may change something. The run reports it, and makes other calls. */
export class Withheld extends LeftOut {}

/** Whether a request may change something. Some operations only look, although their method is POST. */
export const isWrite = ({ method, operation }: Call): boolean =>
  method !== 'GET' && method !== 'HEAD' && !(operation.isReading && method === operation.method)

/** The bounds of a run: how much it may write, and how long it may take. They leave time for clean-up, which may always write. */
export class Bounds {
  /** Why no more checks are made. */
  over: string | undefined
  /** Why the run shows nothing. */
  problem: string | undefined
  /** How many calls may have changed something. */
  writes = 0
  /** The calls that were not made. */
  readonly withheld: Call[] = []
  /** A time whose sleep ends with the run. */
  readonly time: Time = {
    now: () => realTime.now(),
    sleep: (milliseconds) => realTime.sleep(milliseconds, this.signal)
  }
  private isCleaning = false
  private readonly checking = new AbortController()
  /** It includes the clean-up. */
  private readonly whole = new AbortController()
  private readonly timers: ReturnType<typeof setTimeout>[] = []

  /** `maxTime` is in seconds. */
  constructor(private readonly limits: { maxWrites: number; maxTime: number; signal?: AbortSignal | undefined }) {
    const { maxTime, signal } = limits
    setMaxListeners(0, this.checking.signal, this.whole.signal)
    if (maxTime < Infinity) {
      this.later(maxTime * 1000, () => this.stop('the time of the run is over: see --max-time', cleanUpTime))
    }
    const interrupt = () => this.fail('the run was interrupted.')
    if (signal?.aborted) interrupt()
    else signal?.addEventListener('abort', interrupt, { once: true })
  }

  /** Throws LeftOut if a call may not be made. Returns the signal that ends it. */
  admit(call: Call): AbortSignal {
    const { maxWrites } = this.limits
    this.checkTime()
    // A write that was sent is waited for: its answer names a row that may have to be removed.
    if (this.isCleaning) return this.whole.signal
    if (!isWrite(call)) return this.checking.signal
    if (this.writes >= maxWrites) {
      this.withheld.push(call)
      throw new Withheld('it changes something: see --max-writes')
    }
    this.writes++
    return this.whole.signal
  }

  /** Throws LeftOut if the run is over. */
  checkTime(): void {
    if (this.isCleaning ? this.whole.signal.aborted : this.over !== undefined) throw new LeftOut(this.over)
  }

  /** No more checks are made. Without a time, the clean-up may take as long as it needs. */
  stop(why: string, timeForCleanUp?: number): void {
    this.over ??= why
    this.checking.abort()
    if (timeForCleanUp !== undefined) this.later(timeForCleanUp, () => this.whole.abort())
  }

  /** The run shows nothing. `problem` is a sentence. */
  fail(problem: string): void {
    this.problem ??= problem
    this.stop(problem.replace(/\.$/, ''), cleanUpTime)
  }

  /** Does work that undoes what the run did, and may be done after it. */
  async cleaning<T>(work: () => Promise<T>): Promise<T> {
    const before = this.isCleaning
    this.isCleaning = true
    try {
      return await work()
    } finally {
      this.isCleaning = before
    }
  }

  /** What ends the present work. */
  get signal(): AbortSignal {
    return this.isCleaning ? this.whole.signal : this.checking.signal
  }

  /** Waits for work of the user's, but not longer than this, and not after the run. */
  async within<T>(work: T | Promise<T>, milliseconds: number): Promise<T> {
    const { signal } = this
    let end = () => {}
    const late = new Promise<never>((_, reject) => {
      const abort = () => reject(new LeftOut(this.over))
      const timer = setTimeout(() => reject(new Error(`it took longer than ${milliseconds / 1000} s`)), milliseconds)
      signal.addEventListener('abort', abort)
      end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
    })
    try {
      return await Promise.race([work, late])
    } finally {
      end()
    }
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer)
  }

  private later(milliseconds: number, work: () => void): void {
    this.timers.push(setTimeout(work, milliseconds))
  }
}
