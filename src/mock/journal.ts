import type { Problem } from '../contract/explain.js'
import type { Choices } from '../contract/load.js'

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
  /** Why it was refused, by the name of the refusal in the contract. */
  refusal?: string
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
  /** In its place, the JSON without its secrets. */
  value?: unknown
  /** How many characters the text had. */
  length: number
  /** Why nothing of it is kept. */
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
  /** Where the contract was checked: whether the request came so far, and what the reply broke. */
  checked: { input: boolean; reply: readonly string[] | undefined }
  /** The choices that were in force. */
  choices: Choices
  /** The rows that were read and written, collections and ids in turn; the first ones of many. */
  reads: readonly (string | number)[]
  writes: readonly (string | number)[]
  /** Milliseconds by step. */
  timing: Timing
}

/** The steps of an exchange, and the milliseconds that each took. */
export interface Timing {
  steps: string[]
  took: number[]
}

export interface Recorded {
  entry: JournalEntry
  detail: Detail
}

export interface JournalLimits {
  entries: number
  /** Of the messages that are kept; the newest exchange is kept in any case. */
  bytes: number
}

/** What is told to those who listen to a journal. */
export type JournalEvent = { type: 'exchange' | 'cleared' | 'dropped' | 'closed' }

/** The last exchanges of a sandbox: a ring bounded by count and by bytes, so that a long day costs no memory. */
export class Journal {
  private readonly ring: (Recorded | undefined)[] = []
  private readonly listeners = new Set<(event: JournalEvent) => void>()
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

  /** How many of them came before the oldest that is kept. */
  get forgotten(): number {
    return this.first
  }

  get size(): number {
    return this.next - this.first
  }

  /** How many bytes they take, about. */
  get weight(): number {
    return this.bytes
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
    this.tell('exchange')
  }

  /** Newest first. */
  *entries(): IterableIterator<Recorded> {
    for (let at = this.next - 1; at >= this.first; at--) yield this.ring[at % this.limits.entries] as Recorded
  }

  find(id: string): Recorded | undefined {
    const number = numberOf(id)
    return number === undefined ? undefined : this.at(number - 1)
  }

  /** The exchange after so many others, where it is kept. */
  at(position: number): Recorded | undefined {
    return position >= this.first && position < this.next ? this.ring[position % this.limits.entries] : undefined
  }

  /** Forgets all; ids go on. */
  clear(): void {
    this.forgetAll(this.next)
  }

  /** Forgets all and begins again with the first id; who listens goes on. */
  restart(): void {
    this.forgetAll(0)
  }

  /** Tells those who listen that nothing comes any more: the sandbox is gone, or the mock is. */
  end(type: 'dropped' | 'closed'): void {
    this.tell(type)
    this.listeners.clear()
  }

  /** Calls `listener` from now on; returns what ends that. */
  listen(listener: (event: JournalEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private tell(type: JournalEvent['type']): void {
    for (const listener of this.listeners) listener({ type })
  }

  private forgetOldest(): void {
    const at = this.first % this.limits.entries
    this.bytes -= sizeOf(this.ring[at] as Recorded)
    this.ring[at] = undefined
    this.first += 1
  }

  private forgetAll(next: number): void {
    this.ring.length = 0
    this.first = next
    this.next = next
    this.bytes = 0
    this.tell('cleared')
  }
}

/** Whether the interface knows no such request; another may be refused before anybody looks at what it asks for. */
export function isUnknown({ refusal }: Pick<JournalEntry, 'refusal'>): boolean {
  return refusal === 'unknown-path' || refusal === 'wrong-method'
}

/** The number in an id: 12 of r12. */
export function numberOf(id: string): number | undefined {
  return /^r\d{1,15}$/.test(id) ? Number(id.slice(1)) : undefined
}

/** What an entry takes beside its messages, about. */
const overhead = 500
/** JavaScript keeps a text of which one character needs it in two bytes a character. */
const bytesPerCharacter = 2
/** A problem repeats what was sent: so much more its value takes than its text. */
const problemsFactor = 4

function sizeOf({ entry: { url }, detail: { request, response, problems } }: Recorded): number {
  const sent = request.omitted === undefined ? request.length : 0
  const answered = response.omitted === undefined ? response.length : 0
  const repeated = problems.length > 0 ? problemsFactor * sent : 0
  return overhead + bytesPerCharacter * (url.length + headersLength(request) + sent + answered + repeated)
}

function headersLength({ headers }: Message): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name]).length
  return length
}
