import { type Documents, type Json, schemaOf } from './load.js'
import { fill } from './message/refusal.js'
import type { CommonParts, ErrorForm, Operation, RefusalRow, ResponseRow } from './model.js'
import type { Reason } from './types.gen.js'

/** One documented answer of an operation: an example of a response, a refusal, or the ValidationError. */
export type DocumentedAnswer =
  | { kind: 'response'; name: string; status: number; body: Json | undefined; assumed: string[] }
  /** A response that has only a schema. */
  | { kind: 'sample'; name: 'sample'; status: number }
  | { kind: 'refusal'; name: Reason; status: number; row: RefusalRow }
  /** A 422 with the named mistake, or with the most common one: `invalid`. */
  | { kind: 'invalid'; name: string; status: 422 }

/** All refusals of an operation by reason: its own, and the general ones that it can answer with. */
export function refusalsOf({ access, guard, refusals }: CommonParts, operation: Operation): Record<string, RefusalRow> {
  const met: Record<string, RefusalRow> = operation.open
    ? {}
    : { unauthenticated: refusals.unauthenticated as RefusalRow }
  const { roles, detail = '' } = access[operation.access[guard.by] ?? 'anyone'] ?? {}
  if (roles) met.forbidden = { ...(refusals.forbidden as RefusalRow), example: { detail } }
  if (operation.input.body) {
    met['unreadable-body'] = refusals['unreadable-body'] as RefusalRow
    met['too-large'] = refusals['too-large'] as RefusalRow
  }
  return { ...met, ...operation.refusals }
}

/** The response for a status: its own, that of its class such as 4XX, or the default. Without any success, each one is right. */
export function responseOf({ responses }: Operation, status: number): ResponseRow | undefined {
  const row = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default
  if (row || status < 200 || status > 299) return row
  return Object.keys(responses).every((it) => /^[45]/.test(it)) ? anySuccess : undefined
}

/** The success of an operation of which a document has only the errors. */
const anySuccess: ResponseRow = { description: 'The document names no success.' }

/** The status of the usual answer: the first success of the document. If it is empty: the first without a body. */
export function statusOf(operation: Operation, isEmpty = false): number {
  const statuses = Object.keys(operation.responses)
    .filter((it) => /^\d+$/.test(it))
    .map(Number)
    // A 1xx status is not a final answer.
    .filter((it) => it >= 200)
  const good = statuses.filter((it) => it >= 200 && it < 300).sort((a, b) => a - b)
  const empty = isEmpty ? good.find((it) => !responseOf(operation, it)?.schema) : undefined
  return empty ?? good[0] ?? (responseOf(operation, 200) ? 200 : (statuses[0] as number))
}

/** Whether the schema of a list asks for a row at least. */
export function isNeverEmpty(documents: Documents, operation: Operation): boolean {
  return Number(schemaOf(documents, responseOf(operation, statusOf(operation))?.schema).minItems ?? 0) > 0
}

/** All statuses of an operation. Every operation has the 422 of the ValidationError (2.16). */
export function statusesOf(common: CommonParts, operation: Operation): Set<number> {
  const refused = Object.values(refusalsOf(common, operation)).map(({ status }) => status)
  const statuses = Object.keys(operation.responses).map(Number).filter(Number.isInteger)
  return new Set([...statuses, ...refused, 422])
}

/** All answers of an operation that can be requested. The operation's own come first. */
export function outcomesOf(common: CommonParts, operation: Operation): DocumentedAnswer[] {
  const responses = Object.entries(operation.responses).flatMap(
    ([status, { schema, examples = {}, assumed = [] }]): DocumentedAnswer[] => {
      if (!/^\d+$/.test(status)) return []
      if (schema && Object.keys(examples).length === 0)
        return [{ kind: 'sample', name: 'sample', status: Number(status) }]
      // A response without a body has one answer, without examples.
      const bodies: [string, Json | undefined][] = schema ? Object.entries(examples) : [['empty', undefined]]
      return bodies.map(([name, body]) => ({ kind: 'response', name, status: Number(status), body, assumed }) as const)
    }
  )
  const refusals = Object.entries({ ...operation.refusals, ...refusalsOf(common, operation) }).map(
    ([reason, row]) => ({ kind: 'refusal', name: reason as Reason, status: row.status, row }) as const
  )
  // A document's own operations have the examples that it names.
  const mistakes = ['invalid', ...(operation.origin ? [] : mistakeNames(operation))]
  const invalid = mistakes.map((name) => ({ kind: 'invalid', name, status: 422 }) as const)
  return [...responses, ...invalid, ...refusals]
}

export const unknownParameter = 'unknown-parameter'

/** The names of the mistakes that a request for an operation can have. */
function mistakeNames({ input }: Operation): string[] {
  const places = (['body', 'path', 'query'] as const).filter((place) => input[place])
  return [...places.map((place) => `wrong-${place}`), unknownParameter]
}

/** The values of a refusal's {placeholders} in an example. `path` has the values of the path parameters. */
export function exampleValues({ example = {} }: RefusalRow, path: Record<string, unknown>): Record<string, unknown> {
  return { ...path, ...fill(example, path) }
}

/** The possible forms of an error body with this status. None if the status is not documented. */
export function errorFormsOf(common: CommonParts, operation: Operation, status: number): ErrorForm[] {
  const rows = Object.values(refusalsOf(common, operation)).filter((row) => row.status === status)
  // A refusal with status 422 has the format of every 422.
  return status === 422 ? [invalidFormOf(operation)] : [...new Set(rows.map(formOf))]
}

export function invalidFormOf({ chat }: Operation): ErrorForm {
  return chat ? 'ChatValidationError' : 'ValidationError'
}

export function formOf({ body }: RefusalRow): ErrorForm {
  return 'message' in body ? 'Message' : 'Detail'
}
