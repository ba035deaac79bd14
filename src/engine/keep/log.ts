import { clearInterval, setInterval } from 'node:timers'
import { setImmediate } from 'node:timers/promises'

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
  /** Where it ends. */
  readonly place: LogPosition
  write(lines: readonly string[], isForced: boolean): Promise<void>
  /** Forces all written lines onto the disk. Returns the place after the last one. */
  force(): Promise<LogPosition>
  close(): Promise<void>
}

/** What is appended to the log as one unit. */
interface LogWrite {
  /** JSON. */
  lines: readonly string[]
  /** The lines for the log that is being rewritten. */
  copies?: readonly string[] | undefined
  /** Called if the change cannot be written. If several cannot, the latest one comes first. */
  undone?: readonly (() => void)[]
}

interface QueuedWrite extends LogWrite {
  done: () => void
  failed: (error: unknown) => void
}

interface LogEvents {
  /** Everything up to this place of the file is on the disk. */
  forced: (file: LogStore, place: LogPosition) => Promise<void>
  /** Forcing it to disk failed. */
  failed: (error: Error) => void
}

/**
 * A log of changes. Changes that arrive during a write are written together with the next one (group commit). The log
 * can move to another file in the meantime: each change then goes to both files, in the same order.
 */
export class Log {
  private waiting: QueuedWrite[] = []
  private writing: Promise<void> | undefined
  private forcing: Promise<void> | undefined
  private isFailing = false
  /** The file that the log moves to, and why it misses a change. */
  private next: { file: LogStore; error?: unknown } | undefined
  /** What happens between two writes. */
  private step: (() => Promise<void>) | undefined
  private readonly timer: NodeJS.Timeout | undefined

  constructor(
    private file: LogStore,
    private readonly sync: SyncMode,
    private readonly events: LogEvents
  ) {
    if (sync !== 'never') this.timer = setInterval(() => void this.force(), 1000).unref()
  }

  /** Bytes. */
  get length(): number {
    return this.file.place.length
  }

  /** Resolves when the change is in the file and, depending on the sync mode, on the disk. Rejects otherwise. */
  append(change: LogWrite): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ ...change, done, failed })
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

  /** Copies changes into this file from now on. */
  copyTo(file: LogStore): void {
    this.next = { file }
  }

  /** Stops copying. */
  giveUp(): void {
    this.next = undefined
  }

  /** Throws the error of a failed copy. */
  check(): void {
    if (this.next?.error) throw this.next.error
  }

  /** Replaces the log's file by the copy. `commit` renames it. No change is written in the meantime. */
  async replace(commit: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.step = () => this.exchange(commit).then(resolve, reject)
      this.writing ??= this.writeAll()
    })
    await this.force()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    while (this.writing) await this.writing
    await this.forcing
    await this.force()
    await this.file.close()
  }

  private async exchange(commit: () => Promise<void>): Promise<void> {
    this.check()
    const { file } = this.next as { file: LogStore }
    await file.force()
    await commit()
    const old = this.file
    this.file = file
    this.next = undefined
    // Waiting changes go into the new file.
    this.waiting = this.waiting.map((it) => ({ ...it, lines: it.copies ?? it.lines }))
    await this.forcing
    await old.close().catch(() => {})
  }

  private async writeAll(): Promise<void> {
    // Other changes of this turn of the event loop are written with it.
    await setImmediate()
    while (this.waiting.length > 0 || this.step) {
      const batch = this.waiting
      this.waiting = []
      try {
        const lines = batch.flatMap((it) => it.lines)
        await this.file.write(lines, this.sync === 'always')
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

  private async copy(batch: readonly QueuedWrite[]): Promise<void> {
    const { next } = this
    if (!next || next.error) return
    try {
      const lines = batch.flatMap(({ copies = [] }) => copies)
      await next.file.write(lines, false)
    } catch (error) {
      // A file without all changes must never replace this one.
      next.error = error
    }
  }

  private takeBack(batch: readonly QueuedWrite[], error: unknown): void {
    // Later changes, and the copies, may build on the failed one.
    const all = [...batch, ...this.waiting]
    this.waiting = []
    if (this.next) this.next.error ??= error
    for (const { undone = [] } of [...all].reverse()) for (const undo of undone) undo()
    for (const { failed } of all) failed(error)
  }

  private async forceFile(): Promise<void> {
    const { file } = this
    try {
      await this.events.forced(file, await file.force())
      this.isFailing = false
    } catch (error) {
      if (!this.isFailing) this.events.failed(error as Error)
      this.isFailing = true
    }
  }
}
