import type { ErrorObject, ValidateFunction } from 'ajv'
import type { CollectionRow, Operation } from '../contract.js'
import type { Choices, Documents, JsonObject } from '../load.js'
import { type CommonParts, type ErrorForm, errorFormsOf, responseOf } from '../outcomes.js'
import { type Coerce, createCoercion } from '../pydantic/coerce.js'
import { explain, type InputError, type Typed } from '../pydantic/explain.js'
import { createLeaveOut, type LeaveOut } from './nulls.js'

/** The parts of a request as received: texts in path and query, JSON or form fields in body. */
export interface RawInput {
  path: Record<string, string>
  query: Record<string, string | string[]>
  header?: Record<string, string>
  cookie?: Record<string, string>
  body: unknown
}

export interface InputCheck {
  /** The input for the rule: texts converted to the types of the contract, identifiers in one form. */
  input: RawInput
  /** The problems, in the order of the contract. Empty if the input is valid. */
  problems: InputError[]
  /** Fields and parameters that the contract does not name. */
  unknown: InputError[]
}

/** How a JSON body is read: `strict` keeps JSON's types, `lax` converts as pydantic does. */
export type Coercion = 'strict' | 'lax'

export function coercionUnder(choices: Choices): Coercion {
  return choices['requests.coercion'] as Coercion
}

/** What unknown fields and parameters are: reasons for a refusal, or violations that are let through. */
export function unknownUnder(
  choices: Choices,
  unknown: InputError[]
): { problems: InputError[]; violations: string[] } {
  const policy = choices['requests.unknown-fields']
  return {
    problems: policy === 'rejected' ? unknown : [],
    violations: policy === 'reported' ? unknown.map(({ loc }) => `${loc.join('.')} is not in the contract`) : []
  }
}

/** The compiled schemas of a contract. */
export interface Validators {
  input(operation: Operation): ValidateFunction
  reply(operation: Operation, status: number): ValidateFunction
  error(form: ErrorForm): ValidateFunction
  row(collection: CollectionRow): ValidateFunction
}

export interface Checks {
  checkInput(operation: Operation, raw: RawInput, coercion: Coercion, assumed: Set<string>): InputCheck
  /** The reply without null fields that the contract leaves out. */
  leaveOut(operation: Operation, status: number, body: unknown, assumed: Set<string>): unknown
  /** What breaks the contract in a reply, one sentence each. An undocumented status breaks it too. */
  checkReply(operation: Operation, status: number, body: unknown, assumed: Set<string>): string[]
  /** A row in canonical form, with its problems. Every `loc` starts with "body". */
  checkRow(collection: CollectionRow, row: unknown): { row: unknown; problems: InputError[] }
}

/** The checks of an operation, made on first use. */
interface OperationChecks {
  coerce: Partial<Record<Coercion, Coerce>>
  input?: ValidateFunction
  replies: Map<number, ValidateFunction>
  leaveOut: Map<number, LeaveOut>
}

export function createChecks(documents: Documents, common: CommonParts, validators: Validators): Checks {
  const all = new Map<Operation, OperationChecks>()
  const madeFor = (operation: Operation): OperationChecks => {
    let made = all.get(operation)
    if (!made) {
      made = { coerce: {}, replies: new Map(), leaveOut: new Map() }
      all.set(operation, made)
    }
    return made
  }
  const coercions = new Map<CollectionRow, Coerce>()

  const checkError = (operation: Operation, status: number, body: unknown, assumed: Set<string>): string[] => {
    let wrong = [`status ${status} is not in the contract of ${operation.id}`]
    for (const form of errorFormsOf(common, operation, status)) {
      const validate = validators.error(form)
      if (validate.call(assumed, body)) return []
      wrong = sentences(validate)
    }
    return wrong
  }

  return {
    checkInput(operation, raw, coercion, assumed) {
      const made = madeFor(operation)
      made.coerce[coercion] ??= createCoercion(documents, operation, coercion)
      made.input ??= validators.input(operation)
      const input = made.coerce[coercion](raw)
      const validate = made.input
      if (validate.call(assumed, input)) return { input, problems: [], unknown: [] }
      const told = (isUnknown: boolean) =>
        (validate.errors as ErrorObject[]).filter((error) => isOfUnknown(error) === isUnknown)
      return {
        input,
        problems: explain(told(false), documents, operation, coercion, raw),
        unknown: explain(told(true), documents, operation, coercion, raw)
      }
    },

    leaveOut(operation, status, body, assumed) {
      const made = madeFor(operation).leaveOut
      let leave = made.get(status)
      if (!leave) {
        leave = createLeaveOut(documents, responseOf(operation, status)?.schema ?? true)
        made.set(status, leave)
      }
      return leave(body, assumed)
    },

    checkReply(operation, status, body, assumed) {
      const response = responseOf(operation, status)
      if (!response) return checkError(operation, status, body, assumed)
      if (!response.schema) return body === undefined ? [] : [`status ${status} has no body in the contract`]
      const { replies } = madeFor(operation)
      const validate = replies.get(status) ?? validators.reply(operation, status)
      replies.set(status, validate)
      return validate.call(assumed, body) ? [] : sentences(validate)
    },

    checkRow(collection, row) {
      const validate = validators.row(collection)
      // Only rows in canonical form are valid.
      if (validate.call(undefined, row)) return { row, problems: [] }
      const typed: Typed = { input: { body: collection.row }, form: false }
      const raw = { path: {}, query: {}, body: row }
      const coerce = coercions.get(collection) ?? createCoercion(documents, typed, 'strict')
      coercions.set(collection, coerce)
      const { body } = coerce(raw)
      if (validate.call(undefined, body)) return { row: body, problems: [] }
      const errors = (validate.errors as ErrorObject[]).map((it) => ({
        ...it,
        instancePath: `/body${it.instancePath}`
      }))
      return { row: body, problems: explain(errors, documents, typed, 'strict', raw) }
    }
  }
}

/** Whether an error is an unknown field. A user's own document can say that there are none. */
function isOfUnknown({ keyword, parentSchema }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && (parentSchema as JsonObject)['x-exact'] !== true
}

/** A large reply may have a mistake in each of its values. */
const mostSentences = 1000

function sentences(validate: ValidateFunction): string[] {
  const errors = (validate.errors as ErrorObject[]).slice(0, mostSentences)
  return errors.map((error) => `${error.instancePath || '/'} ${error.message ?? error.keyword}`.trim())
}
