import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Contract, Operation } from '../contract/contract.js'
import type { Problem } from '../contract/explain.js'
import type { Choices } from '../contract/load.js'
import { Refusal } from '../contract/refusal.js'
import type { Assumptions, Fault } from '../contract/types.gen.js'
import { readBearer } from '../http/bearer.js'
import type { Body } from '../http/body.js'
import { readTarget } from '../http/target.js'
import { type Sandbox, sandboxName } from '../mock/sandbox.js'
import type { Touches } from '../store/touches.js'

/** One request on its way, and what is learnt of it. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** Milliseconds of performance.now(). */
  started: number
  /** The host that is asked; HTTP/1.0 may leave it out. */
  host: string | undefined
  path: string
  search: string
  /** The user's key, as the request names it. */
  key: string | undefined
  sandbox: Sandbox
  /** Why it is refused, or the sandbox that it names cannot be used; `sandbox` is then the default one. */
  refused: Refusal | undefined
  /** The choices in force when the request came, and the contract under them. */
  choices: Choices
  contract: Contract
  operation: Operation | undefined
  params: Record<string, string>
  body: Body | undefined
  /** The key of the user who was let in. */
  user: string | null
  assumed: Set<string>
  violations: string[]
  problems: readonly Problem[]
  /** Whether the request came so far as to be checked; what the reply broke, if there was one to check. */
  checked: { input: boolean; reply: readonly string[] | undefined }
  touches: Touches
  /** Milliseconds by step, and when the last step ended. */
  timing: Record<string, number>
  lap: number
  /** The override that answers, or Prefer. */
  override: string | undefined
  fault: Fault | undefined
  refusal: string | undefined
  failure: string | undefined
}

/** Where requests find their sandbox and its contract. */
export interface Worlds {
  /** Throws a Refusal when there can be no such sandbox. */
  sandbox(name: string, now: number): Sandbox
  contract(sandbox: Sandbox): Contract
  /** Why a request is refused before anybody looks at it; undefined: it is not. */
  refusalOf(request: IncomingMessage): Refusal | undefined
}

/** Opens the exchange of a request. What names a sandbox that cannot be goes to the default one, to be refused there. */
export function open(worlds: Worlds, request: IncomingMessage, response: ServerResponse): Exchange {
  const started = performance.now()
  const { host, path, search } = readTarget(request)
  const { key, sandbox: name = 'default' } = readBearer(request)
  let refused: Refusal | undefined
  let sandbox: Sandbox
  try {
    const early = worlds.refusalOf(request)
    if (early) throw early
    if (!sandboxName.test(name)) throw new Refusal('bad-sandbox', { name })
    sandbox = worlds.sandbox(name, started)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    refused = error
    sandbox = worlds.sandbox('default', started)
  }
  return {
    request,
    response,
    started,
    host,
    path,
    search,
    key,
    sandbox,
    refused,
    choices: sandbox.choices,
    contract: worlds.contract(sandbox),
    operation: undefined,
    params: {},
    body: undefined,
    user: null,
    assumed: new Set(),
    violations: [],
    problems: [],
    checked: { input: false, reply: undefined },
    touches: { reads: [], writes: [] },
    timing: {},
    lap: started,
    override: undefined,
    fault: undefined,
    refusal: undefined,
    failure: undefined
  }
}

/** Notes how long the step that ends now took. */
export function lap(exchange: Exchange, step: string): void {
  const now = performance.now()
  exchange.timing[step] = now - exchange.lap
  exchange.lap = now
}

export function choice<Id extends keyof Assumptions>(exchange: Exchange, id: Id): Assumptions[Id] {
  return exchange.choices[id] as Assumptions[Id]
}

/** The choice in force, noted as one that the response rests on. */
export function assume<Id extends keyof Assumptions>(exchange: Exchange, id: Id): Assumptions[Id] {
  exchange.assumed.add(id)
  return choice(exchange, id)
}
