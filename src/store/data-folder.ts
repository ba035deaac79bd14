import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'lowdb'
import type { Choices } from '../contract/load.js'
import type { JournalLimits } from '../mock/journal.js'
import type { Base, Sandbox } from '../mock/sandbox.js'
import type { Database } from './edge.js'
import { lockFolder } from './lock.js'
import { Log, readLog, type SyncMode } from './log.js'
import { baseRecords, type LogRecord, type StateRecord, snapshotRecord, stateRecord } from './records.js'
import { replay } from './replay.js'

export interface DataOptions {
  folder: string
  sync: SyncMode
  journal: JournalLimits
  /** What writes the log. */
  version: string
  /** A digest of the contracts that the rows hold to. */
  contract: string
  /** Choices for what the log has none of. */
  choices: () => Choices
  /** What of a sandbox does not hold to the contracts; undefined: all does. */
  misfit: (sandbox: Sandbox) => string | undefined
  /** Says what happened to the data. */
  say: (text: string) => void
}

const format = 1
/** A log is written anew when it has more than twice what it needs, but not while it is this small (bytes). */
const small = 8 * 1024 * 1024

/** A log with the bases that are in it. */
interface Target {
  log: Log
  bases: Set<string>
}

/**
 * The folder that keeps the sandboxes, as lowdb's adapter: `read` replays the log, `write` writes it anew with what is
 * still needed, and each change is appended meanwhile.
 */
export class DataFolder implements Adapter<Database> {
  private target: Target | undefined
  /** The log that is being written anew, and the sandboxes that it has. */
  private next: (Target & { names: Set<string> }) | undefined
  private isRewriting = false
  private needed = 0

  private constructor(
    private readonly options: DataOptions,
    private readonly unlock: () => Promise<void>
  ) {}

  /** Throws an Error when another process has the folder. */
  static async open(options: DataOptions): Promise<DataFolder> {
    await mkdir(options.folder, { recursive: true })
    return new DataFolder(options, await lockFolder(options.folder))
  }

  /** Throws an Error that names the file and the place when it cannot be read. */
  async read(): Promise<Database | null> {
    const { folder, contract, choices, journal, sync, misfit, say } = this.options
    const file = join(folder, 'log')
    await rm(join(folder, 'log.new'), { force: true })
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    })
    try {
      const { records, length, torn } = readLog(bytes)
      if (length === 0 && torn > 0 && !isBeginning(bytes)) throw new Error('it begins with something else')
      const [header] = records as LogRecord[]
      if (header && (header.op !== 'header' || header.format !== format)) {
        const found = header.op === 'header' ? `the format ${header.format}` : 'no header'
        throw new Error(`it has ${found}; this version reads the format ${format}`)
      }
      const sandboxes = replay(records as LogRecord[], choices, journal)
      if (torn > 0) say(`${file}: cut off ${torn} bytes of a write that was not finished.`)
      const log = await Log.open(file, length, sync)
      this.target = { log, bases: new Set() }
      this.needed = length
      const isOther = header?.op === 'header' && header.contract !== contract
      if (isOther) {
        for (const sandbox of sandboxes.values()) {
          const found = misfit(sandbox)
          if (found) throw new Error(`it was written for other contracts (by version ${header.version}): ${found}`)
        }
        say(`${file} was written for other contracts; every row holds to these.`)
        await this.write({ sandboxes })
      }
      if (!header) await log.append(this.header())
      return { sandboxes }
    } catch (error) {
      await this.target?.log.close()
      throw new Error(`${file} is not a state of this mock: ${(error as Error).message}`)
    }
  }

  /** Resolves when the record survives a kill. */
  append(record: Exclude<LogRecord, StateRecord>): Promise<void> {
    const target = this.target as Target
    if (this.next?.names.has((record as { sandbox: string }).sandbox)) this.copy(record)
    return target.log.append(record)
  }

  /** A whole state; its base goes before it, once in each log. */
  async appendState(record: StateRecord, base: Base | undefined): Promise<void> {
    if (this.next && (record.snapshot === null || this.next.names.has(record.sandbox))) {
      this.next.names.add(record.sandbox)
      for (const one of withBase(this.next, record, base)) this.copy(one)
    }
    const target = this.target as Target
    await Promise.all(withBase(target, record, base).map((one) => target.log.append(one)))
  }

  get isLarge(): boolean {
    const { length } = (this.target as Target).log
    return !this.isRewriting && length > small && length > 2 * this.needed
  }

  /** Writes the log anew. Sandboxes are copied one after the other; what they write from then on goes to both logs. */
  async write(database: Database): Promise<void> {
    if (this.isRewriting) return
    this.isRewriting = true
    try {
      await this.rewrite(database)
    } finally {
      this.isRewriting = false
    }
  }

  private async rewrite({ sandboxes }: Database): Promise<void> {
    const { folder, sync } = this.options
    const file = join(folder, 'log.new')
    const next = { log: await Log.open(file, 0, sync), bases: new Set<string>(), names: new Set<string>() }
    this.next = next
    try {
      await next.log.append(this.header())
      for (let sandbox = first(sandboxes, next.names); sandbox; sandbox = first(sandboxes, next.names)) {
        next.names.add(sandbox.name)
        const states = [
          stateRecord(sandbox),
          ...[...sandbox.snapshots.keys()].map((name) => snapshotRecord(sandbox as Sandbox, name))
        ]
        const bases = [sandbox.base, ...[...sandbox.snapshots.values()].map(({ base }) => base)]
        const records = states.flatMap((state, at) => (state ? withBase(next, state, bases[at]) : []))
        await Promise.all(records.map((record) => next.log.append(record)))
      }
      await next.log.flush()
      await rename(file, join(folder, 'log'))
    } catch (error) {
      this.next = undefined
      await next.log.close().catch(() => {})
      await rm(file, { force: true })
      throw error
    }
    const old = (this.target as Target).log
    this.target = next
    this.next = undefined
    this.needed = next.log.length
    await old.close()
  }

  async close(): Promise<void> {
    await this.target?.log.close()
    await this.unlock()
  }

  private copy(record: LogRecord): void {
    // Where the copy fails, writing anew fails, and the old log goes on.
    this.next?.log.append(record).catch(() => {})
  }

  private header(): LogRecord {
    const { version, contract } = this.options
    return { op: 'header', format, version, contract }
  }
}

function withBase({ bases }: Target, record: StateRecord, base: Base | undefined): LogRecord[] {
  if (!base || bases.has(base.key)) return [record]
  bases.add(base.key)
  return [...baseRecords(base), record]
}

function first(sandboxes: Map<string, Sandbox>, done: Set<string>): Sandbox | undefined {
  for (const [name, sandbox] of sandboxes) if (!done.has(name)) return sandbox
  return undefined
}

/** Whether bytes may be the beginning of a log whose first write was cut short. */
function isBeginning(bytes: Buffer): boolean {
  return /^[0-9a-f]{0,8}( |$)/.test(bytes.toString('latin1', 0, 9))
}
