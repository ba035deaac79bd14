import { Refusal } from '../contract/message/refusal.js'
import type { JournalLimits } from '../journal/journal.js'
import { Sandbox, type Start } from './sandbox.js'
import type { Transaction } from './transaction.js'

/** A request needs a sandbox of another process, and changed nothing: that process can answer it. */
export class SandboxMoved extends Error {
  constructor(readonly sandbox: string) {
    super(`the sandbox ${sandbox} is in another process`)
  }
}

export interface SandboxLimits {
  /** The highest number of sandboxes, including the default one. */
  count: number
  /** Milliseconds of real time after which an unused sandbox is dropped. 0: never. */
  idle: number
  /** The highest number of bytes that a sandbox may have in addition to its start. */
  bytes: number
  journal: JournalLimits
}

/** Milliseconds after its last use in which a sandbox with repeated visits counts as in use. */
const inUseFor = 10 * 60_000

/** The number of dropped sandboxes whose names are remembered. */
const remembered = 10_000

/** The sandboxes of a mock, by name. The default one always counts, even before its first use. */
export class Sandboxes {
  /** Sandboxes that were dropped because they were unused. Their clients must learn that the state is gone. */
  private readonly idled = new Set<string>()
  private latest: Sandbox | undefined
  /** The listeners that wait for a sandbox to be created. */
  private readonly awaited = new Map<string, Set<(sandbox: Sandbox | undefined) => void>>()
  /** The transaction that records changes during `noting`. */
  private noted: Transaction | undefined

  constructor(
    /** In the order of their last use. */
    private readonly byName: Map<string, Sandbox>,
    private readonly start: () => Start,
    readonly limits: SandboxLimits,
    /** Milliseconds since 1970. Idle time is real time, whatever the sandbox's clock says. */
    private readonly realTime: () => number = Date.now,
    /** Called when an idle or the oldest sandbox is dropped. */
    private readonly onLoss: (name: string) => void = () => {},
    /** Throws a SandboxMoved if a sandbox belongs to another process. */
    private readonly checkOwner: (name: string) => void = () => {}
  ) {}

  /** The sandbox of this name. It is created on first use. Throws a Refusal if that is not possible. */
  use(name: string): Sandbox {
    return this.touch(this.find(name) ?? this.first(name))
  }

  /** The sandbox of this name, or the one that would be created: reading creates none. `isAnybodys`: no process has it. */
  look(name: string, isAnybodys = false): Sandbox {
    const isUnmade = name !== 'default' && !this.find(name) && !this.idled.has(name)
    if (!isUnmade) return this.use(name)
    if (!isAnybodys) this.checkOwner(name)
    return Sandbox.start(name, this.start(), this.limits.journal)
  }

  /** Calls `listener` when a sandbox of this name is made, and without one at the end. Returns what stops that. */
  awaitMade(name: string, listener: (sandbox: Sandbox | undefined) => void): () => void {
    const listeners = this.awaited.get(name) ?? new Set()
    this.awaited.set(name, listeners.add(listener))
    return () => {
      const watched = this.byName.get(name)
      if (watched) this.touch(watched)
      listeners.delete(listener)
      if (listeners.size === 0 && this.awaited.get(name) === listeners) this.awaited.delete(name)
    }
  }

  find(name: string): Sandbox | undefined {
    if (this.limits.idle > 0) this.dropIdle()
    return this.byName.get(name)
  }

  /** The same, where undefined must mean that the sandbox does not exist. Throws if it belongs to another process. */
  existing(name: string): Sandbox | undefined {
    const sandbox = this.find(name)
    if (!sandbox) this.checkOwner(name)
    return sandbox
  }

  /** The most recently used first. */
  list(): Sandbox[] {
    if (this.limits.idle > 0) this.dropIdle()
    return [...this.byName.values()].reverse()
  }

  /** Creates a sandbox from the start, or as a fork. The name must be free. */
  make(name: string, from?: Sandbox): Sandbox {
    this.checkOwner(name)
    const others = this.byName.has('default') ? this.byName.size - 1 : this.byName.size
    const { count, journal } = this.limits
    if (name !== 'default' && others + 1 >= count) throw new Refusal('too-many-sandboxes', { name, limit: count })
    const sandbox = from?.fork(name, journal) ?? Sandbox.start(name, this.start(), journal)
    sandbox.usedAt = this.realTime()
    this.byName.set(name, sandbox)
    this.latest = sandbox
    this.idled.delete(name)
    this.noted?.also(() => {
      this.byName.delete(name)
      sandbox.journal.end('closed')
    })
    for (const listener of [...(this.awaited.get(name) ?? [])]) listener(sandbox)
    return sandbox
  }

  /** Like `use`, but a dropped sandbox starts again, and above the limit a sandbox that is not in use is dropped. */
  takeIn(name: string): Sandbox {
    if (!this.find(name) && name !== 'default') {
      const others = this.byName.has('default') ? this.byName.size - 1 : this.byName.size
      if (others > 0 && others + 1 >= this.limits.count) this.lose(this.leastNeeded(name))
      this.make(name)
    }
    return this.use(name)
  }

  /**
   * The least recently used of the sandboxes not in use: without a second visit, or none for a while, and with no client that
   * watches it or waits for an answer. Throws a Refusal if all are in use.
   */
  private leastNeeded(newName: string): string {
    let wait = inUseFor
    for (const [name, sandbox] of this.byName) {
      if (name === 'default' || sandbox.isBusy) continue
      const rest = sandbox.usedAt + inUseFor - this.realTime()
      if (rest <= 0 || sandbox.visits <= 1) return name
      wait = Math.min(wait, rest)
    }
    const seconds = Math.ceil(wait / 1000)
    throw new Refusal('sandboxes-in-use', { name: newName, limit: this.limits.count, seconds })
  }

  /** Drops a sandbox and notifies the listeners of its journal. */
  drop(name: string): boolean {
    const sandbox = this.byName.get(name)
    if (!sandbox) return false
    sandbox.journal.end('dropped')
    this.noted?.also(() => this.byName.set(name, sandbox))
    return this.byName.delete(name)
  }

  /** Records in the transaction which sandboxes `work` creates and drops. */
  noting<T>(transaction: Transaction, work: () => T): T {
    this.noted = transaction
    try {
      return work()
    } finally {
      this.noted = undefined
    }
  }

  close(): void {
    for (const { journal } of this.byName.values()) journal.end('closed')
    for (const listeners of this.awaited.values()) for (const listener of [...listeners]) listener(undefined)
  }

  /** Drops all sandboxes except the default one. Returns how many. */
  dropOthers(): number {
    const names = [...this.byName.keys()].filter((name) => name !== 'default')
    for (const name of names) this.drop(name)
    this.idled.clear()
    return names.length
  }

  private touch(sandbox: Sandbox): Sandbox {
    const { name } = sandbox
    sandbox.usedAt = this.realTime()
    if (sandbox !== this.latest) {
      this.byName.delete(name)
      this.byName.set(name, sandbox)
      this.latest = sandbox
    }
    return sandbox
  }

  private lose(name: string): void {
    this.drop(name)
    this.onLoss(name)
  }

  private first(name: string): Sandbox {
    if (!this.idled.has(name)) return this.make(name)
    throw new Refusal('idle-sandbox', { name, idle: this.limits.idle / 1000 })
  }

  /**
   * They are in the order of their last use, so checking the first ones is enough. A timer for each would cost more. One that
   * is being watched is in use.
   */
  private dropIdle(): void {
    const since = this.realTime() - this.limits.idle
    for (const [name, sandbox] of this.byName) {
      if (sandbox.usedAt > since) break
      if (name === 'default') continue
      if (sandbox.isBusy) {
        this.touch(sandbox)
        continue
      }
      this.lose(name)
      this.idled.add(name)
    }
    for (const name of this.idled) {
      if (this.idled.size <= remembered) break
      this.idled.delete(name)
    }
  }
}
