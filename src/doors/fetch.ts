import { STATUS_CODES } from 'node:http'
import { ReadableStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { TextEncoder } from 'node:util'
import type {
  Answer,
  AnswerHeaders,
  Request as Asked,
  Peer,
  RequestBody,
  RequestHeaders
} from '../serve/message/message.js'
import type { Serve } from '../serve/serve.js'
import { FetchBody } from './fetch-body.js'
import { type Body, native, readInput } from './fetch-input.js'

/** The door for requests in process: no port, no Express. */
export interface FetchDoor {
  /**
   * Rejects with a TypeError where the connection would break: by a fault, by a body that fails, or since the mock is
   * closed; and with the signal's reason where the caller gives up. Takes what the global `fetch` takes.
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** Takes no more requests, and breaks off those that wait for their answer. */
  close(): void
}

export function createFetch(serve: Serve): FetchDoor {
  const asking = new Set<FetchRequest>()
  let isClosed = false
  return {
    async fetch(input, init) {
      const { request, signal } = await readInput(input, init)
      if (request.bodyUsed || request.body?.locked) throw failed(new Error('The body of the request was read before.'))
      // A caller in a loop leaves timers and sockets their turn, as it does with a server.
      await setImmediate()
      if (isClosed) throw failed(new Error('The mock is closed.'))
      throwIfAborted(signal)
      const asked = new FetchRequest(request, signal)
      asking.add(asked)
      try {
        const outcome = await Promise.race([serve(asked), asked.broken])
        if (outcome && !('fault' in outcome)) return responseOf(request, asked, outcome)
        asked.end()
        throwIfAborted(signal)
        throw failed(new Error(`The connection broke: ${outcome ? outcome.fault : 'nobody answers'}.`))
      } finally {
        asking.delete(asked)
      }
    },

    close() {
      isClosed = true
      for (const asked of asking) asked.breakOff(failed(new Error('The mock is closed.')))
    }
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** A request in process has no Host to check, and counts as this machine. */
const peer: Peer = { address: undefined, isEncrypted: false, isLocal: true, isPrivate: true }

class FetchRequest implements Asked {
  readonly method: string
  readonly target: string
  readonly headers: RequestHeaders
  readonly rawHeaders: readonly string[]
  readonly mount = ''
  readonly body: RequestBody
  readonly peer: Peer
  readonly answered = undefined
  readonly takesChunks = true
  /** Rejects when the caller gives up, or where the body fails. */
  readonly broken: Promise<never>
  isGone = false
  /** Breaks off an answer that comes in pieces. */
  onDrop: (reason: unknown) => void = () => {}
  /** Rejects `broken`, and ends an answer that comes in pieces. */
  breakOff: (reason: unknown) => void = () => {}
  private readonly waiting = new Set<() => void>()
  private readonly own: FetchBody

  constructor(request: Request, signal: AbortSignal | undefined) {
    const { host, pathname, search, protocol } = new URL(request.url)
    const headers: Record<string, string> = {}
    for (const [name, value] of request.headers) headers[name.toLowerCase()] = value
    headers.host ??= host
    this.method = request.method
    this.target = pathname + search
    this.headers = headers
    this.rawHeaders = Object.entries(headers).flat()
    this.own = new FetchBody(request, (error) => this.breakOff(failed(error)))
    this.body = this.own
    this.peer = { ...peer, isEncrypted: protocol === 'https:' }
    this.broken = new Promise((_, reject) => {
      this.breakOff = (reason) => {
        this.onDrop(reason)
        this.end()
        reject(reason)
      }
    })
    // Nobody may wait for it any more.
    this.broken.catch(() => {})
    signal?.addEventListener('abort', () => this.breakOff(signal.reason))
  }

  soon(): void {}

  drop(): void {
    this.onDrop(new TypeError('terminated'))
    this.end()
  }

  whenOver(callback: () => void): () => void {
    if (this.isGone) void Promise.resolve().then(callback)
    else this.waiting.add(callback)
    return () => void this.waiting.delete(callback)
  }

  /** The answer is there, or nobody waits for it. */
  end(): void {
    this.isGone = true
    // What is left of the body is nobody's.
    this.own.cancel()
    const callbacks = [...this.waiting]
    this.waiting.clear()
    for (const callback of callbacks) callback()
  }
}

function responseOf({ method }: Request, asked: FetchRequest, { status, message, headers, body }: Answer): Response {
  const init: ResponseInit = {
    status,
    headers: pairsOf(headers),
    statusText: message ?? STATUS_CODES[status] ?? ''
  }
  const hasNone = method === 'HEAD' || [204, 205, 304].includes(status)
  if (hasNone || typeof body === 'string' || ArrayBuffer.isView(body)) {
    asked.end()
    return new native.Response(hasNone || body === '' ? null : (body as string), init)
  }
  return new native.Response(streamOf(body, asked) as Body, init)
}

function pairsOf(headers: Answer['headers']): [string, string][] {
  if (!Array.isArray(headers)) {
    return Object.entries(headers as AnswerHeaders).map(([name, value]) => [name, String(value)])
  }
  const pairs: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at], headers[at + 1]])
  return pairs
}

/** A body in pieces, pulled as it is read. */
function streamOf(pieces: AsyncIterable<string | Uint8Array>, asked: FetchRequest): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    start(controller) {
      asked.onDrop = (reason) => controller.error(reason)
    },
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) {
        asked.end()
        controller.close()
      } else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    cancel() {
      asked.end()
      void iterator.return?.()
    }
  })
}
