import { boundIn, directions, isWithin, listedIn, sortedBy, sortIn, sorts } from '../../../engine/answers/page.js'
import { type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { isNeverEmpty } from '../../../engine/contract/outcomes.js'
import { itemsIn, type Listing } from '../../../tools/verify/calls/lists.js'
import { repeated } from '../../../tools/verify/judge.js'
import { unsure } from '../../../tools/verify/plays/neighbours.js'
import type { Check, RowCause } from '../../../tools/verify/results.js'
import { contains } from '../../../tools/verify/scene.js'
import { isFilteredBy, steady } from './rows.js'
import { isAnswer, type Part, Table } from './table.js'

/** Lists, pages and filters, with the rows that are there. */
export const lists: Part = async (scene, rows) => {
  const list = rows.list as Operation
  const table = await Table.open(scene, rows)
  const all = await table.listed()
  await counted(table, all)
  const { properties, size, start, page, cursor } = rows.paging
  for (const item of rows.read ? all.rows.slice(0, 2) : []) {
    const key = item[rows.key] ?? null
    if (key === null) continue
    const one = rows.read as Operation
    const isUnlike = async (shown: JsonObject | undefined) => {
      const row = shown && rows.rowIn((await table.ask(one, [key])).reply.body)
      return (shown && !(row && contains(row, steady(shown, row)))) || undefined
    }
    const look = async () => isUnlike((await table.listed()).rows.find((it) => it[rows.key] === key))
    const decided = await steadily(table, await isUnlike(item), look)
    const row = decided?.found && (await table.read(key))
    if (decided) scene.shows(one.id, row || item, steady(item, row || item))
    if (decided && !row) scene.run.results.held(one.id, 'ensure_resource_availability')
  }
  if (size !== undefined && all.isWhole && all.rows.length > 0) {
    const few = Math.max(1, Math.ceil(all.rows.length / 8))
    const { minimum } = schemaOf(table.contract.documents, properties[size])
    const least = Math.max(few, Number(minimum ?? 1))
    const paged = await table.listed({ size: least })
    await counted(table, paged, { size: least })
    const long = paged.pages.find((it) => it.length > least)
    scene.check('paging_consistent', list.id, !long, `at most ${least} rows in a page`, `${long?.length} rows`)
    if (!long && paged.isWhole && [cursor, start, page].some((it) => it !== undefined)) {
      const lostIn = (whole: Listing, pages: Listing, keys = new Set(rows.keysOf(pages.rows))) =>
        rows.keysOf(whole.rows).find((it) => !keys.has(it))
      const look = async () => lostIn(await table.listed(), await table.listed({ size: least }))
      const decided = await steadily(table, lostIn(all, paged), look)
      const expected = `the row ${decided?.found} on one of the pages`
      if (decided) scene.check('paging_consistent', list.id, !decided.found, expected)
    }
    await ends(table, all)
  }
  await isSorted(table, all)
  await isBounded(table, all)
  for (const name of Object.keys(properties).filter((it) => Object.hasOwn(rows.fields, it))) {
    const value = all.rows.map((it) => it[name]).find((it) => it !== undefined && it !== null && it !== '')
    // A filter may take other values than rows have.
    const some =
      value === undefined || typeof value === 'object' ? undefined : await filtered(table, name, value, all.rows)
    if (!some) continue
    const isOther = (by: Json) => (it: JsonObject) => Object.hasOwn(it, name) && !isFilteredBy(it[name], by)
    if (typeof value === 'boolean') {
      const usual = table.usual(name)
      const isUsual = typeof usual !== 'boolean' || !all.rows.some(isOther(usual))
      filters(table, name, isUsual, `only rows with ${name} ${usual}, the default, without ${name}`)
    }
    const look = async () => {
      if (!(await table.listed()).rows.some((it) => it[name] === value)) return undefined
      return (await table.listed({ query: { [name]: value as Json } })).rows.length === 0 || undefined
    }
    const decided = await steadily(table, some.length === 0 || undefined, look)
    if (decided) filters(table, name, !decided.found, `the rows with ${name} ${value}`, 'none')
  }
  await isSearched(table, all)
}

/** What a list shows without a size, and after its last page. */
async function ends(table: Table, all: Listing): Promise<void> {
  const { rows } = table
  const list = rows.list as Operation
  const { size, start, page, cursor = '' } = rows.paging
  const plain = itemsIn((await table.accepted(list, [])).reply.body)?.length ?? 0
  if (plain > 0) table.answer(list, 'pages.size', plain < all.rows.length ? String(plain) : 'all', `without ${size}`)
  const unknown = { query: { [cursor]: table.scene.mark('none') } }
  if (cursor !== '' && table.takes(list, 'query', unknown)) {
    const { status, body } = (await table.ask(list, [], unknown)).reply
    const choice = status >= 400 ? 'refused' : itemsIn(body)?.length === 0 && 'empty'
    if (isAnswer(status) && choice) table.answer(list, 'pages.cursor', choice, 'with an unknown cursor')
  }
  const name = page ?? start
  if (name === undefined) return
  const { status, body } = (await table.ask(list, [], { query: { [name]: 100_000 } })).reply
  if (status !== 404 && status >= 300) return
  const items = itemsIn(body) ?? []
  const keys = new Set(rows.keysOf(all.rows))
  const mayBeLast = items.length > 0 && isNeverEmpty(table.contract.documents, list)
  const isLast = mayBeLast && rows.keysOf(items).every((it) => keys.has(it))
  const choice = status === 404 ? '404' : isLast ? 'last' : 'empty'
  const isEmpty = choice !== 'empty' || items.length === 0
  if (isEmpty) table.answer(list, 'pages.beyond', choice, 'after the last page')
  table.scene.check('paging_consistent', list.id, isEmpty, 'no rows after the last page')
}

/** The most orders of a list that are read. */
const mostOrders = 6

/** A list has the orders that its document lists. Where no word or sign says the direction, either is right. */
async function isSorted(table: Table, all: Listing): Promise<void> {
  const { rows } = table
  const { documents } = table.contract
  const { properties } = rows.paging
  const [name = '', direction = ''] = [sorts, directions].map((usual) => usual.find((it) => properties[it]))
  if (name === '' || !all.isWhole) return
  const textsOf = (it: string) => (listedIn(documents, properties[it]) ?? []).map(String)
  const values = textsOf(name)
  const orders = values.flatMap((value): [query: JsonObject, field: string, sign: number][] => {
    const field = sortedBy(value, Object.keys(rows.fields))
    // The values of a list may have any order.
    if (field === undefined || listedIn(documents, rows.fields[field])) return []
    const [stem, sign] = sortIn(value)
    if (stem !== value) return [[{ [name]: value }, field, sign]]
    const isRising = direction === '' && values.some((it) => sortIn(it)[1] < 0 && sortedBy(it, [field]) === field)
    const both = textsOf(direction).filter((it) => /^(asc|desc)/i.test(it))
    if (both.length === 0) return [[{ [name]: value }, field, isRising ? 1 : 0]]
    return both.map((it) => [{ [name]: value, [direction]: it }, field, /^asc/i.test(it) ? 1 : -1])
  })
  for (const [query, field, sign] of orders.slice(0, mostOrders)) {
    const look = async () => {
      const shown = (await table.listed({ query })).pages[0]?.map((it) => it[field]) ?? []
      const steps = shown.flatMap((it, at) => shown.slice(at + 1).map((next) => orderOf(it, next)))
      return (sign === 0 ? steps.includes(1) && steps.includes(-1) : steps.includes(sign)) || undefined
    }
    const decided = await steadily(table, await look(), look)
    if (decided) filters(table, name, !decided.found, `rows in the order of ${Object.values(query).join(' ')}`)
  }
}

/** Which of two values comes first: -1 or 1, or 0 where languages, or the case of letters, decide. */
function orderOf(a: Json | undefined, b: Json | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b)
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  if ([a, b].every((it) => /^\d{4}-\d\d-\d\d/.test(it))) return Math.sign(Date.parse(a) - Date.parse(b)) || 0
  const at = a.split('').findIndex((it, position) => it !== b.charAt(position))
  const differing = a.charAt(at) + b.charAt(at)
  return /^([a-z]{2}|[A-Z]{2})$/.test(differing) ? (a < b ? -1 : 1) : 0
}

/** A search for what no row has does not find every row. */
async function isSearched(table: Table, all: Listing): Promise<void> {
  const { search = '' } = table.rows.paging
  const query = { [search]: [...table.scene.mark('none')].reverse().join('') }
  if (search === '' || all.rows.length < 2 || !table.takes(table.rows.list as Operation, 'query', { query })) return
  const { length } = (await table.listed({ query })).rows
  filters(table, search, length < all.rows.length, `no row for ${query[search]}`, `${length} rows`)
}

/** A list that a parameter bounds by a field has no rows on the other side. */
async function isBounded(table: Table, { rows: all }: Listing): Promise<void> {
  const { paging, fields, list } = table.rows
  for (const name of Object.keys(paging.properties)) {
    const bound = boundIn(name, Object.keys(fields))
    const boundedIn = (row: JsonObject) => row[bound?.field ?? ''] as string
    const isOrdered = (it: Json) => typeof it === 'number' || /^\d{4}-\d\d-\d\d/.test(String(it))
    const values = [...new Set(all.map(boundedIn).filter(isOrdered))].sort((a, b) => (a < b ? -1 : 1))
    const value = bound?.isUpper ? values[0] : values.at(-1)
    if (!bound || value === undefined || values.length < 2) continue
    const query = { [name]: value }
    if (!table.takes(list as Operation, 'query', { query })) continue
    const { rows: matches } = await table.listed({ query })
    const isOut = (it: string) => isOrdered(it) && !isWithin(it, { ...bound, isStrict: false, value })
    filters(table, name, !matches.map(boundedIn).some(isOut), `only rows within ${name} ${value}`)
  }
}

/** Checks a parameter by which the list filters. */
export function filters({ scene, rows }: Table, name: string, passes: boolean, expected: string, got?: string): void {
  const { id } = rows.list as Operation
  scene.check('filter_respected', id, passes, expected, got, { shownBy: id, fault: `filters ${name}` })
}

/** A filter by a value shows only rows that have it, and one by a value that none has shows none. Undefined: it takes others. */
export async function filtered(
  table: Table,
  name: string,
  value: Json,
  rows: readonly JsonObject[]
): Promise<JsonObject[] | undefined> {
  const passes = (it: JsonObject, by: Json) => !Object.hasOwn(it, name) || isFilteredBy(it[name], by)
  const shownBy = async (by: Json) => {
    const query = { [name]: by }
    if (!table.takes(table.rows.list as Operation, 'query', { query })) return undefined
    const { rows: some } = await table.listed({ query })
    const isAll = some.every((it) => passes(it, by))
    filters(table, name, isAll, `only rows with ${name} ${by}`)
    return some
  }
  const isOther = (it: Json) =>
    table.isOfRow(name, it) && rows.every((row) => typeof row[name] === typeof it && !passes(row, it))
  const schemas = [table.rows.paging.properties, table.rows.fields].flatMap((fields) => fields[name] ?? [])
  const other = schemas.flatMap((it) => table.valuesOf(it)).find(isOther)
  if (other !== undefined) await shownBy(other)
  return shownBy(value)
}

/** How often a list is read until no other client changes it in the meantime. */
const looks = 5

/**
 * What a look at the list finds. Other clients may change rows while they are read, so a fault is found again while the list has
 * the same rows before and after. Undefined: they change it each time.
 */
async function steadily<Of>(table: Table, first: Of | undefined, look: () => Promise<Of | undefined>) {
  let value = first
  const present = async () => JSON.stringify((await table.listed()).rows.map((it) => steady(it)))
  let before = value === undefined ? '' : await present()
  for (let count = 0; value !== undefined && count < looks; count++) {
    value = await look()
    const after = await present()
    if (before === after) return { found: value }
    before = after
  }
  if (value === undefined) return {}
  table.scene.couldNot((table.rows.list as Operation).id, unsure.moving)
  return undefined
}

/** The list has every row once, and says how many there are. `hasGrown`: by new rows, so that it is whole. */
export async function counted(
  table: Table,
  first: Listing,
  { size, hasGrown = false }: { size?: number; hasGrown?: boolean } = {}
): Promise<void> {
  const { rows, scene } = table
  const { id } = rows.list as Operation
  const faultIn = (listing: Listing): [Check, string, string, RowCause?] | undefined => {
    const { rows: items, total, count, isFixed, isWhole } = listing
    const twice = items.every((it) => (it[rows.key] ?? null) !== null) ? repeated(rows.keysOf(items)) : undefined
    if (twice !== undefined) return ['unique_rows', 'every row once', `${rows.key} ${twice} comes twice`]
    const said = hasGrown && isFixed ? (total ?? count) : isWhole ? total : undefined
    if (said === undefined || said === items.length) return undefined
    const cause = { shownBy: id, fault: said > items.length ? 'lacks' : 'repeats' } as const
    return ['paging_consistent', `a total of ${items.length}`, `${said}`, cause]
  }
  const look = async () => faultIn(await table.listed(size === undefined ? {} : { size }))
  const decided = await steadily(table, faultIn(first), look)
  const [broken, expected = '', got = '', cause] = decided?.found ?? []
  if (broken) scene.check(broken, id, false, expected, got, cause)
  else if (decided) scene.run.results.held(id, 'unique_rows')
  if (decided && !broken && first.total !== undefined) scene.run.results.held(id, 'paging_consistent')
}
