import type { Readable } from 'node:stream'
import { guarded } from '../http/contain.js'
import type { UploadShare } from '../http/upload-budget.js'

/** Messages are looked at up to this size, in bytes; larger ones pass unread. */
export const largest = 16 * 1024 * 1024

/** Keeps a copy of what flows through a stream, up to a size, and as far as there is room for it. */
export class Copy {
  private readonly chunks: Buffer[] = []
  private size = 0
  /** Whether everything that flowed is here. */
  isWhole = true

  constructor(stream: Readable, share?: UploadShare) {
    const add = (chunk: Buffer): void => {
      this.size += chunk.length
      if (!this.isWhole) return
      if (this.size <= largest && !share?.take(chunk.length)) this.chunks.push(chunk)
      else this.giveUp(share)
    }
    stream.on(
      'data',
      guarded(() => this.giveUp(share), add)
    )
  }

  private giveUp(share: UploadShare | undefined): void {
    this.isWhole = false
    this.chunks.length = 0
    share?.release()
  }

  bytes(): Buffer {
    return this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks)
  }
}
