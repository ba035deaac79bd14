import { isDeepStrictEqual } from 'node:util'
import type { Contract, Operation } from '../../../contract/contract.js'
import { isJsonType } from '../../../contract/message/media.js'
import { blanked, type Redaction } from '../../../contract/message/redaction.js'
import type { Expectation, ScenarioStep } from '../../../contract/types.gen.js'
import type { Journal } from '../../../mock/journal/journal.js'
import { redactBody, redactHeader, redactUrl } from '../../../mock/journal/redact.js'
import type { RecordedCall } from '../../../mock/sandbox/deeds.js'
import { canBeSent, requestOfCall } from '../scenarios/request.js'
import { shownFields } from './fields.js'

type Call = NonNullable<ScenarioStep['call']>

export interface CallTexts {
  contract: Contract
  /** Has the answers. */
  journal: Journal
  /** Whether uploads are told whole; else by size and digest. */
  isWhole: boolean
}

/** A request as a step, without secrets; undefined: no client could make it again. */
export function callStep(deed: RecordedCall, { contract, journal, isWhole }: CallTexts): ScenarioStep | undefined {
  const operation = deed.operation === undefined ? undefined : contract.operations.get(deed.operation)
  const redaction = operation && contract.redactionOf(operation)
  const address = addressOf(contract, operation, deed)
  if (!address) return undefined
  const { user, request } = deed
  const { headers, ...body } = bodyOf(deed, redaction, isWhole)
  const call: Call = {
    ...address,
    ...(user !== 'admin' && { user }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...body,
    expect: expectationOf(deed, journal, redaction?.takesSecrets ?? false)
  }
  return { call, ...(request !== undefined && { note: request }) }
}

/** Where it went: by its operation, where that says all of it. */
function addressOf(
  contract: Contract,
  operation: Operation | undefined,
  deed: RecordedCall
): Partial<Call> | undefined {
  const { method } = deed
  const url = redactUrl(deed.target)
  const [path = '', search] = url.split(/\?(.*)/s, 2)
  // Clients resolve dots, and take two slashes for a host.
  if (!path.startsWith('/') || path.startsWith('//') || /\\|\/(\.|%2e){1,2}(\/|$)/i.test(path)) return undefined
  if (!canBeSent(method) || deed.target.includes('#')) return undefined
  if (operation?.method === method) {
    const params = Object.entries(deed.params).map(([name, value]) => [name, plain(value)])
    const query = queryOf(search)
    const call = {
      operation: operation.id,
      ...(params.length > 0 && { path: Object.fromEntries(params) }),
      ...(search !== undefined && { query })
    }
    // A form needs its operation.
    if (operation.form || requestOfCall(contract, call).target === url) return call
  }
  return { method, url }
}

function queryOf(search = ''): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name]
    query[name] = before === undefined ? value : [before, value].flat()
  }
  return query
}

/** A number, where it is written as one. */
function plain(text: string): string | number {
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}

function bodyOf(
  { method, headers: given, fields, text, form }: RecordedCall,
  redaction: Redaction | undefined,
  isWhole: boolean
): Pick<Call, 'body' | 'text'> & { headers: Record<string, string> } {
  const headers: Record<string, string> = {}
  for (let at = 0; at < given.length; at += 2) {
    const name = given[at] as string
    if (name !== 'content-type') headers[name] = redactHeader(name, given[at + 1] as string)
  }
  if (method === 'GET' || method === 'HEAD') return { headers }
  if (fields) return { headers, body: shownFields(fields, redaction, isWhole) }
  if (text === undefined) return { headers }
  const typeAt = given.indexOf('content-type')
  const type = typeAt < 0 ? '' : (given[typeAt + 1] as string)
  const hides = redaction?.takesSecrets === true
  if (form === 'json') {
    const value: unknown = JSON.parse(text)
    if (hides) return { headers, body: redaction.request(value) }
    // JSON has no minus zero, and no number that is too large for it.
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)) return { headers, body: redactBody(value) }
  }
  if (!isJsonType(type)) headers['content-type'] = type
  return { headers, text: hides ? hidden(form) : (redactBody(text, type) as string) }
}

/** In the place of a text that may hold secrets: one that is refused for the same reason. */
function hidden(form: RecordedCall['form']): string {
  return form === 'malformed' ? '{' : blanked
}

/** Longer answers are expected by their status alone: characters of JSON. */
const longest = 16 * 1024

function expectationOf(
  { method, status, request }: RecordedCall,
  journal: Journal,
  takesSecrets: boolean
): Expectation {
  // An answer to HEAD has no body. A 401 tells how the token was wrong, a 422 what was sent.
  if (status === 0 || status === 401 || method === 'HEAD' || request === undefined || (takesSecrets && status >= 400))
    return { status }
  const body = withoutBlanks(journal.find(request)?.response.body)
  return body === undefined || body === '' || JSON.stringify(body).length > longest ? { status } : { status, body }
}

/** The parts of an answer that are no secrets; undefined: there is none. */
function withoutBlanks(value: unknown): unknown {
  if (typeof value === 'string') return value.includes(blanked) ? undefined : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(withoutBlanks)
    return items.includes(undefined) ? undefined : items
  }
  const fields = Object.entries(value).map(([name, field]) => [name, withoutBlanks(field)])
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}
