import { Refusal } from '../contract/message/refusal.js'
import { type ActOptions, act } from './act.js'
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
import { findOperation } from './find.js'
import { answerForced, mayBeForced } from './forced/forced.js'
import type { FrontEnd, PageHandler } from './front-end.js'
import { allow } from './message/allow.js'
import { createCors } from './message/cors.js'
import type { Outcome, Reply } from './message/message.js'
import { readBody } from './read.js'
import { failed } from './reply.js'
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
