import type { Contract } from '../contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import type { Operation } from '../contract/model.js'
import { responseOf } from '../contract/outcomes.js'
import { flattened } from '../contract/schemas/schemas.js'

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
 * An error in the form that the document of an API gives it: its status, and a body made from its schema with the reason in its
 * first text. A body that the document does not describe stays as it is.
 */
export function documentedError(
  contract: Contract,
  operation: Operation,
  error: { status: number; body: unknown },
  { isInPath, isChosen }: { isInPath: boolean; isChosen: boolean }
): { status: number; body: unknown; media?: string } {
  const wanted = isChosen ? [] : [...(instead[error.status] ?? []), ...(isInPath ? [404] : [])]
  const status = wanted.find((it) => operation.responses[it] !== undefined) ?? error.status
  const row = responseOf(operation, status)
  if (!row) return { ...error, status }
  if (!row.schema) return { status, body: undefined }
  const media = row.media === undefined ? {} : { media: row.media }
  if (row.media !== undefined) return { status, body: reasonOf(error.body), ...media }
  if (isDescribed(contract, operation, status, row.schema, error.body as Json)) return { ...error, status }
  const [example] = Object.values(row.examples ?? {})
  const made = example ?? contract.sampleOf(operation, status, 1)
  const isValid = (body: Json) => contract.checkReply(operation, status, body, new Set()).length === 0
  const numbered = withStatus(made, status, isValid)
  return { status, body: withReason(contract, row.schema, numbered, reasonOf(error.body), isValid) ?? numbered }
}

/** Whether an error has no other fields than those of the document, and all that it needs. */
function isDescribed(
  contract: Contract,
  operation: Operation,
  status: number,
  schema: JsonObject,
  body: Json
): boolean {
  const { properties } = flattened(contract.documents, schema)
  const isOwn = isObject(body) && Object.keys(body).every((name) => Object.hasOwn(properties, name))
  return isOwn && contract.checkReply(operation, status, body, new Set()).length === 0
}

/** The text of an error, and of its first problem. */
function reasonOf(body: unknown): string {
  const { detail, message } = isObject(body) ? body : ({} as JsonObject)
  const given = detail ?? message ?? ''
  if (!Array.isArray(given)) return String(given)
  return (given as JsonObject[]).map(({ loc, msg }) => `${[loc].flat().join('.')}: ${msg}`).join('; ')
}

/** The value with the status in the numbers that are called so. */
function withStatus(value: Json, status: number, isValid: (value: Json) => boolean): Json {
  if (!isObject(value)) return value
  let result: JsonObject = value
  for (const [name, it] of Object.entries(value)) {
    if (!/^(http_?)?(status|code)(_?code)?$/i.test(name)) continue
    const next = { ...result, [name]: typeof it === 'string' ? String(status) : status }
    if (isValid(next)) result = next
  }
  return result
}

/** The value with the reason in the first of its texts that takes any text. Undefined: it has none. */
function withReason(
  contract: Contract,
  schema: Json | undefined,
  value: Json,
  reason: string,
  isValid: (value: Json) => boolean
): Json | undefined {
  const whole = schemaOf(contract.documents, schema)
  if (typeof value === 'string') {
    const isFree = whole.format === undefined && whole.enum === undefined && whole.const === undefined
    return isFree && isValid(reason) ? reason : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { properties } = flattened(contract.documents, whole)
  const schemaFor = (name: string) => (Array.isArray(value) ? whole.items : properties[name])
  // Texts of the value itself come before those inside it.
  const entries = Object.entries(value)
  for (const [name, it] of [
    ...entries.filter(([, it]) => typeof it === 'string'),
    ...entries.filter(([, it]) => isObject(it) || Array.isArray(it))
  ]) {
    const put = (next: Json): Json => (Array.isArray(value) ? [next] : { ...value, [name]: next })
    const found = withReason(contract, schemaFor(name), it as Json, reason, (next) => isValid(put(next)))
    if (found !== undefined) return put(found)
  }
  return undefined
}
