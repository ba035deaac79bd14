import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers'
import { keepLatest } from '../../engine/contract/once.js'
import type { OwnerAddress } from '../../engine/serve/owners.js'
import type { Lease, Life } from '../lease.js'
import type { Engine } from './engine.js'

/** The share of a lease that a claimant waits, by its own clock, after it has seen a lease end. */
const grace = 0.75
/** The number of ended lives that are remembered. */
const remembered = 10_000

/** The lives of the other processes, as this one knows them. */
export class ProcessSessions {
  /** When each was first seen to have ended. */
  private readonly missing = new Map<string, number>()
  /** The addresses of those that had their leases at the last renewal. */
  private addresses: ReadonlyMap<string, string> = new Map()
  private readonly watched = new Set<string>()

  constructor(
    private readonly engine: Engine,
    private readonly lease: Lease
  ) {}

  /** Where others reach a life. Empty: it is leaving, and has no sandbox. Undefined: its lease has ended. */
  async addressOf(life: string): Promise<string | undefined> {
    const address = (await this.engine.ask('GET', this.engine.key('node', life))) as string | null
    if (address === null) this.miss(life)
    return address ?? undefined
  }

  /** Learns all lives with each renewal, so that the wait for a life's sandboxes begins when its lease ends. */
  hear(lives: readonly Life[]): void {
    const before = this.addresses
    this.addresses = new Map(lives)
    for (const life of before.keys()) if (!this.addresses.has(life)) this.miss(life)
  }

  /** The other processes that take sandboxes. If the engine does not answer, those of the last renewal. */
  async others(): Promise<OwnerAddress[]> {
    const { engine, lease } = this
    const all = engine.run('lives', engine.key('nodes'), engine.key('node', '')) as Promise<Life[]>
    const lives = await all.catch(() => [...this.addresses])
    return lives.flatMap(([life, address]) => (address === '' || lease.isOwn(life) ? [] : [{ life, address }]))
  }

  /**
   * Whether another process may take over from a missing life. The engine's clock may jump, and its keys may be deleted. So the
   * claimant waits, by its own clock, until the other process has noticed it too.
   */
  isOver(life: string): boolean {
    const since = this.missing.get(life)
    return since !== undefined && performance.now() - since >= grace * this.lease.length
  }

  /** Checks a life that did not answer, so that the wait begins as soon as its lease ends. */
  suspect(life: string): void {
    if (this.watched.has(life) || this.missing.has(life)) return
    this.watched.add(life)
    const until = performance.now() + 2 * this.lease.length
    const look = async () => {
      const isThere = (await this.addressOf(life).catch(() => '')) !== undefined
      if (isThere && performance.now() < until) setTimeout(() => void look(), this.lease.length / 20).unref()
      else this.watched.delete(life)
    }
    void look()
  }

  private miss(life: string): void {
    if (!this.missing.has(life)) keepLatest(this.missing, life, performance.now(), remembered)
  }
}
