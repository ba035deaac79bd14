import { clearInterval, setImmediate, setInterval, setTimeout } from 'node:timers'
import { Refusal } from '../engine/contract/message/refusal.js'
import { Edge } from '../engine/keep/edge.js'
import type { StateOptions } from '../engine/keep/state-log.js'
import type { Sandbox } from '../engine/sandbox/sandbox.js'
import { SandboxMoved } from '../engine/sandbox/sandboxes.js'
import type { OwnerAddress, SandboxPlace } from '../engine/serve/owners.js'
import { EngineBases } from './bases.js'
import { noCounts } from './counts.js'
import { Directory } from './directory.js'
import type { Engine, Entry } from './engine/engine.js'
import { eraOf, readClaim, writeClaim } from './engine/eras.js'
import { ProcessSessions } from './engine/process-sessions.js'
import { LastUses } from './engine/used.js'
import { Lease } from './lease.js'
import { Losses } from './losses.js'
import { ReplicaLog } from './replica-log.js'
import { Stream, type StreamParts } from './stream.js'

/** The sandboxes that requests currently work on. */
class InUse {
  private readonly counts = new Map<string, number>()

  /** How many requests work on it. */
  count(sandbox: string): number {
    return this.counts.get(sandbox) ?? 0
  }

  /** Returns a function that ends it. */
  begin(sandbox: string): () => void {
    const { counts } = this
    counts.set(sandbox, (counts.get(sandbox) ?? 0) + 1)
    return () => {
      const left = (counts.get(sandbox) ?? 1) - 1
      if (left > 0) counts.set(sandbox, left)
      else counts.delete(sandbox)
    }
  }
}

interface TidyParts {
  engine: Engine
  lease: Lease
  edge: Edge
  bases: EngineBases
  used: LastUses
  inUse: InUse
  owned: ReadonlyMap<string, Stream>
  /** Milliseconds after which an unused sandbox is dropped. 0: never. */
  idle: number
  /** Milliseconds after which an unused sandbox leaves memory. */
  sleep: number
  /** Hands a sandbox back. */
  free: (name: string) => Promise<void>
}

/** Puts unused sandboxes to sleep, and records the use of the others. */
class Tidy {
  private timer: NodeJS.Timeout | undefined
  private readonly touched = new WeakMap<Stream, number>()
  private readonly noted = new WeakMap<Stream, number>()

  constructor(private readonly of: TidyParts) {}

  begin(): void {
    this.timer = setInterval(() => void this.tidy(), Math.min(this.of.sleep, 60_000) / 4).unref()
  }

  end(): void {
    clearInterval(this.timer)
  }

  private async tidy(): Promise<void> {
    const { edge, inUse, lease, owned, used, idle, sleep, free } = this.of
    const now = lease.engineTime
    const toNote: { name: string; usedAt: number }[] = []
    for (const [name, stream] of [...owned]) {
      const sandbox = edge.sandboxes.get(name)
      const isWatched = inUse.count(name) > 0 || sandbox?.journal.isHeard
      const usedAt = isWatched ? now : (sandbox?.usedAt ?? this.touched.get(stream) ?? 0)
      if (usedAt > (this.noted.get(stream) ?? 0)) {
        this.noted.set(stream, usedAt)
        toNote.push({ name, usedAt })
      }
      if (!this.touched.has(stream)) this.touched.set(stream, now)
      if (!isWatched && now - usedAt >= sleep) await free(name)
      else if (idle > 0 && sandbox) await this.touch(name, sandbox)
    }
    await used.note(toNote.filter(({ name }) => owned.has(name)))
  }

  /** The engine keeps the sandbox and its bases for as long as they are used. */
  private async touch(name: string, { base, snapshots }: Sandbox): Promise<void> {
    const { engine, bases, idle } = this.of
    await engine.ask('PEXPIRE', engine.logOf(name), String(idle + 60_000)).catch(() => {})
    for (const it of [base, ...[...snapshots.values()].map(({ base }) => base)]) {
      if (it) await bases.touch(bases.digestOfKey(it.key))
    }
  }
}

interface LeavingParts {
  edge: Edge
  log: ReplicaLog
  inUse: InUse
  owned: ReadonlyMap<string, Stream>
  used: LastUses
  forget: (name: string) => void
}

/** Sandboxes that are being handed back. */
class Leaving {
  private readonly underWay = new Map<string, Promise<void>>()

  constructor(private readonly of: LeavingParts) {}

  /** Resolves when a sandbox is handed back. Undefined: it is not being handed back. */
  find(name: string): Promise<void> | undefined {
    return this.underWay.get(name)
  }

  /** Hands a sandbox back. Requests for it wait meanwhile. */
  free(name: string): Promise<void> {
    const leaving = this.underWay.get(name) ?? this.handBack(name).finally(() => this.underWay.delete(name))
    this.underWay.set(name, leaving)
    return leaving
  }

  private async handBack(name: string): Promise<void> {
    const { edge, log, inUse, owned, used, forget } = this.of
    const stream = owned.get(name)
    while (stream?.busy) await stream.busy
    if (!stream?.isOwned) return
    const sandbox = edge.sandboxes.get(name)
    const isKept = sandbox !== undefined && edge.isKept(sandbox)
    // Once it is free, another process may create and list it.
    const noted = !isKept
      ? used.forget(name)
      : stream.isListed
        ? undefined
        : used.note([{ name, usedAt: sandbox.usedAt }])
    const freed = stream.free(isKept ? log.lastOf(sandbox, inUse.count(name)) : undefined)
    forget(name)
    await noted
    await freed.catch(() => {})
  }
}

/** How often a sandbox is looked up again if another process was faster. */
const mostTries = 5

/** The last id of a log, who has claimed it last, and 1 if that process has handed it back. Empty: there is no log. */
type LogEnd = [last: string, claimant: string, isFree: number] | []

/** The sandboxes of several processes: which of them live here, where the others do, and how they move. */
export class Replicas {
  readonly edge: Edge
  readonly lease: Lease
  readonly lives: ProcessSessions
  readonly counts = noCounts()
  /** Called with each sandbox that is read from the engine. */
  readied: (sandbox: Sandbox) => void = () => {}
  /** Called when a life of this process has begun. */
  begun: () => void = () => {}
  readonly used: LastUses
  private readonly log: ReplicaLog
  private readonly bases: EngineBases
  readonly owned = new Map<string, Stream>()
  private readonly elsewhere = new Directory()
  private readonly looking = new Map<string, Promise<SandboxPlace>>()
  private readonly inUse = new InUse()
  private readonly leaving: Leaving
  private readonly tidy: Tidy
  private readonly losses: Losses
  private readonly streams: StreamParts
  private isDraining = false

  constructor(
    private readonly engine: Engine,
    private readonly options: ReplicaOptions,
    state: StateOptions
  ) {
    const { idle } = options
    this.lease = new Lease(engine, options.lease, options.every, {
      ended: () => {
        for (const name of [...this.owned.keys()]) this.forget(name)
      },
      emptied: () => this.losses.note(),
      begun: () => {
        this.bases.keepAgain()
        this.begun()
      },
      turned: (isOwn) => this.turn(isOwn),
      lives: (all) => {
        this.losses.tell()
        this.lives.hear(all)
      }
    })
    this.lives = new ProcessSessions(engine, this.lease)
    this.used = new LastUses(engine, idle, () => this.lease.engineTime)
    this.bases = new EngineBases(engine, state.api.collections, idle)
    const forget = (name: string) => this.forget(name)
    this.log = new ReplicaLog({ lease: this.lease, bases: this.bases, options: state, owned: this.owned, forget })
    this.edge = Edge.over(this.log)
    this.streams = {
      engine,
      lease: this.lease,
      counts: this.counts,
      claimant: (name) => {
        const { life, eras } = this.lease
        return writeClaim({ life, contract: state.contract, era: eraOf(eras, name) })
      },
      ttl: idle,
      gone: (name, lost, all) => {
        this.counts.lost += lost
        this.losses.suspect(name, all - lost)
        if (lost > 0)
          state.say(`${engine.address.name} has lost ${lost} entries of the sandbox ${name}, perhaps in a failover.`)
        this.forget(name)
      },
      whole: (name) => {
        const sandbox = this.edge.sandboxes.get(name)
        return sandbox ? this.log.whole(sandbox) : { items: [], before: undefined }
      }
    }
    const { edge, lease, bases, used, inUse, owned, counts } = this
    this.losses = new Losses({ engine, lease, edge, owned, counts, isPublic: options.isPublic, say: state.say })
    this.leaving = new Leaving({ edge, log: this.log, inUse, owned, used, forget })
    const free = (name: string) => this.leaving.free(name)
    this.tidy = new Tidy({ engine, lease, edge, bases, used, inUse, owned, idle, sleep: options.sleep, free })
  }

  /** Begins to accept requests of others at `address`. */
  async begin(address: string): Promise<void> {
    await this.lease.begin(address)
    this.tidy.begin()
  }

  /** Whether a sandbox may be created here. */
  owns(name: string): boolean {
    return this.owned.has(name)
  }

  isHere(name: string): boolean {
    return this.owned.has(name) && !this.leaving.find(name)
  }

  /** Finds where a sandbox lives. One without an owner is claimed, or created if allowed. Rejects with a Refusal if unknown. */
  place(name: string, isForwarded: boolean, mayMake = true): Promise<SandboxPlace> {
    const known = this.elsewhere.find(name)
    if (known && !isForwarded) return Promise.resolve(known)
    const underWay = this.looking.get(name)
    // One at a time: a process that claims a sandbox twice would have it twice.
    if (underWay)
      return underWay.then((it) => (it === 'nowhere' && mayMake ? this.place(name, isForwarded, mayMake) : it))
    const looking = this.find(name, mayMake).finally(() => this.looking.delete(name))
    this.looking.set(name, looking)
    return looking
  }

  /**
   * Claims the name of a sandbox that is to be created here. Resolves to a copy of `from` if that lives elsewhere. Rejects with
   * Moved if the sandbox must be created where its name is, or where the moments of `from` are.
   */
  async hold(name: string, from: string | undefined, at: string | undefined): Promise<Sandbox | undefined> {
    const isFar = from !== undefined && !this.isHere(from)
    if (isFar && at !== undefined && !this.edge.sandboxes.has(name)) throw new SandboxMoved(from)
    await this.beginAnew(name)
    if (!this.isHere(name) && (await this.place(name, true)) !== 'here') throw new SandboxMoved(name)
    const end = this.use(name)
    try {
      return isFar ? await this.copyOf(from) : undefined
    } finally {
      // By then the sandbox is created, or the name is free again.
      setImmediate(end)
    }
  }

  /** A copy from the log, which has everything that was answered. Rejects with a Refusal. */
  private async copyOf(name: string): Promise<Sandbox> {
    try {
      const entries = (await this.engine.ask('XRANGE', this.engine.logOf(name), '-', '+')) as Entry[]
      const claim = entries.findLast(([, [field]]) => field === 'own')
      const copy = await this.log.read(claim && this.isPast(name, claim[1][1]) ? [] : entries)
      if (copy) {
        this.readied(copy)
        return copy
      }
    } catch (error) {
      throw new Refusal('elsewhere', { name, reason: (error as Error).message })
    }
    await this.losses.check(name)
    throw new Refusal('unknown-name', { name, known: 'see GET /__mock/sandboxes' })
  }

  /** The sandbox is to start again, so it does not matter that the engine may have lost it. */
  beginAnew(name: string): Promise<void> | undefined {
    return this.losses.forgive(name)
  }

  /** The remembered place was wrong. */
  misled(name: string, { life }: OwnerAddress): void {
    this.elsewhere.forget(name)
    this.lives.suspect(life)
  }

  /** Notes that a request works on a sandbox. Returns a function that ends it. A name that has no sandbox then is free again. */
  use(name: string): () => Promise<void> | undefined {
    const end = this.inUse.begin(name)
    return () => {
      const busy = this.isHere(name) ? this.owned.get(name)?.busy : undefined
      // The engine may refuse the first entry of a new one.
      if (busy && !this.owned.get(name)?.isListed) return busy.then(() => this.settle(name, end))
      return this.settle(name, end)
    }
  }

  private settle(name: string, end: () => void): Promise<void> | undefined {
    end()
    const stream = this.isHere(name) ? this.owned.get(name) : undefined
    const sandbox = this.edge.sandboxes.get(name)
    if (stream && sandbox && this.edge.isKept(sandbox) && !stream.isEmpty) this.list(stream)
    else if (stream && this.inUse.count(name) === 0) return this.leaving.free(name)
    return undefined
  }

  /** Adds it to the lists that others see, also while it sleeps. A name without a sandbox is in none. */
  private list(stream: Stream): void {
    if (stream.isListed) return
    stream.isListed = true
    void this.used.note([{ name: stream.name, usedAt: this.lease.engineTime }])
  }

  /** Hands all sandboxes back, including those being claimed, and takes no more as long as there is another process. */
  async drain(): Promise<void> {
    this.isDraining = true
    this.tidy.end()
    await Promise.allSettled(this.looking.values())
    await Promise.all([...this.owned.keys()].map((name) => this.leaving.free(name)))
    if (this.owned.size === 0) await this.show(false)
  }

  /** Shows or hides this process to the others. */
  private async show(isShown: boolean): Promise<void> {
    if (this.lease.isHidden !== isShown) return
    this.lease.isHidden = !isShown
    await this.lease.confirmed().catch(() => {})
  }

  /** Ends the life of this process. */
  async close(): Promise<void> {
    await this.drain()
    await this.lease.close()
    this.engine.close()
  }

  private async find(name: string, mayMake: boolean): Promise<SandboxPlace> {
    try {
      for (let tries = 0; tries < mostTries; tries++) {
        const place = await this.look(name, mayMake)
        if (place) return place
      }
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw new Refusal('elsewhere', { name, reason: (error as Error).message })
    }
    throw new Refusal('elsewhere', { name, reason: 'other processes claim it too' })
  }

  private async look(name: string, mayMake: boolean): Promise<SandboxPlace | undefined> {
    await this.leaving.find(name)
    if (this.owned.has(name)) return 'here'
    const { lives, lease } = this
    const [last = '', claimant = '', isFree = 1] = await this.seen(name)
    const { life } = readClaim(claimant)
    if (last !== '' && !isFree && !lease.isOwn(life)) {
      const address = await lives.addressOf(life)
      if (address) return this.elsewhere.note(name, { life, address })
      // It may have handed the sandbox back just before its end.
      if ((await this.seen(name))[0] !== last) return undefined
      if (!lives.isOver(life))
        throw new Refusal('elsewhere', { name, reason: 'its process has ended, and its lease has not' })
    }
    if (last === '') await this.losses.check(name)
    if ((last === '' || this.isPast(name, claimant)) && !mayMake) return 'nowhere'
    if (this.isDraining) {
      const other = await lives.another()
      if (other) return other
      await this.show(true)
    }
    // Another process may know of a later era.
    if (readClaim(claimant).era > eraOf(lease.eras, name)) await lease.confirmed()
    return (await this.claim(name, last, this.isPast(name, claimant))) ? 'here' : undefined
  }

  private seen(name: string): Promise<LogEnd> {
    return this.engine.run('look', this.engine.logOf(name)) as Promise<LogEnd>
  }

  /** Whether the data in the engine belongs to an earlier era. */
  private isPast(name: string, claimant: string): boolean {
    return readClaim(claimant).era < eraOf(this.lease.eras, name)
  }

  private async claim(name: string, last: string, isPast: boolean): Promise<boolean> {
    const claim = this.streams.claimant(name)
    const given = [last, claim, this.options.idle, Number(isPast)]
    const sent = this.lease.moment
    const [id, time, all = []] = (await this.engine.run('claim', this.engine.logOf(name), ...given)) as
      | [string]
      | [string, [string, string], Entry[]]
    if (!time) return false
    this.lease.hear(time, sent)
    const stream = new Stream(name, { id, claim }, all, this.streams)
    const sandbox = await this.log.read(all)
    // A life or an era has ended meanwhile.
    if (claim !== this.streams.claimant(name)) return false
    this.counts.claims += 1
    if (sandbox) {
      this.list(stream)
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

  /** An era has ended, and with it everything that belongs to it. */
  private turn(isOwn: boolean): void {
    for (const [name, { claim }] of [...this.owned]) if (this.isPast(name, claim)) this.forget(name)
    // The process that began it may have ended meanwhile.
    const wait = isOwn ? 0 : this.lease.length * (1 + Math.random())
    setTimeout(() => void this.used.sweep(this.lease.eras).catch(() => {}), wait).unref()
  }
}

/** The options that the processes share. */
interface ReplicaOptions {
  /** Milliseconds of a lease. */
  lease: number
  /** Milliseconds after which an unused sandbox is dropped. 0: never. */
  idle: number
  /** Milliseconds after which an unused sandbox leaves memory. */
  sleep: number
  /** Whether visitors have their own sandboxes, which they cannot reset. */
  isPublic: boolean
  /** Milliseconds after which all sandboxes are reset. 0: never. */
  every: number
}
