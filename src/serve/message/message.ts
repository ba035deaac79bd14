import type { Fault } from '../../contract/types.gen.js'

/** The headers of a request by their names in lower case, repeated ones as node joins them. */
export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined
  readonly authorization?: string
  readonly connection?: string
  readonly 'content-encoding'?: string
  readonly 'content-length'?: string
  readonly 'content-type'?: string
  readonly cookie?: string
  readonly host?: string
  readonly origin?: string
  readonly 'transfer-encoding'?: string
}

/** Who sends a request, and how it came. */
export interface Peer {
  /** Undefined: not known, or there is none. */
  address: string | undefined
  /** Whether it came over TLS. */
  isEncrypted: boolean
  /** Whether it can only come from this machine. */
  isLocal: boolean
  /** Whether no page in a browser can have sent it: it came over a Unix socket, or in process. Its host does not matter. */
  isPrivate: boolean
}

/** Hears of a body as it comes: of each chunk, and then of its end or why there is none. */
export interface BodyListener {
  data(chunk: Uint8Array): void
  end(): void
  /** `reason`: the end of a sentence, such as "its client has gone". */
  fail(reason: string): void
}

/** The body of a request, which may still be on its way. */
export interface RequestBody {
  /** Whether the request announces one. */
  readonly isExpected: boolean
  /** Whether all of it came. */
  readonly isComplete: boolean
  /** What another part of the app has made of it before; undefined: nobody has. */
  readonly parsed: { value: unknown } | undefined
  /** Starts to read; more than one may listen. */
  read(listener: BodyListener): void
  pause(): void
  /** Reads on; drops what nobody listens to. */
  resume(): void
}

/** A request as all steps see it, whichever door it came through. */
export interface Request {
  readonly method: string
  /** Path and query, as they came. */
  readonly target: string
  readonly headers: RequestHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** The path under which another app has mounted the mock; empty: nobody has. */
  readonly mount: string
  readonly body: RequestBody
  readonly peer: Peer
  /** The status that its client has got already, since the door gave it up; undefined: none. */
  readonly answered: number | undefined
  /** Whether nobody waits for the answer any more. */
  readonly isGone: boolean
  /** HTTP/1.0 knows no chunks. */
  readonly takesChunks: boolean
  /** Breaks the connection off: an answer that has begun does not end. */
  drop(): void
  /** Says that the answer will be there by the end of this turn of the event loop. */
  soon(): void
  /** Calls back once: when the request has its answer, or nobody waits for it any more. Returns what stops that. */
  whenOver(callback: () => void): () => void
}

export type AnswerHeaders = Record<string, string | number>

/** What is sent in answer to a request. */
export interface Answer {
  status: number
  /** The text beside the status, where it is not the usual one. */
  message?: string
  /** As they are known here; or names and values in turn, of an answer that somebody else made. */
  headers: AnswerHeaders | readonly string[]
  /** One that comes in pieces is pulled no faster than the client reads. */
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>
  /** Asked for once a body in pieces is at its end. */
  trailers?: () => Record<string, string>
}

/** In place of an answer: how the connection breaks. */
export interface Break {
  fault: Fault
  /** Headers of an answer, where it comes so far. */
  headers: AnswerHeaders
  /** Bytes that begin nothing that a client knows. */
  garbage(): Uint8Array
}

/** What comes of a request; undefined: nothing, for nobody waits for it. */
export type Outcome = Answer | Break | undefined

/** An answer before it is written; `body` undefined: none. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
  /** The media type of a body that is a text as it stands; else it is written as JSON. */
  media?: string | undefined
}

/** The same request, its body to be read once more. */
export function again(request: Request, bytes: Uint8Array): Request {
  return Object.create(request, { body: { value: new ReadBody(bytes) } })
}

/** A body that is here. */
export class ReadBody implements RequestBody {
  readonly isComplete = true
  readonly parsed = undefined

  constructor(private readonly bytes: Uint8Array) {}

  get isExpected(): boolean {
    return this.bytes.length > 0
  }

  read({ data, end }: BodyListener): void {
    queueMicrotask(() => {
      if (this.bytes.length > 0) data(this.bytes)
      end()
    })
  }

  pause(): void {}
  resume(): void {}
}
