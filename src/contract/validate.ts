import type { ErrorObject, ValidateFunction } from 'ajv'
import { type Coerce, createCoercion } from './coerce.js'
import type { CollectionRow, Contract, Operation } from './contract.js'
import { explain, type Problem } from './explain.js'
import type { Documents } from './load.js'
import { noteIn } from './noted.js'
import { type ErrorForm, errorFormsOf } from './outcomes.js'

/** The parts of a request as read from the wire: texts in path and query, JSON or form fields in body. */
export interface RawInput {
  path: Record<string, string>
  query: Record<string, string>
  body: unknown
}

export interface InputCheck {
  /** What the rule gets: texts read as the types of the contract, identifiers in one form. */
  input: RawInput
  /** What is wrong with it, in the order of the contract; none: the input holds. */
  problems: Problem[]
  /** The same for fields and parameters that the contract does not name. */
  unknown: Problem[]
}

/** So many problems of a request are told: a body of many wrong values costs many times its size otherwise. */
const mostProblems = 10_000

/** How a JSON body is read: `strict` takes JSON's types as they are, `lax` converts as pydantic does. */
export type Coercion = 'strict' | 'lax'

/** The compiled schemas of a contract. */
export interface Validators {
  input(operation: Operation): ValidateFunction
  reply(operation: Operation, status: number): ValidateFunction
  error(form: ErrorForm): ValidateFunction
  row(collection: CollectionRow): ValidateFunction
}

export interface Checks {
  checkInput(operation: Operation, raw: RawInput, coercion: Coercion, assumed: Set<string>): InputCheck
  /** What breaks the contract in a reply, each as one sentence; a status that is not documented does. */
  checkReply(operation: Operation, status: number, body: unknown, assumed: Set<string>): string[]
  /** What breaks the contract in a row of a collection. */
  checkRow(collection: CollectionRow, row: unknown): string[]
}

export function createChecks(
  documents: Documents,
  common: Pick<Contract, 'access' | 'refusals'>,
  validators: Validators
): Checks {
  const coercions = new Map<string, Coerce>()

  const checkError = (operation: Operation, status: number, body: unknown): string[] => {
    let wrong = [`status ${status} is not in the contract of ${operation.id}`]
    for (const form of errorFormsOf(common, operation, status)) {
      const validate = validators.error(form)
      if (validate(body)) return []
      wrong = sentences(validate)
    }
    return wrong
  }

  return {
    checkInput(operation, raw, coercion, assumed) {
      const key = `${operation.id} ${coercion}`
      let coerce = coercions.get(key)
      if (!coerce) {
        coerce = createCoercion(documents, operation, coercion)
        coercions.set(key, coerce)
      }
      const input = coerce(raw)
      const validate = validators.input(operation)
      noteIn(assumed)
      if (validate(input)) return { input, problems: [], unknown: [] }
      const told = (isUnknown: boolean) =>
        (validate.errors as ErrorObject[])
          .filter(({ keyword }) => (keyword === 'additionalProperties') === isUnknown)
          .slice(0, mostProblems)
      return {
        input,
        problems: explain(told(false), documents, operation, coercion),
        unknown: explain(told(true), documents, operation, coercion)
      }
    },

    checkReply(operation, status, body, assumed) {
      const response = operation.responses[status]
      if (!response) return checkError(operation, status, body)
      if (!response.schema) return body === undefined ? [] : [`status ${status} has no body in the contract`]
      const validate = validators.reply(operation, status)
      noteIn(assumed)
      return validate(body) ? [] : sentences(validate)
    },

    checkRow(collection, row) {
      const validate = validators.row(collection)
      noteIn(undefined)
      return validate(row) ? [] : sentences(validate)
    }
  }
}

function sentences(validate: ValidateFunction): string[] {
  return (validate.errors as ErrorObject[]).map((error) =>
    `${error.instancePath || '/'} ${error.message ?? error.keyword}`.trim()
  )
}
