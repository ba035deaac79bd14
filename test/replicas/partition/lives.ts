/** Sends a request of the control API, or of the platform, in a sandbox. */
type Ask = (method: string, path: string, sandbox: string, body?: object) => Promise<[number, string]>

/** A sandbox that exists, with rows that its answers have shown. */
interface Origin {
  name: string
  rows: readonly string[]
}

/** Sandboxes that clients create, fork, read, list and drop. Each answer must be true of its moment. */
export class Lives {
  private count = 0
  /** Those that were made, and are not being dropped. */
  private readonly there = new Set<string>()
  /** Those whose end was answered. */
  private readonly gone = new Set<string>()

  constructor(
    private readonly fault: (text: string) => void,
    private readonly namesIn: (text: string) => string[]
  ) {}

  /** The life of one sandbox. Every second one is a fork, if there is an origin. */
  async one(ask: Ask, origin: Origin | undefined): Promise<void> {
    this.count += 1
    const name = `life-${this.count}`
    const from = this.count % 2 === 0 ? origin : undefined
    const caller = ['default', origin?.name ?? 'default', name][this.count % 3] as string
    const path = `/__mock/sandboxes/${name}`
    const expects = async (status: number, method: string, path: string, body?: object): Promise<string> => {
      const [found, text] = await ask(method, path, path.startsWith('/api/') ? name : caller, body)
      if (found !== status) this.fault(`${method} ${path} ${JSON.stringify(body) ?? ''}: ${found} ${text}`)
      return found === status ? text : ''
    }
    const made = { name, ...(from && { from: from.name }) }
    if ((await expects(201, 'POST', '/__mock/sandboxes', made)) === '') return
    this.there.add(name)
    const rows = await expects(200, 'GET', '/api/chat/get-user-chat-sessions')
    const missing = (from?.rows ?? []).filter((it) => rows !== '' && !this.namesIn(rows).includes(it))
    if (missing.length > 0) this.fault(`${name} was forked from ${from?.name} without ${missing}`)
    await expects(409, 'POST', '/__mock/sandboxes', made)
    await this.list(ask, caller)
    await expects(200, 'GET', path)
    this.there.delete(name)
    if ((await expects(200, 'DELETE', path)) === '') return
    this.gone.add(name)
    await expects(404, 'GET', path)
    await expects(404, 'DELETE', path)
    await expects(404, 'POST', '/__mock/sandboxes', { name: `${name}-copy`, from: name })
    await this.list(ask, caller)
  }

  private async list(ask: Ask, caller: string): Promise<void> {
    const [there, gone] = [[...this.there], [...this.gone]]
    const [status, text] = await ask('GET', '/__mock/sandboxes', caller)
    if (status !== 200) return this.fault(`GET /__mock/sandboxes: ${status} ${text}`)
    const { sandboxes, asleep, silent } = JSON.parse(text)
    const names: string[] = [...sandboxes, ...asleep.sandboxes].map((it) => it.name)
    const listed = new Set(names)
    if (silent.length > 0) this.fault(`the list is without ${JSON.stringify(silent)}`)
    if (listed.size < names.length)
      this.fault(`listed twice: ${names.filter((it, at) => names.indexOf(it) !== at)} in ${text}`)
    for (const it of there) if (this.there.has(it) && !listed.has(it)) this.fault(`${it} is there and is not listed`)
    for (const it of gone) if (listed.has(it)) this.fault(`${it} was dropped and is listed`)
  }
}
