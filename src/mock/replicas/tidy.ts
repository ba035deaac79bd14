import { clearInterval, setInterval } from 'node:timers'
import type { Edge } from '../persistence/edge.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { EngineBases } from './bases.js'
import type { Engine } from './engine/engine.js'
import type { LastUses } from './engine/used.js'
import type { InUse } from './in-use.js'
import type { Lease } from './lease.js'
import type { Stream } from './stream.js'

interface TidyParts {
  engine: Engine
  lease: Lease
  edge: Edge
  bases: EngineBases
  used: LastUses
  inUse: InUse
  owned: ReadonlyMap<string, Stream>
  /** Milliseconds after which a sandbox that nobody uses is dropped. 0: never. */
  idle: number
  /** Milliseconds after which a sandbox that nobody uses leaves memory. */
  sleep: number
  /** Hands a sandbox back. */
  free: (name: string) => Promise<void>
}

/** Puts to sleep what nobody has used for a while, and notes the use of the rest. */
export class Tidy {
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

  /** The engine keeps the sandbox, and what it begins from, for as long as it is used. */
  private async touch(name: string, { base, snapshots }: Sandbox): Promise<void> {
    const { engine, bases, idle } = this.of
    await engine.ask('PEXPIRE', engine.logOf(name), String(idle + 60_000)).catch(() => {})
    for (const it of [base, ...[...snapshots.values()].map(({ base }) => base)]) {
      if (it) await bases.touch(bases.digestOfKey(it.key))
    }
  }
}
