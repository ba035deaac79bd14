import type { Operations } from '../../../../contract/types.gen.js'
import type { Input } from '../../calls/request.js'
import { Stopped } from '../../calls/stopped.js'
import type { Check } from '../../checks.js'
import { judgeInput } from '../../inputs/inputs.js'
import { conforms, verdict } from '../../judge.js'
import { isReading } from '../../learn/is-reading.js'
import type { Id, Kind, RowsKnown } from '../../rows.js'
import type { Asker, Exchange, Run } from '../../run.js'

/** A sequence of calls that belong together, and what is checked of them. */
export class Scene {
  /** The last call: what checks are about. */
  last: Exchange | undefined
  /** What puts back what the scene changed, whatever comes of it. */
  readonly undo: (() => Promise<void>)[] = []
  /** The calls so far that may have changed something: what only reads leads to nothing. */
  private readonly changing: Exchange[] = []

  constructor(
    readonly run: Run,
    readonly rows: RowsKnown,
    /** What the calls are about, as findings tell it. */
    readonly title: string
  ) {}

  /** Calls an operation, whatever comes of it; the reply is of the contract, or a finding. */
  async ask(id: string, input: Input = {}, as: Asker = 'admin', reason?: string): Promise<Exchange> {
    const exchange = await this.run.ask(id, input, as)
    this.note(exchange)
    if (!conforms(this.run, exchange, this.about, reason)) throw new Stopped()
    return exchange
  }

  /** Calls an operation that is to succeed; gives the body. */
  async must<Id extends keyof Operations>(
    id: Id,
    input: Input = {},
    as: Asker = 'admin'
  ): Promise<Operations[Id]['reply']> {
    const exchange = await this.run.ask(id, input, as)
    this.note(exchange)
    if (!judgeInput(this.run, exchange, input, this.about) || exchange.reply.status >= 300) throw new Stopped()
    return exchange.reply.body as Operations[Id]['reply']
  }

  /** Makes so many calls at the same time; none fails. */
  async atOnce(count: number, callOf: (n: number) => Parameters<Scene['ask']>): Promise<Exchange[]> {
    const asked = await Promise.allSettled(Array.from({ length: count }, (_, n) => this.ask(...callOf(n))))
    return asked.map((it) => {
      if (it.status === 'rejected') throw it.reason
      return it.value
    })
  }

  /** Checks what the last calls amount to. `id`: the operation that is to blame. */
  check(check: Check, id: string, holds: boolean, expected: string, got?: string): boolean {
    const last = this.last as Exchange
    const blamed = { ...last, call: { ...last.call, operation: this.run.operation(id) } }
    return verdict(this.run, blamed, check, holds, expected, { ...this.about, ...(got !== undefined && { got }) })
  }

  /** A row of a kind that may be changed and that can be read; where there is none, the scene ends. */
  async own(kind: Kind, reader: string): Promise<Id> {
    const parameter = `${kind}_id`
    for (const id of this.rows.own(kind)) {
      const { reply } = await this.run.ask(reader, { path: { [parameter]: id } })
      const isTold = typeof reply.body === 'object' && reply.body !== null && 'success' in reply.body
      if (reply.status < 300 && !isTold) return id
    }
    throw new Stopped(`no ${kind} is known that may be changed: give one with --disposable ${kind}=<id>`)
  }

  /** A list has each row once. */
  unique(id: string, ids: readonly Id[], check: Check = 'unique_rows'): void {
    const twice = ids.find((it, index) => ids.indexOf(it) !== index)
    this.check(check, id, twice === undefined, 'every row once', `${twice} comes twice`)
  }

  /** Calls an operation that is to be refused; gives the exchange. */
  async refused(check: Check, id: string, input: Input, expected: string, as: Asker = 'admin'): Promise<Exchange> {
    const exchange = await this.ask(id, input, as, 'missing')
    const { status, body } = exchange.reply
    const isTold = typeof body === 'object' && body !== null && 'success' in body && body.success === false
    const isForgiven = status < 300 && this.run.forgiving.has(id)
    if (!isForgiven) this.check(check, id, status >= 400 || isTold, expected)
    return exchange
  }

  private note(exchange: Exchange): void {
    this.last = exchange
    if (!isReading(exchange.call.operation)) this.changing.push(exchange)
  }

  private get about() {
    const before = this.changing.filter((exchange) => exchange !== this.last).map((exchange) => exchange.curl)
    return { title: this.title, before }
  }
}

/** A scene by what it checks: it is played where one of its operations is chosen. */
export interface Play {
  title: string
  /** The operations that its checks are about. */
  operations: string[]
  /** Whether it calls what changes something. */
  mutating: boolean
  play(scene: Scene): Promise<void>
}
