import type { FactoryOf } from '../../engine/api.js'
import type { Contract } from '../../engine/contract/contract.js'
import type { Json, JsonObject } from '../../engine/contract/load.js'
import type { CollectionRow } from '../../engine/contract/model.js'
import { inMap } from '../../engine/contract/once.js'
import { Invalid } from '../../engine/contract/pydantic/explain.js'
import { createRowMaker } from '../../engine/control/state/create.js'
import { put } from '../../engine/control/state/ids.js'
import type { Edition } from '../../engine/ledger/edition.js'
import { Clock } from '../../engine/sandbox/clock.js'
import { Ids } from '../../engine/sandbox/ids.js'
import { rowsOf } from '../../engine/sandbox/sandbox.js'
import type { AnyRow, Id } from '../../engine/store/collection.js'
import { createStore, ensureCollections } from '../../engine/store/rows.js'
import type { Book, Caller, Recording } from './book.js'
import type { Privacy } from './private.js'

/** What rows are made with. */
export interface Making {
  contract: Contract
  factoryOf: FactoryOf
  /** The rows that every state has: the common users, for one. */
  base: Readonly<Record<string, readonly AnyRow[]>>
  seed: number
}

/** What rows of an API are made with. */
export function makingOf(edition: Edition, seed: number): Making {
  const contract = edition.contractOf(edition.choices)
  const base = rowsOf(edition.startOf({ fixtures: 'empty', seed }).rows)
  return { contract, factoryOf: edition.factoryOf, base, seed }
}

/**
 * The rows of a book, whole and without anything private: what no reply shows is completed by factories. `completed` is the book
 * with what they need, and notes on it.
 */
export function completeRows(
  source: Book,
  { contract, factoryOf, base, seed }: Making,
  privacy: Pick<Privacy, 'row'>,
  recording: Recording
): { rows: Record<string, AnyRow[]>; completed: Book } {
  const book = source.copy()
  recording.finish?.(book)
  const names = inOrder(contract)
  giveUsers(book, base)
  giveNumbers(book, base)
  joinReferences(book, names, recording, base)
  giveKeys(book)
  const rows = createStore(contract.api.collections)
  ensureCollections(rows, names)
  const sandbox = { rows, ids: new Ids(seed), clock: new Clock({ now: book.now, speed: 0 }) }
  const make = createRowMaker({ contract, factoryOf, sandbox })
  for (const [name, entries] of book.rows) for (const id of entries.keys()) sandbox.ids.take(name, id)
  const { collection: users, token } = contract.api.users
  for (const name of names) {
    const about = contract.collections.get(name) as CollectionRow
    for (const row of base[name] ?? []) {
      const isFree = isInBase(book, base, name, row.id)
      // Another user may have its id.
      const isWanted = name === users ? !book.all(name).some((it) => it[token] === row[token]) : isFree
      if (isWanted) put(sandbox, name, isFree ? row : { ...row, id: sandbox.ids.uuid() })
    }
    for (const [id, { fields, label }] of book.rowsOf(name)) {
      // A factory may have made it for another row.
      if (rows[name]?.has(id)) rows[name].remove(id)
      const part = privacy.row(about, fields)
      for (let count = Object.keys(part).length; count >= 0; count--) {
        try {
          make(name, part)
          break
        } catch (error) {
          if (!(error instanceof Invalid)) throw error
          const [{ loc = [], msg = '' } = {}] = error.problems
          const field = String(loc[1] ?? 'id')
          const isLost = field === 'id' || !Object.hasOwn(part, field)
          // A replacement may break a pattern, which the original does not.
          if (isLost || part[field] === fields[field])
            book.notes.add(
              `${label}: ${name} ${/@/.test(String(id)) ? '(an address)' : id} ${isLost ? 'is left out' : `loses ${field}`}: ${msg}`
            )
          if (isLost) break
          delete part[field]
        }
      }
    }
  }
  const lists = Object.entries(rowsOf(rows) as Record<string, AnyRow[]>).map(([name, all]) => {
    const about = contract.collections.get(name) as CollectionRow
    return [name, all.map((it) => privacy.row(about, it, true))]
  })
  return { rows: Object.fromEntries(lists), completed: book }
}

/**
 * An administrator who called is `admin`, and another caller `basic`: one who is not a curator, if there is one. A further curator is
 * `curator`. The users of a mock are themselves.
 */
function giveUsers(book: Book, base: Making['base']): void {
  const { collection, token, role, common } = book.contract.api.users
  if (!Object.hasOwn(book.fieldsOf(collection), token) || book.contract.api.document) return
  const [admin, curator, basic] = common
  for (const it of book.callers.values())
    it.role ??= base[collection]?.find((user) => user[token] === it.token)?.[role] as string | undefined
  const isAdmin = (it: Caller) => it.role === 'admin' || (it.role === undefined && it.isTrusted)
  const callers = [...book.callers.values()]
  for (const it of callers) {
    const others = new Set(callers.map(({ id }) => id))
    const [best] = [...it.votes].filter(([id]) => !others.has(id)).sort(([, a], [, b]) => b - a)
    if (best && !it.isReal && !isAdmin(it)) book.identify(it, best[0])
  }
  const isThere = ({ id }: Caller) => !book.gone.get(collection)?.has(id)
  const people = [...new Map(callers.map((it) => [it.id, it])).values()].filter(isThere)
  const called = (key: string | undefined) => people.find((it) => it.token === key)
  const others = people.filter((it) => !isAdmin(it) && it !== called(curator))
  const first = called(admin) ?? people.find(isAdmin)
  const second = called(basic) ?? others.find(({ role = basic }) => role === basic) ?? others[0]
  const third = called(curator) ?? others.find((it) => it !== second && it.role === 'curator')
  for (const it of people) {
    book.show(collection, { id: it.id, [role]: it.role ?? (isAdmin(it) ? 'admin' : 'basic') })
    const { fields } = book.rowsOf(collection).get(it.id) as { fields: JsonObject }
    const key = it === first ? admin : it === second ? basic : it === third ? curator : undefined
    if (key !== undefined) fields[token] = key
  }
}

/** Keys for the users who made no call, or a further one. */
function giveKeys(book: Book): void {
  const { collection, token, common } = book.contract.api.users
  if (!Object.hasOwn(book.fieldsOf(collection), token)) return
  let number = common.length
  for (const user of book.all(collection)) user[token] ??= `user-${++number}`
}

/** Numbers for the rows whose ids no reply shows. Those that belong to them follow. */
function giveNumbers(book: Book, base: Making['base']): void {
  const { collections } = book.contract
  for (const [name, rows] of book.rows) {
    if (!book.isNumbered(name)) continue
    const parts = [...collections.values()].filter(({ parent }) => parent?.collection === name && !parent.by)
    const ids = [...rows.keys(), ...(base[name] ?? []).map(({ id }) => id)]
    let next = Math.max(0, ...ids.map((id) => (typeof id === 'number' ? id : 0)))
    for (const [id, entry] of [...rows]) {
      if (typeof id === 'number') continue
      rows.delete(id)
      entry.fields.id = ++next
      rows.set(next, entry)
      for (const { name: part, parent } of parts)
        for (const it of book.all(part)) if (parent && it[parent.field] === id) it[parent.field] = next
    }
  }
}

/** The collections, each after those that it refers to. */
function inOrder({ collections }: Contract): string[] {
  const order = new Set<string>()
  const visit = (name: string, above: readonly string[]): void => {
    if (order.has(name) || above.includes(name)) return
    const { references, parent } = collections.get(name) as CollectionRow
    for (const it of [...Object.values(references), ...(parent ? [parent.collection] : [])]) visit(it, [...above, name])
    order.add(name)
  }
  for (const name of collections.keys()) visit(name, [])
  return [...order]
}

/** Whether a row that every state has is there, and no reply has shown it. */
function isInBase(book: Book, base: Making['base'], name: string, id: Id): boolean {
  const isThere = !book.gone.get(name)?.has(id) && !book.absent.has(`${name} ${id}`)
  return isThere && !book.row(name, id) && (base[name] ?? []).some((it) => it.id === id)
}

/** Makes each reference lead to a row: one that was deleted is taken out, one that no reply shows becomes a row. */
function joinReferences(
  book: Book,
  names: readonly string[],
  { heirs = {}, minimal }: Recording,
  base: Making['base']
): void {
  const notes = new Map<string, Set<Id>>()
  const note = (text: string, id: Id) => void inMap(notes, text, () => new Set()).add(id)
  // Those that refer to others come first, so that what they need is there when it is looked at itself.
  for (const name of [...names].reverse()) {
    const { references } = book.contract.collections.get(name) as CollectionRow
    const schemas = book.fieldsOf(name)
    for (const [id, { fields, label, number }] of [...book.rowsOf(name)]) {
      for (const [field, target] of Object.entries(references)) {
        const value = fields[field]
        const ids = [value ?? []].flat() as Id[]
        const removals = ids.filter((it) => book.gone.get(target)?.has(it))
        const rest = ids.filter((it) => !removals.includes(it))
        for (const it of rest) {
          if (book.row(target, it) || isInBase(book, base, target, it)) continue
          const part = minimal?.(book, target, fields) ?? {}
          book.rowsOf(target).set(it, { fields: { ...part, id: it }, label, number })
          note(`${label}: ${name} refer to ${target} that no reply shows, so these are made: ${target}`, it)
        }
        if (Array.isArray(value)) fields[field] = rest as Json[]
        else if (removals.length > 0) {
          const heir = heirs[target] ?? null
          const isThere = heir !== null && (book.row(target, heir) || isInBase(book, base, target, heir))
          if (isThere || book.mayBeNull(schemas[field])) fields[field] = isThere ? heir : null
          else book.remove(name, id)
        }
        for (const it of removals.filter((it) => number > (book.gone.get(target)?.get(it) as number))) {
          note(`${label}: shows rows that refer to ${target} ${it}, which was deleted before: ${name}`, id)
        }
      }
    }
  }
  for (const [text, ids] of notes) book.notes.add(`${text} ${[...ids].join(', ')}`)
}
