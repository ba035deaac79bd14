import { Draws } from '../../fixtures/maker.js'
import type { Operation } from '../contract/contract.js'
import { createFaker } from '../contract/own/faker.js'
import { Invalid } from '../contract/pydantic/explain.js'
import type { Rows } from '../contract/types.gen.js'
import { watchRoom } from '../mock/sandbox/room.js'
import { rules } from '../rules/index.js'
import { answerOwn, type OwnContextParts, type OwnInput, type OwnRule } from '../rules/own/own.js'
import type { Context, OperationId } from '../rules/rule.js'
import { authenticate } from './admit.js'
import { readInput } from './check.js'
import { assume, type Exchange, type FoundExchange, lap, type Setting } from './exchange.js'
import type { Reply } from './message/message.js'
import { jsonOf } from './read.js'
import { failed, succeeded } from './reply.js'

export interface ActOptions {
  /** The size limit of a sandbox in bytes, without the rows that it started with. */
  sandboxBytes: number
  /** Answers 500 if a reply breaks its contract. */
  strict: boolean
  /** The rules of the user's own operations, and the factories of rows. */
  own: () => { rules: ReadonlyMap<string, OwnRule>; factoryOf: OwnContextParts['factoryOf'] }
}

/** Null: nobody. */
type User = Rows['users'] | null

/** Calls the operation's rule. Nothing waits here, so no other request can change the state in between. */
export function act(exchange: FoundExchange, options: ActOptions): Reply {
  try {
    return exchange.transaction.run(() => {
      const value = jsonOf(exchange)
      lap(exchange, 'parse')
      const user = identified(exchange)
      const input = readInput(exchange, value)
      lap(exchange, 'check')
      if (input instanceof Invalid) return failed(exchange, input)
      const reply = ruled(exchange, user, input, options)
      lap(exchange, 'rule')
      return checkedReply(exchange, reply, options)
    })
  } catch (error) {
    return failed(exchange, error)
  }
}

function identified(exchange: FoundExchange): User {
  try {
    return authenticate(exchange)
  } finally {
    lap(exchange, 'user')
  }
}

function ruled(exchange: FoundExchange, user: User, input: unknown, options: ActOptions): Reply {
  const { operation, sandbox, transaction } = exchange
  const rule = ruleOf(exchange, contextOf(exchange, user), options, operation)
  if (operation.method === 'GET') return succeeded(exchange, rule(input))
  const checkRoom = watchRoom(sandbox, options.sandboxBytes)
  const reply = succeeded(exchange, rule(input))
  if (transaction.writes.length > 0) checkRoom()
  return reply
}

/** The function that answers an operation: its rule, or the user's rule for an own operation. */
function ruleOf(
  exchange: FoundExchange,
  context: Context,
  options: ActOptions,
  operation: Operation
): (input: unknown) => unknown {
  if (!operation.own) {
    const rule = rules[operation.id as OperationId] as (input: unknown, context: Context) => unknown
    return (input) => rule(input, context)
  }
  const { contract, sandbox } = exchange
  const parts = {
    contract,
    sandbox,
    factoryOf: options.own().factoryOf,
    context,
    exchange: sandbox.journal.nextId(),
    makeFaker: (seed: number) => createFaker(context.now, new Draws(seed)),
    ruleOf(view: Operation) {
      const rule = ruleOf(exchange, context, options, view)
      return view.own ? rule : (input: unknown) => contract.leaveOut(view, 200, rule(input), exchange.assumed)
    }
  }
  return (input) => answerOwn(operation, options.own().rules.get(operation.id), input as OwnInput, parts)
}

function checkedReply(exchange: Setting<'brokenByReply', FoundExchange>, reply: Reply, { strict }: ActOptions): Reply {
  const { contract, operation, assumed } = exchange
  const body = ArrayBuffer.isView(reply.body) ? '' : reply.body
  const violations = contract.checkReply(operation, reply.status, body, assumed)
  exchange.brokenByReply = violations
  lap(exchange, 'check reply')
  if (violations.length === 0) return reply
  exchange.violations.push(...violations)
  if (!strict) return reply
  throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
}

function contextOf(exchange: Exchange, user: User): Context {
  const { sandbox } = exchange
  return {
    // Only the user's own operations allow requests without a user, and their rules know that.
    user: user as Rows['users'],
    rows: sandbox.rows,
    ids: sandbox.ids,
    seed: sandbox.ids.seed,
    jsonValues: exchange.jsonValues,
    now: sandbox.clock.time,
    sources: exchange.contract.sources,
    assume: (id) => assume(exchange, id)
  }
}
