import type { Contract } from '../contract.js'
import { isJsonType } from '../json.js'
import { isOfMedia } from '../message/media.js'
import type { Operation } from '../model.js'
import { responseOf, statusesOf } from '../outcomes.js'

/** A received response. `body` is undefined if there is none. */
export interface ReceivedResponse {
  status: number
  /** The Content-Type, if known. */
  type: string | undefined
  body: unknown
}

/** What breaks the contract in a response, one sentence each: status, media type, body. */
export function breaches(contract: Contract, operation: Operation, { status, type, body }: ReceivedResponse): string[] {
  const statuses = statusesOf(contract, operation)
  if (!statuses.has(status) && !responseOf(operation, status)) {
    return [`status ${status} is not documented. Documented: ${[...statuses].sort((a, b) => a - b).join(', ')}`]
  }
  const { media } = responseOf(operation, status) ?? {}
  if (body !== undefined && type !== undefined && (media === undefined ? !isJsonType(type) : !isOfMedia(type, media))) {
    return [`Content-Type ${type} is not ${media ?? 'application/json'}`]
  }
  return contract.checkReply(operation, status, body, new Set())
}
