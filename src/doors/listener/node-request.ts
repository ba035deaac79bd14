import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { inMap } from '../../engine/contract/once.js'
import { isLoopback } from '../../engine/serve/message/caller.js'
import { contain, guarded, hush, onSocket } from '../../engine/serve/message/contain.js'
import {
  type BodyListener,
  type FormFile,
  type Outcome,
  type Peer,
  ReadBody,
  type Request,
  type RequestBody
} from '../../engine/serve/message/message.js'
import type { Serve } from '../../engine/serve/steps.js'
import { giveUp, isGivenUp } from './pace.js'
import { hasUnreadBody, send, sendThisTurn } from './send.js'

/** A request of node or Express. Its properties are read from node only when a step needs them. */
export class NodeRequest implements Request {
  private ownBody: NodeBody | undefined

  constructor(
    readonly message: IncomingMessage,
    readonly response: ServerResponse,
    readonly leave?: Request['leave']
  ) {}

  get method() {
    return this.message.method as string
  }

  get target() {
    return this.message.url as string
  }

  get headers() {
    return this.message.headers
  }

  get rawHeaders() {
    return this.message.rawHeaders
  }

  get mount() {
    return (this.message as { baseUrl?: string }).baseUrl ?? ''
  }

  get body(): RequestBody {
    this.ownBody ??= new NodeBody(this.message)
    return this.ownBody
  }

  get peer(): Peer {
    const { socket } = this.message
    const isPrivate = isUnixSocket(socket)
    return {
      address: socket.remoteAddress,
      isEncrypted: (socket as TLSSocket).encrypted === true,
      isLocal: isPrivate || isLoopback(socket.localAddress),
      isPrivate
    }
  }

  get answered() {
    return this.response.headersSent ? this.response.statusCode : undefined
  }

  get isGone() {
    return this.response.destroyed || this.message.socket.destroyed
  }

  get takesChunks() {
    return this.message.httpVersion !== '1.0'
  }

  drop() {
    this.response.destroy()
  }

  goOn() {
    if (this.message.headers.expect !== undefined) this.response.writeContinue()
  }

  soon() {
    sendThisTurn()
  }

  whenOver(callback: () => void) {
    return whenOver(this.response, callback)
  }
}

const noClient = 'its client has gone'

class NodeBody implements RequestBody {
  constructor(private readonly message: ParsedMessage) {}

  get isExpected() {
    const { headers } = this.message
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  }

  get isComplete() {
    return this.message.complete
  }

  get parsed() {
    const { message } = this
    if (!message.readableEnded || !('body' in message) || this.bytes) return undefined
    const files = [message.file ?? [], Object.values(message.files ?? [])].flat(2)
    // multer has written them to the disk.
    if (!files.every(({ buffer }) => buffer)) return undefined
    // Some parsers turn an empty body into an object.
    return { value: this.isExpected ? message.body : undefined, files }
  }

  /** The bytes of a body that a parser has read, but not parsed. A text from JSON has lost its quotes. */
  private get bytes(): Buffer | undefined {
    const { readableEnded, headers, body } = this.message
    const isWhole = typeof body === 'string' && !(Buffer.byteLength(body) < Number(headers['content-length']))
    return readableEnded && this.isExpected && (isWhole || Buffer.isBuffer(body))
      ? Buffer.from(body as string)
      : undefined
  }

  read({ data, end, fail }: BodyListener): void {
    const { message, bytes } = this
    if (bytes) {
      new ReadBody(bytes).read({ data, end, fail })
      return
    }
    const why =
      message.destroyed && !message.readableEnded
        ? noClient
        : !message.readable || message.readableEncoding !== null
          ? 'another part of the app has read it'
          : undefined
    if (why) {
      fail(why)
      return
    }
    message.on('data', data)
    message.once('end', end)
    message.once('close', () => {
      if (!message.readableEnded) fail(noClient)
    })
  }

  peek(most: number): Promise<Buffer> | undefined {
    const { message, bytes } = this
    if (bytes) return Promise.resolve(bytes)
    if (!message.readable || message.readableFlowing || message.readableEncoding !== null) return undefined
    return new Promise((resolve) => {
      const chunks: Buffer[] = []
      let size = 0
      const end = () => {
        message.off('readable', take).off('close', end)
        // A stream takes data back until it has announced its end.
        if (size > 0) message.unshift(Buffer.concat(chunks))
        resolve(Buffer.concat(chunks))
      }
      const take = guarded(end, () => {
        while (message.readableLength > 0) {
          const chunk = message.read() as Buffer
          chunks.push(chunk)
          size += chunk.length
        }
        if (message.complete || size > most) end()
      })
      message.once('close', end)
      take()
      if (!message.complete && size <= most) message.on('readable', take)
    })
  }

  pause() {
    this.message.pause()
  }

  resume() {
    this.message.resume()
  }
}

/** A request whose body other parts of an app may have read. */
type ParsedMessage = IncomingMessage & {
  body?: unknown
  file?: FormFile
  files?: FormFile[] | Record<string, FormFile[]>
}

/** Whether a connection uses a Unix socket. Such a client is on this machine and is not a page in a browser. */
function isUnixSocket(socket: Socket): boolean {
  const { server } = socket as Socket & { server?: Server }
  // A closed TCP connection has no address either, so check the server's.
  return typeof server?.address() === 'string'
}

/** The callbacks of each connection, so that one listener serves all of its requests. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls back once, when a request has its answer or its connection is closed. A pipelined answer that waits for earlier ones
 * gets no such event from node. Returns a function that stops waiting.
 */
export function whenOver(response: ServerResponse, callback: () => void): () => void {
  const { socket } = response.req
  let isOver = false
  const stop = () => {
    isOver = true
    response.off('close', over)
    waitingOn(socket).delete(over)
  }
  const over = onSocket(socket, () => {
    if (isOver) return
    stop()
    callback()
  })
  // Many parts may wait for one answer, which node would take for a leak.
  response.setMaxListeners(0).once('close', over)
  waitingOn(socket).add(over)
  if (socket.destroyed) void Promise.resolve().then(over)
  return stop
}

function waitingOn(socket: Socket): Set<() => void> {
  return inMap(waiting, socket, () => {
    const all = new Set<() => void>()
    const close = onSocket(socket, () => {
      for (const over of [...all]) over()
    })
    socket.once('close', close)
    return all
  })
}

export type Handler = (message: IncomingMessage, response: ServerResponse, leave?: Request['leave']) => void

/** Handles requests of node and Express. An error outside an answer ends the connection, not the process. */
export function createHandler(serve: Serve, report: (text: string) => void): Handler {
  return (message, response, leave) => {
    hush(message, response)
    const fail = (error: Error) => {
      response.destroy()
      report(error.stack ?? error.message)
    }
    const { upgrade, connection = '' } = message.headers
    if (upgrade !== undefined && /\bupgrade\b/i.test(connection)) makeLast(message, response)
    const request = new NodeRequest(message, response, leave)
    contain(fail, () => {
      const outcome = serve(request)
      if (outcome instanceof Promise) return outcome.then((it) => send(request, it))
      send(request, outcome as Outcome)
    })
  }
}

/** Whether the connection has had its last answer. Then the rest is read and ignored. Call it once, when a request arrives. */
export function isTooLate(message: IncomingMessage): boolean {
  const isLate = isGivenUp(message.socket)
  if (isLate) message.resume()
  return isLate
}

/**
 * Makes this request the last on its connection. Node drops what follows a request for another protocol in the same packet.
 * Later data would then be read from the middle, and a body mistaken for a request.
 */
function makeLast(message: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false
  const giveUpNow = () => giveUp(message.socket)
  // A missing body is reported in time only as long as the connection is not given up.
  if (hasUnreadBody(message)) message.once('end', giveUpNow)
  else void Promise.resolve().then(giveUpNow)
}
