import { clearInterval, setInterval } from 'node:timers'
import { Refusal } from '../../contract/refusal.js'
import { Edge } from '../persistence/edge.js'
import type { StateOptions } from '../persistence/state-log.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { EngineBases } from './bases.js'
import { Directory, type Elsewhere, type Place } from './directory.js'
import type { Engine, Entry } from './engine.js'
import { InUse } from './in-use.js'
import { Lease } from './lease.js'
import { Lives } from './lives.js'
import { ReplicaLog } from './replica-log.js'
import { type Counts, Stream, type StreamOf } from './stream.js'

export interface ReplicaOptions {
  /** Milliseconds of a lease. */
  lease: number
  /** Milliseconds after which a sandbox that nobody uses is dropped. 0: never. */
  idle: number
  /** Milliseconds after which a sandbox that nobody uses leaves memory. */
  sleep: number
}

/** How often a sandbox is looked for anew when another process was quicker. */
const mostTries = 5

/** The sandboxes of several processes: which of them live here, where the others do, and how they move. */
export class Replicas {
  readonly edge: Edge
  readonly lease: Lease
  readonly lives: Lives
  readonly counts: Counts = { appends: 0, appendSeconds: 0, fenced: 0, unknown: 0, claims: 0, forwarded: 0, lost: 0 }
  /** Called with each sandbox that is read from the engine. */
  readied: (sandbox: Sandbox) => void = () => {}
  private readonly log: ReplicaLog
  private readonly bases: EngineBases
  readonly owned = new Map<string, Stream>()
  private readonly elsewhere = new Directory()
  private readonly looking = new Map<string, Promise<Place>>()
  private readonly inUse = new InUse()
  /** Sandboxes that are being handed back. */
  private readonly leaving = new Map<string, Promise<void>>()
  private readonly touched = new WeakMap<Stream, number>()
  private readonly streams: StreamOf
  private timer: NodeJS.Timeout | undefined
  private isDraining = false

  constructor(
    private readonly engine: Engine,
    private readonly options: ReplicaOptions,
    state: StateOptions
  ) {
    const { idle } = options
    this.lease = new Lease(engine, options.lease, () => this.forgetAll())
    this.lives = new Lives(engine, this.lease)
    this.bases = new EngineBases(engine, idle)
    const forget = (name: string) => this.forget(name)
    this.log = new ReplicaLog({ lease: this.lease, bases: this.bases, options: state, owned: this.owned, forget })
    this.edge = Edge.over(this.log)
    this.streams = {
      engine,
      lease: this.lease,
      counts: this.counts,
      claimant: () => `${this.lease.life} ${state.contract}`,
      ttl: idle,
      gone: (name, lost) => {
        this.counts.lost += lost
        if (lost > 0)
          state.say(`${engine.address.name} has lost ${lost} entries of the sandbox ${name}, perhaps in a failover.`)
        this.forget(name)
      },
      whole: (name) => {
        const sandbox = this.edge.sandboxes.get(name)
        return sandbox ? this.log.whole(sandbox) : { items: [], before: undefined }
      }
    }
  }

  /** From now on others reach this process at `address`. */
  async begin(address: string): Promise<void> {
    await this.lease.begin(address)
    const every = Math.min(this.options.sleep, 60_000) / 4
    this.timer = setInterval(() => void this.tidy(), every).unref()
  }

  /** Whether a sandbox may be made here. */
  owns(name: string): boolean {
    return this.owned.has(name)
  }

  isHere(name: string): boolean {
    return this.owned.has(name) && !this.leaving.has(name)
  }

  /** Finds out where a sandbox lives. One that nobody has is claimed. Rejects with a Refusal if that cannot be said now. */
  place(name: string, isForwarded: boolean): Promise<Place> {
    const known = this.elsewhere.find(name)
    if (known && !isForwarded) return Promise.resolve(known)
    const looking = this.looking.get(name) ?? this.find(name).finally(() => this.looking.delete(name))
    this.looking.set(name, looking)
    return looking
  }

  /**
   * Claims the name of a sandbox that is to be made here. Resolves to a copy of `from` if that lives elsewhere: what is
   * answered is in its log.
   */
  async hold(name: string, from: string | undefined): Promise<Sandbox | undefined> {
    const place = await this.place(name, true)
    if (place !== 'here') throw new Refusal('taken-name', { name })
    if (from === undefined || this.owned.has(from)) return undefined
    return this.log.read((await this.engine.ask('XRANGE', this.engine.logOf(from), '-', '+')) as Entry[])
  }

  /** What is remembered of a place was wrong. */
  misled(name: string, { life }: Elsewhere): void {
    this.elsewhere.forget(name)
    this.lives.suspect(life)
  }

  /** Notes that a request works on a sandbox. Returns a function that ends it. */
  use(name: string): () => void {
    return this.inUse.begin(name)
  }

  /** Hands all sandboxes back, and takes no more as long as there is another process. */
  async drain(): Promise<void> {
    this.isDraining = true
    clearInterval(this.timer)
    await Promise.all([...this.owned.keys()].map((name) => this.free(name)))
  }

  /** Ends the life of this process. */
  async close(): Promise<void> {
    await this.drain()
    await this.lease.close()
    this.engine.close()
  }

  private async find(name: string): Promise<Place> {
    try {
      for (let tries = 0; tries < mostTries; tries++) {
        const place = await this.look(name)
        if (place) return place
      }
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new Refusal('elsewhere', { name, reason: (error as Error).message })
    }
    throw new Refusal('elsewhere', { name, reason: 'other processes claim it too' })
  }

  private async look(name: string): Promise<Place | undefined> {
    await this.leaving.get(name)
    if (this.owned.has(name)) return 'here'
    const { lives, lease } = this
    const seen = (await this.engine.run('look', this.engine.logOf(name))) as [string, string, number] | []
    const [last = '', claimant = '', isFree = 1] = seen
    const life = claimant.split(' ', 1)[0] as string
    if (last !== '' && !isFree && !lease.isOwn(life)) {
      const address = await lives.addressOf(life)
      if (address !== undefined) return this.elsewhere.note(name, { life, address })
      if (!lives.isOver(life))
        throw new Refusal('elsewhere', { name, reason: 'its process has ended, and its lease has not' })
    }
    if (this.isDraining) {
      const other = await lives.another()
      if (other) return other
    }
    return (await this.claim(name, last)) ? 'here' : undefined
  }

  private async claim(name: string, last: string): Promise<boolean> {
    const { life } = this.lease
    const key = this.engine.logOf(name)
    const given = (await this.engine.run('claim', key, last, this.streams.claimant(), this.options.idle)) as
      | [string]
      | [string, [string, string], Entry[]]
    const [id, time, all = []] = given
    if (!time) return false
    this.lease.hear(time)
    const stream = new Stream(name, id, all, this.streams)
    const sandbox = await this.log.read(all)
    if (life !== this.lease.life) return false
    this.counts.claims += 1
    if (sandbox) {
      this.readied(sandbox)
      this.edge.takeUp(sandbox)
    }
    this.elsewhere.forget(name)
    this.owned.set(name, stream)
    return true
  }

  /** The log is the truth when the sandbox is next asked for. */
  private forget(name: string): void {
    const stream = this.owned.get(name)
    if (stream) stream.isOwned = false
    this.owned.delete(name)
    const sandbox = this.edge.sandboxes.get(name)
    if (sandbox) this.log.lose(sandbox)
    this.edge.release(name)
  }

  private forgetAll(): void {
    for (const name of [...this.owned.keys()]) this.forget(name)
  }

  /** Hands a sandbox back. Who asks for it meanwhile waits. */
  private free(name: string): Promise<void> {
    const leaving = this.leaving.get(name) ?? this.handBack(name).finally(() => this.leaving.delete(name))
    this.leaving.set(name, leaving)
    return leaving
  }

  private async handBack(name: string): Promise<void> {
    const stream = this.owned.get(name)
    while (stream?.busy) await stream.busy
    if (!stream?.isOwned) return
    const sandbox = this.edge.sandboxes.get(name)
    const freed = stream.free(
      sandbox && this.edge.isKept(sandbox) ? this.log.lastOf(sandbox, this.inUse.count(name)) : undefined
    )
    this.forget(name)
    await freed.catch(() => {})
  }

  /** Puts to sleep what nobody has used for a while, and notes the use of the rest. */
  private async tidy(): Promise<void> {
    const now = Date.now()
    for (const [name, stream] of [...this.owned]) {
      const sandbox = this.edge.sandboxes.get(name)
      const usedAt = sandbox?.usedAt ?? this.touched.get(stream) ?? 0
      if (!this.touched.has(stream)) this.touched.set(stream, now)
      if (this.inUse.count(name) > 0 || sandbox?.journal.isHeard) continue
      if (now - usedAt >= this.options.sleep) await this.free(name)
      else if (this.options.idle > 0 && sandbox) await this.touch(name, sandbox)
    }
  }

  /** The engine keeps the sandbox, and what it begins from, for as long as it is used. */
  private async touch(name: string, { base, snapshots }: Sandbox): Promise<void> {
    await this.engine.ask('PEXPIRE', this.engine.logOf(name), String(this.options.idle + 60_000)).catch(() => {})
    for (const it of [base, ...[...snapshots.values()].map(({ base }) => base)]) {
      if (it) await this.bases.touch(this.bases.digestOfKey(it.key))
    }
  }
}
