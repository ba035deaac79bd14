import { performance } from 'node:perf_hooks'
import type { Contract } from '../contract/contract.js'
import type { Choices } from '../contract/load.js'
import type { Body } from '../contract/message/body.js'
import { Refusal } from '../contract/message/refusal.js'
import type { InputError, Operation, Pace } from '../contract/model.js'
import type { AnswerSource, Assumptions, Fault } from '../contract/types.gen.js'
import type { Frames, Timing } from '../journal/recorded.js'
import type { RecordedCall } from '../sandbox/calls.js'
import type { RecordedChange } from '../sandbox/history.js'
import { type Sandbox, sandboxName } from '../sandbox/sandbox.js'
import { Transaction } from '../sandbox/transaction.js'
import type { UploadBudget } from './body/limits.js'
import type { Entry } from './gate.js'
import { type Caller, type CallerOf, readTarget } from './message/caller.js'
import type { Answer, Request } from './message/message.js'

/** A request on its way through the steps, with their results. A step's type names those that it sets. */
export interface Exchange {
  readonly request: Request
  /** Decided before the steps. */
  readonly entry: Entry
  /** Milliseconds of performance.now(). */
  readonly started: number
  /** The host in the request. HTTP/1.0 requests may have none. */
  readonly host: string | undefined
  readonly path: string
  readonly search: string
  /** The user's key, as the request names it. */
  readonly key: string | undefined
  /** Where that was found. */
  readonly signedInBy: Caller['by']
  readonly withoutCookie: Caller['withoutCookie']
  /** The cookie that may hold a token. */
  readonly tokenCookie: string
  /** The name of the sandbox that the request asks for. */
  readonly place: string
  /** The sandbox that the request works on: see `enter`. */
  readonly sandbox: Sandbox
  /** The choices in force when the request arrived, and the contract under them. */
  readonly choices: Choices
  readonly contract: Contract
  readonly operation: Operation | undefined
  readonly params: Record<string, string>
  readonly forwarded: boolean
  /** Whether the 401 for a missing token may name some tokens. */
  readonly tellsTokens: boolean
  /** The longest delay in milliseconds. */
  readonly maxDelay: number
  readonly waits: boolean
  /** The memory that the bodies of all requests share. */
  readonly uploads: UploadBudget
  readonly body: Body | undefined
  /** Why an override could not see the body of a request without an operation. */
  readonly unreadable: unknown
  readonly user: string | null
  readonly assumed: Set<string>
  readonly violations: string[]
  readonly problems: readonly InputError[]
  readonly isInputChecked: boolean
  /** The violations of the reply. Undefined: it was not checked. */
  readonly brokenByReply: readonly string[] | undefined
  readonly transaction: Transaction
  /** The recorded call. Undefined until the request has acted. */
  call: RecordedCall | undefined
  change: RecordedChange | undefined
  /** How many calls there were when an override was drawn for it; undefined: no override was searched for. */
  readonly drawnAt: number | undefined
  readonly timing: Timing
  readonly lap: number
  /** What gives the answer, as far as it has come. */
  readonly source: AnswerSource
  /** The id of the override that answers, or `Prefer`. */
  readonly override: string | undefined
  /** Whether it gave the answer, instead of only delaying it or adding to it. */
  readonly isForced: boolean
  readonly fault: Fault | undefined
  /** How an override sends an answer value by value. */
  readonly pace: Pace | undefined
  /** The values of such an answer so far. */
  readonly frames: Frames | undefined
  readonly refusal: string | undefined
  readonly failure: string | undefined
}

/** An exchange in which these fields can be set. */
export type Setting<Key extends keyof Exchange, Given extends Exchange = Exchange> = Omit<Given, Key> & {
  -readonly [Field in Key]: Given[Field]
}

export type FoundExchange = Exchange & { readonly operation: Operation }

export function isFound(exchange: Exchange): exchange is FoundExchange {
  return exchange.operation !== undefined
}

/** Finds a page or another document that is not an operation. Undefined: the path is unknown. */
export type PageHandler = (exchange: Exchange) => Answer | undefined

/** Where requests find their sandbox and its contract. */
export interface SandboxSource {
  findSandbox: (name: string) => Sandbox | undefined
  /** Creates the sandbox if needed. Throws a Refusal if that is not possible. */
  useSandbox: (name: string) => Sandbox
  /** The same for reading: a sandbox that does not exist is shown as it would start, and is not created. */
  lookAtSandbox: (name: string, isAnybodys?: boolean) => Sandbox
  contract(sandbox: Sandbox): Contract
  callerOf: CallerOf
  /** The cookie that may hold a token. */
  tokenCookie: string
  /** Whether the 401 for a missing token may name some tokens. Not if other machines can connect. */
  tellsTokens: boolean
  /** The longest delay in milliseconds. */
  maxDelay: number
  waits: boolean
  /** The memory that the bodies of all requests share. */
  uploads: UploadBudget
  /** The size limit of a sandbox in bytes, without the rows that it started with. */
  sandboxBytes: number
}

/** Opens the exchange of a request, in the default sandbox. `enter` creates one, once it is admitted. */
export function open(worlds: SandboxSource, request: Request, entry: Entry): Exchange {
  const started = performance.now()
  const { host, path, search } = readTarget(request)
  const { key, sandbox: name = entry.visitorSandbox ?? 'default', by, withoutCookie } = worlds.callerOf(request, path)
  const { findSandbox, useSandbox } = worlds
  const sandbox = findSandbox(name) ?? findSandbox('default') ?? useSandbox('default')
  return {
    request,
    entry,
    started,
    host,
    path,
    search,
    key,
    signedInBy: by,
    withoutCookie,
    tokenCookie: worlds.tokenCookie,
    place: name,
    sandbox,
    choices: sandbox.choices,
    contract: worlds.contract(sandbox),
    operation: undefined,
    params: {},
    forwarded: false,
    tellsTokens: worlds.tellsTokens,
    maxDelay: worlds.maxDelay,
    waits: worlds.waits,
    uploads: worlds.uploads,
    body: undefined,
    unreadable: undefined,
    user: null,
    assumed: new Set(),
    violations: [],
    problems: [],
    isInputChecked: false,
    brokenByReply: undefined,
    transaction: new Transaction(sandbox),
    call: undefined,
    change: undefined,
    drawnAt: undefined,
    timing: [],
    lap: started,
    source: 'refusal',
    override: undefined,
    isForced: false,
    fault: undefined,
    pace: undefined,
    frames: undefined,
    refusal: undefined,
    failure: undefined
  }
}

/** Enters the sandbox that the request names. Throws a Refusal if it may not: the default one then stays. */
export function enter(
  worlds: SandboxSource,
  exchange: Setting<'sandbox' | 'choices' | 'contract'>,
  find: (name: string) => Sandbox = worlds.useSandbox
): Exchange {
  const { place: name, entry } = exchange
  if (entry.unreachable) throw entry.unreachable
  if (!sandboxName.test(name)) throw new Refusal('bad-sandbox', { name })
  const sandbox = entry.isUnmade ? worlds.lookAtSandbox(name, true) : find(name)
  if (entry.isVisit) sandbox.visit(exchange.request)
  exchange.sandbox = sandbox
  exchange.transaction.sandbox = sandbox
  exchange.choices = sandbox.choices
  exchange.contract = worlds.contract(sandbox)
  return exchange
}

/** Clears the results of the steps, so that the request can be answered again. */
export function beginAgain(
  exchange: Setting<
    'violations' | 'problems' | 'isInputChecked' | 'brokenByReply' | 'transaction' | 'refusal' | 'failure'
  >
): void {
  exchange.violations = []
  exchange.problems = []
  exchange.isInputChecked = false
  exchange.brokenByReply = undefined
  const { used } = exchange.transaction
  exchange.transaction = new Transaction(exchange.sandbox)
  exchange.transaction.used = used
  exchange.refusal = undefined
  exchange.failure = undefined
}

/** Records the duration of the step that ends now. */
export function lap(exchange: Setting<'lap'>, step: string): void {
  const now = performance.now()
  exchange.timing.push(step, Math.round((now - exchange.lap) * 1000))
  exchange.lap = now
}

export function choice<Id extends keyof Assumptions>(exchange: Exchange, id: Id): Assumptions[Id] {
  return exchange.choices[id] as Assumptions[Id]
}

/** The choice in force. X-Mock-Assumed names it. */
export function assume<Id extends keyof Assumptions>(exchange: Exchange, id: Id): Assumptions[Id] {
  exchange.assumed.add(id)
  return choice(exchange, id)
}

/** The questions that the answer rests on. A document has only some of the engine's, at some operations. */
export function assumptionsOf({ assumed, contract, operation }: Exchange): string[] {
  const { document } = contract.api
  return document ? [...assumed].filter((it) => document.canRestOn(it, operation?.id)) : [...assumed]
}
