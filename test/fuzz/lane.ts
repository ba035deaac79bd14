import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { Replies, type Reply } from './replies.js'

interface Sent {
  method: string
  bytes: Buffer
  resolve(reply: Reply): void
  reject(error: Error): void
  /** The ends of the connections on which it got no answer. */
  ends: string[]
}

/** The number of requests in progress on one connection. */
const depth = 8

/**
 * A persistent connection, with requests in a pipeline. Where the server ends it with an answer, those after it were
 * not requests (RFC 9112, 9.3.2), and are sent again on the next one.
 */
export class Lane {
  private readonly waiting: Sent[] = []
  private inFlight: Sent[] = []
  private socket: Socket | undefined

  constructor(private readonly url: string) {}

  send(method: string, bytes: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ method, bytes, resolve, reject, ends: [] })
      this.write()
    })
  }

  close(): void {
    this.socket?.destroy()
  }

  private write(): void {
    this.socket ??= this.open()
    const batch: Buffer[] = []
    while (this.waiting.length > 0 && this.inFlight.length < depth) {
      const sent = this.waiting.shift() as Sent
      this.inFlight.push(sent)
      batch.push(sent.bytes)
    }
    if (batch.length > 0) this.socket.write(Buffer.concat(batch))
  }

  private open(): Socket {
    const { hostname, port } = new URL(this.url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let answers = 0
    let heard = performance.now()
    const replies = new Replies(
      () => this.inFlight[0]?.method ?? 'GET',
      (reply) => {
        if (socket !== this.socket) return
        answers += 1
        this.inFlight.shift()?.resolve(reply)
        if (reply.isLast) this.abandon(socket)
        else this.write()
      }
    )
    socket.on('data', (chunk) => {
      heard = performance.now()
      try {
        replies.read(chunk)
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
    let failure = 'the server ended the connection'
    socket.on('error', (error) => {
      failure = error.message
    })
    socket.on('close', () => {
      if (socket !== this.socket) return
      const first = this.inFlight[0]
      if (first) {
        const silence = Math.round(performance.now() - heard)
        first.ends.push(
          `${failure} after ${answers} answers, ${replies.begun} bytes of this one and ${silence} ms of silence`
        )
      }
      // The first one is at fault; a second try distinguishes a race with the end of an idle connection.
      if (first && first.ends.length > 1) this.inFlight.shift()?.reject(new Error(first.ends.join('; ')))
      this.abandon(socket)
    })
    return socket
  }

  private abandon(socket: Socket): void {
    this.socket = undefined
    socket.end()
    socket.setTimeout(2000, () => socket.destroy())
    this.waiting.unshift(...this.inFlight)
    this.inFlight = []
    if (this.waiting.length > 0) this.write()
  }
}
