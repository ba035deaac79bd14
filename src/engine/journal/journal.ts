import { asText } from '../contract/text.js'
import type { JournalEntry, WaitingRequest } from '../contract/types.gen.js'
import {
  type Fault,
  faultIn,
  heldBy,
  type Pointers,
  pack,
  type RawExchange,
  type Recorded,
  type Texts,
  unpack,
  unpackEntry
} from './recorded.js'

export interface JournalLimits {
  entries: number
  /** The newest exchange is kept even if it is larger. */
  bytes: number
}

/** So many exchanges wait to be packed together, unless one is large or somebody reads them. */
const mostWaiting = 32
const large = 16 * 1024

/** The number of ids that are reserved at once. */
export const block = 200

export type JournalEvent =
  | { type: 'exchange' | 'waiting' | 'ended' | 'cleared' | 'dropped' | 'closed' }
  /** A call of the control API that may have changed something. */
  | { type: 'control'; operation: string }

interface StoredExchange extends Pointers, TextBlock {
  /** Bytes, including the rows that it points to. */
  weight: number
  fault: Fault | undefined
  /** See `once`. */
  found: { by: object; value: unknown } | undefined
}

/** How many exchanges are no longer kept, and how many of those were wrong. */
interface Dropped {
  count: number
  violations: number
  refused: number
}

/** The latest exchanges of a sandbox: a ring limited by number and bytes, so that long use needs no more memory. */
export class Journal {
  private ring: (StoredExchange | undefined)[] = []
  /** The newest exchanges, which are not packed yet. */
  private waiting: RawExchange[] = []
  private texts = new TextLog()
  private readonly listeners = new Set<(event: JournalEvent) => void>()
  /** The requests that wait for a delayed answer, oldest first. */
  readonly waits = new Set<WaitingRequest>()
  private waited = 0
  /** The numbers of the oldest exchange and of the next one. */
  private first: number
  private next: number
  /** The exchanges before this one are not shown: the journal was emptied. */
  private hidden = 0
  private bytes = 0
  /** All that were dropped, and those of them that an earlier emptying removed. */
  private gone: Dropped = none
  private emptied: Dropped = none
  private emptiedBefore: Dropped = none
  /** Ids up to this number are never used again after a restart. */
  reserved = 0

  /** `position` is the number of exchanges before the first one of this journal. */
  constructor(
    readonly limits: JournalLimits,
    position = 0
  ) {
    this.first = position
    this.next = position
  }

  /** The number of exchanges so far, including those that were dropped. */
  get position(): number {
    return this.next
  }

  /** Whether more ids should be reserved, while some are still left. */
  get isShort(): boolean {
    return this.reserved - this.next < block / 2
  }

  /** Reserves a block of ids, so that few ids cost a write. */
  reserve(): void {
    this.reserved = this.next + block
  }

  /** Continues after this id. */
  startAt(position: number): void {
    this.forgetAll(position)
    this.reserved = position
  }

  /** The number of exchanges that are no longer shown. */
  get forgotten(): number {
    this.packAll()
    return Math.max(this.first, this.hidden)
  }

  get size(): number {
    return this.next - this.forgotten
  }

  /** The exchanges that were dropped to free space since the journal was last emptied. */
  get dropped(): Dropped {
    this.packAll()
    const { gone, emptied } = this
    return {
      count: gone.count - emptied.count,
      violations: gone.violations - emptied.violations,
      refused: gone.refused - emptied.refused
    }
  }

  get weight(): number {
    this.packAll()
    return this.bytes
  }

  nextId(): string {
    return `r${this.next + 1}`
  }

  add(happened: RawExchange): void {
    this.waiting.push(happened)
    this.next += 1
    const { request, response } = happened
    const isLarge = request.text.length + response.text.length > large
    if (isLarge || this.waiting.length >= Math.min(mostWaiting, this.limits.entries)) this.packAll()
    this.tell({ type: 'exchange' })
  }

  /** Adds a request that waits for a delayed answer. Returns a function that removes it. */
  addWait(request: Omit<WaitingRequest, 'id'>): () => void {
    this.waited += 1
    const wait = { id: `w${this.waited}`, ...request }
    this.waits.add(wait)
    this.tell({ type: 'waiting' })
    return () => {
      this.waits.delete(wait)
      this.tell({ type: 'waiting' })
    }
  }

  private packAll(): void {
    const { waiting } = this
    if (waiting.length === 0) return
    this.waiting = []
    for (const [index, happened] of waiting.entries()) this.store(happened, this.next - waiting.length + index)
  }

  private store(happened: RawExchange, position: number): void {
    const { choices, contract, operation, writes, isDocumented } = happened
    const fault = faultIn(happened.entry)
    const { segment, start, size } = this.texts.put(pack(happened))
    const weight = size + heldBy(writes)
    const { entries, bytes } = this.limits
    while (position > this.first && (position - this.first === entries || this.bytes + weight > bytes))
      this.forgetOldest()
    this.ring[position % entries] = {
      segment,
      start,
      size,
      weight,
      fault,
      choices,
      contract,
      operation,
      writes,
      isDocumented,
      found: undefined
    }
    this.bytes += weight
  }

  /** Adds an exchange whose answer is still being sent. The returned function completes it, if it is still kept. */
  addOpen(begun: RawExchange): (ended: RawExchange) => void {
    const position = this.next
    this.add(begun)
    this.packAll()
    const at = position % this.limits.entries
    const exchange = this.ring[at]
    return (ended) => {
      if (!exchange || this.ring[at] !== exchange) return
      this.texts.release(exchange)
      this.bytes -= exchange.weight
      Object.assign(exchange, this.texts.put(pack(ended)), { fault: faultIn(ended.entry), writes: ended.writes })
      exchange.weight = exchange.size + heldBy(exchange.writes)
      this.bytes += exchange.weight
      while (this.next - this.first > 1 && this.bytes > this.limits.bytes) this.forgetOldest()
      this.tell({ type: 'ended' })
    }
  }

  /** Newest first, back to a position. Skips entries that are dropped during the iteration. */
  *entries(position = 0): IterableIterator<JournalEntry> {
    const { texts } = this
    for (let at = this.next - 1; at >= Math.max(this.forgotten, position) && texts === this.texts; at--) {
      const entry = this.entryAt(at)
      if (entry) yield entry
    }
  }

  /** Calls `find` once and caches the result together with the exchange. */
  once<T>(id: string, by: object, find: () => T): T {
    const exchange = this.at((numberOf(id) ?? 0) - 1)
    if (exchange?.found?.by === by) return exchange.found.value as T
    const value = find()
    if (exchange) exchange.found = { by, value }
    return value
  }

  find(id: string): Recorded | undefined {
    const number = numberOf(id)
    const exchange = number === undefined ? undefined : this.at(number - 1)
    return exchange && this.unpacked(exchange)
  }

  /** Whether the status of an exchange was in the contract at that time. */
  isDocumented(id: string): boolean {
    return this.at((numberOf(id) ?? 0) - 1)?.isDocumented ?? true
  }

  /** Whether a body of an exchange contains a text in lower case. Only what the journal shows counts. */
  contains(id: string, text: string): boolean {
    const item = this.at((numberOf(id) ?? 0) - 1)
    // A body may write a character that is not ASCII as an escape.
    const isPlain = /^[ -~]*$/.test(text)
    if (!item || (isPlain && ![1, 2].some((index) => this.texts.read(item, index).toLowerCase().includes(text)))) {
      return false
    }
    const { request, response } = this.unpacked(item)
    return [request, response].some(({ body }) => asText(body).toLowerCase().includes(text))
  }

  /** The entry at a position, if it is still kept. */
  entryAt(position: number): JournalEntry | undefined {
    const exchange = this.at(position)
    return exchange && unpackEntry(this.texts.read(exchange, 0))
  }

  /** Empties the journal. The ids continue. Hidden exchanges can be shown again until newer ones need their space. */
  clear(): void {
    if (this.size > 0) {
      while (this.first < this.hidden) this.forgetOldest()
      this.emptiedBefore = this.emptied
    }
    this.emptied = this.gone
    this.hidden = this.next
    this.tell({ type: 'cleared' })
  }

  /** Shows the exchanges of the last emptying again, as far as they are kept. Returns their number. */
  uncover(): number {
    const { size } = this
    this.hidden = 0
    this.emptied = this.emptiedBefore
    return this.size - size
  }

  /** Removes all exchanges and starts again with the first id. Listeners stay. */
  restart(): void {
    this.startAt(0)
  }

  /** Returns a function that restores what is removed later. */
  remember(): () => void {
    this.packAll()
    const { ring, texts, first, next, hidden, bytes, reserved, gone, emptied, emptiedBefore } = this
    return () => {
      if (this.ring !== ring) Object.assign(this, { waiting: [], ring, texts, first, next, bytes, reserved, gone })
      Object.assign(this, { hidden, emptied, emptiedBefore })
    }
  }

  /** Notifies the listeners that the sandbox or the mock is closed. */
  end(type: 'dropped' | 'closed'): void {
    this.tell({ type })
    this.listeners.clear()
  }

  listen(listener: (event: JournalEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Whether there are listeners. */
  get isHeard(): boolean {
    return this.listeners.size > 0
  }

  tell(event: JournalEvent): void {
    for (const listener of this.listeners) listener(event)
  }

  private unpacked(exchange: StoredExchange): Recorded {
    return unpack([0, 1, 2].map((index) => this.texts.read(exchange, index)) as Texts, exchange)
  }

  private at(position: number): StoredExchange | undefined {
    return position >= this.forgotten && position < this.next ? this.ring[position % this.limits.entries] : undefined
  }

  private forgetOldest(): void {
    const at = this.first % this.limits.entries
    const oldest = this.ring[at] as StoredExchange
    this.texts.release(oldest)
    this.bytes -= oldest.weight
    this.ring[at] = undefined
    this.first += 1
    this.gone = counted(this.gone, oldest.fault)
    if (this.first <= this.hidden) this.emptied = counted(this.emptied, oldest.fault)
  }

  private forgetAll(next: number): void {
    this.ring = []
    this.waiting = []
    this.texts = new TextLog()
    this.first = next
    this.next = next
    this.hidden = 0
    this.bytes = 0
    Object.assign(this, { gone: none, emptied: none, emptiedBefore: none })
    this.tell({ type: 'cleared' })
  }
}

const none: Dropped = { count: 0, violations: 0, refused: 0 }

function counted({ count, violations, refused }: Dropped, fault: Fault | undefined): Dropped {
  return {
    count: count + 1,
    violations: violations + Number(fault === 'violation'),
    refused: refused + Number(fault === 'refused')
  }
}

/** The number in an id: 12 of r12. */
export function numberOf(id: string): number | undefined {
  return /^r\d{1,15}$/.test(id) ? Number(id.slice(1)) : undefined
}

/** Texts that were stored together. They can be read until they are released. */
export interface TextBlock {
  segment: Segment
  start: number
  /** Bytes. */
  size: number
}

interface Segment {
  bytes: Buffer
  used: number
  places: number
}

/** The size of the first segment in bytes. It is small because many sandboxes get few requests. */
const smallest = 4 * 1024
const largest = 64 * 1024

/** Empty segments for reuse: allocating new ones would make the garbage collector walk the whole state. */
const spares: Segment[] = []
const mostSpares = 256

/** Each text is stored after its length in bytes. */
const lengthBytes = 4
/** The highest number of UTF-8 bytes per UTF-16 unit. */
const characterBytes = 3

/**
 * Texts stored as bytes in segments, oldest first. The garbage collector does not walk bytes. Long-lived strings and objects
 * would cost it more than the requests that created them.
 */
export class TextLog {
  private current: Segment = newSegment(0)

  put(texts: readonly string[]): TextBlock {
    const segment = this.segmentFor(texts)
    const start = segment.used
    for (const text of texts) {
      const length = text === '' ? 0 : segment.bytes.write(text, segment.used + lengthBytes)
      segment.bytes.writeUInt32LE(length, segment.used)
      segment.used += lengthBytes + length
    }
    segment.places += 1
    return { segment, start, size: segment.used - start }
  }

  read({ segment: { bytes }, start }: TextBlock, index: number): string {
    let at = start
    for (let before = 0; before < index; before++) at += lengthBytes + bytes.readUInt32LE(at)
    const from = at + lengthBytes
    return bytes.toString('utf8', from, from + bytes.readUInt32LE(at))
  }

  release({ segment }: TextBlock): void {
    segment.places -= 1
    if (segment.places > 0) return
    segment.used = 0
    if (segment !== this.current && segment.bytes.length === largest && spares.length < mostSpares) spares.push(segment)
  }

  /** The current segment if the texts fit, or a new one. */
  private segmentFor(texts: readonly string[]): Segment {
    const { bytes, used } = this.current
    const room = bytes.length - used
    let most = 0
    for (const text of texts) most += lengthBytes + characterBytes * text.length
    if (most <= room) return this.current
    const size = texts.reduce((sum, text) => sum + lengthBytes + Buffer.byteLength(text), 0)
    if (size <= room) return this.current
    const usual = Math.min(largest, Math.max(smallest, 2 * bytes.length))
    const spare = usual === largest && size <= largest ? spares.pop() : undefined
    this.current = spare ?? newSegment(Math.max(usual, size))
    return this.current
  }
}

function newSegment(size: number): Segment {
  return { bytes: Buffer.allocUnsafeSlow(size), used: 0, places: 0 }
}
