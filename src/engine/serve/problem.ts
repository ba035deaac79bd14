import { STATUS_CODES } from 'node:http'
import { documentedError } from '../answers/errors.js'
import type { Contract } from '../contract/contract.js'
import { type JsonObject, schemaOf } from '../contract/load.js'
import { fill, Refusal } from '../contract/message/refusal.js'
import { RuleReply } from '../contract/message/reply.js'
import { WrongDefinition } from '../contract/message/user-file.js'
import type { InputError, Operation, RefusalRow } from '../contract/model.js'
import { validationError } from '../contract/pydantic/dialect.js'
import { Invalid, sentAt } from '../contract/pydantic/explain.js'
import type { Assumptions, Problem } from '../contract/types.gen.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import { assume, choice, type Exchange, type Setting } from './exchange.js'
import { isControlPath } from './message/caller.js'
import type { Reply } from './message/message.js'

/** The highest number of problems in the sentence of `detail`. */
const mostShown = 3

type FieldError = NonNullable<Problem['errors']>[number]
type ProblemReply = Reply & { body: Problem }

/** The error when a program calls the control API without HTTP. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.errors?.map(sentence).join('\n') ?? problem.detail)
    this.name = 'ProblemError'
  }
}

/** One wrong field with its valid values, unless the text already contains them. */
function sentence({ field, detail, allowed = [] }: FieldError): string {
  const isSaid = allowed.every((value) => detail.includes(value))
  return `${field}: ${detail}${isSaid ? '' : ` Good values: ${allowed.join(', ')}.`}`
}

/** An error of the mock itself, as a problem document (RFC 9457). Rethrows SandboxMoved, which another process answers. */
export function problem(exchange: Setting<'failure'>, error: unknown): Reply {
  const reply = foreseen(exchange, error)
  if (reply) return reply
  if (error instanceof SandboxMoved) throw error
  exchange.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (error instanceof WrongDefinition) return problemDocument('definition', 500, error.message)
  return problemDocument('bug', 500, 'This is a bug of the mock. See its log for details.')
}

/** The problem document of an expected error of a control request, or undefined for any other error. */
export function foreseen(
  { operation, contract }: Pick<Exchange, 'operation' | 'contract'>,
  error: unknown
): ProblemReply | undefined {
  if (error instanceof Invalid) {
    const errors = error.problems.map(fieldError)
    const texts = errors.slice(0, mostShown).map((it) => `${it.field}: ${it.detail}`)
    if (errors.length > mostShown) texts.push(`${errors.length - mostShown} more in errors`)
    const detail = texts.join('; ')
    return problemDocument('invalid', 400, detail, { errors })
  }
  if (error instanceof Refusal) {
    const row =
      operation?.refusals[error.reason] ??
      contract.controlRefusals[error.reason] ??
      (contract.refusals[error.reason] as RefusalRow)
    const { detail } = fill(row.body, error.values) as { detail: string }
    return problemDocument(error.reason, row.status, detail, {}, fill(row.headers, error.values))
  }
  return undefined
}

export function problemDocument(
  type: string,
  status: number,
  detail: string,
  more: Partial<Problem> = {},
  headers: Record<string, string> = {}
): ProblemReply {
  const body: Problem = {
    type: `urn:knowledge-chat-mock:${type}`,
    title: STATUS_CODES[status] as string,
    status,
    detail,
    ...more
  }
  return { status, headers: { ...headers, 'Content-Type': 'application/problem+json' }, body }
}

/** The problems of a control request. An unknown field is reported with the known ones. */
export function controlProblems(
  { documents }: Contract,
  operation: Operation,
  problems: InputError[],
  unknown: InputError[]
): Invalid {
  const fieldsAt = (loc: InputError['loc']): string[] => {
    let schema: JsonObject = { properties: operation.input as JsonObject }
    for (const step of loc.slice(0, -1)) {
      const inner = typeof step === 'number' ? schema.items : ((schema.properties ?? {}) as JsonObject)[step]
      schema = schemaOf(documents, inner)
    }
    return Object.keys((schema.properties ?? {}) as JsonObject)
  }
  const entries = unknown.map((it) => {
    const allowed = fieldsAt(it.loc)
    return { ...it, msg: `Unknown field. Known: ${allowed.join(', ') || 'none'}.`, ctx: { allowed } }
  })
  return new Invalid([...problems, ...entries])
}

function fieldError({ type, loc, msg, ctx }: InputError): FieldError {
  if (type === 'json_invalid') return { field: 'body', detail: `${msg} at character ${loc[1]}: ${ctx?.error}` }
  const field = loc.slice(1).join('.')
  const allowed =
    (ctx?.allowed as string[] | undefined) ??
    (typeof ctx?.expected === 'string'
      ? [...ctx.expected.matchAll(/'([^']*)'/g)].map((it) => it[1] as string)
      : undefined)
  return { field: field === '' ? String(loc[0]) : field, detail: msg, ...(allowed && { allowed }) }
}

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
