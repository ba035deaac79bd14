import { isObject } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import type { Asker, Client, Exchange } from './calls/client.js'
import { Patience, Stopped } from './calls/patience.js'
import { Redaction } from './calls/redact.js'
import { type Call, callOf, curlOf, type Input } from './calls/request.js'
import { Silences } from './calls/silence.js'
import type { Random } from './inputs/generate.js'
import type { Id } from './kinds.js'
import { Answers } from './learn/answers.js'
import { type Hints, Needs } from './learn/needs.js'
import type { Readings } from './learn/readings.js'
import type { Results } from './results.js'

/** The limit of judged rows: in a longer list, only this many. */
const mostRows = 1000

/** After this many replies with a longer list, an operation is judged by samples. */
const mostWhole = 3

/** Limits what is judged in long lists, so that a run ends in time. The client returns the same object for the same body. */
class Samples {
  /** How many replies of an operation were judged in full. */
  private readonly whole = new Map<string, number>()
  private readonly made = new WeakMap<object, unknown>()

  /** The body itself, if its lists are short or it is among the first of its operation. */
  of(id: string, body: unknown): unknown {
    if (typeof body !== 'object' || body === null) return body
    const known = this.made.get(body)
    if (known !== undefined) return known
    const sample = sampleOf(body)
    this.made.set(body, sample)
    const whole = this.whole.get(id) ?? 0
    if (sample === body || whole >= mostWhole) return sample
    this.whole.set(id, whole + 1)
    return body
  }
}

/** The same value if it has no long list. Otherwise a copy with the first rows of long lists and some of all others. */
function sampleOf(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    const every = Math.ceil(value.length / (mostRows / 2))
    if (value.length > mostRows) return value.filter((_, n) => n < mostRows / 2 || n % every === 0)
  }
  if (!isObject(value) && !Array.isArray(value)) return value
  if (depth === 3) return value
  const parts = Object.entries(value).map(([name, item]) => [name, sampleOf(item, depth + 1)] as const)
  if (parts.every(([name, item]) => item === (value as Record<string, unknown>)[name])) return value
  return Array.isArray(value) ? parts.map(([, item]) => item) : Object.fromEntries(parts)
}

export interface RunSettings {
  url: string
  token: string
  userToken: string | undefined
  headers: { [name: string]: string }
  mutating: boolean
  seed: number
  cases: number
}

/** One run against one server, shared by all checks. */
export class Run {
  readonly answers: Answers
  readonly redaction: Redaction
  readonly needs: Needs
  readonly patience = new Patience()
  readonly silences: Silences
  private readonly samples = new Samples()
  /** Whether the server reports that it is this mock. Then its rows are known and may be changed. */
  isMock = false
  /** Whether the token's user is an administrator. Then every operation must be allowed. */
  isAdmin = false
  /** The server's own document, and its names of E3's parameters. Undefined until needed. */
  hints: Hints | undefined
  search: SearchNames | undefined
  /** The statuses for requests without a token that were seen. */
  readonly refusals = new Set<number>()
  /** Deletions that succeed for missing rows. Their success shows nothing. */
  readonly forgiving = new Set<string>()
  /** The chat sessions and credentials that the run created, each with its user. */
  readonly made = new Map<Id, Asker>()
  /** How often large replies were read to compare them, by request. */
  readonly largeReads = new Map<string, number>()
  /** The places of rows that were seen to change without a call. */
  readonly moving = new Set<string>()
  private marks = 0

  constructor(
    readonly client: Client,
    readonly readings: Readings,
    readonly results: Results,
    readonly random: Random,
    readonly settings: RunSettings,
    /** Checks any reply. `sent` is the Authorization header. */
    private readonly onReply: (run: Run, exchange: Exchange, sent: string | null) => void
  ) {
    this.needs = new Needs(random, readings)
    this.redaction = new Redaction(settings)
    this.answers = new Answers(readings, this.redaction)
    this.silences = new Silences(client, (call, asked, sentence, silence) => {
      const [curl, got] = [this.redaction.text(asked), this.redaction.text(sentence)]
      const [check, expected] =
        silence === 'unreadable'
          ? (['response_schema_conformance', 'the shape of the contract'] as const)
          : (['request_answered', 'an answer, in the time of --timeout'] as const)
      const finding = { operation: call.operation.id, check, title: 'any request', expected, got }
      results.broken({ ...finding, curl, sequence: [curl] })
    })
  }

  /** A word that occurs in no row of the server. */
  mark(what: string): string {
    return `kcm${what}${this.settings.seed.toString(36)}x${Date.now().toString(36)}q${(this.marks++).toString(36)}z`
  }

  /** Deletes the chat sessions of the run. The interface cannot delete credentials, uploads and invites. */
  async cleanUp(): Promise<void> {
    for (const [session_id, as] of this.made) {
      if (typeof session_id === 'string') await this.tried('deleteChatSession', { path: { session_id } }, as)
    }
    this.made.clear()
  }

  operation(id: string): Operation {
    return this.readings.operation(id)
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

  /** Calls an operation with exactly this input. */
  exactly(id: string, input: Input, as: Asker = 'admin'): Promise<Exchange> {
    return this.send(callOf(this.operation(id), input), as)
  }

  /** Sends it, and checks the answer. Throws Stopped if there is none. */
  async send(call: Call, as: Asker = 'admin'): Promise<Exchange> {
    const { url, headers, token, userToken } = this.settings
    const hidden = typeof as === 'object' ? { header: as.header.replace(token, '$TOKEN') } : as
    const curl = curlOf(url, call, headerOf(hidden, '$TOKEN', '$USER_TOKEN'), Object.keys(headers))
    const authorization = headerOf(as, token, userToken)
    const reply = await this.patience.send(() => this.silences.send(call, authorization, curl))
    const exchange = { call, reply, curl, judged: this.samples.of(call.operation.id, reply.body) }
    this.answers.latest = exchange.curl
    this.onReply(this, exchange, authorization)
    this.note(exchange, as)
    return exchange
  }

  private note({ call: { operation }, reply: { status, body } }: Exchange, as: Asker): void {
    if (status >= 300 || !isObject(body)) return
    const name = { createChatSession: 'chat_session_id', createCredential: 'id' }[operation.id]
    const id = name && body[name]
    if (typeof id === 'string' || typeof id === 'number') this.made.set(id, as)
  }
}

/** The Authorization header. */
function headerOf(as: Asker, token: string, userToken: string | undefined): string | null {
  if (as === 'nobody') return null
  if (as === 'admin') return `Bearer ${token}`
  return as === 'user' ? `Bearer ${userToken}` : as.header
}

/** The names of E3's parameters. The description does not give them, so they are learned from their effects. */
export interface SearchNames {
  /** Undefined if no parameter is known to search. */
  query: string | undefined
  /** A parameter with the right name that finds nothing. */
  silent?: string
  /** Whether the server documents the parameter, whatever it does. */
  isTold: boolean
  /** Null: not searched for yet. */
  size: string | undefined | null
  pages: string[]
}
