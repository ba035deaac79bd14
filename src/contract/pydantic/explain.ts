import type { ErrorObject } from 'ajv'
import type { Operation } from '../contract.js'
import { type Documents, follow, type JsonObject } from '../load.js'
import type { Coercion, RawInput } from '../validation/validate.js'
import { mainType } from './coerce.js'
import { describe, sentAt } from './words.js'

/** One thing that is wrong with a request, in the words of pydantic 2 (an item of 2.16). */
export interface InputError {
  type: string
  loc: (string | number)[]
  msg: string
  input: unknown
  ctx?: JsonObject
}

/** How many problems of a request are told. Telling all would cost many times the size of a body. */
const mostProblems = 1000

/**
 * An input that breaks the contract: answered with 422 and the ValidationError body (2.16). It is thrown, but it is not an
 * Error: making a stack would cost more than the check.
 */
export class Invalid {
  readonly problems: InputError[]

  constructor(problems: InputError[]) {
    this.problems = problems.slice(0, mostProblems)
  }
}

/** The part of an operation that a check reads. */
export type Typed = Pick<Operation, 'input' | 'form'>

/**
 * Says what ajv found wrong with an input: one problem per place, in the order in which the contract declares them, each
 * with what was sent there.
 */
export function explain(
  errors: ErrorObject[],
  documents: Documents,
  operation: Typed,
  coercion: Coercion,
  raw: RawInput
): InputError[] {
  const found = new Map<string, { problem: InputError; rank: number[] }>()
  for (const error of errors.slice(0, mostProblems)) {
    if (isOfBranches(error)) continue
    const { loc, schemas } = place(error, documents, operation, raw)
    const lax = loc[0] !== 'body' || operation.form || coercion === 'lax'
    const problem = describe(error, loc, lax, operation, raw)
    const key = JSON.stringify(problem?.loc)
    if (problem && !found.has(key)) found.set(key, { problem, rank: schemas })
  }
  if (found.size > 0) return [...found.values()].sort((a, b) => compare(a.rank, b.rank)).map((it) => it.problem)
  // The keyword has no words, or nothing is wrong.
  return errors.slice(0, 1).map((error) => {
    const { loc } = place(error, documents, operation, raw)
    return { type: 'value_error', loc, msg: `Value error, ${error.message}`, input: sentAt(raw, loc) }
  })
}

/** A field that may be null fails in both branches and in their union. The branch that is not null says what is wrong. */
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

/** Where an error lies, as loc and as positions of declaration. */
function place(error: ErrorObject, documents: Documents, operation: Typed, raw: RawInput) {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => (step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step))
  if (error.keyword === 'required') steps.push(error.params.missingProperty)
  if (error.keyword === 'additionalProperties') steps.push(error.params.additionalProperty)
  const loc: (string | number)[] = []
  const schemas: number[] = []
  let schema: JsonObject | undefined = {
    properties: operation.input as JsonObject,
    order: ['path', 'query', 'header', 'cookie', 'body']
  }
  let sent: unknown = raw
  for (const step of steps) {
    schema = schemaFor(documents, schema, sent)
    const properties = (schema?.properties ?? {}) as JsonObject
    if (Array.isArray(sent)) {
      loc.push(Number(step))
      schemas.push(Number(step))
      schema = schema?.items as JsonObject | undefined
    } else {
      const names = (schema?.order as string[] | undefined) ?? Object.keys(properties)
      const position = names.indexOf(step)
      loc.push(step)
      schemas.push(position < 0 ? names.length : position)
      schema = (properties[step] ?? schema?.additionalProperties) as JsonObject | undefined
    }
    sent = (sent as JsonObject | undefined)?.[step]
  }
  if (error.propertyName !== undefined) loc.push(error.propertyName, '[key]')
  return { loc, schemas }
}

/** The schema that a reference leads to; of a choice, the one for lists where there is a list, and else the other. */
function schemaFor(documents: Documents, given: JsonObject | undefined, sent: unknown): JsonObject | undefined {
  let schema = given
  while (schema && (typeof schema.$ref === 'string' || Array.isArray(schema.anyOf))) {
    const branches = Array.isArray(schema.anyOf) ? (schema.anyOf as JsonObject[]) : [schema]
    const followed = branches.map((it) =>
      typeof it.$ref === 'string' ? (follow(documents, it.$ref) as JsonObject) : it
    )
    schema = followed.find((it) => (mainType(it) === 'array') === Array.isArray(sent)) ?? followed[0]
  }
  return schema
}
