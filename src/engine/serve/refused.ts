import { documentedError } from '../answers/errors.js'
import { fill, Refusal } from '../contract/message/refusal.js'
import { RuleReply } from '../contract/message/reply.js'
import type { RefusalRow } from '../contract/model.js'
import { validationError } from '../contract/pydantic/dialect.js'
import { Invalid, sentAt } from '../contract/pydantic/explain.js'
import type { Assumptions } from '../contract/types.gen.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import { assume, choice, type Exchange, type Setting } from './exchange.js'
import { isControlPath } from './message/caller.js'
import type { Reply } from './message/message.js'

/** An error as the document of the operation describes it, if one describes the API. */
export function failed(exchange: Setting<'problems' | 'refusal' | 'failure'>, error: unknown): Reply {
  const reply = refused(exchange, error)
  const { operation, contract } = exchange
  const isControl = operation ? !operation.origin : isControlPath(exchange.path)
  if (isControl || !contract.api.document || exchange.failure !== undefined) return reply
  if (!reply.body || typeof reply.body !== 'object') return reply
  const isInPath = error instanceof Invalid && error.problems.every(({ loc }) => loc[0] === 'path')
  // A rule chooses its status itself.
  const isChosen = error instanceof RuleReply && exchange.source === 'rule'
  const isListed = [400, 422, ...(isInPath ? [404] : [])].some((it) => operation?.responses[it] !== undefined)
  const question = 'errors.invalid-request' as keyof Assumptions
  const isOpen = error instanceof Invalid && !isListed && Object.hasOwn(exchange.choices, question)
  const base = isOpen ? { ...reply, status: Number(assume(exchange, question)) } : reply
  const documented = documentedError(contract, operation, base, {
    isInPath,
    isChosen,
    now: exchange.sandbox.clock.time
  })
  if (documented.body !== reply.body) exchange.assumed.delete('errors.input-and-ctx')
  const schemes = (operation ? contract.api.document.placesOf(operation) : [])
    .flat()
    .flatMap(({ scheme = [] }) => scheme)
  const isBasic =
    reply.headers?.['WWW-Authenticate'] !== undefined && schemes[0] === 'Basic' && new Set(schemes).size === 1
  const headers = isBasic ? { ...reply.headers, 'WWW-Authenticate': 'Basic realm="mock"' } : reply.headers
  return { ...reply, ...documented, ...(headers && { headers }) }
}

/**
 * `Invalid`, `Refusal` and the reply that a rule throws are expected. Any other error is a bug of the mock. Rethrows SandboxMoved,
 * which another process answers.
 */
function refused(exchange: Setting<'problems' | 'refusal' | 'failure'>, error: unknown): Reply {
  if (error instanceof Invalid) {
    const chat = exchange.operation?.chat ?? false
    exchange.problems = error.problems
    const body = validationError(error.problems, exchange.choices, chat)
    for (const id of ['errors.validation-body', 'errors.validation-dialect']) exchange.assumed.add(id)
    if ('detail' in body) exchange.assumed.add('errors.input-and-ctx')
    return { status: 422, body }
  }
  if (error instanceof RuleReply) {
    exchange.refusal = 'rule'
    return { status: error.status, headers: error.headers, body: error.body }
  }
  if (error instanceof Refusal) {
    exchange.refusal = error.reason
    const row = refusalRow(exchange, error)
    if (row) {
      for (const id of row.assumed) exchange.assumed.add(id)
      const body = fill(row.body, error.values)
      if (row.status === 422) return refused(exchange, invalidAt(exchange, row, error, Object.values(body)[0]))
      return { status: row.status, headers: fill(row.headers, error.values), body }
    }
  }
  if (error instanceof SandboxMoved) throw error
  exchange.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const { status, body } = exchange.contract.refusals.bug as RefusalRow
  return { status, body }
}

/** A refusal with status 422 has the format of every 422 (2.16). Neither its input nor its text shows a secret. */
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
  const refusals = operation?.refusals ?? {}
  if (reason !== 'foreign') return refusals[reason] ?? contract.refusals[reason]
  return choice(exchange, 'errors.missing') === '403-foreign' ? contract.refusals.foreign : refusals.missing
}
