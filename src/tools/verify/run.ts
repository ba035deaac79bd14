import { isObject } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import { lettersOf } from '../../engine/contract/text.js'
import { groupBy } from '../texts.js'
import type { ApiTable, Id, RowOperations } from './api.js'
import { type Bounds, LeftOut, Withheld } from './calls/bounds.js'
import type { Asker, Client, Exchange } from './calls/client.js'
import { Patience, Stopped, Unanswered, Unreachable } from './calls/patience.js'
import { Redaction } from './calls/redact.js'
import { type Call, callOf, curlOf, type Input } from './calls/request.js'
import { Silences } from './calls/silence.js'
import { headerOf, type TokenCommands, Tokens } from './calls/tokens.js'
import { Random } from './inputs/generate.js'
import { Answers } from './learn/answers.js'
import { Hints, Needs } from './learn/needs.js'
import type { Readings } from './learn/readings.js'
import { type LostCall, type MadeEntry, type MadeRow, MadeRows, type RowSource, unknownId } from './made.js'
import type { Finding, Results } from './results.js'

/** The limit of judged rows: in a longer list, only this many. */
const mostRows = 1000
/** A service that closes idle connections waits longer than this, in milliseconds. */
const leastIdle = 1000
/** How long a module of the user's may take to make one row, in milliseconds. */
const mostToMake = 60_000
/** After this many replies with a longer list, an operation is judged by samples. */
const mostWhole = 3
const mostRecent = 100

export interface RunSettings {
  url: string
  token: string
  userToken: string | undefined
  headers: { [name: string]: string }
  mutating: boolean
  seed: number
  cases: number
  /** Whether the server reports that it is this mock. Then its rows are known and may be changed. */
  isMock: boolean
  /** Whether the token's user is an administrator. Then every operation must be allowed. */
  isAdmin: boolean
  commands: TokenCommands
  source: RowSource | undefined
  onMade: (rows: readonly MadeRow[]) => void
}

/** One run against one server, shared by all checks. */
export class Run {
  readonly random: Random
  readonly answers: Answers
  readonly redaction: Redaction
  readonly needs: Needs
  readonly bounds: Bounds
  readonly patience: Patience
  readonly silences: Silences
  /** The server's own document. Undefined until it is read. */
  hints: Hints | undefined
  /** The statuses for requests without a token that were seen. */
  readonly refusals = new Set<number>()
  /** Deletions that succeed for missing rows. Their success shows nothing. */
  readonly forgiving = new Set<string>()
  readonly made: MadeRows
  /** How often large replies were read to compare them, by request. */
  readonly largeReads = new Map<string, number>()
  /** The patterns of places that were seen to change without a call. */
  readonly moving = new Set<string>()
  readonly recent: Exchange[] = []
  /** Fields that were set to an empty text. A reply may leave them out. */
  readonly blank = new Set<string>()
  /** Samples of long replies. The client returns the same object for the same body. */
  private readonly samples = new WeakMap<object, unknown>()
  /** How many long replies of an operation were judged in full. */
  private readonly whole = new Map<string, number>()
  private readonly tokens: Tokens
  private readonly sending = new Set<Promise<Exchange>>()
  private marks = 0
  /** In all words of this run. */
  private readonly series: string

  constructor(
    readonly api: ApiTable,
    readonly client: Client,
    readonly readings: Readings,
    readonly results: Results,
    readonly settings: RunSettings,
    /** Checks any reply. `sent` is the Authorization header. */
    private readonly onReply: (run: Run, exchange: Exchange, sent: string | null) => void
  ) {
    this.series = `${lettersOf(settings.seed)}x${lettersOf(Date.now())}q`
    this.random = new Random(settings.seed, api.referring)
    this.needs = new Needs(api, this.random, readings)
    this.redaction = new Redaction(settings, api.secrets)
    this.bounds = client.options.bounds
    this.patience = new Patience(undefined, this.bounds.time)
    this.tokens = new Tokens(settings, settings.commands, this.bounds, (token) => this.redaction.hide(token))
    this.made = new MadeRows(api, (id) => this.operation(id), settings.onMade)
    this.answers = new Answers(readings, this.redaction)
    this.silences = new Silences(
      client,
      (call, curl, got, silence) => {
        const [check, expected] =
          silence === 'unreadable'
            ? (['response_schema_conformance', 'the shape of the contract'] as const)
            : (['request_answered', 'an answer, in the time of --timeout'] as const)
        this.broken({ operation: call.operation.id, check, title: 'any request', expected, got }, curl)
      },
      this.bounds.time
    )
  }

  /** A word that occurs in no row of the server. It has no digits, because a pattern may not allow them. */
  mark(what: string): string {
    return `kcm${what}${this.series}${lettersOf(this.marks++)}z`
  }

  /** Both users, if there are two. */
  get users(): ('admin' | 'user')[] {
    return this.settings.userToken === undefined ? ['admin'] : ['admin', 'user']
  }

  /** How many of several similar requests or rows are used: all, unless fewer cases are wanted than usual. */
  get most(): number {
    const { cases } = this.settings
    return cases < 10 ? Math.max(cases, 1) : Infinity
  }

  /** Whether a text has such a word. */
  isMarked(text: string): boolean {
    return text.includes(this.series)
  }

  /** Creates a row by the module of `--rows`. Undefined: it does not. */
  async make(kind: string, operations: RowOperations): Promise<Id | undefined> {
    const { source } = this.settings
    if (!source) return undefined
    this.bounds.checkTime()
    try {
      const id = await this.bounds.within(source.make(kind), mostToMake)
      if (id === undefined || id === null) return undefined
      if (typeof id !== 'number' && typeof id !== 'string')
        throw new Error(`it returned ${JSON.stringify(id)}, not an id`)
      this.made.add({ kind, id, operation: 'make', there: true }, operations)
      return id
    } catch (error) {
      if (error instanceof LeftOut) throw error
      this.bounds.fail(`make('${kind}') of the module of --rows failed: ${messageOf(error)}.`)
      throw new LeftOut(this.bounds.over)
    }
  }

  /** Does work, and then restores what it may have changed. */
  async restoring(restore: (() => Promise<unknown>) | undefined, work: () => Promise<void>): Promise<void> {
    const { writes } = this.bounds
    try {
      await work()
    } finally {
      if (restore && this.bounds.writes > writes) await this.bounds.cleaning(restore)
    }
  }

  /** Removes the rows of the run, the latest kind first, and finds out which are still there. */
  async cleanUp(): Promise<void> {
    // The answer to a request that nobody waits for any more may name a row.
    await Promise.allSettled(this.sending)
    await this.bounds.cleaning(async () => {
      for (const call of this.made.lost.splice(0)) await this.findRows(call)
    })
    const entries = this.made.entries.toReversed().filter(({ row }) => row.there)
    await this.bounds.cleaning(async () => {
      for (const [, group] of groupBy(entries, ({ row }) => row.kind)) {
        await inBatches(group, 8, (entry) => this.removeRow(entry))
      }
    })
  }

  /** Looks for the rows of a call whose answer was lost, by its texts of this run. */
  private async findRows(call: LostCall): Promise<void> {
    const { operation, input, as } = call
    const { lists = [], key = 'id', kind = '' } = this.api.operations[operation.id]?.makes ?? {}
    const texts = (JSON.stringify(input).match(/\w+/g) ?? []).filter((it) => it.includes(this.series))
    const words = texts.map((it) => it.slice(Math.max(0, it.indexOf('kcm')), it.lastIndexOf('z') + 1)).filter(Boolean)
    const ids: Id[] = []
    for (const [id, listed] of words.length > 0 ? lists : [])
      ids.push(...idsWith((await this.tried(id, { ...listed, path: input.path }, as))?.reply.body, words, key))
    for (const id of ids) if (!this.made.has(id, kind)) this.made.found(call, id)
    if (ids.length === 0) this.made.add({ kind, id: unknownId, operation: operation.id, there: unknownId }, {}, as)
  }

  private async removeRow({ row, as, remove, read }: MadeEntry): Promise<void> {
    const isGone = async (call: NonNullable<typeof read>, user: Asker) => {
      const { status = 0, body } = (await this.tried(...call, user))?.reply ?? {}
      return status === 404 || status === 410 || (call === read && isObject(body) && body[this.api.success] === false)
    }
    if (remove && (await isGone(remove, as))) this.made.gone(row)
    if (read && row.there && (await isGone(read, as))) {
      // It may belong to another user by now.
      const [other] = this.users.filter((it) => it !== as)
      if (!other || (await isGone(read, other))) this.made.gone(row)
    }
    const { source } = this.settings
    if (!row.there || !source?.remove || this.bounds.signal.aborted) return
    const { kind, id } = row
    try {
      const end = new Promise((resolve) => this.bounds.signal.addEventListener('abort', () => resolve(false)))
      if ((await Promise.race([source.remove(kind, id), end])) !== false) this.made.gone(row, 'remove')
    } catch (error) {
      this.bounds.fail(`remove('${kind}', ${JSON.stringify(id)}) of the module of --rows failed: ${messageOf(error)}.`)
    }
  }

  /** Reads the server's own document, if there is one. Nothing is expected of it, not even an answer. */
  async readHints(): Promise<void> {
    const { client, patience, settings } = this
    const operation = this.operation(this.api.caller)
    this.hints = await Hints.read(async (target) => {
      const call = { operation, method: 'GET', target, headers: {} }
      try {
        return await patience.send(() => client.send(call, `Bearer ${settings.token}`))
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        return undefined
      }
    })
  }

  operation(id: string): Operation {
    return this.readings.operation(id)
  }

  /** Whether an operation creates rows that no operation deletes. Few of them are created. */
  isLasting(id: string): boolean {
    const { makes } = this.api.operations[id] ?? {}
    return makes !== undefined && makes.remove === undefined
  }

  /** Calls an operation, with the fields that the server is known to require. */
  async ask(id: string, input: Input, as: Asker = 'admin'): Promise<Exchange> {
    const operation = this.operation(id)
    let whole = this.needs.complete(operation, input)
    let exchange = await this.send(callOf(operation, whole), as)
    for (let round = 0; round < 3 && this.needs.learn(operation, whole, exchange); round++) {
      whole = this.needs.complete(operation, input)
      exchange = await this.send(callOf(operation, whole), as)
    }
    return exchange
  }

  /** Calls an operation whose answer is useful but not required; undefined if there is none. */
  async tried(id: string, input: Input, as: Asker = 'admin'): Promise<Exchange | undefined> {
    try {
      return await this.ask(id, input, as)
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
      if (error.isLost) this.results.couldNot(id, 'what other checks need of it', error.message, true)
      return undefined
    }
  }

  exactly(id: string, input: Input, as: Asker = 'admin'): Promise<Exchange> {
    return this.send(callOf(this.operation(id), input), as)
  }

  /** Sends it, and checks the answer. Throws Stopped if there is none. */
  send(call: Call, as: Asker = 'admin'): Promise<Exchange> {
    const exchange = this.exchange(call, as)
    this.sending.add(exchange)
    return exchange.finally(() => this.sending.delete(exchange))
  }

  private async exchange(call: Call, as: Asker): Promise<Exchange> {
    const { url, headers, token } = this.settings
    const { operation } = call
    const hidden = typeof as === 'object' ? { header: as.header.replace(token, '$TOKEN') } : as
    const { placed = (...it) => it } = this.api
    const curl = curlOf(url, ...placed(call, headerOf(hidden, '$TOKEN', '$USER_TOKEN')), Object.keys(headers))
    this.redaction.note(call.input?.body)
    let authorization: string | null = null
    const lose = () => call.method === operation.method && this.made.lose({ operation, input: call.input ?? {}, as })
    const reply = await this.tokens.send(as, operation, async (header) => {
      const [sent, own] = placed(call, header)
      authorization = own
      try {
        const reply = await this.patience.send(() => this.silences.send(sent, own, curl))
        // What is refused the second time was not made the first time, unless it is refused for that.
        if (this.isResent(sent, curl) && (reply.status < 300 || reply.status === 409)) lose()
        return reply
      } catch (error) {
        if (error instanceof Unanswered) lose()
        throw error
      }
    })
    this.readings.addLists(operation, reply)
    const exchange = { call, reply, curl, judged: this.sampled(operation.id, reply.body) }
    this.recent.push(exchange)
    if (this.recent.length > mostRecent) this.recent.shift()
    this.answers.latest = curl
    // A later check may end the run.
    if (reply.status < 300 && call.method === operation.method)
      this.made.note(operation, call.input ?? {}, reply.body, as)
    this.onReply(this, exchange, authorization)
    return exchange
  }

  /** Whether a request was sent again. Connections that end while they are in use, more than once, are a finding. */
  private isResent(call: Call, curl: string): boolean {
    const { id } = call.operation
    const { resent } = this.client
    const last = resent.findLast((it) => it.call === call)
    if (!last) return false
    // A service may close every connection after one answer.
    const isFault = (it: typeof last) => it.call.operation.id === id && it.idle < leastIdle && it.answers > 1
    // Several requests at the same time lose their connections at once.
    if (isFault(last) && resent.some((it) => isFault(it) && it.end <= last.start)) {
      const got = `${resent.filter(isFault).length} connections that ended without an answer`
      const about = { title: 'requests on one connection', expected: 'an answer to each', got }
      this.broken({ operation: id, check: 'request_answered', ...about }, curl)
    }
    return true
  }

  private broken(finding: Omit<Finding, 'more' | 'curl' | 'sequence'>, command: string): void {
    const curl = this.redaction.text(command)
    this.results.broken({ ...finding, got: this.redaction.text(finding.got), curl, sequence: [curl] })
  }

  /** The body itself, if its lists are short or it is among the first long ones of its operation; otherwise a sample. */
  private sampled(id: string, body: unknown): unknown {
    if (typeof body !== 'object' || body === null) return body
    const previous = this.samples.get(body)
    if (previous !== undefined) return previous
    const sample = sampleOf(body)
    this.samples.set(body, sample)
    const whole = this.whole.get(id) ?? 0
    if (sample === body || whole >= mostWhole) return sample
    this.whole.set(id, whole + 1)
    return body
  }
}

/** The same value if it has no long list. Otherwise a copy with the first rows of long lists and some of all others. */
function sampleOf(value: unknown, depth = 0): unknown {
  if (Array.isArray(value) && value.length > mostRows) {
    const every = Math.ceil(value.length / (mostRows / 2))
    return value.filter((_, n) => n < mostRows / 2 || n % every === 0)
  }
  if (depth === 3 || (!isObject(value) && !Array.isArray(value))) return value
  const parts = Object.entries(value).map(([name, item]) => [name, sampleOf(item, depth + 1)] as const)
  if (parts.every(([name, item]) => item === (value as Record<string, unknown>)[name])) return value
  return Array.isArray(value) ? parts.map(([, item]) => item) : Object.fromEntries(parts)
}

/** The ids of the innermost rows in a reply that show one of these words. */
function idsWith(value: unknown, words: readonly string[], key: string): Id[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((it) => idsWith(it, words, key))
  if (inner.length > 0 || !isObject(value) || value[key] === undefined) return inner
  const text = JSON.stringify(value)
  return words.some((it) => text.includes(it)) ? [value[key] as Id] : []
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

/**
 * Does the work for all items, several at the same time. Returns each item with its result, in the order of the items, without
 * those for which a finding reports that there was no answer. If one cannot be done, the others of its batch are waited for.
 */
export async function inBatches<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>) {
  const results: [T, R][] = []
  for (let start = 0; start < items.length; start += size) {
    const batch = items.slice(start, start + size)
    const done = await Promise.allSettled(batch.map((item) => answered(() => work(item))))
    for (const [index, result] of done.entries()) {
      if (result.status === 'rejected') throw result.reason
      if (result.value) results.push([batch[index] as T, result.value.value])
    }
  }
  return results
}

/** The result of the work; undefined if the report has a missing answer, or that it was not sent. Throws Stopped otherwise. */
export async function answered<R>(work: () => Promise<R>): Promise<{ value: R } | undefined> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof Stopped && (error.message === '' || error instanceof Withheld)) return undefined
    throw error
  }
}
