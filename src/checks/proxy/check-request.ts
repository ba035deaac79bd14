import { isObject, type Json, type JsonObject } from '../../contract/load.js'
import { Refusal } from '../../contract/refusal.js'
import { checkInput, rawInput } from '../../serve/check.js'
import type { Found } from '../../serve/exchange.js'
import { readBody, readQuery } from '../../serve/read.js'
import type { Readings } from '../verify/learn/readings.js'

/** What is wrong with a request, in one sentence. */
export interface Wrong {
  /** Where: path, query or body; undefined where the body cannot be read at all. */
  part: string | undefined
  text: string
}

/** What breaks the contract in a request under every choice of the ledger. */
export async function checkRequest(exchange: Found, readings: Readings): Promise<Wrong[]> {
  const { operation } = exchange
  let value: unknown
  if (operation.input.body) {
    try {
      const body = await readBody(exchange)
      if (!('value' in body)) return [{ part: undefined, text: `the body is not JSON (${body.malformed.error})` }]
      value = body.value
    } catch (error) {
      // How much a service takes is its own affair.
      if (!(error instanceof Refusal) || ['too-large', 'uploads-full'].includes(error.reason)) return []
      return [{ part: undefined, text: String(error.values.detail ?? 'the body cannot be read') }]
    }
  }
  if (operation.own) {
    const { problems } = checkInput(exchange, rawInput(exchange, value), new Set())
    return problems.map(({ loc, msg }) => ({ part: String(loc[0]), text: `${loc.join('.')}: ${msg}` }))
  }
  const input = { path: exchange.params, query: readQuery(exchange.search), body: withoutFiles(value) }
  const read = readings.input(operation.id, input)
  if (read.some(({ locs }) => locs.length === 0)) return []
  // What one reading of the ledger finds and another does not is no fault: the kindest has the fewest.
  const problems = read
    .map((it) => it.problems)
    .reduce((a, b) => (b.length < a.length ? b : a), read[0]?.problems ?? [])
  return problems.map(({ loc, msg }) => ({ part: String(loc[0]), text: `${loc.join('.')}: ${msg}` }))
}

/** Uploaded files as the examples of the contracts write them. */
function withoutFiles(value: unknown): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutFiles(item) as Json)
  if (!isObject(value)) return value as Json | undefined
  if ('bytes' in value) return { 'x-file': {} }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutFiles(item)])) as JsonObject
}
