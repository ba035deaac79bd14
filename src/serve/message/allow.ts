import type { Setting } from '../exchange.js'
import type { CorsAnswer } from './cors.js'
import type { Answer, Request } from './message.js'

/** Adds the headers that let pages of other origins read the answer. Returns the answer to a preflight. */
export function allow(exchange: Setting<'entry'>, share: (request: Request) => CorsAnswer): Answer | undefined {
  const { headers, preflight } = share(exchange.request)
  exchange.entry = { ...exchange.entry, headers: { ...exchange.entry.headers, ...headers } }
  return preflight && { ...preflight, headers: { ...exchange.entry.headers }, body: '' }
}
