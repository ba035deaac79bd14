import type { Choices } from '../engine/contract/load.js'
import { Refusal } from '../engine/contract/message/refusal.js'
import { block } from '../engine/journal/journal.js'
import { type LogItem, type StateItem, setItem } from '../engine/keep/log-items.js'
import { replay } from '../engine/keep/replay.js'
import { type Keeper, type LogChange, type StateOptions, wholeOf } from '../engine/keep/state-log.js'
import type { Base } from '../engine/sandbox/bases.js'
import type { Sandbox } from '../engine/sandbox/sandbox.js'
import { SandboxMoved } from '../engine/sandbox/sandboxes.js'
import type { EngineBases } from './bases.js'
import type { Entry } from './engine/engine.js'
import { readClaim } from './engine/eras.js'
import type { Lease } from './lease.js'
import type { Stream } from './stream.js'

interface ReplicaLogParts {
  lease: Lease
  bases: EngineBases
  options: StateOptions
  /** The streams that this process owns. */
  owned: ReadonlyMap<string, Stream>
  /** Forgets a sandbox. */
  forget: (name: string) => void
}

/** Keeps each sandbox in its own stream, in an engine that several processes share. */
export class ReplicaLog implements Keeper {
  readonly isLarge = false
  start: () => Choices
  /** Objects that are out of date: their sandboxes live elsewhere. */
  private readonly lost = new WeakSet<Sandbox>()

  constructor(private readonly of: ReplicaLogParts) {
    this.start = () => of.options.choices({})
  }

  async append({ items, bases }: LogChange, takeBack: () => void): Promise<void> {
    const names = new Set(items.map((item) => (item as { sandbox: string }).sandbox))
    const before = this.ready(bases)
    const streams = [...names].map((name) => {
      const stream = this.of.owned.get(name)
      if (!stream) throw new SandboxMoved(name)
      return stream
    })
    const [only] = streams
    if (only && streams.length === 1) return only.append(this.written(items), before, takeBack)
    try {
      await Promise.all(
        streams.map((stream) => {
          const own = items.filter((item) => (item as { sandbox: string }).sandbox === stream.name)
          return stream.append(this.written(own), before, () => {})
        })
      )
    } catch (error) {
      // Some of them may be kept. The logs are the truth when they are next read.
      takeBack()
      for (const { name } of streams) this.of.forget(name)
      throw error
    }
  }

  confirm(sandbox: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined {
    if (this.lost.has(sandbox)) return watched(Promise.reject(new SandboxMoved(sandbox.name)))
    const stream = this.of.owned.get(sandbox.name)
    if (!stream) return undefined
    if (!underWay && this.of.lease.isGood && stream.isCopied) return undefined
    return watched(this.confirmed(sandbox, underWay))
  }

  shown(sandbox: Sandbox | undefined, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined {
    return sandbox && this.confirm(sandbox, underWay)
  }

  private async confirmed(sandbox: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> {
    const isKept = await underWay?.catch(() => false)
    if (!this.lost.has(sandbox) && !this.of.lease.isGood) {
      await this.of.lease.confirmed().catch(({ message }: Error) => {
        if (!this.lost.has(sandbox)) throw new Refusal('elsewhere', { name: sandbox.name, reason: message })
      })
    }
    if (this.lost.has(sandbox)) throw new SandboxMoved(sandbox.name)
    await this.of.owned.get(sandbox.name)?.copied()
    return isKept ?? true
  }

  isLost(sandbox: Sandbox): boolean {
    return this.lost.has(sandbox)
  }

  lose(sandbox: Sandbox): void {
    this.lost.add(sandbox)
  }

  refusalOf(error: unknown): unknown {
    return error instanceof Refusal || error instanceof SandboxMoved
      ? error
      : new Refusal('engine-away', { reason: (error as Error).message })
  }

  /** The items of a whole sandbox, as written. */
  whole(sandbox: Sandbox): { items: LogItem[]; before: Promise<unknown> | undefined } {
    const { items, bases } = wholeOf(sandbox, this.start())
    return { before: this.ready(bases), items: this.written(items) }
  }

  /** What the next process cannot read from the log: clock and journal position. Requests in progress may still take an id. */
  lastOf(sandbox: Sandbox, inProgress: number): LogItem[] {
    const { name, overrides, journal } = sandbox
    return [
      setItem(sandbox, this.start(), overrides.all()),
      { op: 'requests', sandbox: name, requests: journal.position + inProgress }
    ]
  }

  /** The sandbox in the entries of its stream. Undefined: it was dropped, or never created. */
  async read(entries: readonly Entry[]): Promise<Sandbox | undefined> {
    const { api, choices, journal, misfit, contract } = this.of.options
    const items = entries.flatMap(([, [field, value]]) => (field === 'own' ? [] : this.itemsOf(value)))
    const used = new Set(items.flatMap((item) => (item.op === 'state' && item.base !== null ? [item.base] : [])))
    const bases = new Map<string, Base>()
    for (const digest of used) bases.set(digest, await this.of.bases.load(digest))
    const [sandbox] = replay(items, choices, journal, { api, bases, realTime: () => this.of.lease.realTime }).values()
    const isOther = entries.some(([, [field, value]]) => field === 'own' && readClaim(value).contract !== contract)
    const found = sandbox && isOther ? misfit(sandbox) : undefined
    if (found) throw new Error(`it was written for other contracts: ${found}`)
    if (sandbox) {
      const { journal } = sandbox
      journal.startAt(journal.position + block * claimsIn(entries))
      // The claim says that its process may use them.
      journal.reserve()
    }
    return sandbox
  }

  async close(): Promise<void> {}

  /** The bases are written before the changes that need them. Undefined: they are in the engine. */
  private ready(bases: LogChange['bases']): Promise<unknown> | undefined {
    const needed = bases.flatMap((base) => (base ? [this.of.bases.keep(base).kept] : []))
    return needed.length === 0 ? undefined : watched(Promise.all(needed))
  }

  /** In the engine a base has the name of its contents. */
  private written(items: LogItem[]): LogItem[] {
    return items.map((item) => {
      if (item.op !== 'state' || item.base === null) return item
      return { ...item, base: this.digestOf(item) }
    })
  }

  private digestOf({ base }: StateItem): string | null {
    return this.of.bases.digestOfKey(base as string)
  }

  /**
   * The items of an entry. Its clock continues by the engine's time as the writing process knew it. This process may know that
   * time a little later, by the duration of the engine's last answer, so the clock continues from that much earlier.
   */
  private itemsOf(value: string): LogItem[] {
    const { late } = this.of.lease
    return (JSON.parse(value) as LogItem[]).map((item) =>
      'real' in item && item.real !== undefined ? { ...item, real: item.real - late } : item
    )
  }
}

/** The claims since request ids were last written: each reserves some of them, of which there may be no other record. */
function claimsIn(entries: readonly Entry[]): number {
  const last = entries.findLastIndex(([, [field, value]]) => {
    if (field === 'own' || !value.includes('"requests"')) return false
    return (JSON.parse(value) as LogItem[]).some(
      (item) => item.op === 'requests' || (item.op === 'state' && item.snapshot === null)
    )
  })
  return entries.slice(last + 1).filter(([, [field]]) => field === 'own').length
}

/** The caller may fail for another reason first. Node ends a process with an unhandled rejection. */
function watched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
