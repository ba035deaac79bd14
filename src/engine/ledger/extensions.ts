import type { FactoryOf, Seeding, SeedOptions, World } from '../api.js'
import type { Contract } from '../contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { plainCopy } from '../contract/message/user-file.js'
import type { CollectionRow } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { hiddenOfUsers, memberField } from '../contract/reader/document.js'
import { createFaker } from '../contract/samples/faker.js'
import { people } from '../contract/samples/samples.js'
import { type Fields, partsOf } from '../contract/schemas/schemas.js'
import { lettersOf, plain, slugOf } from '../contract/text.js'
import { createRows } from '../control/state/create.js'
import { Clock, timestamp } from '../sandbox/clock.js'
import { hash, Ids, mix, uuidOf } from '../sandbox/ids.js'
import { rowsOf } from '../sandbox/sandbox.js'
import type { Extensions, FixtureRows, RowsByCollection } from '../sandbox/starts.js'
import type { AnyRow, Id } from '../store/collection.js'
import { collectionOf, creatingStore, Later, type RowsIn } from '../store/rows.js'
import type { Steps } from '../store/steps.js'

/** Fields that usually differ in all rows. */
export const uniqueFields = ['email', 'username', 'slug', 'sku']

const month = 30 * 24 * 3_600_000

/** Creates the rows of the API, then those of users' documents and fixtures. An empty mock has none of these. */
export function seedingWith(
  seed: Seeding,
  { documents, fixtures }: Extensions,
  contract: () => Contract,
  factoryOf: FactoryOf
): Seeding {
  if (documents.length === 0 && fixtures.length === 0) return seed
  return function* (set, from) {
    const rows: Record<string, RowsIn[string]> = yield* seed(set, from)
    const missing = documents.flatMap((it) => it.collections).filter(({ name }) => rows[name] === undefined)
    for (const { name, isUsers } of missing) {
      const { length = 0 } = (isUsers && contract().api.users.list) || []
      rows[name] = length > 0 ? new Later(name, () => sampledRows(contract(), name, length, from)) : []
    }
    if (set === 'empty') return rows
    const lists = fixtures.map((it) => ({ place: it.place, rows: givenBy(it, from) }))
    const isGiven = new Set(lists.flatMap(({ rows }) => Object.keys(rows)))
    const all = lists.length === 0 ? rows : yield* withRows(rows, lists, contract(), factoryOf, from)
    const rest = missing.filter(({ name }) => !isGiven.has(name))
    // Creating rows needs a generator. Loading it would slow down the start.
    const laters = rest.map(({ name, count }) => [
      name,
      new Later(name, () => sampledRows(contract(), name, count as number, from))
    ])
    return { ...all, ...Object.fromEntries(laters) }
  }
}

function givenBy({ place, rows }: FixtureRows, from: { seed: number; now: number }): RowsByCollection {
  const now = timestamp(from.now)
  const result =
    typeof rows === 'function'
      ? rows({
          seed: from.seed,
          now,
          get faker() {
            return createFaker(now, from.seed)
          }
        })
      : rows
  if (isObject(result) && 'then' in result)
    throw new Error(`${place}: the function returns a promise: it must return rows at once`)
  if (!isObject(result)) throw new Error(`${place}: return rows by collection, such as { notes: [] }`)
  return result
}

/**
 * Adds given rows to those of a start, as a program creates them: parts of rows, users by key, times relative to now. Throws an
 * Error that names file, row and field.
 */
function* withRows(
  start: RowsIn,
  fixtures: { place: string; rows: RowsByCollection }[],
  contract: Contract,
  factoryOf: FactoryOf,
  { seed, now }: SeedOptions
): Steps<RowsIn> {
  const rows = yield* creatingStore(contract.api.collections, start)
  const sandbox = { rows, ids: Ids.start(seed, rows), clock: new Clock({ now, speed: 0 }) }
  for (const { place, rows: byName } of fixtures) {
    for (const [name, list] of Object.entries(byName)) {
      if (!contract.collections.has(name)) throw new Error(`${place}: there is no collection ${name}`)
      if (!Array.isArray(list)) throw new Error(`${place}: ${name} must be a list of rows`)
      const positions = new Map<string, number>()
      for (const [position, part] of list.entries()) {
        if (!isObject(part)) throw new Error(`${place}: ${name}[${position}] must be an object`)
        const earlier = positions.get(String(part.id))
        if (part.id !== undefined && earlier !== undefined)
          throw new Error(`${place}: ${name}[${position}].id: ${name}[${earlier}] has the id ${part.id} already`)
        positions.set(String(part.id), position)
        // A row replaces that of another file with the same id.
        if (part.id !== undefined) collectionOf(rows, name).remove(part.id as string)
        try {
          createRows({ contract, sandbox, factoryOf }, name, {
            part: {
              ...listedUser(contract, name, position),
              ...(plainCopy(part, 'It contains itself', 'It') as JsonObject)
            }
          })
        } catch (error) {
          const [first] = error instanceof Invalid ? error.problems : []
          const where = `${place}: ${name}[${position}]`
          if (!first) throw new Error(`${where}: ${(error as Error).message}`)
          throw new Error(`${where}.${first.loc.slice(1).join('.')}: ${first.msg}`)
        }
        yield
      }
    }
  }
  return rowsOf(rows)
}

/** What the mock keeps of one of the first users. */
function listedUser({ api: { users }, collections }: Contract, name: string, position: number): JsonObject {
  const { key } = (collections.get(name)?.isUsers && users.list?.[position]) || {}
  return key === undefined ? {} : { key, is_active: true }
}

/** The initial rows of a document's collection. A schema may allow fewer ids than the requested number of rows. */
function sampledRows(contract: Contract, name: string, count: number, from: SeedOptions): Iterable<AnyRow> {
  const byId = new Map<Json, AnyRow>()
  for (let number = 1; number <= count; number++) {
    const row = sampledRow(contract, name, number, from)
    byId.set(row.id, row)
  }
  return byId.values()
}

/** The fields of a row that say which row of another collection it belongs to. */
export function fieldsOfParent(
  { field, by = 'id', key, above = {} }: NonNullable<CollectionRow['parent']>,
  owner: AnyRow
): JsonObject {
  const shown = { ...above, ...(key !== undefined && { [key]: key }), [field]: by }
  return Object.fromEntries(Object.entries(shown).map(([own, theirs]) => [own, owner[theirs] as Json]))
}

/** The fields of a row that are those of the row of another collection which it names, and which it shows as itself. */
export function memberFields({ properties }: Fields, key: string, other: AnyRow, value: Json): JsonObject {
  const isShared = (field: string) => field !== 'id' && Object.hasOwn(properties, field) && !(field in hiddenOfUsers)
  const shared = key === memberField ? Object.entries(other).filter(([field]) => isShared(field)) : []
  return { ...(Object.fromEntries(shared) as JsonObject), [key]: value }
}

/** Makes a row of any collection, including those of documents. */
export function factoryWith(factory: FactoryOf, contract: () => Contract): FactoryOf {
  return (collection) => {
    if (contract().collections.get(collection)?.count === undefined) return factory(collection)
    return ({ seed, now }, fields, world) => {
      const sample = sampledRow(contract(), collection, 1, { seed, now }, 'new')
      const row: AnyRow = { ...sample, ...(fields as AnyRow) }
      const about = contract().collections.get(collection) as CollectionRow
      fitTimes(contract(), about, row, fields, timestamp(now))
      const { key, isUsers } = about
      for (const [field, name, other] of namesIn(about)) {
        const { key: theirs = 'id' } = contract().collections.get(other) ?? {}
        const keys = world.once(`keys of ${other}`, () =>
          [...collectionOf(world.rows, other).all()].map((it) => it[theirs] as Json)
        )
        const before = row[field] as Json
        if (field in fields || (before ?? null) === null || keys.length === 0) continue
        // The row that it names may be gone.
        const there = (key: Json, place: string) =>
          keys.includes(key) ? key : keys[hash(`${place} ${row.id ?? fields.id}`) % keys.length]
        row[field] = naming(before, name, there, field) as Json
        if (!isValid(contract(), collection, row, field)) row[field] = before
      }
      if (isUsers && fields.key === undefined) row.key = tokenOf(row)
      for (const field of new Set([key ?? 'slug', 'slug'])) {
        if (row[field] === undefined || field in fields) continue
        const before = row[field] as Json
        row[field] = keyFor(row, field, typeof before === 'number' ? numberIn(world, about, field, row) : fields.id)
        if (!isValid(contract(), collection, row, field)) row[field] = before
      }
      return { row }
    }
  }
}

/** The fields of rows that name others, and those of their lists and objects. */
const namesIn = ({ links = {}, inner = [] }: CollectionRow): NonNullable<CollectionRow['inner']> => [
  ...Object.entries(links).map(([field, other]): [string, string, string] => [field, '', other]),
  ...inner
]

/** A value that names rows, itself or by a field of its objects, with other keys for theirs and their places. */
function naming(
  value: Json | undefined,
  name: string,
  keyAt: (key: Json, place: string) => Json | undefined,
  place: string
): Json | undefined {
  if (name === '') return keyAt(value as Json, place)
  if (Array.isArray(value)) return value.map((it, at) => naming(it, name, keyAt, `${place} ${at}`) as Json)
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: keyAt(value[name] as Json, `${place} ${name}`) as Json }
}

/** The number of a new row: its id, or one more than the highest of all, or of those of its parent. */
function numberIn(world: World, { name, parent }: CollectionRow, field: string, row: AnyRow): number {
  const above = parent?.isScope ? parent.field : undefined
  if (typeof row.id === 'number' && above === undefined) return row.id
  const near = () =>
    [...collectionOf(world.rows, name).all()].filter((it) => above === undefined || it[above] === row[above])
  const numbers = () => near().map((it) => Number(it[field]) || 0)
  const last = world.once(`${name} ${field} ${above && row[above]}`, () => ({ number: Math.max(0, ...numbers()) }))
  last.number += 1
  return last.number
}

/** A row of a document's collection, of the month before the start. `key`: only its key: references may be circles. */
function sampledRow(
  contract: Contract,
  name: string,
  number: number,
  from: Pick<SeedOptions, 'seed' | 'now'>,
  use: 'start' | 'new' | 'key' = 'start'
): AnyRow {
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
  const isNumber = ['integer', 'number'].includes([type].flat()[0] as string)
  const idAt = (at: number): Id =>
    isNumber ? at : format === 'uuid' ? uuidOf(mix(from.seed ^ hash(name)), at) : `${name}-${at}`
  put('id', idAt(number))
  for (const [field, value] of Object.entries(properties)) {
    const schema = schemaOf(contract.documents, value)
    const formats = [schema, ...((schema.anyOf ?? []) as Json[]).filter(isObject)].map((it) => it.format)
    const time = timestamp(from.now - (mix(seed ^ hash(field)) % month))
    if (formats.includes('date-time')) put(field, time)
    if (formats.includes('date') && !/birth|born/i.test(field)) put(field, time.slice(0, 10))
  }
  if (!collection) return row
  fitTimes(contract, collection, row)
  const { key, parent } = collection
  // A pattern may allow no digits.
  const keys = key === undefined ? [] : [lettersOf(number), number].map((it) => keyFor(row, key, it))
  for (const it of keys) put(key as string, it)
  for (const field of uniqueFields) {
    const value = row[field]
    if (typeof value !== 'string' || (field === key && field !== 'email')) continue
    const person = people[number % people.length] as string
    // Only people have an address.
    if (field === 'email' && row.name !== undefined) put('name', person)
    put(field, field === 'email' ? `${slugOf(person)}.${number}@example.com` : keyFor(row, field, number))
  }
  if (collection.isUsers) {
    const user = use !== 'new' ? contract.api.users.list?.[number - 1] : undefined
    const { key: username, name, email } = user ?? {}
    const profile = { username, login: username, name, full_name: name, fullName: name, email }
    for (const [field, value] of Object.entries(profile))
      if (value !== undefined && Object.hasOwn(properties, field)) put(field, value)
    put('role', user?.role ?? 'user')
    Object.assign(row, { key: user?.key ?? tokenOf(row), is_active: true })
    delete row._password
  }
  if (use === 'key') return row
  const otherAt = (other: string, at: number, needed: 'start' | 'key' = 'key') => {
    const { count = 0 } = contract.collections.get(other) as CollectionRow
    return count === 0 || other === name ? undefined : sampledRow(contract, other, 1 + (at % count), from, needed)
  }
  const member = collection.member && otherAt(collection.member.collection, number - 1)
  const theirs = member?.[contract.collections.get(collection.member?.collection ?? '')?.key ?? 'id']
  if (key !== undefined && member && theirs !== undefined)
    for (const it of Object.entries(memberFields({ properties, required: [] }, key, member, theirs as Json))) put(...it)
  for (const [field, name, other] of namesIn(collection)) {
    if (field === parent?.field || field === key) continue
    const target = (key: Json | undefined, place: string) =>
      (otherAt(other, mix(seed ^ hash(place)))?.[contract.collections.get(other)?.key ?? 'id'] as Json) ?? key
    const value = naming(row[field] as Json, name, target, field)
    if (value !== undefined) put(field, value)
  }
  for (const relation of isObject(row.relationships as Json) ? Object.values(row.relationships as JsonObject) : []) {
    const { data } = isObject(relation) ? relation : ({} as JsonObject)
    for (const it of [data ?? []].flat().filter(isObject)) {
      const other = contract.collections.has(String(it.type)) ? otherAt(String(it.type), number) : undefined
      if (other) it.id = other.id
    }
  }
  // Rows of a tree are at its top, or below the first one.
  for (const field of ['parent_id', 'parentId']) {
    if (!Object.hasOwn(row, field) || Object.hasOwn(collection.links ?? {}, field) || field === parent?.field) continue
    put(field, idAt(1))
    put(field, null)
  }
  const owner = parent && otherAt(parent.collection, number - 1, parent.above && 'start')
  if (parent && owner) Object.assign(row, fieldsOfParent(parent, owner))
  return row
}

/** Words of two fields of which the first is not above the second: `check_in` and `check_out`. */
const ranges: Readonly<Record<string, string[]>> = {
  arrival: ['departure'],
  begin: ['end'],
  from: ['to', 'until'],
  in: ['out'],
  min: ['max'],
  start: ['end']
}

/** Lets values fit: nothing was before the creation, only what is cancelled has a `cancelled_at`, and ranges are in order. */
function fitTimes(contract: Contract, collection: CollectionRow, row: AnyRow, fields = {}, now?: string): void {
  const { properties = {} } = schemaOf(contract.documents, collection.row) as { properties?: JsonObject }
  const created = row[Object.keys(row).find((it) => /^creat/i.test(it)) ?? '']
  const states = Object.entries(properties).flatMap(([field, schema]) =>
    partsOf(contract.documents, schema).flatMap((it) => ((it.enum ?? []) as Json[]).map((value) => ({ field, value })))
  )
  const put = (field: string, value: Json | undefined): void => {
    const before = row[field] as Json
    if (value === undefined) delete row[field]
    else row[field] = value
    if (!(field in fields) && isValid(contract, collection.name, row, field)) return
    row[field] = before
  }
  for (const [name, before] of Object.entries(row)) {
    const state = states.find(({ value }) => `${plain(String(value))}at` === plain(name))
    const isTime = /^(updat|modif|chang)/i.test(name) || /(_a|[a-z]A)t$/.test(name)
    const isOver = state && row[state.field] !== state.value
    if (isOver) {
      for (const it of [null, undefined]) if (row[name] !== null) put(name, it)
      continue
    }
    if (typeof created === 'string' && (before === null ? state : isTime && String(before) < created))
      put(name, now ?? created)
    const words = name.split(/[_-]|(?=[A-Z])/).map((it) => it.toLowerCase())
    const highs = words.flatMap((it, at) => (ranges[it] ?? []).map((high) => words.with(at, high).join('')))
    const high = Object.keys(row).find((it) => highs.includes(plain(it)))
    const [low, top] = [row[name], row[high ?? '']] as [string, string]
    if (high === undefined || typeof low !== typeof top || !(low > top)) continue
    put(high, low)
    put(name, top)
  }
}

/** The token of a user whom the document's rows describe. */
const tokenOf = ({ username, login, email, id }: AnyRow) =>
  String(username ?? login ?? (email === undefined ? id : String(email).split('@')[0])).replace(/[^\w.-]+/g, '-')

/** Whether a field of a row is as its schema says. */
function isValid(contract: Contract, name: string, row: AnyRow, field: string): boolean {
  const collection = contract.collections.get(name) as CollectionRow
  return !contract.checkRow(collection, row).problems.some(({ loc }) => loc[1] === field)
}

/** The key of a row that differs from all others: words of its title or name, or its value, with the row's number or id. */
function keyFor(row: AnyRow, key: string, number: Id): Json {
  if (typeof row[key] === 'number') return number
  const text = [row.title, row.name, row[key]].find((it) => typeof it === 'string') as string | undefined
  return `${slugOf(text ?? key)}-${String(number).replace(/^([0-9a-f]{8})-.*/, '$1')}`
}
