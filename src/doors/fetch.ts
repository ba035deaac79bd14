import { setImmediate } from 'node:timers/promises'
import type {
  Answer,
  AnswerHeaders,
  Request as Asked,
  BodyListener,
  Peer,
  RequestBody,
  RequestHeaders
} from '../serve/message/message.js'
import type { Serve } from '../serve/serve.js'

/**
 * Answers a request in process: no port, no Express. Rejects with a TypeError where a fault breaks the connection, and
 * with the signal's reason where the caller gives up.
 */
export function createFetch(serve: Serve): (request: Request) => Promise<Response> {
  return async (request) => {
    // A caller in a loop leaves timers and sockets their turn, as it does with a server.
    await setImmediate()
    request.signal.throwIfAborted()
    const asked = new FetchRequest(request)
    const outcome = await Promise.race([serve(asked), asked.aborted])
    if (outcome && !('fault' in outcome)) return responseOf(request, asked, outcome)
    asked.end()
    request.signal.throwIfAborted()
    const why = outcome ? outcome.fault : 'nobody answers'
    throw new TypeError('fetch failed', { cause: new Error(`The connection broke: ${why}.`) })
  }
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
  /** Rejects when the caller gives up. */
  readonly aborted: Promise<never>
  isGone = false
  /** Breaks off an answer that comes in pieces. */
  onDrop = () => {}
  private readonly waiting = new Set<() => void>()

  constructor(request: Request) {
    const { host, pathname, search, protocol } = new URL(request.url)
    const headers: Record<string, string> = {}
    for (const [name, value] of request.headers) headers[name] = value
    headers.host ??= host
    this.method = request.method
    this.target = pathname + search
    this.headers = headers
    this.rawHeaders = Object.entries(headers).flat()
    this.body = new FetchBody(request)
    this.peer = { ...peer, isEncrypted: protocol === 'https:' }
    this.aborted = new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => {
        this.end()
        reject(request.signal.reason)
      })
    })
    // Nobody may wait for it any more.
    this.aborted.catch(() => {})
  }

  soon(): void {}

  drop(): void {
    this.onDrop()
    this.end()
  }

  whenOver(callback: () => void): () => void {
    if (this.isGone) queueMicrotask(callback)
    else this.waiting.add(callback)
    return () => void this.waiting.delete(callback)
  }

  /** The answer is there, or nobody waits for it. */
  end(): void {
    this.isGone = true
    const callbacks = [...this.waiting]
    this.waiting.clear()
    for (const callback of callbacks) callback()
  }
}

/** A body that the platform gives as a stream: read once, for all who listen. */
class FetchBody implements RequestBody {
  isComplete: boolean
  readonly isExpected: boolean
  readonly parsed = undefined
  private readonly listeners: BodyListener[] = []
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private isPaused = false
  private wake = () => {}

  constructor(private readonly request: Request) {
    this.isExpected = request.body !== null
    this.isComplete = request.body === null
  }

  read(listener: BodyListener): void {
    if (this.request.bodyUsed && !this.reader) {
      listener.fail('it was read before')
      return
    }
    this.listeners.push(listener)
    if (this.reader) return
    if (!this.request.body) {
      queueMicrotask(() => listener.end())
      return
    }
    this.reader = this.request.body.getReader()
    void this.pull(this.reader)
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.wake()
  }

  private async pull(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        while (this.isPaused) {
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
        }
        const { done, value } = await reader.read()
        if (done) break
        for (const { data } of this.listeners) data(value)
      }
      this.isComplete = true
      for (const { end } of this.listeners) end()
    } catch {
      for (const { fail } of this.listeners) fail('its client has gone')
    }
  }
}

function responseOf({ method }: Request, asked: FetchRequest, { status, message, headers, body }: Answer): Response {
  const init: ResponseInit = {
    status,
    headers: pairsOf(headers),
    ...(message !== undefined && { statusText: message })
  }
  const hasNone = method === 'HEAD' || [204, 205, 304].includes(status)
  if (hasNone || typeof body === 'string' || body instanceof Uint8Array) {
    asked.end()
    return new Response(hasNone || body === '' ? null : (body as string), init)
  }
  return new Response(streamOf(body, asked), init)
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
      asked.onDrop = () => controller.error(new TypeError('terminated'))
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
