import { Refusal } from '../contract/refusal.js'
import type { Exchange } from './exchange.js'
import type { Answer } from './message/message.js'
import type { Forward } from './relay.js'
import { type Ending, finish, finishRelayed } from './send.js'

/** A service that answers what is not there. */
export interface Fallback {
  forward: Forward
  /** What this mock calls itself in Via. */
  name: string
}

/** Asks the service. Who may see the answer is for the mock to say, as it has for the preflight. */
export async function answerByFallback(
  ending: Ending,
  exchange: Exchange,
  { forward, name }: Fallback
): Promise<Answer> {
  exchange.forwarded = true
  try {
    const { request } = exchange
    if (String(request.headers.via ?? '').includes(name)) throw new Refusal('fallback-loop')
    // Where the service asks back, it would go on for ever.
    const rawHeaders = [...request.rawHeaders, 'Via', `1.1 ${name}`]
    exchange.request = Object.create(request, { rawHeaders: { value: rawHeaders } })
    const relayed = await forward.ask(exchange)
    if (relayed === 'mock') throw new Refusal('unknown-path')
    return await finishRelayed(ending, exchange, { ...relayed, headers: withoutCors(relayed.headers) })
  } catch (error) {
    return finish(ending, exchange, forward.failed(exchange, error))
  }
}

/** Two answers to one question of a browser are none. */
function withoutCors(headers: string[]): string[] {
  return headers.filter((_, at) => !/^access-control-/i.test(headers[at - (at % 2)] as string))
}
