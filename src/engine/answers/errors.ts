import type { Contract } from '../contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import type { Operation } from '../contract/model.js'
import { inMap } from '../contract/once.js'
import { responseOf } from '../contract/outcomes.js'
import { fieldsIn } from '../contract/schemas/schemas.js'

/** The statuses that take the place of one that the document does not have. */
const instead: Readonly<Record<number, readonly number[]>> = {
  422: [422, 400],
  409: [409, 422, 400],
  400: [400, 422],
  403: [403, 401],
  404: [404],
  410: [410, 404],
  401: [401, 403]
}

/**
 * An error in the form that the document of an API gives it: its status, and a body made from its schema. A body that the document
 * does not describe stays as it is.
 */
export function documentedError(
  contract: Contract,
  operation: Operation | undefined,
  error: { status: number; body: unknown },
  { isInPath, isChosen, now }: { isInPath: boolean; isChosen: boolean; now: string }
): { status: number; body: unknown; media?: string } {
  const choices = isChosen ? [] : [...(instead[error.status] ?? []), ...(isInPath ? [404] : [])]
  const status = choices.find((it) => operation?.responses[it] !== undefined) ?? error.status
  const place =
    operation && responseOf(operation, status) ? { operation, status } : usualError(contract, operation && status)
  const row = place && responseOf(place.operation, place.status)
  if (!row) return { ...error, status }
  if (!row.schema) return { ...error, status }
  if (row.media !== undefined) return { status, body: reasonOf(error.body), media: row.media }
  const isValid = (body: Json) => contract.checkReply(place.operation, place.status, body, new Set()).length === 0
  if (isOwnForm(contract, row.schema, error.body as Json) && isValid(error.body as Json)) return { ...error, status }
  const [example] = Object.values(row.examples ?? {})
  const base = example !== undefined && isValid(example) ? example : contract.sampleOf(place.operation, place.status, 1)
  const facts: ErrorFacts = { status, reason: reasonOf(error.body), problems: problemsOf(error.body), now }
  for (const schema of kindsOf(contract, row.schema)) {
    const body = errorFrom(contract, schema, base, facts)
    if (body !== undefined && isValid(body)) return { status, body }
  }
  return { status, body: base }
}

interface ErrorPlace {
  operation: Operation
  status: number
}
const usualErrors = new WeakMap<Contract, (ErrorPlace & { schema: JsonObject })[]>()

/**
 * Where the document has its error, if all its errors are the same, and not only those of wrong requests; or, at an operation, if
 * all with its status are the same.
 */
function usualError(contract: Contract, status: number | undefined): ErrorPlace | undefined {
  const all = inMap(usualErrors, contract, () =>
    [...contract.operations.values()].flatMap((operation) =>
      Object.keys(operation.responses).flatMap((it) => {
        const { schema = {} } = responseOf(operation, Number(it)) ?? {}
        const isError = operation.origin && Number(it) >= 400 && Object.keys(schema).length > 0
        return isError ? [{ operation, status: Number(it), schema }] : []
      })
    )
  )
  const isOne = (of: typeof all) => new Set(of.map(({ schema }) => JSON.stringify(schema))).size === 1
  const alike = all.filter((it) => it.status === status)
  if (isOne(alike)) return alike[0]
  return isOne(all) ? all.find((it) => it.status !== 400 && it.status !== 422) : undefined
}

/** What an error says. */
interface ErrorFacts {
  status: number
  reason: string
  problems: readonly Problem[]
  /** The sandbox's time. */
  now: string
}

interface Problem {
  loc: (string | number)[]
  msg: string
  type: string
}

/** Whether the mock's own form says all that the document describes: `{ detail }`, or the items of FastAPI. */
function isOwnForm(contract: Contract, schema: Json, body: Json): boolean {
  const names = Object.keys(fieldsIn(contract, schema).properties)
  const own = isObject(body) ? Object.keys(body) : []
  const isWhole = names.length <= 1 || (isObject(body) && Array.isArray(body.detail))
  return names.length === 0 || (isWhole && own.every((it) => names.includes(it)))
}

function problemsOf(body: unknown): Problem[] {
  const { detail } = isObject(body) ? body : ({} as JsonObject)
  return Array.isArray(detail) ? (detail as unknown as Problem[]) : []
}

/** The text of an error, or of its problems. */
function reasonOf(body: unknown): string {
  const { detail, message } = isObject(body) ? body : ({} as JsonObject)
  const problems = problemsOf(body)
  if (problems.length === 0) return String(detail ?? message ?? '')
  return problems.map(textOf).join('; ')
}

const textOf = ({ loc, msg }: Problem) => (loc.length === 0 ? msg : `${loc.join('.')}: ${msg}`)

/** The schemas that a value may have. */
function kindsOf({ documents }: Contract, schema: Json): Json[] {
  const { anyOf, oneOf, properties } = schemaOf(documents, schema)
  const kinds = (anyOf ?? oneOf) as Json[] | undefined
  return kinds && properties === undefined ? kinds : [schema]
}

const statuses = /^(http_?)?(status|code)(_?code)?$/i
/** What the text of an error is called. */
export const reasons =
  /^(message|msg|details?|description|title|reason|summary|text|(error_?)?(message|description|msg)|error|issue|problem|cause)$/i
const places = /^(field|path|loc|location|param|parameter|pointer|name|property|source|key|attribute|target)$/i

/**
 * An error as its schema describes it: with the status, the reason, and the places of its problems. Other fields have the value that
 * `base` has, if they are needed.
 */
function errorFrom(
  contract: Contract,
  schema: Json | undefined,
  base: Json | undefined,
  facts: ErrorFacts
): Json | undefined {
  const whole = schemaOf(contract.documents, kindsOf(contract, schema ?? {})[0])
  const { properties, required } = fieldsIn(contract, whole)
  const [type] = [whole.type].flat()
  if (type === 'array') return listFrom(contract, whole, base, facts)
  if (type === 'string' && whole.enum === undefined) return facts.reason
  if (Object.keys(properties).length === 0)
    return isObject(whole.additionalProperties) ? mapFrom(contract, whole, facts) : base
  // Problems of RFC 9457 have a type, which says nothing more than the status.
  const isProblem = ['type', 'title', 'status'].every((it) => Object.hasOwn(properties, it))
  const has = { ...(isObject(base) && base), ...(isProblem && { type: 'about:blank' }) } as JsonObject
  const entries = Object.entries(properties).map(([name, property]): [string, Json | undefined] => {
    const field = schemaOf(contract.documents, kindsOf(contract, property)[0])
    const isFree = field.enum === undefined && field.const === undefined
    const [of] = [field.type].flat()
    const isScalar = of === 'string' || of === 'integer' || of === 'number'
    const code = of === 'string' || field.type === undefined ? valueFor(facts.status, field.enum) : undefined
    if (code !== undefined && required.includes(name)) return [name, code]
    if (isScalar && statuses.test(name) && isFree) return [name, of === 'string' ? String(facts.status) : facts.status]
    if (of === 'boolean' && isFree && required.includes(name)) return [name, !/^(success|succeeded|ok)$/i.test(name)]
    if (field.format === 'date-time' && required.includes(name)) return [name, facts.now]
    const [problem] = facts.problems
    if (of === 'string' && isFree && reasons.test(name)) return [name, facts.reason]
    if (of === 'string' && isFree && problem && facts.problems.length === 1 && places.test(name))
      return [name, placeOf(problem)]
    // An error about no field has no place.
    if (of === 'string' && isFree && required.includes(name) && places.test(name)) return [name, '']
    const isInner = of === 'array' || of === 'object' || Object.keys(fieldsIn(contract, field).properties).length > 0
    const isError =
      /^errors?$/i.test(name) && (of !== 'array' || !Object.keys(properties).some((it) => reasons.test(it)))
    const isNeeded = isInner && (required.includes(name) || facts.problems.length > 0 || isError)
    if (isNeeded) return [name, errorFrom(contract, field, has[name], facts)]
    return [name, required.includes(name) ? has[name] : undefined]
  })
  return Object.fromEntries(entries.filter((it): it is [string, Json] => it[1] !== undefined))
}

/** The value of a list that says what a status says, such as NOT_FOUND. */
function valueFor(status: number, values: Json | undefined): Json | undefined {
  const words: Record<number, RegExp> = {
    400: /bad_?request|invalid|validation/i,
    401: /unauthori[sz]ed|unauthenticated|authentication/i,
    403: /forbidden|permission|denied/i,
    404: /not_?found|missing/i,
    409: /conflict|exists|duplicate/i,
    422: /unprocessable|invalid|validation/i,
    429: /too_?many|rate/i
  }
  const forms = [words[status] ?? /$^/, status >= 500 ? /internal|server|api_error/i : /invalid|bad|request/i]
  const texts = Array.isArray(values) ? values : []
  return forms.map((form) => texts.find((it) => form.test(String(it)))).find((it) => it !== undefined)
}

/** An item for each problem, or one for the reason. */
function listFrom(contract: Contract, { items }: JsonObject, base: Json | undefined, facts: ErrorFacts): Json {
  const [first] = Array.isArray(base) ? base : []
  const each = facts.problems.map((it) => ({ ...facts, reason: it.msg, problems: [it] }))
  const isText = [schemaOf(contract.documents, items).type].flat().includes('string')
  if (isText) return facts.problems.length > 0 ? facts.problems.map(textOf) : [facts.reason]
  return (each.length > 0 ? each : [facts]).flatMap((it) => errorFrom(contract, items ?? {}, first, it) ?? [])
}

/** The problems by the fields in which they are. */
function mapFrom(contract: Contract, { additionalProperties }: JsonObject, facts: ErrorFacts): Json {
  const entries = facts.problems.map((it): [string, Json | undefined] => [
    placeOf(it),
    errorFrom(contract, additionalProperties, undefined, { ...facts, reason: it.msg, problems: [{ ...it, loc: [] }] })
  ])
  if (entries.length === 0) entries.push(['detail', errorFrom(contract, additionalProperties, undefined, facts)])
  return Object.fromEntries(entries.filter((it): it is [string, Json] => it[1] !== undefined))
}

/** The place of a problem in the path, query or body. */
function placeOf({ loc }: Problem): string {
  return loc.slice(loc.length > 1 ? 1 : 0).join('.')
}

/** The type and the headers that the document of an API promises for an answer, unless the reply has them. */
export function promisedHeaders(
  {
    contract,
    operation,
    sandbox
  }: { contract: Contract; operation: Operation | undefined; sandbox: { ids: { seed: number } } },
  reply: { status: number; body: unknown; media?: string | undefined; headers?: Record<string, string> | undefined }
): Record<string, string> {
  const row = operation && responseOf(operation, reply.status)
  const { jsonType } = row ?? {}
  const isTyped = jsonType !== undefined && reply.media === undefined && reply.body !== undefined
  const own = Object.keys(reply.headers ?? {}).map((it) => it.toLowerCase())
  const promised = Object.entries(row?.headers ?? {}).filter(([name, it]) => it.isRequired && !own.includes(name))
  const headers = promised.map(([name, { schema }]): [string, string] => {
    const whole = schemaOf(contract.documents, schema)
    return [name, String(whole.example ?? whole.default ?? contract.sample(whole, sandbox.ids.seed, 0))]
  })
  return { ...(isTyped && { 'Content-Type': jsonType }), ...Object.fromEntries(headers) }
}
