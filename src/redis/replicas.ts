import { performance } from 'node:perf_hooks'
import { clearInterval, setImmediate, setInterval, setTimeout } from 'node:timers'
import { Refusal } from '../engine/contract/message/refusal.js'
import { keepLatest } from '../engine/contract/once.js'
import { Edge } from '../engine/keep/edge.js'
import type { StateOptions } from '../engine/keep/state-log.js'
import type { Sandbox } from '../engine/sandbox/sandbox.js'
import { SandboxMoved } from '../engine/sandbox/sandboxes.js'
import type { OwnerAddress, SandboxPlace } from '../engine/serve/owners.js'
import { EngineBases } from './bases.js'
import type { Engine, Entry } from './client/engine.js'
import { eraOf, readClaim, writeClaim } from './client/eras.js'
import { ProcessSessions } from './client/process-sessions.js'
import { LastUses } from './client/used.js'
import { Lease } from './lease.js'
import { Losses } from './losses.js'
import { ReplicaLog } from './replica-log.js'
import { noCounts, Stream, type StreamOwner, type WrittenItems } from './stream.js'

export interface ReplicaOptions {
  /** Milliseconds of a lease. */
  lease: number
  /** Milliseconds after which an unused sandbox leaves memory. A request wakes it in any process. */
  sleep: number
  /** Whether visitors have their own sandboxes, which they cannot reset. */
  isPublic: boolean
  /** Milliseconds after which all sandboxes are reset. 0: never. */
  every: number
}

/** How often a sandbox is looked up again if another process was faster. */
const mostTries = 5

const mostPlaces = 10_000

/** The last id of a log, its claim, and 1 if the process of the claim has handed it back. Empty: there is no log. */
type LogEnd = [last: string, claim: string, isFree: number] | []

/** The sandboxes of several processes: which of them live here, where the others do, and how they move. */
export class Replicas implements StreamOwner {
  readonly edge: Edge
  readonly lease: Lease
  readonly lives: ProcessSessions
  readonly used: LastUses
  readonly counts = noCounts()
  /** The logs of the sandboxes that live here. */
  readonly owned = new Map<string, Stream>()
  /** Called with each sandbox that is read from the engine. */
  readied: (sandbox: Sandbox) => void = () => {}
  /** Called when a life of this process has begun. */
  begun: () => void = () => {}
  private readonly log: ReplicaLog
  private readonly bases: EngineBases
  private readonly losses: Losses
  /** Where other sandboxes were last found. This may be out of date: the process that is asked there says so. */
  private readonly elsewhere = new Map<string, OwnerAddress>()
  private readonly looking = new Map<string, Promise<SandboxPlace>>()
  /** How many requests work on a sandbox. */
  private readonly inUse = new Map<string, number>()
  /** Sandboxes that are being handed back. */
  private readonly leaving = new Map<string, Promise<void>>()
  private tidying: NodeJS.Timeout | undefined
  private isDraining = false

  constructor(
    readonly engine: Engine,
    private readonly options: ReplicaOptions,
    private readonly state: StateOptions
  ) {
    const { owned } = this
    const forget = (name: string) => this.forget(name)
    this.lease = new Lease(engine, options.lease, options.every, {
      ended: () => {
        for (const name of [...owned.keys()]) forget(name)
      },
      emptied: () => this.losses.note(),
      begun: () => {
        this.bases.keepAgain()
        this.begun()
      },
      turned: (isOwn) => this.turn(isOwn),
      lives: (all) => {
        this.losses.report()
        this.lives.hear(all)
      }
    })
    const { lease } = this
    this.lives = new ProcessSessions(engine, lease)
    this.used = new LastUses(engine, () => lease.engineTime)
    this.bases = new EngineBases(engine, state.api.collections)
    this.log = new ReplicaLog({ lease, bases: this.bases, state, owned, forget })
    this.edge = new Edge(this.log)
    this.losses = new Losses(this, options.isPublic)
  }

  async begin(address: string): Promise<void> {
    await this.lease.begin(address)
    this.tidying = setInterval(() => void this.tidy(), Math.min(this.options.sleep, 60_000) / 4).unref()
  }

  isHere(name: string): boolean {
    return this.owned.has(name) && !this.leaving.has(name)
  }

  /** Finds where a sandbox lives. One without an owner is claimed, or created if allowed. Rejects with a Refusal if unknown. */
  place(name: string, isForwarded: boolean, mayMake = true): Promise<SandboxPlace> {
    const place = this.elsewhere.get(name)
    if (place && !isForwarded) return Promise.resolve(place)
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
  beginAnew(name: string): Promise<void> {
    return this.losses.forgive(name)
  }

  /** The remembered place was wrong. */
  misled(name: string, { life }: OwnerAddress): void {
    this.elsewhere.delete(name)
    this.lives.suspect(life)
  }

  /** Notes that a request works on a sandbox. Returns a function that ends it. A name that has no sandbox then is free again. */
  use(name: string): () => Promise<void> | undefined {
    const { inUse } = this
    inUse.set(name, (inUse.get(name) ?? 0) + 1)
    return () => {
      const stream = this.isHere(name) ? this.owned.get(name) : undefined
      // The engine may refuse the first entry of a new one.
      if (stream?.busy && !stream.isListed) return stream.busy.then(() => this.endUse(name))
      return this.endUse(name)
    }
  }

  private endUse(name: string): Promise<void> | undefined {
    const count = (this.inUse.get(name) ?? 1) - 1
    if (count > 0) this.inUse.set(name, count)
    else this.inUse.delete(name)
    const stream = this.isHere(name) ? this.owned.get(name) : undefined
    if (stream?.isWritten && this.sandboxOf(name)) this.list(stream)
    else if (stream && count <= 0) return this.free(name)
    return undefined
  }

  private sandboxOf(name: string): Sandbox | undefined {
    const sandbox = this.edge.sandboxes.get(name)
    return sandbox && this.edge.isKept(sandbox) ? sandbox : undefined
  }

  /** Adds it to the lists that others see, also while it sleeps. A name without a sandbox is in none. */
  private list(stream: Stream): void {
    if (stream.isListed) return
    stream.isListed = true
    void this.used.note([{ name: stream.name, usedAt: this.lease.engineTime }])
  }

  /** Hands a sandbox back. Requests for it wait meanwhile. */
  private free(name: string): Promise<void> {
    const leaving = this.leaving.get(name) ?? this.handBack(name).finally(() => this.leaving.delete(name))
    this.leaving.set(name, leaving)
    return leaving
  }

  private async handBack(name: string): Promise<void> {
    const { log, inUse, used } = this
    const stream = this.owned.get(name)
    while (stream?.busy) await stream.busy
    if (!stream?.isOwned) return
    // A log with nothing but claims and the last clock could not be read.
    const sandbox = stream.isWritten ? this.sandboxOf(name) : undefined
    // Once it is free, another process may create and list it.
    const isNew = sandbox && !stream.isListed
    const noted = isNew ? used.note([sandbox]) : sandbox ? undefined : used.forget(name)
    const freed = stream.free(sandbox && log.lastOf(sandbox, inUse.get(name) ?? 0))
    this.forget(name)
    await noted
    await freed.catch(() => {})
  }

  /** Puts unused sandboxes to sleep, and records the use of the others. */
  private async tidy(): Promise<void> {
    const now = this.lease.engineTime
    const noted: { name: string; usedAt: number }[] = []
    for (const [name, stream] of [...this.owned]) {
      const sandbox = this.edge.sandboxes.get(name)
      const isWatched = this.inUse.has(name) || sandbox?.journal.isHeard
      const usedAt = isWatched ? now : (sandbox?.usedAt ?? 0)
      if (usedAt > stream.notedAt) {
        stream.notedAt = usedAt
        noted.push({ name, usedAt })
      }
      if (!isWatched && now - usedAt >= this.options.sleep) await this.free(name)
      else if (sandbox) await this.touch(sandbox)
    }
    await this.used.note(noted.filter(({ name }) => this.owned.has(name)))
  }

  /** The engine keeps the sandbox and its bases for as long as they are used. */
  private async touch({ name, base, snapshots }: Sandbox): Promise<void> {
    const { engine, bases } = this
    const { idle } = engine.options
    if (idle === 0) return
    await engine.ask('PEXPIRE', engine.logOf(name), `${idle + 60_000}`).catch(() => {})
    for (const it of [base, ...[...snapshots.values()].map((snapshot) => snapshot.base)]) if (it) await bases.touch(it)
  }

  /** Hands all sandboxes back, including those being claimed, and takes no more as long as there is another process. */
  async drain(): Promise<void> {
    this.isDraining = true
    clearInterval(this.tidying)
    await Promise.allSettled(this.looking.values())
    await Promise.all([...this.owned.keys()].map((name) => this.free(name)))
    if (this.owned.size === 0) await this.show(false)
  }

  private async show(isShown: boolean): Promise<void> {
    if (this.lease.isHidden !== isShown) return
    this.lease.isHidden = !isShown
    await this.lease.confirmed().catch(() => {})
  }

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

  /** Undefined: another process was faster. */
  private async look(name: string, mayMake: boolean): Promise<SandboxPlace | undefined> {
    await this.leaving.get(name)
    if (this.owned.has(name)) return 'here'
    const { lives, lease, elsewhere } = this
    const [last = '', claim = '', isFree = 1] = await this.endOf(name)
    const { life, era } = readClaim(claim)
    if (last !== '' && !isFree && !lease.isOwn(life)) {
      const address = await lives.addressOf(life)
      if (address) {
        const place = { life, address }
        keepLatest(elsewhere, name, place, mostPlaces)
        return place
      }
      // It may have handed the sandbox back just before its end.
      if ((await this.endOf(name))[0] !== last) return undefined
      if (!lives.isOver(life))
        throw new Refusal('elsewhere', { name, reason: 'its process has ended, and its lease has not' })
    }
    if (last === '') await this.losses.check(name)
    if ((last === '' || this.isPast(name, claim)) && !mayMake) return 'nowhere'
    if (this.isDraining) {
      const others = await lives.others()
      if (others.length > 0) return others[Math.floor(Math.random() * others.length)]
      await this.show(true)
    }
    // Another process may know of a later era.
    if (era > eraOf(lease.eras, name)) await lease.confirmed()
    return (await this.claim(name, last, this.isPast(name, claim))) ? 'here' : undefined
  }

  private endOf(name: string): Promise<LogEnd> {
    return this.engine.run('look', this.engine.logOf(name)) as Promise<LogEnd>
  }

  /** Whether the data in the engine belongs to an earlier era. */
  private isPast(name: string, claim: string): boolean {
    return readClaim(claim).era < eraOf(this.lease.eras, name)
  }

  claimOf(name: string): string {
    const { life, eras } = this.lease
    return writeClaim({ life, contract: this.state.contract, era: eraOf(eras, name) })
  }

  private async claim(name: string, last: string, isPast: boolean): Promise<boolean> {
    const { engine, lease } = this
    const claim = this.claimOf(name)
    const sent = performance.now()
    const values = [last, claim, engine.options.idle, Number(isPast)]
    const [id, time, all = []] = (await engine.run('claim', engine.logOf(name), ...values)) as
      | [string]
      | [string, [string, string], Entry[]]
    if (!time) return false
    lease.hear(time, sent)
    const stream = new Stream(name, id, claim, all, this)
    const sandbox = await this.log.read(all)
    // A life or an era has ended meanwhile.
    if (claim !== this.claimOf(name)) return false
    this.counts.claims += 1
    // One in memory that the log does not have was never kept.
    this.edge.release(name)
    if (sandbox) {
      stream.isWritten = true
      this.list(stream)
      this.readied(sandbox)
      this.edge.takeUp(sandbox)
    }
    this.elsewhere.delete(name)
    this.owned.set(name, stream)
    return true
  }

  whole(name: string): WrittenItems {
    const sandbox = this.edge.sandboxes.get(name)
    return sandbox ? this.log.whole(sandbox) : { items: [], before: undefined }
  }

  gone(name: string, lost: number, all: number): void {
    this.counts.lost += lost
    this.losses.suspect(name, all - lost)
    if (lost > 0)
      this.state.say(
        `${this.engine.address.name} has lost ${lost} entries of the sandbox ${name}, perhaps in a failover.`
      )
    this.forget(name)
  }

  /** The log is the truth when the sandbox is next asked for. */
  private forget(name: string): void {
    const stream = this.owned.get(name)
    if (stream) stream.isOwned = false
    this.owned.delete(name)
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
