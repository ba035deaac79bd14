import { Low, Memory } from 'lowdb'
import { Refusal } from '../contract/refusal.js'
import type { Sandbox, Snapshot } from '../mock/sandbox.js'
import { DataFolder, type DataOptions } from './data-folder.js'
import { rowsRecord, snapshotRecord, stateRecord, undo } from './records.js'
import type { Store } from './rows.js'
import type { Write } from './touches.js'

/** All that the mock keeps. */
export interface Database {
  sandboxes: Map<string, Sandbox>
}

/** What of a sandbox was kept last. */
interface Kept {
  rows: Store
  snapshots: Map<string, Snapshot>
}

/**
 * The store's edge: lowdb, in memory or over a folder. What a request changed is in the log before the request is
 * answered, at a cost that does not grow with the state.
 */
export class Edge {
  private readonly kept = new WeakMap<Sandbox, Kept>()
  /** The names of the sandboxes that were kept. */
  private readonly names: Set<string>

  private constructor(
    private readonly database: Low<Database>,
    private readonly folder: DataFolder | undefined
  ) {
    this.names = new Set(database.data.sandboxes.keys())
    for (const sandbox of database.data.sandboxes.values()) this.note(sandbox)
  }

  static inMemory(): Edge {
    return new Edge(new Low(new Memory<Database>(), { sandboxes: new Map() }), undefined)
  }

  /** Throws an Error that names the folder or file when it is in use, or no state of the mock. */
  static async inFolder(options: DataOptions): Promise<Edge> {
    const folder = await DataFolder.open(options)
    const database = new Low<Database>(folder, { sandboxes: new Map() })
    try {
      await database.read()
      return new Edge(database, folder)
    } catch (error) {
      await folder.close()
      throw error
    }
  }

  get sandboxes(): Map<string, Sandbox> {
    return this.database.data.sandboxes
  }

  /** Whether anything outlives the process. */
  get isKept(): boolean {
    return this.folder !== undefined
  }

  /**
   * Keeps the rows that a request wrote and the identifiers that it gave; of a sandbox that is new, all. Resolves when
   * that would survive a kill; undefined where there is nothing to keep. Where it fails all is taken back, and it rejects
   * with a Refusal.
   */
  keepRows(sandbox: Sandbox, writes: readonly Write[]): Promise<void> | undefined {
    const { folder } = this
    if (!folder) return undefined
    const before = this.kept.get(sandbox)
    const isKnown = before?.rows === sandbox.rows
    const counted = sandbox.ids.takeCounted()
    if (isKnown && writes.length === 0 && !counted) return undefined
    const done = isKnown
      ? folder.append(rowsRecord(sandbox, writes, counted?.counters))
      : this.appendState(folder, sandbox)
    return this.watched(folder, done, () => {
      undo(sandbox.rows, writes)
      counted?.takeBack()
      this.noteAgain(sandbox, before)
    })
  }

  /** Keeps whatever of a sandbox differs from what was kept: another state, clock, choices, snapshots. */
  keepAll(sandbox: Sandbox, writes: readonly Write[], undoAll: () => void): Promise<void> | undefined {
    const { folder } = this
    if (!folder) return undefined
    const before = this.kept.get(sandbox)
    const counted = sandbox.ids.takeCounted()
    const parts: Promise<void>[] = []
    if (before?.rows !== sandbox.rows) parts.push(this.appendState(folder, sandbox))
    else if (writes.length > 0) parts.push(folder.append(rowsRecord(sandbox, writes, counted?.counters)))
    const { name, clock, choices, snapshots } = sandbox
    parts.push(folder.append({ op: 'set', sandbox: name, ...clock.anchor, choices }))
    for (const [key, snapshot] of snapshots) {
      const record = before?.snapshots.get(key) === snapshot ? undefined : snapshotRecord(sandbox, key)
      if (record) parts.push(folder.appendState(record, snapshot.base))
    }
    for (const key of before?.snapshots.keys() ?? []) {
      if (!snapshots.has(key)) parts.push(folder.append({ op: 'forget', sandbox: name, snapshot: key }))
    }
    this.note(sandbox)
    return this.watched(folder, Promise.all(parts), () => {
      undoAll()
      this.noteAgain(sandbox, before)
    })
  }

  /** Keeps which sandboxes there are. */
  keepNames(): Promise<unknown> | undefined {
    const { folder } = this
    if (!folder) return undefined
    const made = [...this.sandboxes.values()].filter((sandbox) => !this.kept.has(sandbox))
    const gone = [...this.names].filter((name) => !this.sandboxes.has(name))
    for (const name of gone) this.names.delete(name)
    return Promise.all([
      ...gone.map((name) => folder.append({ op: 'drop', sandbox: name })),
      ...made.map((sandbox) => this.keepAll(sandbox, [], () => {}))
    ])
  }

  /** Keeps that a sandbox is gone. Nobody waits for it: where it fails, `keepNames` tries again. */
  forget(name: string): void {
    if (!this.folder || !this.names.delete(name)) return
    this.folder.append({ op: 'drop', sandbox: name }).catch(() => this.names.add(name))
  }

  async close(): Promise<void> {
    await this.folder?.close()
  }

  private appendState(folder: DataFolder, sandbox: Sandbox): Promise<void> {
    const done = folder.appendState(stateRecord(sandbox), sandbox.base)
    this.note(sandbox)
    return done
  }

  private note(sandbox: Sandbox): void {
    this.kept.set(sandbox, { rows: sandbox.rows, snapshots: new Map(sandbox.snapshots) })
    this.names.add(sandbox.name)
  }

  private noteAgain(sandbox: Sandbox, before: Kept | undefined): void {
    if (before) this.kept.set(sandbox, before)
    else this.kept.delete(sandbox)
  }

  private watched(folder: DataFolder, done: Promise<unknown>, takeBack: () => void): Promise<void> {
    return done.then(
      () => {
        if (folder.isLarge) void this.database.write().catch(() => {})
      },
      (error: Error) => {
        takeBack()
        throw new Refusal('not-kept', { reason: error.message })
      }
    )
  }
}
