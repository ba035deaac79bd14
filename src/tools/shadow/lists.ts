import { directions, sizes, sorts, totals } from '../../engine/answers/page.js'
import type { Json, JsonObject } from '../../engine/contract/load.js'
import { type Call, itemsIn, partsIn, textsIn } from '../record/traffic.js'

/** Parameters that choose a page. */
export const isPlace = /(?<!per_?)page(?!_?size)|offset|skip|cursor/i

const isOfPages = /page|offset|skip|cursor|size|limit/i

/** Whether a reply has all rows that a call asks for, and not one page of them. */
export function isAll({ operation, query, body }: Call, reply: Json | undefined): boolean {
  const leaves = (it: Json | undefined) => [...partsIn(it)].filter(({ value }) => !(value instanceof Object))
  const isFirst = (value: Json) => ['0', '1', 'null', ''].includes(String(value))
  const sent = leaves({ ...Object.fromEntries(query), ...body })
  if (sent.some(({ path, value }) => isPlace.test(path) && !isFirst(value))) return false
  const { length } = itemsIn(reply)
  const names = Object.keys(operation.input.query?.properties ?? {})
  const size = sizes.map((it) => query.get(it) ?? operation.defaults?.[it]).find((it) => it !== undefined) ?? 0
  // So few rows are all, whatever a total says.
  const isShort = operation.origin && (names.some((it) => isOfPages.test(it)) ? isBelow(length, Number(size)) : true)
  return leaves(reply).every(({ path, field, value }) => {
    if (/^(has_?)?more$/i.test(field)) return value !== true
    if (/^next/i.test(field)) return value === null || value === '' || value === 0
    if (/^total_?pages$/i.test(field)) return (value as number) <= 1
    return !isTotal(path, field) || isShort || (value as number) <= length
  })
}

/** Whether a list has fewer rows than were asked for, and so many that no limit has cut it. */
const isBelow = (length: number, size: number) => length < size && (length % 10 !== 0 || length === 0)

/** Whether a part of a reply is the number of all rows. */
export const isTotal = (path: string, field: string) => totals.test(field) && !path.includes('[]')

/** Whether a reply shows the order of rows: it is not a page, and neither the call nor the document says how it is sorted. */
export function showsOrder(call: Call): boolean {
  const { query, operation, reply } = call
  const isSorted = [...sorts, ...directions].some((it) => query.has(it) || Object.hasOwn(operation.defaults ?? {}, it))
  const most = Math.min(...sizes.flatMap((it) => (query.has(it) ? Number(query.get(it)) : [])))
  return !isSorted && isAll(call, reply) && itemsIn(reply).length < most
}

/** Whether a row has each text of a call as whole words: it is found, however a service compares texts. */
export function isAskedFor({ query, body }: Call, row: Json | undefined): boolean {
  const sent = [...query.values(), ...Object.values(body)].filter((it) => typeof it === 'string')
  const all = [...textsIn(row)].map(([text]) => words(text)).join('|')
  return sent.every((it) => /^(\d*|true|false)$/.test(it) || all.includes(words(it)))
}

/** The rows in the lists of a reply, by their ids. */
export const rowsById = (reply: Json | undefined): Map<string, JsonObject> =>
  new Map(
    itemsIn(reply).flatMap((row) => {
      const name = Object.keys(row).find((it) => /^id$|_id$/.test(it))
      return name === undefined ? [] : [[`${row[name]}`.toLowerCase(), row]]
    })
  )

/** Parameters of a call that name a field of rows, such as `status` and `status_filters`, and ask for values that rows have. */
export class Filters {
  private readonly conditions: [field: string, values: string[], isText: boolean][] = []
  /** Whether these are all of its conditions. */
  readonly areAll: boolean

  constructor({ query, body }: Call, rows: readonly JsonObject[] = []) {
    let areAll = true
    for (const [name, it] of Object.entries({ ...Object.fromEntries(query), ...body })) {
      const values = [it].flat().filter((value) => value !== null && value !== '' && typeof value !== 'boolean')
      if (values.length === 0 || isOfPages.test(name)) continue
      const field = name.replace(/_?filters?$/i, '')
      const isMatched = rows.some((row) => values.some((value) => isSure(row[field], value, !Array.isArray(it))))
      if (isMatched) this.conditions.push([field, values as string[], !Array.isArray(it)])
      else areAll = false
    }
    this.areAll = areAll
  }

  /** Whether no reading of its parameters lets a row pass. */
  exclude(row: JsonObject): boolean {
    const all = [...textsIn(row)].map(([text]) => text.toLowerCase())
    return this.conditions.some(([field, values, isText]) => {
      const passing = isText ? all : [row[field]]
      const isIn = (value: string) => passing.some((it) => String(it).toLowerCase().includes(value.toLowerCase()))
      return typeof row[field] === 'string' && !values.some(isIn)
    })
  }

  /** Whether each reading lets a row pass. */
  include(row: JsonObject): boolean {
    return this.conditions.every(([field, values, isText]) => values.some((it) => isSure(row[field], it, isText)))
  }
}

/** Whether a value is what is asked for, or has it as whole words. */
const isSure = (value: Json | undefined, target: Json, isText: boolean) =>
  typeof value === 'string' &&
  typeof target === 'string' &&
  (isText ? value.includes(target) && words(value).includes(words(target)) : value === target)

const words = (text: string) => ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
