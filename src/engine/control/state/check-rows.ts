import type { Contract } from '../../contract/contract.js'
import { isObject, type JsonObject } from '../../contract/load.js'
import type { CollectionRow, InputError } from '../../contract/model.js'
import { inMap } from '../../contract/once.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import { earliest, latest, timestamp } from '../../sandbox/clock.js'
import { durationOf, readDuration } from '../../sandbox/duration.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { userWith } from '../../serve/admit.js'
import type { AnyRow, Id } from '../../store/collection.js'
import { collectionOf, type Store } from '../../store/rows.js'
import type { Steps } from '../../store/steps.js'
import { wrong } from '../rule.js'
import { fieldsOf } from './collections.js'

/** What is wrong with rows or counted ids of an unknown collection. */
export const noCollection = 'There is no such collection. Is a document of --with or --api missing?'

type Loc = InputError['loc']
type HasRow = (collection: string, id: Id) => boolean

/** The highest number of reported problems of a whole state. */
const most = 100

/**
 * A row in canonical form. Throws an Invalid that names every wrong field, or else every missing row. Of a part of a row, the
 * other fields are not checked.
 */
export function readRow(
  contract: Contract,
  { rows, clock }: Pick<Sandbox, 'rows' | 'clock'>,
  collection: string,
  value: JsonObject,
  isPart = false
): AnyRow {
  const at = () => ['body']
  const userId = (token: string) => userWith(contract.api, rows, token)?.id
  const { row, problems: all } = checkFields(contract, collection, value, at, { now: clock.now, userId })
  const isLacking = ({ type, loc }: InputError) => isPart && type === 'missing' && loc.length === 2
  const problems = all.filter((problem) => !isLacking(problem))
  // A row may refer to itself.
  const has: HasRow = (name, id) => (name === collection && id === row.id) || collectionOf(rows, name).has(id)
  refuse(problems.length > 0 ? problems : checkReferences(contract, collection, row, at, has))
  return row
}

/** The rows of a whole state in canonical form; times are relative to `now`. Throws an Invalid with all errors. */
export function* readCollections(
  contract: Contract,
  collections: Record<string, unknown[]>,
  now: number
): Steps<Record<string, AnyRow[]>> {
  const names = [...contract.collections.keys()]
  const unknown = Object.keys(collections).filter((name) => !contract.collections.has(name))
  refuse(unknown.map((name) => wrong(place(name), noCollection, names)))
  const problems: InputError[] = []
  const ids = new Map<string, Set<unknown>>(names.map((name) => [name, new Set()]))
  const read: Record<string, AnyRow[]> = {}
  const { collection, token } = contract.api.users
  const users = (collections[collection] ?? []) as (AnyRow | null)[]
  const idsByToken = new Map(users.map((user) => [user?.[token], user?.id]))
  const writing: WriteContext = { now, userId: (it) => idsByToken.get(it) }
  for (const [name, values] of Object.entries(collections)) {
    const earlierIds = ids.get(name) as Set<unknown>
    const rows: AnyRow[] = []
    read[name] = rows
    for (const [position, value] of values.entries()) {
      const { row, problems: errors } = checkFields(contract, name, value, () => place(name, position), writing)
      problems.push(...errors)
      if (row.id !== undefined && earlierIds.has(row.id)) {
        problems.push(wrong(place(name, position, 'id'), 'An earlier row has this id.'))
      }
      earlierIds.add(row.id)
      rows.push(row)
      yield
    }
  }
  refuse(problems)
  const has: HasRow = (name, id) => ids.get(name)?.has(id) ?? false
  for (const [name, rows] of Object.entries(read)) {
    for (const [position, row] of rows.entries()) {
      problems.push(...checkReferences(contract, name, row, () => place(name, position), has))
      yield
    }
  }
  for (const [name, rows] of Object.entries(read)) problems.push(...(yield* twice(contract, name, rows)))
  refuse(problems)
  return read
}

/** The unique fields of a collection's rows. */
export class Uniqueness {
  private readonly ids = new Map<string, Map<string, Id>>()

  constructor(
    private readonly contract: Contract,
    private readonly rows: Store
  ) {}

  /** Throws an Invalid if another row has the same values. Otherwise records the row. */
  refuse(name: string, row: AnyRow): void {
    const { unique = [] } = this.contract.collections.get(name) as CollectionRow
    for (const fields of unique) {
      const ids = this.idsBy(name, fields)
      const key = keyOf(row, fields)
      const other = ids.get(key)
      if (other !== undefined && other !== row.id) {
        refuse([wrong(['body', fields[0] as string], `${name} ${other} already has this ${fields.join(' and ')}.`)])
      }
      ids.set(key, row.id)
    }
  }

  private idsBy(name: string, fields: readonly string[]): Map<string, Id> {
    const all = () => [...collectionOf(this.rows, name).all()]
    return inMap(this.ids, `${name} ${fields}`, () => new Map(all().map((row) => [keyOf(row, fields), row.id])))
  }
}

/** The rows that refer to a row, such as "orders 3". A long list is cut. */
export function referrersOf(contract: Contract, rows: Store, collection: string, id: Id): string[] {
  const referrers: string[] = []
  for (const { name, references } of contract.collections.values()) {
    const fields = Object.keys(references).filter((field) => references[field] === collection)
    if (fields.length === 0) continue
    for (const row of collectionOf(rows, name).all()) {
      if (referrers.length >= 5) return referrers
      const isItself = name === collection && row.id === id
      if (!isItself && fields.some((field) => idsIn((row as JsonObject)[field]).includes(id)))
        referrers.push(`${name} ${row.id}`)
    }
  }
  return referrers
}

function checkFields(
  contract: Contract,
  name: string,
  value: unknown,
  at: () => Loc,
  writing: WriteContext
): { row: AnyRow; problems: InputError[] } {
  const collection = contract.collections.get(name) as CollectionRow
  const { value: plain, unknown } = plainRow(contract, collection, value, writing)
  const checked = contract.checkRow(collection, plain)
  const row = checked.row as AnyRow
  const problems = checked.problems.map((problem) => {
    const loc = [...at(), ...problem.loc.slice(1)]
    if (problem.type !== 'extra_forbidden') return { ...problem, loc }
    return wrong(loc, 'Rows do not have this field.', fieldsIn(contract, collection).all)
  })
  if (unknown.length > 0) {
    const isOther = ({ loc }: InputError) => !unknown.some(([field]) => loc[at().length] === field)
    const errors = unknown.map(([field, key]) => wrong([...at(), field], `No user has the id or key "${key}".`))
    return { row, problems: [...problems.filter(isOther), ...errors] }
  }
  if (typeof row?.id === 'number' && Math.abs(row.id) > Number.MAX_SAFE_INTEGER) {
    problems.push(wrong([...at(), 'id'], `An id is at most ${Number.MAX_SAFE_INTEGER}.`))
  }
  return { row, problems }
}

function checkReferences(contract: Contract, name: string, row: AnyRow, at: () => Loc, has: HasRow): InputError[] {
  const { references } = contract.collections.get(name) as CollectionRow
  const problems: InputError[] = []
  for (const field in references) {
    const target = references[field] as string
    for (const id of idsIn((row as JsonObject)[field])) {
      if (!has(target, id)) problems.push(wrong([...at(), field], `${target} has no row ${id}.`))
    }
  }
  return problems
}

/** Problems for values that must be unique but that an earlier row has. */
function* twice({ collections }: Contract, name: string, rows: AnyRow[]): Steps<InputError[]> {
  const { unique = [] } = collections.get(name) as CollectionRow
  const problems: InputError[] = []
  for (const fields of unique) {
    const keys = new Set<string>()
    for (const [position, row] of rows.entries()) {
      const key = keyOf(row, fields)
      if (keys.has(key)) {
        const text = `An earlier row has this ${fields.join(' and ')}.`
        problems.push(wrong(place(name, position, fields[0]), text))
      }
      keys.add(key)
      yield
    }
  }
  return problems
}

function keyOf(row: JsonObject, fields: readonly string[]): string {
  return JSON.stringify(fields.map((field) => row[field]))
}

/** The ids that the value of a field refers to: none, one or a list. */
export function idsIn(value: unknown): Id[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value as Id]
}

function place(...steps: Loc): Loc {
  return ['body', 'collections', ...steps]
}

function refuse(problems: InputError[]): void {
  if (problems.length > 0) throw new Invalid(problems.slice(0, most))
}

/** Resolves what rows may contain in addition to plain values: times relative to now, and users by key. */
interface WriteContext {
  /** Milliseconds since 1970. */
  now: number
  userId(token: string): Id | undefined
}

/** The fields of a collection, and which of them may be written this way. */
interface Fields {
  all: string[]
  times: string[]
  users: string[]
}

const cache = new WeakMap<CollectionRow, Fields>()
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export function fieldsIn(contract: Contract, collection: CollectionRow): Fields {
  return inMap(cache, collection, () => {
    const all = fieldsOf(contract, collection.name)
    return {
      all: all.map(({ name }) => name),
      times: all.filter(({ format }) => format === 'date-time').map(({ name }) => name),
      users: all.filter(({ references }) => references === contract.api.users.collection).map(({ name }) => name)
    }
  })
}

/** The row with plain values. `unknown` lists the keys that no user has, by field. */
export function plainRow(
  contract: Contract,
  collection: CollectionRow,
  value: unknown,
  { now, userId }: WriteContext
): { value: unknown; unknown: [field: string, key: string][] } {
  if (!isObject(value as JsonObject)) return { value, unknown: [] }
  const row = value as JsonObject
  const { times, users } = fieldsIn(contract, collection)
  const changed: JsonObject = {}
  const unknown: [string, string][] = []
  for (const field of times) {
    const moment = momentOf(row[field], now)
    if (moment !== undefined) changed[field] = moment
  }
  const idOf = (field: string, name: unknown) => {
    if (typeof name !== 'string' || uuid.test(name)) return name
    const id = userId(name)
    if (id === undefined) unknown.push([field, name])
    return id ?? name
  }
  for (const field of users) {
    const reference = row[field]
    if (Array.isArray(reference)) changed[field] = reference.map((name) => idOf(field, name)) as string[]
    else if (typeof reference === 'string') changed[field] = idOf(field, reference) as string
  }
  return { value: { ...row, ...changed }, unknown }
}

/** The moment of `-2h`, `+3d` or `now`, or undefined for anything else. */
function momentOf(value: unknown, now: number): string | undefined {
  if (value === 'now') return timestamp(now)
  const length = typeof value === 'string' && /^[+-]/.test(value) ? readDuration(value) : undefined
  if (length === undefined) return undefined
  return timestamp(Math.min(latest, Math.max(earliest, Math.round(now + length))))
}

/** The row with times relative to now, so that it has the same age at any other time. */
export function relativeRow(contract: Contract, collection: CollectionRow, row: JsonObject, now: number): JsonObject {
  const { times } = fieldsIn(contract, collection)
  const relative = times.flatMap((field) => {
    const moment = row[field]
    return typeof moment === 'string' ? [[field, durationOf(Date.parse(moment) - now)]] : []
  })
  return { ...row, ...Object.fromEntries(relative) }
}
