import { Refusal } from '../engine/contract/message/refusal.js'
import type { Edge } from '../engine/keep/edge.js'
import type { Counts } from './counts.js'
import type { Engine } from './engine/engine.js'
import type { Lease } from './lease.js'
import type { Stream } from './stream.js'

interface LossParts {
  engine: Engine
  lease: Lease
  edge: Edge
  owned: ReadonlyMap<string, Stream>
  counts: Counts
  /** Whether visitors have their own sandboxes, which they cannot reset. */
  isPublic: boolean
  say: (text: string) => void
}

/** How many names are sent with a command. */
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
  private untold: string[] | undefined

  constructor(private readonly of: LossParts) {}

  /** A sandbox left memory without being handed back. */
  suspect(name: string, entries: number): void {
    this.suspected.set(name, entries)
  }

  /** The engine has nothing of what it had. */
  note(): void {
    const { engine, edge, owned, counts, say } = this.of
    for (const [name, { entries }] of owned) {
      const sandbox = edge.sandboxes.get(name)
      if (sandbox && edge.isKept(sandbox)) this.suspected.set(name, entries)
    }
    const entries = [...this.suspected.values()].reduce((sum, it) => sum + it, 0)
    counts.lost += entries
    this.untold = [...(this.untold ?? []), ...this.suspected.keys()]
    say(
      `${engine.address.name} came back empty: it has lost the state of all sandboxes. ${this.suspected.size} of them, with ${entries} entries, were in this process. They are refused until they are reset, for example with POST /__mock/reset.`
    )
  }

  /** Called with each renewal of the lease: the engine has what this process has. Reports a loss to the others. */
  tell(): void {
    const { engine, lease } = this.of
    this.suspected.clear()
    const names = this.untold
    if (!names) return
    this.untold = undefined
    const keys = [engine.key('eras'), engine.key('lost')]
    const all = Array.from({ length: Math.max(1, Math.ceil(names.length / atOnce)) }, (_, at) =>
      engine.run('lose', keys, ttl, ...names.slice(at * atOnce, (at + 1) * atOnce))
    )
    Promise.all(all).then(
      () => lease.look(),
      () => {
        this.untold = [...names, ...(this.untold ?? [])]
      }
    )
  }

  /** Rejects if the engine has lost a sandbox, or if this is not known yet. */
  async check(name: string): Promise<void> {
    const { engine, lease, isPublic } = this.of
    // A renewal would have shown it soon.
    if (!lease.isOf((await engine.ask('HGET', engine.key('eras'), 'born')) as string | null)) await lease.confirmed()
    // Visitors of a public mock never see an error about a dropped sandbox.
    if (isPublic) return
    if (lease.isJustEmptied) {
      const reason = 'the engine has lost its data, and the processes are telling each other what they had'
      throw new Refusal('elsewhere', { name, reason })
    }
    if (lease.eras.lost === 0) return
    const isLost = await engine.ask('SISMEMBER', engine.key('lost'), name)
    if (isLost === 1) throw new Refusal('lost-sandbox', { name })
  }

  forgive(name: string): Promise<void> | undefined {
    const { engine, lease } = this.of
    if (lease.eras.lost === 0) return undefined
    return engine.ask('SREM', engine.key('lost'), name).then(
      () => {},
      () => {}
    )
  }
}
