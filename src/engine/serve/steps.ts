import { forType } from '../contract/match.js'
import { Refusal } from '../contract/message/refusal.js'
import { Invalid } from '../contract/pydantic/explain.js'
import type { Assumptions } from '../contract/types.gen.js'
import { matchesAddress } from '../overrides/matches.js'
import { type ActOptions, act, checkReply } from './act.js'
import { admit } from './admit.js'
import { readInput } from './check.js'
import {
  assume,
  beginAgain,
  choice,
  type Exchange,
  enter,
  type FoundExchange,
  isFound,
  lap,
  open,
  type PageHandler,
  type SandboxSource,
  type Setting
} from './exchange.js'
import { answerByFallback, type Fallback } from './fallback.js'
import { allow, finish, finishRelayed, finishStream, finishUnanswered, passedPage, type SendParts } from './finish.js'
import { answerForced } from './forced/forced.js'
import type { Entry, Gate } from './gate.js'
import { createHostCheck, isControlPath, readTarget } from './message/caller.js'
import { createCors } from './message/cors.js'
import type { Answer, Outcome, Reply, Request } from './message/message.js'
import { createOwnerRouting, type SandboxOwners } from './owners.js'
import { failed } from './problem.js'
import { jsonOf, plainQueryOf, readBody } from './read.js'
import { forgetCall, noteLeaving, recordCall } from './record.js'
import type { Forward } from './relay.js'

/** Answers a request. Returns a promise only if something has to wait. */
export type Serve = (request: Request) => Outcome | Promise<Outcome>

/** What answers a request: the API, a service in its place, or the control API. Steps throw their refusals. */
export interface Responder {
  /** Checks host and origin, and adds CORS headers. Returns the answer to a preflight. 403 */
  allow(exchange: Exchange, isGoodHost: boolean): Answer | undefined
  /** Enters the sandbox. 400, 404, 429, 503 */
  enter(exchange: Exchange): void
  /** Finds the operation. Otherwise returns what answers in its place: a page, an override, a redirect (307). 404, 405 */
  find(exchange: Exchange): (() => Outcome | Promise<Outcome>) | undefined
  /** Admits the caller before the body is read, if the token comes first. 401, 403 */
  admit(exchange: FoundExchange): void
  /** Reads the body. Undefined: nothing has to be read. 400, 413, 415, 503 */
  read(exchange: FoundExchange): Promise<void> | undefined
  /** Admits the user, checks the input, calls the rule, checks its reply, keeps the changes and records the exchange. */
  answer(exchange: FoundExchange): Outcome | Promise<Outcome>
  fail(exchange: Exchange, error: unknown): Outcome
}

export interface ServeOptions extends SandboxSource, SendParts, ActOptions {
  allowHost: readonly string[]
  corsOrigin: readonly string[]
  /** Every request from outside passes it before the steps. Requests from inside do not. */
  gate: Gate | undefined
  /** The control API. False: its paths are unknown. */
  control: Responder | false
  /** Pages and documents, in addition to the operations. */
  page: PageHandler
  /** The service that answers instead of the rules. Without it the mock answers. */
  forward?: Forward | undefined
  /** Answers unknown paths. Without it they are a 404. */
  fallback?: Fallback | undefined
  /** Where sandboxes live. Without it all are here. */
  owners?: SandboxOwners | undefined
  /** Whether a request may create a sandbox that does not exist. One refused for its token leaves nothing in the engine. */
  mayMake?: ((request: Request, sandbox: string) => boolean) | undefined
}

/**
 * Creates the one function that every request goes through. Its steps are those of `serve`, then of `readAndAnswer`,
 * `answerOperation` and `keepAndRecord` below. README.md describes them.
 */
export function createServe(options: ServeOptions): Serve {
  const { gate, forward, owners, control } = options
  const isAllowedHost = createHostCheck(options.allowHost)
  const api = createApi(options)
  const upstream = forward && createUpstream(options, forward, api)

  const responderOf = (exchange: Exchange, isGoodHost: boolean): Responder => {
    if (control && isControlPath(exchange.path)) return control
    return upstream && isGoodHost && isForUpstream(exchange, forward) ? upstream : api
  }
  const serve = (request: Request, entry: Entry): Outcome | Promise<Outcome> => {
    const exchange = open(options, request, entry)
    const isGoodHost = isAllowedHost(exchange.host) || request.peer.isPrivate
    const responder = responderOf(exchange, isGoodHost)
    try {
      const preflight = responder.allow(exchange, isGoodHost) // 403
      if (preflight) return preflight
      if (entry.refusal) throw entry.refusal // 403, 429: see gate.ts
      responder.enter(exchange) // 400, 404, 429, 503
      const otherwise = responder.find(exchange) // 404, 405
      const waiting = otherwise ? otherwise() : readAndAnswer(exchange as FoundExchange, responder)
      return waiting instanceof Promise ? waiting.catch((error) => responder.fail(exchange, error)) : waiting
    } catch (error) {
      return responder.fail(exchange, error)
    }
  }

  const pass = (request: Request) =>
    gate && (!gate.isOpen || isControlPath(readTarget(request).path)) ? gate.decide(request) : undefined
  if (owners) return createOwnerRouting(owners, options.callerOf, options.mayMake ?? (() => true), pass, serve)
  return (request) => {
    const entry = pass(request) ?? nothing
    return entry instanceof Promise ? entry.then((decided) => serve(request, decided)) : serve(request, entry)
  }
}

/** Nothing waits after the body, so a request sees and changes one consistent state. */
function readAndAnswer(exchange: FoundExchange, responder: Responder): Outcome | Promise<Outcome> {
  responder.admit(exchange) // 401, 403, if the token comes first
  const reading = responder.read(exchange) // 400, 413, 415, 503
  return reading ? reading.then(() => responder.answer(exchange)) : responder.answer(exchange)
}

/** The steps of an operation between its body and its reply. They are one transaction: an error rolls all of it back. */
function answerOperation(exchange: FoundExchange, options: ActOptions): Reply {
  try {
    return exchange.transaction.run(() => {
      const body = exchange.body && jsonOf(exchange) // 422
      lap(exchange, 'parse')
      const user = admit(exchange) // 401, 403
      const input = readInput(exchange, body) // 422
      lap(exchange, 'check')
      if (input instanceof Invalid) return failed(exchange, input)
      const reply = act(exchange, user, input, options) // the refusals of the rule, 413
      return checkReply(exchange, reply, options) // 500 with --strict
    })
  } catch (error) {
    return failed(exchange, error)
  }
}

/**
 * Answers once the changes of the request, and the changes that it saw, are kept (507). If they were rolled back together with
 * those of another request, the request is answered again.
 */
function keepAndRecord(
  options: SendParts,
  exchange: Exchange,
  answer: () => Reply | undefined
): Outcome | Promise<Outcome> {
  const reply = answer()
  const first = reply?.stream?.first
  if (!(first instanceof Promise)) return keep(options, exchange, answer, reply)
  return first.then(
    () => keep(options, exchange, answer, reply),
    (error) => {
      exchange.transaction.takeBack()
      return keep(options, exchange, answer, failed(exchange, error))
    }
  )
}

function keep(
  options: SendParts,
  exchange: Exchange,
  answer: () => Reply | undefined,
  reply: Reply | undefined
): Outcome | Promise<Outcome> {
  if (reply || exchange.fault !== undefined) recordCall(exchange, reply?.status ?? 0)
  else noteLeaving(exchange)
  const save = options.edge.keepRows(exchange.sandbox, exchange.transaction)
  if (!save) return end(options, exchange, reply)
  // The log is written at the end of this turn, so the answer can be sent in this turn too.
  exchange.request.soon()
  return save.then(
    (isKept) => {
      lap(exchange, 'keep')
      if (isKept) return end(options, exchange, reply)
      void reply?.stream?.rest.return?.()
      forgetCall(exchange)
      beginAgain(exchange)
      return keepAndRecord(options, exchange, answer)
    },
    (error) => {
      forgetCall(exchange)
      return finish(options, exchange, failed(exchange, error))
    }
  )
}

function end(options: SendParts, exchange: Exchange, reply: Reply | undefined): Outcome | Promise<Outcome> {
  if (!reply) return finishUnanswered(options, exchange)
  return reply.stream ? finishStream(options, exchange, reply, reply.stream) : finish(options, exchange, reply)
}

/** The API: its operations, and whatever answers other paths. */
function createApi(options: ServeOptions): Responder {
  const share = createCors(options.corsOrigin)
  return {
    allow(exchange, isGoodHost) {
      const preflight = mayCrossOrigins(exchange.request) ? allow(exchange, share) : undefined
      if (!preflight && !isGoodHost && assume(exchange, 'errors.wrong-host') === 'refused') {
        throw new Refusal('wrong-host', { host: exchange.host })
      }
      return preflight
    },
    enter: (exchange) => void enter(options, exchange),
    find(exchange) {
      const otherwise = findOperation(exchange)
      const hasOverrides = exchange.sandbox.overrides.list.length > 0
      if (otherwise && !hasOverrides) return () => finish(options, exchange, otherwise())
      const isUsual = !otherwise && isFound(exchange) && !hasOverrides && !mayWish(exchange)
      return isUsual ? undefined : () => answerOtherwise(exchange, options, otherwise)
    },
    admit: admitEarly,
    read: (exchange) => (exchange.operation.input.body ? readFor(exchange) : undefined),
    answer: (exchange) => keepAndRecord(options, exchange, () => answerOperation(exchange, options)),
    fail: (exchange, error) => finish(options, exchange, failed(exchange, error))
  }
}

/** The service that replaces the rules. It decides on CORS itself. */
function createUpstream(options: ServeOptions, forward: Forward, api: Responder): Responder {
  return {
    ...api,
    allow: () => undefined,
    find: (exchange: Setting<'source'>) => async () => {
      const relayed = await forward.ask(exchange)
      if (relayed === 'mock') return isFound(exchange) ? await readAndAnswer(exchange, api) : undefined
      exchange.source = 'fallback'
      return await finishRelayed(options, exchange, relayed)
    },
    fail: (exchange, error) => finish(options, exchange, forward.failed(exchange, error))
  }
}

const nothing: Entry = {}

/** Whether a browser asks what pages on other origins may do. Some test environments send a preflight without an Origin. */
function mayCrossOrigins({ method, headers }: Request): boolean {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  return headers.origin !== undefined || isPreflight
}

/**
 * Finds the operation. Otherwise returns the answer: a 405 if the path has only other methods, or a redirect if only
 * the trailing slash differs from a documented path.
 */
function findOperation(exchange: Setting<'operation' | 'params'>): (() => Reply) | undefined {
  const { request, contract, path, search } = exchange
  let { method } = request
  let match = contract.match(method, path)
  if (method === 'HEAD' && match.kind !== 'operation' && choice(exchange, 'errors.wrong-method') === 'head-served') {
    method = 'GET'
    match = contract.match(method, path)
  }
  if (match.kind === 'slash') {
    const target = contract.match(method, match.path)
    const question = contract.api.ledger.trailingSlash as keyof Assumptions
    if ((assume(exchange, question) as string) === 'redirected') {
      if (target.kind === 'operation') exchange.operation = target.operation
      const headers = { Location: `${request.mount}${match.path}${search && `?${search}`}` }
      return () => ({ status: 307, headers, body: undefined })
    }
    match = target
  }
  if (match.kind === 'method') {
    const { allow } = match
    return () => {
      throw new Refusal('wrong-method', { allow })
    }
  }
  if (match.kind === 'operation') {
    exchange.operation = forType(match.operation, request.headers['content-type'])
    exchange.params = match.params
  }
  return undefined
}

/** Whether a request may ask for an answer itself: in the Prefer header, or by `__code` in its query. */
function mayWish({ request, search }: Exchange): boolean {
  return request.headers.prefer !== undefined || search.includes('__')
}

/** The state may change while the body is read, so `answerOperation` admits the user again. */
function admitEarly(exchange: FoundExchange): void {
  if (exchange.operation.input.body && choice(exchange, 'auth.order') === 'token-first') admit(exchange)
}

async function readFor(exchange: Setting<'body', FoundExchange>): Promise<void> {
  exchange.body ??= await readBody(exchange)
  lap(exchange, 'read')
}

/** Reads the body, if the operation has one. The returned function then answers without waiting. */
async function prepare(exchange: FoundExchange, options: ServeOptions): Promise<() => Reply> {
  try {
    admitEarly(exchange)
    if (exchange.operation.input.body) await readFor(exchange)
    // The state is read here for the first time, so earlier changes by other requests are seen.
    return () => answerOperation(exchange, options)
  } catch (error) {
    return () => failed(exchange, error)
  }
}

/**
 * Sends a forced or delayed answer, or breaks the connection, if the request or an override asks for it. Otherwise
 * `otherwise`, a page, the layers after the mock in an app, or the fallback service answers.
 */
async function answerOtherwise(
  exchange: Exchange,
  options: ServeOptions,
  otherwise: (() => Reply) | undefined
): Promise<Outcome> {
  const isUsual = isFound(exchange) && !otherwise
  const forced = await answerForced(exchange, isUsual ? () => prepare(exchange, options) : undefined)
  if (forced) return keepAndRecord(options, exchange, forced)
  if (otherwise) return finish(options, exchange, otherwise())
  const page = options.page(exchange)
  if (page) return passedPage(page, exchange)
  const { leave } = exchange.request
  if (leave && !(await leave())) return undefined
  if (exchange.unreadable) throw exchange.unreadable
  if (options.fallback) return await answerByFallback(options, exchange, options.fallback)
  throw new Refusal('unknown-path')
}

/** Finds the operation. Returns whether the upstream service answers it. */
function isForUpstream(exchange: Setting<'operation' | 'params'>, forward: Forward): boolean {
  const method = exchange.request.method === 'HEAD' ? 'GET' : exchange.request.method
  const match = exchange.contract.match(method, exchange.path)
  const operation = match.kind === 'operation' ? match.operation : undefined
  if (!forward.takes(operation)) return false
  exchange.operation = operation && forType(operation, exchange.request.headers['content-type'])
  exchange.params = match.kind === 'operation' ? match.params : {}
  return true
}

/** The part of the mock that answers a request. `path`: a wrong method, a redirect or an override. */
export type Part = 'operation' | 'control' | 'page' | 'path'

/** Finds the part of the mock that answers a request, and leaves no trace. Undefined: only a 404 would. */
export function createPartOf(options: ServeOptions): (request: Request) => Part | undefined {
  return (request) => {
    const exchange = open(options, request, nothing)
    const { contract, path, sandbox } = exchange
    const { method } = request
    const { kind } = contract.match(method, path)
    if (kind === 'operation') return kind
    if (options.control && isControlPath(path)) return 'control'
    if (kind !== 'none') return 'path'
    if (options.page(exchange)) return 'page'
    const address = { operation: undefined, params: {}, method, path, query: plainQueryOf(exchange) }
    return sandbox.overrides.tried.some((it) => matchesAddress(it, address)) ? 'path' : undefined
  }
}
