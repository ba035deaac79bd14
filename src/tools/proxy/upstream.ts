import { request as askHttp, type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as askHttps, Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers'
import type { Copy } from '../../engine/serve/body/copy.js'
import { guarded, hush } from '../../engine/serve/message/contain.js'
import type { Request, RequestBody } from '../../engine/serve/message/message.js'
import { readBase } from './base.js'
import { requestHeaders } from './headers.js'

/**
 * The path and query for the service, always below its base path. Dot segments are resolved (RFC 3986, section 5.2.4),
 * and leading slashes become one, because `//host` names another host. Only the path of an absolute target counts.
 * Undefined if the target has no path, or one with a `\` or `#`: many services read these as `/` and as an end.
 */
function upstreamTarget(url: string): string | undefined {
  const target = /^https?:\/\//i.test(url) ? url.replace(/^https?:\/\/[^/?]*/i, '') : url
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  if ((path !== '' && !path.startsWith('/')) || /[\\#]/.test(path)) return undefined
  return withoutDots(path.replace(/^\/*/, '/')) + (mark < 0 ? '' : target.slice(mark))
}

/** A URL has no dot segments, but may spell other characters in another way. */
function withoutDots(path: string): string {
  if (!/\/(?:\.|%2e)/i.test(path)) return path
  return new URL(path, 'http://service.invalid').pathname.replace(/^\/+/, '/')
}

/** How to reach the service. */
export interface UpstreamOptions {
  /** The base address. Its path is put before every requested path. */
  url: string
  /** Additional trusted certificates, as PEM. */
  ca?: string | undefined
  /** Milliseconds that the service may stay silent. */
  timeout: number
}

/** The service gave no answer that could be forwarded (502 or 504), or the target has no path (400). */
export class UpstreamError extends Error {
  constructor(
    readonly status: 400 | 502 | 504,
    message: string
  ) {
    super(message)
  }
}

/** An answer whose headers have arrived. */
export interface AnswerHead {
  message: IncomingMessage
  /** Describes an error that ended it. */
  explain: (error: unknown) => UpstreamError
}

/** Methods that may be sent again (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/**
 * Forwards requests unchanged and returns the service's answers. Rejects with an UpstreamError. Throws an Error if the address is
 * invalid.
 */
export function createUpstream({ url, ca, timeout }: UpstreamOptions) {
  const base = readBase(url)
  const isSecure = base.protocol === 'https:'
  const agent = createAgent(isSecure, ca)
  const prefix = base.pathname.replace(/\/$/, '')

  /** The service may have just closed a kept connection. The request is then sent again on a new one. */
  function send(request: Request, copy: Copy, isAgain: boolean): Promise<AnswerHead> {
    return new Promise<AnswerHead>((resolve, reject) => {
      const target = upstreamTarget(request.target)
      if (target === undefined) throw new UpstreamError(400, `The target "${request.target}" is not a path of a URL.`)
      const sent = (isSecure ? askHttps : askHttp)({
        agent: isAgain ? createAgent(isSecure, ca, false) : agent,
        host: base.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: base.port || (isSecure ? 443 : 80),
        method: request.method,
        path: prefix + target,
        // A list keeps names, order and repetitions unchanged.
        headers: ['Host', base.host, ...requestHeaders(request)] as unknown as Record<string, string>,
        setHost: false
      })
      let ended: UpstreamError | undefined
      const explain = (error: unknown) => ended ?? asUpstreamError(error as Error, base.origin)
      const end = (why: UpstreamError) => {
        ended ??= why
        sent.destroy(why)
      }
      const fail = (error: unknown) => {
        sent.destroy()
        reject(explain(error))
      }
      const giveUp = guarded(fail, () => end(new UpstreamError(504, `${base.origin} was silent for ${timeout} ms.`)))
      const tryAgain = guarded(fail, (error: Error) => {
        const mayRepeat = sent.reusedSocket && ended === undefined && idempotent.has(request.method)
        if (mayRepeat && request.body.isComplete && copy.isWhole) resolve(send(request, copy, true))
        else reject(explain(error))
      })
      const refuse = guarded(fail, (_: IncomingMessage, socket: Socket) => {
        hush(socket)
        socket.destroy()
        reject(new UpstreamError(502, `${base.origin} switched protocols (101), which was not requested.`))
      })
      const endSending = guarded(fail, () => void (sent.writableFinished || sent.destroy()))
      const endSoon = guarded(fail, () => void setImmediate(endSending))
      const begin = guarded(fail, (message: IncomingMessage) => {
        hush(message)
        // An answered request is not sent again.
        sent.off('error', tryAgain)
        resolve({ message, explain })
        // A service that has answered completely does not need the rest of the request.
        message.once('end', endSoon)
      })
      const endEarly = guarded(fail, () => end(new UpstreamError(502, 'The client went away.')))
      sent.setTimeout(timeout, giveUp)
      hush(sent)
      sent.once('error', tryAgain)
      sent.once('upgrade', refuse)
      sent.once('response', begin)
      if (isAgain) sent.end(copy.bytes())
      else pump(request.body, copy, sent, endEarly)
    })
  }
  return {
    close: () => agent.destroy(),
    /** `copy` receives the body as it is sent. */
    ask: (request: Request, copy: Copy) =>
      send(request, copy, false).catch((error) => {
        throw asUpstreamError(error, base.origin)
      })
  }
}

/**
 * Writes a body to the service at the end of each turn of the event loop. The service's data is read first: if it has
 * answered and closed, a failed write would lose the answer. A small body is sent at once with its headers. After an
 * error answer the rest is dropped.
 */
function pump(body: RequestBody, copy: Copy, sent: ClientRequest, endEarly: () => void): void {
  let waiting: Uint8Array[] = []
  let isDue = false
  let hasEnded = false
  let isRefused = false
  const fail = (error: Error) => void sent.destroy(error)
  const write = guarded(fail, () => {
    isDue = false
    const bytes = Buffer.concat(waiting)
    waiting = []
    if (isRefused || sent.destroyed) body.resume()
    else if (hasEnded) sent.end(bytes)
    else if (sent.write(bytes)) body.resume()
    else sent.once('drain', readOn)
  })
  const readOn = guarded(fail, () => body.resume())
  const later = () => {
    if (!isDue) setImmediate(write)
    isDue = true
  }
  const add = guarded(fail, (chunk: Uint8Array) => {
    copy.add(chunk)
    waiting.push(chunk)
    if (waiting.length >= mostWaiting) body.pause()
    later()
  })
  const end = guarded(fail, () => {
    hasEnded = true
    later()
  })
  const note = guarded(fail, ({ statusCode = 0 }: IncomingMessage) => {
    isRefused = statusCode >= 400 && !hasEnded
  })
  body.read({ data: add, end, fail: endEarly })
  sent.once('response', note)
  sent.once('close', readOn)
}

/** The number of chunks (up to 64 KiB each) that wait for the end of a turn. */
const mostWaiting = 4

function asUpstreamError(error: Error & { code?: string }, name: string): UpstreamError {
  if (error instanceof UpstreamError) return error
  const why = reasons[error.code ?? ''] ?? error.message
  return new UpstreamError(502, `${name} gave no answer: ${why}.`)
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNRESET: 'the connection was closed before the answer was whole',
  EPIPE: 'the connection was closed before the answer was whole',
  EPROTO: 'it does not speak the protocol of its address',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed (trust it with --ca <file>)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority (trust one with --ca <file>)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority (trust one with --ca <file>)'
}

/**
 * Ignores failed writes. A service may answer and close before it has read the whole body, and node would then drop the
 * answer together with the socket. If there is no answer, reading ends the socket.
 */
function readOut<S extends Duplex>(socket: S): S {
  const { _write: write, _writev: writev } = socket
  socket._write = (data, encoding, done) => write.call(socket, data, encoding, () => done())
  if (writev) socket._writev = (chunks, done) => writev.call(socket, chunks, () => done())
  return socket
}

/** Connections to a service, which are kept for later requests. */
function createAgent(isSecure: boolean, ca: string | undefined, keepAlive = true): HttpAgent {
  const agent = isSecure ? new HttpsAgent({ keepAlive, ca }) : new HttpAgent({ keepAlive })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback)
    return socket && readOut(socket)
  }
  return agent
}
