import { writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

/** When what was written is forced onto the disk: at each write, within a second, or when the system sees fit. */
export const syncModes = ['always', 'second', 'never'] as const
export type SyncMode = (typeof syncModes)[number]

/** What a log holds: the records, and how much of its end was no whole record. */
export interface LogContent {
  records: unknown[]
  /** Bytes up to the end of the last whole record. */
  length: number
  /** Bytes after it: of a write that was cut short. */
  torn: number
}

/** Bytes. */
const little = 64 * 1024

interface Waiting {
  line: string
  written: () => void
  failed: (error: unknown) => void
}

/**
 * A file to which records are added, a line each: a checksum and JSON. What waits while a write is under way goes out
 * together with the next (group commit). A write that fails leaves no trace in the file.
 */
export class Log {
  private waiting: Waiting[] = []
  private writing: Promise<void> | undefined
  private isDirty = false
  private readonly timer: NodeJS.Timeout | undefined

  private constructor(
    readonly file: string,
    private readonly handle: FileHandle,
    private size: number,
    private readonly sync: SyncMode
  ) {
    if (sync === 'second') this.timer = setInterval(() => void this.force(), 1000).unref()
  }

  /** Opens a log for adding, made when it is not there; `length` is where its good part ends. */
  static async open(file: string, length: number, sync: SyncMode): Promise<Log> {
    const handle = await open(file, length === 0 ? 'w' : 'r+')
    try {
      await handle.truncate(length)
      return new Log(file, handle, length, sync)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Bytes. */
  get length(): number {
    return this.size
  }

  /** Resolves when the record is in the file, by the sync mode also on the disk. Rejects when it is not. */
  append(record: unknown): Promise<void> {
    return new Promise((written, failed) => {
      this.waiting.push({ line: encode(record), written, failed })
      this.writing ??= this.writeAll()
    })
  }

  /** Waits for what is under way. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing
    await this.force()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
    await this.handle.close()
  }

  private async writeAll(): Promise<void> {
    // What else comes in this turn of the event loop goes out with it.
    await setImmediate()
    while (this.waiting.length > 0) {
      const batch = this.waiting
      this.waiting = []
      try {
        await this.write(Buffer.from(batch.map(({ line }) => line).join('')))
        for (const { written } of batch) written()
      } catch (error) {
        // What came later rests on what failed. The last fails first, so that each can take back what it did.
        const all = [...batch, ...this.waiting]
        this.waiting = []
        for (const { failed } of all.reverse()) failed(error)
      }
    }
    this.writing = undefined
  }

  private async write(bytes: Buffer): Promise<void> {
    try {
      let done = 0
      while (done < bytes.length) done += await this.writeSome(bytes.subarray(done), this.size + done)
      if (this.sync === 'always') await this.handle.datasync()
      this.size += bytes.length
      this.isDirty = this.sync === 'second'
    } catch (error) {
      await this.handle.truncate(this.size).catch(() => {})
      throw error
    }
  }

  /** Gives the number of bytes that were written. */
  private async writeSome(bytes: Buffer, at: number): Promise<number> {
    // To hand so little to another thread takes longer than to give it to the system, which puts it in its cache.
    if (bytes.length <= little) return writeSync(this.handle.fd, bytes, 0, bytes.length, at)
    return (await this.handle.write(bytes, 0, bytes.length, at)).bytesWritten
  }

  private async force(): Promise<void> {
    if (!this.isDirty) return
    this.isDirty = false
    await this.handle.datasync()
  }
}

function encode(record: unknown): string {
  const json = JSON.stringify(record)
  return `${checksum(json)} ${json}\n`
}

function checksum(json: string | Buffer): string {
  return crc32(json).toString(16).padStart(8, '0')
}

const newline = 0x0a

/**
 * Reads a log. An end that is no whole record is of a write that was cut short; a record that is wrong anywhere else
 * is damage, and throws an Error that names the place.
 */
export function readLog(bytes: Buffer): LogContent {
  const records: unknown[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start)
    const record = end < 0 ? undefined : decode(bytes.subarray(start, end))
    if (record === undefined) {
      if (end >= 0 && hasRecord(bytes, end + 1)) throw new Error(`the record at byte ${start} is damaged`)
      break
    }
    records.push(record)
    start = end + 1
  }
  return { records, length: start, torn: bytes.length - start }
}

function hasRecord(bytes: Buffer, from: number): boolean {
  for (let start = from; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start)
    if (end < 0) return false
    if (decode(bytes.subarray(start, end)) !== undefined) return true
    start = end + 1
  }
  return false
}

/** The record of a line; undefined where the line does not hold. */
function decode(line: Buffer): unknown {
  const json = line.subarray(9)
  if (line.toString('latin1', 0, 9) !== `${checksum(json)} `) return undefined
  return JSON.parse(json.toString('utf8'))
}
