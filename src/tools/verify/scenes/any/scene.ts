import type { Operations } from '../../../../apis/knowledge-chat/types.gen.js'
import { isReading } from '../../../../engine/contract/model.js'
import type { Asker, Exchange } from '../../calls/client.js'
import { realTime, Stopped } from '../../calls/patience.js'
import type { Input } from '../../calls/request.js'
import type { Check } from '../../checks.js'
import { judgeInput } from '../../inputs/inputs.js'
import { conforms, verdict } from '../../judge.js'
import { type Id, type RowKind, readers } from '../../kinds.js'
import type { KnownRows } from '../../rows.js'
import type { Run } from '../../run.js'

/** The first id that occurs twice. */
export function repeated(ids: readonly Id[]): Id | undefined {
  const seen = new Set<Id>()
  return ids.find((id) => seen.size === seen.add(id).size)
}

/** A sequence of related calls and their checks. */
export class Scene {
  /** The latest call. Checks refer to it. */
  last: Exchange | undefined
  /** Functions that restore what the scene changed. */
  readonly undo: (() => Promise<void>)[] = []
  /** The calls so far that may have changed something. */
  private readonly changing: Exchange[] = []

  constructor(
    readonly run: Run,
    readonly rows: KnownRows,
    /** The subject of the calls, for findings. */
    readonly title: string
  ) {}

  /** Calls an operation. A reply that breaks the contract is a finding. */
  async ask(id: string, input: Input = {}, as: Asker = 'admin', reason?: string): Promise<Exchange> {
    const exchange = await this.run.ask(id, input, as)
    this.note(exchange)
    if (!conforms(this.run, exchange, this.about, reason)) throw new Stopped()
    return exchange
  }

  /** Calls an operation that the server may refuse, for this reason. Returns the body of a success. */
  async may<Id extends keyof Operations>(
    id: Id,
    input: Input,
    reason?: string,
    as: Asker = 'admin'
  ): Promise<Operations[Id]['reply'] | undefined> {
    const { reply } = await this.ask(id, input, as, reason)
    return reply.status < 300 ? (reply.body as Operations[Id]['reply']) : undefined
  }

  /** Calls an operation that must succeed. Returns the body. */
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

  /** Makes concurrent calls. None may fail. */
  async atOnce(count: number, callOf: (n: number) => Parameters<Scene['ask']>): Promise<Exchange[]> {
    const asked = await Promise.allSettled(Array.from({ length: count }, (_, n) => this.ask(...callOf(n))))
    return asked.map((it) => {
      if (it.status === 'rejected') throw it.reason
      return it.value
    })
  }

  /** Tries again for up to two seconds, because a search may find changes a little later. */
  async soon(look: () => Promise<boolean>): Promise<boolean> {
    for (let looks = 0; looks < 4; looks++) {
      if (await look()) return true
      await realTime.sleep(500)
    }
    return look()
  }

  /** Stops if concurrent calls are refused by a rule of the server: with one status, like a single call. */
  async stopIfRefused(id: string, input: Input, told: Exchange[]): Promise<void> {
    const [first] = told
    if (first?.reply.status !== 409 || told.some(({ reply }) => reply.status !== 409)) return
    const alone = await this.ask(id, input, 'admin', 'missing')
    if (alone.reply.status === 409) throw new Stopped('the server refuses it by a rule of its own (409)')
  }

  /** Checks the result of the latest calls. `id` is the operation that a finding names. */
  check(check: Check, id: string, holds: boolean, expected: string, got?: string): boolean {
    const last = this.last as Exchange
    const blamed = { ...last, call: { ...last.call, operation: this.run.operation(id) } }
    return verdict(this.run, blamed, check, holds, expected, { ...this.about, ...(got !== undefined && { got }) })
  }

  /** A row that may be changed and can be read. The scene stops if there is none. */
  async own(kind: RowKind): Promise<Id> {
    for (const id of this.rows.own(kind)) {
      const { reply } = await this.run.ask(readers[kind] as string, { path: { [`${kind}_id`]: id } })
      const isTold = typeof reply.body === 'object' && reply.body !== null && 'success' in reply.body
      if (reply.status < 300 && !isTold) return id
    }
    throw new Stopped(`no ${kind} is known that may be changed: give one with --disposable ${kind}=<id>`)
  }

  unique(id: string, rows: readonly (Id | { id: Id })[], check: Check = 'unique_rows'): void {
    const twice = repeated(rows.map((row) => (typeof row === 'object' ? row.id : row)))
    this.check(check, id, twice === undefined, 'every row once', `${twice} comes twice`)
  }

  /** Calls an operation that must be refused. Returns the exchange. */
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

/** A scene with the operations that it checks. It is played if one of them is chosen. */
export interface Play {
  title: string
  /** The operations that it checks. */
  operations: string[]
  /** Whether it makes calls that change something. */
  mutating: boolean
  play(scene: Scene): Promise<void>
}

/** A play whose calls change nothing. */
export function reading(title: string, operations: string[], play: Play['play']): Play {
  return { title, operations, mutating: false, play }
}

/** A play that needs `--mutating`. */
export function changing(title: string, operations: string[], play: Play['play']): Play {
  return { title, operations, mutating: true, play }
}
