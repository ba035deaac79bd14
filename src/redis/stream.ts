import { performance } from 'node:perf_hooks'
import { Refusal } from '../engine/contract/message/refusal.js'
import type { LogItem } from '../engine/keep/log-items.js'
import { SandboxMoved } from '../engine/sandbox/sandboxes.js'
import type { Counts } from './counts.js'
import type { Engine, Entry } from './engine/engine.js'
import { EngineFull, EngineRefuses, Fenced, NotDone, TooFewCopies } from './engine/errors.js'
import type { Lease } from './lease.js'

interface StreamWrite {
  items: LogItem[]
  /** What must be in the engine first. */
  before: Promise<unknown> | undefined
  takeBack: () => void
  written: () => void
  failed: (error: unknown) => void
}

export interface StreamParts {
  engine: Engine
  lease: Lease
  counts: Counts
  /** The content of a claim. */
  claimant: (name: string) => string
  /** Milliseconds after which the engine deletes the stream if it is unused. 0: never. */
  ttl: number
  /** This process no longer owns the stream, or may not. `lost`: entries that were written and are gone; of `all`. */
  gone: (name: string, lost: number, all: number) => void
  /** The whole sandbox. */
  whole: (name: string) => { items: LogItem[]; before: Promise<unknown> | undefined }
}

/** A stream is rewritten above this many bytes and twice the needed size. An entry costs some more than its value. */
const leastBytes = 16 * 1024
const entryBytes = 64

/** Items that even a full engine takes: one drops a sandbox, the other prevents repeated request ids. */
const small = new Set(['drop', 'requests'])

/**
 * The log of a sandbox that this process owns. One append runs at a time, and changes that arrive meanwhile go into the next.
 * Each append names the entry before it, and the engine refuses it if the last entry is a different one. So memory always
 * equals the log.
 */
export class Stream {
  isOwned = true
  /** Whether it is in the list of all sandboxes. */
  isListed = false
  /** The content of its claim. */
  readonly claim: string
  /** Whether enough replicas of the engine have what is in memory. */
  isCopied: boolean
  private waiting: StreamWrite[] = []
  private writing: Promise<void> | undefined
  private epoch: number
  private sequence: number
  entries = 0
  private bytes = 0
  private needed = 0

  constructor(
    readonly name: string,
    claimed: { id: string; claim: string },
    all: Entry[],
    private readonly of: StreamParts
  ) {
    this.claim = claimed.claim
    this.isCopied = of.engine.copies === 0
    const [epoch, sequence] = claimed.id.split('-').map(Number) as [number, number]
    this.epoch = epoch
    this.sequence = sequence
    this.entries = all.length + 1
    this.bytes = all.reduce((sum, [, [, value]]) => sum + value.length, 0)
    this.needed = all.find(([, [field]]) => field === 'r')?.[1][1].length ?? 0
  }

  /** Whether it has only its claim. */
  get isEmpty(): boolean {
    return this.bytes === 0
  }

  get last(): string {
    return `${this.epoch}-${this.sequence}`
  }

  /** Settles with the latest change that is not kept yet. Undefined: there is none. */
  underWay: Promise<void> | undefined

  /** Resolves when the items are kept. Rejects otherwise: with Moved if they are certainly not, and the sandbox is gone. */
  append(items: LogItem[], before: Promise<unknown> | undefined, takeBack: () => void): Promise<void> {
    if (!this.isOwned) return Promise.reject(new SandboxMoved(this.name))
    const done = new Promise<void>((written, failed) => {
      this.waiting.push({ items, before, takeBack, written, failed })
    })
    this.underWay = done
    done.catch(() => {})
    this.goOn()
    return done
  }

  /** What is being written. Undefined: nothing is. */
  get busy(): Promise<void> | undefined {
    return this.writing
  }

  /** Resolves when enough replicas have what is in memory. Rejects with a Refusal. */
  async copied(): Promise<void> {
    try {
      if (!this.isCopied) await this.of.engine.copied(this.name, async () => {})
      this.isCopied = true
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal('engine-away', { reason: (error as Error).message })
    }
  }

  /** Hands the sandbox back: any process can claim it at once. Without items there is nothing to keep. */
  async free(items: LogItem[] | undefined): Promise<void> {
    this.isOwned = false
    const { engine, ttl } = this.of
    const key = engine.logOf(this.name)
    const { last } = this
    if (items) await engine.appends.add({ key, last, id: this.next(), field: 'free', value: this.valueOf(items), ttl })
    else await engine.run('remove', key, this.last)
  }

  private goOn(): void {
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined
      if (this.waiting.length > 0) this.goOn()
    })
  }

  private async writeAll(): Promise<void> {
    const { engine, lease } = this.of
    // Other changes of this turn of the event loop are written with it.
    await engine.appends.nextTurn()
    while (this.waiting.length > 0 && this.isOwned) {
      const batch = this.waiting
      this.waiting = []
      try {
        for (const { before } of batch) if (before) await before.catch(notSent)
        // Without a valid lease, the era may be over, and anything written then would be lost.
        if (!lease.isGood) await lease.confirmed().catch(notSent)
        if (!this.isOwned) throw new SandboxMoved(this.name)
        const write = () => this.add(batch.flatMap(({ items }) => items)).catch((error) => this.makeRoom(error))
        if (engine.copies === 0) await write()
        else {
          this.isCopied = false
          await engine.copied(this.name, write)
          this.isCopied = true
        }
        for (const { written } of batch) written()
      } catch (error) {
        this.fail(batch, error)
      }
    }
    this.underWay = undefined
    // It was forgotten meanwhile.
    if (!this.isOwned) for (const { failed } of this.waiting.splice(0)) failed(new SandboxMoved(this.name))
    else if (this.isLarge)
      await this.compact().then(
        () => {},
        (error) => this.fail([], error)
      )
  }

  private async add(items: LogItem[]): Promise<void> {
    const { engine, ttl } = this.of
    const value = this.valueOf(items)
    const { last } = this
    const began = performance.now()
    const field = items.every(({ op }) => small.has(op)) ? 'must' : 'r'
    await engine.appends.add({ key: engine.logOf(this.name), last, id: this.next(), field, value, ttl })
    this.sequence += 1
    this.entries += 1
    this.count(value, began)
  }

  private count({ length }: string, began: number): void {
    const { counts } = this.of
    counts.appends += 1
    counts.appendSeconds += (performance.now() - began) / 1000
    this.bytes += length
  }

  /** A full engine takes changes that make the stream shorter, such as a reset. Rejects with the error for others. */
  private async makeRoom(error: unknown): Promise<void> {
    const isAll = error instanceof EngineFull && this.waiting.length === 0
    if (!isAll || !(await this.compact(this.bytes + entryBytes))) throw error
  }

  private get isLarge(): boolean {
    return this.bytes + entryBytes * this.entries > leastBytes + 2 * this.needed
  }

  /** Rewrites the stream from memory. Nothing else is written meanwhile. Resolves to false if that is longer than `most`. */
  private async compact(most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { items, before } = this.of.whole(this.name)
    if (items.length === 0) return false
    const value = this.valueOf(items)
    if (value.length > most) return false
    await before?.catch(notSent)
    const epoch = this.epoch + 1
    const { engine, ttl, claimant } = this.of
    const ids = [`${epoch}-0`, `${epoch}-1`]
    const began = performance.now()
    await engine.run('compact', engine.logOf(this.name), this.last, ttl, ...ids, claimant(this.name), value)
    this.count(value, began)
    Object.assign(this, { epoch, sequence: 1, entries: 2, bytes: value.length, needed: value.length })
    return true
  }

  private next(): string {
    return `${this.epoch}-${this.sequence + 1}`
  }

  private valueOf(items: LogItem[]): string {
    return JSON.stringify(items)
  }

  private fail(batch: StreamWrite[], error: unknown): void {
    if (error instanceof TooFewCopies) {
      this.of.counts.tooFew += 1
      for (const { failed } of batch) failed(error)
      return
    }
    const later = this.waiting
    this.waiting = []
    if (error instanceof SandboxMoved) {
      for (const { failed } of [...batch, ...later]) failed(error)
      return
    }
    if (error instanceof EngineRefuses) this.of.lease.look(error)
    if (error instanceof NotDone) {
      // Later changes may build on the failed one.
      const all = [...batch, ...later]
      for (const { takeBack } of [...all].reverse()) takeBack()
      for (const { failed } of all) failed(new Refusal('engine-away', { reason: error.message }))
      return
    }
    this.isOwned = false
    const isFenced = error instanceof Fenced
    this.of.counts[isFenced ? 'fenced' : 'unknown'] += 1
    if (isFenced && error.last === '') this.of.lease.doubt()
    this.of.gone(this.name, isFenced ? this.lostAfter(error.last) : 0, this.entries)
    const moved = new SandboxMoved(this.name)
    const told = { name: this.name, reason: 'the engine of --data did not answer' }
    for (const { failed } of batch) failed(isFenced ? moved : new Refusal('outcome-unknown', told))
    for (const { failed } of later) failed(moved)
  }

  /** How many entries are missing that this process knows to be written. */
  private lostAfter(last: string): number {
    const { epoch, sequence } = this
    // It may have been unused for a while.
    if (last === '') return this.of.ttl > 0 ? 0 : sequence + 1
    const [found = 0, at = 0] = last.split('-').map(Number)
    if (found > epoch || (found === epoch && at >= sequence)) return 0
    return found === epoch ? sequence - at : 1
  }
}

function notSent({ message }: Error): never {
  throw new NotDone(message)
}
