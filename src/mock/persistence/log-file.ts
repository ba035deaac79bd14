import { fstatSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** A place between two lines of a log: how many bytes come before it, and the checksum of the line before it. */
export interface Place {
  length: number
  checksum: number
}

export const beginning: Place = { length: 0, checksum: 0 }

/** What a log holds. */
export interface LogContent extends Place {
  /** What the whole lines hold. */
  lines: unknown[]
  /** Bytes after the last whole line, of a write that was not finished. */
  torn: number
  /** The first line that is not as it was written. */
  damage: { at: number; line: number } | undefined
  /** The checksum of the line that ends at the byte that was asked for; undefined: none ends there. */
  checksumThere: number | undefined
}

/** Bytes. */
const little = 64 * 1024

/**
 * A file to which lines are added, each a checksum and JSON. A checksum covers the one before it, so that it shows when
 * lines are missing, doubled or swapped. A write that fails leaves no trace.
 */
export class LogFile {
  private isTorn = false
  private isDirty = false

  private constructor(
    public file: string,
    readonly id: string,
    private readonly handle: FileHandle,
    private end: Place
  ) {}

  /**
   * Opens a file for adding after `end`, where `torn` bytes are cut off; where that is its beginning, the file is made.
   * Throws an Error where the file has another length.
   */
  static async open(file: string, id: string, end: Place = beginning, torn = 0): Promise<LogFile> {
    const handle = await open(file, end.length === 0 ? 'w' : 'r+')
    try {
      const { size } = await handle.stat()
      if (end.length > 0 && size !== end.length + torn) throw new Error('something else wrote to it while it was read')
      if (torn > 0) await handle.truncate(end.length)
      return new LogFile(file, id, handle, end)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  get place(): Place {
    return this.end
  }

  /** Adds lines of JSON. If that fails, none of them is added. */
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

  /** Forces all written lines onto the disk. Returns the place after the last of them. */
  async force(): Promise<Place> {
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

  /** Throws an Error where the file is not as this process left it: another one writes to it, or it was deleted. */
  private check(): void {
    const { nlink, size } = fstatSync(this.handle.fd)
    if (nlink > 0 && size === this.end.length) return
    const what = nlink > 0 ? 'was changed by something else' : 'was deleted or replaced'
    throw new Error(
      `${this.file} ${what} while the mock had it, so the mock takes no more changes. ` +
        'Save its state with GET /__mock/state, then stop it'
    )
  }

  private async cut(): Promise<void> {
    await this.handle.truncate(this.end.length)
    this.isTorn = false
  }

  /** Returns the number of written bytes. */
  private async writeSome(bytes: Buffer, at: number): Promise<number> {
    // For so few bytes, handing them to another thread takes longer than writing them into the system's cache.
    if (bytes.length <= little) return writeSync(this.handle.fd, bytes, 0, bytes.length, at)
    return (await this.handle.write(bytes, 0, bytes.length, at)).bytesWritten
  }
}

const newline = 0x0a

/** Reads a log up to its first line that is not as it was written. Only a last line without its end is unfinished. */
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
