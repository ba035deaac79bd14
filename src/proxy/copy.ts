import type { Readable } from 'node:stream'

/** Messages are looked at up to this size, in bytes; larger ones pass unread. */
export const largest = 16 * 1024 * 1024

/** Keeps a copy of what flows through a stream, up to a size. */
export class Copy {
  private readonly chunks: Buffer[] = []
  private size = 0

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => {
      this.size += chunk.length
      if (this.isWhole) this.chunks.push(chunk)
      else this.chunks.length = 0
    })
  }

  /** Whether everything that flowed is here. */
  get isWhole(): boolean {
    return this.size <= largest
  }

  bytes(): Buffer {
    return this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks)
  }
}
