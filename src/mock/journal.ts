/** One request and its answer, as the journal keeps it. */
export interface Exchange {
  id: string
  /** When it came, by the sandbox's clock. */
  time: string
  /** The operation's id; null where none matched. */
  operation: string | null
  method: string
  url: string
  status: number
  duration_ms: number
  /** What broke the contract, each in one sentence. */
  violations: string[]
  /** The assumptions that the response rests on. */
  assumptions: string[]
  /** The stack of a failure of the mock itself. */
  failure?: string
}

const capacity = 1000

/** The last exchanges of a sandbox: a ring, so that a long day costs no memory. */
export class Journal {
  private readonly ring: Exchange[] = []
  private count = 0

  /** The id of the next entry. */
  nextId(): string {
    return `r${this.count + 1}`
  }

  add(exchange: Exchange): void {
    this.ring[this.count % capacity] = exchange
    this.count += 1
  }

  /** Newest first. */
  *entries(): IterableIterator<Exchange> {
    for (let at = this.count - 1; at >= Math.max(0, this.count - capacity); at--) {
      yield this.ring[at % capacity] as Exchange
    }
  }
}
