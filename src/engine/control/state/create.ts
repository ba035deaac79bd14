import type { World } from '../../api.js'
import type { JsonObject } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { CollectionRow } from '../../contract/model.js'
import type { Operations } from '../../contract/types.gen.js'
import { hash, Ids, mix } from '../../sandbox/ids.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf, forkStore, namesOf, type Store } from '../../store/rows.js'
import { atOnce, type Steps } from '../../store/steps.js'
import { type ControlContext, invalid } from '../rule.js'
import { fieldsIn, readRow, Uniqueness } from './check-rows.js'
import { newId, put, type RowMakingSandbox } from './ids.js'

export type CreateContext = Pick<ControlContext, 'contract' | 'factoryOf'> & { readonly sandbox: RowMakingSandbox }

export interface CreateOptions {
  /** The given fields of the rows. */
  part?: JsonObject
  traits?: readonly string[]
  count?: number
}

/**
 * Creates rows and adds them to the sandbox. The fixtures' factories fill in missing fields, from the sandbox's seed and time,
 * to match the given fields. A row depends only on its id, so the same calls create the same rows.
 */
export function createRows(context: CreateContext, collection: string, options: CreateOptions): AnyRow[] {
  return atOnce(creatingRows(context, collection, options))
}

export function* creatingRows(
  context: CreateContext,
  collection: string,
  { part = {}, traits = [], count = 1 }: CreateOptions
): Steps<AnyRow[]> {
  const { contract, sandbox } = context
  const about = contract.collections.get(collection) as CollectionRow
  checkTraits(about, traits)
  const fields = readRow(contract, sandbox, collection, part, true)
  if (count !== 1) checkUnique(about, fields)
  const world = worldIn(context)
  const rows: AnyRow[] = []
  while (rows.length < count) {
    rows.push(world.make(collection, fields, traits))
    yield
  }
  return rows
}

export function createRowMaker(context: CreateContext): (collection: string, part: JsonObject) => AnyRow {
  const { contract, sandbox } = context
  const world = worldIn(context)
  return (collection, part) => world.make(collection, readRow(contract, sandbox, collection, part, true), [])
}

function worldIn(context: CreateContext): World & { make: MakeRow } {
  const { contract, sandbox, factoryOf } = context
  const { rows, ids } = sandbox
  const now = sandbox.clock.now
  const unique = new Uniqueness(contract, rows)
  const memory = new Map<string, unknown>()

  const add = (collection: string, value: JsonObject): AnyRow => {
    const row = readRow(contract, sandbox, collection, value)
    if (collectionOf(rows, collection).has(row.id)) throw new Refusal('taken-row', { collection, id: row.id })
    unique.refuse(collection, row)
    return put(sandbox, collection, row)
  }
  /** A row that is given completely brings no other rows with it. */
  const isWhole = (collection: string, fields: JsonObject) =>
    fieldsIn(contract, contract.collections.get(collection) as CollectionRow).all.every(
      (name) => name === 'id' || name in fields
    )
  const make: MakeRow = (collection, fields, traits) => {
    const id = (fields.id as string | number | undefined) ?? newId(context, collection)
    const makeRow = factoryOf(collection)
    if (!makeRow || (traits.length === 0 && isWhole(collection, fields))) return add(collection, { ...fields, id })
    // A seed for each row, so that earlier rows do not change it.
    const seed = mix(ids.seed ^ hash(`${collection} ${id}`))
    const numberOf = (name: string) => ids.next(name, rows)
    const { row, others = [], clash } = makeRow({ seed, now, numberOf, traits }, { ...fields, id }, world)
    if (clash) {
      throw invalid(['query', 'trait'], `${clash.traits.join(' and ')} exclude each other by ${clash.field}.`)
    }
    const result = add(collection, row as JsonObject)
    for (const [name, other] of others) add(name, other as JsonObject)
    return result
  }
  const world: World & { make: MakeRow } = {
    rows,
    make,
    create: (collection: string, part: object = {}) => make(collection, part as JsonObject, []),
    once<T>(key: string, work: () => T): T {
      if (!memory.has(key)) memory.set(key, work())
      return memory.get(key) as T
    }
  }
  return world
}

type MakeRow = (collection: string, given: JsonObject, traits: readonly string[]) => AnyRow

/** The names in `slow,failing`. */
export function traitsIn(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').map((it) => it.trim())
}

function checkTraits({ name, traits = {} }: CollectionRow, names: readonly string[]): void {
  const unknown = names.find((it) => !Object.hasOwn(traits, it))
  if (unknown === undefined) return
  const all = Object.keys(traits)
  const text = all.length > 0 ? `Known: ${all.join(', ')}.` : 'It has none.'
  throw invalid(['query', 'trait'], `${name} has no trait "${unknown}". ${text}`, all)
}

/** Several rows are created, so no given field may be one that only one of them can have. */
function checkUnique({ unique = [], distinct = [] }: CollectionRow, part: JsonObject): void {
  const names = [['id'], ...unique, ...distinct.map((field) => [field])]
  const clash = names.find((fields) => fields.every((field) => part[field] !== undefined))
  if (!clash) return
  const what = clash.join(' and ')
  throw invalid(['body', clash[0] as string], `Only one row can have this ${what}: leave out count or ${what}.`)
}

/** Creating fewer rows takes only a few milliseconds. */
const many = 50

/** The number of attempts. If the sandbox keeps changing, the rows are then created in one turn. */
const tries = 3

/** Rows that were created outside a sandbox, and the state of the sandbox at that time. */
export class Prepared {
  private readonly before: Store
  readonly place: RowMakingSandbox
  rows: AnyRow[] = []
  private readonly counters: string
  /** The time on the clock when they were created. */
  readonly moment: number
  /** Whether the sandbox got them. */
  isTaken = false

  constructor({ rows, ids, clock }: RowMakingSandbox) {
    this.before = forkStore(rows)
    this.counters = JSON.stringify(ids)
    this.moment = clock.now
    const stopped = clock.from({ now: this.moment, speed: 0 })
    this.place = { rows: forkStore(rows), ids: new Ids(ids.seed, ids.toJSON()), clock: stopped }
  }

  /** Whether creating the rows now would give the same result. */
  fits({ rows, ids }: RowMakingSandbox): boolean {
    const isSame = (name: string) => collectionOf(rows, name).isAs(collectionOf(this.before, name))
    return JSON.stringify(ids) === this.counters && namesOf(rows).every(isSame)
  }

  moveInto({ rows, ids }: RowMakingSandbox): AnyRow[] {
    for (const name of namesOf(rows)) {
      const collection = collectionOf(rows, name)
      const { put } = collection.difference(collectionOf(this.place.rows, name))
      for (const row of put) collection.put(row)
    }
    ids.goOnAfter(this.place.ids)
    this.isTaken = true
    return this.rows
  }
}

/** Creates many rows in steps, so that other requests are served. Changes in other sandboxes do not matter. */
export function* prepareRows(
  { path, query: { count = 1, trait }, body }: Operations['addRow']['input'],
  context: ControlContext
): Steps<Prepared | undefined> {
  if (count < many) return undefined
  for (let tried = 0; tried < tries; tried++) {
    const work = new Prepared(context.sandbox)
    const copy = { ...context, sandbox: work.place }
    work.rows = yield* creatingRows(copy, path.collection, { part: body as JsonObject, traits: traitsIn(trait), count })
    if (work.fits(context.sandbox)) return work
  }
  return undefined
}

/** Adds the prepared rows, or returns undefined if the sandbox has changed since. */
export function preparedRows({ prepared, sandbox }: ControlContext): AnyRow[] | undefined {
  return prepared instanceof Prepared && prepared.fits(sandbox) ? prepared.moveInto(sandbox) : undefined
}
