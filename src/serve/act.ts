import { Invalid } from '../contract/pydantic/explain.js'
import type { Rows } from '../contract/types.gen.js'
import { watchRoom } from '../mock/sandbox/room.js'
import { rules } from '../rules/index.js'
import type { Context, OperationId } from '../rules/rule.js'
import { authenticate } from './admit.js'
import { readInput } from './check.js'
import { assume, type Exchange, type Found, lap } from './exchange.js'
import type { Reply } from './message/message.js'
import { jsonOf } from './read.js'
import { failed, succeeded } from './reply.js'

export interface ActOptions {
  /** The size limit of a sandbox in bytes, without what it started with. */
  sandboxBytes: number
  /** A reply that breaks its contract becomes a 500. */
  strict: boolean
}

/** Calls the operation's rule. Nothing waits here, so no other request can change the state in between. */
export function act(exchange: Found, options: ActOptions): Reply {
  try {
    return exchange.transaction.run(() => {
      const value = jsonOf(exchange)
      const user = authenticate(exchange)
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

function ruled(exchange: Found, user: Rows['users'], input: unknown, { sandboxBytes }: ActOptions): Reply {
  const { operation, sandbox, transaction } = exchange
  const rule = rules[operation.id as OperationId] as (input: unknown, context: Context) => unknown
  if (operation.method === 'GET') return succeeded(exchange, rule(input, contextOf(exchange, user)))
  const checkRoom = watchRoom(sandbox, sandboxBytes)
  const reply = succeeded(exchange, rule(input, contextOf(exchange, user)))
  if (transaction.writes.length > 0) checkRoom()
  return reply
}

function checkedReply(exchange: Found, reply: Reply, { strict }: ActOptions): Reply {
  const { contract, operation, assumed } = exchange
  const violations = contract.checkReply(operation, reply.status, reply.body, assumed)
  exchange.checked.reply = violations
  lap(exchange, 'check reply')
  if (violations.length === 0) return reply
  exchange.violations.push(...violations)
  if (!strict) return reply
  throw new Error(`The reply breaks the contract: ${violations.join('; ')}`)
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
