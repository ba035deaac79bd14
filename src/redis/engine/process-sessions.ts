import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers'
import type { Lease } from '../lease.js'
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
  private there = new Map<string, string>()
  private readonly watched = new Set<string>()

  constructor(
    private readonly engine: Engine,
    private readonly lease: Lease
  ) {}

  /** Where others reach a life. Empty: it is leaving, and has no sandbox. Undefined: its lease has ended. */
  async addressOf(life: string): Promise<string | undefined> {
    const address = (await this.engine.ask('GET', this.engine.key('node', life))) as string | null
    if (address !== null) return address
    this.miss(life)
    return undefined
  }

  /** Learns all lives with each renewal, so that the wait for a life's sandboxes begins when its lease ends. */
  hear(all: readonly string[]): void {
    const before = this.there
    this.there = new Map(all.flatMap((it, at) => (at % 2 === 0 ? [[it, all[at + 1] as string]] : [])))
    for (const life of before.keys()) if (!this.there.has(life)) this.miss(life)
  }

  /** The other processes. If the engine does not answer, those of the last renewal. */
  async others(): Promise<{ node: string; address: string }[]> {
    const known = [...this.there].map(([life, address]) => ({ life, address }))
    const all = await this.all().catch(() => known)
    return this.askable(all).map(({ life, address }) => ({ node: life.split('.')[0] as string, address }))
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
    if (!this.missing.has(life)) this.missing.set(life, performance.now())
    const [oldest] = this.missing.keys()
    if (this.missing.size > remembered && oldest !== undefined) this.missing.delete(oldest)
  }

  /** All lives with their addresses. */
  async all(): Promise<{ life: string; address: string }[]> {
    const lives = (await this.engine.ask('ZRANGE', this.engine.key('nodes'), '0', '-1')) as string[]
    const found = await Promise.all(
      lives.map(async (life) => {
        const address = (await this.engine.ask('GET', this.engine.key('node', life))) as string | null
        if (address === null) await this.engine.ask('ZREM', this.engine.key('nodes'), life)
        return address === null ? [] : [{ life, address }]
      })
    )
    return found.flat()
  }

  /** Another process that takes sandboxes. */
  async another(): Promise<{ life: string; address: string } | undefined> {
    const others = this.askable(await this.all())
    return others[Math.floor(Math.random() * others.length)]
  }

  /** Those that can be asked, except this process. */
  private askable(all: { life: string; address: string }[]): { life: string; address: string }[] {
    return all.filter(({ life, address }) => address !== '' && !this.lease.isOwn(life))
  }
}
