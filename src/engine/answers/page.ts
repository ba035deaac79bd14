import { type Documents, isObject, type Json, type JsonObject, schemaOf, wholeOf } from '../contract/load.js'
import { refuse } from '../contract/message/reply.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { singularOf } from '../contract/reader/document.js'
import { partsOf } from '../contract/schemas/schemas.js'
import type { AnyRow } from '../store/collection.js'
import type { Call } from './rule.js'

/** Names in the spellings of documents: `page_size`, `pageSize` and `PageSize`. */
const spelled = (names: string, others = ''): string[] => {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  const all = names.split(' ').flatMap((it) => [it, camel(it), camel(`_${it}`)])
  return [...new Set([...all, ...others.split(' ').filter(Boolean)])]
}

/** The usual names of a list's parameters. */
export const sizes = spelled('limit page_size per_page size', 'page[size] page[limit] $top')
export const starts = spelled('offset skip start', 'page[offset] $skip')
export const pages = spelled('page page_num page_no page_number page_index', 'page[number]')
export const searches = ['q', 'query', 'search', '$search']
export const cursors = spelled('cursor page_token after starting_after next_token')
export const sorts = spelled('sort sort_by order_by ordering', '$orderby')
/** The usual names of the direction of a sort. */
export const directions = spelled('order sort_order order_direction sort_direction sort_dir direction dir')
/** All of these. */
export const pageWords = [...sizes, ...starts, ...pages, ...cursors, ...searches, ...sorts, ...directions, 'filter']
/** The usual names of a header with the number of all rows. */
export const totalHeader = /(^|-)total(-?(count|items|results|records))?$/

/** The usual names of the number of pages. */
const counts = spelled('pages total_pages page_count num_pages last_page')
/** The usual names of the flag for more rows, and of the link to them. */
export const mores = spelled('has_more has_next has_next_page')
/** The usual names of the flag for rows before the page, of the number of the page before, and of the page itself. */
const lesses = spelled('has_previous has_prev has_previous_page')
const currents = spelled('current_page number')
const previous = spelled('previous_page prev_page prev')
export const nexts = spelled('next next_page next_cursor next_page_token')

/** One page of rows, the total, what an answer may say about the page, and all rows with the place of the page in them. */
export type Page = ReturnType<typeof inPage>

/** A request to a list. */
export interface PageCall extends Call {
  /** The text that a path names a row by. */
  keyOf(row: AnyRow): string
}

/** The rows for a query: searched, sorted and paged. */
export function inPage(rows: AnyRow[], of: PageCall) {
  const {
    operation: { input: schemas, responses },
    input: { query },
    assume,
    keyOf
  } = of
  const value = (names: string[]) => names.map((name) => query[name]).find((it) => it !== undefined && it !== null)
  const text = value(searches)
  const inCase =
    typeof text === 'string' && assume('search.case') === 'exact' ? String : (it: string) => it.toLowerCase()
  const isFound = (row: AnyRow) => inCase(JSON.stringify(row)).includes(inCase(String(text)))
  const matches = typeof text === 'string' && text !== '' ? rows.filter(isFound) : rows
  const sort = value(sorts)
  const order = Array.isArray(sort) ? sort.join(',') : sort
  const sign = typeof order === 'string' && /^desc/i.test(String(value(directions) ?? '')) ? '-' : ''
  const sorted = typeof order === 'string' ? inOrder(matches, sign + order) : matches
  const limit = wholeNumber(value(sizes))
  const usual = limit === undefined ? assume('pages.size') : undefined
  const size = limit ?? (usual === undefined || usual === 'all' ? sorted.length : Number(usual))
  const declared = (schemas.query?.properties ?? {}) as JsonObject
  const numbered =
    pages.find((name) => query[name] !== undefined) ?? pages.find((name) => Object.hasOwn(declared, name))
  const first = numbered !== undefined && isFromZero(schemas.query, numbered) ? 0 : 1
  const page = numbered === undefined ? undefined : (wholeNumber(query[numbered]) ?? first)
  const cursor = cursors.find((name) => (query[name] ?? '') !== '') ?? ''
  const after = cursor === '' ? 0 : afterKey(sorted, String(query[cursor]), keyOf, typeof order === 'string')
  const isOpen = (responses[400] ?? responses[422]) === undefined
  if (after === undefined && (isOpen ? assume('pages.cursor') : 'refused') === 'refused')
    throw new Invalid([
      { type: 'value_error', loc: ['query', cursor], msg: 'No page has this cursor', input: query[cursor] }
    ])
  const start = cursor === '' ? undefined : (after ?? sorted.length)
  const position = start ?? wholeNumber(value(starts)) ?? (page === undefined ? 0 : Math.max(0, page - first) * size)
  const beyond = position > 0 && position >= sorted.length ? assume('pages.beyond') : undefined
  if (beyond === '404') refuse(404, 'There is no such page.')
  const offset = beyond === 'last' && size > 0 ? Math.max(0, Math.ceil(sorted.length / size) - 1) * size : position
  const hasMore = offset + size < sorted.length
  const last = sorted[offset + size - 1]
  const hasCursor = cursors.some((name) => Object.hasOwn(declared, name))
  const shown = sorted.slice(offset, offset + size)
  const next = hasCursor && last ? keyOf(last) : page === undefined ? undefined : page + 1
  const fields: JsonObject = {
    ...Object.fromEntries(mores.map((name) => [name, hasMore])),
    ...((!hasMore || next !== undefined) &&
      Object.fromEntries(nexts.map((name) => [name, hasMore ? (next as Json) : null]))),
    ...Object.fromEntries(lesses.map((name) => [name, offset > 0])),
    ...(page !== undefined && Object.fromEntries(previous.map((name) => [name, page > first ? page - 1 : null]))),
    ...Object.fromEntries(counts.map((name) => [name, size === 0 ? 0 : Math.ceil(sorted.length / size)])),
    ...Object.fromEntries(sizes.map((name) => [name, size])),
    ...Object.fromEntries(starts.map((name) => [name, offset])),
    ...Object.fromEntries([...pages, ...currents].map((name) => [name, page ?? first])),
    // Spring and Laravel.
    first: offset === 0,
    last: !hasMore,
    empty: shown.length === 0,
    numberOfElements: shown.length,
    ...(shown.length > 0 && { from: offset + 1, to: offset + shown.length })
  }
  // Where the next cursor is never null, that of the last page leads to an empty one.
  const end = hasCursor ? shown.slice(-1).map(keyOf).join('') : null
  return { page: shown, total: sorted.length, fields, end, sorted, offset, size }
}

/** The position after the row with a key, or after its place if it is gone. Undefined: only numbers have a place. */
function afterKey(rows: AnyRow[], key: string, keyOf: PageCall['keyOf'], isSorted: boolean): number | undefined {
  const keys = rows.map(keyOf)
  const at = keys.indexOf(key)
  if (at >= 0) return at + 1
  if (![key, ...keys].every((it) => /^\d+$/.test(it))) return undefined
  const isFalling = Number(keys.at(-1)) < Number(keys[0])
  const isPast = (it: string) => (isFalling ? Number(it) < Number(key) : Number(it) > Number(key))
  const next = isSorted ? -1 : keys.findIndex(isPast)
  return next < 0 ? rows.length : next
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return Number.isInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** Whether pages are counted from 0, according to the parameter's schema. */
export function isFromZero(query: JsonObject | undefined, name: string): boolean {
  const schema = (query?.properties as JsonObject | undefined)?.[name]
  return isObject(schema) && (schema.minimum === 0 || schema.default === 0)
}

/**
 * The rows whose fields have these values, or one of several. Other names than those of fields do nothing, and neither do values that
 * a parameter lists and its field does not, such as `all`.
 */
export function passing(
  rows: AnyRow[],
  values: Record<string, unknown>,
  fields: JsonObject,
  { contract: { documents }, operation }: PageCall
): AnyRow[] {
  const inside = (name: string) =>
    rows.some(({ attributes }) => isObject(attributes) && Object.hasOwn(attributes, name))
  // JSON:API writes `filter[name]`.
  const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    name === 'filter' && isObject(value as Json)
      ? Object.entries(value as JsonObject)
      : [[name.replace(/^filter\[(.+)\]$/, '$1'), value]]
  )
  const parameters = (operation.input.query?.properties ?? {}) as JsonObject
  const filters = entries.flatMap(([name, value]): [string, unknown][] => {
    const field = filteredBy(documents, name, fields) ?? name
    const [theirs, own] = [parameters[name], fields[field]].map((it) => listedIn(documents, it))
    const isAny = [value].flat().some((it) => theirs?.includes(it as Json) && own && !own.includes(it as Json))
    return isAny || !(Object.hasOwn(fields, field) || inside(field)) ? [] : [[field, value]]
  })
  const bounds = entries.flatMap(([name, value]) => {
    const bound = boundIn(name, Object.keys(fields))
    return bound ? [{ ...bound, value: value as Json }] : []
  })
  const isInside = (row: AnyRow) => bounds.every((it) => isWithin(row[it.field] as Json, it))
  return rows.filter(
    (row) =>
      isInside(row) &&
      filters.every(([name, value]) => {
        const values = [value].flat().map(String)
        const field = fieldOf(row, name) as Json
        const parts = [field].flat().flatMap((it) => (isObject(it) ? Object.values(it) : it))
        return parts.some((it) => values.includes(String(it)))
      })
  )
}

/** What a parameter bounds: `min_price`, `check_in_from` and `created_before` bound `price`, `check_in` and `created_at`. */
interface Bound {
  field: string
  isUpper: boolean
  /** Whether the bound itself is outside. */
  isStrict: boolean
}

const bounding = /^(min|max)_?(.+)$|^(.+?)[_[]?(min|max|from|to|since|until|after|before|[gl]te?)\]?$/i

export function boundIn(name: string, fields: readonly string[]): Bound | undefined {
  const [, first = '', of = '', stem = of, last = first] = bounding.exec(name) ?? []
  const field = sortedBy(stem.charAt(0).toLowerCase() + stem.slice(1), fields)
  if (stem === '' || field === undefined || fields.includes(name)) return undefined
  return { field, isUpper: /^(max|to|until|before|lte?)$/i.test(last), isStrict: /^(after|before|[gl]t)$/i.test(last) }
}

/** Whether a value is on the inner side of a bound. A day as a bound has all its times inside. */
export function isWithin(field: Json | undefined, { isUpper, isStrict, value }: Bound & { value: Json }): boolean {
  const timed = (it: Json) =>
    /^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:?\d\d)$/.test(`${it}`) ? new Date(`${it}`).toISOString() : `${it}`
  if (field === undefined || field === null) return false
  const isNumber = typeof field === 'number'
  const bound = isNumber ? Number(value) : timed(value)
  const own = isNumber ? field : isStrict ? timed(field) : timed(field).slice(0, `${bound}`.length)
  return own === bound ? !isStrict : own < bound === isUpper
}

/** The field that a sort names, and its direction: `-name`, `name:desc`, `name desc`, `name_desc`. */
export function sortIn(sort: string): [field: string, sign: number] {
  const text = sort.replace(/^[-+]/, '')
  const end = /.[ :._-](asc|desc)(ending)?$/i.exec(text)
  const isDown = sort.startsWith('-') || end?.[1]?.toLowerCase() === 'desc'
  return [text.slice(0, end ? end.index + 1 : undefined), isDown ? -1 : 1]
}

/** The field that a sort names by its whole name, or by its stem: `created` for `created_at`. */
export function sortedBy(sort: string, fields: readonly string[]): string | undefined {
  const [stem] = fields.includes(sort) ? [sort] : sortIn(sort)
  const isOf = (field: string) =>
    field.startsWith(stem) && /^_?(at|on|date|time|timestamp|count)$/i.test(field.slice(stem.length))
  return fields.includes(stem) ? stem : fields.find(isOf)
}

/** The values that a schema lists, or that of its items. */
export function listedIn(documents: Documents, schema: Json | undefined): Json[] | undefined {
  const { enum: values, items } = schemaOf(documents, schema)
  return (values as Json[] | undefined) ?? (items === undefined ? undefined : listedIn(documents, items))
}

/** The field that a parameter filters by: the one of its name, or a list of such values, as `tags` is for `tag`. */
export function filteredBy(documents: Documents, name: string, fields: JsonObject): string | undefined {
  const isList = (it: string) =>
    singularOf(it) === name &&
    partsOf(documents, fields[it] as Json).some(({ type }) => [type].flat().includes('array'))
  return Object.hasOwn(fields, name) ? name : Object.keys(fields).find(isList)
}

export function inOrder(rows: AnyRow[], sort: string): AnyRow[] {
  const names = () => [...new Set(rows.flatMap((row) => Object.keys({ ...row, ...(row.attributes as object) })))]
  // Spring writes `name,desc`.
  const fields = sort.replace(/,(asc|desc)(?=,|$)/gi, ':$1').split(',')
  const orders = fields.map((it): [string, number] => {
    const isField = rows.some((row) => fieldOf(row, it) !== undefined)
    const [name, sign] = isField ? [it, 1] : sortIn(it)
    return [isField ? it : (sortedBy(name, names()) ?? name), sign]
  })
  const compare = (a: Json | undefined, b: Json | undefined) => (a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1)
  return [...rows].sort((a, b) => {
    const differing = orders.map(([field, sign]) => sign * compare(fieldOf(a, field), fieldOf(b, field)))
    return differing.find((it) => it !== 0) ?? 0
  })
}

/** A field of a row, or of the `attributes` that rows of JSON:API have. */
const fieldOf = (row: AnyRow, field: string): Json | undefined =>
  (row[field] ?? (isObject(row.attributes) ? row.attributes[field] : undefined)) as Json | undefined

/** What the fields of an object say about a page. */
export function saidIn(of: PageCall, properties: JsonObject, { fields, total, end }: Page): JsonObject {
  const isTotal = of.contract.api.document ? totals : /^(total|count|total_items|total_count)$/
  const said = Object.keys(properties).flatMap((field): [string, Json][] => {
    const value = fields[field] ?? (isTotal.test(field) && !(field in fields) ? total : fields[field])
    const said = [value, ...(nexts.includes(field) && value === null ? [end] : [])]
    const fitting = said.find((it) => it !== undefined && takes(of, properties[field], it))
    return fitting === undefined ? [] : [[field, fitting]]
  })
  return Object.fromEntries(said)
}

/** The usual names of the number of all rows, such as `articlesCount`. */
export const totals =
  /^(total|count|total_?(items|count|results|records|rows|elements)|@odata\.count|[a-z]+(_c|C)ount)$/i

/** Whether a schema has the type of a value: a field may have the name of a page field but another meaning. */
export function takes({ contract }: Pick<PageCall, 'contract'>, schema: Json | undefined, value: Json): boolean {
  const { type, anyOf = [], enum: values } = wholeOf(contract.documents, schema)
  if (type === undefined && Array.isArray(values)) return values.includes(value)
  const types = [type, ...(anyOf as Json[]).map((it) => wholeOf(contract.documents, it).type)].flat()
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const kinds = Number.isInteger(value) ? ['integer', own] : [own]
  return types.every((it) => it === undefined) || types.some((it) => kinds.includes(it as string))
}
