import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import { isTooDeep, tooDeep } from '../../../engine/contract/validation/nesting.js'
import { jsonOf, textOf, tooLarge } from '../../encoded.js'
import { Unreachable } from './patience.js'
import type { Call } from './request.js'

/** A reply of the server. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed JSON body. Undefined if there is none. */
  body: unknown
}

export interface ClientOptions {
  url: string
  /** Sent with every request. */
  headers: Record<string, string>
  /** Milliseconds per request. */
  timeout: number
  /** The highest number of connections. */
  concurrency: number
}

/** The highest number of bytes to read of one reply. */
const replyLimit = 64 * 1024 * 1024

/** The reply arrived but cannot be read here, or it breaks the contract however it is read. */
class Unread extends Error {
  constructor(
    message: string,
    readonly silence: 'unread' | 'unreadable' = 'unread'
  ) {
    super(message)
  }
}

const absent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Sends requests exactly as given. It uses node:http, because fetch changes bodies and headers. */
export class Client {
  private readonly base: URL
  private readonly agent: HttpAgent | HttpsAgent
  private readonly send_: typeof httpRequest
  /** Connections with an earlier request. `reusedSocket` leaves out requests that waited for a connection. */
  private readonly latest = new Latest()
  private readonly used = new WeakSet<Socket>()
  /** Milliseconds spent in requests, by operation. */
  readonly durations: Record<string, number> = {}

  constructor(private readonly options: ClientOptions) {
    this.base = baseOf(options.url)
    const isSecure = this.base.protocol === 'https:'
    const pool = { keepAlive: true, maxSockets: options.concurrency }
    this.agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool)
    this.send_ = isSecure ? httpsRequest : httpRequest
  }

  /** `authorization` is the whole header, or null for none. Rejects with Unreachable. */
  async send(call: Call, authorization: string | null): Promise<Reply> {
    const start = performance.now()
    const { id } = call.operation
    try {
      return await this.exchange(call, authorization)
    } finally {
      this.durations[id] = (this.durations[id] ?? 0) + performance.now() - start
    }
  }

  private exchange({ method, target, body, ...call }: Call, authorization: string | null): Promise<Reply> {
    const headers: Record<string, string | number> = { ...this.options.headers, ...call.headers }
    if (authorization !== null) headers.Authorization = authorization
    if (body) headers['Content-Length'] = body.length
    else if (method !== 'GET' && method !== 'HEAD') headers['Content-Length'] = 0
    const { hostname, port, pathname } = this.base
    const path = pathname.replace(/\/$/, '') + target
    const options = { hostname: hostname.replace(/^\[|\]$/g, ''), port, method, path, headers }
    return new Promise((resolve, reject) => {
      let isLate = false
      const fail = (error: NodeJS.ErrnoException) => reject(isLate ? this.late() : this.unreachable(error))
      const start = (agent: HttpAgent | HttpsAgent | false) => {
        let isReused = false
        const sent = this.send_({ ...options, agent }, (response) =>
          read(response, this.latest, body).then(resolve, fail)
        )
        // The time starts with the connection, for which it may have to wait. A slow drip of bytes ends too.
        sent.once('socket', (socket) => {
          isReused = this.used.has(socket)
          this.used.add(socket)
          const limit = setTimeout(() => {
            isLate = true
            sent.destroy()
          }, this.options.timeout)
          sent.once('close', () => clearTimeout(limit))
        })
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // The server may close an idle connection while it is being used again. It has not seen the request then.
          const isIdle = !isLate && isReused && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '')
          if (isIdle) start(false)
          else fail(error)
        })
        sent.end(body)
      }
      start(this.agent)
    })
  }

  get url(): string {
    return this.options.url
  }

  close(): void {
    this.agent.destroy()
  }

  private late(): Unreachable {
    return new Unreachable(`${this.base.origin} does not answer within ${this.options.timeout / 1000} s.`, 'late')
  }

  private unreachable(error: NodeJS.ErrnoException): Unreachable {
    if (error instanceof Unread) return new Unreachable(`${error.message}.`, error.silence)
    return new Unreachable(this.sentence(error), absent.has(error.code ?? '') ? 'absent' : 'broken')
  }

  private sentence(error: NodeJS.ErrnoException): string {
    const { origin } = this.base
    switch (error.code) {
      case 'ECONNREFUSED':
        return `Nothing listens on ${origin}: is the server running?`
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `There is no host ${this.base.hostname}.`
      case 'ERR_SSL_WRONG_VERSION_NUMBER':
      case 'EPROTO':
        return `${origin} does not speak TLS: try http:// in place of https://.`
      default:
        if (error.code?.startsWith('HPE_')) return `${origin} does not speak HTTP (${error.message}).`
        if (error.code === 'ECONNRESET') return `${origin} closed the connection without an answer: does it speak HTTP?`
        return `${origin} cannot be reached: ${error.message}`
    }
  }
}

/** Throws Unreachable if the text is not a base address. */
function baseOf(url: string): URL {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Unreachable(`"${url}" is not a base address: give one such as http://127.0.0.1:4010.`)
  }
  return new URL(url)
}

/** The latest large replies. Long lists are read often, and are usually unchanged. */
class Latest {
  private readonly replies = new Map<string, { bytes: Buffer; reply: Reply }>()
  private size = 0

  same(status: number, bytes: Buffer): Reply | undefined {
    const known = this.replies.get(`${status} ${bytes.length}`)
    return known?.bytes.equals(bytes) ? known.reply : undefined
  }

  keep(bytes: Buffer, reply: Reply): void {
    if (bytes.length < least || bytes.length > most) return
    const key = `${reply.status} ${bytes.length}`
    if (!this.replies.delete(key)) this.size += bytes.length
    this.replies.set(key, { bytes, reply })
    for (const [oldest, { bytes: old }] of this.replies) {
      if (this.size <= most) return
      this.replies.delete(oldest)
      this.size -= old.length
    }
  }
}

/** The sizes in bytes of replies to keep, and of all together. */
const least = 16 * 1024
const most = 32 * 1024 * 1024

/** `sent`: the body of the request. A reply that repeats a deep one is no fault of the service. */
async function read(response: IncomingMessage, latest: Latest, sent?: Buffer): Promise<Reply> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > replyLimit) throw new Unread(`A reply is larger than ${replyLimit} bytes`)
    chunks.push(chunk)
  }
  const encoding = response.headers['content-encoding']
  const bytes = Buffer.concat(chunks)
  const same = latest.same(response.statusCode as number, bytes)
  if (same) return { ...same, headers: response.headers }
  const text = textOf(encoding, bytes, replyLimit)
  if (text === tooLarge) throw new Unread(`A reply is larger than ${replyLimit} bytes`)
  if (text === undefined) throw new Unread(`The encoding ${encoding} of a reply cannot be read`)
  // It would overflow the stack when it is compared or shown.
  if (isTooDeep(text)) {
    throw new Unread(`A reply ${tooDeep}`, sent && isTooDeep(sent.toString()) ? 'unread' : 'unreadable')
  }
  const reply = { status: response.statusCode as number, headers: response.headers, text, body: jsonOf(text)?.value }
  latest.keep(bytes, reply)
  return reply
}

/** Who sends a request: the token's user, the second user, no user, or a literal Authorization header. */
export type Asker = 'admin' | 'user' | 'nobody' | { header: string }

/** A request with its reply. */
export interface Exchange {
  call: Call
  reply: Reply
  /** The command that repeats it. */
  curl: string
  /** The body, or a sample of it. */
  judged: unknown
}
