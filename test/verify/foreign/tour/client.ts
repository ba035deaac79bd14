/** A request of the tour, and whose it is. */
export interface Asked {
  method: string
  path: string
  body?: unknown
  /** Sent as it is. */
  raw?: string
  form?: Record<string, string | File | File[]>
  headers?: Record<string, string>
  token?: string
}

const shown = [
  'content-type',
  'connection',
  'content-encoding',
  'transfer-encoding',
  'etag',
  'allow',
  'location',
  'retry-after'
]
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Another answer than expected. */
export class Different {
  constructor(
    readonly expected: string,
    readonly seen: string
  ) {}
}

/** Asks a service, and keeps what it answered in a form that two services can be compared by. */
export class Tourist {
  readonly seen: string[] = []
  private isTogether = false
  private readonly names = new Map<string, string>()

  /** Stops where what is seen differs from `expected`. */
  constructor(
    private readonly url: string,
    private readonly expected?: readonly string[]
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
  async ask(asked: Asked): Promise<any> {
    const reply = await fetch(this.url + asked.path, {
      method: asked.method,
      redirect: 'manual',
      headers: { ...headersOf(asked), ...asked.headers },
      body: bodyOf(asked)
    })
    const text = await reply.text()
    const headers = shown.map((name) => `${name}=${reply.headers.get(name) ?? ''}`).join(' ')
    this.see(`${asked.method} ${this.named(asked.path)} ${reply.status} ${headers} ${this.named(text)}`)
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }

  see(line: string): void {
    this.seen.push(line)
    if (!this.isTogether) this.compare(this.seen.length - 1)
  }

  private compare(from: number): void {
    if (!this.expected) return
    const place = this.seen.findIndex((it, n) => n >= from && it !== this.expected?.[n])
    if (place >= 0) throw new Different(this.expected[place] ?? '', this.seen[place] as string)
  }

  /** Asks at the same time. */
  async together(...asked: Asked[]): Promise<unknown[]> {
    const { length } = this.seen
    this.isTogether = true
    const replies = await Promise.all(asked.map((it) => this.ask(it)))
    this.isTogether = false
    this.seen.push(...this.seen.splice(length).sort())
    this.compare(length)
    return replies
  }

  /** A text without what differs by chance: ids are named in their order, and times keep their form. */
  private named(text: string): string {
    return text
      .replace(uuid, (id) => {
        const known = this.names.get(id.toLowerCase()) ?? `uuid-${this.names.size}`
        this.names.set(id.toLowerCase(), known)
        return id === id.toLowerCase() ? known : known.toUpperCase()
      })
      .replace(/"20[23][1-9]-[\d:.T-]+/g, (time) => time.replace(/\d/g, '0'))
  }
}

function headersOf({ token = 'tok-ada', body, raw }: Asked): Record<string, string> {
  const type: Record<string, string> =
    body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }
  return token === '' ? type : { ...type, authorization: `Bearer ${token}` }
}

function bodyOf({ body, raw, form }: Asked): RequestInit['body'] {
  if (!form) return raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const data = new FormData()
  for (const [name, values] of Object.entries(form)) {
    for (const value of [values].flat()) data.append(name, value)
  }
  return data
}
