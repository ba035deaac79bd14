import type { Faker } from '@faker-js/faker'
import type { Api, FactoryOf, Rule, Seeding } from '../api.js'
import { choose, type LedgerEntry, type Profile, pairsOf } from '../contract/ledger.js'
import type { Choices, Documents, JsonObject } from '../contract/load.js'
import type { OpenApiDocument } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import type { Counts } from '../contract/types.gen.js'
import { checkFields } from '../contract/validation/field-choices.js'
import { Bases, firstRows, type Recipe } from './bases.js'
import { Clock } from './clock.js'
import type { Start } from './sandbox.js'

export interface ChoiceOptions {
  profile: Profile
  assume?: Record<string, string> | readonly string[]
  auth?: 'strict' | 'any'
  public?: boolean
}

export interface StartOptions extends ChoiceOptions {
  seed: number
  fixtures: string
  scale: number
  /** The time at which the clock is stopped. Default: the real time, running. */
  now?: string
}

const smallUploads = ['limits.upload', 'files:5,total:5,json:1,entries:100,unpacked:20'] as const

export interface StartWish {
  fixtures?: string
  seed?: number
  scale?: number
  now?: string
  /** With `now`: the moment that the dates of the fixtures are relative to, if it is a different one. */
  dated?: string
  counts?: Counts
}

/** The start of the options, or a different one. */
export interface Starts {
  startOf(options?: StartWish): Start
  /** Prepares a start for `startOf`, in steps so that other requests are served. */
  prepareStart(options: StartWish): Promise<void>
}

/** The ledger under the options. A public mock has no choice that shows secrets. */
export function ledgerOf(
  { ledger, api }: Pick<Definitions, 'ledger' | 'api'>,
  options: Pick<ChoiceOptions, 'public'>
): LedgerEntry[] {
  if (!options.public) return ledger
  return ledger.map((entry) => {
    const only = api.secrets[entry.id]
    if (only === undefined) return entry
    return { ...entry, choices: { [only]: entry.choices[only] as string }, default: only, observed: only }
  })
}

/** The initial choices of sandboxes. Throws an Error that names the nearest id, or the valid choices. */
export function startChoices(definitions: Definitions, options: ChoiceOptions): Choices {
  const ledger = ledgerOf(definitions, options)
  const implied: (readonly [string, string])[] = []
  if (options.auth === 'any') implied.push(['auth.unknown-token', 'admin'])
  if (options.public) implied.push(smallUploads)
  const choices = choose(ledger, options.profile, [
    ...implied.filter(([id]) => ledger.some((it) => it.id === id)),
    ...Object.entries(definitions.extensions.assumed),
    ...pairsOf(options.assume ?? [])
  ])
  checkFields(definitions.documents, choices, definitions.api.examples.field)
  return choices
}

/** The start of sandboxes under the options, and other starts. Without `now` it is the real time, running. */
export function createStarts(
  { api, seeding, code, sets, fileSet }: Definitions,
  options: StartOptions,
  choices: Choices,
  realTime: () => number
): Starts {
  const { fixtures, seed, scale, now } = options
  const usual = { fixtures, seed, scale, now }
  const bases = new Bases(api, seeding, code, fileSet?.name)
  const recipeOf = (start: Parameters<Starts['startOf']>[0]) => {
    const { now: time, dated, counts: _, ...recipe } = { ...usual, ...start }
    if (!sets.includes(recipe.fixtures)) throw unknownSet(recipe.fixtures, sets)
    const most = Math.max(mostScale, scale)
    if (recipe.scale > most) throw wrongScale(recipe.scale, most)
    const moment = time === undefined || time === realNow ? undefined : Date.parse(time)
    return { recipe: recipe as Recipe, moment, dated: dated === undefined ? undefined : Date.parse(dated) }
  }
  return {
    startOf(start) {
      const { recipe, moment, dated } = recipeOf(start)
      const { fixtures, seed } = recipe
      const now = moment ?? realTime()
      const whole = moment === undefined ? bases.running(recipe, now) : bases.at(recipe, dated ?? now)
      const base = moment !== undefined && dated === undefined ? whole : bases.startingAt(whole, now)
      const isFile = fixtures === fileSet?.name
      return {
        base,
        rows: firstRows(base),
        recipe: isFile ? undefined : { ...recipe, dated: base.moment },
        fixtures,
        seed,
        choices,
        clock: new Clock(moment === undefined ? { now, speed: 1, real: now } : { now, speed: 0 }, realTime),
        counters: isFile ? fileSet?.counters : undefined
      }
    },
    async prepareStart(start) {
      const { recipe, moment, dated } = recipeOf(start)
      await bases.prepare(recipe, dated ?? moment ?? bases.momentOf(recipe, realTime()))
    }
  }
}

/** The highest scale that a client may ask for, unless the mock has a higher one. */
const mostScale = 10

function wrongScale(input: number, most: number): Invalid {
  const msg = `The scale is at most ${most}. Start the mock with a higher --scale for more.`
  return new Invalid([{ type: 'less_than_equal', loc: ['body', 'scale'], msg, input, ctx: { le: most } }])
}

function unknownSet(name: string, sets: readonly string[]): Invalid {
  const msg = `There are no fixtures "${name}". Known: ${sets.join(', ')}.`
  return new Invalid([
    { type: 'value_error', loc: ['body', 'fixtures'], msg, input: name, ctx: { allowed: [...sets] } }
  ])
}

/** Means the real time, running. */
export const realNow = 'now'

/** An API, and its contracts, ledger and fixtures. */
export interface Definitions {
  api: Api
  documents: Documents
  ledger: LedgerEntry[]
  seeding: Seeding
  factoryOf: FactoryOf
  sets: readonly string[]
  /** The user's own set, and the ids that were used in it. */
  fileSet?: { name: string; counters?: Record<string, number> | undefined }
  /** A digest of the fixtures' code. Empty for the code of the build. */
  code: string[]
  /** What is served besides the platform (`--with`). */
  extensions: Extensions
}

/** What a mock serves besides its API (`--with`). */
export interface Extensions {
  documents: readonly OpenApiDocument[]
  /** The functions that answer operations, by id. */
  rules: ReadonlyMap<string, Rule>
  fixtures: readonly FixtureRows[]
  scenarios: readonly string[]
  /** Each loads an Express router. Throws an Error that names the file if it exports none. */
  routes: readonly (() => unknown)[]
  /** The choices of its folders, which options may change. */
  assumed: Choices
}

export const noExtensions: Extensions = {
  documents: [],
  rules: new Map(),
  fixtures: [],
  scenarios: [],
  routes: [],
  assumed: {}
}

/** Initial rows of a user, for any collection. Missing fields are generated. */
export interface FixtureRows {
  place: string
  rows: RowsByCollection | ((from: FixturesFrom) => RowsByCollection)
}

export interface FixturesFrom {
  seed: number
  now: string
  /** Generates values. The same seed gives the same values. */
  readonly faker: Faker
}

export type RowsByCollection = Record<string, Partial<JsonObject>[]>
