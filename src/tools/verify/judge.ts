import { isObject } from '../../engine/contract/load.js'
import { isJsonType } from '../../engine/contract/message/media.js'
import type { Exchange } from './calls/client.js'
import { isOverload } from './calls/patience.js'
import type { Check } from './checks.js'
import type { Run } from './run.js'

/** The texts for the verdict on an exchange. */
export interface CheckedCase {
  title: string
  /** The commands of earlier requests. */
  before?: string[]
}

/** Records that a check of an exchange passed, or a finding. Returns whether it passed. */
export function verdict(
  run: Run,
  exchange: Exchange,
  check: Check,
  holds: boolean,
  expected: string,
  { title, before = [], got }: CheckedCase & { got?: string }
): boolean {
  const operation = exchange.call.operation.id
  const isDoubtful = isOverload(exchange.reply.status)
  if (holds) {
    run.results.held(operation, check, isDoubtful)
    return true
  }
  const curl = run.redaction.text(exchange.curl)
  const shown = got === undefined ? run.redaction.reply(exchange.reply) : run.redaction.cut(got) || 'nothing'
  const sequence = [...before.map((it) => run.redaction.text(it)), curl]
  run.results.broken({ operation, check, title, expected, got: shown, curl, sequence }, isDoubtful)
  return false
}

/** Checks the requirements for every reply: status, media type, body. `reason` names an allowed error. */
export function conforms(run: Run, exchange: Exchange, about: CheckedCase, reason?: string): boolean {
  const { call, reply } = exchange
  const { id, waits } = call.operation
  const allowed = reason === undefined ? undefined : run.readings.refusalStatuses(id, reason).get(reply.status)
  const isError = reply.status >= 500 && allowed === undefined
  if (isError && waits && gateway.has(reply.status)) {
    run.results.couldNot(id, about.title, `the server could not fetch a page (${reply.status})`)
    return false
  }
  if (!verdict(run, exchange, 'not_a_server_error', !isError, 'a status below 500', about)) return false
  if (reply.status === 422) return conformsInvalid(run, exchange, about)
  if (reply.status >= 400) return true
  const statuses = run.readings.statuses(id)
  const expectedStatus = `the status ${[...statuses].join(' or ')}`
  if (!verdict(run, exchange, 'status_code_conformance', statuses.has(reply.status), expectedStatus, about))
    return false
  if (reply.text !== '' && !conformsType(run, exchange, about)) return false
  const read = run.readings.reply(id, reply.status, reply.text === '' ? undefined : exchange.judged)
  const isJson = reply.text === '' || reply.body !== undefined
  if ('choices' in read) run.answers.learn(read.choices, `${id} ${reply.status}`, exchange.curl)
  const expected = isJson && 'problems' in read ? `the shape of the contract, but: ${told(read.problems)}` : 'JSON'
  return verdict(run, exchange, 'response_schema_conformance', isJson && 'choices' in read, expected, about)
}

/** Statuses of a server that got no valid answer from another one. */
const gateway = new Set([502, 503, 504])

function told(problems: string[]): string {
  return [...new Set(problems)].slice(0, 5).join('; ')
}

function conformsType(run: Run, exchange: Exchange, about: CheckedCase): boolean {
  const type = exchange.reply.headers['content-type'] ?? ''
  const isJson = isJsonType(type)
  return verdict(run, exchange, 'content_type_conformance', isJson, 'application/json', about)
}

/**
 * The body of a ValidationError (2.16). In chat each item has input and ctx, unless the server is known to leave them
 * out.
 */
function conformsInvalid(run: Run, exchange: Exchange, about: CheckedCase): boolean {
  if (!conformsType(run, exchange, about)) return false
  const { operation } = exchange.call
  const { body } = exchange.reply
  // All answers must have the form of the first one.
  run.answers.add('errors.validation-body', isObject(body) && 'status_code' in body ? 'message' : 'detail', 'a 422')
  const isKnown = run.answers.get('errors.input-and-ctx') !== undefined
  const problems = run.readings.invalid(operation.id, body, isKnown)
  const carried = operation.chat ? 'loc, msg, type, input, ctx' : 'loc, msg, type'
  const expected = `a ValidationError: {detail: [{${carried}}]}, loc a list of texts and integers, but: ${problems.slice(0, 5).join('; ')}`
  return verdict(run, exchange, 'response_schema_conformance', problems.length === 0, expected, about)
}

/** Whether a reply that is not judged here can be read: a success in the format of the contract. */
export function isReadable(run: Run, { call, reply }: Exchange): boolean {
  return reply.status < 300 && 'choices' in run.readings.reply(call.operation.id, reply.status, reply.body)
}
