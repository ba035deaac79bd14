import type { Operation } from '../../../engine/contract/model.js'
import type { Client, Reply } from './client.js'
import { isOverload, realTime, type Silence, Stopped, type Time, Unanswered, Unreachable } from './patience.js'
import type { Call } from './request.js'

/** How long to wait for a server that was there, in milliseconds: it may restart automatically. */
const pauses = [250, 500, 1000, 2000]
/**
 * After this many requests in a row without an answer, an operation, or the server, is no longer called. Answers that the
 * server cannot serve now count too, if they come from this many operations: a single one may be broken.
 */
const most = { operation: 3, server: 20, operations: 3 }
/** With this share of answers that the server cannot serve now, the run shows nothing. */
const mostOverload = 0.9

/** How many requests in a row had no answer. A request that was sent before another was answered does not count. */
class Row {
  length = 0
  private sent = 0
  private answered = 0

  next(): number {
    return ++this.sent
  }

  heard(turn: number): void {
    if (turn < this.answered) return
    this.answered = turn
    this.length = 0
  }

  missed(turn: number): void {
    if (turn > this.answered) this.length++
  }

  get hasAnswered(): boolean {
    return this.answered > 0
  }
}

/** A server that refuses a large request may close before all of it is sent: then the refusal can be lost. */
const isLarge = ({ target, body }: Call) => target.length > 4000 || (body?.length ?? 0) > 16_000

/**
 * Handles requests that are not answered. A connection that ends is a fault, like a 500. So is a late answer, if the operation
 * answers at all and waits for no other server. A report ends the check, never the run.
 */
export class Silences {
  /** Why no more requests are sent. */
  gone: string | undefined
  private readonly server = new Row()
  /** The operations of the latest answers, all of which say that the server cannot serve now. */
  private readonly strained: string[] = []
  private answers = 0
  private readonly overload: number[] = []
  private readonly rows = new Map<string, Row>()

  constructor(
    private readonly client: Client,
    /** Reports a request without an answer, or an unreadable answer, as a finding. */
    private readonly report: (call: Call, curl: string, got: string, silence: Silence) => void,
    private readonly time: Time = realTime
  ) {}

  /** Sends a request. Throws Stopped if there is no answer: with a reason, unless it is a finding. */
  async send(call: Call, authorization: string | null, curl: string): Promise<Reply> {
    const { id } = call.operation
    const row = this.rows.get(id) ?? new Row()
    this.rows.set(id, row)
    if (this.gone !== undefined) throw new Stopped(this.gone, true)
    if (row.length >= most.operation) throw new Stopped(`it did not answer ${most.operation} times in a row`, true)
    const [turn, turnOfAll] = [row.next(), this.server.next()]
    try {
      const reply = await this.sent(call, authorization)
      row.heard(turn)
      this.server.heard(turnOfAll)
      this.count(call.operation, reply)
      return reply
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      for (const [it, sent] of [[row, turn] as const, [this.server, turnOfAll] as const]) {
        if (error.silence.startsWith('unread')) it.heard(sent)
        else it.missed(sent)
      }
      throw this.stopped(call, curl, error, row.hasAnswered)
    }
  }

  /** Why the answers show nothing about the contract. */
  get overloaded(): string | undefined {
    const { length } = this.overload
    if (this.answers === 0 || length / this.answers < mostOverload) return undefined
    const statuses = [...new Set(this.overload)].sort().join(', ')
    return `${length} of ${this.answers} answers were ${statuses}: the server is overloaded, or down behind its gateway.`
  }

  private count({ id, waits: isWaiting }: Operation, { status, headers }: Reply): void {
    this.answers++
    if (isOverload(status)) this.overload.push(status)
    // A request that was asked to wait is sent again.
    if (status === 429 || headers['retry-after'] !== undefined || isWaiting) return
    if (!isOverload(status)) this.strained.length = 0
    else if (this.strained.push(id) >= most.server && new Set(this.strained).size >= most.operations) {
      this.gone ??= `the server answers everything with ${status}`
    }
  }

  private async sent(call: Call, authorization: string | null, tries = 0): Promise<Reply> {
    try {
      return await this.client.send(call, authorization)
    } catch (error) {
      const wait = pauses[tries]
      const isAbsent = error instanceof Unreachable && error.silence === 'absent'
      if (!isAbsent || wait === undefined || this.gone !== undefined) throw error
      await this.time.sleep(wait)
      return this.sent(call, authorization, tries + 1)
    }
  }

  private stopped(call: Call, curl: string, { message, silence }: Unreachable, hasAnswered: boolean): Stopped {
    const Kind = silence === 'absent' ? Stopped : Unanswered
    if (this.gone !== undefined) return new Kind(this.gone, true)
    if (silence === 'absent' || this.server.length >= most.server) this.gone = 'the server no longer answers'
    const isFault = {
      late: hasAnswered && !call.operation.waits,
      absent: true,
      broken: !isLarge(call),
      unread: false,
      unreadable: true
    }[silence]
    if (!isFault) return new Kind(message.replace(/\.$/, ''), true)
    this.report(call, curl, message, silence)
    return new Kind()
  }
}
