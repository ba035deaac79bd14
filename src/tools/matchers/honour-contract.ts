import { type Contract, createContract } from '../../engine/contract/contract.js'
import { choose, defaultChoices, type Profile, pairsOf, readLedger } from '../../engine/contract/ledger.js'
import { isObject, type Json, readDocuments, schemaOf } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import { inMap, once } from '../../engine/contract/once.js'
import { statusesOf } from '../../engine/contract/outcomes.js'
import { breaches } from '../../engine/contract/validation/conformance.js'
import { brokenReply } from '../answer.js'
import { Readings } from '../verify/learn/readings.js'
import { type MatcherResult, readResponse, type TestedResponse } from './response.js'

/** The contract that a response is checked against. */
export interface ContractOptions {
  /** The operation's id, such as `getPersona`. Default: found by method and path. */
  operation?: string
  /** Without one, and without choices, a response may honour any choice of the ledger. */
  profile?: Profile
  /** Choices by ledger id, or as `id=choice`. */
  assume?: Record<string, string> | readonly string[]
  /** The folder of the contracts. Default: the package's own. */
  contracts?: string
}

/** Whether a response honours the contract of its operation. Returns a promise for a response of fetch. */
export function toHonourContract(
  response: unknown,
  about: string | ContractOptions = {}
): MatcherResult | Promise<MatcherResult> {
  const options = typeof about === 'string' ? { operation: about } : about
  const answered = readResponse(response)
  return answered instanceof Promise ? answered.then((it) => judge(it, options)) : judge(answered, options)
}

function judge(answered: TestedResponse, options: ContractOptions): MatcherResult {
  const contract = contractOf(options)
  const operation = operationOf(contract, answered, options.operation)
  const { id, code, method, path } = operation
  const hasChoices = [options.profile, options.assume, options.contracts].some((it) => it !== undefined)
  const problems = hasChoices
    ? breaches(contract, operation, answered)
    : brokenReply(readings(), id, { ...answered, body: { value: answered.body } })
  const pass = problems.length === 0
  const text = JSON.stringify(answered.body) ?? 'none'
  const lines = [
    `The ${answered.status} of ${id} (${code}, ${method} ${path}) ${pass ? 'honours the contract.' : 'breaks the contract:'}`,
    ...problems.map((it) => `  ${withValues(contract, operation, answered, it)}`),
    ...(pass ? [] : [`Body: ${text.length > longest ? `${text.slice(0, longest)}…` : text}`])
  ]
  return { pass, message: () => lines.join('\n') }
}

const readings = once(() => {
  const ledger = readLedger()
  return new Readings(ledger, defaultChoices(ledger, 'documented'))
})

/** The most characters of a body in a message. */
const longest = 500

const noValue = 'must be equal to one of the allowed values'

/** A problem with the allowed values, if it is about those of a field. */
function withValues({ documents }: Contract, { responses }: Operation, { status }: TestedResponse, problem: string) {
  if (!problem.endsWith(noValue)) return problem
  const [path = ''] = problem.split(' ')
  const values = new Set<Json>()
  const look = (schema: Json | undefined, [step, ...deeper]: string[]): void => {
    if (!isObject(schema)) return
    const { enum: listed = [], anyOf = [], allOf = [], properties, items } = schemaOf(documents, schema)
    for (const part of [...(anyOf as Json[]), ...(allOf as Json[])])
      look(part, step === undefined ? [] : [step, ...deeper])
    if (step === undefined) for (const value of listed as Json[]) values.add(value)
    else look(isObject(properties) && step in properties ? properties[step] : items, deeper)
  }
  look(responses[status]?.schema, path.split('/').slice(1))
  return values.size === 0 ? problem : `${problem}: ${[...values].map((it) => JSON.stringify(it)).join(', ')}`
}

function operationOf(contract: Contract, answered: TestedResponse, operationId: string | undefined) {
  const { method, path, status } = answered
  const operations = [...contract.operations.values()]
  if (operationId !== undefined) {
    const operation = contract.operations.get(operationId)
    if (operation) return operation
    throw new Error(`There is no operation "${operationId}". Known: ${operations.map(({ id }) => id).join(', ')}.`)
  }
  if (path === undefined) throw new Error(`The response does not contain its request's address: ${nameIt}`)
  const methods = method === undefined ? new Set(operations.map((it) => it.method)) : [method]
  const met = [...methods].flatMap((it) => {
    const match = contract.match(it, path)
    return match.kind === 'operation' ? [match.operation] : []
  })
  const [first, ...others] = met.length > 1 ? met.filter((it) => statusesOf(contract, it).has(status)) : met
  if (first && others.length === 0) return first
  const honoured = met.find((it) => breaches(contract, it, answered).length === 0)
  if (honoured) return honoured
  if (met.length === 0) throw new Error(`No operation matches ${method ?? 'any method'} ${path}: ${nameIt}`)
  throw new Error(
    `${path} has ${met.map(({ id }) => id).join(' and ')}, and the response does not contain its method: ${nameIt}`
  )
}

const nameIt = "name the operation, as in toHonourContract('getPersona')."

const contracts = new Map<string, Contract>()

/** Tests use the same few contracts again and again. */
function contractOf({ profile = 'documented', assume = {}, contracts: folder }: ContractOptions): Contract {
  return inMap(contracts, JSON.stringify([profile, assume, folder]), () =>
    createContract(readDocuments(folder), choose(readLedger(folder), profile, pairsOf(assume)))
  )
}
