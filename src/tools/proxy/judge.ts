import type { IncomingHttpHeaders } from 'node:http'
import type { Contract } from '../../engine/contract/contract.js'
import type { Operation } from '../../engine/contract/model.js'
import { brokenIn, brokenReply } from '../answer.js'
import { jsonOf, type textOf, tooLarge } from '../encoded.js'
import type { Readings } from '../verify/learn/readings.js'
import type { RequestMistake } from './check-request.js'

/** An answer of the service. The text is that of its body, decoded as by `textOf`. */
export interface ServiceAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: ReturnType<typeof textOf>
}

/**
 * What breaks the contract in an answer, one sentence each. The contract is that of the platform, for which an answer is right
 * if any choice of the ledger allows it, or the user's own document. `mistakes` lists the errors of the request.
 */
export function judge(
  contract: Contract,
  readings: Readings,
  operation: Operation,
  { status, headers, text }: ServiceAnswer,
  mistakes: readonly RequestMistake[]
): string[] {
  const wrong = mistakes.find((it) => isUnanswered(it, status))
  const unanswered = wrong ? [`status ${status} in place of 422, for ${wrong.text}`] : []
  const broken = () => {
    const type = headers['content-type'] ?? ''
    if (text === tooLarge) return []
    if (text === undefined) return [`its ${headers['content-encoding']} encoding cannot be read`]
    if (operation.origin) return brokenIn(contract, operation, { status, type, text })?.text ?? []
    const body = text === '' ? { type: undefined, body: {} } : { type, body: jsonOf(text) }
    return brokenReply(readings, operation.id, { status, ...body })
  }
  return [...unanswered, broken()].flat().map((problem) => `response: ${problem}`)
}

/**
 * Whether a status does not answer the request's error (7.1). A server may check the path and the role before the body.
 * But an invalid id is not a missing row.
 */
function isUnanswered({ part }: RequestMistake, status: number): boolean {
  if (part === undefined) return false
  return status < 300 || (part === 'path' && (status === 400 || status === 404))
}
