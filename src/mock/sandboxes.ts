import { Refusal } from '../contract/refusal.js'
import type { JournalLimits } from './journal.js'
import { Sandbox, type Start } from './sandbox.js'

export interface SandboxLimits {
  /** The most that there may be at once. */
  count: number
  /** One that nobody used for so many milliseconds is dropped; 0: never. */
  idle: number
  journal: JournalLimits
}

/** So many names of dropped sandboxes are remembered. */
const remembered = 10_000

/** The sandboxes of a mock, by name. */
export class Sandboxes {
  /** Sandboxes that were dropped because nobody used them: their clients must learn that their state is gone. */
  private readonly idled = new Set<string>()
  private swept = performance.now()

  constructor(
    private readonly byName: Map<string, Sandbox>,
    private readonly start: () => Start,
    readonly limits: SandboxLimits
  ) {}

  /** The sandbox of this name, made from the start when first seen. Throws a Refusal when there may be no more. */
  use(name: string, now = performance.now()): Sandbox {
    if (this.limits.idle > 0) this.dropIdle(now)
    let sandbox = this.byName.get(name)
    if (!sandbox) {
      if (this.idled.has(name)) throw new Refusal('idle-sandbox', { name, idle: `${this.limits.idle} ms` })
      sandbox = this.add(name, () => Sandbox.start(name, this.start(), this.limits.journal))
    }
    sandbox.usedAt = now
    return sandbox
  }

  find(name: string): Sandbox | undefined {
    return this.byName.get(name)
  }

  /** The last used first. */
  list(): Sandbox[] {
    this.dropIdle(performance.now())
    return [...this.byName.values()].sort((a, b) => b.usedAt - a.usedAt)
  }

  /** Makes a sandbox from the start, or as a fork; the name must be free. */
  make(name: string, from?: Sandbox): Sandbox {
    this.idled.delete(name)
    const { journal } = this.limits
    return this.add(name, () => from?.fork(name, journal) ?? Sandbox.start(name, this.start(), journal))
  }

  /** Sees to it that there is such a sandbox; where there may be no more, the one that was used least lately goes. */
  takeIn(name: string): void {
    if (this.byName.has(name)) return
    if (this.byName.size >= this.limits.count) {
      const [oldest] = this.list()
        .filter((it) => it.name !== 'default')
        .slice(-1)
      if (oldest) this.drop(oldest.name)
    }
    this.make(name)
  }

  /** Those who listen to its journal are told. */
  drop(name: string): boolean {
    this.byName.get(name)?.journal.end('dropped')
    return this.byName.delete(name)
  }

  /** Ends what is streamed of them. */
  close(): void {
    for (const { journal } of this.byName.values()) journal.end('closed')
  }

  /** Drops all but the default one. */
  dropOthers(): void {
    for (const name of this.byName.keys()) if (name !== 'default') this.drop(name)
    this.idled.clear()
  }

  private add(name: string, make: () => Sandbox): Sandbox {
    const { count } = this.limits
    // The default one is always there.
    if (this.byName.size >= count && name !== 'default') throw new Refusal('too-many-sandboxes', { name, limit: count })
    const sandbox = make()
    this.byName.set(name, sandbox)
    return sandbox
  }

  /** Looks through all of them now and then: a timer each would cost more, and would keep the process busy. */
  private dropIdle(now: number): void {
    const { idle } = this.limits
    if (idle === 0 || now - this.swept < idle / 10) return
    this.swept = now
    for (const [name, sandbox] of this.byName) {
      if (name === 'default' || now - sandbox.usedAt < idle) continue
      this.drop(name)
      this.idled.add(name)
    }
    for (const name of this.idled) {
      if (this.idled.size <= remembered) break
      this.idled.delete(name)
    }
  }
}
