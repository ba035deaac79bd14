import { Refusal } from '../contract/message/refusal.js'
import type { Exchange } from './exchange.js'
import type { Answer, Outcome } from './message/message.js'
import { passed } from './send.js'

/** Finds a page or another document that is not an operation. Undefined: the path is unknown. */
export type PageHandler = (exchange: Exchange) => Answer | undefined

/** The steps that differ between the platform's operations, the control API and an upstream service. */
export interface FrontEnd {
  /** Checks host and origin, and answers a preflight. */
  receive(exchange: Exchange, isGoodHost: boolean): Answer | undefined
  /** Finds the operation and the sandbox, or redirects. */
  find(exchange: Exchange): Answer | undefined
  /** Admits the request, reads and checks it, acts, checks the reply and saves the changes. */
  answer(exchange: Exchange): Outcome | Promise<Outcome>
  /** Answers a request that was refused. */
  refuse(exchange: Exchange, error: unknown): Answer
}

/** The page at a path without an operation. Throws a Refusal if there is none. */
export function pageAt(exchange: Exchange, page: PageHandler): Answer {
  const found = page(exchange)
  if (!found) throw new Refusal('unknown-path')
  return passed(found, exchange)
}
