import type { FactoryOf, Seeding, SeedOptions } from '../api.js'
import type { Contract } from '../contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import type { OpenApiDocument } from '../contract/model.js'
import { timestamp } from '../sandbox/clock.js'
import { hash, mix, uuidOf } from '../sandbox/ids.js'
import type { AnyRow } from '../store/collection.js'
import { Later, type RowsIn } from '../store/rows.js'
import type { Steps } from '../store/steps.js'

/** What a mock serves besides the platform (`--with`). */
export interface Extensions {
  documents: readonly OpenApiDocument[]
  /** The functions that answer operations, by id. */
  rules: ReadonlyMap<string, unknown>
  fixtures: readonly FixtureRows[]
  /** Adds their rows to a start. */
  addRows?: AddRows
  /** Scenario files. */
  scenarios: readonly string[]
  /** Each loads an Express router. Throws an Error that names the file if it exports none. */
  routes: readonly (() => unknown)[]
}

export const noExtensions: Extensions = { documents: [], rules: new Map(), fixtures: [], scenarios: [], routes: [] }

type RowsByCollection = Record<string, Partial<JsonObject>[]>

/** The user's own initial rows, for any collection. Missing fields are generated. */
export interface FixtureRows {
  /** The file, for messages. */
  place: string
  rows: RowsByCollection | ((from: { seed: number; now: string }) => RowsByCollection)
}

/** Adds given rows to those of a start. */
export type AddRows = (
  rows: RowsIn,
  given: { place: string; rows: RowsByCollection }[],
  into: { contract: Contract; factoryOf: FactoryOf; seed: number; now: number }
) => Steps<RowsIn>

const month = 30 * 24 * 3_600_000

/** Creates the rows of the platform's collections, then the user's own. An empty mock has none of the user's rows. */
export function seedingWith(seed: Seeding, own: Extensions, contract: () => Contract, factory: FactoryOf): Seeding {
  if (own.documents.length === 0 && own.fixtures.length === 0) return seed
  return function* (set, from) {
    const rows: Record<string, RowsIn[string]> = yield* seed(set, from)
    const collections = own.documents.flatMap((it) => it.collections)
    const missing = collections.filter(({ name }) => rows[name] === undefined)
    for (const { name } of missing) rows[name] = []
    if (set === 'empty') return rows
    const given = own.fixtures.map((it) => ({ place: it.place, rows: givenBy(it, from) }))
    const isGiven = new Set(given.flatMap(({ rows }) => Object.keys(rows)))
    const { seed: chance, now } = from
    const all =
      given.length === 0 || !own.addRows
        ? rows
        : yield* own.addRows(rows, given, { contract: contract(), factoryOf: factory, seed: chance, now })
    const made = missing.filter(({ name }) => !isGiven.has(name))
    // Creating rows needs a generator and a compiler. Loading them would slow down the start.
    const laters = made.map(({ name, count }) => [
      name,
      new Later(name, () => rowsOf(contract(), name, count as number, from))
    ])
    return { ...all, ...Object.fromEntries(laters) }
  }
}

/** The initial rows of a user's own collection. A schema may allow fewer ids than the requested number of rows. */
function rowsOf(contract: Contract, name: string, count: number, from: SeedOptions): Iterable<AnyRow> {
  const byId = new Map<Json, AnyRow>()
  for (let number = 1; number <= count; number++) {
    const row = rowOf(contract, name, number, from)
    byId.set(row.id, row)
  }
  return byId.values()
}

/** Makes a row of any collection, including the user's own. */
export function factoryWith(factory: FactoryOf, contract: () => Contract): FactoryOf {
  return (collection) => {
    if (contract().collections.get(collection)?.count === undefined) return factory(collection)
    return ({ seed, now }, given) => ({ row: { ...rowOf(contract(), collection, 1, { seed, now }), ...given } })
  }
}

/** A row of a user's own collection. Its times are in the month before the start. */
function rowOf(contract: Contract, name: string, number: number, from: Pick<SeedOptions, 'seed' | 'now'>): AnyRow {
  const seedOf = (position: number) => mix(from.seed ^ hash(`${name} ${position}`))
  const seed = seedOf(number)
  const model = 1 + ((number - 1) % contract.varietyOf(name))
  const row = { ...(contract.sampleRow(name, seedOf(model)) as AnyRow) }
  const collection = contract.collections.get(name)
  const { properties = {} } = schemaOf(contract.documents, collection?.row) as { properties?: JsonObject }
  const put = (field: string, value: Json): void => {
    const before = row[field] as Json
    row[field] = value
    if (collection && contract.checkRow(collection, row).problems.length > 0) row[field] = before
  }
  const { type, format } = schemaOf(contract.documents, properties.id)
  put(
    'id',
    [type].flat()[0] === 'integer'
      ? number
      : format === 'uuid'
        ? uuidOf(mix(from.seed ^ hash(name)), number)
        : `${name}-${number}`
  )
  for (const [field, given] of Object.entries(properties)) {
    const schema = schemaOf(contract.documents, given)
    const formats = [schema, ...((schema.anyOf ?? []) as Json[]).filter(isObject)].map((it) => it.format)
    if (formats.includes('date-time')) put(field, timestamp(from.now - (mix(seed ^ hash(field)) % month)))
  }
  return row
}

/** The rows of a file, or of its function. */
function givenBy({ place, rows }: FixtureRows, from: { seed: number; now: number }): RowsByCollection {
  const given = typeof rows === 'function' ? rows({ seed: from.seed, now: timestamp(from.now) }) : rows
  if (isObject(given) && 'then' in given)
    throw new Error(`${place}: the function returns a promise: it must return rows at once`)
  if (!isObject(given)) throw new Error(`${place}: return rows by collection, such as { notes: [] }`)
  return given
}
