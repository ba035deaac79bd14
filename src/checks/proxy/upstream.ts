import { request as askHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as askHttps } from 'node:https'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import type { Copy } from '../../serve/body/copy.js'
import { guarded, hush } from '../../serve/message/contain.js'
import type { Request, RequestBody } from '../../serve/message/message.js'
import { createAgent } from './agent.js'
import { requestHeaders } from './headers.js'
import { upstreamTarget } from './target.js'

/** How the real service is reached. */
export interface UpstreamOptions {
  /** Its base address; a path in it comes before every path that is asked. */
  url: string
  /** Certificates that its own is checked against, beside the usual ones; PEM. */
  ca?: string | undefined
  /** How many milliseconds it may stay silent. */
  timeout: number
}

/** The service gave no answer that could be passed on: 502 or 504, and why. A target that names no path: 400. */
export class UpstreamError extends Error {
  constructor(
    readonly status: 400 | 502 | 504,
    message: string
  ) {
    super(message)
  }
}

/** An answer that has begun. */
export interface Begun {
  message: IncomingMessage
  /** What to tell of an error that ended it. */
  explain: (error: unknown) => UpstreamError
}

/** Sends a request on, as it came in, and gives what the service answers. Rejects with an UpstreamError. */
export interface Upstream {
  /** `copy` gets what comes of the body. */
  ask(request: Request, copy: Copy): Promise<Begun>
  close(): void
}

/** Methods that may be sent twice (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** Throws an Error that says what is wrong when the address is none. */
export function createUpstream({ url, ca, timeout }: UpstreamOptions): Upstream {
  const base = readBase(url)
  const isSecure = base.protocol === 'https:'
  const agent = createAgent(isSecure, ca)
  const prefix = base.pathname.replace(/\/$/, '')

  /** A connection that was kept may be one that the service just closed: the request is then sent on a new one. */
  function send(request: Request, copy: Copy, isAgain: boolean): Promise<Begun> {
    return new Promise<Begun>((resolve, reject) => {
      const target = upstreamTarget(request.target)
      if (target === undefined) throw new UpstreamError(400, `The target "${request.target}" is no path.`)
      const sent = (isSecure ? askHttps : askHttp)({
        agent: isAgain ? createAgent(isSecure, ca, false) : agent,
        host: base.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: base.port || (isSecure ? 443 : 80),
        method: request.method,
        path: prefix + target,
        // A list keeps names, order and repetitions as they came.
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
      const giveUp = guarded(fail, () =>
        end(new UpstreamError(504, `${base.origin} was silent for ${timeout} ms (--timeout).`))
      )
      const tryAgain = guarded(fail, (error: Error) => {
        const mayRepeat = sent.reusedSocket && ended === undefined && idempotent.has(request.method)
        if (mayRepeat && request.body.isComplete && copy.isWhole) resolve(send(request, copy, true))
        else reject(explain(error))
      })
      const refuse = guarded(fail, (_: IncomingMessage, socket: Socket) => {
        hush(socket)
        socket.destroy()
        reject(new UpstreamError(502, `${base.origin} switched protocols (101), which nobody asked for.`))
      })
      const endSending = guarded(fail, () => void (sent.writableFinished || sent.destroy()))
      const endSoon = guarded(fail, () => void setImmediate(endSending))
      const begin = guarded(fail, (message: IncomingMessage) => {
        hush(message)
        // What was answered is not sent again.
        sent.off('error', tryAgain)
        resolve({ message, explain })
        // Whoever has answered whole wants no more of the request.
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
    ask: (request, copy) =>
      send(request, copy, false).catch((error) => {
        throw asUpstreamError(error, base.origin)
      })
  }
}

/**
 * Writes a body to the service, at the end of each turn of the event loop: what the service sent meanwhile is read
 * first, for where it has answered and gone, a write that fails would lose its answer. A small body goes out at once
 * with its headers. After a refusal what still comes is dropped.
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

/** So many chunks of a body, of 64 KiB at most, wait for the end of a turn. */
const mostWaiting = 4

function readBase(text: string): URL {
  const base = URL.canParse(text) ? new URL(text) : undefined
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new Error(`The upstream is "${text}": give an address such as http://127.0.0.1:8080.`)
  }
  if (base.search || base.hash) throw new Error(`The upstream is "${text}": give it without a query or a fragment.`)
  return base
}

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
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself (--ca <file> trusts it)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority (--ca <file> trusts one)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority (--ca <file> trusts one)'
}
