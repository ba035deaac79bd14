import type { Problem } from '../contract/explain.js'
import type { Touches } from '../store/touches.js'

/** One request and its answer, in a line of the journal. */
export interface JournalEntry {
  id: string
  /** When it came, by the sandbox's clock. */
  time: string
  /** The operation's id; null where none matched. */
  operation: string | null
  method: string
  url: string
  /** 0 where the connection was broken instead of an answer. */
  status: number
  duration_ms: number
  /** What broke the contract, each in one sentence. */
  violations: string[]
  /** The assumptions that the response rests on. */
  assumptions: string[]
  /** The override that answered, or `Prefer`. */
  override?: string
  fault?: string
  /** The X-Schemathesis-TestCaseId of the request. */
  test_case?: string
  /** The stack of a failure of the mock itself. */
  failure?: string
}

/** A message as the journal keeps it: secrets are gone, and what is too large is left out. */
export interface Message {
  headers: Record<string, string | number>
  /** JSON, or whatever text it was. */
  text?: string
  /** Why there is no text. */
  omitted?: string
}

/** What is told of one exchange when it is looked at alone. */
export interface Detail {
  /** The caller's key. */
  user: string | null
  request: Message
  response: Message
  /** What was wrong with the request. */
  problems: readonly Problem[]
  /** Where the contract was checked: whether the request came so far, and the reply. */
  checked: { input: boolean; reply: boolean }
  touches: Touches
  /** Milliseconds by step. */
  timing: Record<string, number>
}

export interface Recorded {
  entry: JournalEntry
  detail: Detail
}

export interface JournalLimits {
  entries: number
  /** Of the texts that are kept. */
  bytes: number
}

/** What an entry and a problem take beside texts, about. */
const overhead = 1000
const problemSize = 300

/** The last exchanges of a sandbox: a ring bounded by count and by bytes, so that a long day costs no memory. */
export class Journal {
  private readonly ring: (Recorded | undefined)[] = []
  private readonly listeners = new Set<(recorded: Recorded) => void>()
  /** The numbers of the oldest that is kept and of the next. */
  private first: number
  private next: number
  private bytes = 0

  /** `position`: how many exchanges came before the first of this journal. */
  constructor(
    private readonly limits: JournalLimits,
    position = 0
  ) {
    this.first = position
    this.next = position
  }

  /** How many exchanges there were, those that are not kept any more with them. */
  get position(): number {
    return this.next
  }

  get size(): number {
    return this.next - this.first
  }

  /** The id of the next entry. */
  nextId(): string {
    return `r${this.next + 1}`
  }

  add(recorded: Recorded): void {
    const size = sizeOf(recorded)
    while (this.size > 0 && (this.size === this.limits.entries || this.bytes + size > this.limits.bytes)) {
      this.forgetOldest()
    }
    this.ring[this.next % this.limits.entries] = recorded
    this.next += 1
    this.bytes += size
    for (const listener of this.listeners) listener(recorded)
  }

  /** Newest first. */
  *entries(): IterableIterator<Recorded> {
    for (let at = this.next - 1; at >= this.first; at--) yield this.ring[at % this.limits.entries] as Recorded
  }

  find(id: string): Recorded | undefined {
    const at = /^r\d+$/.test(id) ? Number(id.slice(1)) - 1 : -1
    return at >= this.first && at < this.next ? this.ring[at % this.limits.entries] : undefined
  }

  /** Forgets all; ids go on. */
  clear(): void {
    this.ring.length = 0
    this.first = this.next
    this.bytes = 0
  }

  /** Forgets all and begins again with the first id; who listens goes on. */
  restart(): void {
    this.next = 0
    this.clear()
  }

  /** Calls `listener` for every exchange from now on; returns what ends that. */
  listen(listener: (recorded: Recorded) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private forgetOldest(): void {
    const at = this.first % this.limits.entries
    this.bytes -= sizeOf(this.ring[at] as Recorded)
    this.ring[at] = undefined
    this.first += 1
  }
}

function sizeOf({ entry, detail: { request, response, problems } }: Recorded): number {
  const texts = entry.url.length + (request.text?.length ?? 0) + (response.text?.length ?? 0)
  const sentences = problems.length * problemSize + lengthOf(entry.violations)
  return overhead + texts + sentences + lengthOf(Object.values(request.headers))
}

function lengthOf(values: (string | number)[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0)
}
