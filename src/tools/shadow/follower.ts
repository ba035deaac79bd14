import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { type Choices, isObject, type Json } from '../../engine/contract/load.js'
import { fieldsIn } from '../../engine/contract/validation/field-choices.js'
import { Book, type Entry, type Recording } from '../record/book.js'
import { type Call, callOf, type Traffic } from '../record/traffic.js'
import { Redaction } from '../verify/calls/redact.js'
import { curlOf, type Call as Sent } from '../verify/calls/request.js'
import { Answers } from '../verify/learn/answers.js'
import { Readings } from '../verify/learn/readings.js'
import { type Check, Results } from '../verify/results.js'
import type { VerifyResult } from '../verify/verify.js'
import {
  collectionNamed,
  emailsIn,
  hasOthers,
  isDecodable,
  isRestricted,
  isSaid,
  isSent,
  listedIn,
  listKey,
  missingFields,
  type Named,
  namedBy,
  namesPlaces,
  RowKinds,
  removedBy,
  textsOf,
  withRows
} from './calls.js'
import { compare, type Difference, hasVanished, isOfAccess, isSoft, weightOf } from './compare.js'
import { checkFor, checkOf, type Hidden, placeIn, Suspicions, sentence, shown } from './findings.js'
import type { MockReply, ShadowSandbox } from './sandbox.js'

export interface FollowerOptions {
  /** The service's address, for reports. */
  url: string
  sandbox: ShadowSandbox
  recording: Recording
  ledger: readonly LedgerEntry[]
  /** Whether the API is that of a document. */
  isDescribed: boolean
}

/** What an exchange was, for later ones. */
interface Step {
  operation: string
  isReading: boolean
  curl: string
}

/** The highest number of choices that explain one exchange. */
const mostChoices = 3
/** The highest number of changes before the last call that a finding shows. */
const longestSequence = 5

/** Follows the calls of clients, in their order: the mock does the same, and the answers are compared. */
export class Follower {
  private readonly results: Results
  private readonly answers: Answers
  private readonly readings: Readings
  private readonly redaction = new Redaction({ token: '', userToken: undefined, headers: {} }, [])
  private readonly startedAt = new Date().toISOString()
  private readonly steps: Step[] = []
  private readonly suspicions = new Suspicions()
  /** Differences that no choice explains, so that choices are tried only once. */
  private readonly unexplained = new Set<string>()
  /** The rows of lists, by the calls that showed them. */
  private readonly listed = new Map<string, Set<string>>()
  /** Entries that answers of both depended on, and that were the same. */
  private readonly agreed = new Set<string>()
  /** Choices that replaced an earlier answer. */
  private readonly changed = new Set<string>()
  /** Rows that a caller has asked for in vain. */
  private readonly absent = new Set<string>()
  /** The addresses of users who were there once. */
  private readonly emails = new Set<string>()
  private readonly kinds: RowKinds
  private book: Book
  /** Whether the sandbox has other rows than the book. */
  private isBehind = true

  constructor(private readonly options: FollowerOptions) {
    const { sandbox, ledger, isDescribed } = options
    this.book = new Book(sandbox.contract)
    this.kinds = new RowKinds(this.book)
    this.readings = new Readings(ledger, sandbox.choices, isDescribed ? sandbox.contract : undefined)
    this.results = new Results(new Set(sandbox.contract.operations.keys()), () => {})
    this.answers = new Answers(this.readings, this.redaction)
  }

  get result(): VerifyResult {
    const { findings, checks, notChecked } = this.results
    return {
      url: this.options.url,
      findings,
      checks,
      answers: this.answers.list(),
      assume: this.answers.choices(),
      notChecked,
      made: [],
      withheld: {},
      startedAt: this.startedAt,
      durations: {},
      operations: new Set(checks.map((it) => it.operation)).size,
      ...(this.options.isDescribed && { ledger: this.options.ledger }),
      exitCode: findings.length > 0 ? 1 : 0
    }
  }

  /** `broken`: what breaks the contract in the answer. */
  async follow(traffic: Traffic, broken: readonly string[]): Promise<void> {
    const { sandbox, recording } = this.options
    const call = callOf(sandbox.contract, traffic, this.steps.length)
    if (!call) return
    const { operation, status, reply } = call
    this.steps.push({ operation: operation.id, isReading: operation.isReading, curl: this.curlOf(call, traffic) })
    this.answers.latest = this.steps.at(-1)?.curl
    if (!isDecodable(traffic.target)) return this.leave(call, 'the path', 'it cannot be decoded')
    for (const it of broken) {
      const text = it.replace(/^response: /, '')
      this.find(call, checkOf(text), 'an answer that the contract allows', text, text.replace(/\d+/g, 'n'))
    }
    if (status >= 300 && status < 400) return this.leave(call, 'a redirect', 'redirects are not followed')
    if ([429, 502, 503, 504].includes(status)) return this.leave(call, 'an overload', `the service answered ${status}`)
    const next = this.book.copy()
    try {
      next.read(call, recording)
    } catch {
      return this.leave(call, 'the reply', 'its rows cannot be read')
    }
    try {
      if (broken.length > 0 || status >= 500) return
      this.learnForm(call)
      if (operation.form || recording.outside?.has(operation.id))
        this.leave(call, 'the content', 'only its form is compared')
      await this.beside(call, traffic, next, reply)
    } finally {
      this.isBehind ||= broken.length > 0 || status >= 500 || hasOthers(next, this.book)
      this.book = next
      for (const { email } of next.all(next.contract.api.users.collection))
        if (typeof email === 'string') this.emails.add(email.toLowerCase())
    }
  }

  /** Choices that the form of a reply shows. */
  private learnForm({ operation, status, reply }: Call): void {
    if (this.options.isDescribed || operation.origin || (status >= 300 && status !== 422)) return
    const read = this.readings.reply(operation.id, status, reply)
    if (!('choices' in read)) return
    for (const id of this.readings.differences(read.choices)) this.assume(id, read.choices[id] as string, 'its form')
  }

  private assume(id: string, choice: string, evidence: string): void {
    this.options.sandbox.assume(id, choice)
    this.answers.add(id, choice, evidence)
  }

  private async beside(call: Call, traffic: Traffic, next: Book, reply: Json | undefined): Promise<void> {
    const { sandbox, recording } = this.options
    const { operation, status } = call
    const before = this.book
    const isVague = this.isVague(call)
    this.book = withRows(this.book, call, next)
    if (this.book !== before) this.isBehind = true
    const service = { status, body: reply }
    const isOutside = operation.form || (recording.outside?.has(operation.id) ?? false)
    const ask = async (others?: Choices) => {
      const mock = await sandbox.ask(call, traffic, next.now, { others, removed: removedBy(call, next) })
      const isNew = (first: Json, second: Json, field: string) => this.isNew(call, next, field, first, second)
      const differences = compare(service, mock, { isNew, hasField: this.kinds.hasField, now: next.now })
      return { mock, differences: isOutside ? differences.filter(isOfAccess) : differences }
    }
    const isFresh = this.isBehind
    this.become()
    let { mock, differences } = await ask()
    if (differences.some(({ kind }) => kind === 'status') && (await this.hasOtherRole(call, next, ask))) {
      this.become()
      ;({ mock, differences } = await ask())
    }
    const isOpen = (it: Difference) => !this.isUnknown(call, before, it, isVague)
    if (!isFresh && differences.some(isOpen)) {
      // What the mock has done since may not be what the replies have shown.
      this.isBehind = true
      this.become()
      ;({ mock, differences } = await ask())
    }
    const open = differences.filter(isOpen)
    if (open.length < differences.length) this.leave(call, 'rows', 'the mock cannot know all rows that it depends on')
    if (differences.length === 0) for (const id of mock.assumed) this.agreed.add(id)
    if (open.length === 0) this.results.held(operation.id, 'same_as_mock')
    else {
      this.isBehind = true
      const openIn = async (others: Choices) => {
        const { mock, differences: all } = await ask(others)
        return { mock, differences: all.filter(isOpen) }
      }
      const left = await this.explain(call, mock, open, openIn)
      for (const it of left) this.judge(call, before, it, isVague)
    }
    const [named, ...others] = namedBy(call, before)
    if (named && others.length === 0 && operation.isReading) {
      const name = `${call.caller} ${named.collection} ${named.id}`
      if (status === 404) this.absent.add(name)
      else this.absent.delete(name)
    }
    if (status < 300) this.remember(call)
  }

  private become(): void {
    if (this.isBehind) this.options.sandbox.become(this.book)
    this.isBehind = false
  }

  /** Whether a call names rows of which nothing is known. */
  private isVague(call: Call): boolean {
    const isUnknown = (it: Named) => !this.book.row(it.collection, it.id) && !this.isNotThere(call, this.book, [it])
    return namedBy(call, this.book).some(isUnknown) || emailsIn(call).some((it) => !this.emails.has(it))
  }

  private isId(text: string): boolean {
    return [...this.book.rows.values(), ...this.book.gone.values()].some((it) => it.has(text) || it.has(Number(text)))
  }

  /** Whether two values are those of a row that the call has made. */
  private isNew({ operation, number }: Call, next: Book, field: string, service: Json, mock: Json): boolean {
    if (operation.isReading || typeof service !== typeof mock || isObject(service)) return false
    if (!/(^|_)ids?$|^data$/.test(field)) return false
    const isMade = ([name, rows]: [string, ReturnType<Book['rowsOf']>]) =>
      rows.get(service as string)?.number === number && !this.book.row(name, service)
    return !this.isId(String(service)) || [...next.rows].some(isMade)
  }

  /** Finds out the role of a caller that no reply has shown. */
  private async hasOtherRole(
    call: Call,
    next: Book,
    ask: () => Promise<{ differences: Difference[] }>
  ): Promise<boolean> {
    const caller = this.book.callers.get(call.caller)
    if (!caller || caller.role !== undefined) return false
    for (const role of ['admin', 'basic', 'curator']) {
      caller.role = role
      this.isBehind = true
      this.become()
      const { differences } = await ask()
      this.isBehind = true
      if (differences.some(({ kind }) => kind === 'status')) continue
      const later = next.callers.get(call.caller)
      if (later) later.role = role
      return true
    }
    delete caller.role
    return true
  }

  /** Whether a difference may be due to rows that no reply has shown. */
  private isUnknown(call: Call, before: Book, it: Difference, isVague: boolean): boolean {
    const { kind, row, rowId, field = '', path, service, mock } = it
    const { isReading } = call.operation
    // Of a row that is not there both say so, each in its form.
    if (kind === 'status')
      return isVague && (service as number) < 300 && !(isOfAccess(it) && isRestricted(call, before))
    if (kind === 'refusal') return false
    // The answer follows from the call alone.
    if (isReading && call.operation.method === 'POST' && !this.options.recording.effectOf(call.operation.id))
      return false
    if (isVague && !isReading) return true
    const collection = row && this.kinds.of(row)
    const isGone = before.gone.get(collectionNamed(before, field) ?? '')?.has(service as string)
    // What refers to deleted rows is a question of its own.
    if (isGone && !isObject(service)) return field !== 'id'
    const known = this.knownRow(before, it)?.fields
    const isSaying = isReading || (kind === 'extra' && !(field in call.body))
    // The service says what it said before.
    if (isSaying && known && !isObject(service) && kind !== 'missing' && isSaid(known[field], service)) return true
    if (kind === 'missing')
      return isObject(mock)
        ? !this.listed.get(listKey(call, path))?.has(`${rowId}`.toLowerCase()) && !this.isMadeBy(call, before, it)
        : known === undefined
    if (kind === 'extra') {
      const names = isObject(service) ? Object.keys(service) : []
      const isWhole = isObject(service) ? names.filter((it) => known && it in known).length * 2 > names.length : known
      const isDeleted = before.gone.get(collection ?? '')?.has(rowId as string)
      return !isWhole && !isDeleted && !path.endsWith(' twice')
    }
    if (kind !== 'value' || (known && field in known)) return false
    return isReading || (typeof mock === 'string' && !textsOf(call).includes(mock))
  }

  /** A row as it was known before a call. */
  private knownRow(before: Book, { row, rowId }: Difference): Entry | undefined {
    const collection = row && this.kinds.of(row)
    if (collection === undefined || (typeof rowId !== 'string' && typeof rowId !== 'number')) return undefined
    const rows = before.rowsOf(collection)
    return rows.get(rowId) ?? rows.get(`${rowId}`.toLowerCase())
  }

  /** Whether the caller has made a row, which lists without conditions show. */
  private isMadeBy(call: Call, before: Book, it: Difference): boolean {
    const entry = this.knownRow(before, it)
    const step = entry && this.steps[entry.number]
    return call.operation.isReading && call.query.size === 0 && step?.isReading === false
  }

  /** Remembers the rows of lists, and whom a call has named. */
  private remember(call: Call): void {
    for (const it of emailsIn(call)) this.emails.add(it)
    if (!call.operation.isReading) return
    for (const [path, id] of listedIn(call.reply)) {
      const key = listKey(call, path)
      this.listed.set(key, (this.listed.get(key) ?? new Set()).add(id))
    }
  }

  /** Puts the choices in force that explain differences. Returns those that are left. */
  private async explain(
    call: Call,
    mock: MockReply,
    differences: Difference[],
    ask: (others: Choices) => Promise<{ mock: MockReply; differences: Difference[] }>
  ): Promise<Difference[]> {
    let left = differences
    const { id: operation } = call.operation
    const placeOf = ({ kind, path, service, mock }: Difference) =>
      `${operation} ${kind} ${path} ${kind === 'status' ? `${service} ${mock}` : ''}`
    const isTried = left.every((it) => this.unexplained.has(placeOf(it)))
    for (let count = 0; count < mostChoices && left.length > 0 && !isTried; count++) {
      let best: { id: string; choice: string; differences: Difference[] } | undefined
      this.isBehind = true
      this.become()
      for (const [id, choice] of this.candidates(call, mock, left)) {
        const { mock: other, differences: all } = await ask({ [id]: choice })
        const isBetter = weightOf(all) < weightOf(best?.differences ?? left)
        // A choice explains an order, or a form, everywhere or not at all.
        const isWhole = !left.every(isSoft) || left.some(({ kind }) => !all.some((it) => it.kind === kind))
        const isOther = left.some(({ kind }) => kind === 'status') && all.some(({ kind }) => kind === 'refusal')
        if (!isBetter || !isWhole || isOther || (other.isIdle && !mock.isIdle)) continue
        best = { id, choice, differences: all }
        if (all.length === 0) break
      }
      if (!best) break
      this.explained(call, best.id, best.choice, left)
      left = best.differences
    }
    for (const it of left) this.unexplained.add(placeOf(it))
    return left
  }

  /** Other choices of the entries that may matter, the most likely first. What is soft is only explained by the first. */
  private *candidates(call: Call, mock: MockReply, left: Difference[]): Iterable<[id: string, choice: string]> {
    const { ledger, sandbox } = this.options
    const { operation, status } = call
    const { choices } = sandbox
    const isHard = left.some((it) => !isSoft(it))
    const isStatus = left.some(({ kind }) => kind === 'status' || kind === 'refusal')
    const isOf = ({ place = [] }: LedgerEntry) => place.includes(operation.code) || place.includes(operation.id)
    const isGeneral = ({ place = [] }: LedgerEntry) => !place.some((it) => /^E\d/.test(it))
    const all = [
      ...ledger.filter(({ id }) => mock.assumed.includes(id)),
      ...ledger.filter((it) => isHard && isOf(it)),
      ...ledger.filter((it) => isStatus && isGeneral(it))
    ].filter(({ id }) => isHard || (this.answers.get(id) === undefined && !this.agreed.has(id)))
    for (const entry of new Set(all)) {
      if (entry.fixed) continue
      for (const choice of Object.keys(entry.choices)) {
        if (choice === choices[entry.id]) continue
        if (!choice.includes('<')) yield [entry.id, choice]
        else if (choice === 'fields:<fields>' && status === 422) {
          const fields = missingFields(call).map((it) => `${operation.id}.${it}`)
          const known = fieldsIn(choices[entry.id])
          if (fields.length > 0) yield [entry.id, `fields:${[...new Set([...known, ...fields])].join(',')}`]
        }
      }
    }
  }

  private explained(call: Call, id: string, choice: string, differences: Difference[]): void {
    const [difference] = [...differences].sort((a, b) => Number(isSoft(a)) - Number(isSoft(b)))
    const evidence = `${call.operation.id}: ${sentence(difference as Difference, this.hidden(call))}`
    const before = this.answers.get(id)
    if (before !== undefined && before !== choice && !choice.startsWith('fields:')) {
      const isMild = differences.every((it) => isSoft(it) || (hasVanished(it) && this.isOfAnother(call, this.book)))
      if (this.changed.has(id) && !isMild)
        this.find(call, 'same_as_mock', `always ${id}=${before}`, `${id}=${choice}: ${evidence}`, `${id} alternates`)
      this.changed.add(id)
    }
    this.assume(id, choice, evidence)
  }

  /** What a difference is that no choice explains. */
  private judge(call: Call, before: Book, it: Difference, isVague: boolean): void {
    const { operation } = call
    const { kind, field = '', path } = it
    const text = sentence(it, this.hidden(call))
    const isRefused = (it.service as number) >= 400
    const mayDepend = isVague || (hasVanished(it) && namedBy(call, before).length === 0)
    // Who may use a row that is there is the mock's decision.
    const isThere = emailsIn(call).length === 0 && !this.isNotThere(call, before) && !this.isOfAnother(call, before)
    if (kind === 'status' && (isRefused ? mayDepend : it.mock === 404 && isThere)) {
      this.leave(call, text, 'the mock cannot know all rows that it depends on')
      return
    }
    // A rule of the mock's own refuses what the contract takes.
    const isLenient = kind === 'status' && [400, 422].includes(it.mock as number)
    const isOwnLimit = kind === 'status' && (it.mock as number) < 300 && namesPlaces(call)
    // Who sees the rows of others is open.
    const isHidden = kind === 'status' && hasVanished(it) && this.isOfAnother(call, before)
    if (isSoft(it) || isLenient || isOwnLimit || isHidden) {
      this.answers.add(`${operation.id}.${path || 'status'}`, kind, `${text}: the ledger has no choice for it`)
      return
    }
    const entry = this.knownRow(before, it)
    // Derived from rows that may not be known.
    if (kind !== 'status' && !operation.isReading && !(entry && field in entry.fields) && !isSent(call, it)) {
      this.leave(call, text, 'it may depend on rows that the mock cannot know')
      return
    }
    const step = entry && this.steps[entry.number]
    const isDirect = kind === 'status' ? !hasVanished(it) : !operation.isReading || step?.isReading === false
    const [expected, got] = [shown(it.mock, this.hidden(call)), shown(it.service, this.hidden(call))]
    const found = [checkFor(call, it), expected, got, placeIn(it), this.sequence(entry?.number)] as const
    if (isDirect || kind === 'extra') {
      this.find(call, ...found)
      return
    }
    // Another client may have done it, unless it happens again after the same calls.
    const key = `${operation.id} ${kind} ${path}`
    const causes = this.writesSince(entry?.number)
    if (this.suspicions.isRepeated(key, causes)) this.find(call, ...found)
    else this.leave(call, text, 'it changed once, which may be another client')
  }

  /** Whether a call names a row that is known not to be there. */
  private isNotThere(call: Call, { gone }: Book, named = namedBy(call, this.book)): boolean {
    return named.some(
      ({ collection, id }) => gone.get(collection)?.has(id) || this.absent.has(`${call.caller} ${collection} ${id}`)
    )
  }

  /** Whether a call names a row that belongs to another user. */
  private isOfAnother(call: Call, before: Book): boolean {
    const { collection: users } = before.contract.api.users
    const id = before.callers.get(call.caller)?.id
    return namedBy(call, before).some((it) => {
      const { references = {} } = before.contract.collections.get(it.collection) ?? {}
      const { fields = {} } = before.rowsOf(it.collection).get(it.id) ?? {}
      return Object.keys(references).some((name) => references[name] === users && (fields[name] ?? id) !== id)
    })
  }

  /** The operations that may have changed something since an exchange. */
  private writesSince(number = 0): Set<string> {
    return new Set(this.steps.slice(number, -1).flatMap((it) => (it.isReading ? [] : [it.operation])))
  }

  /** The calls that lead to a finding: the one that showed the row, and those that changed something since. */
  private sequence(number: number | undefined): string[] {
    const last = this.steps.at(-1) as Step
    if (number === undefined || number === this.steps.length - 1) return [last.curl]
    const between = this.steps.slice(number + 1, -1).filter((it) => !it.isReading)
    return [this.steps[number] as Step, ...between.slice(-longestSequence), last].map((it) => it.curl)
  }

  private find(call: Call, check: Check, expected: string, got: string, title: string, sequence?: string[]): void {
    const { curl } = this.steps.at(-1) as Step
    const { id: operation } = call.operation
    this.results.broken({ operation, check, title, expected, got, curl, sequence: sequence ?? [curl] })
  }

  private leave({ operation }: Call, subject: string, why: string): void {
    this.results.couldNot(operation.id, subject, why)
  }

  private hidden({ operation }: Call): Hidden {
    const redacted = this.options.sandbox.contract.redactionOf(operation)
    return (value) => (redacted && value !== undefined ? (redacted.reply(value) as Json) : value)
  }

  private curlOf({ operation, caller, body }: Call, { method, target, headers, body: text }: Traffic): string {
    const redacted = this.options.sandbox.contract.redactionOf(operation)
    const sent = redacted && Object.keys(body).length > 0 ? JSON.stringify(redacted.request(body)) : text
    const [first] = this.book.callers.keys()
    const token = first === undefined || first === caller ? '$TOKEN' : '$USER_TOKEN'
    const authorization = headers.authorization === undefined && headers.cookie === undefined ? null : `Bearer ${token}`
    const type = headers['content-type']
    const sentCall = {
      operation,
      method,
      target,
      headers: type !== undefined && sent !== '' ? { 'Content-Type': type } : {},
      ...(sent !== '' && { body: Buffer.from(sent) })
    } as Sent
    return curlOf(this.options.url, sentCall, authorization, [])
  }
}
