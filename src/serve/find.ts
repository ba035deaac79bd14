import { Refusal } from '../contract/message/refusal.js'
import { assume, choice, type Setting } from './exchange.js'
import type { Reply } from './message/message.js'
import type { Forward } from './relay.js'

/**
 * Finds the operation. Otherwise returns the answer: a 405 if the path has only other methods, or a redirect if only
 * the trailing slash differs from a documented path.
 */
export function findOperation(exchange: Setting<'operation' | 'params'>): (() => Reply) | undefined {
  const { request, contract, path, search } = exchange
  let { method } = request
  let match = contract.match(method, path)
  if (method === 'HEAD' && match.kind !== 'operation' && choice(exchange, 'errors.wrong-method') === 'head-served') {
    method = 'GET'
    match = contract.match(method, path)
  }
  if (match.kind === 'slash') {
    const target = contract.match(method, match.path)
    if (assume(exchange, 'projects.trailing-slash') === 'redirected') {
      if (target.kind === 'operation') exchange.operation = target.operation
      const headers = { Location: `${request.mount}${match.path}${search && `?${search}`}` }
      return () => ({ status: 307, headers, body: undefined })
    }
    match = target
  }
  if (match.kind === 'method') {
    const { allow } = match
    return () => {
      throw new Refusal('wrong-method', { allow })
    }
  }
  if (match.kind === 'operation') {
    exchange.operation = match.operation
    exchange.params = match.params
  }
  return undefined
}

/** Finds the operation. Returns whether the upstream service answers it. */
export function isForUpstream(exchange: Setting<'operation' | 'params'>, forward: Forward): boolean {
  const method = exchange.request.method === 'HEAD' ? 'GET' : exchange.request.method
  const match = exchange.contract.match(method, exchange.path)
  const operation = match.kind === 'operation' ? match.operation : undefined
  if (!forward.takes(operation)) return false
  exchange.operation = operation
  exchange.params = match.kind === 'operation' ? match.params : {}
  return true
}
