import type { Contract } from '../../contract/contract.js'
import type { Problem } from '../../contract/explain.js'
import { isObject } from '../../contract/load.js'
import { type CollectionName, collectionNames, type Store } from '../../store/rows.js'
import { wrong } from './problems.js'

type Loc = Problem['loc']
type Id = string | number
/** Whether a collection has a row of this id. */
type Has = (collection: string, id: Id) => boolean

/** So many problems of a whole state are told. */
const most = 100

/** What is wrong with a row that is to be put into a store: with its fields, and with what it names. */
export function checkRow(
  contract: Contract,
  rows: Store,
  collection: CollectionName,
  row: unknown,
  loc: Loc
): Problem[] {
  // A row may name itself.
  const own = isObject(row) ? row.id : undefined
  const has: Has = (name, id) => (name === collection && id === own) || rows[name as CollectionName].has(id)
  return problemsOf(contract, collection, row, loc, has)
}

/** What is wrong with the collections of a whole state: each row, each reference, each id that comes twice. */
export function checkState(contract: Contract, collections: Record<string, unknown[]>): Problem[] {
  const at: Loc = ['body', 'collections']
  const unknown = Object.keys(collections).filter((name) => !collectionNames.includes(name as CollectionName))
  const problems = unknown.map((name) => wrong([...at, name], 'There is no such collection.', collectionNames))
  if (problems.length > 0) return problems
  const ids = new Map(collectionNames.map((name) => [name as string, new Set<unknown>()]))
  for (const [name, rows] of Object.entries(collections)) {
    const known = ids.get(name) as Set<unknown>
    rows.forEach((row, position) => {
      const id = (row as { id?: unknown } | null)?.id
      if (id !== undefined && known.has(id)) problems.push(wrong([...at, name, position, 'id'], `${id} comes twice.`))
      known.add(id)
    })
  }
  const has: Has = (name, id) => ids.get(name)?.has(id) ?? false
  for (const [name, rows] of Object.entries(collections)) {
    for (const [position, row] of rows.entries()) {
      if (problems.length >= most) return problems
      problems.push(...problemsOf(contract, name, row, [...at, name, position], has))
    }
  }
  return problems
}

/** The rows that name a row, such as "chatSessions 3"; the first ones of many. */
export function referrersOf(contract: Contract, rows: Store, collection: CollectionName, id: Id): string[] {
  const found: string[] = []
  for (const { name, references } of contract.collections.values()) {
    const fields = Object.keys(references).filter((field) => references[field] === collection)
    if (fields.length === 0) continue
    for (const row of rows[name as CollectionName].all() as Iterable<{ id: Id }>) {
      if (found.length >= 5) return found
      if (fields.some((field) => namedBy(row, field).includes(id))) found.push(`${name} ${row.id}`)
    }
  }
  return found
}

function problemsOf(contract: Contract, collection: string, row: unknown, loc: Loc, has: Has): Problem[] {
  const schema = contract.collections.get(collection) as NonNullable<ReturnType<Contract['collections']['get']>>
  const problems = contract.checkRow(schema, row).map((sentence) => {
    const [, path = '', text = ''] = /^(\S+) (.*)$/s.exec(sentence) ?? []
    return wrong([...loc, ...path.split('/').filter((step) => step !== '')], text)
  })
  if (!isObject(row)) return problems
  for (const [field, target] of Object.entries(schema.references)) {
    for (const id of namedBy(row, field)) {
      if (!has(target, id)) problems.push(wrong([...loc, field], `${target} has no row ${id}.`))
    }
  }
  return problems
}

/** The ids that a field of a row names: none, one or a list. */
function namedBy(row: object, field: string): Id[] {
  const value = (row as Record<string, unknown>)[field]
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value as Id]
}
