import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Express } from 'express'
import { type FixtureSet, fixtureSets, seedRows } from '../fixtures/index.js'
import { createContractCache } from './contract/cache.js'
import { lazily } from './contract/lazy.js'
import { packageVersion, readDocuments } from './contract/load.js'
import { interfaceVersion, openapi } from './contract/openapi.js'
import { digestOf } from './data.js'
import { choose, type LedgerEntry, type Profile, pairsOf, profiles, readLedger } from './mock/assumptions.js'
import { timestamp } from './mock/clock.js'
import type { JournalEntry } from './mock/journal.js'
import type { Start } from './mock/sandbox.js'
import { Sandboxes, type SandboxLimits } from './mock/sandboxes.js'
import { createPipeline } from './pipeline/pipeline.js'
import type { ControlContext } from './rules/control/index.js'
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
  /** `off`: the control API and the dashboard are not there. Default on. */
  control?: 'on' | 'off'
  /** What the control API asks for; needed where others than this machine can reach the mock. Default: nothing. */
  controlToken?: string
  /** The most sandboxes that there may be at once. Default 10000. */
  maxSandboxes?: number
  /** A sandbox that nobody used for so many seconds is dropped. Default 0: none is. */
  sandboxIdle?: number
  /** How many exchanges each sandbox's journal keeps. Default 1000. */
  journalEntries?: number
  /** How many bytes of messages each sandbox's journal keeps. Default 16 MiB. */
  journalBytes?: number
  /** The most values that a JSON body of the interface may hold: each costs time. Default 20000. */
  maxJsonValues?: number
  /** Called after every answer. */
  onExchange?: (exchange: JournalEntry) => void
}

/** A mock without a listener. */
export interface Mock {
  /** The Express app: for supertest, or to mount in another app. */
  app: Express
  /** The same answers for a node:http server, without Express on the way of what the interface documents. */
  listener: (request: IncomingMessage, response: ServerResponse) => void
  /** Back to the start: the default sandbox as if nothing had been, all others dropped. */
  reset(): Promise<void>
}

/** A mock with its inside, for those who put it on a port. */
export interface OpenMock extends Mock {
  sandboxes: Sandboxes
}

/** Makes a mock without a listener. Throws an Error that names the good values when an option is wrong. */
export function createMock(
  options: MockOptions = {},
  { edge = Edge.inMemory(), isExposed = false }: { edge?: Edge; isExposed?: boolean } = {}
): OpenMock {
  const ledger = readLedger()
  const startOf = createStarts(options, ledger)
  const documents = readDocuments()
  const contractOf = createContractCache(documents)
  const sandboxes = new Sandboxes(edge.sandboxes, () => startOf(), sandboxLimits(options))
  const corsOrigin = listOf(options.corsOrigin, ['*'])
  const about = {
    version: packageVersion(),
    instance: randomUUID(),
    contract: once(() => ({
      version: interfaceVersion,
      sha256: digestOf(documents)
    }))
  }
  const pipeline = createPipeline({
    sandbox: (name, now) => sandboxes.use(name, now),
    contract: ({ choices }) => contractOf(choices),
    edge,
    onExchange: options.onExchange,
    strict: options.strict ?? false,
    jsonValues: options.maxJsonValues ?? 20_000,
    corsOrigin,
    allowHost: listOf(options.allowHost, []),
    control: oneOf('control', options.control ?? 'on', ['on', 'off']) === 'on' && {
      token: options.controlToken,
      isExposed,
      corsOrigin,
      context: { sandboxes, ledger: () => ledger, start: startOf, about }
    }
  })

  // What the interface does not document: Express serves it, and the end of its road is our 404.
  const rest = once(() => {
    const made = express().disable('x-powered-by')
    made.get('/openapi.json', (request, response) => {
      const server = `${request.protocol}://${request.get('host')}${request.baseUrl}`
      response.json(openapi(contractOf(sandboxes.use('default').choices), server))
    })
    return made.use(pipeline.notFound)
  })
  const app = once(() => express().disable('x-powered-by').use(pipeline.dispatch, rest()))

  return {
    get app() {
      return app()
    },
    listener: (request, response) => pipeline.dispatch(request, response, () => rest()(request, response)),
    sandboxes,
    async reset() {
      sandboxes.dropOthers()
      sandboxes.use('default').reset(startOf())
      await edge.keepAll(sandboxes.use('default'), [], () => {})
      await edge.keepNames()
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

/** What the options mean for sandboxes and journals. */
export function sandboxLimits(options: MockOptions): SandboxLimits {
  const { maxSandboxes = 10_000, sandboxIdle = 0, journalEntries = 1000, journalBytes = 16 * 1024 * 1024 } = options
  for (const [name, value, least] of [
    ['maxJsonValues', options.maxJsonValues ?? 1, 1],
    ['maxSandboxes', maxSandboxes, 1],
    ['sandboxIdle', sandboxIdle, 0],
    ['journalEntries', journalEntries, 1],
    ['journalBytes', journalBytes, 0]
  ] as const) {
    if (!(Number.isFinite(value) && value >= least))
      throw new Error(`${name} is ${value}: give a number from ${least}.`)
  }
  return {
    count: maxSandboxes,
    idle: sandboxIdle * 1000,
    journal: { entries: Math.floor(journalEntries), bytes: journalBytes }
  }
}

/** Reads the options into the state that every sandbox starts from, and into others that differ from it. */
function createStarts(options: MockOptions, ledger: LedgerEntry[]): ControlContext['start'] {
  const { seed = 1, fixtures = 'demo', scale = 1, profile = 'documented', auth = 'strict' } = options
  if (!Number.isSafeInteger(seed)) throw new Error(`seed is ${seed}: give a whole number.`)
  if (!(scale > 0 && scale <= 10_000)) throw new Error(`scale is ${scale}: give a number from above 0 to 10000.`)
  oneOf('fixtures', fixtures, fixtureSets)
  oneOf('profile', profile, profiles)
  oneOf('auth', auth, ['strict', 'any'])
  const now = options.now === undefined ? Date.now() : Date.parse(options.now)
  if (Number.isNaN(now)) throw new Error(`now is ${options.now}: give an ISO 8601 time, such as 2026-03-02T10:00:00Z.`)
  const pairs = pairsOf(options.assume ?? {})
  if (auth === 'any') pairs.unshift(['auth.unknown-token', 'admin'])
  const choices = choose(ledger, profile, pairs)
  const usual = { fixtures, seed, scale, now: options.now }
  const kept = new Map<string, Start>()
  return (wanted = {}) => {
    const asked = { ...usual, ...wanted }
    const moment = asked.now === undefined ? now : Date.parse(asked.now)
    const speed = asked.now === undefined ? 1 : 0
    const key = [asked.fixtures, asked.seed, asked.scale, timestamp(moment)].join()
    const known = kept.get(`${key},${speed}`)
    if (known) return known
    const seeded = seedRows(asked.fixtures as FixtureSet, { seed: asked.seed, scale: asked.scale, now: moment })
    const start: Start = {
      key,
      fixtures: asked.fixtures,
      rows: createStore(seeded),
      seed: asked.seed,
      now: moment,
      speed,
      choices
    }
    const oldest = [...kept.keys()][1]
    // The first is the one of the options.
    if (kept.size >= mostStarts && oldest !== undefined) kept.delete(oldest)
    kept.set(`${key},${speed}`, start)
    return start
  }
}

/** So many starts are kept: tests go back to the same ones over and over. */
const mostStarts = 8

function oneOf<T extends string>(name: string, value: T, good: readonly T[]): T {
  if (!good.includes(value)) throw new Error(`${name} is ${value}: give one of ${good.join(', ')}.`)
  return value
}

function listOf(value: string | readonly string[] | undefined, fallback: readonly string[]): readonly string[] {
  if (value === undefined) return fallback
  return typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value
}
