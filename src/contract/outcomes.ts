import type { Contract, Operation, RefusalRow, ResponseRow } from './contract.js'
import type { Json } from './load.js'
import { fill } from './refusal.js'
import type { Reason } from './types.gen.js'

/** What all operations have in common. */
export type Common = Pick<Contract, 'access' | 'guard' | 'refusals'>

/** One documented answer of an operation: an example of a response, a refusal by its reason, or the ValidationError. */
export type Outcome =
  | { kind: 'response'; name: string; status: number; body: Json | undefined; assumed: string[] }
  /** A response of which there is a schema alone. */
  | { kind: 'sample'; name: 'sample'; status: number }
  | { kind: 'refusal'; name: Reason; status: number; row: RefusalRow }
  | { kind: 'invalid'; name: 'invalid'; status: 422 }

/** The forms of an error body, as common.json defines them. */
export type ErrorForm = 'Detail' | 'Message' | 'ValidationError' | 'ChatValidationError'
export const errorForms: readonly ErrorForm[] = ['Detail', 'Message', 'ValidationError', 'ChatValidationError']

/** Every refusal that an operation may answer with, by its reason: its own, and those of all that it can meet. */
export function refusalsOf({ access, guard, refusals }: Common, operation: Operation): Record<string, RefusalRow> {
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

/** What is said of a status: of itself, of all of its hundred, or of all. */
export function responseOf({ responses }: Operation, status: number): ResponseRow | undefined {
  return responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default
}

/** Every status that an operation may answer with; 422 is the ValidationError of any (2.16). */
export function statusesOf(common: Common, operation: Operation): Set<number> {
  const refused = Object.values(refusalsOf(common, operation)).map(({ status }) => status)
  const told = Object.keys(operation.responses).map(Number).filter(Number.isInteger)
  return new Set([...told, ...refused, 422])
}

/** Every answer of an operation that can be asked for. Among those of one status, the operation's own come first. */
export function outcomesOf(common: Common, operation: Operation): Outcome[] {
  const responses = Object.entries(operation.responses).flatMap(
    ([status, { schema, examples = {}, assumed = [] }]): Outcome[] => {
      if (!/^\d+$/.test(status)) return []
      if (schema && Object.keys(examples).length === 0)
        return [{ kind: 'sample', name: 'sample', status: Number(status) }]
      // A response without a body has no examples: there is one such answer.
      const bodies: [string, Json | undefined][] = schema ? Object.entries(examples) : [['empty', undefined]]
      return bodies.map(([name, body]) => ({ kind: 'response', name, status: Number(status), body, assumed }) as const)
    }
  )
  const refusals = Object.entries({ ...operation.refusals, ...refusalsOf(common, operation) }).map(
    ([reason, row]) => ({ kind: 'refusal', name: reason as Reason, status: row.status, row }) as const
  )
  return [...responses, { kind: 'invalid', name: 'invalid', status: 422 }, ...refusals]
}

/** What the {placeholders} of a refusal stand for in an example of it; `path`: the values of the path's parameters. */
export function exampleValues({ example = {} }: RefusalRow, path: Record<string, unknown>): Record<string, unknown> {
  return { ...path, ...fill(example, path) }
}

/** The forms that the body of an error may have: those of the refusals with its status; none: it is not documented. */
export function errorFormsOf(common: Common, operation: Operation, status: number): ErrorForm[] {
  const rows = Object.values(refusalsOf(common, operation)).filter((row) => row.status === status)
  // A refusal with the status 422 takes the form of every 422.
  return status === 422 ? [invalidFormOf(operation)] : [...new Set(rows.map(formOf))]
}

/** The form of a 422 (2.16). */
export function invalidFormOf({ chat }: Operation): ErrorForm {
  return chat ? 'ChatValidationError' : 'ValidationError'
}

export function formOf({ body }: RefusalRow): ErrorForm {
  return 'message' in body ? 'Message' : 'Detail'
}
