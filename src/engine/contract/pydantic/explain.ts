import type { ErrorObject } from 'ajv'
import { type Documents, follow, isObject, type JsonObject } from '../load.js'
import type { Coercion, InputError, RawInput, Typed } from '../model.js'
import { taggedOf } from '../schemas/tags.js'
import { mainType } from './coerce.js'
import { describe, sentAt } from './words.js'

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
