import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isLoopback } from '../../serve/message/host.js'
import type { BodyListener, Peer, Request, RequestBody } from '../../serve/message/message.js'
import { whenOver } from './over.js'
import { sendThisTurn } from './send.js'

/** A request of node or Express. Its properties are read from node only when a step needs them. */
export class NodeRequest implements Request {
  private ownBody: NodeBody | undefined

  constructor(
    readonly message: IncomingMessage,
    readonly response: ServerResponse
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

const gone = 'its client has gone'

class NodeBody implements RequestBody {
  constructor(private readonly message: IncomingMessage) {}

  get isExpected() {
    const { headers } = this.message
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  }

  get isComplete() {
    return this.message.complete
  }

  get parsed() {
    const { message } = this
    return message.readableEnded && 'body' in message ? { value: message.body } : undefined
  }

  read({ data, end, fail }: BodyListener): void {
    const { message } = this
    const why =
      message.destroyed && !message.readableEnded
        ? gone
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
      if (!message.readableEnded) fail(gone)
    })
  }

  pause() {
    this.message.pause()
  }

  resume() {
    this.message.resume()
  }
}

/** Whether a connection uses a Unix socket. Such a client is on this machine and is not a page in a browser. */
function isUnixSocket(socket: Socket): boolean {
  const { server } = socket as Socket & { server?: Server }
  // A TCP connection that has gone has no address either, so look at the server's.
  return typeof server?.address() === 'string'
}
