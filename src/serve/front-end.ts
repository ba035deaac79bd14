import { Refusal } from '../contract/refusal.js'
import type { Exchange } from './exchange.js'
import type { Answer, Outcome } from './message/message.js'
import { passed } from './send.js'

/** Finds a page, or another document that is not an operation; undefined: the path is unknown. */
export type Page = (exchange: Exchange) => Answer | undefined

/** What differs between the platform's operations, the control API and a service that answers instead. */
export interface FrontEnd {
  /** Checks host and origin; answers a preflight. */
  receive(exchange: Exchange, isGoodHost: boolean): Answer | undefined
  /** Finds the operation, and the sandbox; answers with a redirect. */
  find(exchange: Exchange): Answer | undefined
  /** Admits the request, reads and checks it, acts, checks the reply and keeps what changed. */
  answer(exchange: Exchange): Outcome | Promise<Outcome>
  /** Answers a request that may not go on. */
  refuse(exchange: Exchange, error: unknown): Answer
}

/** The page at a path that no operation has. Throws a Refusal where there is none. */
export function pageAt(exchange: Exchange, page: Page): Answer {
  const found = page(exchange)
  if (!found) throw new Refusal('unknown-path')
  return passed(found, exchange)
}
