import { statSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { LogPosition, LogStore } from './log.js'

const beginning: LogPosition = { length: 0, checksum: 0 }

export interface LogContent extends LogPosition {
  lines: unknown[]
  /** The number of bytes after the last complete line, from an unfinished write. */
  torn: number
  damage: { at: number; line: number } | undefined
  /** The checksum of the line that ends at the requested byte. Undefined if none ends there. */
  checksumThere: number | undefined
}

/** Bytes. */
const little = 64 * 1024

/**
 * A file of lines, each a checksum and JSON. A checksum includes the previous one, so that missing, repeated and
 * swapped lines are detected. A failed write leaves no trace.
 */
export class LogFile implements LogStore {
  private isTorn = false
  private isDirty = false

  private constructor(
    public file: string,
    readonly id: string,
    private readonly handle: FileHandle,
    /** The system's number for the file, whatever its path is. */
    private readonly inode: number,
    private end: LogPosition
  ) {}

  /**
   * Opens a file to append after `end`, and cuts off `torn` bytes. If `end` is the beginning, the file is created.
   * Throws an Error if the length of the file is different.
   */
  static async open(file: string, id: string, end: LogPosition = beginning, torn = 0): Promise<LogFile> {
    const handle = await open(file, end.length === 0 ? 'w' : 'r+')
    try {
      const { size, ino } = await handle.stat()
      if (end.length > 0 && size !== end.length + torn) throw new Error('something else wrote to it while it was read')
      if (torn > 0) await handle.truncate(end.length)
      return new LogFile(file, id, handle, ino, end)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  get place(): LogPosition {
    return this.end
  }

  /** Appends lines of JSON. If that fails, none of them is added. */
  async write(lines: readonly string[], isForced: boolean): Promise<void> {
    if (lines.length === 0) return
    if (this.isTorn) await this.cut()
    this.check()
    let { length, checksum } = this.end
    let text = ''
    for (const json of lines) {
      checksum = crc32(json, checksum)
      text += `${textOf(checksum)} ${json}\n`
    }
    const bytes = Buffer.from(text)
    try {
      for (let done = 0; done < bytes.length; ) done += await this.writeSome(bytes.subarray(done), length + done)
      length += bytes.length
      if (isForced) await this.handle.datasync()
    } catch (error) {
      this.isTorn = true
      await this.cut().catch(() => {})
      throw error
    }
    this.end = { length, checksum }
    this.isDirty = !isForced
  }

  /** Forces all written lines to disk. Returns the place after the last one. */
  async force(): Promise<LogPosition> {
    const { end } = this
    if (!this.isDirty) return end
    this.isDirty = false
    try {
      await this.handle.datasync()
    } catch (error) {
      this.isDirty = true
      throw error
    }
    return end
  }

  async close(): Promise<void> {
    await this.handle.close()
  }

  /** Throws an Error if the file is not as this process left it: another program wrote to it, moved or deleted it. */
  private check(): void {
    const there = statSync(this.file, { throwIfNoEntry: false })
    const isThere = there?.ino === this.inode
    if (isThere && there.size === this.end.length) return
    const what = isThere ? 'was changed by something else' : 'was moved, deleted or replaced'
    throw new Error(
      `${this.file} ${what} while the mock had it, so the mock takes no more changes. ` +
        'Save its state with GET /__mock/state, then stop it'
    )
  }

  private async cut(): Promise<void> {
    await this.handle.truncate(this.end.length)
    this.isTorn = false
  }

  private async writeSome(bytes: Buffer, at: number): Promise<number> {
    // For so few bytes, using another thread takes longer than writing to the system's cache.
    if (bytes.length <= little) return writeSync(this.handle.fd, bytes, 0, bytes.length, at)
    return (await this.handle.write(bytes, 0, bytes.length, at)).bytesWritten
  }
}

const newline = 0x0a

/** Reads a log up to its first damaged line. Only an incomplete last line counts as unfinished. */
export function readLog(bytes: Buffer, there?: number): LogContent {
  const lines: unknown[] = []
  let { length, checksum } = beginning
  let checksumThere: number | undefined
  let damage: LogContent['damage']
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, length)) {
    const json = bytes.subarray(length + 9, end)
    const next = crc32(json, checksum)
    if (bytes.toString('latin1', length, length + 9) !== `${textOf(next)} `) {
      damage = { at: length, line: lines.length + 1 }
      break
    }
    lines.push(JSON.parse(json.toString('utf8')))
    length = end + 1
    checksum = next
    if (length === there) checksumThere = checksum
  }
  return { lines, length, checksum, torn: damage ? 0 : bytes.length - length, damage, checksumThere }
}

function textOf(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}
