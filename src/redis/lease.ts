import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import type { Engine } from './engine/engine.js'
import type { Eras } from './engine/eras.js'
import { EngineRefuses, refusalOf } from './engine/errors.js'

type LeaseReply =
  | [born: string]
  | [
      born: string,
      time: [string, string],
      eras: [number, number, number],
      begun: number,
      lives: string[],
      emptied: number,
      lost: number,
      problem: string
    ]

/** The share of a lease after which memory may be out of date. */
export const share = 0.7

/** Receives the results of renewals. */
export interface LeaseListener {
  /** A life has ended, and the next one has not begun. */
  ended: () => void
  /** The engine has lost everything. Only what is in memory is left. */
  emptied: () => void
  /** A life has begun. */
  begun: () => void
  /** The eras have changed. `isOwn`: this process has begun one that was due. */
  turned: (isOwn: boolean) => void
  /** Lives and their addresses, alternating. */
  lives: (all: string[]) => void
}

/**
 * The lease of this process: a key in the engine that expires. It is renewed as long as it exists. If it has ended, another
 * process may own this one's sandboxes, so it is never continued: a new life begins, with nothing in memory.
 */
export class Lease {
  /** Identifies this process. */
  readonly node = randomBytes(4).toString('hex')
  private lives = 0
  /** When the last renewal that arrived was sent, by both clocks. */
  private sent = { monotonic: Number.NEGATIVE_INFINITY, wall: 0 }
  /** The engine's time in that renewal, and the moment here. */
  private told = { engine: 0, monotonic: 0, late: 0 }
  private timer: NodeJS.Timeout | undefined
  private waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  private isClosed = false
  private value = ''
  /** It has nothing that others could ask for, so its address is hidden from them. */
  isHidden = false
  private isTaken = false

  constructor(
    private readonly engine: Engine,
    /** Milliseconds. */
    readonly length: number,
    /** Milliseconds of an era. 0: none ends automatically. */
    private readonly every: number,
    private readonly on: LeaseListener
  ) {}

  /** The eras in the last renewal. */
  eras: Eras = { all: 0, others: 0, next: 0, emptied: 0, lost: 0 }

  /** Identifies the engine's data: when a process first used it, by its time. 0: unknown. */
  private born = 0
  /** The moment at which this process noticed that the data is new. */
  private emptiedAt = Number.NEGATIVE_INFINITY
  /** Why the engine takes no changes. */
  private refusal: string | undefined

  /** Identifies this life of the process. */
  get life(): string {
    return `${this.node}.${this.lives}`
  }

  isOwn(life: string): boolean {
    return life.startsWith(`${this.node}.`)
  }

  /** Begins the first life. `address`: where others reach this process. */
  async begin(address: string): Promise<void> {
    this.value = address
    await this.tick()
    if (!this.isTaken) throw new Error(`${this.engine.address.name} gave no lease.`)
  }

  /** Whether no other process can have claimed what this one owns. By both clocks, because sleep stops one of them. */
  get isGood(): boolean {
    const wall = Date.now() - this.sent.wall
    return performance.now() - this.sent.monotonic < share * this.length && wall >= 0 && wall < share * this.length
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

  /**
   * Checks soon whether the engine takes changes. A refused change is the problem at once, until a later renewal says
   * otherwise.
   */
  look(refused?: EngineRefuses): void {
    if (refused) {
      this.refusal = refused.message
      this.isToLook = true
    }
    this.soon(0)
  }

  /** The engine may have lost everything, this lease too: nothing is answered or written before the next renewal. */
  doubt(): void {
    this.sent = { monotonic: Number.NEGATIVE_INFINITY, wall: 0 }
    this.soon(0)
  }

  /** Resolves with the next renewal. Rejects if the life ends, or if the engine does not answer for a lease. */
  confirmed(): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the engine does not answer')), this.length)
      const over = (settle: () => void) => () => {
        clearTimeout(late)
        settle()
      }
      this.waiting.push({ resolve: over(resolve), reject: (error) => over(() => reject(error))() })
      this.soon(0)
    })
  }

  /** A moment of this process, in milliseconds. */
  get moment(): number {
    return performance.now()
  }

  /** The engine's time, in milliseconds. It may be a little early, and is never late. */
  get engineTime(): number {
    return this.told.engine + performance.now() - this.told.monotonic
  }

  /** The time source of the sandboxes' clocks, in whole milliseconds. A machine's clock may be changed while it is in use. */
  get realTime(): number {
    return Math.floor(this.engineTime)
  }

  /** How much later the engine's time may be, in whole milliseconds: as long as its last answer took. */
  get late(): number {
    return Math.ceil(this.told.late)
  }

  /** Learns the engine's time before the first life. */
  async readTime(): Promise<void> {
    const sent = this.moment
    this.hear((await this.engine.ask('TIME')) as [string, string], sent)
  }

  /** A slow answer has an early time, so the latest time counts. `sent`: the `moment` of the question. */
  hear([seconds, micros]: [string, string], sent: number): void {
    const heard = Number(seconds) * 1000 + Number(micros) / 1000
    const known = this.engineTime
    // If they differ by more, the engine's clock was changed.
    const engine = known > heard && known - heard < this.length ? known : heard
    const monotonic = performance.now()
    this.told = { engine, monotonic, late: monotonic - sent }
  }

  /** Ends the life. Others can then claim without waiting. */
  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.engine.ask('DEL', this.engine.key('node', this.life)).catch(() => {})
    await this.engine.ask('ZREM', this.engine.key('nodes'), this.life).catch(() => {})
  }

  private isTicking = false
  private isToLook = false

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

  /** `isNew`: the lease of this process is gone, like everything that an engine has lost. */
  private noteBorn(born: number, isNew: boolean): void {
    if (this.born > 0 && born !== this.born && isNew) {
      this.emptiedAt = performance.now()
      this.on.emptied()
    }
    this.born = born
  }

  private async renew(): Promise<void> {
    const { engine, length } = this
    const sent = { monotonic: performance.now(), wall: Date.now() }
    // Callers that begin to wait meanwhile need a later one.
    const heard = this.waiting.length
    const mode = this.isTaken ? 'XX' : 'NX'
    const keys = [engine.key('node', this.life), ...['nodes', 'eras', 'lost'].map((it) => engine.key(it))]
    const address = this.isHidden ? '' : this.value
    const told = (await engine.run('lease', keys, address, length, mode, this.life, this.every)) as LeaseReply
    this.noteBorn(Number(told[0]), mode === 'NX' || told.length === 1)
    if (told.length > 1) {
      const [, time, [all, others, next], begun, lives, emptied, lost, problem] = told as Extract<
        LeaseReply,
        { length: 8 }
      >
      if (!this.isToLook) this.refusal = problem === '' ? undefined : refusalOf(problem).message
      this.sent = sent
      this.hear(time, sent.monotonic)
      const isNew = !this.isTaken
      this.isTaken = true
      const before = this.eras
      this.eras = { all, others, next, emptied, lost }
      if (all !== before.all || others !== before.others) this.on.turned(begun === 1)
      this.on.lives(lives)
      if (isNew) this.on.begun()
      for (const { resolve } of this.waiting.splice(0, heard)) resolve()
      return
    }
    this.isTaken = false
    this.doubt()
    this.on.ended()
    this.lives += 1
    for (const { reject } of this.waiting.splice(0)) reject(new Error('the lease has ended'))
    throw new Error('the lease has ended')
  }
}
