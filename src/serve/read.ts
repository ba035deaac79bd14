import type { Operation } from '../contract/contract.js'
import { parseJson } from '../contract/json.js'
import type { Body, UploadedFile } from '../contract/message/body.js'
import { isJsonType } from '../contract/message/media.js'
import { readQuery } from '../contract/message/query.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { isTooDeep } from '../contract/validation/nesting.js'
import { type JsonLimits, readJsonBody, readTextBody } from './body/body.js'
import { type Limits, limitsOf } from './body/limits.js'
import { readMultipart } from './body/multipart.js'
import type { UploadShare } from './body/upload-budget.js'
import { expandZips } from './body/zip.js'
import { assume, choice, type Exchange, type FoundExchange, isFound, type Setting } from './exchange.js'
import { again, type Request } from './message/message.js'

/** The size limits of a request in this sandbox. */
function limitsIn(exchange: Exchange): Limits {
  return limitsOf(choice(exchange, 'limits.upload'))
}

export function jsonLimitsIn(exchange: Exchange): JsonLimits {
  return { bytes: limitsIn(exchange).json, values: exchange.jsonValues }
}

/** The exchange's share of the memory for bodies. */
export function shareOf({ uploads, request }: Exchange): UploadShare {
  return uploads.open(request)
}

export function readBody(exchange: FoundExchange): Promise<Body> {
  const { operation } = exchange
  if (operation.form) return readForm(exchange, operation)
  if (operation.own?.media !== undefined)
    return readTextBody(exchange.request, jsonLimitsIn(exchange), shareOf(exchange))
  const untyped = () => assume(exchange, 'requests.no-content-type')
  return readJsonBody(exchange.request, jsonLimitsIn(exchange), shareOf(exchange), untyped)
}

/**
 * The body that an override wants to look at. If no operation reads the body, JSON is parsed and kept for the next
 * reader.
 */
export async function readAnyBody(exchange: Setting<'request'>): Promise<Body | undefined> {
  const { request, operation } = exchange
  if (isFound(exchange) && operation?.input.body) return readBody(exchange)
  const { 'content-type': type = 'application/json', 'content-encoding': encoding } = request.headers
  if (!isJsonType(type) || encoding !== undefined) return undefined
  const body = await readJsonBody(request, jsonLimitsIn(exchange), shareOf(exchange), () => 'json')
  if (!request.body.parsed) exchange.request = again(request, Buffer.from(body.text ?? ''))
  return body
}

async function readForm(exchange: Exchange, operation: Operation): Promise<Body> {
  const limits = limitsIn(exchange)
  const fields = { lists: listsOf(operation), whichCounts: () => repeatedIn(exchange) }
  if (operation.own && isUrlEncoded(exchange.request)) {
    const { parsed } = exchange.request.body
    if (parsed) return parsed
    const { text = '' } = await readTextBody(exchange.request, jsonLimitsIn(exchange), shareOf(exchange))
    return { value: readQuery(text, fields.whichCounts, fields.lists), text }
  }
  const value = await readMultipart(exchange.request, fields, limits, shareOf(exchange))
  if (operation.zips && assume(exchange, 'upload.zip') !== 'stored') {
    for (const name of fields.lists) await expandZips((value[name] ?? []) as UploadedFile[], limits)
  }
  for (const name of operation.own?.formObjects ?? []) {
    if (Object.hasOwn(value, name)) value[name] = parsed(value[name])
  }
  // The JSON of a file has its name, type and size, not its contents.
  return { value, text: JSON.stringify(value) }
}

/** A text as the JSON that it is, and what is none as it came. */
function parsed(value: unknown): unknown {
  const result = typeof value === 'string' && !isTooDeep(value) ? parseJson(value) : {}
  return 'value' in result ? result.value : value
}

function isUrlEncoded({ headers }: Request): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
}

/** Form fields that may be repeated. */
function listsOf(operation: Operation): ReadonlySet<string> {
  if (operation.own) return operation.own.formLists
  const fields = (operation.input.body?.properties ?? {}) as Record<string, { type?: string }>
  return new Set(Object.keys(fields).filter((name) => fields[name]?.type === 'array'))
}

/** The JSON of a body. Malformed JSON is reported before anything else is checked (auth.order). */
export function jsonOf(exchange: Exchange): unknown {
  const body = exchange.body ?? { value: undefined }
  if ('value' in body) return body.value
  exchange.assumed.add('auth.order')
  const { offset, error } = body.malformed
  throw new Invalid([
    { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {}, ctx: { error } }
  ])
}

/** The query of a request, as its operation reads it. */
export function queryOf(exchange: Exchange): Record<string, string | string[]> {
  const lists = exchange.operation?.own?.lists
  return readQuery(exchange.search, () => repeatedIn(exchange), lists)
}

/** The same with one value per parameter. */
export function plainQueryOf(exchange: Exchange): Record<string, string> {
  return readQuery(exchange.search, () => repeatedIn(exchange))
}

function repeatedIn(exchange: Exchange): 'last' | 'first' {
  return assume(exchange, 'requests.repeated')
}
