import { Refusal } from '../../contract/refusal.js'
import type { Request } from '../message/message.js'

/** In seconds: an upload takes no longer where the client is not slow. */
const retryAfter = 1

/** Smaller bodies are not counted: to wait for the end of their request costs more than they hold. */
const small = 1024

/** How many bytes of bodies all requests may hold together. */
export class UploadBudget {
  /** Bytes that are held now. */
  held = 0

  constructor(readonly most: number) {}

  open(request: Pick<Request, 'whenOver'>): UploadShare {
    return new UploadShare(this, request)
  }
}

/** The share of one request. It is given back when the request has its answer, or its connection is gone. */
export class UploadShare {
  /** What came, and what of it is counted. */
  private size = 0
  private own = 0
  private stop: (() => void) | undefined

  constructor(
    private readonly budget: UploadBudget,
    private readonly request: Pick<Request, 'whenOver'>
  ) {}

  /** Why so many bytes more cannot be held. */
  refusalOf(bytes: number): Refusal | undefined {
    const { most, held } = this.budget
    if (this.own + bytes > most) {
      const detail = `The body is larger than the ${most} bytes that all uploads together may hold (--max-upload-bytes).`
      return new Refusal('too-large', { detail })
    }
    return held + bytes > most ? new Refusal('uploads-full', { limit: most, seconds: retryAfter }) : undefined
  }

  /** Notes that so many bytes more are held, unless they cannot be. */
  take(bytes: number): Refusal | undefined {
    this.size += bytes
    if (this.size <= small) return undefined
    const more = this.size - this.own
    const refusal = this.refusalOf(more)
    if (refusal) return refusal
    this.stop ??= this.request.whenOver(() => this.release())
    this.own += more
    this.budget.held += more
    return undefined
  }

  /** Gives all back, where nothing of it is needed any more. */
  release(): void {
    this.budget.held -= this.own
    this.own = 0
    this.stop?.()
    this.stop = undefined
  }
}
