import { directions, sizes, sorts } from '../../engine/answers/page.js'
import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { type Call, textsIn } from '../record/traffic.js'

/** What is in a value, each with the names that lead to it. */
function* leavesIn(value: Json | undefined, path = ''): Iterable<[path: string, value: Json]> {
  if (typeof value !== 'object' || value === null) yield [path, value ?? null]
  else for (const [name, it] of Object.entries(value)) yield* leavesIn(it, `${path}.${name}`)
}

/** Parameters that choose a page. */
export const isPlace = /page(?!_?size)|offset|skip|cursor/i

const isOfPages = /page|offset|skip|cursor|size|limit/i

/** Whether a reply has all rows that a call asks for, and not one page of them. */
export function isAll({ query, body }: Call, reply: Json | undefined): boolean {
  const sent = [...leavesIn({ ...Object.fromEntries(query), ...body })]
  if (sent.some(([path, it]) => isPlace.test(path) && !['0', '1', 'null', ''].includes(String(it)))) return false
  const rows = [...rowsIn(reply)].length
  return [...leavesIn(reply)].every(([path, it]) => {
    const name = path.slice(path.lastIndexOf('.') + 1)
    if (/^(has_?)?more$/i.test(name)) return it !== true
    if (/^next/i.test(name)) return it === null || it === '' || it === 0
    if (/^total_?pages$/i.test(name)) return (it as number) <= 1
    return !/^(total|count|\w+Count)$/.test(name) || (it as number) <= rows
  })
}

/** Whether a reply shows the order of rows: it is no page, and neither the call nor the document says how it is sorted. */
export function showsOrder(call: Call): boolean {
  const { query, operation, reply } = call
  const isSorted = [...sorts, ...directions].some((it) => query.has(it) || Object.hasOwn(operation.defaults ?? {}, it))
  const most = Math.min(...sizes.flatMap((it) => (query.has(it) ? Number(query.get(it)) : [])))
  return !isSorted && isAll(call, reply) && [...rowsIn(reply)].length < most
}

/** The objects in the lists of a reply. */
export function* rowsIn(value: Json | undefined): Iterable<JsonObject> {
  if (Array.isArray(value)) yield* value.filter(isObject)
  if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) yield* rowsIn(it)
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
    [...rowsIn(reply)].flatMap((row) => {
      const name = Object.keys(row).find((it) => /^id$|_id$/.test(it))
      return name === undefined ? [] : [[`${row[name]}`.toLowerCase(), row]]
    })
  )

/** Parameters of a call that name a field of rows, such as `status` and `status_filters`, and ask for values that rows have. */
export class Filters {
  private readonly wanted: [field: string, values: string[], isText: boolean][] = []
  /** Whether these are all of its conditions. */
  readonly areAll: boolean

  constructor({ query, body }: Call, rows: readonly JsonObject[] = []) {
    let areAll = true
    for (const [name, it] of Object.entries({ ...Object.fromEntries(query), ...body })) {
      const values = [it].flat().filter((value) => value !== null && value !== '' && typeof value !== 'boolean')
      if (values.length === 0 || isOfPages.test(name)) continue
      const field = name.replace(/_?filters?$/i, '')
      const isMatched = rows.some((row) => values.some((value) => isSure(row[field], value, !Array.isArray(it))))
      if (isMatched) this.wanted.push([field, values as string[], !Array.isArray(it)])
      else areAll = false
    }
    this.areAll = areAll
  }

  /** Whether no reading of its parameters lets a row pass. */
  exclude(row: JsonObject): boolean {
    const all = [...textsIn(row)].map(([text]) => text.toLowerCase())
    return this.wanted.some(([field, values, isText]) => {
      const passing = isText ? all : [row[field]]
      const isIn = (value: string) => passing.some((it) => String(it).toLowerCase().includes(value.toLowerCase()))
      return typeof row[field] === 'string' && !values.some(isIn)
    })
  }

  /** Whether each reading lets a row pass. */
  include(row: JsonObject): boolean {
    return this.wanted.every(([field, values, isText]) => values.some((it) => isSure(row[field], it, isText)))
  }
}

/** Whether a value is what is asked for, or has it as whole words. */
const isSure = (value: Json | undefined, wanted: Json, isText: boolean) =>
  typeof value === 'string' &&
  typeof wanted === 'string' &&
  (isText ? value.includes(wanted) && words(value).includes(words(wanted)) : value === wanted)

const words = (text: string) => ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
