import { isObject, type Json, type JsonObject } from '../../contract/load.js'
import { asText } from '../../contract/text.js'

export type Results = Record<string, unknown>

/** `{file}`, `{file.id}`, `{files.rows.0.id}` */
const reference = /\{([A-Za-z_][\w-]*)((?:\.[\w-]+)*)\}/g

/** Characters that references may add to one step. A result that repeats others could double with each step. */
const mostAdded = 16 * 1024 ** 2

/**
 * Replaces `{name.field}` in a value by the results of earlier steps. If the whole text is one reference, the result
 * keeps its type; within a longer text it becomes text. Throws an Error that names the missing field.
 */
export function withResults<T>(value: T, results: Results): T {
  const texts = new Map<string, string>()
  let room = mostAdded
  const added = (match: RegExpMatchArray): string => {
    const text = texts.get(match[0]) ?? asText(resultAt(match, results))
    texts.set(match[0], text)
    room -= text.length
    if (room < 0) throw new Error(`${match[0]}: the references of this step add more than ${mostAdded} characters.`)
    return text
  }
  return replaced(value as Json) as T

  function replaced(value: Json): Json {
    if (Array.isArray(value)) return value.map(replaced)
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item)]))
    if (typeof value !== 'string') return value
    const [whole] = value.matchAll(reference)
    if (whole && whole[0] === value && isKnown(whole, results)) {
      added(whole)
      return resultAt(whole, results) as Json
    }
    return value.replace(reference, (...match) => {
      const it = match as unknown as RegExpMatchArray
      return isKnown(it, results) ? added(it) : it[0]
    })
  }
}

function isKnown([, name]: RegExpMatchArray, results: Results): boolean {
  return Object.hasOwn(results, name as string)
}

function resultAt([text, name, fields]: RegExpMatchArray, results: Results): unknown {
  let value = results[name as string]
  for (const field of (fields as string).split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) {
      const has = typeof value === 'object' && value !== null ? ` It has: ${Object.keys(value).join(', ')}.` : ''
      throw new Error(`${text}: the result has no ${field}.${has}`)
    }
    value = (value as JsonObject)[field]
  }
  return value
}

/** The names in references with a field: `file` in `{file.id}`. */
export function namesIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return [...value.matchAll(reference)].flatMap(([, name, fields]) => (fields === '' ? [] : [name as string]))
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(namesIn) : []
}
