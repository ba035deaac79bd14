import { Refusal } from '../../contract/message/refusal.js'
import type { Assumptions } from '../../contract/types.gen.js'
import type { Request } from '../message/message.js'

/** The limits of one request; sizes in bytes. */
export interface Limits {
  files: number
  /** All files together. */
  total: number
  json: number
  zipEntries: number
  /** All entries of a zip together, uncompressed. */
  unpacked: number
}

const mebibyte = 1024 * 1024

const standard: Limits = {
  files: 20,
  total: 100 * mebibyte,
  json: 10 * mebibyte,
  zipEntries: 10_000,
  unpacked: 1024 * mebibyte
}

const none: Limits = {
  files: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
  json: Number.POSITIVE_INFINITY,
  zipEntries: Number.POSITIVE_INFINITY,
  unpacked: Number.POSITIVE_INFINITY
}

export function limitsOf(choice: Assumptions['limits.upload']): Limits {
  if (choice === 'standard') return standard
  if (choice === 'none') return none
  const [files, total, json, zipEntries, unpacked] = [...choice.matchAll(/\d+/g)].map(Number) as [
    number,
    number,
    number,
    number,
    number
  ]
  return { files, total: total * mebibyte, json: json * mebibyte, zipEntries, unpacked: unpacked * mebibyte }
}

/** The refusal of a request that exceeds a limit of `limits.upload`. */
export function tooLarge(what: string, limit: number, name: keyof Limits): Refusal {
  return new Refusal('too-large', {
    detail: `The ${what} are larger than ${limit} bytes together (limits.upload: ${name}).`
  })
}

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

  release(): void {
    this.budget.held -= this.reserved
    this.reserved = 0
    this.stop?.()
    this.stop = undefined
  }
}
