export interface Reply {
  status: number
  /** Whether the server ends the connection with it. */
  isLast: boolean
  body: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')

/** Cuts the bytes of a connection into replies. */
export class Replies {
  private rest: Buffer = Buffer.alloc(0)
  /** A reply without a length lasts until the connection ends. */
  private isEndless = false

  /** `method`: that of the request for the next reply. */
  constructor(
    private readonly method: () => string,
    private readonly onReply: (reply: Reply) => void
  ) {}

  /** Bytes of a reply that has begun and not ended. */
  get begun(): number {
    return this.rest.length
  }

  read(chunk: Buffer): void {
    if (this.isEndless) return
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    for (;;) {
      const end = this.rest.indexOf(headEnd)
      if (end < 0) return
      const head = this.rest.toString('latin1', 0, end)
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
      if (!(status >= 100)) throw new Error(`no reply: ${head.slice(0, 200)}`)
      const hasBody = this.method() !== 'HEAD' && status >= 200 && status !== 204 && status !== 304
      const given = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
      const isChunked = hasBody && /\r\ntransfer-encoding: *chunked/i.test(head)
      this.isEndless = hasBody && given === undefined && !isChunked
      const start = end + headEnd.length
      const found = isChunked ? unchunked(this.rest, start) : sized(this.rest, start, hasBody ? Number(given ?? 0) : 0)
      if (!found) return
      const { body } = found
      this.rest = this.rest.subarray(found.end)
      if (status >= 200) this.onReply({ status, isLast: /\r\nconnection: *close/i.test(head), body })
      if (this.isEndless || this.rest.length === 0) return
    }
  }
}

interface Found {
  body: Buffer
  end: number
}

/** The body of this length; undefined: not all of it has arrived. */
function sized(bytes: Buffer, start: number, length: number): Found | undefined {
  const end = start + length
  return bytes.length < end ? undefined : { body: bytes.subarray(start, end), end }
}

/** The body of chunks (RFC 9112, section 7.1). The mock sends no trailers. */
function unchunked(bytes: Buffer, start: number): Found | undefined {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (!(size >= 0)) throw new Error('no chunk')
    const end = line + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), end }
    chunks.push(bytes.subarray(line + 2, end - 2))
    at = end
  }
}
