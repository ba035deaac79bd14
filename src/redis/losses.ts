import { Refusal } from '../engine/contract/message/refusal.js'
import type { Edge } from '../engine/keep/edge.js'
import type { Stream, StreamOwner } from './stream.js'

/** The process that may have had lost sandboxes. */
interface LossOwner extends Pick<StreamOwner, 'engine' | 'lease' | 'counts'> {
  readonly edge: Edge
  readonly owned: ReadonlyMap<string, Stream>
}

const atOnce = 500

/** A day. After that, lost sandboxes are no longer refused. */
const ttl = 86_400_000

/**
 * The sandboxes lost by an engine that came back empty. Each process writes to the engine which ones it had. They are refused
 * until they are reset: otherwise a client would mistake the initial rows for what it has written.
 */
export class Losses {
  /** What this process had and gave up, because the engine did not answer: the sandboxes, and how many entries they had. */
  private readonly suspected = new Map<string, number>()
  private unreported: string[] | undefined

  constructor(
    private readonly owner: LossOwner,
    /** Whether visitors have their own sandboxes, which they cannot reset. */
    private readonly isPublic: boolean
  ) {}

  /** A sandbox left memory without being handed back. */
  suspect(name: string, entries: number): void {
    this.suspected.set(name, entries)
  }

  /** The engine has nothing of what it had. */
  note(): void {
    const { engine, edge, owned, counts } = this.owner
    for (const [name, { entries }] of owned) {
      const sandbox = edge.sandboxes.get(name)
      if (sandbox && edge.isKept(sandbox)) this.suspected.set(name, entries)
    }
    const entries = [...this.suspected.values()].reduce((sum, it) => sum + it, 0)
    counts.lost += entries
    this.unreported = [...(this.unreported ?? []), ...this.suspected.keys()]
    engine.options.say(
      `${engine.address.name} came back empty: it has lost the state of all sandboxes. ${this.suspected.size} of them, with ${entries} entries, were in this process. They are refused until they are reset, for example with POST /__mock/reset.`
    )
  }

  /** Called with each renewal of the lease: the engine has what this process has. Reports a loss to the others. */
  report(): void {
    const { engine, lease } = this.owner
    this.suspected.clear()
    const names = this.unreported
    if (!names) return
    this.unreported = undefined
    const keys = [engine.key('eras'), engine.key('lost')]
    const all = Array.from({ length: Math.max(1, Math.ceil(names.length / atOnce)) }, (_, at) =>
      engine.run('lose', keys, ttl, ...names.slice(at * atOnce, (at + 1) * atOnce))
    )
    Promise.all(all).then(
      () => lease.look(),
      () => {
        this.unreported = [...names, ...(this.unreported ?? [])]
      }
    )
  }

  /** Rejects if the engine has lost a sandbox, or if this is not known yet. */
  async check(name: string): Promise<void> {
    const { engine, lease } = this.owner
    // A renewal would have shown it soon.
    if (!lease.isOf((await engine.ask('HGET', engine.key('eras'), 'born')) as string | null)) await lease.confirmed()
    // Visitors of a public mock never see an error about a dropped sandbox.
    if (this.isPublic) return
    if (lease.isJustEmptied) {
      const reason = 'the engine has lost its data, and the processes are telling each other what they had'
      throw new Refusal('elsewhere', { name, reason })
    }
    if (lease.eras.lost === 0) return
    const isLost = await engine.ask('SISMEMBER', engine.key('lost'), name)
    if (isLost === 1) throw new Refusal('lost-sandbox', { name })
  }

  async forgive(name: string): Promise<void> {
    const { engine, lease } = this.owner
    if (lease.eras.lost > 0) await engine.ask('SREM', engine.key('lost'), name).catch(() => {})
  }
}
