import type { Setting } from '../exchange.js'
import type { CorsAnswer } from './cors.js'
import type { Answer, Request } from './message.js'

/** Adds the headers that let pages of other origins read the answer. Returns the answer to a preflight. */
export function allow(exchange: Setting<'passage'>, share: (request: Request) => CorsAnswer): Answer | undefined {
  const { headers, preflight } = share(exchange.request)
  exchange.passage = { ...exchange.passage, headers: { ...exchange.passage.headers, ...headers } }
  return preflight && { ...preflight, headers: { ...exchange.passage.headers }, body: '' }
}
