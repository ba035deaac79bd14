import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES
} from 'node:http'
import type { Socket } from 'node:net'
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { guarded, hush, onSocket } from '../../serve/message/contain.js'
import { passHeader } from '../replicas/signed.js'
import {
  type ConnectionOptions,
  type ConnectionRefusal,
  readLimits,
  refusalOfError,
  refusalOfRequest,
  tooMany
} from './connection-limits.js'
import { endSlowly, giveUp, ignoreRequest, isGivenUp, limitLinger } from './linger.js'
import { NodeRequest } from './node-request.js'
import { createPace } from './pace.js'
import { send } from './send.js'

/** The number of connections over the limit that get a 503. Any more are closed without an answer. */
export const told = 100

/** Bytes that a process may add to the headers of a request that it passes on. */
const peerBytes = 2048

const inMilliseconds = (seconds: number) => Math.ceil(seconds * 1000)

/**
 * Milliseconds that an idle connection stays open after the announced time. Without them, a client whose timer is a
 * little late could send its next request into a connection that is being closed.
 */
const grace = 2000

interface ServerParts {
  /** Whether other processes pass requests on to it. */
  hasPeers?: boolean
  /** Whether a connection is one too many. Default: it counts them. */
  isFull?: ((socket: Socket) => boolean) | undefined
}

/** An HTTP server that rejects invalid and excessive requests with a message that names the limit and its option. */
export function createHttpServer(
  options: ConnectionOptions,
  listener: RequestListener,
  { hasPeers = false, isFull }: ServerParts = {}
): Server {
  const limits = readLimits(options)
  /** The latest response of each connection. Once it is sent, so are all earlier ones. */
  const last = new WeakMap<Socket, ServerResponse>()
  const pace = createPace(limits.maxUnanswered)
  /** Idle connections in their period of grace. */
  const over = new WeakSet<Socket>()
  let open = 0

  const answer = guarded(breakOffRequest, (request: IncomingMessage, response: ServerResponse) => {
    if (isGivenUp(request.socket)) return ignoreRequest(request)
    last.set(request.socket, response)
    over.delete(request.socket)
    const refusal = refusalOfRequest(request, limits, hasPeers)
    // What follows on the connection cannot be a request.
    if (refusal) giveUp(request.socket)
    pace(request, response, () => {
      if (refusal) refuse(request, response, refusal)
      else listener(request, response)
    })
  })
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes + (hasPeers ? peerBytes : 0),
      headersTimeout: inMilliseconds(limits.headersTimeout),
      requestTimeout: inMilliseconds(limits.requestTimeout),
      keepAliveTimeout: inMilliseconds(limits.keepAliveTimeout),
      connectionsCheckingInterval: limits.checkingInterval,
      // Node would reject it without a body.
      requireHostHeader: false
    },
    answer
  )
  // A process that passes a request on sends its body only if it is asked to. Node asks all others by itself.
  if (hasPeers) {
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers[passHeader] === undefined) response.writeContinue()
      server.emit('request', request, response)
    })
  }
  // Above a number, some versions of Node drop headers silently and some refuse the request as too large. So Node has none:
  // the bytes of the headers are limited, and `refusalOfRequest` counts them.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections + told
  // A client that has sent its last request may still read. It looks the same as a client that has left, so wait a
  // while.
  Object.assign(server, { httpAllowHalfOpen: true })

  server.on(
    'connection',
    guarded(
      (_, socket) => socket.destroy(),
      (socket: Socket) => {
        open += 1
        const close = onSocket(socket, () => {
          open -= 1
        })
        socket.once('close', close)
        // Node passes the socket of a CONNECT without an error listener, so an error would end the process.
        hush(socket)
        const endLate = onSocket(socket, () => {
          const end = onSocket(socket, () => void socket.destroy())
          const late = setTimeout(end, inMilliseconds(limits.lingerTimeout)).unref()
          const stop = onSocket(socket, () => clearTimeout(late))
          socket.once('close', stop)
        })
        socket.once('end', endLate)
        endSlowly(socket)
        limitLinger(socket, { bytes: limits.lingerBytes, milliseconds: inMilliseconds(limits.lingerTimeout) })
        if (isFull?.(socket) ?? open > limits.maxConnections) end(socket, tooMany(limits))
      }
    )
  )

  server.on(
    'timeout',
    guarded(
      (_, socket) => socket.destroy(),
      (socket: Socket) => {
        if (over.has(socket)) return void socket.destroy()
        over.add(socket)
        socket.setTimeout(grace)
      }
    )
  )

  server.on(
    'clientError',
    guarded(
      (_, _error, socket) => socket.destroy(),
      (error: NodeJS.ErrnoException, socket: Socket) => {
        if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return tell(error, socket)
        // If the process was busy, the request may have arrived in time without being read yet.
        const before = last.get(socket)
        const wasInBody = before !== undefined && !before.req.complete
        const tellAfter = onSocket(socket, () => {
          const now = last.get(socket)
          if (!now?.req.complete || (now === before && !wasInBody)) tell(error, socket)
        })
        setImmediate(tellAfter)
      }
    )
  )

  function tell(error: NodeJS.ErrnoException, socket: Socket): void {
    const response = last.get(socket)
    const isInBody = response !== undefined && !response.req.complete
    if (error.code === 'ECONNRESET') return void socket.destroy()
    // Its last answer is given, or on its way.
    if (isGivenUp(socket)) return
    if (!socket.writable) return void socket.destroy()
    const refusal = refusalOfError(error, isInBody, limits)
    if (!isInBody) endInTurn(socket, refusal)
    else if (response.headersSent) socket.destroySoon()
    else breakOff(response, refusal)
  }

  server.on(
    'checkExpectation',
    guarded(breakOffRequest, (request: IncomingMessage, response: ServerResponse) => {
      last.set(request.socket, response)
      const detail = `Expect: ${request.headers.expect} is not supported, only 100-continue.`
      refuse(request, response, { status: 417, detail })
    })
  )

  server.on(
    'connect',
    guarded(
      (_, _request, socket) => socket.destroy(),
      (_request: IncomingMessage, socket: Socket) => {
        endInTurn(socket, { status: 405, detail: 'This is not a proxy: CONNECT is not supported.' })
      }
    )
  )

  /** Answers the complete earlier requests first. */
  function endInTurn(socket: Socket, refusal: ConnectionRefusal): void {
    const response = last.get(socket)
    if (!response || response.writableFinished || response.destroyed) end(socket, refusal)
    else {
      const endAfter = onSocket(socket, () => end(socket, refusal))
      response.once('finish', endAfter)
    }
    giveUp(socket)
  }
  return server
}

function breakOffRequest(_: Error, { socket }: IncomingMessage): void {
  socket.destroy()
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, detail }: ConnectionRefusal): void {
  giveUp(request.socket)
  const body = JSON.stringify({ detail })
  send(new NodeRequest(request, response), { status, headers: { ...headersOf(body), Connection: 'close' }, body })
}

/** Answers a request whose body cannot be read to its end. */
function breakOff(response: ServerResponse, { status, detail }: ConnectionRefusal): void {
  const { socket } = response.req
  giveUp(socket)
  // Tells the reader of the body that the rest will not arrive. Node does so only before the response has started.
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
