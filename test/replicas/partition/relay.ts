import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** Stands between a process and the engine. It can cut connections, hold them up, and swallow answers. */
export class Relay {
  private readonly pairs = new Set<[Socket, Socket]>()
  private server: Server | undefined
  /** Milliseconds that everything takes. */
  delay = 0
  /** Requests arrive, and the connection is cut before their answers. */
  swallows = false

  constructor(
    readonly path: string,
    private readonly engine: string
  ) {}

  async start(): Promise<void> {
    this.server = createServer((from) => {
      const to = connect(this.engine)
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
    await new Promise<void>((resolve) => this.server?.listen(this.path, resolve))
  }

  cut(): void {
    for (const [from, to] of this.pairs) {
      from.destroy()
      to.destroy()
    }
  }

  close(): void {
    this.cut()
    this.server?.close()
  }

  private async pass(bytes: Buffer, to: Socket): Promise<void> {
    if (this.delay > 0) await setTimeout(this.delay)
    if (!to.destroyed) to.write(bytes)
  }
}
