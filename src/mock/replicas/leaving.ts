import type { Edge } from '../persistence/edge.js'
import type { LastUses } from './engine/used.js'
import type { InUse } from './in-use.js'
import type { ReplicaLog } from './replica-log.js'
import type { Stream } from './stream.js'

interface LeavingParts {
  edge: Edge
  log: ReplicaLog
  inUse: InUse
  owned: ReadonlyMap<string, Stream>
  used: LastUses
  forget: (name: string) => void
}

/** Sandboxes that are being handed back. */
export class Leaving {
  private readonly underWay = new Map<string, Promise<void>>()

  constructor(private readonly of: LeavingParts) {}

  /** Resolves when a sandbox is handed back. Undefined: it is not being. */
  find(name: string): Promise<void> | undefined {
    return this.underWay.get(name)
  }

  /** Hands a sandbox back. Who asks for it meanwhile waits. */
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
    // Once it is free, another process may make it, and list it.
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
