import type { Operation } from '../../contract/contract.js'
import { isObject, type Json, type JsonObject } from '../../contract/load.js'
import type { OwnInput } from './own.js'
import type { OwnRow } from './rows.js'

/** The usual names of a list's parameters. */
const sizes = ['limit', 'page_size', 'pageSize', 'per_page', 'perPage', 'size']
const starts = ['offset', 'skip', 'start']
const pages = ['page', 'page_num', 'pageNum', 'page_number']
const searches = ['q', 'query', 'search']

/** The usual names of the number of pages. */
const counts = ['pages', 'total_pages', 'totalPages', 'page_count', 'pageCount', 'num_pages']
/** The usual names of whether there are more rows, and of what leads to them. */
const mores = ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage']
const nexts = ['next', 'next_page', 'nextPage', 'next_cursor', 'nextCursor', 'next_page_token', 'nextPageToken']

/** One page of rows, the total, and what an answer may say about the page. */
interface Page {
  page: OwnRow[]
  total: number
  fields: JsonObject
}

/** The rows for a query: searched, sorted and paged. */
export function inPage(rows: OwnRow[], { input: schemas }: Operation, { query }: OwnInput): Page {
  const value = (names: string[]) => names.map((name) => query[name]).find((it) => it !== undefined && it !== null)
  const text = value(searches)
  const found = typeof text === 'string' && text !== '' ? rows.filter((row) => holds(row, text)) : rows
  const sorted = typeof query.sort === 'string' ? inOrder(found, query.sort) : found
  const size = wholeNumber(value(sizes)) ?? sorted.length
  const named = pages.find((name) => query[name] !== undefined)
  const page = wholeNumber(named === undefined ? undefined : query[named])
  const first = named !== undefined && isFromZero(schemas.query, named) ? 0 : 1
  const offset = wholeNumber(value(starts)) ?? (page === undefined ? 0 : Math.max(0, page - first) * size)
  const hasMore = offset + size < sorted.length
  const fields: JsonObject = {
    ...Object.fromEntries(mores.map((name) => [name, hasMore])),
    ...(!hasMore && Object.fromEntries(nexts.map((name) => [name, null]))),
    ...Object.fromEntries(counts.map((name) => [name, size === 0 ? 0 : Math.ceil(sorted.length / size)])),
    ...Object.fromEntries(sizes.map((name) => [name, size])),
    ...Object.fromEntries(starts.map((name) => [name, offset])),
    ...Object.fromEntries(pages.map((name) => [name, page ?? first]))
  }
  return { page: sorted.slice(offset, offset + size), total: sorted.length, fields }
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return Number.isInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** Whether pages are counted from 0, according to the parameter's schema. */
function isFromZero(query: JsonObject | undefined, name: string): boolean {
  const schema = (query?.properties as JsonObject | undefined)?.[name]
  return isObject(schema) && (schema.minimum === 0 || schema.default === 0)
}

function holds(row: OwnRow, text: string): boolean {
  return JSON.stringify(row).toLowerCase().includes(text.toLowerCase())
}

function inOrder(rows: OwnRow[], sort: string): OwnRow[] {
  const [field, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1]
  const compare = (a: Json | undefined, b: Json | undefined) => (a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1)
  return [...rows].sort((a, b) => sign * compare(a[field], b[field]))
}
