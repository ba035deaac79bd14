import { matchesAddress } from '../mock/overrides/matches.js'
import { open } from './exchange.js'
import type { Request } from './message/message.js'
import { isControlPath } from './message/target.js'
import { plainQueryOf } from './read.js'
import type { ServeOptions } from './serve.js'

/** What of the mock answers a request. `path`: a wrong method, a redirect or an override. */
export type Part = 'operation' | 'control' | 'page' | 'path'

/** Looks for the part of the mock that answers a request, and leaves no trace. Undefined: only a 404 would. */
export function createPartOf(options: ServeOptions): (request: Request) => Part | undefined {
  return (request) => {
    const exchange = open(options, request, {})
    const { contract, path, sandbox } = exchange
    const { method } = request
    const { kind } = contract.match(method, path)
    if (kind === 'operation') return kind
    if (options.control && isControlPath(path)) return 'control'
    if (kind !== 'none') return 'path'
    if (options.page(exchange)) return 'page'
    const asked = { operation: undefined, params: {}, method, path, query: plainQueryOf(exchange) }
    return sandbox.overrides.tried.some((it) => matchesAddress(it, asked)) ? 'path' : undefined
  }
}
