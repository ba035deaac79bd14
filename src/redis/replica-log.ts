import type { Choices } from '../engine/contract/load.js'
import { Refusal } from '../engine/contract/message/refusal.js'
import { block } from '../engine/journal/journal.js'
import type { Keeper } from '../engine/keep/edge.js'
import { itemsOf, type LogItem, logItem, type NewItem, replay, setItem } from '../engine/keep/log-items.js'
import type { StateOptions } from '../engine/keep/state-log.js'
import type { Base } from '../engine/sandbox/bases.js'
import type { Sandbox } from '../engine/sandbox/sandbox.js'
import { SandboxMoved } from '../engine/sandbox/sandboxes.js'
import type { EngineBases } from './bases.js'
import type { Entry } from './client/engine.js'
import { readClaim } from './client/eras.js'
import type { Lease } from './lease.js'
import type { Stream, WrittenItems } from './stream.js'

interface ReplicaLogParts {
  lease: Lease
  bases: EngineBases
  state: StateOptions
  owned: ReadonlyMap<string, Stream>
  forget: (name: string) => void
}

/** Keeps each sandbox in its own stream, in an engine that several processes share. */
export class ReplicaLog implements Keeper {
  start: () => Choices

  constructor(private readonly of: ReplicaLogParts) {
    this.start = () => of.state.choices({})
  }

  async append(items: NewItem[], takeBack: () => void): Promise<void> {
    const names = [...new Set(items.map(({ sandbox }) => sandbox))]
    const streams = names.flatMap((name) => this.of.owned.get(name) ?? [])
    const moved = names.find((name) => !this.of.owned.has(name))
    if (moved !== undefined) {
      takeBack()
      throw new SandboxMoved(moved)
    }
    const [only] = streams
    if (only && streams.length === 1) return only.append(this.batch(items), takeBack)
    try {
      await Promise.all(
        streams.map((stream) => {
          const own = items.filter(({ sandbox }) => sandbox === stream.name)
          return stream.append(this.batch(own), () => {})
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
    const { lease, owned } = this.of
    const stream = owned.get(sandbox.name)
    if (!stream || (!underWay && lease.isGood && stream.isCopied)) return undefined
    return this.confirmed(stream, underWay)
  }

  private async confirmed(stream: Stream, underWay: Promise<boolean> | undefined): Promise<boolean> {
    const { lease } = this.of
    const { name } = stream
    const isKept = await underWay?.catch(() => false)
    if (stream.isOwned && !lease.isGood) {
      await lease.confirmed().catch(({ message }: Error) => {
        if (stream.isOwned) throw new Refusal('elsewhere', { name, reason: message })
      })
    }
    if (!stream.isOwned) throw new SandboxMoved(name)
    await stream.copied()
    return isKept ?? true
  }

  whole(sandbox: Sandbox): WrittenItems {
    return this.batch(itemsOf(sandbox, this.start()))
  }

  /** What the next process cannot read from the log: clock and journal position. Requests in progress may still take an id. */
  lastOf(sandbox: Sandbox, inProgress: number): LogItem[] {
    const { name, overrides, journal } = sandbox
    const requests = journal.position + inProgress
    return this.batch([setItem(sandbox, this.start(), overrides.list), { op: 'requests', sandbox: name, requests }])
      .items
  }

  /** The sandbox in the entries of its stream. Undefined: it was dropped, or never created. */
  async read(entries: readonly Entry[]): Promise<Sandbox | undefined> {
    const { lease, state } = this.of
    const { api, choices, journal: limits, misfit, contract } = state
    const items = entries.flatMap(([, [field, value]]) => (field === 'own' ? [] : this.itemsOf(value)))
    const bases = new Map<string, Base>()
    for (const item of items)
      if (item.op === 'state' && item.base !== null && !bases.has(item.base))
        bases.set(item.base, await this.of.bases.load(item.base))
    const [sandbox] = replay(items, choices, limits, { api, bases, realTime: () => lease.engineTime }).values()
    if (!sandbox) return undefined
    const isOther = entries.some(([, [field, value]]) => field === 'own' && readClaim(value).contract !== contract)
    const problem = isOther ? misfit(sandbox) : undefined
    if (problem) throw new Error(`it was written for other contracts: ${problem}`)
    const { journal } = sandbox
    journal.startAt(journal.position + block * claimsIn(entries))
    // The claim says that its process may use them.
    journal.reserve()
    return sandbox
  }

  async close(): Promise<void> {}

  /** In the engine a base has the name of its contents. It is written before the changes that need it. */
  private batch(items: NewItem[]): WrittenItems {
    const bases: Promise<unknown>[] = []
    const all = items.map((item) =>
      logItem(item, (base) => {
        const { digest, save } = this.of.bases.keep(base)
        bases.push(save)
        return digest
      })
    )
    const before = bases.length === 0 ? undefined : Promise.all(bases)
    // It is awaited later. Node ends a process with an unhandled rejection.
    before?.catch(() => {})
    return { items: all, before }
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
