import { type FixtureSet, fixtureSets } from '../../fixtures/index.js'
import { checkFields } from '../contract/field-choices.js'
import type { Choices } from '../contract/load.js'
import type { ControlContext } from '../rules/control/index.js'
import { choose, type LedgerEntry, type Profile, pairsOf, profiles } from './assumptions.js'
import { Bases, type Recipe } from './bases.js'
import { Clock } from './clock.js'
import type { Definitions } from './edition.js'

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
  const choices = choose(ledger, profile, pairs)
  checkFields(definitions.documents, choices)
  return choices
}

/**
 * Reads the options into the state that every sandbox starts from, and into others that differ from it. Without `now` a
 * sandbox starts at the real time, and its clock runs. Throws an Error that names the good values of an option.
 */
export function createStarts(
  { seeding, code }: Definitions,
  options: StartOptions,
  choices: Choices,
  realTime: () => number
): Starts {
  const { seed = 1, fixtures = 'demo', scale = 1, now } = options
  if (!Number.isSafeInteger(seed)) throw new Error(`seed is ${seed}: give a whole number.`)
  if (!(scale > 0 && scale <= 10_000)) throw new Error(`scale is ${scale}: give a number from above 0 to 10000.`)
  oneOf('fixtures', fixtures, fixtureSets)
  if (Number.isNaN(Date.parse(now ?? '1970')))
    throw new Error(`now is ${now}: give an ISO 8601 time, such as 2026-03-02T10:00:00Z.`)
  const usual = { fixtures, seed, scale, now }
  const bases = new Bases(seeding, code)
  const asked = (wanted: Parameters<Starts['startOf']>[0]) => {
    const { now: time, ...recipe } = { ...usual, ...wanted }
    const moment = time === undefined || time === realNow ? undefined : Date.parse(time)
    return { recipe: recipe as Recipe, moment }
  }
  return {
    startOf(wanted) {
      const { recipe, moment } = asked(wanted)
      const { fixtures, seed } = recipe
      if (moment !== undefined) {
        const base = bases.at(recipe, moment)
        return { base, rows: base.rows, fixtures, seed, choices, clock: new Clock({ now: moment, speed: 0 }, realTime) }
      }
      const now = realTime()
      const base = bases.running(recipe, now)
      const clock = new Clock({ now, speed: 1, real: now }, realTime)
      return { base, rows: bases.rowsAt(base, now), fixtures, seed, choices, clock }
    },
    async prepareStart(wanted) {
      const { recipe, moment } = asked(wanted)
      await bases.prepare(recipe, moment ?? bases.momentOf(recipe, realTime()))
    }
  }
}

/** In the place of a time: the real time, running. */
export const realNow = 'now'

/** The value of an option, when it is a good one. */
export function oneOf<T extends string>(name: string, value: T, good: readonly T[]): T {
  if (!good.includes(value)) throw new Error(`${name} is ${value}: give one of ${good.join(', ')}.`)
  return value
}
