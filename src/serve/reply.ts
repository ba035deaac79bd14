import type { RefusalRow } from '../contract/contract.js'
import { bodilessStatuses } from '../contract/message/media.js'
import { fill, Refusal } from '../contract/message/refusal.js'
import { responseOf } from '../contract/outcomes.js'
import { validationError } from '../contract/pydantic/dialect.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { sentAt } from '../contract/pydantic/words.js'
import type { Deleted } from '../contract/types.gen.js'
import { Moved } from '../mock/replicas/moved.js'
import { OwnReply } from '../rules/own/reply.js'
import { assume, choice, type Exchange, type FoundExchange, type Setting } from './exchange.js'
import type { Reply } from './message/message.js'

/** The result of a rule, as a reply. */
export function succeeded(exchange: FoundExchange, result: unknown): Reply {
  if (result instanceof OwnReply) return ownReply(exchange, result)
  const { operation, contract, assumed } = exchange
  const status = operation.responses[200] ? 200 : 204
  if (!isDeleted(result)) return { status, body: contract.leaveOut(operation, status, result, assumed) }
  switch (assume(exchange, 'delete.body')) {
    case 'null':
      return { status, body: null }
    case 'empty-object':
      return { status, body: {} }
    case '204':
      return { status, body: undefined }
    case 'status-response':
      return { status, body: { success: true, message: 'Deleted', data: result.id } }
  }
}

function isDeleted(result: unknown): result is Deleted {
  return typeof result === 'object' && result !== null && 'deleted' in result && result.deleted === true
}

/** The reply of a user's own operation. The document gives its media type by status. */
function ownReply({ operation }: FoundExchange, { status, body, headers }: OwnReply): Reply {
  const isBytes = ArrayBuffer.isView(body)
  const media = responseOf(operation, status)?.media ?? (isBytes ? 'application/octet-stream' : undefined)
  const isText = media !== undefined && (isBytes || typeof body === 'string')
  if (bodilessStatuses.includes(status)) return { status, headers, body: undefined }
  return { status, headers, body, ...(isText && { media: media.includes('*') ? 'application/octet-stream' : media }) }
}

/** Two kinds of errors are foreseen. All others are bugs of the mock. */
export function failed(exchange: Setting<'problems' | 'refusal' | 'failure'>, error: unknown): Reply {
  if (error instanceof Invalid) {
    const chat = exchange.operation?.chat ?? false
    exchange.problems = error.problems
    const body = validationError(error.problems, exchange.choices, chat)
    for (const id of ['errors.validation-body', 'errors.validation-dialect']) exchange.assumed.add(id)
    if ('detail' in body) exchange.assumed.add('errors.input-and-ctx')
    return { status: 422, body }
  }
  if (error instanceof OwnReply) {
    exchange.refusal = 'own'
    return { status: error.status, headers: error.headers, body: error.body }
  }
  if (error instanceof Refusal) {
    exchange.refusal = error.reason
    const row = refusalRow(exchange, error)
    if (row) {
      for (const id of row.assumed) exchange.assumed.add(id)
      const body = fill(row.body, error.values)
      if (row.status === 422) return failed(exchange, invalidAt(exchange, row, error, Object.values(body)[0]))
      return { status: row.status, headers: fill(row.headers, error.values), body }
    }
  }
  if (error instanceof Moved) throw error
  exchange.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const { status, body } = exchange.contract.refusals.bug as RefusalRow
  return { status, body }
}

/** A refusal with status 422 has the form of every 422 (2.16). Its input shows no secret, as its text does not. */
function invalidAt(exchange: Exchange, row: RefusalRow, { values }: Refusal, text: unknown): Invalid {
  const { body: sent, contract, operation } = exchange
  const { loc: steps = ['body'] } = row
  const loc = steps.map((step) => (step === '{index}' ? Number(values.index) : step))
  const body = sent && 'value' in sent ? sent.value : null
  const input = sentAt({ path: {}, query: {}, body }, loc) ?? null
  const problem = { type: 'value_error', loc, msg: `Value error, ${text}`, input, ctx: { error: {} } }
  const redaction = operation && contract.redactionOf(operation)
  return new Invalid([redaction?.problem(problem) ?? problem])
}

function refusalRow(exchange: Exchange, { reason }: Refusal): RefusalRow | undefined {
  const { operation, contract } = exchange
  const own = operation?.refusals ?? {}
  if (reason !== 'foreign') return own[reason] ?? contract.refusals[reason]
  return choice(exchange, 'errors.missing') === '403-foreign' ? contract.refusals.foreign : own.missing
}
