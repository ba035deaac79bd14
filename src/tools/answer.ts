import type { Contract } from '../engine/contract/contract.js'
import { isJsonType } from '../engine/contract/json.js'
import { isJsonLines, isOfMedia } from '../engine/contract/message/media.js'
import type { Operation } from '../engine/contract/model.js'
import { responseOf } from '../engine/contract/outcomes.js'
import { jsonOf } from './encoded.js'
import type { Readings } from './verify/learn/readings.js'

/** A service's answer to a user's own operation. */
export interface ServiceReply {
  status: number
  /** The Content-Type. Empty: none. */
  type: string
  text: string
}

/** How an answer breaks the document. Errors need not be documented. */
export interface BrokenAnswer {
  check: 'not_a_server_error' | 'status_code_conformance' | 'content_type_conformance' | 'response_schema_conformance'
  text: string
}

export function brokenIn(contract: Contract, operation: Operation, answer: ServiceReply): BrokenAnswer | undefined {
  const { status, type, text } = answer
  const row = responseOf(operation, status)
  if (!row) {
    if (status >= 500) return { check: 'not_a_server_error', text: `status ${status} is a server error` }
    if (status >= 400 || status === 304) return undefined
    const statuses = Object.keys(operation.responses).join(', ')
    return { check: 'status_code_conformance', text: `status ${status} is not in the document, which has ${statuses}` }
  }
  // A response without described content may have any.
  if (!row.schema || operation.method === 'HEAD') return undefined
  const media = row.media ?? 'application/json'
  if (!(row.media === undefined ? isJsonType(type) : isOfMedia(type, row.media))) {
    return { check: 'content_type_conformance', text: `Content-Type is "${type}", not ${media}` }
  }
  const isLines = isJsonLines(type)
  if (row.media !== undefined && !isLines) return undefined
  const values = isLines ? text.split('\n').filter((it) => it.trim() !== '') : [text]
  const problems = values.flatMap((it, at) => {
    const body = it === '' ? { value: undefined } : jsonOf(it)
    const wrong = body ? contract.checkReply(operation, status, body.value, new Set()) : ['it is not JSON']
    return isLines ? wrong.map((problem) => `value ${at + 1}: ${problem}`) : wrong
  })
  if (problems.length === 0) return undefined
  return { check: 'response_schema_conformance', text: [...new Set(problems)].slice(0, 5).join('; ') }
}

/** A service's answer to an operation of the contract. `body` is undefined if it is not JSON. */
export interface ReadReply {
  status: number
  /** The Content-Type. Undefined: unknown, or there is no body. */
  type: string | undefined
  body: { value?: unknown } | undefined
}

/** How an answer breaks the contract under every choice of the ledger. Errors are those of the service, except a 422. */
export function brokenReply(readings: Readings, id: string, { status, type, body }: ReadReply): string[] {
  const reasons = Object.keys(readings.operation(id).refusals)
  const isRefusal = () => reasons.some((reason) => readings.refusalStatuses(id, reason).has(status))
  if (status >= 500) return isRefusal() ? [] : [`status ${status} is a server error`]
  if (status >= 300 && status !== 422) return []
  if (type !== undefined && !isJsonType(type)) return [`Content-Type is "${type}", not application/json`]
  if (!body) return ['the body is not JSON']
  if (status === 422) return [...new Set(readings.invalid(id, body.value, false))]
  const read = readings.reply(id, status, body.value)
  return 'choices' in read ? [] : [...new Set(read.problems)]
}
