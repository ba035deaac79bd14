import { Refusal } from '../contract/message/refusal.js'
import type { Assumptions } from '../contract/types.gen.js'
import { matchesAddress } from '../overrides/matches.js'
import { type ActOptions, act, failed } from './act.js'
import { authenticate } from './admit.js'
import { type ControlDoor, createControl } from './control/control.js'
import {
  assume,
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
import { answerForced, mayBeForced } from './forced/forced.js'
import type { Entry, Gate } from './gate.js'
import { createCors } from './message/cors.js'
import type { Outcome, Reply, Request } from './message/message.js'
import { createHostCheck, isControlPath } from './message/target.js'
import { createOwnerRouting, type SandboxOwners } from './owners.js'
import { plainQueryOf, readBody } from './read.js'
import type { Forward } from './relay.js'
import { allow, finish, finishRelayed, passed, type SendParts, settle } from './send.js'

/** Answers a request. Returns a promise only if something has to wait. */
export type Serve = (request: Request) => Outcome | Promise<Outcome>

export interface ServeOptions extends SandboxSource, SendParts, ActOptions {
  allowHost: readonly string[]
  corsOrigin: readonly string[]
  /** Every request from outside passes it before the steps. Requests from inside do not. */
  gate: Gate | undefined
  /** The control API. False: its paths are unknown. */
  control: ControlDoor | false
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

/** The steps that every request goes through, in order: see README.md. */
export function createServe(options: ServeOptions): Serve {
  const { gate, forward, owners } = options
  const isAllowedHost = createHostCheck(options.allowHost)
  const share = createCors(options.corsOrigin)
  const control = options.control && createControl(options.control, options)

  const answer = (request: Request, entry: Entry): Outcome | Promise<Outcome> => {
    const exchange = open(options, request, entry)
    const isGoodHost = isAllowedHost(exchange.host) || request.peer.isPrivate
    if (control && isControlPath(exchange.path)) return control(exchange, isGoodHost)
    try {
      if (forward && isGoodHost && isForUpstream(exchange, forward)) {
        return answerByUpstream(options, exchange, forward)
      }
      const preflight = mayCrossOrigins(request) ? allow(exchange, share) : undefined
      if (preflight) return preflight
      if (!isGoodHost && assume(exchange, 'errors.wrong-host') === 'refused') {
        throw new Refusal('wrong-host', { host: exchange.host })
      }
      if (entry.refusal) throw entry.refusal
      enter(options, exchange)
      const otherwise = findOperation(exchange)
      if (otherwise && exchange.sandbox.overrides.size === 0) return finish(options, exchange, otherwise())
      if (otherwise || !isFound(exchange) || mayBeForced(exchange)) return answerOtherwise(exchange, options, otherwise)
      if (exchange.operation.input.body) return answerWithBody(exchange, options)
      return settle(options, exchange, () => act(exchange, options))
    } catch (error) {
      return finish(options, exchange, failed(exchange, error))
    }
  }

  if (owners) return createOwnerRouting(owners, options.callerOf, options.mayMake ?? (() => true), gate, answer)
  if (!gate) return (request) => answer(request, nothing)
  return (request) => {
    const entry = gate(request)
    return entry instanceof Promise ? entry.then((decided) => answer(request, decided)) : answer(request, entry)
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
    exchange.operation = match.operation
    exchange.params = match.params
  }
  return undefined
}

async function answerWithBody(exchange: FoundExchange, options: ServeOptions): Promise<Outcome> {
  const ready = await prepare(exchange, options)
  return settle(options, exchange, ready)
}

/** Reads the body, if the operation has one. The returned function then answers without waiting. */
async function prepare(exchange: Setting<'body', FoundExchange>, options: ServeOptions): Promise<() => Reply> {
  try {
    if (exchange.operation.input.body) {
      if (choice(exchange, 'auth.order') === 'token-first') authenticate(exchange)
      exchange.body ??= await readBody(exchange)
      lap(exchange, 'read')
    }
    // The state is read here for the first time, so earlier changes by other requests are seen.
    return () => act(exchange, options)
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
  if (forced) return settle(options, exchange, forced)
  try {
    if (otherwise) return finish(options, exchange, otherwise())
    const page = options.page(exchange)
    if (page) return passed(page, exchange, 'page')
    const { leave } = exchange.request
    if (leave && !(await leave())) return undefined
    if (exchange.unreadable) throw exchange.unreadable
    if (options.fallback) return await answerByFallback(options, exchange, options.fallback)
    throw new Refusal('unknown-path')
  } catch (error) {
    return finish(options, exchange, failed(exchange, error))
  }
}

/** Finds the operation. Returns whether the upstream service answers it. */
function isForUpstream(exchange: Setting<'operation' | 'params'>, forward: Forward): boolean {
  const method = exchange.request.method === 'HEAD' ? 'GET' : exchange.request.method
  const match = exchange.contract.match(method, exchange.path)
  const operation = match.kind === 'operation' ? match.operation : undefined
  if (!forward.takes(operation)) return false
  exchange.operation = operation
  exchange.params = match.kind === 'operation' ? match.params : {}
  return true
}

/** Forwards the answer of the service that replaces the rules, including its CORS headers. */
async function answerByUpstream(
  options: ServeOptions,
  exchange: Setting<'source'>,
  forward: Forward
): Promise<Outcome> {
  try {
    if (exchange.entry.refusal) throw exchange.entry.refusal
    enter(options, exchange)
    const relayed = await forward.ask(exchange)
    if (relayed !== 'mock') exchange.source = 'fallback'
    if (relayed !== 'mock') return await finishRelayed(options, exchange, relayed)
    return isFound(exchange) ? await answerWithBody(exchange, options) : undefined
  } catch (error) {
    return finish(options, exchange, forward.failed(exchange, error))
  }
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
    const asked = { operation: undefined, params: {}, method, path, query: plainQueryOf(exchange) }
    return sandbox.overrides.tried.some((it) => matchesAddress(it, asked)) ? 'path' : undefined
  }
}
