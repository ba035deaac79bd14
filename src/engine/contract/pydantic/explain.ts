import type { ErrorObject } from 'ajv'
import { type Documents, follow, isObject, type JsonObject } from '../load.js'
import type { Coercion, InputError, RawInput, Typed } from '../model.js'
import { taggedOf } from '../schemas/schemas.js'
import { mainType } from './coerce.js'
import { readDateTime, yearZero } from './datetime.js'
import { isLong, readUuid } from './scalars.js'

/** The highest number of reported problems. Reporting all of them could take many times the size of the body. */
const mostProblems = 1000

/**
 * An input that breaks the contract. It is answered with 422 and a ValidationError (2.16). It is not an Error, because
 * creating a stack would take longer than the check.
 */
export class Invalid {
  readonly problems: InputError[]

  constructor(problems: InputError[]) {
    this.problems = problems.slice(0, mostProblems)
  }
}

/** Turns ajv's errors into problems: one per place, in the order of the contract, each with the sent value. */
export function explain(
  errors: ErrorObject[],
  documents: Documents,
  operation: Typed,
  coercion: Coercion,
  raw: RawInput
): InputError[] {
  const byPlace = new Map<string, { problem: InputError; rank: number[] }>()
  for (const error of errors.slice(0, mostProblems)) {
    if (isOfBranches(error)) continue
    const { loc, tagged, schemas } = place(error, documents, operation, raw)
    const lax = loc[0] !== 'body' || operation.form || coercion === 'lax'
    const problem = describe(error, loc, lax, operation, raw)
    // An error of a union's own field is reported for the union, one step above.
    if (problem) problem.loc = tagged.slice(0, tagged.length - loc.length + problem.loc.length)
    const key = JSON.stringify(problem?.loc)
    if (problem && !byPlace.has(key)) byPlace.set(key, { problem, rank: schemas })
  }
  if (byPlace.size > 0) return [...byPlace.values()].sort((a, b) => compare(a.rank, b.rank)).map((it) => it.problem)
  // The keyword has no wording, or the list is empty.
  return errors.slice(0, 1).map((error) => {
    const { loc } = place(error, documents, operation, raw)
    return { type: 'value_error', loc, msg: `Value error, ${error.message}`, input: sentAt(raw, loc) }
  })
}

/** A nullable field fails in both branches and in their union. Only the error of the other branch is useful. */
function isOfBranches({ keyword, parentSchema }: ErrorObject): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && (parentSchema as JsonObject).type === 'null')
}

function compare(a: number[], b: number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference) return difference
  }
  return a.length - b.length
}

/** The place of an error: steps to the value, pydantic's loc with the tags of unions, positions in the contract. */
function place(error: ErrorObject, documents: Documents, operation: Typed, raw: RawInput) {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => (step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step))
  if (error.keyword === 'required') steps.push(error.params.missingProperty)
  if (error.keyword === 'additionalProperties') steps.push(error.params.additionalProperty)
  const loc: (string | number)[] = []
  const tagged: (string | number)[] = []
  const schemas: number[] = []
  let schema: JsonObject | undefined = {
    properties: operation.input as JsonObject,
    order: ['path', 'query', 'header', 'cookie', 'body']
  }
  let sent: unknown = raw
  for (const step of steps) {
    schema = schemaFor(documents, schema, sent, (tag) => tagged.push(tag))
    const properties = (schema?.properties ?? {}) as JsonObject
    if (Array.isArray(sent)) {
      loc.push(Number(step))
      tagged.push(Number(step))
      schemas.push(Number(step))
      schema = schema?.items as JsonObject | undefined
    } else {
      const names = (schema?.order as string[] | undefined) ?? Object.keys(properties)
      const position = names.indexOf(step)
      loc.push(step)
      tagged.push(step)
      schemas.push(position < 0 ? names.length : position)
      schema = (properties[step] ?? schema?.additionalProperties) as JsonObject | undefined
    }
    sent = (sent as JsonObject | undefined)?.[step]
  }
  if (error.propertyName !== undefined) {
    loc.push(error.propertyName, '[key]')
    tagged.push(error.propertyName, '[key]')
  }
  return { loc, tagged, schemas }
}

/** The target of a reference. Of a union: the schema of the value's tag, or for lists, or else the other one. */
function schemaFor(
  documents: Documents,
  reference: JsonObject | undefined,
  sent: unknown,
  noteTag: (tag: string) => void
): JsonObject | undefined {
  let schema = reference
  while (schema) {
    const union = taggedOf(schema)
    const tag = union && isObject(sent) ? String(sent[union.name]) : ''
    const chosen = union?.branches.get(tag)
    if (chosen) {
      noteTag(tag)
      schema = chosen
      continue
    }
    if (typeof schema.$ref !== 'string' && !Array.isArray(schema.anyOf)) return schema
    const branches = Array.isArray(schema.anyOf) ? (schema.anyOf as JsonObject[]) : [schema]
    const followed = branches.map((it) =>
      typeof it.$ref === 'string' ? (follow(documents, it.$ref) as JsonObject) : it
    )
    schema = followed.find((it) => (mainType(it) === 'array') === Array.isArray(sent)) ?? followed[0]
  }
  return schema
}

/** What is wrong in one place, in the words of pydantic; undefined: there are none for the keyword. */
export function describe(
  error: ErrorObject,
  loc: (string | number)[],
  lax: boolean,
  operation: Typed,
  raw: RawInput
): InputError | undefined {
  const input = error.propertyName ?? error.data
  const schema = error.parentSchema as JsonObject
  const { limit } = error.params
  const problem = (type: string, msg: string, ctx?: JsonObject): InputError => ({
    type,
    loc,
    msg,
    input: error.propertyName ?? sentAt(raw, loc),
    ...(ctx && { ctx })
  })
  /** A problem of the union whose field is in this place. */
  const ofUnion = (type: string, msg: string, ctx: JsonObject): InputError => {
    const place = loc.slice(0, -1)
    return { type, loc: place, msg, input: sentAt(raw, place), ctx }
  }
  switch (error.keyword) {
    case 'required':
      if (schema['x-tag'] !== undefined && schema['x-tag'] === loc.at(-1)) {
        const discriminator = `'${schema['x-tag']}'`
        return ofUnion('union_tag_not_found', `Unable to extract tag using discriminator ${discriminator}`, {
          discriminator
        })
      }
      return { type: 'missing', loc, msg: 'Field required', input: enclosing(loc, operation, raw) }
    case 'type':
      return wrongType(schema, input, lax, loc, problem)
    case 'format':
      if (schema.format !== 'uuid' && schema.format !== 'date-time') {
        return problem('value_error', `Value error, ${error.message}`)
      }
      return wrongFormat(schema, input as string, lax, problem)
    case 'enum': {
      if (schema['x-tag'] !== undefined) {
        const discriminator = `'${schema['x-tag']}'`
        const expected_tags = error.params.allowedValues.map((tag: string) => `'${tag}'`).join(', ')
        const start = `Input tag '${input}' found using ${discriminator}`
        const text = `${start} does not match any of the expected tags: ${expected_tags}`
        return ofUnion('union_tag_invalid', text, { discriminator, tag: String(input), expected_tags })
      }
      const expected = listed(error.params.allowedValues)
      return problem('enum', `Input should be ${expected}`, { expected })
    }
    case 'minItems':
    case 'maxItems': {
      const [type, most, field] =
        error.keyword === 'minItems' ? ['too_short', 'least', 'min_length'] : ['too_long', 'most', 'max_length']
      const { length } = input as unknown[]
      const text = `List should have at ${most} ${limit} item${limit === 1 ? '' : 's'} after validation, not ${length}`
      return problem(type as string, text, { field_type: 'List', [field as string]: limit, actual_length: length })
    }
    case 'minimum':
      return problem('greater_than_equal', `Input should be greater than or equal to ${limit}`, { ge: limit })
    case 'maximum':
      return problem('less_than_equal', `Input should be less than or equal to ${limit}`, { le: limit })
    case 'exclusiveMinimum':
      return problem('greater_than', `Input should be greater than ${limit}`, { gt: limit })
    case 'exclusiveMaximum':
      return problem('less_than', `Input should be less than ${limit}`, { lt: limit })
    case 'multipleOf': {
      const { multipleOf } = error.params
      return problem('multiple_of', `Input should be a multiple of ${multipleOf}`, { multiple_of: multipleOf })
    }
    case 'const': {
      const expected = listed([error.params.allowedValue])
      return problem('literal_error', `Input should be ${expected}`, { expected })
    }
    case 'minLength': {
      const text = `String should have at least ${limit} character${limit === 1 ? '' : 's'}`
      return problem('string_too_short', text, { min_length: limit })
    }
    case 'maxLength':
      return problem('string_too_long', `String should have at most ${limit} characters`, { max_length: limit })
    case 'pattern': {
      const { pattern } = error.params
      return problem('string_pattern_mismatch', `String should match pattern '${pattern}'`, { pattern })
    }
    case 'additionalProperties':
      return problem('extra_forbidden', 'Extra inputs are not permitted')
    case 'x-file': {
      const kind = typeof input === 'string' ? "<class 'str'>" : "<class 'dict'>"
      return problem('value_error', `Value error, Expected UploadFile, received: ${kind}`, { error: {} })
    }
    default:
      return undefined
  }
}

/** The object that lacks a missing field; undefined for a parameter, a form field or an embedded body. */
function enclosing(loc: (string | number)[], operation: Typed, raw: RawInput): unknown {
  if (loc.length === 1 || loc[0] !== 'body' || operation.form || operation.input.body?.['x-embedded']) return null
  return sentAt(raw, loc.slice(0, -1))
}

/** The sent value in a place. ajv has seen texts after their conversion. */
export function sentAt(raw: RawInput, loc: (string | number)[]): unknown {
  let value: unknown = raw
  for (const step of loc) value = (value as JsonObject | undefined)?.[step]
  return value
}

/** Python reads no more digits than that. */
const hugeInteger = /^\s*[+-]?\d{4301,}\s*$/

type Build = (type: string, msg: string, ctx?: JsonObject) => InputError

function wrongType(
  schema: JsonObject,
  input: unknown,
  lax: boolean,
  loc: (string | number)[],
  problem: Build
): InputError {
  const text = lax && typeof input === 'string'
  switch (mainType(schema)) {
    case 'integer':
      if (text && hugeInteger.test(input))
        return problem('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size')
      if (text) return problem('int_parsing', 'Input should be a valid integer, unable to parse string as an integer')
      if (lax && typeof input === 'number')
        return problem('int_from_float', 'Input should be a valid integer, got a number with a fractional part')
      return problem('int_type', 'Input should be a valid integer')
    case 'number':
      if (text) return problem('float_parsing', 'Input should be a valid number, unable to parse string as a number')
      return problem('float_type', 'Input should be a valid number')
    case 'boolean':
      if (text || (lax && Number.isInteger(input) && isLong(input as number)))
        return problem('bool_parsing', 'Input should be a valid boolean, unable to interpret input')
      return problem('bool_type', 'Input should be a valid boolean')
    case 'array':
      return problem('list_type', 'Input should be a valid list')
    case 'object':
      return isObject(schema.properties) || loc.length === 1
        ? problem('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from')
        : problem('dict_type', 'Input should be a valid dictionary')
    default:
      if (schema.format === 'uuid') return problem('uuid_type', 'UUID input should be a string, bytes or UUID object')
      if (schema.format === 'date-time') return problem('datetime_type', 'Input should be a valid datetime')
      return problem('string_type', 'Input should be a valid string')
  }
}

function wrongFormat(schema: JsonObject, input: string, lax: boolean, problem: Build): InputError {
  if (schema.format === 'uuid') {
    const { reason } = readUuid(input) as { reason: string }
    return problem('uuid_parsing', `Input should be a valid UUID, ${reason}`, { error: reason })
  }
  const { reason } = readDateTime(input, lax) as { reason: string }
  return lax && reason !== yearZero
    ? problem('datetime_from_date_parsing', `Input should be a valid datetime or date, ${reason}`, { error: reason })
    : problem('datetime_parsing', `Input should be a valid datetime, ${reason}`, { error: reason })
}

/** 'a', 'b' or 'c'. For a nullable value, pydantic does not name null. */
function listed(all: unknown[]): string {
  const values = all.some((it) => it !== null) ? all.filter((it) => it !== null) : all
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const last = quoted.pop() as string
  return quoted.length ? `${quoted.join(', ')} or ${last}` : last
}
