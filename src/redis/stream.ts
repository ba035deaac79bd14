import { performance } from 'node:perf_hooks'
import { Refusal } from '../engine/contract/message/refusal.js'
import type { LogItem } from '../engine/keep/log-items.js'
import { SandboxMoved } from '../engine/sandbox/sandboxes.js'
import type { Engine, Entry } from './client/engine.js'
import { EngineFull, EngineRefuses, Fenced, NotDone, TooFewCopies } from './client/errors.js'
import type { Lease } from './lease.js'

export const noCounts = () => ({
  appends: 0,
  appendSeconds: 0,
  fenced: 0,
  unknown: 0,
  claims: 0,
  forwarded: 0,
  lost: 0,
  tooFew: 0
})

export type Counts = ReturnType<typeof noCounts>

export interface WrittenItems {
  items: LogItem[]
  /** What must be in the engine first. */
  before: Promise<unknown> | undefined
}

interface StreamWrite extends WrittenItems {
  takeBack: () => void
  done: () => void
  failed: (error: unknown) => void
}

export interface StreamOwner {
  readonly engine: Engine
  readonly lease: Lease
  readonly counts: Counts
  claimOf(name: string): string
  whole(name: string): WrittenItems
  /** This process no longer owns the stream, or may not. `lost`: entries that were written and are gone; of `all`. */
  gone(name: string, lost: number, all: number): void
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
  /** Whether it has a sandbox. Otherwise it has only claims. */
  isWritten = false
  /** Whether it is in the list of all sandboxes, and the last use that is there. */
  isListed = false
  notedAt = 0
  /** Whether enough replicas of the engine have what is in memory. */
  isCopied: boolean
  /** What is being written. Undefined: nothing is. */
  busy: Promise<void> | undefined
  entries: number
  private waiting: StreamWrite[] = []
  private epoch: number
  private sequence: number
  private bytes: number
  private needed: number

  constructor(
    readonly name: string,
    id: string,
    readonly claim: string,
    all: Entry[],
    private readonly owner: StreamOwner
  ) {
    this.isCopied = owner.engine.options.copies === 0
    const [epoch, sequence] = id.split('-').map(Number) as [number, number]
    this.epoch = epoch
    this.sequence = sequence
    this.entries = all.length + 1
    this.bytes = all.reduce((sum, [, [, value]]) => sum + value.length, 0)
    this.needed = all.find(([, [field]]) => field === 'r')?.[1][1].length ?? 0
  }

  /** Resolves when the items are kept. Rejects otherwise: with Moved if they are certainly not, and the sandbox is gone. */
  append(batch: WrittenItems, takeBack: () => void): Promise<void> {
    if (!this.isOwned) return Promise.reject(new SandboxMoved(this.name))
    return new Promise((done, failed) => {
      this.waiting.push({ ...batch, takeBack, done, failed })
      this.goOn()
    })
  }

  /** Resolves when enough replicas have what is in memory. Rejects with a Refusal. */
  async copied(): Promise<void> {
    try {
      if (!this.isCopied) await this.owner.engine.copied(this.name, async () => {})
      this.isCopied = true
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal('engine-away', { reason: (error as Error).message })
    }
  }

  /** Hands the sandbox back: any process can claim it at once. Without items there is nothing to keep. */
  async free(items: LogItem[] | undefined): Promise<void> {
    this.isOwned = false
    const { engine } = this.owner
    if (items) await engine.append({ ...this.ids, name: this.name, field: 'free', value: JSON.stringify(items) })
    else await engine.run('remove', engine.logOf(this.name), this.ids.last)
  }

  private goOn(): void {
    this.busy ??= this.writeAll().finally(() => {
      this.busy = undefined
      if (this.waiting.length > 0) this.goOn()
    })
  }

  private async writeAll(): Promise<void> {
    const { engine, lease } = this.owner
    // Other changes of this turn of the event loop are written with it.
    await engine.nextTurn()
    while (this.waiting.length > 0 && this.isOwned) {
      const batch = this.waiting.splice(0)
      try {
        for (const { before } of batch) if (before) await before.catch(notSent)
        // Without a valid lease, the era may be over, and anything written then would be lost.
        if (!lease.isGood) await lease.confirmed().catch(notSent)
        if (!this.isOwned) throw new SandboxMoved(this.name)
        const items = batch.flatMap((it) => it.items)
        const write = () => this.add(items).catch((error) => this.makeRoom(error))
        if (engine.options.copies === 0) await write()
        else {
          this.isCopied = false
          await engine.copied(this.name, write)
          this.isCopied = true
        }
        for (const { done } of batch) done()
      } catch (error) {
        this.fail(batch, error)
      }
    }
    // It was forgotten meanwhile.
    if (!this.isOwned) reject(this.waiting.splice(0), new SandboxMoved(this.name))
    else if (this.isLarge) await this.compact().catch((error) => this.fail([], error))
  }

  private async add(items: LogItem[]): Promise<void> {
    const value = JSON.stringify(items)
    const field = items.every(({ op }) => small.has(op)) ? 'must' : 'r'
    const began = performance.now()
    await this.owner.engine.append({ ...this.ids, name: this.name, field, value })
    this.sequence += 1
    this.entries += 1
    for (const { op } of items) if (op !== 'requests') this.isWritten = op !== 'drop'
    this.count(value, began)
  }

  private count({ length }: string, began: number): void {
    const { counts } = this.owner
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
    const { engine } = this.owner
    const { items, before } = this.owner.whole(this.name)
    const value = JSON.stringify(items)
    if (items.length === 0 || value.length > most) return false
    await before?.catch(notSent)
    const epoch = this.epoch + 1
    const args = [this.ids.last, engine.options.idle, `${epoch}-0`, `${epoch}-1`, this.owner.claimOf(this.name), value]
    const began = performance.now()
    await engine.run('compact', engine.logOf(this.name), ...args)
    this.count(value, began)
    Object.assign(this, { epoch, sequence: 1, entries: 2, bytes: value.length, needed: value.length })
    return true
  }

  private get ids(): { last: string; id: string } {
    const { epoch, sequence } = this
    return { last: `${epoch}-${sequence}`, id: `${epoch}-${sequence + 1}` }
  }

  private fail(batch: StreamWrite[], error: unknown): void {
    const { counts, lease } = this.owner
    if (error instanceof EngineRefuses) lease.look(error)
    if (error instanceof TooFewCopies) {
      counts.tooFew += 1
      reject(batch, error)
    } else if (error instanceof SandboxMoved) reject([...batch, ...this.waiting.splice(0)], error)
    else if (error instanceof NotDone) {
      // Later changes may build on the failed one.
      const all = [...batch, ...this.waiting.splice(0)]
      for (const { takeBack } of [...all].reverse()) takeBack()
      reject(all, new Refusal('engine-away', { reason: error.message }))
    } else this.lose(batch, error)
  }

  private lose(batch: StreamWrite[], error: unknown): void {
    const { counts, lease } = this.owner
    const later = this.waiting.splice(0)
    this.isOwned = false
    const isFenced = error instanceof Fenced
    counts[isFenced ? 'fenced' : 'unknown'] += 1
    if (isFenced && error.last === '') lease.doubt()
    this.owner.gone(this.name, isFenced ? this.lostAfter(error.last) : 0, this.entries)
    const moved = new SandboxMoved(this.name)
    const unknown = { name: this.name, reason: 'the engine of --data did not answer' }
    reject(batch, isFenced ? moved : new Refusal('outcome-unknown', unknown))
    reject(later, moved)
  }

  /** How many entries are missing that this process knows to be written. */
  private lostAfter(last: string): number {
    const { epoch, sequence } = this
    // It may have been unused for a while.
    if (last === '') return this.owner.engine.options.idle > 0 ? 0 : sequence + 1
    const [lastEpoch = 0, at = 0] = last.split('-').map(Number)
    if (lastEpoch > epoch || (lastEpoch === epoch && at >= sequence)) return 0
    return lastEpoch === epoch ? sequence - at : 1
  }
}

function reject(writes: StreamWrite[], error: unknown): void {
  for (const { failed } of writes) failed(error)
}

function notSent({ message }: Error): never {
  throw new NotDone(message)
}
