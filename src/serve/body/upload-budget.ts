import { Refusal } from '../../contract/refusal.js'
import type { Request } from '../message/message.js'

/** In seconds: an upload takes no longer where the client is not slow. */
const retryAfter = 1

/** Bodies of so many bytes are not counted: what waits for the end of a request costs more than they hold. */
const small = 1024

/** How many bytes of bodies all requests may hold together. */
export class UploadBudget {
  /** Bytes that are held now. */
  held = 0

  constructor(private readonly most: number) {}

  /** The share of one request. It is given back when the request has its answer, or its connection is gone. */
  open(request: Pick<Request, 'whenOver'>): UploadShare {
    /** What came, and what of it is counted. */
    let size = 0
    let own = 0
    let stop: (() => void) | undefined
    const release = () => {
      this.held -= own
      own = 0
      stop?.()
      stop = undefined
    }
    const refusalOf = (bytes: number): Refusal | undefined => {
      if (own + bytes > this.most) {
        const detail = `The body is larger than the ${this.most} bytes that all uploads together may hold (--max-upload-bytes).`
        return new Refusal('too-large', { detail })
      }
      const isFull = this.held + bytes > this.most
      return isFull ? new Refusal('uploads-full', { limit: this.most, seconds: retryAfter }) : undefined
    }
    return {
      refusalOf,
      release,
      take: (bytes) => {
        size += bytes
        if (size <= small) return undefined
        const more = size - own
        const refusal = refusalOf(more)
        if (refusal) return refusal
        stop ??= request.whenOver(release)
        own += more
        this.held += more
        return undefined
      }
    }
  }
}

export interface UploadShare {
  /** Why so many bytes more cannot be held. */
  refusalOf(bytes: number): Refusal | undefined
  /** Notes that so many bytes more are held, unless they cannot be. */
  take(bytes: number): Refusal | undefined
  /** Gives all back, where nothing of it is needed any more. */
  release(): void
}
