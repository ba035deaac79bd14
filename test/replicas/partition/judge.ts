/** The knowledge of clients about a sandbox, in the order in which they got it. */
export class Judge {
  /** Names that every later read must show. */
  private readonly must: string[] = []
  private readonly known = new Set<string>()
  private readonly asked = new Set<string>()
  /** Names of requests that were certainly not done. */
  private readonly refused = new Set<string>()
  private readonly requests = new Set<string>()
  private latest = ''
  overridden = false
  isAdvanced = false
  readonly faults: string[] = []

  constructor(readonly sandbox: string) {}

  get size(): number {
    return this.must.length
  }

  asks(name: string): void {
    this.asked.add(name)
  }

  done(name: string): void {
    this.learn(name)
  }

  notDone(name: string): void {
    this.refused.add(name)
  }

  /** Begins a read. The returned function judges its answer. */
  reads(): (names: readonly string[]) => void {
    const before = this.must.length
    return (names) => {
      const shown = new Set(names)
      if (shown.size < names.length) this.fault(`doubled: ${names.filter((it, at) => names.indexOf(it) !== at)}`)
      for (let at = 0; at < before; at++) {
        const name = this.must[at] as string
        if (!shown.has(name)) this.fault(`stale or lost: ${name}`)
      }
      for (const name of shown) {
        if (!this.asked.has(name)) this.fault(`never asked for: ${name}`)
        if (this.refused.has(name)) this.fault(`done although refused: ${name}`)
        this.learn(name)
      }
    }
  }

  /** Its clock was moved on. */
  advanced(now: string): void {
    this.isAdvanced = true
    this.latest = now
  }

  readsClock(): (now: string) => void {
    const before = this.latest
    return (now) => {
      if (now < before) this.fault(`the clock went back: from ${before} to ${now}`)
      if (now > this.latest) this.latest = now
    }
  }

  /** The ids of requests that have an answer. */
  answered(id: string | null): void {
    if (id === null) return
    if (this.requests.has(id)) this.fault(`the request id ${id} was given twice`)
    this.requests.add(id)
  }

  fault(text: string): void {
    this.faults.push(`${this.sandbox}: ${text}`)
  }

  private learn(name: string): void {
    if (this.known.has(name)) return
    this.known.add(name)
    this.must.push(name)
  }
}
