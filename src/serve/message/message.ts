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

/** Gets each chunk of a body, then its end or the reason why it has none. */
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
  /** The value that another part of the app has parsed; undefined: none has. */
  readonly parsed: { value: unknown } | undefined
  /** Starts to read; more than one may listen. */
  read(listener: BodyListener): void
  pause(): void
  /** Goes on reading. Without a listener the rest is dropped. */
  resume(): void
}

/** A request as the steps see it. It is the same for all doors. */
export interface Request {
  readonly method: string
  /** Path and query, as they came. */
  readonly target: string
  readonly headers: RequestHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** The path under which another app has mounted the mock, or an empty text. */
  readonly mount: string
  readonly body: RequestBody
  readonly peer: Peer
  /** The status that the door has sent already, if it gave up the request. */
  readonly answered: number | undefined
  /** Whether nobody waits for the answer any more. */
  readonly isGone: boolean
  /** HTTP/1.0 knows no chunks. */
  readonly takesChunks: boolean
  /** Breaks the connection, also in the middle of an answer. */
  drop(): void
  /** Says that the answer will be there by the end of this turn of the event loop. */
  soon(): void
  /** Calls back once, when the request has its answer or nobody waits for it any more. Returns a function that stops it. */
  whenOver(callback: () => void): () => void
}

export type AnswerHeaders = Record<string, string | number>

/** What is sent in answer to a request. */
export interface Answer {
  status: number
  /** The text beside the status, where it is not the usual one. */
  message?: string
  /** By name; or, for an answer of another service, a list of names and values in turn. */
  headers: AnswerHeaders | readonly string[]
  /** A body in pieces is read no faster than the client takes it. */
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>
  /** Asked for once a body in pieces is at its end. */
  trailers?: () => Record<string, string>
}

/** In place of an answer: how the connection breaks. */
export interface Break {
  fault: Fault
  /** The headers, if the fault lets an answer begin. */
  headers: AnswerHeaders
  /** Random bytes that are not HTTP. */
  garbage(): Uint8Array
}

/** The result of a request; undefined: nobody waits for an answer. */
export type Outcome = Answer | Break | undefined

/** An answer before it is written; `body` undefined: none. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
  /** The media type of a body that is a text as it stands; else it is written as JSON. */
  media?: string | undefined
}

/** The same request, with a body that can be read again. */
export function again(request: Request, bytes: Uint8Array): Request {
  return Object.create(request, { body: { value: new ReadBody(bytes) } })
}

/** A body that has been read. */
export class ReadBody implements RequestBody {
  readonly isComplete = true
  readonly parsed = undefined

  constructor(private readonly bytes: Uint8Array) {}

  get isExpected(): boolean {
    return this.bytes.length > 0
  }

  read({ data, end }: BodyListener): void {
    void Promise.resolve().then(() => {
      if (this.bytes.length > 0) data(this.bytes)
      end()
    })
  }

  pause(): void {}
  resume(): void {}
}
