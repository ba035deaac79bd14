import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'
import { type FixtureSet, fixtureSets, seedRows } from '../fixtures/index.js'
import { type Contract, createContract } from './contract/contract.js'
import { lazily } from './contract/lazy.js'
import { type Choices, type Documents, isObject, type Json, readDocuments } from './contract/load.js'
import { openapi } from './contract/openapi.js'
import { choose, type Profile, pairsOf, profiles, readLedger } from './mock/assumptions.js'
import type { Exchange } from './mock/journal.js'
import { Sandbox, type Start } from './mock/sandbox.js'
import { createPipeline } from './pipeline/pipeline.js'
import { Edge } from './store/edge.js'
import { createStore } from './store/rows.js'

/** What a mock is made of; every field has a default. */
export interface MockOptions {
  /** Seeds fixtures and identifiers: the same seed and the same calls give the same bytes. Default 1. */
  seed?: number
  /** The state to start from. Default demo. */
  fixtures?: FixtureSet
  /** How many times the usual number of rows the fixture set `large` has. Default 1. */
  scale?: number
  /** ISO 8601. The clock stands still there. Default: the real time, running. */
  now?: string
  /** Whose choices the assumptions start with. Default documented. */
  profile?: Profile
  /** Choices by ledger id, or as `id=choice`. */
  assume?: Record<string, string> | readonly string[]
  /** `any`: a token that no user has acts as admin. Default strict. */
  auth?: 'strict' | 'any'
  /** Answer 500 where a reply of the mock breaks its own contract. Default false. */
  strict?: boolean
  /** Origins that pages may call from; `*`, the default, means any. */
  corsOrigin?: string | readonly string[]
  /** Names beside localhost and IP addresses that a Host header may give. */
  allowHost?: string | readonly string[]
  /** Called after every answer. */
  onExchange?: (exchange: Exchange) => void
}

/** A mock without a listener. */
export interface Mock {
  /** The Express app: for supertest, or to mount in another app. */
  app: Express
  /** The same answers for a node:http server, without Express on the way of what the interface documents. */
  listener: (request: IncomingMessage, response: ServerResponse) => void
  /** A sandbox by name; made from the start state when first seen. */
  sandbox(name: string): Sandbox
  /** Back to the start, all sandboxes. */
  reset(): Promise<void>
}

/** Makes a mock without a listener. Throws an Error that names the good values when an option is wrong. */
export function createMock(options: MockOptions = {}, edge: Edge = Edge.inMemory()): Mock {
  const start = startOf(options)
  const contractOf = createContractCache(readDocuments())
  const sandbox = (name: string): Sandbox => {
    let known = edge.sandboxes.get(name)
    if (!known) {
      known = Sandbox.start(name, start)
      edge.sandboxes.set(name, known)
    }
    return known
  }
  const pipeline = createPipeline({
    sandbox,
    contract: ({ choices }) => contractOf(choices),
    changed: () => edge.changed(),
    onExchange: options.onExchange,
    strict: options.strict ?? false,
    corsOrigin: listOf(options.corsOrigin, ['*']),
    allowHost: listOf(options.allowHost, [])
  })

  // What the interface does not document: Express serves it, and the end of its road is our 404.
  const rest = once(() => {
    const made = express().disable('x-powered-by')
    made.get('/openapi.json', (request, response) => {
      const server = `${request.protocol}://${request.get('host')}${request.baseUrl}`
      response.json(openapi(contractOf(sandbox('default').choices), server))
    })
    return made.use(pipeline.notFound)
  })
  const app = once(() => express().disable('x-powered-by').use(pipeline.dispatch, rest()))

  return {
    get app() {
      return app()
    },
    listener: (request, response) => pipeline.dispatch(request, response, () => rest()(request, response)),
    sandbox,
    async reset() {
      edge.sandboxes.clear()
      edge.changed()
      await edge.flush()
    }
  }
}

/** Express takes longer to load than the mock to answer, so it is loaded when it is first needed. */
function express(): Express {
  return (lazily('express') as typeof import('express'))()
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Reads the options into the state that every sandbox starts from. */
function startOf(options: MockOptions): Start {
  const { seed = 1, fixtures = 'demo', scale = 1, profile = 'documented', auth = 'strict' } = options
  if (!Number.isSafeInteger(seed)) throw new Error(`seed is ${seed}: give a whole number.`)
  if (!(scale > 0 && scale <= 10_000)) throw new Error(`scale is ${scale}: give a number from above 0 to 10000.`)
  if (!fixtureSets.includes(fixtures))
    throw new Error(`fixtures is ${fixtures}: give one of ${fixtureSets.join(', ')}.`)
  if (!profiles.includes(profile)) throw new Error(`profile is ${profile}: give one of ${profiles.join(', ')}.`)
  if (auth !== 'strict' && auth !== 'any') throw new Error(`auth is ${auth}: give strict or any.`)
  const now = options.now === undefined ? Date.now() : Date.parse(options.now)
  if (Number.isNaN(now)) throw new Error(`now is ${options.now}: give an ISO 8601 time, such as 2026-03-02T10:00:00Z.`)
  const pairs = pairsOf(options.assume ?? {})
  if (auth === 'any') pairs.unshift(['auth.unknown-token', 'admin'])
  const choices = choose(readLedger(), profile, pairs)
  const rows = createStore(seedRows(fixtures, { seed, scale, now }))
  return { rows, seed, now, speed: options.now === undefined ? 1 : 0, choices }
}

/** A contract costs some milliseconds: one is made for every set of choices that the contracts ask for. */
function createContractCache(documents: Documents): (choices: Choices) => Contract {
  const ids = [...assumptionsIn(documents)].sort()
  const bySet = new WeakMap<Choices, Contract>()
  const byKey = new Map<string, Contract>()
  return (choices) => {
    const known = bySet.get(choices)
    if (known) return known
    const key = ids.map((id) => choices[id]).join()
    const contract = byKey.get(key) ?? createContract(documents, choices)
    byKey.set(key, contract)
    bySet.set(choices, contract)
    return contract
  }
}

/** The assumptions that change a contract. */
function assumptionsIn(value: Json | Documents, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) assumptionsIn(item, found)
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'x-assumption') for (const id of Object.keys(item as object)) found.add(id)
      assumptionsIn(item, found)
    }
  }
  return found
}

function listOf(value: string | readonly string[] | undefined, fallback: readonly string[]): readonly string[] {
  if (value === undefined) return fallback
  return typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value
}
