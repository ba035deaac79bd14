import { isObject } from '../../engine/contract/load.js'
import type { Id, RowKind } from './api.js'
import type { Asker, Exchange } from './calls/client.js'
import { Stopped } from './calls/patience.js'
import type { Input } from './calls/request.js'
import { judgeInput } from './inputs/inputs.js'
import { conforms, endOf, isUndone, repeated, verdict } from './judge.js'
import { type Check, type RowCause, rowCauseOf } from './results.js'
import { isRow, type KnownRows } from './rows.js'
import type { Run } from './run.js'

type ReplyOf<Of, Id extends keyof Of> = Of[Id] extends { reply: infer Reply } ? Reply : unknown

/** A sequence of related calls and their checks. `Of`: the operations of the API. */
export class Scene<Of extends object = object> {
  /** The latest call. Checks refer to it. */
  last: Exchange | undefined
  /** Functions that undo its changes, for `restore`. */
  readonly undo: (() => Promise<void>)[] = []
  /** The calls so far that may have changed something. */
  private readonly changing: Exchange[] = []
  /** The calls that were made at the same time. */
  private readonly races: Set<Exchange>[] = []
  private readonly writesBefore: number

  constructor(
    readonly run: Run,
    readonly rows: KnownRows,
    /** The subject of the calls, for findings. */
    readonly title: string
  ) {
    this.writesBefore = run.bounds.writes
  }

  mark(what: string): string {
    return this.run.mark(what)
  }

  /** Records the server's decision on a point that the description leaves open. */
  answer(id: string, choice: string, evidence = this.title): void {
    this.run.answers.add(id, choice, evidence)
  }

  couldNot(id: string, why: string, subject = this.title): void {
    this.run.results.couldNot(id, subject, why)
  }

  /** Calls an operation. A reply that breaks the contract is a finding. `reason` names an allowed error. */
  async ask(id: string, input: Input = {}, reason?: string, as: Asker = 'admin'): Promise<Exchange> {
    const exchange = await this.send(id, input, as)
    this.judge(exchange, reason)
    return exchange
  }

  /** Calls an operation. Its reply is not judged yet. */
  async send(id: string, input: Input = {}, as: Asker = 'admin'): Promise<Exchange> {
    const exchange = await this.run.ask(id, input, as)
    this.note(exchange)
    return exchange
  }

  judge(exchange: Exchange, reason?: string): void {
    if (!conforms(this.run, exchange, this.about, reason)) throw this.stoppedBy(exchange.call.operation.id)
  }

  /** Calls an operation that the server may refuse, for this reason. Returns the body of a success. */
  async may<Id extends keyof Of & string>(id: Id, input: Input, reason?: string, as: Asker = 'admin') {
    const { status, body } = (await this.ask(id, input, reason, as)).reply
    return status < 300 ? (body as ReplyOf<Of, Id>) : undefined
  }

  /** Calls an operation that must succeed. Returns the body. */
  async must<Id extends keyof Of & string>(id: Id, input: Input = {}, as: Asker = 'admin'): Promise<ReplyOf<Of, Id>> {
    const exchange = await this.send(id, input, as)
    if (!judgeInput(this.run, exchange, input, this.about) || exchange.reply.status >= 300) throw this.stoppedBy(id)
    return exchange.reply.body as ReplyOf<Of, Id>
  }

  /** A finding says why, if the operation is a chosen one. */
  private stoppedBy(id: string): Stopped {
    return new Stopped(this.run.results.isChosen(id) ? undefined : `an answer of ${id} breaks the contract`)
  }

  /** Calls an operation that must be refused. Returns the exchange. */
  async refused(check: Check, id: string, input: Input, expected: string, as: Asker = 'admin'): Promise<Exchange> {
    const exchange = await this.ask(id, input, 'missing', as)
    const { status, body } = exchange.reply
    const isForgiven = status < 300 && this.run.forgiving.has(id)
    if (!isForgiven) this.check(check, id, status >= 400 || isUndone(this.run, body), expected)
    return exchange
  }

  /** Makes concurrent calls. None may fail. */
  async atOnce(count: number, callOf: (n: number) => Parameters<Scene['ask']>): Promise<Exchange[]> {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, n) => this.ask(...callOf(n))))
    const exchanges = outcomes.map((it) => {
      if (it.status === 'rejected') throw it.reason
      return it.value
    })
    this.races.push(new Set(exchanges))
    return exchanges
  }

  /** Stops if concurrent calls are refused by a rule of the server: with one status, like a single call. */
  async stopIfRefused(id: string, input: Input, exchanges: Exchange[]): Promise<void> {
    if (exchanges.some(({ reply }) => reply.status !== 409)) return
    const { status } = (await this.ask(id, input, 'missing')).reply
    if (status === 409) throw new Stopped('the server has a rule against it (409)')
  }

  /** Tries again for up to two seconds, because a search may find changes a little later. */
  async soon(look: () => Promise<boolean>): Promise<boolean> {
    for (let looks = 0; looks < 4; looks++) {
      if (await look()) return true
      await this.run.bounds.time.sleep(500)
    }
    return look()
  }

  /** Checks the result of the latest calls. `id` is the operation that a finding names. `other`: the cause, if it is another one. */
  check(check: Check, id: string, passes: boolean, expected: string, got?: string, other?: RowCause): boolean {
    const { last } = this
    // All its calls were left out.
    if (!last) throw new Stopped()
    const operation = this.run.operation(id)
    const shownBy = operation.isReading ? id : last.call.operation.id
    const cause = other ?? rowCauseOf(check, shownBy, this.changing.at(-1)?.call.operation.id)
    return verdict(this.run, { ...last, call: { ...last.call, operation } }, check, passes, expected, {
      ...this.about,
      cause,
      ...(got !== undefined && { got })
    })
  }

  /** The time of a new row. If the clock is wrong, so is the Date header. Another zone differs by quarters of an hour. */
  isNew(id: string, time: string): void {
    const date = Date.parse(this.last?.reply.headers.date ?? '')
    const away = Date.parse(time) - date
    const quarters = Math.round(away / 900_000)
    const isOther = quarters !== 0 && Math.abs(quarters) <= 56 && Math.abs(away - quarters * 900_000) < 60_000
    const isSure = time.includes('T') && /(Z|[+-]\d\d:?\d\d)$/i.test(time)
    if (isSure) this.check('values_read_back', id, !isOther, `a time near ${new Date(date || 0).toISOString()}`, time)
  }

  /** Checks that a list has every row once. */
  unique(id: string, rows: readonly (Id | { id: Id })[], check: Check = 'unique_rows'): void {
    const twice = repeated(rows.map((row) => (typeof row === 'object' ? row.id : row)))
    const cause = rowCauseOf('unique_rows', id)
    this.check(check, id, twice === undefined, 'every row once', `${twice} comes twice`, cause)
  }

  /** Checks that a row shows the values that were sent. Its objects may have more fields. */
  shows(id: string, row: object, sent: object): void {
    const values = row as Record<string, unknown>
    const wrong = Object.entries(sent).filter(([name, value]) => !contains(values[name] ?? null, value ?? null))
    const expected = wrong.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')
    const got = wrong.map(([name]) => `${name} ${JSON.stringify(values[name])}`).join(', ')
    this.check('values_read_back', id, wrong.length === 0, expected, got)
  }

  /** A row that may be changed and can be read. The scene stops if there is none. */
  async own(kind: string): Promise<Id> {
    const { name, read = '' } = this.run.api.kinds[kind] as RowKind
    for (const id of this.rows.own(kind)) {
      if (isRow(this.run, (await this.run.ask(read, { path: { [name]: id } })).reply)) return id
    }
    throw noneKnown(kind)
  }

  async restore(stopped?: (error: unknown) => void): Promise<void> {
    // A scene that was not allowed to write has nothing to undo.
    if (this.run.bounds.writes === this.writesBefore) this.undo.splice(0)
    await this.run.bounds.cleaning(async () => {
      for (let undo = this.undo.shift(); undo; undo = this.undo.shift()) await undo().catch(stopped)
    })
  }

  /** Notes a call that leads to the checks that follow. */
  note(exchange: Exchange): void {
    this.last = exchange
    if (!exchange.call.operation.isReading) this.changing.push(exchange)
  }

  /** Leaves out a call that was refused, and changed nothing. */
  forget(exchange: Exchange): void {
    this.changing.splice(this.changing.indexOf(exchange), this.changing.includes(exchange) ? 1 : 0)
  }

  private get about() {
    const before: string[] = []
    const calls = this.changing.filter((exchange) => exchange !== this.last)
    for (const [at, exchange] of calls.entries()) {
      const race = this.races.find((it) => it.has(exchange))
      before.push(race ? `${exchange.curl} &` : exchange.curl)
      const isLast = race && !race.has(calls[at + 1] as Exchange)
      if (isLast && !race.has(this.last as Exchange)) before.push('wait')
    }
    return { title: this.title, before }
  }
}

/** No row of a kind is known that a scene needs. */
export function noneKnown(kind: string, which = 'that may be changed', give = 'give one'): Stopped {
  return new Stopped(`no ${kind} is known ${which}: ${give} with --disposable ${kind}=<id>`)
}

/** Whether a value contains what was sent. Half of a surrogate pair is not a character, so it may be replaced. */
export function contains(value: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return Array.isArray(value) && value.length === sent.length && sent.every((item, at) => contains(value[at], item))
  }
  if (typeof sent === 'string') return value === sent || value === sent.replace(/\p{Cs}/gu, '\ufffd')
  if (!isObject(sent)) return value === sent
  return isObject(value) && Object.entries(sent).every(([name, item]) => contains(value[name], item))
}

/** A scene with the operations that it checks. It is played if one of them is chosen. */
export interface Play<Of extends object = object> {
  title: string
  operations: readonly string[]
  mutating: boolean
  play(scene: Scene<Of>): Promise<void>
}

/** Plays the chosen ones in their order, and reports the others. */
export async function playAll(run: Run, rows: KnownRows, plays: readonly Play[]): Promise<void> {
  for (const { title, operations, mutating, play } of plays) {
    const chosen = operations.filter((id) => run.results.isChosen(id))
    if (chosen.length === 0) continue
    if (mutating && !run.settings.mutating) {
      for (const id of chosen) run.results.leftOut(id, title, 'it changes something: see --mutating')
      continue
    }
    const scene = new Scene(run, rows, title)
    const stopped = (error: unknown) => {
      const end = endOf(run, error)
      if (end.message) for (const id of chosen) run.results.stopped(id, title, end)
    }
    const done = () => {
      for (const id of chosen) run.results.did(id)
    }
    try {
      await play(scene).then(done, stopped)
    } finally {
      await scene.restore(stopped)
    }
  }
}
