import type { CollectionRow, Contract } from '../../../contract/contract.js'
import { type JsonObject, schemaOf } from '../../../contract/load.js'
import { type InputError, Invalid } from '../../../contract/pydantic/explain.js'
import { type CollectionName, collectionNames, type Store } from '../../../store/rows.js'
import type { Steps } from '../../../store/steps.js'
import { wrong } from '../problems.js'

type Loc = InputError['loc']
type Id = string | number
type Row = JsonObject & { id: Id }
/** Whether a collection has a row of this id. */
type Has = (collection: string, id: Id) => boolean

/** So many problems of a whole state are told. */
const most = 100

/**
 * A row in its one form, to be put into a store. Throws an Invalid that names every field that breaks the contract, or
 * else every reference to a row that is not there.
 */
export function readRow(contract: Contract, rows: Store, collection: CollectionName, value: JsonObject): Row {
  const { row, problems } = checkFields(contract, collection, value, () => ['body'])
  // A row may name itself.
  const has: Has = (name, id) => (name === collection && id === row.id) || rows[name as CollectionName].has(id)
  if (problems.length === 0) problems.push(...checkReferences(contract, collection, row, () => ['body'], has))
  if (problems.length > 0) throw new Invalid(problems)
  return row
}

/** The rows of a whole state, each in its one form. Throws an Invalid that names fields, ids and references. */
export function* readCollections(
  contract: Contract,
  collections: Record<string, unknown[]>
): Steps<Partial<Record<CollectionName, Row[]>>> {
  const unknown = Object.keys(collections).filter((name) => !collectionNames.includes(name as CollectionName))
  refuse(unknown.map((name) => wrong(place(name), 'There is no such collection.', collectionNames)))
  const problems: InputError[] = []
  const ids = new Map<string, Set<unknown>>(collectionNames.map((name) => [name, new Set()]))
  const read: Record<string, Row[]> = {}
  for (const [name, values] of Object.entries(collections)) {
    const known = ids.get(name) as Set<unknown>
    const rows: Row[] = []
    read[name] = rows
    for (const [position, value] of values.entries()) {
      const { row, problems: found } = checkFields(contract, name, value, () => place(name, position))
      problems.push(...found)
      if (row.id !== undefined && known.has(row.id)) {
        problems.push(wrong(place(name, position, 'id'), 'A row before this one has this id.'))
      }
      known.add(row.id)
      rows.push(row)
      yield
    }
  }
  refuse(problems)
  const has: Has = (name, id) => ids.get(name)?.has(id) ?? false
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

/** Throws an Invalid that names what a row has that another one of its collection has, where no two may have it. */
export function refuseTwice({ collections }: Contract, rows: Store, name: CollectionName, row: Row): void {
  const { unique = [] } = collections.get(name) as CollectionRow
  const others = unique.length > 0 ? ([...rows[name].all()] as unknown as Row[]).filter(({ id }) => id !== row.id) : []
  refuse(
    unique.flatMap((fields) => {
      const key = keyOf(row, fields)
      const other = others.find((it) => keyOf(it, fields) === key)
      return other ? [wrong(['body', fields[0]], `${name} ${other.id} has this ${fields.join(' and ')}.`)] : []
    })
  )
}

/** The rows that name a row, such as "chatSessions 3"; only the first of many. */
export function referrersOf(contract: Contract, rows: Store, collection: CollectionName, id: Id): string[] {
  const found: string[] = []
  for (const { name, references } of contract.collections.values()) {
    const fields = Object.keys(references).filter((field) => references[field] === collection)
    if (fields.length === 0) continue
    for (const row of rows[name as CollectionName].all() as Iterable<{ id: Id }>) {
      if (found.length >= 5) return found
      const isItself = name === collection && row.id === id
      if (!isItself && fields.some((field) => namedBy(row, field).includes(id))) found.push(`${name} ${row.id}`)
    }
  }
  return found
}

function checkFields(
  contract: Contract,
  name: string,
  value: unknown,
  at: () => Loc
): { row: Row; problems: InputError[] } {
  const collection = contract.collections.get(name) as CollectionRow
  const checked = contract.checkRow(collection, value)
  const row = checked.row as Row
  const problems = checked.problems.map((problem) => {
    const loc = [...at(), ...problem.loc.slice(1)]
    if (problem.type !== 'extra_forbidden') return { ...problem, loc }
    return wrong(loc, 'Rows have no such field.', fieldsOf(contract, collection))
  })
  if (typeof row?.id === 'number' && Math.abs(row.id) > Number.MAX_SAFE_INTEGER) {
    problems.push(wrong([...at(), 'id'], `An id is at most ${Number.MAX_SAFE_INTEGER}.`))
  }
  return { row, problems }
}

function fieldsOf({ documents }: Contract, { row }: CollectionRow): string[] {
  return Object.keys(schemaOf(documents, row).properties as JsonObject)
}

function checkReferences(contract: Contract, name: string, row: Row, at: () => Loc, has: Has): InputError[] {
  const { references } = contract.collections.get(name) as CollectionRow
  const problems: InputError[] = []
  for (const field in references) {
    const target = references[field] as string
    for (const id of namedBy(row, field)) {
      if (!has(target, id)) problems.push(wrong([...at(), field], `${target} has no row ${id}.`))
    }
  }
  return problems
}

/** What rows of a whole collection have that one before them has, and no two may have. */
function* twice({ collections }: Contract, name: string, rows: Row[]): Steps<InputError[]> {
  const { unique = [] } = collections.get(name) as CollectionRow
  const problems: InputError[] = []
  for (const fields of unique) {
    const known = new Set<string>()
    for (const [position, row] of rows.entries()) {
      const key = keyOf(row, fields)
      if (known.has(key)) {
        const text = `A row before this one has this ${fields.join(' and ')}.`
        problems.push(wrong(place(name, position, fields[0]), text))
      }
      known.add(key)
      yield
    }
  }
  return problems
}

function keyOf(row: JsonObject, fields: readonly string[]): string {
  return JSON.stringify(fields.map((field) => row[field]))
}

/** The ids that a field of a row names: none, one or a list. */
function namedBy(row: object, field: string): Id[] {
  const value = (row as Record<string, unknown>)[field]
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value as Id]
}

function place(...steps: Loc): Loc {
  return ['body', 'collections', ...steps]
}

function refuse(problems: InputError[]): void {
  if (problems.length > 0) throw new Invalid(problems.slice(0, most))
}
