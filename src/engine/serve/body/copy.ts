import type { UploadShare } from './limits.js'

/** The size of the largest message that is checked, in bytes. Larger ones are forwarded unchecked. */
export const largest = 16 * 1024 * 1024

/** Keeps a copy of a body if it is small enough and there is memory for it. */
export class Copy {
  private readonly chunks: Uint8Array[] = []
  private size = 0
  isWhole = true

  constructor(private readonly share?: UploadShare) {}

  add(chunk: Uint8Array): void {
    this.size += chunk.length
    if (!this.isWhole) return
    if (this.size <= largest && !this.share?.take(chunk.length)) this.chunks.push(chunk)
    else {
      this.isWhole = false
      this.chunks.length = 0
      this.share?.release()
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }
}
