export interface Reply {
  status: number
  /** Whether the server ends the connection with it. */
  isLast: boolean
  body: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')

/** Cuts what comes over a connection into replies. */
export class Replies {
  private rest: Buffer = Buffer.alloc(0)
  /** A reply without a length goes on until the connection ends. */
  private isEndless = false

  /** `method`: of the request that the next reply is for. */
  constructor(
    private readonly method: () => string,
    private readonly onReply: (reply: Reply) => void
  ) {}

  /** Whether a reply has begun and not ended. */
  get isOpen(): boolean {
    return this.rest.length > 0
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
      this.isEndless = hasBody && given === undefined
      const start = end + headEnd.length
      const length = hasBody ? Number(given ?? 0) : 0
      if (this.rest.length < start + length) return
      const body = this.rest.subarray(start, start + length)
      this.rest = this.rest.subarray(start + length)
      if (status >= 200) this.onReply({ status, isLast: /\r\nconnection: *close/i.test(head), body })
      if (this.isEndless || this.rest.length === 0) return
    }
  }
}
