import type { Contract, Operation } from '../contract.js'
import { isJsonType } from '../media.js'
import { statusesOf } from '../outcomes.js'

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
  if (body !== undefined && type !== undefined && !isJsonType(type)) {
    return [`Content-Type ${type} is not application/json`]
  }
  return contract.checkReply(operation, status, body, new Set())
}
