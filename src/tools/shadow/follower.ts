import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { type Choices, isObject, type Json } from '../../engine/contract/load.js'
import type { ShadowReport } from '../../engine/contract/types.gen.js'
import { fieldsIn } from '../../engine/contract/validation/field-choices.js'
import { Book, type Recording } from '../record/book.js'
import { type Call, callOf, type Traffic } from '../record/traffic.js'
import { Redaction } from '../verify/calls/redact.js'
import { curlOf, type Call as Sent } from '../verify/calls/request.js'
import { Answers } from '../verify/learn/answers.js'
import { Readings } from '../verify/learn/readings.js'
import { type Check, Results } from '../verify/results.js'
import type { VerifyResult } from '../verify/verify.js'
import {
  emailsIn,
  hasOthers,
  isDecodable,
  isSent,
  missingFields,
  namedBy,
  namesPlaces,
  removedBy,
  withRows
} from './calls.js'
import { type Answered, compare, type Difference, hasVanished, isOfAccess, isSoft, weightOf } from './compare.js'
import { checkFor, checkOf, type Hidden, placeIn, Suspicions, sentence, shown } from './findings.js'
import { Knowledge, type Step } from './knowledge.js'
import { Pairs } from './pairs.js'
import type { MockReply, ShadowSandbox } from './sandbox.js'

export interface FollowerOptions {
  /** The service's address, for reports. */
  url: string
  sandbox: ShadowSandbox
  recording: Recording
  ledger: readonly LedgerEntry[]
  /** Whether the API is that of a document. */
  isDescribed: boolean
  /** Whether choices that are the same as the mock's are answers, too. It takes a try of each other choice. */
  isThorough: boolean
}

/** The highest number of choices that explain one exchange. */
const mostChoices = 3

/** So often new rows must appear after the same calls. */
const leastAppeared = 3
/** The highest number of calls that try to confirm a choice. */
const mostConfirmations = 3

/** Follows the calls of clients, in their order: the mock does the same, and the answers are compared. */
export class Follower {
  private readonly results: Results
  private readonly answers: Answers
  private readonly readings: Readings
  private readonly redaction = new Redaction({ token: '', userToken: undefined, headers: {} }, [])
  private readonly startedAt = new Date().toISOString()
  private readonly suspicions = new Suspicions()
  private readonly pairs = new Pairs()
  /** What was made of the differences of the current call. */
  private notes: string[] = []
  /** Differences that no choice explains, so that choices are tried only once. */
  private readonly unexplained = new Set<string>()
  /** Entries that answers of both depended on, and that were the same. */
  private readonly agreed = new Set<string>()
  /** How often each entry was tried. */
  private readonly confirmations = new Map<string, number>()
  /** Choices that replaced an earlier answer. */
  private readonly changed = new Set<string>()
  private readonly knowledge: Knowledge
  /** Whether the sandbox has other rows than the book. */
  private isBehind = true

  constructor(private readonly options: FollowerOptions) {
    const { sandbox, recording, ledger, isDescribed } = options
    this.knowledge = new Knowledge(new Book(sandbox.contract), recording)
    this.readings = new Readings(ledger, sandbox.choices, isDescribed ? sandbox.contract : undefined)
    this.results = new Results(new Set(sandbox.contract.operations.keys()), () => {})
    this.answers = new Answers(this.readings, this.redaction)
  }

  get shadowReport(): ShadowReport {
    return { url: this.options.url, operations: this.pairs.list }
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
    const call = callOf(sandbox.contract, traffic, this.knowledge.steps.length)
    if (!call) return
    const { operation, status, reply } = call
    const { id, isReading, method } = operation
    const rows = namedBy(call, this.knowledge.book)
    const isDeletion = method === 'DELETE' && status < 300
    this.knowledge.steps.push({ operation: id, isReading, isDeletion, rows, curl: this.curlOf(call, traffic) })
    this.answers.latest = this.knowledge.steps.at(-1)?.curl
    this.notes = []
    if (!isDecodable(traffic.target)) return this.leave(call, 'the path', 'it cannot be decoded')
    for (const it of broken) {
      const text = it.replace(/^response: /, '')
      this.find(call, checkOf(text), 'an answer that the contract allows', text, text.replace(/\d+/g, 'n'))
    }
    if (status >= 300 && status < 400) return this.leave(call, 'a redirect', 'redirects are not followed')
    if ([429, 502, 503, 504].includes(status)) return this.leave(call, 'an overload', `the service answered ${status}`)
    const next = this.knowledge.book.copy()
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
      await this.compare(call, traffic, next, reply)
    } finally {
      this.isBehind ||= broken.length > 0 || status >= 500 || hasOthers(next, this.knowledge.book)
      this.knowledge.book = next
      for (const { email } of next.all(next.contract.api.users.collection))
        if (typeof email === 'string') this.knowledge.emails.add(email.toLowerCase())
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

  private async compare(call: Call, traffic: Traffic, next: Book, reply: Json | undefined): Promise<void> {
    const { sandbox, recording } = this.options
    const { operation, status } = call
    const before = this.knowledge.book
    const isVague = this.knowledge.isVague(call)
    if (status < 300) this.noteAppeared(call)
    this.knowledge.book = withRows(this.knowledge.book, call, next)
    if (this.knowledge.book !== before) this.isBehind = true
    const service = { status, body: reply }
    const isOutside = operation.form || (recording.outside?.has(operation.id) ?? false)
    const ask = async (others?: Choices) => {
      const mock = await sandbox.ask(call, traffic, next.now, { others, removed: removedBy(call, next) })
      // One id of the mock stands for one id of the service.
      const made = new Map<Json, Json>()
      const isNew = (first: Json, second: Json, field: string) =>
        this.knowledge.isNew(call, next, field, first, second) &&
        (made.has(second) ? made.get(second) === first : made.set(second, first) !== undefined)
      const differences = compare(service, mock, { isNew, hasField: this.knowledge.kinds.hasField, now: next.now })
      return { mock, differences: isOutside ? differences.filter(isOfAccess) : differences }
    }
    const isFresh = this.isBehind
    this.become()
    let { mock, differences } = await ask()
    if (differences.some(({ kind }) => kind === 'status') && (await this.hasOtherRole(call, next, ask))) {
      this.become()
      ;({ mock, differences } = await ask())
    }
    const isMoving = ({ row, rowId = null }: Difference) => {
      const collection = (row && this.knowledge.kinds.of(row)) ?? ''
      return !before.gone.get(collection)?.has(rowId as string) && sandbox.isMoving(collection, rowId)
    }
    const isOpen = (it: Difference) =>
      !this.knowledge.isUnknown(call, before, it, isVague) && (it.path.endsWith(' twice') || !isMoving(it))
    if (!isFresh && differences.some(isOpen)) {
      // What the mock has done since may not be what the replies have shown.
      this.isBehind = true
      this.become()
      ;({ mock, differences } = await ask())
    }
    const open = differences.filter(isOpen)
    const first = mock
    if (open.length < differences.length) this.leave(call, 'rows', 'the mock cannot know all rows that it depends on')
    if (differences.length === 0) {
      for (const id of mock.assumed) this.agreed.add(id)
      if (this.options.isThorough) await this.confirm(call, mock, ask)
    }
    if (open.length === 0) this.results.held(operation.id, 'same_as_mock')
    else {
      this.isBehind = true
      const openIn = async (others: Choices) => {
        const { mock, differences: all } = await ask(others)
        return { mock, differences: all.filter(isOpen) }
      }
      const left = await this.explain(call, mock, open, openIn)
      for (const it of left) this.judge(call, before, it, isVague, left)
    }
    const shown = ({ status, body }: Answered) => ({
      status,
      ...(body !== undefined && { body: hidden(body) as Json })
    })
    const hidden = this.hidden(call)
    const request = `${traffic.method} ${traffic.target}`
    const pair = { request, service: shown(service), mock: shown(first), notes: this.notes }
    this.pairs.add(operation.id, open.length === 0, pair)
    this.knowledge.remember(call)
  }

  private become(): void {
    if (this.isBehind) this.options.sandbox.become(this.knowledge.book)
    this.isBehind = false
  }

  /** Finds out the role of a caller that no reply has shown. */
  private async hasOtherRole(
    call: Call,
    next: Book,
    ask: () => Promise<{ differences: Difference[] }>
  ): Promise<boolean> {
    const caller = this.knowledge.book.callers.get(call.caller)
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

  /** Puts the choices in force that explain differences. Returns those that are left. */
  private async explain(
    call: Call,
    mock: MockReply,
    differences: Difference[],
    ask: (others: Choices) => Promise<{ mock: MockReply; differences: Difference[] }>
  ): Promise<Difference[]> {
    let left = differences
    const { id: operation } = call.operation
    // What explains it depends on what the mock's answer depends on.
    const placeOf = ({ kind, path, service, mock: own }: Difference) =>
      `${operation} ${kind} ${path} ${kind === 'status' ? `${service} ${own}` : ''} ${mock.assumed}`
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

  /** Finds the entries of which no other choice gives the same answer: the service has the choice in force. */
  private async confirm(
    call: Call,
    { assumed }: MockReply,
    ask: (others: Choices) => Promise<{ differences: Difference[] }>
  ): Promise<void> {
    const { ledger, sandbox } = this.options
    for (const { id, choices, fixed } of ledger) {
      const current = sandbox.choices[id] ?? ''
      const others = Object.keys(choices).filter((it) => it !== current && !it.includes('<'))
      const tries = this.confirmations.get(id) ?? 0
      if (fixed || !assumed.includes(id) || this.answers.get(id) !== undefined || tries >= mostConfirmations) continue
      this.confirmations.set(id, tries + 1)
      this.isBehind = true
      this.become()
      let isOnly = others.length > 0
      for (const choice of others) isOnly &&= (await ask({ [id]: choice })).differences.length > 0
      if (isOnly) this.answers.add(id, current, `${call.operation.id}: only this choice gives the service's answer`)
      this.isBehind = true
    }
  }

  private explained(call: Call, id: string, choice: string, differences: Difference[]): void {
    const [difference] = [...differences].sort((a, b) => Number(isSoft(a)) - Number(isSoft(b)))
    const evidence = `${call.operation.id}: ${sentence(difference as Difference, this.hidden(call))}`
    const before = this.answers.get(id)
    if (before !== undefined && before !== choice && !choice.startsWith('fields:')) {
      const isMild = differences.every(
        (it) => isSoft(it) || (hasVanished(it) && this.knowledge.isOfAnother(call, this.knowledge.book))
      )
      if (this.changed.has(id) && !isMild)
        this.find(call, 'same_as_mock', `always ${id}=${before}`, `${id}=${choice}: ${evidence}`, `${id} alternates`)
      this.changed.add(id)
    }
    this.assume(id, choice, evidence)
    this.notes.push(`${id}=${choice}`)
  }

  /** What a difference is that no choice explains. */
  private judge(call: Call, before: Book, it: Difference, isVague: boolean, left: Difference[]): void {
    const { operation } = call
    const { kind, field = '', path } = it
    const text = sentence(it, this.hidden(call))
    const isRefused = (it.service as number) >= 400
    const mayDepend = isVague || (hasVanished(it) && namedBy(call, before).length === 0)
    // Who may use a row that is there is the mock's decision.
    const isThere =
      emailsIn(call).length === 0 &&
      !this.knowledge.isNotThere(call, before) &&
      !this.knowledge.isOfAnother(call, before)
    const entry = this.knowledge.rowBefore(before, it)
    const isAlike = (other: Difference) =>
      other.kind === kind && this.knowledge.rowBefore(before, other)?.number === entry?.number
    const isOpenRow = kind === 'missing' && entry && this.knowledge.mayBeRemoved(it, entry, left.filter(isAlike).length)
    if (isOpenRow) {
      this.leave(call, 'rows', 'the mock cannot know all rows that it depends on')
      return
    }
    if (kind === 'status' && (isRefused ? mayDepend : it.mock === 404 && isThere)) {
      this.leave(call, text, 'the mock cannot know all rows that it depends on')
      return
    }
    if (it.isShifted && isObject(it.service ?? it.mock)) {
      this.leave(call, 'pages', 'the mock cannot know all rows that it depends on')
      return
    }
    // A rule of the mock's own refuses what the contract takes.
    const isLenient = kind === 'status' && [400, 422].includes(it.mock as number)
    const isOwnRule = [400, 409].includes(it.service as number) || namesPlaces(call)
    const isOwnLimit = kind === 'status' && (it.mock as number) < 300 && isOwnRule
    // Who sees the rows of others is open.
    const isSeen = this.knowledge.hasRead(call, namedBy(call, before))
    const isHidden = kind === 'status' && hasVanished(it) && !isSeen && this.knowledge.isOfAnother(call, before)
    if (isSoft(it) || isLenient || isOwnLimit || isHidden) {
      this.answers.add(`${operation.id}.${path || 'status'}`, kind, `${text}: not open to the ledger`)
      this.notes.push('not open to the ledger')
      return
    }
    // Derived from rows that may not be known.
    if (kind !== 'status' && !operation.isReading && !(entry && field in entry.fields) && !isSent(call, it)) {
      this.leave(call, text, 'it may depend on rows that the mock cannot know')
      return
    }
    const step = entry && this.knowledge.steps[entry.number]
    const isDirect = kind === 'status' ? !hasVanished(it) : !operation.isReading || step?.isReading === false
    const [expected, got] = [shown(it.mock, this.hidden(call)), shown(it.service, this.hidden(call))]
    const since = entry?.number
    const found = [checkFor(call, it), expected, got, placeIn(it), this.knowledge.sequence(since)] as const
    if (isDirect || kind === 'extra') {
      this.find(call, ...found)
      return
    }
    // Another client may have done it, unless it happens again after the same calls.
    const key = `${operation.id} ${kind} ${path}`
    const causes = this.knowledge.causesSince(since, kind === 'status' ? namedBy(call, before)[0] : undefined)
    if (this.suspicions.isRepeated(key, causes)) this.find(call, ...found)
    else this.leave(call, text, 'it changed once, which may be another client')
  }

  /** Rows that nobody has made are those of other clients, unless they come again and again after the same calls. */
  private noteAppeared(call: Call): void {
    const [it] = this.knowledge.appeared(call)
    if (!it) return
    const key = `${call.operation.id} ${it.path} appeared`
    if (!this.suspicions.isRepeated(key, this.knowledge.causesSince(it.since), leastAppeared)) return
    const title = `${it.path} has a row that no call has made`
    this.find(call, 'others_untouched', 'no further row', it.id, title, this.knowledge.sequence(it.since))
  }

  private find(call: Call, check: Check, expected: string, got: string, title: string, sequence?: string[]): void {
    const { curl } = this.knowledge.steps.at(-1) as Step
    const { id: operation } = call.operation
    this.notes.push(`finding: ${title}`)
    this.results.broken({ operation, check, title, expected, got, curl, sequence: sequence ?? [curl] })
  }

  private leave({ operation }: Call, subject: string, why: string): void {
    this.notes.push(`not checked: ${why}`)
    this.results.couldNot(operation.id, subject, why)
  }

  private hidden({ operation }: Call): Hidden {
    const redacted = this.options.sandbox.contract.redactionOf(operation)
    return (value) => (redacted && value !== undefined ? (redacted.reply(value) as Json) : value)
  }

  private curlOf({ operation, caller, body }: Call, { method, target, headers, body: text }: Traffic): string {
    const redacted = this.options.sandbox.contract.redactionOf(operation)
    const sent = redacted && Object.keys(body).length > 0 ? JSON.stringify(redacted.request(body)) : text
    const [first] = this.knowledge.book.callers.keys()
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
