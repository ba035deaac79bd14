import { existsSync, statSync } from 'node:fs'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from './lock.js'
import type { LogPosition, LogStore } from './log.js'
import { type LogContent, LogFile, readLog } from './log-file.js'
import { format, type LogItem } from './log-items.js'
import { makeFolder } from './make-folder.js'
import type { LogMedium, RecoveredLog } from './state-log.js'

/** How much of a log was on the disk, in a file next to it. So a log that was emptied or cut is noticed. */
interface Mark extends LogPosition {
  log: string
}

/** A folder with a log. Only this process uses it. */
export class Folder implements LogMedium {
  readonly log: string
  private readonly mark: string
  private readonly path: string
  private next: LogFile | undefined
  private marked: Partial<Mark> = {}

  private constructor(
    readonly name: string,
    private readonly unlock: () => Promise<void>
  ) {
    this.log = join(name, 'log')
    this.mark = join(name, 'log.mark')
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

  /**
   * Reads the log. An unfinished write does not count. Any other damage throws an Error that names the file and the place and
   * says what to do. Nothing is changed.
   */
  async recover(): Promise<RecoveredLog> {
    const { log: file, mark: markFile } = this
    await rm(this.path, { force: true })
    const mark = await readMark(markFile)
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0)
      throw unreadable(file, error)
    })
    const content = readLog(bytes, mark?.length)
    const { lines, length, checksum, torn, damage } = content
    if (length === 0 && bytes.length > 0 && !isBeginning(bytes)) throw foreign(file, 'it begins with something else')
    const [header] = lines as LogItem[]
    if (header && (header.op !== 'header' || header.format !== format)) {
      const there = header.op === 'header' ? `the format ${header.format}` : 'no header'
      throw foreign(file, `it has ${there}; this version reads the format ${format}`)
    }
    const damaged = (at: number, what: string, advice: string) => {
      const anew = `Or start again: move ${file} and ${markFile} away.`
      const next = at === 0 ? anew : advice
      return new Error(
        `${file} is damaged at byte ${at}, ${what}. Nothing was changed. Put a copy of the folder back. ${next}`
      )
    }
    if (damage) {
      const { at, line } = damage
      const what = `line ${line}: the line is broken, or does not follow the one before it`
      const cut = `cut the file to ${at} bytes (truncate -s ${at} ${file}) and delete ${markFile}.`
      throw damaged(at, what, `Or keep a copy of it, and go on with the ${line - 1} lines before: ${cut}`)
    }
    const lost = mark && lostSince(mark, content)
    const rest = `Or delete ${markFile} to go on with the rest of the log.`
    if (lost) throw damaged(length, `after line ${lines.length}: ${lost}`, rest)
    return {
      header,
      items: lines.flat() as LogItem[],
      goOn: async (id, say) => {
        if (torn > 0) {
          const copy = await keepBeside(this.name, bytes.subarray(length))
          say(`${file}: cut off ${torn} bytes of a write that was not finished. They are in ${copy}.`)
        }
        return LogFile.open(file, id, { length, checksum }, torn)
      }
    }
  }

  async begin(id: string): Promise<LogFile> {
    this.next = await LogFile.open(this.path, id)
    return this.next
  }

  async replace(): Promise<void> {
    await rename(this.path, this.log)
    if (this.next) this.next.file = this.log
    // Forces the file names to disk, if the system supports it.
    const handle = await open(this.name).catch(() => undefined)
    await handle?.sync().catch(() => {})
    await handle?.close()
  }

  async giveUp(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => {})
  }

  async noteForced({ id: log }: LogStore, { length, checksum }: LogPosition): Promise<void> {
    if (this.marked.log === log && this.marked.length === length) return
    const mark: Mark = { log, length, checksum }
    await writeFile(`${this.mark}.new`, `${JSON.stringify(mark)}\n`)
    await rename(`${this.mark}.new`, this.mark)
    this.marked = mark
  }

  async close(): Promise<void> {
    await this.unlock()
  }
}

/** Throws an Error if a file is a folder, pipe or device: reading a pipe would never end. */
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

/** Undefined if there is none. Throws an Error if it cannot be read. */
async function readMark(file: string): Promise<Mark | undefined> {
  try {
    const mark = JSON.parse(await readFile(file, 'utf8'))
    if (Number.isInteger(mark?.length) && Number.isInteger(mark.checksum)) return mark
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code !== undefined) throw unreadable(file, error as NodeJS.ErrnoException)
  }
  throw new Error(`${file} is damaged. Delete it to go on without this check of the log.`)
}

/** Why a log is not the one that was marked. Undefined if it is. */
function lostSince(mark: Mark, { length, checksumThere, lines }: LogContent): string | undefined {
  const [header] = lines as { id?: string; after?: string | null }[]
  // The process ended between rewriting the log and marking it.
  if (header && header.after === mark.log) return undefined
  if (length < mark.length) return `it has ${length} bytes, but at least ${mark.length} were written`
  if (header?.id !== mark.log || checksumThere !== mark.checksum) return 'it is not the log that was written'
  return undefined
}

function unreadable(file: string, { message }: NodeJS.ErrnoException): Error {
  return new Error(`${file} cannot be read: ${message}.`)
}

function foreign(file: string, reason: string): Error {
  return new Error(`${file} is not a state of this mock: ${reason}`)
}

/** Whether the bytes may be the beginning of a log whose first write was cut short. */
function isBeginning(bytes: Buffer): boolean {
  return /^[0-9a-f]{0,8}( |$)/.test(bytes.toString('latin1', 0, 9))
}

/** Returns the name of the file. */
async function keepBeside(folder: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number++) {
    const file = join(folder, `log.cut-${number}`)
    try {
      await writeFile(file, bytes, { flag: 'wx', flush: true })
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
