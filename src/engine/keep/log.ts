import { clearInterval, setInterval } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import { baseItems, type Header, logItem, type NewItem } from './log-items.js'

/** When writes are forced to disk: each at once, within a second, or when the system does it. */
export const syncModes = ['always', 'second', 'never'] as const
export type SyncMode = (typeof syncModes)[number]

/** A place between two lines of a log: the number of bytes before it, and the checksum of the previous line. */
export interface LogPosition {
  length: number
  checksum: number
}

/** Something that lines of JSON are added to. A write that fails leaves no trace. */
export interface LogStore {
  readonly id: string
  readonly place: LogPosition
  write(lines: readonly string[], isForced: boolean): Promise<void>
  /** Forces all written lines onto the disk. Returns the place after the last one. */
  force(): Promise<LogPosition>
  close(): Promise<void>
}

type Items = readonly (Header | NewItem)[]

interface QueuedChange {
  items: Items
  /** Called if it cannot be written. If several cannot, the latest one comes first. */
  undo: () => void
  /** Whether the log has it, and only misses it in the file that it moves to. */
  isCopy: boolean
  done: () => void
  failed: (error: unknown) => void
}

interface LogEvents {
  /** Everything up to this place of the file is on the disk. */
  forced: (file: LogStore, place: LogPosition) => Promise<void>
  failed: (error: Error) => void
}

/** A file of items, with the rows that its sandboxes share: each base is written once, before the first item that needs it. */
class ItemFile {
  private readonly bases = new Set<string>()
  /** The sandboxes in a file that the log moves to, and why it misses a change. */
  readonly sandboxes = new Set<string>()
  error: unknown

  constructor(readonly store: LogStore) {}

  /** Adds changes, all or none. */
  async write(changes: readonly Items[], isForced: boolean): Promise<void> {
    const added = new Set<string>()
    const lines = changes.flatMap((items) => this.linesOf(items, added))
    await this.store.write(lines, isForced)
    for (const key of added) this.bases.add(key)
  }

  /** The part of a change that belongs into this file: a sandbox that is not in it yet is written later, as a whole. */
  partOf(items: Items): Items {
    return items.filter((item) => {
      if (item.op === 'header') return false
      if (item.op === 'state' && item.snapshot === null) this.sandboxes.add(item.sandbox)
      return this.sandboxes.has(item.sandbox)
    })
  }

  private linesOf(items: Items, added: Set<string>): string[] {
    if (items.length === 0) return []
    const lines: string[] = []
    const all = items.map((item) =>
      logItem(item, (base) => {
        const { key } = base
        if (!this.bases.has(key) && !added.has(key)) for (const it of baseItems(base)) lines.push(JSON.stringify(it))
        added.add(key)
        return key
      })
    )
    return [...lines, JSON.stringify(all.length === 1 ? all[0] : all)]
  }
}

/**
 * A log of changes. Changes that arrive during a write are written together with the next one (group commit). The log
 * can move to another file in the meantime: each change then goes to both files, in the same order.
 */
export class Log {
  private file: ItemFile
  private next: ItemFile | undefined
  private waiting: QueuedChange[] = []
  private writing: Promise<void> | undefined
  private forcing: Promise<void> | undefined
  private isFailing = false
  /** What happens between two writes. */
  private step: (() => Promise<void>) | undefined
  private readonly timer: NodeJS.Timeout | undefined

  constructor(
    store: LogStore,
    private readonly sync: SyncMode,
    private readonly events: LogEvents
  ) {
    this.file = new ItemFile(store)
    if (sync !== 'never') this.timer = setInterval(() => void this.force(), 1000).unref()
  }

  /** Bytes. */
  get length(): number {
    return this.file.store.place.length
  }

  /** Resolves when the items are in the file and, depending on the sync mode, on the disk. Rejects otherwise. */
  append(items: Items, undo = () => {}, isCopy = false): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ items, undo, isCopy, done, failed })
      this.writing ??= this.writeAll()
    })
  }

  /** Forces all written changes to disk. A failure is reported once. */
  force(): Promise<void> {
    this.forcing ??= this.forceFile().finally(() => {
      this.forcing = undefined
    })
    return this.forcing
  }

  /**
   * Moves to a file that has a header, `contents`, which are written one after another, and all later changes. `commit` puts it
   * in the place of the old one; no change is written in the meantime.
   */
  async moveTo(store: LogStore, header: Header, contents: Iterable<Items>, commit: () => Promise<void>): Promise<void> {
    const next = new ItemFile(store)
    try {
      await next.write([[header]], false)
      this.next = next
      for (const items of contents) {
        await this.append(items, undefined, true)
        if (next.error) throw next.error
      }
      await store.force()
      await new Promise<void>((resolve, reject) => {
        this.step = () => this.replaceBy(next, commit).then(resolve, reject)
        this.writing ??= this.writeAll()
      })
    } catch (error) {
      this.next = undefined
      await store.close().catch(() => {})
      throw error
    }
    await this.force()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    while (this.writing) await this.writing
    await this.forcing
    await this.force()
    await this.file.store.close()
  }

  private async replaceBy(next: ItemFile, commit: () => Promise<void>): Promise<void> {
    if (next.error) throw next.error
    await next.store.force()
    await commit()
    const old = this.file
    this.file = next
    this.next = undefined
    await this.forcing
    await old.store.close().catch(() => {})
  }

  private async writeAll(): Promise<void> {
    // Other changes of this turn of the event loop are written with it.
    await setImmediate()
    while (this.waiting.length > 0 || this.step) {
      const batch = this.waiting
      this.waiting = []
      try {
        const changes = batch.flatMap(({ items, isCopy }) => (isCopy ? [] : [items]))
        await this.file.write(changes, this.sync === 'always')
        await this.copy(batch)
        for (const { done } of batch) done()
      } catch (error) {
        this.takeBack(batch, error)
      }
      const { step } = this
      this.step = undefined
      await step?.()
    }
    this.writing = undefined
  }

  private async copy(batch: readonly QueuedChange[]): Promise<void> {
    const { next } = this
    if (!next || next.error) return
    try {
      const changes = batch.map(({ items }) => next.partOf(items))
      await next.write(changes, false)
    } catch (error) {
      // A file without all changes must never replace this one.
      next.error = error
    }
  }

  private takeBack(batch: readonly QueuedChange[], error: unknown): void {
    // Later changes, and the copies, may build on the failed one.
    const all = [...batch, ...this.waiting]
    this.waiting = []
    if (this.next) this.next.error ??= error
    for (const { undo } of [...all].reverse()) undo()
    for (const { failed } of all) failed(error)
  }

  private async forceFile(): Promise<void> {
    const { store } = this.file
    try {
      await this.events.forced(store, await store.force())
      this.isFailing = false
    } catch (error) {
      if (!this.isFailing) this.events.failed(error as Error)
      this.isFailing = true
    }
  }
}
