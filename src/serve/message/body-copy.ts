import { again, type BodyListener, type Request, type RequestBody, WithBody } from './message.js'

/** The largest body that is kept for a second try. */
const most = 1024 * 1024

/** Keeps a copy of a request's body while it is read, so that the request can be answered again. */
export class BodyCopy implements RequestBody {
  /** The request, with a body that is copied. */
  readonly request: Request
  private state: 'unread' | 'reading' | 'whole' = 'unread'
  private chunks: Uint8Array[] = []
  private size = 0

  constructor(readonly given: Request) {
    this.request = given.body.isExpected ? new WithBody(given, this) : given
  }

  /** The request for a second try. Undefined if its body was read, and was too large or has not come to its end. */
  again(): Request | undefined {
    if (this.state === 'unread') return this.request
    return this.state === 'whole' && this.size <= most ? again(this.given, Buffer.concat(this.chunks)) : undefined
  }

  get isExpected() {
    return this.given.body.isExpected
  }

  get isComplete() {
    return this.given.body.isComplete
  }

  get parsed() {
    return this.given.body.parsed
  }

  read({ data, end, fail }: BodyListener): void {
    const isFirst = this.state === 'unread'
    if (isFirst) this.state = 'reading'
    this.given.body.read({
      data: (chunk) => {
        if (isFirst) this.add(chunk)
        data(chunk)
      },
      end: () => {
        this.state = 'whole'
        end()
      },
      fail
    })
  }

  pause() {
    this.given.body.pause()
  }

  resume() {
    this.given.body.resume()
  }

  private add(chunk: Uint8Array): void {
    this.size += chunk.length
    if (this.size <= most) this.chunks.push(chunk)
    else this.chunks = []
  }
}
