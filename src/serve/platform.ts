import { Refusal } from '../contract/message/refusal.js'
import { type ActOptions, act, failed } from './act.js'
import { authenticate } from './admit.js'
import {
  assume,
  choice,
  type Exchange,
  enter,
  type FoundExchange,
  isFound,
  lap,
  type Setting,
  type Worlds
} from './exchange.js'
import { answerByFallback, type Fallback } from './fallback.js'
import { answerForced, mayBeForced } from './forced/forced.js'
import type { FrontEnd, PageHandler } from './front-end.js'
import { allow } from './message/allow.js'
import { createCors } from './message/cors.js'
import type { Outcome, Reply } from './message/message.js'
import { readBody } from './read.js'
import type { Forward } from './relay.js'
import { finish, passed, type SendParts, settle } from './send.js'

export interface PlatformOptions extends Worlds, SendParts, ActOptions {
  corsOrigin: readonly string[]
  /** Pages and documents beside the operations. */
  page: PageHandler
  /** Answers unknown paths. Without it they are a 404. */
  fallback?: Fallback | undefined
}

/** The platform's operations, answered by their rules. */
export function createPlatform(options: PlatformOptions): FrontEnd {
  const share = createCors(options.corsOrigin)
  return {
    receive(exchange, isGoodHost) {
      const { method, headers } = exchange.request
      // Some environments of tests send a preflight without an Origin.
      const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
      if (headers.origin !== undefined || isPreflight) {
        const preflight = allow(exchange, share)
        if (preflight) return preflight
      }
      if (!isGoodHost && assume(exchange, 'errors.wrong-host') === 'refused') {
        throw new Refusal('wrong-host', { host: exchange.host })
      }
      return undefined
    },

    find(exchange: Setting<'otherwise'>) {
      enter(options, exchange)
      const otherwise = findOperation(exchange)
      if (!otherwise) return undefined
      if (exchange.sandbox.overrides.size === 0) return finish(options, exchange, otherwise())
      exchange.otherwise = otherwise
      return undefined
    },

    answer(exchange) {
      if (!isFound(exchange) || mayBeForced(exchange)) return answerOtherwise(exchange, options)
      if (exchange.operation.input.body) return answerWithBody(exchange, options)
      return settle(options, exchange, () => act(exchange, options))
    },

    refuse: (exchange, error) => finish(options, exchange, failed(exchange, error))
  }
}

export async function answerWithBody(exchange: FoundExchange, options: PlatformOptions): Promise<Outcome> {
  const ready = await prepare(exchange, options)
  return settle(options, exchange, ready)
}

/** Answers with a forced or delayed answer, or breaks the connection, if the request or an override asks for it. */
async function answerOtherwise(exchange: Exchange, options: PlatformOptions): Promise<Outcome> {
  const isKnown = isFound(exchange) && exchange.otherwise === undefined
  const forced = await answerForced(exchange, isKnown ? () => prepare(exchange, options) : undefined)
  if (forced) return settle(options, exchange, forced)
  try {
    return await answerUnknown(exchange, options)
  } catch (error) {
    return finish(options, exchange, failed(exchange, error))
  }
}

/**
 * Answers a request without an operation: with a page, or from the fallback service. Throws a Refusal if there is
 * neither.
 */
async function answerUnknown(exchange: Exchange, options: PlatformOptions): Promise<Outcome> {
  if (exchange.otherwise) return finish(options, exchange, exchange.otherwise())
  const page = options.page(exchange)
  if (page) return passed(page, exchange)
  const { leave } = exchange.request
  if (leave && !(await leave(exchange.body))) return undefined
  if (options.fallback) return answerByFallback(options, exchange, options.fallback)
  throw new Refusal('unknown-path')
}

/** Reads the body, if the operation has one. The returned function then answers without waiting. */
async function prepare(exchange: Setting<'body', FoundExchange>, options: PlatformOptions): Promise<() => Reply> {
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
    if (assume(exchange, 'projects.trailing-slash') === 'redirected') {
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

/** Finds the operation. Returns whether the upstream service answers it. */
export function isForUpstream(exchange: Setting<'operation' | 'params'>, forward: Forward): boolean {
  const method = exchange.request.method === 'HEAD' ? 'GET' : exchange.request.method
  const match = exchange.contract.match(method, exchange.path)
  const operation = match.kind === 'operation' ? match.operation : undefined
  if (!forward.takes(operation)) return false
  exchange.operation = operation
  exchange.params = match.kind === 'operation' ? match.params : {}
  return true
}
