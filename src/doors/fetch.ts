import { Blob, File } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { ReadableStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { URLSearchParams } from 'node:url'
import { TextEncoder } from 'node:util'
import { isUint8Array } from 'node:util/types'
import { runInThisContext } from 'node:vm'
import type {
  Answer,
  AnswerHeaders,
  Request as Asked,
  BodyListener,
  Peer,
  RequestBody,
  RequestHeaders
} from '../engine/serve/message/message.js'
import type { Serve } from '../engine/serve/steps.js'
import type { Cookies } from './browser/cookies.js'

/** A body that the caller gives as a stream. It is read once, for all listeners. */
class FetchBody implements RequestBody {
  isComplete: boolean
  readonly isExpected: boolean
  readonly parsed = undefined
  private readonly listeners: BodyListener[] = []
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private isPaused = false
  private isCancelled = false
  private wake = () => {}

  constructor(
    private readonly request: Request,
    private readonly onFailure: (error: unknown) => void
  ) {
    // Workers at the edge also give an empty body as a stream.
    this.isExpected = request.body !== null && request.headers.get('content-length') !== '0'
    this.isComplete = request.body === null
  }

  read(listener: BodyListener): void {
    this.listeners.push(listener)
    if (this.reader) return
    if (!this.request.body) {
      void Promise.resolve().then(() => listener.end())
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

  /** Reads a small body that was not read. Servers such as workerd end a connection if its body is left unread. */
  async leave(): Promise<void> {
    const length = Number(this.request.headers.get('content-length'))
    if (this.reader || this.isComplete || !this.isExpected || !(length > 0 && length <= small)) return
    await new Promise<void>((resolve) => this.read({ data() {}, end: resolve, fail: () => resolve() }))
  }

  cancel(): void {
    if (this.isComplete) return
    this.isCancelled = true
    this.wake()
    const { reader, request } = this
    const cancelled = reader ? reader.cancel() : request.body?.cancel()
    cancelled?.catch(() => {})
  }

  private async pull(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    let size = 0
    try {
      while (!this.isCancelled) {
        while (this.isPaused && !this.isCancelled) {
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
        }
        const { done, value } = await reader.read()
        if (done) break
        const chunk = typeof value === 'string' ? new TextEncoder().encode(value) : value
        if (!isUint8Array(chunk)) throw new TypeError('A body must consist of bytes.')
        for (const { data } of this.listeners) data(chunk)
        size += chunk.length
        // A body that is always ready must not block other work.
        if (size < breath) continue
        size = 0
        await setImmediate()
      }
      this.isComplete = !this.isCancelled
      for (const { end, fail } of this.listeners) {
        if (this.isComplete) end()
        else fail('its client has gone')
      }
    } catch (error) {
      this.onFailure(error)
      for (const { fail } of this.listeners) fail('its client has gone')
    }
  }
}

/** The number of bytes to read in one turn of the event loop. */
const breath = 1024 * 1024

/** The bytes of a body that is read although nothing needs it. */
const small = 64 * 1024

/** Answers requests in process: no port, no Express. `cookies` are those of a browser, whose requests do not have them. */
export function createFetch(serve: Serve, mount = '', cookies?: Cookies) {
  const asking = new Set<FetchRequest>()
  let isClosed = false
  return {
    /**
     * Takes what the global `fetch` takes. Rejects with a TypeError if the connection would break: by a fault, a failed
     * body, or because the mock is closed. Rejects with the signal's reason if the caller aborts.
     */
    async fetch(input: Request | string | URL, init?: RequestInit): Promise<Response> {
      const { request, signal } = await readInput(input, init)
      if (request.bodyUsed || request.body?.locked)
        throw failed(new Error('The body of the request has already been read.'))
      // Without this, a caller in a loop would starve timers and sockets.
      await setImmediate()
      const cookie = await cookies?.of(request)
      if (isClosed) throw failed(new Error('The mock is closed.'))
      throwIfAborted(signal)
      const call = new FetchRequest(request, signal, mount, cookie)
      asking.add(call)
      // A streamed answer ends after its response.
      call.whenOver(() => void asking.delete(call))
      try {
        const outcome = await Promise.race([serve(call), call.broken])
        if (outcome && !('fault' in outcome)) {
          await Promise.race([call.leaveBody(), call.broken])
          for (const [name, value] of cookies ? pairsOf(outcome.headers) : []) {
            if (name === 'Set-Cookie') await cookies?.keep(value)
          }
          // A new Response has no address, one of fetch has that of its request.
          const [url] = request.url.split('#')
          return Object.defineProperty(responseOf(request, call, outcome), 'url', { value: url })
        }
        call.end()
        throwIfAborted(signal)
        throw failed(new Error(`The connection broke: ${outcome ? outcome.fault : 'there was no answer'}.`))
      } catch (error) {
        call.end()
        throw error
      }
    },

    /** Accepts no more requests and aborts those that wait for their answer. */
    close() {
      isClosed = true
      for (const call of asking) call.breakOff(failed(new Error('The mock is closed.')))
    }
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** A request in process has no Host to check and counts as local. */
const peer: Peer = { address: undefined, isEncrypted: false, isLocal: true, isPrivate: true }

class FetchRequest implements Asked {
  readonly method: string
  readonly target: string
  readonly headers: RequestHeaders
  readonly rawHeaders: readonly string[]
  readonly body: RequestBody
  readonly peer: Peer
  readonly answered = undefined
  readonly takesChunks = true
  /** Rejects if the caller aborts or the body fails. */
  readonly broken: Promise<never>
  isGone = false
  onDrop: (reason: unknown) => void = () => {}
  /** Rejects `broken` and aborts a streamed answer. */
  breakOff: (reason: unknown) => void = () => {}
  private readonly waiting = new Set<() => void>()
  private readonly own: FetchBody

  constructor(
    request: Request,
    signal: AbortSignal | undefined,
    readonly mount: string,
    cookie: string | undefined
  ) {
    const { host, pathname, search, protocol } = new URL(request.url)
    const headers: Record<string, string> = {}
    for (const [name, value] of request.headers) headers[name.toLowerCase()] = value
    headers.host ??= host
    if (cookie !== undefined) headers.cookie ??= cookie
    this.method = request.method
    this.target = (pathname.startsWith(`${mount}/`) ? pathname.slice(mount.length) : pathname) + search
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
    // Without a handler, a rejection would end the process.
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

  leaveBody(): Promise<void> {
    return this.own.leave()
  }

  /** The answer is complete, or no client waits for it. */
  end(): void {
    this.isGone = true
    // The rest of the body is not needed.
    this.own.cancel()
    const callbacks = [...this.waiting]
    this.waiting.clear()
    for (const callback of callbacks) callback()
  }
}

function responseOf({ method }: Request, call: FetchRequest, { status, message, headers, body }: Answer): Response {
  const { Response } = native()
  const init: ResponseInit = {
    status,
    headers: pairsOf(headers),
    statusText: message ?? STATUS_CODES[status] ?? ''
  }
  const hasNone = method === 'HEAD' || [204, 205, 304].includes(status)
  if (hasNone || typeof body === 'string' || ArrayBuffer.isView(body)) {
    call.end()
    return new Response(hasNone || body === '' ? null : (body as string), init)
  }
  return new Response(streamOf(body, call) as Body, init)
}

function pairsOf(headers: Answer['headers']): [string, string][] {
  if (!Array.isArray(headers)) {
    return Object.entries(headers as AnswerHeaders).flatMap(([name, value]) =>
      [value].flat().map((it): [string, string] => [name, String(it)])
    )
  }
  const pairs: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at], headers[at + 1]])
  return pairs
}

function streamOf(pieces: AsyncIterable<string | Uint8Array>, call: FetchRequest): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    start(controller) {
      call.onDrop = (reason) => controller.error(reason)
    },
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) {
        call.end()
        controller.close()
      } else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    cancel() {
      call.end()
      void iterator.return?.()
    }
  })
}

let nodes: typeof globalThis | undefined

/**
 * Node's own classes: environments like jsdom replace or remove the global ones of a test. They are read for each call,
 * because tools such as MSW replace them for a while.
 */
export function native(): Pick<typeof globalThis, 'Request' | 'Response' | 'FormData'> {
  nodes ??= runInThisContext('globalThis') as typeof globalThis
  return nodes
}

export type Body = NonNullable<RequestInit['body']>
type Form = Iterable<[string, string | File]>
/** The parts of a request that are read, whatever its class. */
type AnyRequest = Pick<Request, 'url' | 'method' | 'headers' | 'arrayBuffer'> & { signal?: AbortSignal }

/** The arguments of `fetch` as a request of node, and its signal: node's requests refuse one of another class. */
export async function readInput(
  input: Request | string | URL,
  init: RequestInit = {}
): Promise<{ request: Request; signal: AbortSignal | undefined }> {
  const source = typeof input === 'object' && 'url' in input ? (input as AnyRequest) : undefined
  let { signal, ...own } = init
  const fields: RequestInit = { ...own, ...(own.body && { body: await readBody(own.body) }) }
  // Deno's server aborts the signal of a request after every answer, and warns if there is a listener.
  const isOfDeno = 'completed' in init
  if (signal === undefined && !isOfDeno) signal = source?.signal
  return { request: await requestOf(input, source, fields), signal: signal ?? undefined }
}

async function requestOf(
  input: Request | string | URL,
  source: AnyRequest | undefined,
  fields: RequestInit
): Promise<Request> {
  const { Request } = native()
  if (!source || source instanceof Request) {
    return source && Object.keys(fields).length === 0 ? source : new Request(input, fields)
  }
  const { url, method, headers } = source
  const hasBody = !('body' in fields) && !/^(GET|HEAD)$/i.test(method)
  const body = hasBody ? await source.arrayBuffer() : undefined
  return new Request(url, { method, headers: [...headers], ...(body?.byteLength && { body }), ...fields })
}

async function readBody(body: Body): Promise<Body> {
  const { FormData } = native()
  if (typeof body !== 'object' || body instanceof FormData || body instanceof Blob) return body
  if (isBlob(body)) return (await fileOf(body)) as Body
  if (!isForm(body)) return body
  // FormData looks alike, but only URLSearchParams has a `sort` method.
  if ('sort' in body) return new URLSearchParams(String(body))
  const form = new FormData()
  for (const [name, value] of body as unknown as Form)
    form.append(name, (typeof value === 'string' ? value : await fileOf(value)) as string)
  return form
}

function isForm(body: object): boolean {
  return typeof (body as FormData).append === 'function' && typeof (body as FormData).getAll === 'function'
}

function isBlob(body: object): body is Blob {
  return typeof (body as Blob).size === 'number' && typeof (body as Blob).slice === 'function'
}

async function fileOf(blob: Blob & { name?: string }): Promise<File> {
  return new File([await bytesOf(blob)], blob.name ?? 'blob', { type: blob.type })
}

/** In jsdom only FileReader can read a blob. */
async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof blob.arrayBuffer === 'function') return new Uint8Array(await blob.arrayBuffer())
  const { FileReader } = globalThis as unknown as { FileReader: new () => Reader }
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(new Uint8Array(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsArrayBuffer(blob)
  })
}

interface Reader {
  readonly result: ArrayBuffer
  readonly error: unknown
  onload: () => void
  onerror: () => void
  readAsArrayBuffer(blob: Blob): void
}
