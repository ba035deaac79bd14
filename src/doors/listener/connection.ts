import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES
} from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers'
import { guarded, hush, onSocket } from '../../engine/serve/message/contain.js'
import { passHeader } from '../../redis/processes/signed.js'
import { NodeRequest } from './node-request.js'
import { createPace, endSlowly, giveUp, ignoreRequest, isGivenUp, lingerLimits } from './pace.js'
import { send } from './send.js'

/** The limits of each connection. Times are in milliseconds. */
export const limits = {
  /** Bytes of the request line and the headers. */
  headerBytes: 16 * 1024,
  headers: 200,
  /** Requests in progress. Further ones wait for their turn. */
  unanswered: 100,
  headersTimeout: 60_000,
  requestTimeout: 300_000,
  /** Longer than the usual minute of balancers, which would otherwise use a connection that is being closed. */
  keepAliveTimeout: 65_000
}

/** The number of connections over the limit that get a 503. Any more are closed without an answer. */
const mostRefused = 100

/** Bytes that a process may add to the headers of a request that it forwards. */
const peerBytes = 2048

/**
 * Milliseconds that an idle connection stays open after the announced time. Without them, a client whose timer is a
 * little late could send its next request into a connection that is being closed.
 */
const grace = 2000

/** Milliseconds between two checks for idle connections during a stop. */
const pause = 20

interface ServerParts {
  maxConnections?: number
  hasPeers?: boolean
}

/** Creates an HTTP server that rejects invalid and excessive requests with a message that names the limit. */
export function createHttpServer(
  listener: RequestListener,
  { maxConnections = 1000, hasPeers = false }: ServerParts = {}
): Connections {
  const server = createServer({
    maxHeaderSize: limits.headerBytes + (hasPeers ? peerBytes : 0),
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeout / 10),
    // Node would reject it without a body.
    requireHostHeader: false
  })
  const connections = new Connections(server, listener, maxConnections, hasPeers)
  // Above this limit, some versions of Node drop headers silently and some refuse the request as too large. So Node gets no
  // limit: the bytes of the headers are limited, and `refusalOfRequest` counts them.
  server.maxHeadersCount = 0
  server.maxConnections = maxConnections + mostRefused
  // A client that has sent its last request may still read. It looks the same as a client that has left, so wait a
  // while.
  Object.assign(server, { httpAllowHalfOpen: true })

  const ofRequest = (_: Error, { socket }: IncomingMessage) => void socket.destroy()
  const ofSocket = (_: Error, socket: Socket) => void socket.destroy()
  const ofSecond = (_: Error, _first: unknown, socket: Socket) => void socket.destroy()
  server.on('request', guarded(ofRequest, connections.take))
  // A process that forwards a request sends its body only if it is asked to. Node asks all others by itself.
  if (hasPeers) server.on('checkContinue', guarded(ofRequest, connections.takeAsked))
  server.on('checkExpectation', guarded(ofRequest, connections.refuseExpectation))
  server.on('connection', guarded(ofSocket, connections.open))
  server.on('timeout', guarded(ofSocket, connections.endIdle))
  server.on('clientError', guarded(ofSecond, connections.fail))
  server.on('connect', guarded(ofSecond, connections.refuseTunnel))
  return connections
}

/** The connections of a server, by what happens on them. It can be closed without cutting off answers. */
class Connections {
  /** The open ones, with the latest response of each. Once it is sent, so are all earlier ones. */
  private readonly last = new Map<Socket, ServerResponse | undefined>()
  /** Idle connections in their period of grace. */
  private readonly over = new WeakSet<Socket>()
  private readonly pace = createPace(limits.unanswered)
  private isEnding = false
  private gone = () => {}

  constructor(
    readonly server: Server,
    private readonly listener: RequestListener,
    private readonly most: number,
    private readonly hasPeers: boolean
  ) {}

  readonly open = (socket: Socket): void => {
    this.last.set(socket, undefined)
    const forget = onSocket(socket, () => {
      this.last.delete(socket)
      this.gone()
    })
    socket.once('close', forget)
    // Node passes the socket of a CONNECT without an error listener, so an error would end the process.
    hush(socket)
    const endLate = onSocket(socket, () => {
      const destroy = onSocket(socket, () => void socket.destroy())
      const late = setTimeout(destroy, lingerLimits.milliseconds).unref()
      const stop = onSocket(socket, () => clearTimeout(late))
      socket.once('close', stop)
    })
    socket.once('end', endLate)
    endSlowly(socket)
    if (this.last.size > this.most)
      end(socket, { status: 503, detail: `There are ${this.most} connections already (--max-connections).` })
  }

  readonly take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    if (isGivenUp(socket)) return void ignoreRequest(request)
    this.last.set(socket, response)
    this.over.delete(socket)
    if (this.isEnding) endAfter(response)
    const refusal = refusalOfRequest(request, this.hasPeers)
    // What follows on the connection cannot be a request.
    if (refusal) giveUp(socket)
    this.pace(request, response, () => {
      if (refusal) refuse(request, response, refusal)
      else this.listener(request, response)
    })
  }

  readonly takeAsked = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers[passHeader] === undefined) response.writeContinue()
    this.take(request, response)
  }

  readonly refuseExpectation = (request: IncomingMessage, response: ServerResponse): void => {
    this.last.set(request.socket, response)
    const detail = `Expect: ${request.headers.expect} is not supported, only 100-continue.`
    refuse(request, response, { status: 417, detail })
  }

  readonly refuseTunnel = (_: IncomingMessage, socket: Socket): void => {
    this.endInTurn(socket, { status: 405, detail: 'This is not a proxy: CONNECT is not supported.' })
  }

  readonly endIdle = (socket: Socket): void => {
    if (this.over.has(socket)) return void socket.destroy()
    this.over.add(socket)
    socket.setTimeout(grace)
  }

  /** Answers a client whose bytes are not a request, with the reason. */
  readonly fail = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return void this.tell(error, socket)
    // If the process was busy, the request may have arrived in time without being read yet.
    const before = this.last.get(socket)
    const wasInBody = before !== undefined && !before.req.complete
    const tellAfter = onSocket(socket, () => {
      const now = this.last.get(socket)
      if (!now?.req.complete || (now === before && !wasInBody)) this.tell(error, socket)
    })
    setImmediate(tellAfter)
  }

  /** Makes each connection end after its answer. New ones are still accepted. */
  announceEnd(): void {
    this.isEnding = true
  }

  /**
   * Accepts no more connections, ends each open one after its pending answer, and resolves when all are closed. After
   * `patience` milliseconds it closes the rest.
   */
  close(patience: number): Promise<void> {
    const { server, last } = this
    this.announceEnd()
    return new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), patience).unref()
      const watch = setInterval(() => server.closeIdleConnections(), pause)
      let isClosed = false
      // The server does not count connections that it has from another process.
      this.gone = () => {
        if (!isClosed || last.size > 0) return
        clearTimeout(timer)
        clearInterval(watch)
        resolve()
      }
      server.close(() => {
        isClosed = true
        this.gone()
      })
      for (const [socket, response] of last) {
        if (response && !response.writableFinished) endAfter(response)
        // Nothing was sent on it, and perhaps nothing ever will be.
        else if (!response && socket.bytesRead === 0) socket.destroy()
      }
      server.closeIdleConnections()
    })
  }

  private tell(error: NodeJS.ErrnoException, socket: Socket): void {
    const response = this.last.get(socket)
    const isInBody = response !== undefined && !response.req.complete
    if (error.code === 'ECONNRESET') return void socket.destroy()
    // Its last answer is sent or being sent.
    if (isGivenUp(socket)) return
    if (!socket.writable) return void socket.destroy()
    const refusal = refusalOfError(error, isInBody)
    if (!isInBody) this.endInTurn(socket, refusal)
    else if (response.headersSent) socket.destroySoon()
    else breakOff(response, refusal)
  }

  /** Answers the complete earlier requests first. */
  private endInTurn(socket: Socket, refusal: ConnectionRefusal): void {
    const response = this.last.get(socket)
    if (!response || response.writableFinished || response.destroyed) end(socket, refusal)
    else {
      const endNow = onSocket(socket, () => end(socket, refusal))
      response.once('finish', endNow)
    }
    giveUp(socket)
  }
}

function endAfter(response: ServerResponse): void {
  // If the headers are sent, the client notices when the idle connection is closed.
  if (!response.headersSent) response.setHeader('Connection', 'close')
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: ConnectionRefusal): void {
  giveUp(request.socket)
  send(new NodeRequest(request, response), answerWith(refusal))
}

/** Answers a request whose body cannot be read to its end. */
function breakOff(response: ServerResponse, refusal: ConnectionRefusal): void {
  const { socket } = response.req
  giveUp(socket)
  // Informs the reader of the body that the rest will not arrive. Node does so only before the response has started.
  const drop = onSocket(socket, () => void response.req.destroy())
  socket.once('close', drop)
  const { status, headers, body } = answerWith(refusal)
  response.writeHead(status, headers).end(body)
}

/** Sends the reason on the bare connection and ends it. */
function end(socket: Socket, refusal: ConnectionRefusal): void {
  giveUp(socket)
  // Its last answer may have ended it, and the client may not have read that yet.
  if (!socket.writable) return void socket.destroySoon()
  const { status, headers, body } = answerWith(refusal)
  const lines = Object.entries(headers).map(([name, text]) => `${name}: ${text}`)
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  socket.destroySoon()
}

function answerWith({ status, detail }: ConnectionRefusal) {
  const body = JSON.stringify({ detail })
  const headers = {
    'X-Mock-Source': 'refusal',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close'
  }
  return { status, headers, body }
}

interface ConnectionRefusal {
  status: number
  detail: string
}

function tooLarge(what: string): ConnectionRefusal {
  return { status: 431, detail: `The ${what} are larger than ${limits.headerBytes} bytes together.` }
}

function wrong(detail: string): ConnectionRefusal {
  return { status: 400, detail }
}

/** What is wrong with a request before its operation is looked up. */
function refusalOfRequest(request: IncomingMessage, hasPeers: boolean): ConnectionRefusal | undefined {
  const { rawHeaders, httpVersion } = request
  if (!httpVersion.startsWith('1.')) return wrong(`This is not an HTTP/1.1 request: its version is ${httpVersion}.`)
  // A forwarded request was within the limits of the forwarding process.
  if (!hasPeers || request.headers[passHeader] === undefined) {
    if (rawHeaders.length > 2 * limits.headers) {
      return { status: 431, detail: `The request has more than ${limits.headers} headers.` }
    }
    // The bytes as Node counts them.
    const bytes = () => rawHeaders.reduce((sum, text) => sum + text.length, request.url?.length ?? 0)
    if (hasPeers && bytes() >= limits.headerBytes) return tooLarge('request line and the headers')
  }
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  // RFC 9112, 3.2
  if (hosts > 1) return wrong('The request has more than one Host header.')
  if (hosts === 0 && httpVersion !== '1.0') return wrong('The request has no Host header.')
  if (hosts === 1 && request.headers.host === '') return wrong('The Host header is empty.')
  return refusalOfFraming(request)
}

/** If two readers disagree on where a body ends, one may get requests that the other does not see (RFC 9112, 6.1). */
function refusalOfFraming({ headers, httpVersion }: IncomingMessage): ConnectionRefusal | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersion === '1.0') return wrong('Transfer-Encoding is not supported in HTTP/1.0.')
  if (headers['content-length'] !== undefined)
    return wrong('The request has both Transfer-Encoding and Content-Length.')
  if (coding.trim().toLowerCase() === 'chunked') return undefined
  return wrong(`This is not an HTTP/1.1 request: Transfer-Encoding is ${coding}, but only chunked is supported.`)
}

/** The answer to an error of the parser or a timeout. `isInBody` means that the headers had been received. */
function refusalOfError(error: NodeJS.ErrnoException & { reason?: string }, isInBody: boolean): ConnectionRefusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return tooLarge(isInBody ? 'trailers' : 'request line and the headers')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, detail: 'The extensions of the chunks are larger than 16384 bytes together.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const [what, limit] = isInBody
        ? (['request was', limits.requestTimeout] as const)
        : (['headers were', limits.headersTimeout] as const)
      return { status: 408, detail: `The ${what} not received within ${limit / 1000} seconds.` }
    }
    default:
      return wrong(`This is not an HTTP/1.1 request: ${error.reason ?? error.message}.`)
  }
}
