import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '../contract/contract.js'
import { Refusal } from '../contract/refusal.js'
import type { Rows } from '../contract/types.gen.js'
import { createCors } from '../http/cors.js'
import { createHostCheck } from '../http/host.js'
import { isGivenUp } from '../http/linger.js'
import { type Reply, write } from '../http/write.js'
import type { JournalEntry } from '../mock/journal.js'
import { rules } from '../rules/index.js'
import type { Context, OperationId } from '../rules/rule.js'
import { noteTouchesIn } from '../store/touches.js'
import { type ControlDoor, createControlDoor } from './control.js'
import { assume, choice, type Exchange, lap, open, type Worlds } from './exchange.js'
import { jsonOf, readBody, readInput } from './input.js'
import { record } from './record.js'
import { failed, succeeded } from './reply.js'
import { authenticate } from './user.js'

/** Answers a request, or calls on where the path is nobody's. */
export type Dispatch = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

export interface Pipeline {
  dispatch: Dispatch
  /** Answers what nobody knows. */
  notFound: (request: IncomingMessage, response: ServerResponse) => void
}

export interface PipelineOptions extends Worlds {
  /** Called when the state may have changed. */
  changed(): void
  onExchange?: ((entry: JournalEntry) => void) | undefined
  corsOrigin: readonly string[]
  allowHost: readonly string[]
  /** The most values that a JSON body may hold. */
  jsonValues: number
  /** A reply that breaks its contract becomes a 500. */
  strict: boolean
  /** The control API; false: its paths are unknown. */
  control: ControlDoor | false
}

/**
 * What every request goes through: host, CORS, sandbox, path, body, user, role, contract, rule, contract. All that
 * touches state happens between two awaits, so a request sees one state and leaves one.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const isAllowedHost = createHostCheck(options.allowHost)
  const answerCors = createCors(options.corsOrigin)
  const control = options.control ? createControlDoor(options.control, options) : undefined

  const dispatch: Dispatch = (request, response, next) => {
    if (isGivenUp(request.socket)) return
    let exchange: Exchange | undefined
    try {
      exchange = open(options, request, response)
      const isGoodHost = isAllowedHost(exchange.host)
      if (control?.owns(exchange.path)) return control.answer(exchange, isGoodHost, next)
      if (request.headers.origin !== undefined && answerCors(request, response)) return
      if (!isGoodHost && assume(exchange, 'errors.wrong-host') === 'refused') {
        throw new Refusal('wrong-host', { host: exchange.host })
      }
      if (exchange.refused) throw exchange.refused
      const redirect = findOperation(exchange)
      if (redirect) finish(options, exchange, redirect)
      else if (!exchange.operation) next()
      else if (exchange.operation.input.body) void answerWithBody(exchange, options)
      else finish(options, exchange, answer(exchange, options))
    } catch (error) {
      if (exchange) finish(options, exchange, failed(exchange, error))
      else response.destroy(error as Error)
    }
  }

  const notFound = (request: IncomingMessage, response: ServerResponse) => {
    const exchange = open(options, request, response)
    if (control?.owns(exchange.path)) control.notFound(exchange)
    else finish(options, exchange, failed(exchange, exchange.refused ?? new Refusal('unknown-path')))
  }
  return { dispatch, notFound }
}

/** Finds the operation; gives a redirect where the path differs from a documented one by its last slash. */
function findOperation(exchange: Exchange): Reply | undefined {
  const { request, contract, path, search } = exchange
  let method = request.method as string
  if (method === 'HEAD' && choice(exchange, 'errors.wrong-method') === 'head-served') method = 'GET'
  let match = contract.match(method, path)
  if (match.kind === 'slash') {
    if (assume(exchange, 'projects.trailing-slash') === 'redirected') {
      const base = (request as { baseUrl?: string }).baseUrl ?? ''
      return { status: 307, headers: { Location: `${base}${match.path}${search && `?${search}`}` }, body: undefined }
    }
    match = contract.match(method, match.path)
  }
  if (match.kind === 'method') throw new Refusal('wrong-method', { allow: match.allow })
  if (match.kind === 'operation') {
    exchange.operation = match.operation
    exchange.params = match.params
  }
  return undefined
}

async function answerWithBody(exchange: Exchange, options: PipelineOptions): Promise<void> {
  let reply: Reply
  try {
    if (choice(exchange, 'auth.order') === 'token-first') authenticate(exchange)
    exchange.body = await readBody(exchange, options.jsonValues)
    lap(exchange, 'read')
    // What another request did while this one was read is seen: nothing of the state was looked at before.
    reply = answer(exchange, options)
  } catch (error) {
    reply = failed(exchange, error)
  }
  finish(options, exchange, reply)
}

/** From here on nothing waits. */
function answer(exchange: Exchange, options: PipelineOptions): Reply {
  try {
    noteTouchesIn(exchange.touches)
    const value = jsonOf(exchange)
    const user = authenticate(exchange)
    const input = readInput(exchange, value)
    lap(exchange, 'check')
    const operation = exchange.operation as Operation
    const rule = rules[operation.id as OperationId] as (input: unknown, context: Context) => unknown
    const reply = succeeded(exchange, rule(input, contextOf(exchange, user)))
    lap(exchange, 'rule')
    const violations = exchange.contract.checkReply(operation, reply.status, reply.body, exchange.assumed)
    exchange.checked.reply = true
    lap(exchange, 'check reply')
    if (operation.method !== 'GET') options.changed()
    if (violations.length === 0) return reply
    exchange.violations.push(...violations)
    if (!options.strict) return reply
    throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
  } catch (error) {
    return failed(exchange, error)
  } finally {
    noteTouchesIn(undefined)
  }
}

function contextOf(exchange: Exchange, user: Rows['users']): Context {
  const { sandbox } = exchange
  return {
    user,
    rows: sandbox.rows,
    ids: sandbox.ids,
    seed: sandbox.ids.seed,
    now: sandbox.clock.time,
    sources: exchange.contract.sources,
    assume: (id) => assume(exchange, id)
  }
}

function finish(options: PipelineOptions, exchange: Exchange, reply: Reply): void {
  const { sandbox, request, response, assumed, violations } = exchange
  const headers: Record<string, string | number> = { 'X-Mock-Request-Id': sandbox.journal.nextId() }
  const assumptions = [...assumed]
  if (assumptions.length > 0) headers['X-Mock-Assumed'] = assumptions.join(', ')
  if (violations.length > 0) headers['X-Mock-Violations'] = violations.length
  let text: string
  try {
    text = write(request, response, reply, headers)
  } catch (error) {
    reply = failed(exchange, error)
    text = write(request, response, reply, headers)
  }
  lap(exchange, 'write')
  const entry = record(exchange, reply, text, headers, assumptions)
  options.onExchange?.(entry)
}
