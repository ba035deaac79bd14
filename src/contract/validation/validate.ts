import type { ErrorObject, ValidateFunction } from 'ajv'
import type { CollectionRow, Operation } from '../contract.js'
import type { Choices, Documents } from '../load.js'
import { type Common, type ErrorForm, errorFormsOf, responseOf } from '../outcomes.js'
import { type Coerce, createCoercion } from '../pydantic/coerce.js'
import { explain, type InputError, type Typed } from '../pydantic/explain.js'
import { createLeaveOut, type LeaveOut } from './nulls.js'

/** The parts of a request as read from the wire: texts in path and query, JSON or form fields in body. */
export interface RawInput {
  path: Record<string, string>
  query: Record<string, string | string[]>
  header?: Record<string, string>
  cookie?: Record<string, string>
  body: unknown
}

export interface InputCheck {
  /** What the rule gets: texts read as the types of the contract, identifiers in one form. */
  input: RawInput
  /** What is wrong with it, in the order of the contract; none: the input holds. */
  problems: InputError[]
  /** The same for fields and parameters that the contract does not name. */
  unknown: InputError[]
}

/** How a JSON body is read: `strict` takes JSON's types as they are, `lax` converts as pydantic does. */
export type Coercion = 'strict' | 'lax'

export function coercionUnder(choices: Choices): Coercion {
  return choices['requests.coercion'] as Coercion
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
  /** A reply without the fields that have no value, where the contract leaves those out. */
  leaveOut(operation: Operation, status: number, body: unknown, assumed: Set<string>): unknown
  /** What breaks the contract in a reply, each as one sentence; a status that is not documented does. */
  checkReply(operation: Operation, status: number, body: unknown, assumed: Set<string>): string[]
  /** A row of a collection in its one form, and what breaks the contract in it; every `loc` starts with "body". */
  checkRow(collection: CollectionRow, row: unknown): { row: unknown; problems: InputError[] }
}

/** What checks the requests and replies of an operation, made when it is first needed. */
interface Made {
  coerce: Partial<Record<Coercion, Coerce>>
  input?: ValidateFunction
  replies: Map<number, ValidateFunction>
  leaveOut: Map<number, LeaveOut>
}

export function createChecks(documents: Documents, common: Common, validators: Validators): Checks {
  const all = new Map<Operation, Made>()
  const madeFor = (operation: Operation): Made => {
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
        (validate.errors as ErrorObject[]).filter(({ keyword }) => (keyword === 'additionalProperties') === isUnknown)
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
      // Only what is in its one form keeps the contract.
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

function sentences(validate: ValidateFunction): string[] {
  return (validate.errors as ErrorObject[]).map((error) =>
    `${error.instancePath || '/'} ${error.message ?? error.keyword}`.trim()
  )
}
