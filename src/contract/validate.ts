import { Ajv2020, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Coerce, createCoercion } from './coerce.js'
import type { CollectionRow, Operation } from './contract.js'
import { readDateTime } from './datetime.js'
import { explain, type Problem } from './explain.js'
import { type Documents, isObject, type Json, type JsonObject } from './load.js'
import { readUuid } from './scalars.js'

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

/** How a JSON body is read: `strict` takes JSON's types as they are, `lax` converts as pydantic does. */
export type Coercion = 'strict' | 'lax'

export interface Checks {
  checkInput(operation: Operation, raw: RawInput, coercion: Coercion, assumed: Set<string>): InputCheck
  /** What breaks the contract in a reply, each as one sentence; an undeclared status does. */
  checkReply(operation: Operation, status: number, body: unknown, assumed: Set<string>): string[]
  /** What breaks the contract in a row of a collection. */
  checkRow(collection: CollectionRow, row: unknown): string[]
}

/** The assumptions that the value now being checked rests on; see the keyword x-assumed. */
let noted: Set<string> | undefined

export function createChecks(documents: Documents): Checks {
  // Inputs were coerced before: a value that still is not in the one form of its format has none.
  const inputs = createAjv(Object.fromEntries(Object.entries(documents).map(([name, it]) => [name, close(it)])), {
    uuid: (text) => readUuid(text) === text,
    'date-time': (text) => readDateTime(text, false) === text
  })
  const others = createAjv(documents, {
    uuid: (text) => typeof readUuid(text) === 'string',
    'date-time': (text) => typeof readDateTime(text, true) === 'string'
  })
  const validators = new Map<string, ValidateFunction>()
  const coercions = new Map<string, Coerce>()
  const compiled = (key: string, ajv: Ajv2020, schema: () => AnySchema): ValidateFunction => {
    let validator = validators.get(key)
    if (!validator) {
      validator = ajv.compile(schema())
      validators.set(key, validator)
    }
    return validator
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
      const validate = compiled(`${operation.id} input`, inputs, () => inputSchema(operation))
      noted = assumed
      if (validate(input)) return { input, problems: [], unknown: [] }
      const errors = (validate.errors as ErrorObject[]).filter((error) => error.keyword !== 'additionalProperties')
      const unknown = (validate.errors as ErrorObject[]).filter((error) => error.keyword === 'additionalProperties')
      return {
        input,
        problems: explain(errors, documents, operation, coercion),
        unknown: explain(unknown, documents, operation, coercion)
      }
    },

    checkReply(operation, status, body, assumed) {
      const response = operation.responses[status]
      if (!response) return [`status ${status} is not in the contract of ${operation.id}`]
      if (!response.schema) return body === undefined ? [] : [`status ${status} has no body in the contract`]
      const validate = compiled(`${operation.id} ${status}`, others, () => response.schema as AnySchema)
      noted = assumed
      return validate(body) ? [] : sentences(validate)
    },

    checkRow(collection, row) {
      const validate = compiled(`row ${collection.name}`, others, () => collection.row)
      noted = undefined
      return validate(row) ? [] : sentences(validate)
    }
  }
}

function sentences(validate: ValidateFunction): string[] {
  return (validate.errors as ErrorObject[]).map((error) =>
    `${error.instancePath || '/'} ${error.message ?? error.keyword}`.trim()
  )
}

/** One schema for everything that a request carries, so that a place in it is the loc of a ValidationError. */
function inputSchema(operation: Operation): AnySchema {
  const parts = Object.keys(operation.input)
  const base = `${operation.resource}.json#/operations/${operation.id}/input`
  return {
    type: 'object',
    properties: {
      query: { type: 'object', additionalProperties: false },
      ...Object.fromEntries(parts.map((part) => [part, { $ref: `${base}/${part}` }]))
    },
    required: parts
  }
}

/** Closes every object with declared properties, so that a field that the contract does not name is noticed. */
function close(value: Json): Json {
  if (Array.isArray(value)) return value.map(close)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) result[key] = close(item)
  if (result.type && isObject(result.properties) && result.additionalProperties === undefined) {
    result.additionalProperties = false
  }
  return result
}

function createAjv(documents: Record<string, Json>, formats: Record<string, (text: string) => boolean>): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    formats
  })
  for (const keyword of ['collections', 'operations', 'replies', 'refusals', 'access']) ajv.addKeyword(keyword)
  for (const keyword of ['tsType', 'x-documented', 'x-embedded']) ajv.addKeyword(keyword)
  ajv.addKeyword({ keyword: 'x-file', validate: (_: boolean, value: unknown) => isObject(value) && 'bytes' in value })
  // A message rests on an assumption where it holds something that an assumption shapes, unless x-documented lists
  // the value, or is true: then the rule says when.
  ajv.addKeyword({
    keyword: 'x-assumed',
    validate: (ids: string[], value: unknown, parent?: { 'x-documented'?: unknown[] | true }) => {
      const documented = parent?.['x-documented']
      const isShown = documented === true || documented?.includes(value)
      if (noted && !isShown) for (const id of ids) noted.add(id)
      return true
    }
  })
  for (const [name, document] of Object.entries(documents)) ajv.addSchema(document as JsonObject, name)
  return ajv
}
