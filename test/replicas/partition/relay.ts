import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** A proxy between a process and its peers. It can cut connections, hold them up, and swallow answers. */
export class Relay {
  private readonly pairs = new Set<[Socket, Socket]>()
  private readonly server: Server
  /** Milliseconds that everything takes. */
  delay = 0
  /** Requests arrive, and the connection is cut before their answers. */
  swallows: boolean | ((bytes: Buffer) => boolean) = false
  /** Bytes are lost, and the connections stay open. */
  isSilent = false

  constructor(
    /** A Unix socket, or 0 for a free port. */
    readonly path: string | 0,
    /** A Unix socket, or the number of a port. */
    target: string | (() => number)
  ) {
    this.server = createServer((from) => {
      const to = typeof target === 'string' ? connect(target) : connect(target(), '127.0.0.1')
      const pair: [Socket, Socket] = [from, to]
      this.pairs.add(pair)
      const end = () => {
        this.pairs.delete(pair)
        from.destroy()
        to.destroy()
      }
      for (const it of pair) it.on('error', end).on('close', end)
      const [there, back] = [this.passage(to), this.passage(from)]
      from.on('data', there)
      to.on('data', (bytes) => {
        const { swallows } = this
        if (this.isSilent) return
        if (typeof swallows === 'function' ? swallows(bytes) : swallows) end()
        else back(bytes)
      })
    })
  }

  get connections(): number {
    return this.pairs.size
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      const { server, path } = this
      if (path === 0) server.listen(0, '127.0.0.1', resolve)
      else server.listen(path, resolve)
    })
  }

  cut(): void {
    for (const [from, to] of this.pairs) {
      from.destroy()
      to.destroy()
    }
  }

  close(): void {
    this.cut()
    this.server.close()
  }

  /** Passes bytes on, in their order. */
  private passage(to: Socket): (bytes: Buffer) => void {
    let before: Promise<void> | undefined
    return (bytes) => {
      if (!before && this.delay === 0) return void to.write(bytes)
      const arrived = Promise.all([before, setTimeout(this.delay)])
      const last: Promise<void> = arrived.then(() => {
        if (!to.destroyed) to.write(bytes)
        if (before === last) before = undefined
      })
      before = last
    }
  }
}
