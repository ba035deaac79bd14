import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'lowdb'
import type { Choices } from '../../contract/load.js'
import type { JournalLimits } from '../journal/journal.js'
import type { Base, Sandbox } from '../sandbox/sandbox.js'
import type { Database } from './edge.js'
import { lockFolder } from './lock.js'
import { Log, type SyncMode } from './log.js'
import { LogFile, type Place } from './log-file.js'
import { writeMark } from './mark.js'
import { baseRecords, format, type Header, type LogRecord, snapshotRecord, stateRecord } from './records.js'
import { recover } from './recover.js'
import { replay } from './replay.js'

export interface DataOptions {
  folder: string
  sync: SyncMode
  journal: JournalLimits
  /** The version that writes the log. */
  version: string
  /** A digest of the contracts that the rows keep to. */
  contract: string
  /** All choices of a sandbox with these explicit choices. */
  choices: (own: Choices) => Choices
  /** What in a sandbox breaks the contracts. Undefined if nothing does. */
  misfit: (sandbox: Sandbox) => string | undefined
  /** Reports what happened to the data. */
  say: (text: string) => void
  /** Only a larger log is rewritten, in bytes (default: 8 MiB). */
  small?: number
}

const defaultSmall = 8 * 1024 * 1024

/** The records of a change. The bases of its states are written before them, once per log. */
export interface Told {
  records: LogRecord[]
  bases: (Base | undefined)[]
}

/**
 * The folder that keeps the sandboxes, as lowdb's adapter. `read` replays the log, `write` rewrites it with what is
 * still needed, and each change in between is appended.
 */
export class DataFolder implements Adapter<Database> {
  /** The initial choices of sandboxes. */
  start: () => Choices
  private log: Log | undefined
  private bases = new Set<string>()
  /** The contents of the log that is being rewritten. */
  private next: { bases: Set<string>; names: Set<string> } | undefined
  private isRewriting = false
  private id = ''
  private marked: { log?: string; length?: number } = {}
  /** The approximate size of the log after a rewrite. */
  private needed = 0
  private readonly small: number
  /** After a failed rewrite, the log's length at which to try again. */
  private later = 0

  private constructor(
    private readonly options: DataOptions,
    private readonly unlock: () => Promise<void>
  ) {
    this.start = () => options.choices({})
    this.small = options.small ?? defaultSmall
  }

  /** Throws an Error if another process uses the folder. */
  static async open(options: DataOptions): Promise<DataFolder> {
    const { folder, say } = options
    await mkdir(folder, { recursive: true }).catch(({ code }) => {
      throw new Error(
        code === 'EEXIST'
          ? `${folder} is a file. Give --data a folder.`
          : `${folder} cannot be created (${code}). Give --data another folder.`
      )
    })
    return new DataFolder(options, await lockFolder(folder, say))
  }

  /** Throws an Error that names the file and the place if it cannot be read. */
  async read(): Promise<Database | null> {
    const { folder, contract, choices, journal, sync, misfit, say } = this.options
    const file = join(folder, 'log')
    await rm(join(folder, 'log.new'), { force: true })
    const { header, records, end, torn, keepTorn } = await recover(folder)
    try {
      const sandboxes = replay(records, choices, journal)
      const isOther = header !== undefined && header.contract !== contract
      for (const sandbox of isOther ? sandboxes.values() : []) {
        const found = misfit(sandbox)
        if (found) throw new Error(`it was written for other contracts (by version ${header?.version}): ${found}`)
      }
      await keepTorn(say)
      this.id = header?.id ?? randomUUID()
      this.log = new Log(await LogFile.open(file, this.id, end, torn), sync, {
        forced: (at, place) => this.mark(at, place),
        failed: ({ message }) => say(`${folder} could not be forced onto the disk: ${message}`)
      })
      this.needed = neededFor(sandboxes)
      if (isOther) say(`${file} was written for other contracts; every row holds to these.`)
      if (isOther) await this.write({ sandboxes })
      // Otherwise the process might always end before the rewrite.
      else if (this.isLarge) await this.write({ sandboxes }).catch(() => {})
      if (!header) await this.log.append({ lines: [JSON.stringify(this.header(null))] })
      await this.log.force()
      return { sandboxes }
    } catch (error) {
      await this.log?.close()
      throw new Error(`${file} is not a state of this mock: ${(error as Error).message}`)
    }
  }

  /** See `Log.underWay`. */
  get underWay(): Promise<void> | undefined {
    return this.log?.underWay
  }

  /**
   * Resolves when the records would survive a kill, all or none. If they cannot be written, `takeBack` is called first,
   * for the latest change first.
   */
  append(told: Told, takeBack: () => void): Promise<void> {
    const { next, bases } = this
    const undone: (() => void)[] = [takeBack]
    const lines = linesOf(told, bases, undone)
    if (!next) return (this.log as Log).append({ lines, undone })
    const copied = { ...told, records: told.records.filter((it) => isCopied(it, next.names)) }
    return (this.log as Log).append({ lines, copies: linesOf(copied, next.bases, undone), undone })
  }

  /** Whether the log has more than twice the size that it needs. */
  get isLarge(): boolean {
    const { length } = this.log as Log
    return !this.isRewriting && length > this.small && length > 2 * this.needed && length > this.later
  }

  /** Rewrites the log. Sandboxes are copied one after another, and their later changes go to both logs. */
  async write({ sandboxes }: Database): Promise<void> {
    if (this.isRewriting) return
    this.isRewriting = true
    const { folder } = this.options
    const log = this.log as Log
    const next = { bases: new Set<string>(), names: new Set<string>() }
    const [path, id] = [join(folder, 'log.new'), randomUUID()]
    let file: LogFile | undefined
    try {
      file = await LogFile.open(path, id)
      log.copyTo(file)
      this.next = next
      await log.append({ lines: [], copies: [JSON.stringify({ ...this.header(this.id), id })] })
      // A sandbox that is made in the meantime adds its own state.
      for (const name of [...sandboxes.keys()]) {
        const sandbox = sandboxes.get(name)
        if (!sandbox || next.names.has(name)) continue
        next.names.add(name)
        await log.append({ lines: [], copies: linesOf(wholeOf(sandbox, this.start()), next.bases) })
        log.check()
      }
      await file.force()
      await log.replace(async () => {
        const name = join(folder, 'log')
        await rename(path, name)
        if (file) file.file = name
        Object.assign(this, { id, bases: next.bases, next: undefined })
        await forceNames(folder)
      })
      this.needed = file.place.length
    } catch (error) {
      log.giveUp()
      this.next = undefined
      this.later = log.length + this.small
      await file?.close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
      throw error
    } finally {
      this.isRewriting = false
    }
  }

  async close(): Promise<void> {
    await this.log?.close()
    await this.unlock()
  }

  private header(after: string | null): Header {
    const { version, contract } = this.options
    return { op: 'header', format, version, contract, id: this.id, after }
  }

  private async mark({ id: log }: LogFile, { length, checksum }: Place): Promise<void> {
    if (this.marked.log === log && this.marked.length === length) return
    await writeMark(this.options.folder, { log, length, checksum })
    this.marked = { log, length }
  }
}

/** A sandbox with its snapshots. */
function wholeOf(sandbox: Sandbox, start: Choices): Told {
  const snapshots = [...sandbox.snapshots.values()]
  return {
    records: [stateRecord(sandbox, start), ...snapshots.map((snapshot) => snapshotRecord(sandbox.name, snapshot))],
    bases: [sandbox.base, ...snapshots.map(({ base }) => base)]
  }
}

/** The approximate size of a log with these sandboxes. Only rows count. */
function neededFor(sandboxes: ReadonlyMap<string, Sandbox>): number {
  const bases = new Map<string, number>()
  let held = 0
  for (const sandbox of sandboxes.values()) {
    held += sandbox.held
    for (const { base } of [sandbox, ...sandbox.snapshots.values()]) if (base) bases.set(base.key, base.bytes)
  }
  return [...bases.values()].reduce((sum, bytes) => sum + bytes, held)
}

/** Lines of JSON. Adds their new bases to `bases`, and functions that undo that to `undone`. */
function linesOf({ records, bases: needed }: Told, bases: Set<string>, undone: (() => void)[] = []): string[] {
  if (records.length === 0) return []
  const lines: string[] = []
  for (const base of needed) {
    if (!base || bases.has(base.key)) continue
    bases.add(base.key)
    undone.push(() => bases.delete(base.key))
    for (const record of baseRecords(base)) lines.push(JSON.stringify(record))
  }
  lines.push(JSON.stringify(records.length === 1 ? records[0] : records))
  return lines
}

/** Whether a record belongs in a log with these sandboxes. */
function isCopied(record: LogRecord, names: Set<string>): boolean {
  const { sandbox } = record as { sandbox: string }
  if (record.op === 'state' && record.snapshot === null) names.add(sandbox)
  return names.has(sandbox)
}

/** Forces the file names of a folder onto the disk, if the system supports it. */
async function forceNames(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
