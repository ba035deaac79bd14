import type { Contract, Operation } from './contract.js'
import { refusalsOf, statusesOf } from './outcomes.js'

/** A response as it came; `body` undefined: none. */
export interface Received {
  status: number
  /** The Content-Type, where it is known. */
  type: string | undefined
  body: unknown
}

/** What breaks the contract of an operation in a response, each as one sentence: status, media type, body. */
export function breaches(contract: Contract, operation: Operation, { status, type, body }: Received): string[] {
  const known = statusesOf(contract, operation)
  if (!known.has(status)) {
    return [`status ${status} is none of its statuses: ${[...known].sort((a, b) => a - b).join(', ')}`]
  }
  if (body !== undefined && type !== undefined && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    return [`Content-Type ${type} is not application/json`]
  }
  if (operation.responses[status]) return contract.checkReply(operation, status, body, new Set())
  const found = errorForms(contract, operation, status).map((name) => contract.checkDefinition(name, body))
  return found.some((problems) => problems.length === 0) ? [] : (found[0] as string[])
}

/** The definitions that the body of an error of this status may have. */
function errorForms(contract: Contract, operation: Operation, status: number): string[] {
  if (status === 422) return ['common.json#/$defs/ValidationError']
  const rows = Object.values(refusalsOf(contract, operation)).filter((row) => row.status === status)
  return rows.map(({ body }) => ('message' in body ? 'common.json#/$defs/Message' : 'common.json#/$defs/Detail'))
}
