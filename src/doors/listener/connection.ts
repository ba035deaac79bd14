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
import { endSlowly, giveUp, ignoreRequest, isGivenUp, limitLinger, lingerBytes } from './linger.js'
import { NodeRequest } from './node-request.js'
import { send } from './send.js'

/** The number of connections over the limit that get a 503. Any more are closed without an answer. */
const told = 100

/** Bytes that a process may add to the headers of a request that it forwards. */
const peerBytes = 2048

const inMilliseconds = (seconds: number) => Math.ceil(seconds * 1000)

/**
 * Milliseconds that an idle connection stays open after the announced time. Without them, a client whose timer is a
 * little late could send its next request into a connection that is being closed.
 */
const grace = 2000

/**
 * An HTTP server that rejects invalid and excessive requests with a message that names the limit and its option. `hasPeers`:
 * whether other processes forward requests to it.
 */
export function createHttpServer(options: ConnectionOptions, listener: RequestListener, hasPeers = false): Server {
  const limits = readLimits(options)
  const connections = new Connections(limits, hasPeers)
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes + (hasPeers ? peerBytes : 0),
    headersTimeout: inMilliseconds(limits.headersTimeout),
    requestTimeout: inMilliseconds(limits.requestTimeout),
    keepAliveTimeout: inMilliseconds(limits.keepAliveTimeout),
    connectionsCheckingInterval: limits.checkingInterval,
    // Node would reject it without a body.
    requireHostHeader: false
  })
  // Above this limit, some versions of Node drop headers silently and some refuse the request as too large. So Node gets no
  // limit: the bytes of the headers are limited, and `refusalOfRequest` counts them.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections + told
  // A client that has sent its last request may still read. It looks the same as a client that has left, so wait a
  // while.
  Object.assign(server, { httpAllowHalfOpen: true })

  const destroy = (_: Error, { socket }: IncomingMessage) => void socket.destroy()
  const onRequest = guarded(destroy, (request: IncomingMessage, response: ServerResponse) =>
    connections.take(request, response, listener)
  )
  server.on('request', onRequest)
  // A process that forwards a request sends its body only if it is asked to. Node asks all others by itself.
  if (hasPeers) {
    const onContinue = guarded(destroy, (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers[passHeader] === undefined) response.writeContinue()
      connections.take(request, response, listener)
    })
    server.on('checkContinue', onContinue)
  }
  const onExpectation = guarded(destroy, (request: IncomingMessage, response: ServerResponse) =>
    connections.refuseExpectation(request, response)
  )
  server.on('checkExpectation', onExpectation)

  const onOpen = guarded(destroySocket, (socket: Socket) => connections.open(socket))
  server.on('connection', onOpen)
  const onIdle = guarded(destroySocket, (socket: Socket) => connections.endIdle(socket))
  server.on('timeout', onIdle)
  const onError = guarded(
    (_, _error, socket) => void socket.destroy(),
    (error: NodeJS.ErrnoException, socket: Socket) => connections.fail(error, socket)
  )
  server.on('clientError', onError)
  const onTunnel = guarded(
    (_, _request, socket) => void socket.destroy(),
    (_request: IncomingMessage, socket: Socket) => connections.refuseTunnel(socket)
  )
  server.on('connect', onTunnel)
  return server
}

function destroySocket(_: Error, socket: Socket): void {
  socket.destroy()
}

/** The connections of a server, by what happens on them. */
class Connections {
  /** The latest response of each connection. Once it is sent, so are all earlier ones. */
  private readonly last = new WeakMap<Socket, ServerResponse>()
  /** Idle connections in their period of grace. */
  private readonly over = new WeakSet<Socket>()
  private readonly pace: ReturnType<typeof createPace>
  private count = 0

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly hasPeers: boolean
  ) {
    this.pace = createPace(limits.maxUnanswered)
  }

  open(socket: Socket): void {
    const { limits } = this
    const lingerTimeout = inMilliseconds(limits.lingerTimeout)
    this.count += 1
    const close = onSocket(socket, () => {
      this.count -= 1
    })
    socket.once('close', close)
    // Node passes the socket of a CONNECT without an error listener, so an error would end the process.
    hush(socket)
    const endLate = onSocket(socket, () => {
      const destroy = onSocket(socket, () => void socket.destroy())
      const late = setTimeout(destroy, lingerTimeout).unref()
      const stop = onSocket(socket, () => clearTimeout(late))
      socket.once('close', stop)
    })
    socket.once('end', endLate)
    endSlowly(socket)
    limitLinger(socket, { bytes: limits.lingerBytes, milliseconds: lingerTimeout })
    if (this.count > limits.maxConnections) end(socket, tooMany(limits))
  }

  take(request: IncomingMessage, response: ServerResponse, listener: RequestListener): void {
    const { socket } = request
    if (isGivenUp(socket)) return void ignoreRequest(request)
    this.last.set(socket, response)
    this.over.delete(socket)
    const refusal = refusalOfRequest(request, this.limits, this.hasPeers)
    // What follows on the connection cannot be a request.
    if (refusal) giveUp(socket)
    this.pace(request, response, () => {
      if (refusal) refuse(request, response, refusal)
      else listener(request, response)
    })
  }

  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    this.last.set(request.socket, response)
    const detail = `Expect: ${request.headers.expect} is not supported, only 100-continue.`
    refuse(request, response, { status: 417, detail })
  }

  refuseTunnel(socket: Socket): void {
    this.endInTurn(socket, { status: 405, detail: 'This is not a proxy: CONNECT is not supported.' })
  }

  /** Ends an expired connection, after the grace period. */
  endIdle(socket: Socket): void {
    if (this.over.has(socket)) return void socket.destroy()
    this.over.add(socket)
    socket.setTimeout(grace)
  }

  /** Answers a client whose bytes are not a request, with the reason. */
  fail(error: NodeJS.ErrnoException, socket: Socket): void {
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

  private tell(error: NodeJS.ErrnoException, socket: Socket): void {
    const response = this.last.get(socket)
    const isInBody = response !== undefined && !response.req.complete
    if (error.code === 'ECONNRESET') return void socket.destroy()
    // Its last answer is sent or being sent.
    if (isGivenUp(socket)) return
    if (!socket.writable) return void socket.destroy()
    const refusal = refusalOfError(error, isInBody, this.limits)
    if (!isInBody) this.endInTurn(socket, refusal)
    else if (response.headersSent) socket.destroySoon()
    else breakOff(response, refusal)
  }

  /** Answers the complete earlier requests first. */
  private endInTurn(socket: Socket, refusal: ConnectionRefusal): void {
    const response = this.last.get(socket)
    if (!response || response.writableFinished || response.destroyed) end(socket, refusal)
    else {
      const endAfter = onSocket(socket, () => end(socket, refusal))
      response.once('finish', endAfter)
    }
    giveUp(socket)
  }
}

/** Refuses a request. Its connection ends. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, detail }: ConnectionRefusal): void {
  giveUp(request.socket)
  const body = JSON.stringify({ detail })
  send(new NodeRequest(request, response), { status, headers: { ...headersOf(body), Connection: 'close' }, body })
}

/** Answers a request whose body cannot be read to its end. */
function breakOff(response: ServerResponse, { status, detail }: ConnectionRefusal): void {
  const { socket } = response.req
  giveUp(socket)
  // Informs the reader of the body that the rest will not arrive. Node does so only before the response has started.
  const drop = onSocket(socket, () => void response.req.destroy())
  socket.once('close', drop)
  const body = JSON.stringify({ detail })
  response.writeHead(status, { ...headersOf(body), Connection: 'close' })
  response.end(body)
}

/** Sends the reason on the bare connection and ends it. */
function end(socket: Socket, { status, detail }: ConnectionRefusal): void {
  giveUp(socket)
  // Its last answer may have ended it, and the client may not have read that yet.
  if (!socket.writable) return void socket.destroySoon()
  const body = JSON.stringify({ detail })
  const headers = Object.entries({ ...headersOf(body), Connection: 'close' }).map(([name, text]) => `${name}: ${text}`)
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, '', body].join('\r\n'))
  socket.destroySoon()
}

function headersOf(body: string): Record<string, string | number> {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
}

/** The limits of one connection: numbers, and times in seconds. 0 means no limit. */
interface ConnectionOptions {
  maxHeaderBytes: number
  maxHeaders: number
  maxConnections: number
  maxUnanswered: number
  headersTimeout: number
  requestTimeout: number
  keepAliveTimeout: number
  lingerBytes: number
  lingerTimeout: number
}

interface ConnectionLimits extends ConnectionOptions {
  /** Milliseconds between two checks for expired connections. */
  checkingInterval: number
}

function readLimits(options: ConnectionOptions): ConnectionLimits {
  const { requestTimeout } = options
  let { headersTimeout } = options
  // The headers are part of the request, so their limit cannot be longer.
  if (requestTimeout > 0) headersTimeout = Math.min(headersTimeout || requestTimeout, requestTimeout)
  const shortest = Math.min(headersTimeout || 60, requestTimeout || 60)
  return { ...options, headersTimeout, checkingInterval: Math.min(1000, Math.max(20, shortest * 100)) }
}

/** Why a connection is closed. */
interface ConnectionRefusal {
  status: number
  detail: string
}

function tooMany({ maxConnections }: ConnectionLimits): ConnectionRefusal {
  return { status: 503, detail: `There are ${maxConnections} connections already (--max-connections).` }
}

function tooLarge(what: string, { maxHeaderBytes }: ConnectionLimits): ConnectionRefusal {
  return {
    status: 431,
    detail: `The ${what} are larger than ${maxHeaderBytes} bytes together (--max-header-bytes).`
  }
}

/** The bytes as Node counts them. */
function bytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length)
}

/** What is wrong with a request before its operation is looked up. */
function refusalOfRequest(
  request: IncomingMessage,
  limits: ConnectionLimits,
  hasPeers = false
): ConnectionRefusal | undefined {
  const { rawHeaders, httpVersion } = request
  if (!httpVersion.startsWith('1.')) {
    return { status: 400, detail: `This is not an HTTP/1.1 request: its version is ${httpVersion}.` }
  }
  // A forwarded request was within the limits of the forwarding process.
  if (!hasPeers || request.headers[passHeader] === undefined) {
    const { maxHeaders, maxHeaderBytes } = limits
    if (rawHeaders.length > 2 * maxHeaders) {
      return { status: 431, detail: `The request has more than ${maxHeaders} headers (--max-headers).` }
    }
    if (hasPeers && bytesOf(request) >= maxHeaderBytes) return tooLarge('request line and the headers', limits)
  }
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  // RFC 9112, 3.2
  if (hosts > 1) return { status: 400, detail: 'The request has more than one Host header.' }
  if (hosts === 0 && httpVersion !== '1.0') return { status: 400, detail: 'The request has no Host header.' }
  if (hosts === 1 && request.headers.host === '') return { status: 400, detail: 'The Host header is empty.' }
  return refusalOfFraming(request)
}

/**
 * If two readers could disagree on where a body ends, one could be sent requests that the other does not see (RFC 9112,
 * 6.1).
 */
function refusalOfFraming({ headers, httpVersion }: IncomingMessage): ConnectionRefusal | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersion === '1.0') return { status: 400, detail: 'Transfer-Encoding is not supported in HTTP/1.0.' }
  if (headers['content-length'] !== undefined) {
    return { status: 400, detail: 'The request has both Transfer-Encoding and Content-Length.' }
  }
  if (coding.trim().toLowerCase() !== 'chunked') {
    return {
      status: 400,
      detail: `This is not an HTTP/1.1 request: Transfer-Encoding is ${coding}, but only chunked is supported.`
    }
  }
  return undefined
}

/** The answer to an error of the parser or a timeout. `isInBody` means that the headers had been received. */
function refusalOfError(
  error: NodeJS.ErrnoException & { reason?: string },
  isInBody: boolean,
  limits: ConnectionLimits
): ConnectionRefusal {
  const { headersTimeout, requestTimeout } = limits
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      return tooLarge(isInBody ? 'trailers' : 'request line and the headers', limits)
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, detail: 'The extensions of the chunks are larger than 16384 bytes together.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        status: 408,
        detail: isInBody
          ? `The request was not received within ${requestTimeout} seconds (--request-timeout).`
          : `The headers were not received within ${headersTimeout} seconds (--headers-timeout).`
      }
    default:
      return { status: 400, detail: `This is not an HTTP/1.1 request: ${error.reason ?? error.message}.` }
  }
}

/** The highest number of waiting requests, over all connections. Each takes memory. */
const mostWaiting = 100_000
/** The highest number of reads (64 KiB each) while a connection is held without any answer. */
const mostPeeks = 16
/** The highest number of bytes that are not a request and arrive before an answer is complete. */
const mostDropped = 1024 * 1024
/** Milliseconds between two checks of connections. */
const pause = 1000

interface PacedConnection {
  /** Called at the end of each answer. */
  answered: () => void
  /** Requests that were started and not yet answered. */
  started: number
  waiting: (() => void)[]
  last: IncomingMessage
  isPeeking: boolean
  peeks: number
  bytesRead: number
  /** The bytes received when its last request was found to be complete. */
  complete: number | undefined
}

/**
 * Lets `most` requests of a connection run at once, and stops reading it until one of them is answered. Requests that were
 * already read wait for their turn. An unread connection does not show when its client leaves, so a held one is read every
 * `interval` milliseconds. One with answers that its client has not read yet shows it without that.
 */
export function createPace(
  most: number,
  interval = pause
): (request: IncomingMessage, response: ServerResponse, start: () => void) => void {
  const lines = new Map<Socket, PacedConnection>()
  let waiting = 0
  let timer: NodeJS.Timeout | undefined

  // Node resumes reading when a body is read, and after each answer. While answers wait for their client, node pauses a resumed
  // connection at once. So nothing is resumed here: the two would react to each other forever.
  const hold = (socket: Socket, line: PacedConnection) => {
    if (line.started >= most && !socket.isPaused()) socket.pause()
  }

  const look = (socket: Socket, line: PacedConnection) => {
    if (line.started === 0 || !line.last.complete) line.complete = undefined
    else line.complete ??= socket.bytesRead
    // Node keeps reading, and drops what it cannot use: an event stream may never end. What follows a refusal in a pipeline is
    // dropped as long as the answers before it take.
    const most = isGivenUp(socket) ? lingerBytes(socket) : mostDropped
    if (socket.bytesRead - (line.complete ?? socket.bytesRead) > most) socket.destroy()
    else peek(socket, line)
  }

  const peek = (socket: Socket, line: PacedConnection) => {
    const isHeld = line.started >= most
    // The body in progress is still being read, at the speed of its reader.
    if (!isHeld && (!socket.isPaused() || line.started === 0 || !line.last.complete)) return
    if (socket.writableLength > 0) return
    if (line.isPeeking && socket.bytesRead > line.bytesRead) line.peeks += 1
    if (line.peeks > mostPeeks) return void socket.destroy()
    line.bytesRead = socket.bytesRead
    line.isPeeking = true
    // This reads once, even if the socket is paused.
    socket._read(0)
  }

  const lineOf = (request: IncomingMessage): PacedConnection => {
    const { socket } = request
    const known = lines.get(socket)
    if (known) return known
    const answered = onSocket(socket, () => {
      line.started -= 1
      line.peeks = 0
      if (socket.destroyed) return
      const next = line.waiting.shift()
      if (next) {
        waiting -= 1
        next()
      } else if (line.started === most - 1) socket.resume()
    })
    const line: PacedConnection = {
      answered,
      started: 0,
      waiting: [],
      last: request,
      isPeeking: false,
      peeks: 0,
      bytesRead: 0,
      complete: undefined
    }
    const holdAgain = onSocket(socket, () => hold(socket, line))
    socket.on('resume', holdAgain)
    const forget = onSocket(socket, () => {
      waiting -= line.waiting.length
      line.waiting.length = 0
      lines.delete(socket)
      if (lines.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
    socket.once('close', forget)
    lines.set(socket, line)
    timer ??= setInterval(() => {
      for (const [held, its] of lines) onSocket(held, () => look(held, its))()
    }, interval).unref()
    return line
  }

  return (request, response, start) => {
    const { socket } = request
    if (socket.destroyed) return
    const line = lineOf(request)
    line.last = request
    line.complete = undefined
    if (line.isPeeking) {
      line.isPeeking = false
      line.peeks += 1
      if (socket.isPaused()) socket.resume()
    }
    if (line.started < most) {
      line.started += 1
      response.once('close', line.answered)
      start()
      if (line.started < most) return
      // Only a flowing socket can be paused. One that was read once still reads, although it is not flowing.
      if (socket.isPaused()) socket.resume()
      else socket.pause()
    } else if (waiting >= mostWaiting) socket.destroy()
    else {
      waiting += 1
      const begin = onSocket(socket, () => {
        line.started += 1
        response.once('close', line.answered)
        // The body may have failed during the wait.
        if (!response.writableEnded) start()
      })
      line.waiting.push(begin)
    }
  }
}
