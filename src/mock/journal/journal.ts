import type { JournalEntry } from '../../contract/types.gen.js'
import { type Happened, pack, type Recorded, type Texts, unpack, unpackEntry } from './recorded.js'
import { type Place, TextLog } from './text-log.js'

export interface JournalLimits {
  entries: number
  /** The newest exchange is kept in any case. */
  bytes: number
}

/** So many ids are reserved at once. */
const block = 200

/** What is told to those who listen to a journal. */
export type JournalEvent = { type: 'exchange' | 'cleared' | 'dropped' | 'closed' }

/** An exchange as it is kept. */
interface Kept extends Pick<Happened, 'choices' | 'redaction'> {
  place: Place
  /** See `once`. */
  found: { by: object; value: unknown } | undefined
}

/** The last exchanges of a sandbox: a ring bounded by count and by bytes, so that a long day costs no memory. */
export class Journal {
  private ring: (Kept | undefined)[] = []
  private texts = new TextLog()
  private readonly listeners = new Set<(event: JournalEvent) => void>()
  /** The numbers of the oldest that is kept and of the next. */
  private first: number
  private next: number
  private bytes = 0
  /** Ids up to this number are never given again after a restart. */
  reserved = 0

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

  /** Whether it is time to reserve more ids: some are left. */
  get isShort(): boolean {
    return this.reserved - this.next < block / 2
  }

  /** Reserves a block of ids, so that not each needs a write. */
  reserve(): void {
    this.reserved = this.next + block
  }

  /** Goes on after this id. */
  startAt(position: number): void {
    this.forgetAll(position)
    this.reserved = position
  }

  /** How many of them came before the oldest that is kept. */
  get forgotten(): number {
    return this.first
  }

  get size(): number {
    return this.next - this.first
  }

  /** How many bytes they take. */
  get weight(): number {
    return this.bytes
  }

  /** The id of the next entry. */
  nextId(): string {
    return `r${this.next + 1}`
  }

  add(happened: Happened): void {
    const { choices, redaction } = happened
    const place = this.texts.put(pack(happened))
    const { entries, bytes } = this.limits
    while (this.size > 0 && (this.size === entries || this.bytes + place.size > bytes)) this.forgetOldest()
    this.ring[this.next % entries] = { place, choices, redaction, found: undefined }
    this.next += 1
    this.bytes += place.size
    this.tell('exchange')
  }

  /** Adds an exchange that goes on. What is returned puts all of it in its place, while it is kept. */
  addOpen(begun: Happened): (ended: Happened) => void {
    const position = this.next
    this.add(begun)
    const kept = this.at(position)
    return (ended) => {
      if (!kept || this.at(position) !== kept) return
      this.texts.release(kept.place)
      this.bytes -= kept.place.size
      kept.place = this.texts.put(pack(ended))
      this.bytes += kept.place.size
      while (this.size > 1 && this.bytes > this.limits.bytes) this.forgetOldest()
    }
  }

  /** Newest first. What is forgotten while they are walked is left out. */
  *entries(): IterableIterator<JournalEntry> {
    const { texts } = this
    for (let at = this.next - 1; at >= this.first && texts === this.texts; at--) {
      const entry = this.entryAt(at)
      if (entry) yield entry
    }
  }

  /** What is found out about an exchange, the first time that something asks; forgotten with it. */
  once<T>(id: string, by: object, find: () => T): T {
    const kept = this.at((numberOf(id) ?? 0) - 1)
    if (kept?.found?.by === by) return kept.found.value as T
    const value = find()
    if (kept) kept.found = { by, value }
    return value
  }

  find(id: string): Recorded | undefined {
    const number = numberOf(id)
    const kept = number === undefined ? undefined : this.at(number - 1)
    return kept && unpack([0, 1, 2].map((index) => this.texts.read(kept.place, index)) as Texts, kept)
  }

  /** The line of the exchange after so many others, where it is kept. */
  entryAt(position: number): JournalEntry | undefined {
    const kept = this.at(position)
    return kept && unpackEntry(this.texts.read(kept.place, 0))
  }

  /** Forgets all; ids go on. */
  clear(): void {
    this.forgetAll(this.next)
  }

  /** Forgets all and begins again with the first id; who listens goes on. */
  restart(): void {
    this.startAt(0)
  }

  /** Gives what takes it back when all is forgotten from now on. */
  remember(): () => void {
    const { ring, texts, first, next, bytes, reserved } = this
    return () => {
      if (this.ring !== ring) Object.assign(this, { ring, texts, first, next, bytes, reserved })
    }
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

  private at(position: number): Kept | undefined {
    return position >= this.first && position < this.next ? this.ring[position % this.limits.entries] : undefined
  }

  private forgetOldest(): void {
    const at = this.first % this.limits.entries
    const { place } = this.ring[at] as Kept
    this.texts.release(place)
    this.bytes -= place.size
    this.ring[at] = undefined
    this.first += 1
  }

  private forgetAll(next: number): void {
    this.ring = []
    this.texts = new TextLog()
    this.first = next
    this.next = next
    this.bytes = 0
    this.tell('cleared')
  }
}

/** Whether the interface knows no such request; another may be refused before anybody looks at what it asks for. */
export function isUnknown({ operation, refusal, failure }: Unknown): boolean {
  if (refusal !== undefined) return refusal === 'unknown-path' || refusal === 'wrong-method'
  // A service behind a proxy may have answered it all the same.
  return operation === null && failure === undefined
}

type Unknown = Pick<JournalEntry, 'operation' | 'refusal' | 'failure'>

/** The number in an id: 12 of r12. */
export function numberOf(id: string): number | undefined {
  return /^r\d{1,15}$/.test(id) ? Number(id.slice(1)) : undefined
}
