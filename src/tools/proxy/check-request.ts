import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { readQuery } from '../../engine/contract/message/query.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import type { InputError } from '../../engine/contract/model.js'
import { checkInput, rawInput } from '../../engine/serve/check.js'
import type { FoundExchange } from '../../engine/serve/exchange.js'
import { readBody } from '../../engine/serve/read.js'
import type { Readings } from '../verify/learn/readings.js'

/** One error in a request, as a sentence. */
export interface RequestMistake {
  /** The place: path, query or body. Undefined if the body cannot be read at all. */
  part: string | undefined
  text: string
}

/** What breaks the contract in a request, whatever the choices of the ledger are. */
export async function checkRequest(exchange: FoundExchange, readings: Readings): Promise<RequestMistake[]> {
  const { operation } = exchange
  let value: unknown
  if (operation.input.body) {
    try {
      const body = await readBody(exchange)
      if (!('value' in body)) return [{ part: undefined, text: `the body is not JSON (${body.malformed.error})` }]
      value = body.value
    } catch (error) {
      // The service decides how much it accepts.
      if (!(error instanceof Refusal) || ['too-large', 'uploads-full'].includes(error.reason)) return []
      return [{ part: undefined, text: String(error.values.detail ?? 'the body cannot be read') }]
    }
  }
  const sentences = (problems: readonly InputError[]) =>
    problems.map(({ loc, msg }) => ({ part: String(loc[0]), text: `${loc.join('.')}: ${msg}` }))
  if (operation.origin) return sentences(checkInput(exchange, rawInput(exchange, value), new Set()).problems)
  const input = { path: exchange.params, query: readQuery(exchange.search), body: withoutFiles(value) }
  const read = readings.input(operation.id, input)
  if (readings.isAnyRight(operation.id, read)) return []
  // An error under only some choices is not an error. The choices with the fewest errors are used.
  const [best] = read.map((it) => it.problems).sort((a, b) => a.length - b.length)
  return sentences(best ?? [])
}

/** Uploaded files in the form of the contracts' examples. */
function withoutFiles(value: unknown): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutFiles(item) as Json)
  if (!isObject(value)) return value as Json | undefined
  if ('bytes' in value) return { 'x-file': {} }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutFiles(item)])) as JsonObject
}
