import { decode } from '../contract/match.js'
import { Refusal } from '../contract/message/refusal.js'
import { userWith } from './admit.js'
import type { Exchange, Setting } from './exchange.js'
import { finish, finishRelayed, type SendParts } from './finish.js'
import { cookiesOf } from './message/cookies.js'
import type { Answer } from './message/message.js'
import { isVisitorCookie } from './message/visitor-cookie.js'
import type { Forward } from './relay.js'

export interface Fallback {
  forward: Forward
  /** The mock's name in Via. */
  name: string
}

/** Asks the service. The mock decides which origins may see the answer, as it did for the preflight. */
export async function answerByFallback(
  ending: SendParts,
  exchange: Setting<'forwarded' | 'request' | 'source'>,
  { forward, name }: Fallback
): Promise<Answer> {
  exchange.forwarded = true
  try {
    const { request } = exchange
    if (String(request.headers.via ?? '').includes(name)) throw new Refusal('fallback-loop')
    // Without this, a service that asks the mock would cause an endless loop.
    const rawHeaders = [...withoutMockCookies(exchange), 'Via', `1.1 ${name}`]
    exchange.request = Object.create(request, { rawHeaders: { value: rawHeaders } })
    const relayed = await forward.ask(exchange)
    if (relayed === 'mock') throw new Refusal('unknown-path')
    exchange.source = 'fallback'
    // Browsers reject an answer with two sets of CORS headers.
    const isKept = (_: string, at: number) => !/^access-control-/i.test(relayed.headers[at - (at % 2)] as string)
    return await finishRelayed(ending, exchange, { ...relayed, headers: relayed.headers.filter(isKept) })
  } catch (error) {
    return finish(ending, exchange, forward.failed(exchange, error))
  }
}

/** The headers of a request without the mock's cookies for users and visitors, which mean nothing to the service. */
function withoutMockCookies({ request: { rawHeaders }, tokenCookie, sandbox, contract }: Exchange): string[] {
  const isOwn = (cookie: string) => {
    const [[name, value] = ['', '']] = Object.entries(cookiesOf(cookie))
    if (name !== tokenCookie) return isVisitorCookie(name)
    // With a name that the service uses too, the value may be the service's.
    const [key = ''] = decode(value).split('~')
    return key === '' || userWith(contract.api, sandbox.rows, key) !== undefined
  }
  const pairs: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = rawHeaders.slice(at, at + 2) as [string, string]
    if (name.toLowerCase() !== 'cookie') pairs.push(name, value)
    else {
      const others = value.split(';').filter((it) => !isOwn(it))
      if (others.length > 0) pairs.push(name, others.join(';').trim())
    }
  }
  return pairs
}
