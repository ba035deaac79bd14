import type { IncomingHttpHeaders } from 'node:http'
import type { Contract } from '../../engine/contract/contract.js'
import type { Operation } from '../../engine/contract/model.js'
import { largest } from '../../engine/serve/body/copy.js'
import { brokenIn, brokenReply } from '../answer.js'
import { jsonOf, textOf, tooLarge } from '../encoded.js'
import type { Readings } from '../verify/learn/readings.js'
import type { RequestMistake } from './check-request.js'

/** An answer of the service, decoded. */
export interface ServiceAnswer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/**
 * What breaks the contract in an answer, one sentence each. The contract is that of the platform, for which an answer is right
 * if any choice of the ledger allows it, or the user's own document. `asked` lists the errors of the request.
 */
export function judge(
  contract: Contract,
  readings: Readings,
  operation: Operation,
  answer: ServiceAnswer,
  asked: readonly RequestMistake[]
): string[] {
  const wrong = asked.find((it) => isUnanswered(it, answer.status))
  const unanswered = wrong ? [`status ${answer.status} in place of 422, for ${wrong.text}`] : []
  const broken = operation.origin
    ? brokenByDocument(contract, operation, answer)
    : brokenBy(readings, operation.id, answer)
  return [...unanswered, ...broken].map((problem) => `response: ${problem}`)
}

function brokenBy(readings: Readings, id: string, answer: ServiceAnswer): string[] {
  const { status } = answer
  return inText(answer, (text, type) => {
    return brokenReply(readings, id, {
      status,
      type: text === '' ? undefined : type,
      body: text === '' ? {} : jsonOf(text)
    })
  })
}

function brokenByDocument(contract: Contract, operation: Operation, answer: ServiceAnswer): string[] {
  return inText(answer, (text, type) => {
    const broken = brokenIn(contract, operation, { status: answer.status, type, text })
    return broken ? [broken.text] : []
  })
}

/** Judges the text of an answer, unless it is too large to be read. */
function inText({ headers, bytes }: ServiceAnswer, judged: (text: string, type: string) => string[]): string[] {
  const encoding = headers['content-encoding']
  const text = textOf(encoding, bytes, largest)
  if (text === tooLarge) return []
  return text === undefined ? [`its ${encoding} encoding cannot be read`] : judged(text, headers['content-type'] ?? '')
}

/**
 * Whether a status does not answer the request's error (7.1). A server may check the path and the role before the body.
 * But an invalid id is not a missing row.
 */
function isUnanswered({ part }: RequestMistake, status: number): boolean {
  if (part === undefined) return false
  return status < 300 || (part === 'path' && (status === 400 || status === 404))
}
