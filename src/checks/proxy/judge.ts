import type { IncomingHttpHeaders } from 'node:http'
import type { Contract, Operation } from '../../contract/contract.js'
import type { Json } from '../../contract/load.js'
import { isJsonType } from '../../contract/message/media.js'
import { largest } from '../../serve/body/copy.js'
import { jsonOf, textOf, tooLarge } from '../encoded.js'
import { brokenIn } from '../own-answer.js'
import type { Readings } from '../verify/learn/readings.js'
import type { RequestMistake } from './check-request.js'

/** An answer of the service, decoded. */
export interface ServiceAnswer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/**
 * What breaks the contract in an answer, one sentence each. An answer that is right under any choice of the ledger is
 * right. `asked` lists the errors of the request.
 */
export function judge(
  readings: Readings,
  { id }: Operation,
  answer: ServiceAnswer,
  asked: readonly RequestMistake[]
): string[] {
  return [...unanswered(answer, asked), ...brokenBy(readings, id, answer)]
}

function brokenBy(readings: Readings, id: string, { status, headers, bytes }: ServiceAnswer): string[] {
  if (status >= 500) return isRefusal(readings, id, status) ? [] : [`response: status ${status} is a server error`]
  if (status >= 400 && status !== 422) return []
  if (status === 304 || (status >= 300 && status < 400)) return []
  const text = textOf(headers['content-encoding'], bytes, largest)
  if (text === tooLarge) return []
  if (text === undefined) return [`response: its ${headers['content-encoding']} encoding cannot be read`]
  const type = headers['content-type'] ?? ''
  if (text !== '' && !isJsonType(type)) {
    return [`response: Content-Type is "${type}", not application/json`]
  }
  const body = text === '' ? { value: undefined } : jsonOf(text)
  if (!body) return ['response: the body is not JSON']
  return [...new Set(problemsOf(readings, id, status, body.value))].map((problem) => `response: ${problem}`)
}

/** What breaks the user's own document in an answer. */
export function judgeOwn(
  contract: Contract,
  operation: Operation,
  answer: ServiceAnswer,
  asked: readonly RequestMistake[]
): string[] {
  const { status, headers, bytes } = answer
  const found = unanswered(answer, asked)
  const text = textOf(headers['content-encoding'], bytes, largest)
  if (text === tooLarge) return found
  if (text === undefined) return [...found, `response: its ${headers['content-encoding']} encoding cannot be read`]
  const broken = brokenIn(contract, operation, { status, type: headers['content-type'] ?? '', text })
  return broken ? [...found, `response: ${broken.text}`] : found
}

function problemsOf(readings: Readings, id: string, status: number, body: Json | undefined): string[] {
  if (status === 422) return readings.invalid(id, body, false)
  const read = readings.reply(id, status, body)
  return 'choices' in read ? [] : read.problems
}

/** The first error of the request that the status does not answer. */
function unanswered({ status }: ServiceAnswer, asked: readonly RequestMistake[]): string[] {
  const wrong = asked.find((it) => isUnanswered(it, status))
  return wrong ? [`response: status ${status} in place of 422, for ${wrong.text}`] : []
}

/**
 * Whether a status does not answer the request's error (7.1). A server may check the path and the role before the body.
 * But an invalid id is not a missing row.
 */
function isUnanswered({ part }: RequestMistake, status: number): boolean {
  if (part === undefined) return false
  return status < 300 || (part === 'path' && (status === 400 || status === 404))
}

function isRefusal(readings: Readings, id: string, status: number): boolean {
  const reasons = Object.keys(readings.operation(id).refusals)
  return reasons.some((reason) => readings.refusalStatuses(id, reason).has(status))
}
