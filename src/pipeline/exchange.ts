import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Contract, Operation } from '../contract/contract.js'
import type { Assumptions } from '../contract/types.gen.js'
import { readBearer } from '../http/bearer.js'
import { readTarget } from '../http/target.js'
import { type Sandbox, sandboxName } from '../mock/sandbox.js'

/** One request on its way. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  started: number
  /** The host that is asked; HTTP/1.0 may leave it out. */
  host: string | undefined
  path: string
  search: string
  /** The user's key, as the request names it. */
  key: string | undefined
  /** The name of a sandbox that cannot be one. */
  badName: string | undefined
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

/** Opens the exchange of a request. What names a sandbox that cannot be goes to the default one, to be refused there. */
export function open(
  { sandbox: sandboxOf, contract }: Sandboxes,
  request: IncomingMessage,
  response: ServerResponse
): Exchange {
  const { host, path, search } = readTarget(request)
  const { key, sandbox: name = 'default' } = readBearer(request)
  const isName = sandboxName.test(name)
  const sandbox = sandboxOf(isName ? name : 'default')
  return {
    request,
    response,
    started: performance.now(),
    host,
    path,
    search,
    key,
    badName: isName ? undefined : name,
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
