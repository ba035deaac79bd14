import { existsSync, statSync } from 'node:fs'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tokensOf } from '../contract/message/literals.js'
import { lockFolder, lostSince, markFile, readMark, unreadable, writeMark } from './lock.js'
import { LogFile, readLog } from './log-file.js'
import { format, type LogItem } from './log-items.js'
import { makeFolder } from './make-folder.js'
import type { LogMedium, LogPosition, LogStore, RecoveredLog } from './medium.js'

/** A folder with a log. Only this process uses it. */
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

  /** Forces the file names to disk, if the system supports it. */
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

/**
 * Reads the log of a folder. An unfinished write does not count. Any other damage throws an Error that names the file and the
 * place and says what to do. Nothing is changed.
 */
async function recover(folder: string): Promise<RecoveredLog> {
  const file = join(folder, 'log')
  const mark = await readMark(folder)
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw unreadable(file, error)
  })
  const content = readLog(bytes, mark?.length)
  const { lines, length, checksum, torn, damage } = content
  if (length === 0 && bytes.length > 0 && !isBeginning(bytes)) throw foreign(file, 'it begins with something else')
  const [header] = lines as LogItem[]
  if (header && (header.op !== 'header' || header.format !== format)) {
    const found = header.op === 'header' ? `the format ${header.format}` : 'no header'
    throw foreign(file, `it has ${found}; this version reads the format ${format}`)
  }
  if (damage) {
    const { at, line } = damage
    throw new Error(
      `${file} is damaged at byte ${at}, line ${line}: the line is broken, or does not follow the one before it. ` +
        `Nothing was changed. Put a copy of the folder back. ${line === 1 ? startAnew(folder) : goOn(folder, at, line)}`
    )
  }
  const lost = mark && lostSince(mark, content)
  if (lost) {
    throw new Error(
      `${file} is damaged at byte ${length}, after line ${lines.length}: ${lost}. Nothing was changed. Put a copy of ` +
        `the folder back. ${length === 0 ? startAnew(folder) : `Or delete ${markFile(folder)} to go on with the rest of the log.`}`
    )
  }
  const keepTorn: RecoveredLog['keepTorn'] = async (say) => {
    if (torn === 0) return
    const rest = bytes.subarray(length)
    const kept = await keepBeside(folder, rest)
    const rows = rowsIn(rest.toString('utf8'))
    say(`${file}: cut off ${torn} bytes of a write that was not finished, with ${rows} rows. They are in ${kept}.`)
  }
  return { header, items: lines.flat() as LogItem[], end: { length, checksum }, torn, keepTorn }
}

function goOn(folder: string, at: number, line: number): string {
  const cut = `truncate -s ${at} ${join(folder, 'log')}`
  return (
    `Or keep a copy of it, and go on with the ${line - 1} lines before: cut the file to ${at} bytes (${cut}) ` +
    `and delete ${markFile(folder)}.`
  )
}

function startAnew(folder: string): string {
  return `Or start again: move ${join(folder, 'log')} and ${markFile(folder)} away.`
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

/** The number of rows that begin in the first part of some items. */
export function rowsIn(json: string): number {
  let count = 0
  for (const part of json.split('"put":{').slice(1)) {
    // Within `put`: a collection's list, then a row.
    let depth = 0
    for (const mark of tokensOf(part)) {
      if (mark === '{' && depth === 1) count += 1
      if (mark === '{' || mark === '[') depth += 1
      else if (mark === '}' || mark === ']') depth -= 1
      if (depth < 0) break
    }
  }
  return count
}
