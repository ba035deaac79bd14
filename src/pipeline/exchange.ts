import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Contract, Operation } from '../contract/contract.js'
import type { Assumptions } from '../contract/types.gen.js'
import { readBearer } from '../http/bearer.js'
import { type Sandbox, sandboxName } from '../mock/sandbox.js'

/** One request on its way. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  started: number
  path: string
  search: string
  /** The user's key, as the request names it. */
  key: string | undefined
  sandbox: Sandbox
  contract: Contract
  operation?: Operation
  params: Record<string, string>
  assumed: Set<string>
  violations: string[]
  failure?: string
}

/** Where requests find their sandbox and its contract. */
export interface Sandboxes {
  sandbox(name: string): Sandbox
  contract(sandbox: Sandbox): Contract
}

/** Opens the exchange of a request. A sandbox that cannot be named gets nobody's key. */
export function open(
  { sandbox: sandboxOf, contract }: Sandboxes,
  request: IncomingMessage,
  response: ServerResponse
): Exchange {
  const url = request.url as string
  const mark = url.indexOf('?')
  const bearer = readBearer(request)
  const named = bearer.sandbox === undefined || sandboxName.test(bearer.sandbox)
  const sandbox = sandboxOf(named ? (bearer.sandbox ?? 'default') : 'default')
  return {
    request,
    response,
    started: performance.now(),
    path: mark < 0 ? url : url.slice(0, mark),
    search: mark < 0 ? '' : url.slice(mark + 1),
    key: named ? bearer.key : undefined,
    sandbox,
    contract: contract(sandbox),
    params: {},
    assumed: new Set(),
    violations: []
  }
}

export function choice<Id extends keyof Assumptions>(exchange: Exchange, id: Id): Assumptions[Id] {
  return exchange.sandbox.choices[id] as Assumptions[Id]
}

/** The choice in force, noted as one that the response rests on. */
export function assume<Id extends keyof Assumptions>(exchange: Exchange, id: Id): Assumptions[Id] {
  exchange.assumed.add(id)
  return choice(exchange, id)
}
