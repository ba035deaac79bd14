import { Refusal } from '../../contract/refusal.js'
import type { JournalLimits } from '../journal/journal.js'
import { Sandbox, type Start } from './sandbox.js'
import type { Transaction } from './transaction.js'

export interface SandboxLimits {
  /** The highest number of sandboxes, including the default one. */
  count: number
  /** A sandbox is dropped after so many milliseconds without use, in real time; 0: never. */
  idle: number
  /** The most bytes that one may hold beside its start. */
  bytes: number
  journal: JournalLimits
}

/** How many names of dropped sandboxes are remembered. */
const remembered = 10_000

/** The sandboxes of a mock, by name. The default one is always there: it counts before it is first used. */
export class Sandboxes {
  /** Sandboxes that were dropped because nobody used them: their clients must learn that their state is gone. */
  private readonly idled = new Set<string>()
  private latest: Sandbox | undefined
  /** What takes note of changes while `noting`. */
  private noted: Transaction | undefined

  constructor(
    /** In the order of their last use. */
    private readonly byName: Map<string, Sandbox>,
    private readonly start: () => Start,
    readonly limits: SandboxLimits,
    /** Milliseconds since 1970. A sandbox is idle by real time, whatever its clock says. */
    private readonly realTime: () => number = Date.now,
    /** Called where one is dropped that nobody asked to drop. */
    private readonly onLoss: (name: string) => void = () => {}
  ) {}

  /** The sandbox of this name, made from the start when first seen. Throws a Refusal when there can be none. */
  use(name: string): Sandbox {
    const sandbox = this.find(name) ?? this.first(name)
    sandbox.usedAt = this.realTime()
    if (sandbox !== this.latest) {
      this.byName.delete(name)
      this.byName.set(name, sandbox)
      this.latest = sandbox
    }
    return sandbox
  }

  find(name: string): Sandbox | undefined {
    if (this.limits.idle > 0) this.dropIdle()
    return this.byName.get(name)
  }

  /** The last used first. */
  list(): Sandbox[] {
    if (this.limits.idle > 0) this.dropIdle()
    return [...this.byName.values()].reverse()
  }

  /** Makes a sandbox from the start, or as a fork; the name must be free. */
  make(name: string, from?: Sandbox): Sandbox {
    const others = this.byName.has('default') ? this.byName.size - 1 : this.byName.size
    const { count, journal } = this.limits
    if (name !== 'default' && others + 1 >= count) throw new Refusal('too-many-sandboxes', { name, limit: count })
    const sandbox = from?.fork(name, journal) ?? Sandbox.start(name, this.start(), journal)
    sandbox.usedAt = this.realTime()
    this.byName.set(name, sandbox)
    this.latest = sandbox
    this.idled.delete(name)
    this.noted?.also(() => this.byName.delete(name))
    return sandbox
  }

  /** As `use`, but what was dropped begins anew, and where there may be no more, the one used least lately goes. */
  takeIn(name: string): Sandbox {
    if (!this.find(name) && name !== 'default') {
      const others = [...this.byName.keys()].filter((other) => other !== 'default')
      if (others[0] !== undefined && others.length + 1 >= this.limits.count) this.lose(others[0])
      this.make(name)
    }
    return this.use(name)
  }

  /** Those who listen to its journal are told. */
  drop(name: string): boolean {
    const sandbox = this.byName.get(name)
    if (!sandbox) return false
    sandbox.journal.end('dropped')
    this.noted?.also(() => this.byName.set(name, sandbox))
    return this.byName.delete(name)
  }

  /** Which sandboxes `act` makes and drops is part of the transaction. */
  noting<T>(transaction: Transaction, act: () => T): T {
    this.noted = transaction
    try {
      return act()
    } finally {
      this.noted = undefined
    }
  }

  /** Ends what is streamed of them. */
  close(): void {
    for (const { journal } of this.byName.values()) journal.end('closed')
  }

  /** Drops all but the default one; says how many. */
  dropOthers(): number {
    const names = [...this.byName.keys()].filter((name) => name !== 'default')
    for (const name of names) this.drop(name)
    this.idled.clear()
    return names.length
  }

  private lose(name: string): void {
    this.drop(name)
    this.onLoss(name)
  }

  private first(name: string): Sandbox {
    if (!this.idled.has(name)) return this.make(name)
    throw new Refusal('idle-sandbox', { name, idle: this.limits.idle / 1000 })
  }

  /** They are in the order of their last use, so a look at the first ones does: a timer each would cost more. */
  private dropIdle(): void {
    const since = this.realTime() - this.limits.idle
    for (const [name, { usedAt }] of this.byName) {
      if (usedAt > since) break
      if (name === 'default') continue
      this.lose(name)
      this.idled.add(name)
    }
    for (const name of this.idled) {
      if (this.idled.size <= remembered) break
      this.idled.delete(name)
    }
  }
}
