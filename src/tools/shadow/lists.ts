import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { type Call, textsIn } from '../record/traffic.js'

/** What is in a value, each with the names that lead to it. */
function* leavesIn(value: Json | undefined, path = ''): Iterable<[path: string, value: Json]> {
  if (typeof value !== 'object' || value === null) yield [path, value ?? null]
  else for (const [name, it] of Object.entries(value)) yield* leavesIn(it, `${path}.${name}`)
}

const isPlace = /page(?!_?size)|offset|skip|cursor/i

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

/** The objects in the lists of a reply. */
function* rowsIn(value: Json | undefined): Iterable<JsonObject> {
  if (Array.isArray(value)) yield* value.filter(isObject)
  if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) yield* rowsIn(it)
}

/** Whether a call asks for rows of some kind only. */
export const isFiltered = ({ query, body }: Call) =>
  [...leavesIn({ ...Object.fromEntries(query), ...body })].some(
    ([path, it]) => typeof it === 'string' && !isPlace.test(path) && !/^(\d*|true|false)$/.test(it)
  )

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

/** Parameters of a call that name a field of rows, such as `status` and `status_filters`, with what they ask for. */
export class Filters {
  private readonly wanted = new Map<string, string | string[]>()
  /** Whether these are all of its conditions. */
  readonly areAll: boolean

  constructor({ query, body }: Call, rows: Iterable<JsonObject>) {
    const fields = new Set([...rows].flatMap((it) => Object.keys(it)))
    let areAll = true
    for (const [name, it] of Object.entries({ ...Object.fromEntries(query), ...body })) {
      const field = name.replace(/_?filters?$/i, '')
      if ([it].flat().length === 0 || typeof it === 'boolean' || it === '' || it === null || isPlace.test(name))
        continue
      if (fields.has(field) && [it].flat().every((value) => typeof value === 'string'))
        this.wanted.set(field, it as string | string[])
      else areAll = false
    }
    this.areAll = areAll
  }

  /** Whether no reading of its parameters lets a row pass. */
  exclude(row: JsonObject): boolean {
    const all = [...textsIn(row)].map(([text]) => text.toLowerCase())
    const isOut = ([field, it]: [string, string | string[]]) =>
      Array.isArray(it)
        ? typeof row[field] === 'string' && !it.includes(row[field])
        : !all.some((text) => text.includes(it.toLowerCase()))
    return [...this.wanted].some(isOut)
  }

  /** Whether each reading lets a row pass: texts are there as whole words. */
  include(row: JsonObject): boolean {
    return [...this.wanted].every(([field, it]) => {
      const value = row[field]
      if (typeof value !== 'string') return false
      return Array.isArray(it) ? it.includes(value) : words(value).includes(words(it))
    })
  }
}

const words = (text: string) => ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `

/** Another way to read a parameter whose name and meaning the contract leaves open. */
export interface Reading {
  name: string
  as: string
  target: string
}

/** `count`: how many rows the service shows. */
export function* readingsOf({ operation, query }: Call, target: string, count: number): Iterable<Reading> {
  const [path] = target.split('?')
  for (const [name, schema] of Object.entries((operation.input.query?.properties ?? {}) as JsonObject)) {
    if (!isObject(schema) || !schema['x-assumed']) continue
    const reading = (as: string, value?: number): Reading => {
      const changed = new URLSearchParams(query)
      if (value === undefined) changed.delete(name)
      else changed.set(name, `${value}`)
      return { name, as, target: `${path}?${changed}` }
    }
    const sent = query.get(name)
    const isNumber = schema.type === 'integer'
    if (sent !== null) yield reading('not heeded')
    if (sent !== null && isNumber && isPlace.test(name)) yield reading('counted from 0', Number(sent) + 1)
    if (sent !== null || !isNumber || isPlace.test(name)) continue
    for (const it of [count, schema.maximum]) if (it) yield reading('another default', it as number)
  }
}

export const countRows = (reply: Json | undefined) => [...rowsIn(reply)].filter((it) => 'id' in it).length
