import type { Operation } from '../contract/contract.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { Refusal } from '../contract/refusal.js'
import type { Rows } from '../contract/types.gen.js'
import { undo } from '../mock/persistence/records.js'
import { watchRoom } from '../mock/sandbox/room.js'
import { rules } from '../rules/index.js'
import type { Context, OperationId } from '../rules/rule.js'
import { noteTouchesIn } from '../store/touches.js'
import { allow } from './allow.js'
import { type ControlApi, type ControlDoor, createControlDoor } from './control.js'
import type { Entrance } from './entrance.js'
import { assume, choice, type Exchange, enter, lap, open, type Passage, type Worlds } from './exchange.js'
import { findOperation, isForUpstream } from './find.js'
import { type Ending, finish, finishRelayed, passed, settle } from './finish.js'
import { answerForced, mayBeForced } from './forced/forced.js'
import { jsonOf, readBody, readInput } from './input.js'
import { createCors } from './message/cors.js'
import { createHostCheck } from './message/host.js'
import type { Answer, Outcome, Reply, Request } from './message/message.js'
import type { Forward } from './relay.js'
import { failed, succeeded } from './reply.js'
import { authenticate } from './user.js'

/** Answers a request, at once where nothing has to be waited for. */
export type Serve = (request: Request) => Outcome | Promise<Outcome>

export interface ServeOptions extends Worlds, Ending {
  corsOrigin: readonly string[]
  allowHost: readonly string[]
  /** A reply that breaks its contract becomes a 500. */
  strict: boolean
  /** What requests pass first; none: nothing. */
  entrance: Entrance | undefined
  /** The control API; false: its paths are unknown. */
  control: ControlDoor | false
  /** The service that answers instead of the rules; none: the mock answers. */
  forward?: Forward | undefined
  /** What is there beside operations. */
  page: Page
}

/** A page, or another document that is no operation; undefined: the path is unknown. */
export type Page = (exchange: Exchange) => Answer | undefined

/**
 * What every request goes through: host, CORS, sandbox, path, body, user, role, contract, rule, contract. All that
 * touches state happens between two awaits, so a request sees one state and leaves one.
 */
export function createServe(options: ServeOptions): Serve {
  const isAllowedHost = createHostCheck(options.allowHost)
  const share = createCors(options.corsOrigin)
  const control = options.control ? createControlDoor(options.control, options) : undefined

  const start = (request: Request, passage: Passage): Outcome | Promise<Outcome> => {
    const exchange = open(options, request, passage)
    const isGoodHost = isAllowedHost(exchange.host) || request.peer.isPrivate
    if (control?.owns(exchange.path)) {
      return control.answer(exchange, isGoodHost).then((answer) => answer ?? unknownControl(exchange))
    }
    try {
      if (options.forward && isGoodHost && isForUpstream(exchange, options.forward)) {
        return answerFromUpstream(exchange, options.forward, options)
      }
      if (request.headers.origin !== undefined) {
        const preflight = allow(exchange, share)
        if (preflight) return preflight
      }
      if (!isGoodHost && assume(exchange, 'errors.wrong-host') === 'refused') {
        throw new Refusal('wrong-host', { host: exchange.host })
      }
      enter(options, exchange)
      const redirect = findOperation(exchange)
      if (redirect) return finish(options, exchange, redirect)
      if (!exchange.operation) {
        const page = options.page(exchange)
        if (page) return passed(page, exchange)
        throw new Refusal('unknown-path')
      }
      if (mayBeForced(exchange)) return answerOtherwise(exchange, options)
      if (exchange.operation.input.body) return answerWithBody(exchange, options)
      return settle(options, exchange, () => answer(exchange, options))
    } catch (error) {
      return finish(options, exchange, failed(exchange, error))
    }
  }

  const unknownControl = (exchange: Exchange): Answer => {
    const page = options.page(exchange)
    return page ? passed(page, exchange) : (control as ControlApi).refused(exchange, new Refusal('unknown-path'))
  }

  const { entrance } = options
  if (!entrance) return (request) => start(request, nothing)
  return async (request) => start(request, await entrance(request))
}

const nothing: Passage = {}

async function answerFromUpstream(exchange: Exchange, forward: Forward, options: ServeOptions): Promise<Outcome> {
  try {
    enter(options, exchange)
    const relayed = await forward.ask(exchange)
    if (relayed === 'mock') return await answerWithBody(exchange, options)
    return await finishRelayed(options, exchange, relayed)
  } catch (error) {
    return finish(options, exchange, forward.failed(exchange, error))
  }
}

async function answerWithBody(exchange: Exchange, options: ServeOptions): Promise<Outcome> {
  const ready = await prepare(exchange, options)
  return settle(options, exchange, ready)
}

/** Where a request or an override asks for it: a forced answer, a late one, or none. */
async function answerOtherwise(exchange: Exchange, options: ServeOptions): Promise<Outcome> {
  return settle(options, exchange, await answerForced(exchange, () => prepare(exchange, options)))
}

/** Reads the body, if the operation has one; what is returned answers at once. */
async function prepare(exchange: Exchange, options: ServeOptions): Promise<() => Reply> {
  try {
    if (exchange.operation?.input.body) {
      if (choice(exchange, 'auth.order') === 'token-first') authenticate(exchange)
      exchange.body ??= await readBody(exchange)
      lap(exchange, 'read')
    }
    // What other requests do meanwhile is seen: nothing of the state was looked at before.
    return () => answer(exchange, options)
  } catch (error) {
    return () => failed(exchange, error)
  }
}

/** From here on nothing waits. */
function answer(exchange: Exchange, options: ServeOptions): Reply {
  const { ids } = exchange.sandbox
  try {
    ids.begin()
    noteTouchesIn(exchange.touches)
    const value = jsonOf(exchange)
    const user = authenticate(exchange)
    const input = readInput(exchange, value)
    lap(exchange, 'check')
    if (input instanceof Invalid) return failed(exchange, input)
    const operation = exchange.operation as Operation
    const rule = rules[operation.id as OperationId] as (input: unknown, context: Context) => unknown
    const checkRoom = operation.method === 'GET' ? undefined : watchRoom(exchange.sandbox, options.sandboxBytes)
    const reply = succeeded(exchange, rule(input, contextOf(exchange, user)))
    if (exchange.touches.writes.length > 0) checkRoom?.()
    lap(exchange, 'rule')
    const violations = exchange.contract.checkReply(operation, reply.status, reply.body, exchange.assumed)
    exchange.checked.reply = violations
    lap(exchange, 'check reply')
    if (violations.length === 0) return reply
    exchange.violations.push(...violations)
    if (!options.strict) return reply
    throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
  } catch (error) {
    // A rule checks first and writes last; where it fails in the middle or finds no room, nothing of it stays.
    noteTouchesIn(undefined)
    undo(exchange.sandbox.rows, exchange.touches.writes.splice(0))
    ids.takeCounted()?.takeBack()
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
    jsonValues: exchange.jsonValues,
    now: sandbox.clock.time,
    sources: exchange.contract.sources,
    assume: (id) => assume(exchange, id)
  }
}
