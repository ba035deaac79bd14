import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import type { Engine } from './client/engine.js'
import type { Eras } from './client/eras.js'
import { EngineRefuses, refusalOf } from './client/errors.js'

/** A life of a process, and where it is reached. */
export type Life = [life: string, address: string]

type Time = [seconds: string, microseconds: string]

/** See the script. Without `time` the lease has ended. */
interface Renewal {
  born: number
  time?: Time
  eras: Eras
  begun: boolean
  lives: Life[]
  problem: string
}

/** The share of a lease after which memory may be out of date. */
export const share = 0.7

const never = Number.NEGATIVE_INFINITY

export function nodeOf(life: string): string {
  return life.split('.', 1)[0] as string
}

interface LeaseListener {
  /** A life has ended, and the next one has not begun. */
  ended: () => void
  /** The engine has lost everything. Only what is in memory is left. */
  emptied: () => void
  begun: () => void
  /** The eras have changed. `isOwn`: this process has begun one that was due. */
  turned: (isOwn: boolean) => void
  lives: (all: Life[]) => void
}

/**
 * The lease of this process: a key in the engine that expires. It is renewed as long as it exists. If it has ended, another
 * process may own this one's sandboxes, so it is never continued: a new life begins, with nothing in memory.
 */
export class Lease {
  readonly node = randomBytes(4).toString('hex')
  eras: Eras = { all: 0, others: 0, next: 0, emptied: 0, lost: 0 }
  /** It has nothing that others could ask for, so its address is hidden from them. */
  isHidden = false
  private lives = 0
  private address = ''
  private isTaken = false
  private isClosed = false
  /** When the last renewal that arrived was sent, by both clocks. */
  private sent = { monotonic: never, wall: 0 }
  /** The engine's time in its last answer, the moment here, and how long that answer took. */
  private heard = { engine: 0, monotonic: 0, late: 0 }
  /** Identifies the engine's data: when a process first used it, by its time. 0: unknown. */
  private born = 0
  /** The moment at which this process noticed that the data is new. */
  private emptiedAt = never
  /** Why the engine takes no changes. */
  private refusal: string | undefined
  private timer: NodeJS.Timeout | undefined
  private isTicking = false
  private isToLook = false
  private waiting: { resolve: () => void; reject: (error: Error) => void }[] = []

  constructor(
    private readonly engine: Engine,
    /** Milliseconds. */
    readonly length: number,
    /** Milliseconds of an era. 0: none ends automatically. */
    private readonly every: number,
    private readonly on: LeaseListener
  ) {}

  get life(): string {
    return `${this.node}.${this.lives}`
  }

  isOwn(life: string): boolean {
    return nodeOf(life) === this.node
  }

  /** Begins the first life. `address`: where others reach this process. */
  async begin(address: string): Promise<void> {
    this.address = address
    await this.tick()
    if (!this.isTaken) throw new Error(`${this.engine.address.name} gave no lease.`)
  }

  /** Whether no other process can have claimed what this one owns. By both clocks, because sleep stops one of them. */
  get isGood(): boolean {
    const most = share * this.length
    const wall = Date.now() - this.sent.wall
    return performance.now() - this.sent.monotonic < most && wall >= 0 && wall < most
  }

  /** Why this process cannot keep changes now, or cannot even read. Undefined: it can. */
  get problem(): string | undefined {
    return this.refusal ?? (this.isGood ? undefined : 'the engine of --data does not answer')
  }

  /** Whether the engine still has the data of the last renewal. `born`: when these began. */
  isOf(born: string | null): boolean {
    return Number(born) === this.born
  }

  /** Whether other processes may not have said yet which sandboxes the engine has lost. */
  get isJustEmptied(): boolean {
    return performance.now() - this.emptiedAt < this.length / 2
  }

  /** Checks soon whether the engine takes changes. A refused change is the problem until a renewal says otherwise. */
  look(refused?: EngineRefuses): void {
    if (refused) {
      this.refusal = refused.message
      this.isToLook = true
    }
    this.soon(0)
  }

  /** The engine may have lost everything, this lease too: nothing is answered or written before the next renewal. */
  doubt(): void {
    this.sent = { monotonic: never, wall: 0 }
    this.soon(0)
  }

  /** Resolves with the next renewal. Rejects if the life ends, or if the engine does not answer for a lease. */
  confirmed(): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the engine does not answer')), this.length)
      const settle = (error?: Error) => {
        clearTimeout(late)
        if (error) reject(error)
        else resolve()
      }
      this.waiting.push({ resolve: () => settle(), reject: settle })
      this.soon(0)
    })
  }

  /** The engine's time, in whole milliseconds. It may be a little early, and is never late. Machines' clocks do not change it. */
  get engineTime(): number {
    return Math.floor(this.engineTimeAt(performance.now()))
  }

  /** How much later the engine's time may be, in whole milliseconds: as long as its last answer took. */
  get late(): number {
    return Math.ceil(this.heard.late)
  }

  /** Learns the engine's time before the first life. */
  async readTime(): Promise<void> {
    const sent = performance.now()
    this.hear((await this.engine.ask('TIME')) as Time, sent)
  }

  /** A slow answer has an early time, so the latest time counts. `sent`: the moment of the question. */
  hear([seconds, micros]: Time, sent: number): void {
    const time = Number(seconds) * 1000 + Number(micros) / 1000
    const monotonic = performance.now()
    const current = this.engineTimeAt(monotonic)
    // If they differ by more, the engine's clock was changed.
    const engine = current > time && current - time < this.length ? current : time
    this.heard = { engine, monotonic, late: monotonic - sent }
  }

  private engineTimeAt(moment: number): number {
    return this.heard.engine + moment - this.heard.monotonic
  }

  /** Ends the life. Others can then claim without waiting. */
  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.engine.ask('DEL', this.engine.key('node', this.life)).catch(() => {})
    await this.engine.ask('ZREM', this.engine.key('nodes'), this.life).catch(() => {})
  }

  private soon(milliseconds: number): void {
    if (this.isTicking || this.isClosed) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.tick(), milliseconds).unref()
  }

  private async tick(): Promise<void> {
    if (this.isTicking || this.isClosed) return
    this.isTicking = true
    this.isToLook = false
    let next = this.length / 4
    try {
      await this.renew()
      if (this.waiting.length > 0 || this.isToLook) next = 0
    } catch (error) {
      next = this.length / 20
      if (error instanceof EngineRefuses) {
        this.refusal = error.message
        for (const { reject } of this.waiting.splice(0)) reject(error)
      }
    }
    this.isTicking = false
    this.soon(next)
  }

  private async renew(): Promise<void> {
    const { engine, isTaken, on } = this
    const sent = { monotonic: performance.now(), wall: Date.now() }
    // Those that begin to wait meanwhile need a later one.
    const heard = this.waiting.length
    const keys = [engine.key('node', this.life), ...['nodes', 'eras', 'lost'].map((it) => engine.key(it))]
    const address = this.isHidden ? '' : this.address
    const mode = isTaken ? 'XX' : 'NX'
    const reply = await engine.run('lease', keys, address, this.length, mode, this.life, this.every)
    const { born, time, eras, begun, lives, problem } = JSON.parse(reply as string) as Renewal
    // The lease of this process is gone, like everything that an engine has lost.
    if (this.born > 0 && born !== this.born && !(isTaken && time)) {
      this.emptiedAt = performance.now()
      on.emptied()
    }
    this.born = born
    this.isTaken = time !== undefined
    if (!time) {
      this.doubt()
      on.ended()
      this.lives += 1
      const error = new Error('the lease has ended')
      for (const { reject } of this.waiting.splice(0)) reject(error)
      throw error
    }
    if (!this.isToLook) this.refusal = problem === '' ? undefined : refusalOf(problem).message
    this.sent = sent
    this.hear(time, sent.monotonic)
    const before = this.eras
    this.eras = eras
    if (eras.all !== before.all || eras.others !== before.others) on.turned(begun)
    on.lives(lives)
    if (!isTaken) on.begun()
    for (const { resolve } of this.waiting.splice(0, heard)) resolve()
  }
}
