import { STATUS_CODES } from 'node:http'
import type { Contract, Operation, RefusalRow } from '../contract/contract.js'
import { Invalid, type Problem } from '../contract/explain.js'
import { type JsonObject, schemaOf } from '../contract/load.js'
import { fill, Refusal } from '../contract/refusal.js'
import type { Problem as ProblemDocument } from '../contract/types.gen.js'
import type { Reply } from '../http/write.js'
import type { Exchange } from './exchange.js'

/** An error of the mock itself, as a problem document (RFC 9457). */
export function problem(exchange: Exchange, error: unknown): Reply {
  if (error instanceof Invalid) {
    const errors = error.problems.map(fieldError)
    const detail = errors.map((it) => (it.field ? `${it.field}: ${it.detail}` : it.detail)).join(' ')
    return document('invalid', 400, detail, { errors })
  }
  if (error instanceof Refusal) {
    const { operation, contract } = exchange
    const row =
      operation?.refusals[error.reason] ??
      contract.controlRefusals[error.reason] ??
      (contract.refusals[error.reason] as RefusalRow)
    const { detail } = fill(row.body, error.values) as { detail: string }
    return document(error.reason, row.status, detail, {}, fill(row.headers, error.values))
  }
  exchange.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return document('bug', 500, 'This is a bug of the mock. Its log says more.')
}

function document(
  type: string,
  status: number,
  detail: string,
  more: Partial<ProblemDocument> = {},
  headers: Record<string, string> = {}
): Reply {
  const body: ProblemDocument = {
    type: `urn:knowledge-chat-mock:${type}`,
    title: STATUS_CODES[status] as string,
    status,
    detail,
    ...more
  }
  return { status, headers: { ...headers, 'Content-Type': 'application/problem+json' }, body }
}

/** Says what is wrong with a control request; a field that is not known, together with those that are. */
export function controlProblems(
  { documents }: Contract,
  operation: Operation,
  problems: Problem[],
  unknown: Problem[]
): Invalid {
  const known = (loc: Problem['loc']): string[] => {
    let schema: JsonObject = { properties: operation.input as JsonObject }
    for (const step of loc.slice(0, -1)) {
      const inner = typeof step === 'number' ? schema.items : ((schema.properties ?? {}) as JsonObject)[step]
      schema = schemaOf(documents, inner)
    }
    return Object.keys((schema.properties ?? {}) as JsonObject)
  }
  const named = unknown.map((it) => {
    const allowed = known(it.loc)
    return { ...it, msg: `This is not known here. Known: ${allowed.join(', ')}.`, ctx: { allowed } }
  })
  return new Invalid([...problems, ...named])
}

function fieldError({ loc, msg, ctx }: Problem): { field: string; detail: string; allowed?: string[] } {
  const field = loc.slice(1).join('.')
  const allowed =
    (ctx?.allowed as string[] | undefined) ??
    (typeof ctx?.expected === 'string'
      ? [...ctx.expected.matchAll(/'([^']*)'/g)].map((it) => it[1] as string)
      : undefined)
  return { field: field === '' ? String(loc[0]) : field, detail: msg, ...(allowed && { allowed }) }
}
