import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'

export interface WireReply {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

/** A connection that is written byte by byte. A missing answer ends it after five minutes. */
export class Wire {
  /** What was received and not yet read. The pieces are joined when they are looked into. */
  private pieces: Buffer[] = []
  private size = 0
  private isClosed = false
  private failure: Error | undefined
  private wake: () => void = () => {}

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.pieces.push(chunk)
      this.size += chunk.length
      this.wake()
    })
    socket.on('error', (error) => {
      this.failure = error
    })
    socket.on('close', () => {
      this.isClosed = true
      this.wake()
    })
  }

  static open(url: string): Wire {
    const { hostname, port } = new URL(url)
    const signal = AbortSignal.timeout(300_000)
    return new Wire(connect({ host: hostname, port: Number(port), signal } as TcpNetConnectOpts))
  }

  /** Resolves when the bytes are handed over; to false, if the other end is gone. */
  send(data: string | Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.socket.write(data, (error) => resolve(!error)))
  }

  /** Stops reading. */
  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  /** The next reply. */
  async reply({ hasBody = true } = {}): Promise<WireReply> {
    const end = await this.until(() => this.received.indexOf('\r\n\r\n'))
    const [first, ...lines] = this.received.toString('latin1', 0, end).split('\r\n') as [string, ...string[]]
    const headers = Object.fromEntries(lines.map((line) => split(line)))
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
    const start = end + 4
    await this.until(() => (this.size >= start + length ? 0 : -1))
    const text = this.received.toString('utf8', start, start + length)
    this.skip(start + length)
    const isJson = headers['content-type']?.includes('json') && text !== ''
    return { status: Number(first.split(' ')[1]), headers, body: isJson ? JSON.parse(text) : text }
  }

  /** Everything that was received, up to the end of an expected text. */
  async text(end: string): Promise<string> {
    const at = await this.until(() => this.received.indexOf(end))
    const text = this.received.toString('latin1', 0, at + end.length)
    this.skip(at + end.length)
    return text
  }

  /** Resolves when the other side has closed. */
  async closed(): Promise<void> {
    await this.until(() => (this.isClosed ? 0 : -1))
  }

  end(): void {
    this.socket.end()
  }

  /** Breaks the connection off. */
  destroy(): void {
    this.socket.resetAndDestroy()
  }

  private get received(): Buffer {
    if (this.pieces.length !== 1) this.pieces = [Buffer.concat(this.pieces)]
    return this.pieces[0] as Buffer
  }

  private skip(count: number): void {
    this.pieces = [this.received.subarray(count)]
    this.size -= count
  }

  private async until(found: () => number): Promise<number> {
    for (;;) {
      const at = found()
      if (at >= 0) return at
      if (this.isClosed) throw new Error(`closed after ${this.received}: ${this.failure?.message ?? 'by the server'}`)
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }
}

function split(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

/** One reply to one message, on its own connection. */
export async function ask(url: string, data: string | Uint8Array, options?: { hasBody?: boolean }): Promise<WireReply> {
  const wire = Wire.open(url)
  try {
    void wire.send(data)
    return await wire.reply(options)
  } finally {
    wire.destroy()
  }
}

/** A request as it goes over the wire: the administrator's, with a length where it has a body that is not in chunks. */
export function message(start: string, headers: Record<string, string | undefined> = {}, body?: string): string {
  const isMeasured = body !== undefined && !('Transfer-Encoding' in headers)
  const length = isMeasured ? String(Buffer.byteLength(body)) : undefined
  const all = { Host: 'localhost', Authorization: 'Bearer admin', 'Content-Length': length, ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
  const version = / HTTP\/1\.\d$/.test(start) ? '' : ' HTTP/1.1'
  return `${start}${version}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body ?? ''}`
}
