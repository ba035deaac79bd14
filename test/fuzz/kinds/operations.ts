import type { Json, JsonObject } from '../../../src/engine/contract/load.js'
import type { Operation } from '../../../src/engine/contract/model.js'
import { type Mutation, mutationsOf } from '../../../src/tools/verify/phases/negative.js'
import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { contract } from '../contract.js'
import { form } from '../form.js'
import { type Headers, json, message } from '../message.js'
import { mutated, text, wellFormed } from '../values.js'

const operations = [...contract.operations.values()]
/** Every certain mistake, by operation. */
const wrong = new Map<string, Mutation[]>()

/** An example of an operation: as it is, wrong in one known way, or changed by chance. */
export const callOperation: Generator = (random, sandbox) => {
  const operation = random.pick(operations)
  if (random.chance(0.4)) {
    const mutations = wrongOf(operation)
    if (mutations.length > 0) return { isWrong: true, ...request(operation, random.pick(mutations), sandbox) }
  }
  const example = random.pick(Object.values(operation.examples))
  const as = random.pick(['admin', 'curator', 'basic'])
  const input = random.chance(0.2) ? example : changed(random, operation, example)
  return { isWrong: false, ...request(operation, input, sandbox, as) }
}

function wrongOf(operation: Operation): Mutation[] {
  const known = wrong.get(operation.id)
  if (known) return known
  const made = [...mutationsOf(contract, operation)]
  wrong.set(operation.id, made)
  return made
}

export interface Input {
  path?: JsonObject
  query?: JsonObject
  body?: Json | undefined
}

export function changed(random: Random, operation: Operation, { path = {}, query = {}, body }: Input): Input {
  const part = random.pick(['path', 'query', 'body', 'body', 'body'])
  if (part === 'body' && operation.input.body) return { path, query, body: mutated(random, body) }
  const given = part === 'path' ? { ...path } : { ...query }
  const known = Object.keys((operation.input[part === 'path' ? 'path' : 'query']?.properties ?? {}) as JsonObject)
  const name = known.length > 0 && random.chance(0.8) ? random.pick(known) : text(random)
  if (part === 'path') return { path: { ...given, [name]: text(random) }, query, body }
  return { path, query: Object.fromEntries([...Object.entries(given), [name, text(random)]]), body }
}

/** The message of a request; a lone surrogate has no place in an address. */
export function request(operation: Operation, { path = {}, query = {}, body }: Input, sandbox: string, as = 'admin') {
  const inAddress = (item: unknown) => encodeURIComponent(wellFormed(String(item))).slice(0, 3000)
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => inAddress(path[name]))
  const search = Object.entries(query).map(([name, item]) => `${inAddress(name)}=${inAddress(item)}`)
  const target = search.length > 0 ? `${filled}?${search.join('&')}` : filled
  let headers: Headers = json
  let bytes: Buffer | string | undefined
  if (operation.form) {
    const made = form((typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}) as JsonObject)
    headers = [['Content-Type', made.type]]
    bytes = made.body
  } else if (body !== undefined) bytes = JSON.stringify(body)
  return { method: operation.method, bytes: message(operation.method, target, sandbox, { headers, body: bytes, as }) }
}
