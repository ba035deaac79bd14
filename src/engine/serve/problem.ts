import { STATUS_CODES } from 'node:http'
import type { Contract } from '../contract/contract.js'
import { type JsonObject, schemaOf } from '../contract/load.js'
import { fill, Refusal } from '../contract/message/refusal.js'
import { WrongDefinition } from '../contract/message/user-file.js'
import type { InputError, Operation, RefusalRow } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import type { Problem } from '../contract/types.gen.js'
import { SandboxMoved } from '../sandbox/sandboxes.js'
import type { Exchange, Setting } from './exchange.js'
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
