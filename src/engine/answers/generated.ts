import { isObject, type Json, type JsonObject } from '../contract/load.js'
import type { Operation } from '../contract/model.js'
import { responseOf } from '../contract/outcomes.js'
import type { RuleInput } from './rule.js'

/**
 * The status of an operation's usual answer: the document's first success. An empty answer uses the first success
 * without a body.
 */
export function statusOf(operation: Operation, isEmpty = false): number {
  const statuses = Object.keys(operation.responses)
    .filter((it) => /^\d+$/.test(it))
    .map(Number)
    // A 1xx status is not a final answer.
    .filter((it) => it >= 200)
  const good = statuses.filter((it) => it >= 200 && it < 300).sort((a, b) => a - b)
  const empty = isEmpty ? good.find((it) => !responseOf(operation, it)?.schema) : undefined
  return empty ?? good[0] ?? (responseOf(operation, 200) ? 200 : (statuses[0] ?? 200))
}

/**
 * A generated answer with fields from the request's body and the id from its path. Fields are only taken if the result passes
 * `holds`. If the answer is one of several kinds (`isUnion`), fields of two kinds do not mix: the body is the answer.
 */
export function echoed(
  value: Json,
  { path, body }: RuleInput,
  isUnion: boolean,
  holds: (value: Json) => boolean
): Json {
  if (!isObject(value)) return value
  if (isUnion && isObject(body) && holds(body)) return body
  const wanted: JsonObject = isObject(body) ? { ...body } : {}
  for (const [name, given] of Object.entries(path)) {
    const field = [name, name.replace(/^.*_?id$/i, 'id')].find((it) => Object.hasOwn(value, it))
    if (field !== undefined) wanted[field] = given as Json
  }
  let result = value
  for (const [name, given] of Object.entries(wanted)) {
    if (!Object.hasOwn(value, name)) continue
    const next = { ...result, [name]: given }
    if (holds(next)) result = next
  }
  return result
}
