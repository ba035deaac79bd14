import type { Pace } from '../../contract/model.js'
import type { Fault } from '../../contract/types.gen.js'

/** The headers of a request by lower-case name. Node joins repeated ones. */
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

export interface Peer {
  /** Undefined if unknown or absent. */
  address: string | undefined
  isEncrypted: boolean
  /** Whether it can only come from this machine. */
  isLocal: boolean
  /** Whether no page can have sent it: it came over a Unix socket or in process. The host is then not checked. */
  isPrivate: boolean
}

/** Receives each chunk of a body, then its end or the reason why it failed. */
export interface BodyListener {
  data(chunk: Uint8Array): void
  end(): void
  /** `reason` is the end of a sentence, such as "its client has gone". */
  fail(reason: string): void
}

/** A file of a form as multer gives it. */
export type FormFile = Record<'fieldname' | 'originalname' | 'mimetype', string> & { buffer: Buffer }

/** The body of a request, which may still be arriving. */
export interface RequestBody {
  /** Whether the request announces one. */
  readonly isExpected: boolean
  /** Whether the whole body has arrived. */
  readonly isComplete: boolean
  /** The value that another part of the app has parsed. Undefined if none has. */
  readonly parsed: { value: unknown; files?: readonly FormFile[] } | undefined
  /** Starts reading. Several listeners are allowed. */
  read(listener: BodyListener): void
  /** Its bytes, up to more than `most`, which the layers after the mock can still read. Undefined: they are read already. */
  peek?(most: number): Promise<Uint8Array> | undefined
  pause(): void
  /** Continues reading. Without a listener the rest is dropped. */
  resume(): void
}

/** A request as the steps see it, the same for all doors. */
export interface Request {
  readonly method: string
  /** Path and query, unchanged. */
  readonly target: string
  readonly headers: RequestHeaders
  /** Alternating names and values, unchanged. */
  readonly rawHeaders: readonly string[]
  /** The path where another app has mounted the mock, or an empty text. */
  readonly mount: string
  readonly body: RequestBody
  readonly peer: Peer
  /** The status that the door has already sent, if it gave up on the request. */
  readonly answered: number | undefined
  /** Whether no client waits for the answer any more. */
  readonly isGone: boolean
  /** Whether the client supports chunked encoding. HTTP/1.0 does not. */
  readonly takesChunks: boolean
  /** Breaks the connection, even in the middle of an answer. */
  drop(): void
  /** Lets the client send the body, if it waits for permission. */
  goOn?(): void
  /** Leaves the request to the layers after the mock, if there are some. Resolves to whether none of them answers. */
  readonly leave?: (() => Promise<boolean>) | undefined
  /** Announces that the answer will be ready by the end of this turn of the event loop. */
  soon(): void
  /** Calls back once, when the request has its answer or no client waits for it. Returns a function that stops this. */
  whenOver(callback: () => void): () => void
}

/** Headers of an answer by name. A list is one line for each of its values, as two cookies need. */
export type AnswerHeaders = Record<string, string | number | readonly string[]>

export interface Answer {
  status: number
  /** The reason phrase, if it is not the usual one. */
  message?: string
  /** Headers by name, or alternating names and values for the answer of another service. */
  headers: AnswerHeaders | readonly string[]
  /** A streamed body is read only as fast as the client takes it. */
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>
  /** Called at the end of a streamed body. */
  trailers?: () => Record<string, string>
}

/** How the connection breaks, instead of an answer. */
export interface Break {
  fault: Fault
  /** The headers, if the fault starts an answer. */
  headers: AnswerHeaders
  /** Random bytes that are not HTTP. */
  garbage(): Uint8Array
}

/** The result of a request. Undefined: no client waits for an answer. */
export type Outcome = Answer | Break | undefined

export interface ValueStream {
  /** The first value. A rule that waits gives a promise of it. */
  first: IteratorResult<unknown> | Promise<IteratorResult<unknown>>
  rest: Iterator<unknown> | AsyncIterator<unknown>
  pace: Pace
}

/** An answer before serialization. `body` is undefined if there is none. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
  /** The media type of a text body or a stream. Other bodies are serialized as JSON. */
  media?: string | undefined
  /** The values that are sent in the place of a body. */
  stream?: ValueStream | undefined
}

/** Aborts when the request has its answer, or no client waits for it. */
export function goneSignal(request: Request): AbortSignal {
  const controller = new AbortController()
  request.whenOver(() => controller.abort())
  return controller.signal
}

/** The same request with a body that can be read again. */
export function again(request: Request, bytes: Uint8Array): Request {
  return new WithBody(request, new ReadBody(bytes))
}

/** A request with another body. An object that inherits from the request would be slow: each would have its own shape. */
export class WithBody implements Request {
  constructor(
    private readonly request: Request,
    readonly body: RequestBody
  ) {}

  get leave() {
    return this.request.leave
  }

  get method() {
    return this.request.method
  }

  get target() {
    return this.request.target
  }

  get headers() {
    return this.request.headers
  }

  get rawHeaders() {
    return this.request.rawHeaders
  }

  get mount() {
    return this.request.mount
  }

  get peer() {
    return this.request.peer
  }

  get answered() {
    return this.request.answered
  }

  get isGone() {
    return this.request.isGone
  }

  get takesChunks() {
    return this.request.takesChunks
  }

  drop() {
    this.request.drop()
  }

  goOn() {
    this.request.goOn?.()
  }

  soon() {
    this.request.soon()
  }

  whenOver(callback: () => void) {
    return this.request.whenOver(callback)
  }
}

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
