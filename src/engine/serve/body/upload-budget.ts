import { Refusal } from '../../contract/message/refusal.js'
import type { Request } from '../message/message.js'

/** Seconds. Most uploads take less time. */
const retryAfter = 1

/** Smaller bodies are not counted, because counting costs more than their memory. */
const small = 1024

/** The highest number of bytes that the bodies of all requests may use together. */
export class UploadBudget {
  /** Bytes in use now. */
  held = 0

  constructor(readonly most: number) {}

  open(request: Pick<Request, 'whenOver'>): UploadShare {
    return new UploadShare(this, request)
  }
}

/** The share of one request. It is released when the request has its answer or its connection is closed. */
export class UploadShare {
  /** The number of received bytes, and how many of them are counted. */
  private size = 0
  private reserved = 0
  private stop: (() => void) | undefined

  constructor(
    private readonly budget: UploadBudget,
    private readonly request: Pick<Request, 'whenOver'>
  ) {}

  /** Why this many more bytes are too many, or undefined. */
  refusalOf(bytes: number): Refusal | undefined {
    const { most, held } = this.budget
    if (this.reserved + bytes > most) {
      const detail = `The body is larger than the ${most} bytes that all uploads together may hold (--max-upload-bytes).`
      return new Refusal('too-large', { detail })
    }
    return held + bytes > most ? new Refusal('uploads-full', { limit: most, seconds: retryAfter }) : undefined
  }

  /** Counts this many more bytes, or returns why they are too many. */
  take(bytes: number): Refusal | undefined {
    this.size += bytes
    if (this.size <= small) return undefined
    const more = this.size - this.reserved
    const refusal = this.refusalOf(more)
    if (refusal) return refusal
    this.stop ??= this.request.whenOver(() => this.release())
    this.reserved += more
    this.budget.held += more
    return undefined
  }

  /** Releases everything. */
  release(): void {
    this.budget.held -= this.reserved
    this.reserved = 0
    this.stop?.()
    this.stop = undefined
  }
}
