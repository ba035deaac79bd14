import { type FixtureSet, fixtureSets } from '../../fixtures/index.js'
import type { Choices } from '../contract/load.js'
import type { ControlContext } from '../rules/control/index.js'
import { bytesOf, creatingStore } from '../store/rows.js'
import { atOnce, inTurns, type Steps } from '../store/steps.js'
import { choose, type LedgerEntry, type Profile, pairsOf, profiles } from './assumptions.js'
import { timestamp } from './clock.js'
import type { Definitions } from './edition.js'
import type { Start } from './sandbox.js'

/** What sandboxes start from. */
export interface StartOptions {
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
  /** Anybody may visit. Default false. */
  public?: boolean
}

/** The start of the options, or another one that differs from it. */
export interface Starts {
  startOf: ControlContext['start']
  /** Makes a start ready for `startOf`, in steps between which others are served. */
  prepareStart: ControlContext['prepareStart']
}

/** The ledger under the options: where anybody may visit, there is no choice by which secrets are shown. */
export function ledgerOf({ ledger }: Pick<Definitions, 'ledger'>, options: StartOptions): LedgerEntry[] {
  if (!options.public) return ledger
  return ledger.map((entry) => {
    if (entry.id !== 'credential.masking') return entry
    const { masked } = entry.choices as { masked: string }
    return { ...entry, choices: { masked }, default: 'masked', observed: 'masked' }
  })
}

/** The choices that sandboxes start with. Throws an Error that names the nearest id, or the good choices. */
export function startChoices(definitions: Definitions, options: StartOptions): Choices {
  const ledger = ledgerOf(definitions, options)
  const { profile = 'documented', auth = 'strict', assume = {} } = options
  oneOf('profile', profile, profiles)
  oneOf('auth', auth, ['strict', 'any'])
  const pairs = pairsOf(assume)
  if (auth === 'any') pairs.unshift(['auth.unknown-token', 'admin'])
  return choose(ledger, profile, pairs)
}

/**
 * Reads the options into the state that every sandbox starts from, and into others that differ from it. Without `now`
 * they start at `moment`, in milliseconds since 1970. Throws an Error that names the good values of an option.
 */
export function createStarts(
  { seeding, code }: Definitions,
  options: StartOptions,
  choices: Choices,
  moment: number
): Starts {
  const { seed = 1, fixtures = 'demo', scale = 1 } = options
  if (!Number.isSafeInteger(seed)) throw new Error(`seed is ${seed}: give a whole number.`)
  if (!(scale > 0 && scale <= 10_000)) throw new Error(`scale is ${scale}: give a number from above 0 to 10000.`)
  oneOf('fixtures', fixtures, fixtureSets)
  if (Number.isNaN(Date.parse(options.now ?? '1970')))
    throw new Error(`now is ${options.now}: give an ISO 8601 time, such as 2026-03-02T10:00:00Z.`)
  const usual = { fixtures, seed, scale, now: options.now }
  const kept = new Map<string, Start>()
  const beingMade = new Map<string, Promise<Start>>()
  const asked = (wanted: Parameters<Starts['startOf']>[0]) => {
    const { now: time, ...own } = { ...usual, ...wanted }
    const now = time === undefined ? moment : Date.parse(time)
    const speed = time === undefined ? 1 : 0
    const key = [own.fixtures, own.seed, own.scale, timestamp(now), ...code].join()
    return { ...own, now, speed, key, name: `${key},${speed}` }
  }
  function* making({ fixtures, seed, scale, now, speed, key, name }: ReturnType<typeof asked>): Steps<Start> {
    const rows = yield* creatingStore(yield* seeding(fixtures as FixtureSet, { seed, scale, now }))
    const oldest = [...kept.keys()][1]
    // The first is the one of the options.
    if (kept.size >= mostStarts && oldest !== undefined) kept.delete(oldest)
    const start: Start = { key, fixtures, rows, bytes: bytesOf(rows), seed, now, speed, choices }
    kept.set(name, start)
    return start
  }
  return {
    startOf(wanted) {
      const start = asked(wanted)
      return kept.get(start.name) ?? atOnce(making(start))
    },
    async prepareStart(wanted) {
      const start = asked(wanted)
      const { name } = start
      if (kept.has(name)) return
      const made = beingMade.get(name) ?? inTurns(making(start)).finally(() => beingMade.delete(name))
      beingMade.set(name, made)
      await made
    }
  }
}

/** So many starts are kept: tests go back to the same ones over and over. */
const mostStarts = 8

/** The value of an option, when it is a good one. */
export function oneOf<T extends string>(name: string, value: T, good: readonly T[]): T {
  if (!good.includes(value)) throw new Error(`${name} is ${value}: give one of ${good.join(', ')}.`)
  return value
}
