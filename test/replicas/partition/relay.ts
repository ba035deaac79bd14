import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** Stands between a process and what it talks to. It can cut connections, hold them up, and swallow answers. */
export class Relay {
  private readonly pairs = new Set<[Socket, Socket]>()
  private readonly server: Server
  /** Milliseconds that everything takes. */
  delay = 0
  /** Requests arrive, and the connection is cut before their answers. */
  swallows = false

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
      from.on('data', (bytes) => void this.pass(bytes, to))
      to.on('data', (bytes) => {
        if (this.swallows) end()
        else void this.pass(bytes, from)
      })
    })
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

  private async pass(bytes: Buffer, to: Socket): Promise<void> {
    if (this.delay > 0) await setTimeout(this.delay)
    if (!to.destroyed) to.write(bytes)
  }
}
