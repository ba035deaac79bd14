import type { Operation } from '../../../src/engine/contract/model.js'
import { type Mutation, mutationsOf } from '../../../src/tools/verify/phases/negative.js'
import type { Generator } from '../case.js'
import { contract, ledger } from '../contract.js'
import { json, message } from '../message.js'
import { changed, request } from './operations.js'

/**
 * The stream of events does not end; connections that are broken off read it. Agents have their own protocol, and a
 * verification asks other servers.
 */
const operations = [...contract.control.values()].filter(
  ({ stream, agents, id }) => !stream && !agents && id !== 'verifyServer'
)
const wrong = new Map<string, Mutation[]>()

/** A control call: as it is, wrong in one known way, or changed by chance. */
export const callControl: Generator = (random, sandbox) => {
  const operation = random.pick(operations)
  if (random.chance(0.4)) {
    const mutations =
      wrong.get(operation.id) ?? [...mutationsOf(contract, operation)].filter((it) => isRefused(operation, it))
    wrong.set(operation.id, mutations)
    if (mutations.length > 0) return { isWrong: true, ...request(operation, random.pick(mutations), sandbox) }
  }
  if (random.chance(0.1)) {
    const entry = random.pick(ledger)
    const choices = { [entry.id]: random.pick(Object.keys(entry.choices)) }
    const body = JSON.stringify(random.chance(0.8) ? choices : { [`${entry.id}x`]: 'x' })
    return {
      isWrong: false,
      isControl: true,
      method: 'PATCH',
      bytes: message('PATCH', '/__mock/assumptions', sandbox, { headers: json, body })
    }
  }
  const example = random.pick(Object.values(operation.examples))
  const input = random.chance(0.3) ? example : changed(random, operation, example)
  return { isWrong: false, isControl: true, ...request(operation, input, sandbox) }
}

/** A control call may leave out its body, and a field may take several types. */
function isRefused(operation: Operation, { path, query, body }: Mutation): boolean {
  const { problems } = contract.checkInput(
    operation,
    { path: texts(path), query: texts(query), body: body ?? {} },
    'strict',
    new Set()
  )
  return problems.length > 0
}

function texts(given: object): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
}
