import { type Choices, isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { once } from '../../engine/contract/once.js'
import type { ShadowReport } from '../../engine/contract/types.gen.js'
import { Book } from '../record/book.js'
import { type Call, callOf, type Traffic } from '../record/traffic.js'
import { count } from '../texts.js'
import { Redaction } from '../verify/calls/redact.js'
import { Answers } from '../verify/learn/answers.js'
import { Readings } from '../verify/learn/readings.js'
import { type Check, Results } from '../verify/results.js'
import type { VerifyResult } from '../verify/verify.js'
import {
  emailsIn,
  fieldsShown,
  hasOthers,
  isDecodable,
  isSent,
  namesPlaces,
  otherRow,
  removedBy,
  saysPublic,
  withRows
} from './calls.js'
import {
  type Answered,
  compare,
  type Difference,
  hasVanished,
  isCut,
  isOfAccess,
  isOfRows,
  isSoft,
  weightOf
} from './compare.js'
import {
  checkFor,
  checkOf,
  hiddenIn,
  hiddenTarget,
  Pairs,
  placeIn,
  Suspicions,
  sentAs,
  sentence,
  shown
} from './findings.js'
import { Knowledge, type Scope } from './knowledge.js'
import { Filters, isAll, isTotal } from './lists.js'
import { choicesFor, OpenQuestions } from './open.js'
import { Parameters } from './parameters.js'
import type { MockReply, ShadowSandbox } from './sandbox.js'

export interface FollowerOptions {
  /** The service's address, for reports. */
  url: string
  sandbox: ShadowSandbox
  /** Whether the API is that of a document. */
  isDescribed: boolean
  /** Whether choices that are the same as the mock's are answers, too. It takes a try of each other choice. */
  isThorough: boolean
}

const uuid = /\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/gi

const overlapped = 'it depends on the order of calls that overlapped'
const unknownRows = 'the mock cannot know all rows that it depends on'

const excluded = 'a row is shown that the call excludes'

/** The highest number of choices that explain one exchange. */
const mostChoices = 3

/** So often new rows must appear after the same calls. */
const leastAppeared = 3
/** The highest number of calls that try to confirm a choice. */
const mostConfirmations = 3

const hasStatus = (all: readonly Difference[]) => all.some(({ kind }) => kind === 'status')

/** What the mock answers, and how the service's answer differs. */
interface Trial {
  mock: MockReply
  differences: Difference[]
  /** Those that cannot be due to rows that the mock does not know. */
  open: Difference[]
  scope: Scope
}

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
  /** Hides what is secret in its replies. */
  private hidden: ReturnType<typeof hiddenIn> = (it) => it
  /** Differences that no choice explains, so that choices are tried only once. */
  private readonly unexplained = new Set<string>()
  /** Entries that answers of both depended on, and that were the same. */
  private readonly agreed = new Set<string>()
  /** How often each entry was tried. */
  private readonly confirmations = new Map<string, number>()
  private readonly parameters = new Parameters()
  private readonly openQuestions: OpenQuestions
  /** Choices that replaced an earlier answer. */
  private readonly changed = new Set<string>()
  private readonly knowledge: Knowledge
  /** Whether the sandbox has other rows than the book. */
  private isBehind = true
  /** The number of calls that the service did not answer. */
  private missed = 0

  constructor(private readonly options: FollowerOptions) {
    const { sandbox, isDescribed } = options
    this.openQuestions = new OpenQuestions(sandbox.contract)
    this.knowledge = new Knowledge(new Book(sandbox.contract), sandbox.recording)
    this.readings = new Readings(sandbox.ledger, sandbox.choices, isDescribed ? sandbox.contract : undefined)
    this.results = new Results(new Set(sandbox.contract.operations.keys()), () => {})
    this.answers = new Answers(this.readings, this.redaction)
  }

  get shadowReport(): ShadowReport {
    return { url: this.options.url, operations: this.pairs.list }
  }

  get result(): VerifyResult {
    const { findings, checks, notChecked } = this.results
    const calls = this.knowledge.steps.length + this.missed
    const isEmpty = calls > 0 && checks.length === 0
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
      ...(this.options.isDescribed && { ledger: this.options.sandbox.ledger }),
      ...(isEmpty && { problem: `none of ${count(calls, 'call')} could be compared.` }),
      exitCode: findings.length > 0 ? 1 : isEmpty ? 2 : 0
    }
  }

  miss(operation: string, why: string): void {
    this.missed++
    this.results.couldNot(operation, 'an answer', why)
  }

  /** `broken`: what breaks the contract in the answer. */
  async follow(original: Traffic, broken: readonly string[]): Promise<void> {
    const { sandbox } = this.options
    const traffic = { ...original, text: original.text.replace(uuid, (it) => it.toLowerCase()) }
    const call = callOf(sandbox.contract, traffic, this.knowledge.steps.length)
    if (!call) return
    const { status } = call
    const curl = sentAs(this.options.url, this.knowledge.book, call, traffic)
    const whyUnclear = this.openQuestions.whyNot(call)
    this.knowledge.begin(call, { curl, isMixed: traffic.isMixed ?? false, whyUnclear })
    this.answers.latest = this.knowledge.latest.curl
    this.notes = []
    this.hidden = hiddenIn(sandbox.contract, call)
    if (traffic.text !== original.text) this.allow(call, 'UUIDs', 'form', 'the service answers UUIDs in capitals')
    if (!isDecodable(traffic.target)) return this.leave(call, 'the path', 'it cannot be decoded')
    for (const it of broken) {
      const text = it.replace(/^response: /, '')
      this.find(
        call,
        checkOf(text),
        `an answer that the contract allows, but: ${text}`,
        text,
        text.replace(/\d+/g, 'n')
      )
    }
    if (status >= 300 && status < 400) return this.leave(call, 'a redirect', 'redirects are not followed')
    if ([429, 502, 503, 504].includes(status)) return this.leave(call, 'an overload', `the service answered ${status}`)
    const next = this.knowledge.book.copy()
    try {
      next.read(call, sandbox.recording)
    } catch {
      return this.leave(call, 'the reply', 'its rows cannot be read')
    }
    try {
      if (broken.length > 0 || status >= 500) return
      this.learnForm(call)
      await this.compare(call, traffic, next)
    } finally {
      const isChanged = whyUnclear !== undefined && !call.operation.isReading
      const isOther = isChanged || hasOthers(next, this.knowledge.book)
      this.isBehind ||= broken.length > 0 || status >= 500 || traffic.isMixed || isOther
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

  private async compare(call: Call, traffic: Traffic, next: Book): Promise<void> {
    const { sandbox } = this.options
    const { operation, status, reply } = call
    const { before } = this.knowledge
    const isVague = this.knowledge.isVague(call)
    if (status < 300) this.noteAppeared(call)
    const misfits = [...this.knowledge.misfits(call)]
    for (const { id, isMissing, since } of misfits) {
      const title = isMissing ? 'a row was left out that the call asks for' : excluded
      const got = isMissing ? `the row ${id} only before and after it` : `the row ${id}`
      this.find(call, 'same_as_mock', 'the rows that are asked for', got, title, this.knowledge.sequence(since))
    }
    const other = otherRow(call, this.knowledge.latest.rows)
    if (other !== undefined) {
      const [expected, got] = [`the row ${this.knowledge.latest.rows[0]?.id}`, `the row ${other}`]
      return this.find(call, 'same_as_mock', expected, got, 'a row that the path does not name')
    }
    this.knowledge.book = withRows(before, call, next)
    if (this.knowledge.book !== before) this.isBehind = true
    const isOutside = operation.form || (sandbox.recording.outside?.has(operation.id) ?? false)
    if (isOutside) this.leave(call, 'the content', 'only its form is compared')
    const names = once(() => fieldsShown(sandbox.contract, call))
    const isMoving = ({ row, rowId = null }: Difference) => {
      const collection = (row && this.knowledge.kinds.of(row)) ?? ''
      return !before.gone.get(collection)?.has(rowId as string) && sandbox.isMoving(collection, rowId)
    }
    const ask = async (others?: Choices, target = traffic.target): Promise<Trial> => {
      if (this.isBehind) sandbox.become(this.knowledge.book)
      this.isBehind = false
      const sent = { ...traffic, target }
      const mock = await sandbox.ask(call, sent, next.now, { others, removed: removedBy(call, next) })
      // One id of the mock stands for one id of the service.
      const ids = new Map<Json, Json>()
      const isNew = (first: Json, second: Json, field: string) =>
        this.knowledge.isNew(call, next, field, first, second) &&
        (ids.has(second) ? ids.get(second) === first : ids.set(second, first) !== undefined)
      const hasField = (row: JsonObject, field: string) =>
        names().has(field) && this.knowledge.kinds.hasField(row, field)
      const all = compare({ status, body: reply }, mock, { isNew, hasField, now: next.now })
      const isFound = ({ kind, rowId }: Difference) =>
        kind === 'extra' && misfits.some(({ id }) => id === `${rowId}`.toLowerCase())
      const differences = all.filter((it) => !isFound(it) && (!isOutside || isOfAccess(it)))
      const hasSameRows = !all.some(isOfRows)
      const isWhole = hasSameRows && this.knowledge.inLists(call).isWhole && new Filters(call).areAll
      const areAll = isAll(call, reply) && isAll(call, mock.body)
      const scope = { isVague, isAll: areAll, isWhole, isCounted: areAll && hasSameRows }
      return { mock, differences, open: differences.filter((it) => whyNot(it, scope) === undefined), scope }
    }
    /** Why a difference cannot be judged. */
    const whyNot = (it: Difference, scope: Scope) => {
      if (this.knowledge.isMixed(it)) return overlapped
      const why = this.openQuestions.whyNotJudged(call, it, it.row && this.knowledge.kinds.of(it.row), before)
      if (why !== undefined) return why
      if (this.knowledge.isUnknown(call, it, scope)) return unknownRows
      if (!it.path.endsWith(' twice') && isMoving(it)) return 'its status changes with time'
      return isOfAccess(it) ? undefined : this.knowledge.whyUnclear(it)
    }
    const isFresh = this.isBehind
    let trial = await ask()
    if (hasStatus(trial.differences) && (await this.hasOtherRole(call, next, ask))) trial = await ask()
    if (!isFresh && trial.open.length > 0) {
      // What the mock has done since may not be what the replies have shown.
      this.isBehind = true
      trial = await ask()
    }
    const { mock, differences, open, scope } = trial
    for (const why of new Set(differences.flatMap((it) => whyNot(it, scope) ?? [])))
      this.leave(call, why === overlapped ? 'the order of calls' : 'rows', why)
    if (differences.length === 0) {
      this.results.held(operation.id, 'same_as_mock')
      for (const id of mock.assumed) this.agreed.add(id)
      const wrong = operation.isReading
        ? await this.parameters.refute(call, traffic.target, async (target) => (await ask({}, target)).differences)
        : []
      for (const { name, as } of wrong)
        this.find(call, 'same_as_mock', `${name} always ${as}`, 'not here', `${operation.id}.${name} alternates`)
      if (this.options.isThorough) await this.confirm(call, mock, ask)
    }
    if (open.length > 0) {
      this.isBehind = true
      const openIn = async (others: Choices, target?: string) => {
        const other = await ask(others, target)
        // What only another choice refuses is not explained by it, whichever rows are unknown.
        return hasStatus(other.differences) && !hasStatus(differences) ? { ...other, open: other.differences } : other
      }
      const openAt = async (target: string) => (await openIn({}, target)).open
      const mayBeRead = operation.isReading && !open.every(isSoft)
      const reading = mayBeRead && (await this.parameters.explain(call, traffic.target, openAt))
      if (reading) this.allow(call, reading.name, reading.as, sentence(open[0] as Difference, this.hidden))
      const rest = reading ? [] : await this.explain(call, mock, open, openIn)
      for (const it of rest) this.judge(call, it, scope, rest)
    }
    const shown = ({ status, body }: Answered) => ({
      status,
      ...(body !== undefined && { body: this.hidden(body) as Json })
    })
    const request = `${traffic.method} ${hiddenTarget(traffic.target)}`
    const pair = { request, service: shown({ status, body: reply }), mock: shown(mock), notes: this.notes }
    if (differences.length === 0 || open.length > 0) this.pairs.add(operation.id, differences.length === 0, pair)
    this.knowledge.remember(call)
    this.openQuestions.remember(call, mock.status)
  }

  /** Finds out the role of a caller that no reply has shown. */
  private async hasOtherRole(call: Call, next: Book, ask: () => Promise<Trial>): Promise<boolean> {
    const caller = this.knowledge.book.callers.get(call.caller)
    if (!caller || caller.role !== undefined) return false
    for (const role of ['admin', 'basic', 'curator']) {
      caller.role = role
      this.isBehind = true
      const { differences } = await ask()
      this.isBehind = true
      if (hasStatus(differences)) continue
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
    ask: (others: Choices) => Promise<Trial>
  ): Promise<Difference[]> {
    let rest = differences
    const { id: operation } = call.operation
    // What explains it depends on what the mock's answer depends on.
    const placeOf = ({ kind, path, service, mock: own }: Difference) =>
      `${operation} ${kind} ${path} ${kind === 'status' ? `${service} ${own}` : ''} ${mock.assumed}`
    const isTried = rest.every((it) => this.unexplained.has(placeOf(it)))
    for (let count = 0; count < mostChoices && rest.length > 0 && !isTried; count++) {
      let best: { id: string; choice: string; differences: Difference[] } | undefined
      this.isBehind = true
      const { sandbox } = this.options
      const isSettled = (id: string) => this.answers.get(id) !== undefined || this.agreed.has(id)
      for (const [id, choice] of choicesFor(call, rest, sandbox, mock.assumed, isSettled)) {
        const { mock: other, open: all } = await ask({ [id]: choice })
        const isBetter = weightOf(all) < weightOf(best?.differences ?? rest)
        // A choice explains an order, or a form, everywhere or not at all.
        const hard = rest.filter((it) => !isSoft(it))
        const isWhole =
          hard.length > 0
            ? weightOf(all.filter((it) => !isSoft(it))) < weightOf(hard)
            : rest.some(({ kind }) => !all.some((it) => it.kind === kind))
        const isOther = hasStatus(rest) && all.some(({ kind }) => kind === 'refusal')
        // Only what explains everything takes the place of an answer.
        const isSecond =
          !choice.startsWith('fields:') && (this.answers.get(id) ?? choice) !== choice && all.some((it) => !isSoft(it))
        if (!isBetter || !isWhole || isOther || isSecond || (other.isIdle && !mock.isIdle)) continue
        best = { id, choice, differences: all }
        if (all.length === 0) break
      }
      if (!best) break
      this.explained(call, best.id, best.choice, rest)
      rest = best.differences
    }
    for (const it of rest) this.unexplained.add(placeOf(it))
    return rest
  }

  /** Finds the entries of which no other choice gives the same answer: the service has the choice in force. */
  private async confirm(call: Call, { assumed }: MockReply, ask: (others: Choices) => Promise<Trial>): Promise<void> {
    const { sandbox } = this.options
    for (const { id, choices, fixed } of sandbox.ledger) {
      const current = sandbox.choices[id] ?? ''
      const others = Object.keys(choices).filter((it) => it !== current && !it.includes('<'))
      const tries = this.confirmations.get(id) ?? 0
      if (fixed || !assumed.includes(id) || this.answers.get(id) !== undefined || tries >= mostConfirmations) continue
      this.confirmations.set(id, tries + 1)
      this.isBehind = true
      let isOnly = others.length > 0
      for (const choice of others) {
        const { mock, differences } = await ask({ [id]: choice })
        isOnly &&= differences.length > 0 || mock.status !== call.status
      }
      if (isOnly) this.answers.add(id, current, `${call.operation.id}: only this choice gives the service's answer`)
      this.isBehind = true
    }
  }

  private explained(call: Call, id: string, choice: string, differences: Difference[]): void {
    const [difference] = [...differences].sort((a, b) => Number(isSoft(a)) - Number(isSoft(b)))
    const evidence = `${call.operation.id}: ${sentence(difference as Difference, this.hidden)}`
    const before = this.answers.get(id)
    if (before !== undefined && before !== choice && !choice.startsWith('fields:')) {
      const isMild = differences.every((it) => isSoft(it) || (hasVanished(it) && this.knowledge.isOfAnother(call)))
      if (this.changed.has(id) && !isMild)
        this.find(call, 'same_as_mock', `always ${id}=${before}`, `${id}=${choice}: ${evidence}`, `${id} alternates`)
      this.changed.add(id)
    }
    this.assume(id, choice, evidence)
    this.notes.push(`${id}=${choice}`)
  }

  /** What a difference is that no choice explains. */
  private judge(call: Call, it: Difference, { isVague, isAll }: Scope, rest: Difference[]): void {
    const { operation } = call
    const { latest, steps } = this.knowledge
    const { kind, field = '', path } = it
    const text = sentence(it, this.hidden)
    const isRefused = (it.service as number) >= 400
    const mayDepend = isVague || (hasVanished(it) && latest.rows.length === 0)
    // Who may use a row that is there is the mock's decision.
    const isThere = emailsIn(call).length === 0 && !this.knowledge.isNotThere(call) && !this.knowledge.isOfAnother(call)
    const entry = this.knowledge.rowBefore(it)
    const step = entry && steps[entry.number]
    const isAlike = (other: Difference) =>
      other.kind === kind && this.knowledge.rowBefore(other)?.number === entry?.number
    const isOpenRow = kind === 'missing' && entry && this.knowledge.mayBeRemoved(it, entry, rest.filter(isAlike).length)
    const isUnknown = kind === 'status' && (isRefused ? mayDepend : it.mock === 404 && isThere)
    const isOfPages = it.isShifted && !isAll && isObject(it.service ?? it.mock)
    // A rule of the mock's own refuses what the contract takes.
    const isLenient = kind === 'status' && [400, 422].includes(it.mock as number)
    const isOwnRule =
      ([400, 409].includes(it.service as number) || namesPlaces(call)) && !this.openQuestions.refusesAll(call)
    const isOwnLimit = kind === 'status' && (it.mock as number) < 300 && isOwnRule
    // Who sees the rows of others is open.
    const isSeen = this.knowledge.hasRead(call)
    const isOfAnother = kind === 'status' && this.knowledge.isOfAnother(call)
    const isHidden = isOfAnother && hasVanished(it) && !isSeen
    const isPublic = isOfAnother && it.mock === 404 && operation.isReading && saysPublic(call)
    // A value that was made from another field.
    const isMade = kind === 'value' && step?.operation.isReading === false && !step.sent.has(field) && isCut(it)
    const isLegal = isSoft(it) || isLenient || isOwnLimit || isHidden || isPublic || isMade
    const isKnown = (entry && field in entry.fields) || isSent(call, it)
    const isShown = isTotal(path, field) || !operation.isReading || step?.operation.isReading === false
    const isDirect = kind === 'status' ? !hasVanished(it) : isShown
    const since = entry?.number
    const causes = () => this.knowledge.causesSince(since, kind === 'status' ? latest.rows[0] : undefined)
    if (isOpenRow) this.leave(call, 'rows', unknownRows)
    else if (isUnknown) this.leave(call, text, unknownRows)
    else if (this.openQuestions.mayRefuse(call, it))
      this.leave(call, text, 'the document does not say which values fit together')
    else if (isOfPages) this.leave(call, 'pages', unknownRows)
    else if (it.mayBeLimited) this.leave(call, 'rows', 'a list of so many rows may be limited')
    else if (isLegal) this.allow(call, path || 'status', kind, text)
    else if (kind !== 'status' && !operation.isReading && !isKnown)
      this.leave(call, text, 'it may depend on rows that the mock cannot know')
    // Another client may have done it, unless it happens again after the same calls.
    else if (isDirect || kind === 'extra' || this.suspicions.isRepeated(`${operation.id} ${kind} ${path}`, causes())) {
      const [expected, got] = [it.mock, it.service].map((value) => shown(value, this.hidden, field)) as [string, string]
      const isExcluded = checkFor(call, it) === 'use_after_free' && !this.knowledge.isRemoved(it)
      const [check, title]: [Check, string] = isExcluded
        ? ['same_as_mock', excluded]
        : [checkFor(call, it), placeIn(it)]
      this.find(call, check, expected, got, title, this.knowledge.sequence(since, it))
    } else this.leave(call, text, 'it changed once, which may be another client')
  }

  /** Rows that no call has created are those of other clients, unless they appear repeatedly after the same calls. */
  private noteAppeared(call: Call): void {
    const it = this.knowledge.appeared(call)
    if (!it) return
    const key = `${call.operation.id} ${it.path} appeared`
    if (!this.suspicions.isRepeated(key, this.knowledge.causesSince(it.since), leastAppeared)) return
    const title = `${it.path} has a row that no call has made`
    this.find(call, 'others_untouched', 'no further row', it.id, title, this.knowledge.sequence(it.since))
  }

  private find(call: Call, check: Check, expected: string, got: string, title: string, sequence?: string[]): void {
    const { curl } = this.knowledge.latest
    const { id: operation } = call.operation
    this.notes.push(`finding: ${title}`)
    this.results.broken({ operation, check, title, expected, got, curl, sequence: sequence ?? [curl] })
  }

  /** The contract allows it, and the ledger has no entry for it. */
  private allow({ operation }: Call, place: string, kind: string, text: string): void {
    this.answers.add(`${operation.id}.${place}`, kind, `${text}: not open to the ledger`)
    this.notes.push('not open to the ledger')
  }

  private leave({ operation }: Call, subject: string, why: string): void {
    this.notes.push(`not checked: ${why}`)
    this.results.couldNot(operation.id, subject, why)
  }
}
