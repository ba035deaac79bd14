import { existsSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from './lock.js'
import { LogFile } from './log-file.js'
import { makeFolder } from './make-folder.js'
import { writeMark } from './mark.js'
import type { LogMedium, LogPosition, LogStore, RecoveredLog } from './medium.js'
import { recover } from './recover.js'

/** A folder that keeps a log: this process has it alone. */
export class Folder implements LogMedium {
  readonly log: string
  private readonly path: string
  private next: LogFile | undefined
  private marked: { log?: string; length?: number } = {}

  private constructor(
    readonly name: string,
    private readonly unlock: () => Promise<void>
  ) {
    this.log = join(name, 'log')
    this.path = join(name, 'log.new')
  }

  /** Throws an Error if another process uses the folder. */
  static async open(folder: string, say: (text: string) => void): Promise<Folder> {
    try {
      makeFolder(folder)
    } catch (error) {
      throw new Error(`${(error as Error).message}. Give --data another folder.`)
    }
    checkKinds(folder)
    return new Folder(folder, await lockFolder(folder, say))
  }

  async recover(): Promise<RecoveredLog> {
    await rm(this.path, { force: true })
    return recover(this.name)
  }

  goOn(id: string, { end, torn }: RecoveredLog): Promise<LogFile> {
    return LogFile.open(this.log, id, end, torn)
  }

  async begin(id: string): Promise<LogFile> {
    this.next = await LogFile.open(this.path, id)
    return this.next
  }

  async replace(): Promise<void> {
    await rename(this.path, this.log)
    if (this.next) this.next.file = this.log
  }

  async giveUp(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => {})
  }

  /** Forces the file names onto the disk, if the system supports it. */
  async settle(): Promise<void> {
    const handle = await open(this.name).catch(() => undefined)
    await handle?.sync().catch(() => {})
    await handle?.close()
  }

  async mark({ id: log }: LogStore, { length, checksum }: LogPosition): Promise<void> {
    if (this.marked.log === log && this.marked.length === length) return
    await writeMark(this.name, { log, length, checksum })
    this.marked = { log, length }
  }

  async close(): Promise<void> {
    await this.unlock()
  }
}

/** Throws an Error for a folder, pipe or device in the place of a file: reading a pipe would never end. */
function checkKinds(folder: string): void {
  const parts = join(folder, 'parts')
  if (existsSync(parts)) throw new Error(`${parts} names logs of several processes, which this version cannot read.`)
  for (const name of ['log', 'log.new', 'log.mark', 'log.mark.new']) {
    const path = join(folder, name)
    const kind = statSync(path, { throwIfNoEntry: false })
    if (kind?.isDirectory()) throw new Error(`${path} is a folder, not a file. Move it away.`)
    if (kind && !kind.isFile()) throw new Error(`${path} is a pipe or a device, not a file. Move it away.`)
  }
}
