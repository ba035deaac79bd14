import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import { isTooDeep, tooDeep } from '../../../engine/contract/json.js'
import type { Operation } from '../../../engine/contract/model.js'
import { Latest } from '../../../engine/contract/once.js'
import { jsonOf, textOf, tooLarge } from '../../encoded.js'
import { type Bounds, LeftOut } from './bounds.js'
import { isOverload, Patience, Stopped, Unreachable } from './patience.js'
import { type Call, callOf, type Placed } from './request.js'

/** Who sends a request: the token's user, the second user, no user, or a literal Authorization header. */
export type Asker = 'admin' | 'user' | 'nobody' | { header: string }

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed JSON body. Undefined if there is none. */
  body: unknown
}

export interface Exchange {
  call: Call
  reply: Reply
  /** The command that repeats it. */
  curl: string
  /** The body, or a sample of it. */
  judged: unknown
}

/** A request of a run, with its reply if there was one. */
export interface SentCall {
  call: Call
  /** The whole address. */
  url: string
  /** All headers, with those of the user. */
  headers: Record<string, string | number>
  reply: Reply | undefined
  /** The start in milliseconds since 1970, and the duration. */
  start: number
  took: number
}

/** A request that was sent again. */
export interface ResentCall {
  call: Call
  /** When it was first sent, and when the connection ended, in milliseconds. */
  start: number
  end: number
  /** How many answers had come on the connection, and how long ago the last one came, in milliseconds. */
  answers: number
  idle: number
}

export interface ClientOptions {
  url: string
  /** Sent with every request. */
  headers: Record<string, string>
  /** Milliseconds per request. */
  timeout: number
  /** The highest number of connections. */
  concurrency: number
  bounds: Bounds
  onSent?: ((sent: SentCall) => void) | undefined
}

/** The highest number of bytes to read of one reply. */
const replyLimit = 64 * 1024 * 1024
/** The wait for a first answer of an overloaded server, in milliseconds. */
const firstWait = 15_000
const absent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Sends requests exactly as given. It uses node:http, because fetch changes bodies and headers. */
export class Client {
  private readonly base: URL
  private readonly agent: HttpAgent | HttpsAgent
  private readonly latest = new Latest<LargeReply>({ items: 1000, bytes: most, least: 0 })
  /** How connections were used. `reusedSocket` leaves out requests that waited for a connection. */
  private readonly connections = new WeakMap<Socket, { answers: number; at: number }>()
  /** The requests that were answered when they were sent again, because a connection that was used before had ended. */
  readonly resent: ResentCall[] = []
  /** Milliseconds spent in requests, by operation. */
  readonly durations: Record<string, number> = {}

  /** Throws Unreachable if the text is not a base address. */
  constructor(readonly options: ClientOptions) {
    const { url, concurrency } = options
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new Unreachable(`"${url}" is not a base address: give one such as http://127.0.0.1:4010.`)
    }
    this.base = new URL(url)
    const pool = { keepAlive: true, maxSockets: concurrency }
    this.agent = this.isSecure ? new HttpsAgent(pool) : new HttpAgent(pool)
  }

  /** `authorization` is the whole header, or null for none. Rejects with Unreachable, or LeftOut. */
  async send(call: Call, authorization: string | null): Promise<Reply> {
    const { bounds, onSent } = this.options
    const signal = bounds.admit(call)
    const [date, start] = [Date.now(), performance.now()]
    const { id } = call.operation
    let reply: Reply | undefined
    try {
      reply = await this.exchange(call, authorization, signal)
      return reply
    } catch (error) {
      throw signal.aborted ? new LeftOut(bounds.over) : error
    } finally {
      const took = performance.now() - start
      this.durations[id] = (this.durations[id] ?? 0) + took
      const url = this.base.href.replace(/\/$/, '') + call.target
      onSent?.({ call, url, headers: this.headersOf(call, authorization), reply, start: date, took })
    }
  }

  close(): void {
    this.agent.destroy()
  }

  private get isSecure(): boolean {
    return this.base.protocol === 'https:'
  }

  private headersOf({ method, body, headers: own }: Call, authorization: string | null) {
    const headers: Record<string, string | number> = { ...this.options.headers, ...own }
    if (authorization !== null) headers.Authorization = authorization
    if (body) headers['Content-Length'] = body.length
    else if (method !== 'GET' && method !== 'HEAD') headers['Content-Length'] = 0
    return headers
  }

  private exchange(call: Call, authorization: string | null, signal: AbortSignal): Promise<Reply> {
    const { method, target, body } = call
    const headers = this.headersOf(call, authorization)
    const { hostname, port, pathname } = this.base
    const path = pathname.replace(/\/$/, '') + target
    const options = { hostname: hostname.replace(/^\[|\]$/g, ''), port, method, path, headers, signal }
    return new Promise((resolve, reject) => {
      let isLate = false
      const fail = (error: NodeJS.ErrnoException) => reject(this.unreachable(error, isLate))
      const begin = (agent: HttpAgent | HttpsAgent | false, again?: ResentCall) => {
        let before: { answers: number; at: number } | undefined
        let socket: Socket
        let start = 0
        const send = this.isSecure ? httpsRequest : httpRequest
        const sent = send({ ...options, agent }, (response) => {
          const answers = (before?.answers ?? 0) + 1
          response.once('end', () => this.connections.set(socket, { answers, at: performance.now() }))
          read(response, this.latest, body).then((reply) => {
            if (again) this.resent.push(again)
            resolve(reply)
          }, fail)
        })
        // The time starts with the connection, for which it may have to wait. A slow drip of bytes ends too.
        sent.once('socket', (it) => {
          socket = it
          start = performance.now()
          before = this.connections.get(socket)
          const limit = setTimeout(() => {
            isLate = true
            sent.destroy()
          }, this.options.timeout)
          sent.once('close', () => clearTimeout(limit))
        })
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // The server may close an idle connection while it is being used again. It has not seen the request then.
          if (isLate || !before || !/^(ECONNRESET|EPIPE)$/.test(error.code ?? '')) return fail(error)
          const { answers, at } = before
          begin(false, { call, start, end: performance.now(), answers, idle: start - at })
        })
        sent.end(body)
      }
      begin(this.agent)
    })
  }

  private unreachable(error: NodeJS.ErrnoException, isLate: boolean): Unreachable {
    const { origin, hostname } = this.base
    if (isLate) return new Unreachable(`${origin} does not answer within ${this.options.timeout / 1000} s.`, 'late')
    if (error instanceof Unreachable) return error
    const { code = '', message } = error
    const isHttp = !code.startsWith('HPE_')
    const noHost = `There is no host ${hostname}.`
    const noTls = `${origin} does not speak TLS: try http:// in place of https://.`
    const sentences: Record<string, string> = {
      ECONNREFUSED: `Nothing listens on ${origin}: is the server running?`,
      ENOTFOUND: noHost,
      EAI_AGAIN: noHost,
      ERR_SSL_WRONG_VERSION_NUMBER: noTls,
      EPROTO: noTls,
      ECONNRESET: `${origin} closed the connection without an answer: does it speak HTTP?`
    }
    const other = isHttp ? `${origin} cannot be reached: ${message}` : `${origin} does not speak HTTP (${message}).`
    return new Unreachable(sentences[code] ?? other, absent.has(code) ? 'absent' : 'broken')
  }
}

/** A large reply. Long lists are read often, and are usually unchanged. */
interface LargeReply {
  bytes: number
  content: Buffer
  reply: Reply
}

/** The sizes in bytes of replies to keep, and of all together. */
const least = 16 * 1024
const most = 32 * 1024 * 1024

/** `sent`: the body of the request. A reply that repeats a deep one is not a fault of the service. */
async function read(response: IncomingMessage, latest: Latest<LargeReply>, sent?: Buffer): Promise<Reply> {
  const { headers } = response
  const status = response.statusCode as number
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > replyLimit) throw new Unreachable(`A reply is larger than ${replyLimit} bytes.`, 'unread')
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const same = latest.items.find(({ reply, content }) => reply.status === status && content.equals(bytes))
  if (same) return { ...same.reply, headers }
  const encoding = headers['content-encoding']
  const text = textOf(encoding, bytes, replyLimit)
  if (text === tooLarge) throw new Unreachable(`A reply is larger than ${replyLimit} bytes.`, 'unread')
  if (text === undefined) throw new Unreachable(`The encoding ${encoding} of a reply cannot be read.`, 'unread')
  // It would overflow the stack when it is compared or shown.
  if (isTooDeep(text)) {
    throw new Unreachable(`A reply ${tooDeep}.`, sent && isTooDeep(sent.toString()) ? 'unread' : 'unreadable')
  }
  const reply = { status, headers, text, body: jsonOf(text)?.value }
  if (bytes.length >= least && bytes.length <= most) latest.add({ bytes: bytes.length, content: bytes, reply })
  return reply
}

/** Whether the server reports that it is this mock. Sends no token. */
export async function isThisMock(client: Client, operations: Operation[]): Promise<boolean> {
  const { headers } = (await firstAnswer(client, operations, null)).reply
  // In front of a service it forwards, and the rows are those of the service.
  return 'x-mock-request-id' in headers && !/fallback/.test(String(headers['x-mock-source']))
}

/** Checks that a server of this interface answers the token. Returns its first answer. Throws Unreachable if it does not. */
export async function reach(client: Client, token: string | undefined, operations: Operation[], placed?: Placed) {
  const { call, reply } = await firstAnswer(client, operations, token === undefined ? null : `Bearer ${token}`, placed)
  const problem = problemOf(reply, client.options.url, call, token)
  if (problem) throw new Unreachable(problem)
  return reply
}

/** The answer of the first operation that has one. The checks of an operation report it when it hangs. */
async function firstAnswer(
  client: Client,
  operations: Operation[],
  authorization: string | null,
  placed: Placed = (...call) => call
) {
  const { url, bounds } = client.options
  const patience = new Patience(firstWait, bounds.time)
  let failure: unknown
  for (const operation of operations) {
    const call = callOf(operation, {})
    try {
      const reply = await patience.send(() => client.send(...placed(call, authorization)))
      if (!isOverload(reply.status)) return { call, reply }
      failure = new Unreachable(`${url} answers with ${reply.status}: it is overloaded, or down behind its gateway.`)
    } catch (error) {
      failure = error instanceof Stopped ? new Unreachable(`${url}: ${error.message}.`) : error
      if (!(failure instanceof Unreachable) || failure.silence === 'absent') throw failure
    }
  }
  throw failure ?? new Unreachable('The document has no GET, which verify needs to see whether the service is there.')
}

function problemOf({ status, headers, text, body }: Reply, url: string, { target, operation }: Call, token?: string) {
  const isOfRow = operation.path.includes('{')
  if (status >= 300 && status < 400) {
    return `${url} redirects to ${headers.location ?? 'another place'}: give the address that serves the interface itself.`
  }
  // JSON under another media type is a finding.
  if (body === undefined && (/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(text))) {
    return `${url} answers with a web page, not with the interface: is the base address right?`
  }
  if (status === 404 && body === undefined && !isOfRow) return `${url} has no ${target}: is the base address right?`
  if (token === undefined) return `${url} needs the token of an administrator: give it with --token.`
  if (status === 401 || status === 403) return `${url} refuses the token (${status}): give a good one with --token.`
  return undefined
}
