import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Contract } from '../../contract/contract.js'
import { isJsonType } from '../../contract/json.js'
import { isPkcs12, type UploadedFile } from '../../contract/message/body.js'
import { blank, blanked, type Redaction } from '../../contract/message/redaction.js'
import type { Operation } from '../../contract/model.js'
import type { Expectation, ScenarioStep } from '../../contract/types.gen.js'
import type { Journal } from '../../journal/journal.js'
import { redactBody, redactHeader, redactUrl } from '../../journal/redact.js'
import type { RecordedCall } from '../../sandbox/calls.js'
import { canBeSent, requestOfCall } from '../scenarios/request.js'

/** A file that was too large to keep its bytes. */
type FileHead = Pick<UploadedFile, 'sentName' | 'type'> & { size: number }

/** The fields of a form as a step sends them, without secrets. */
function shownFields(
  fields: Record<string, unknown>,
  redaction: Redaction | undefined,
  isWhole: boolean
): Record<string, unknown> {
  const hides = redaction?.takesSecrets === true
  const shown = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => shown(name, item))
    if (typeof value === 'object' && value !== null)
      return { 'x-file': shownFile(value as UploadedFile, hides, isWhole) }
    if (!hides) return Object.values(redactBody({ [name]: value }) as object)[0]
    const [safe] = Object.values(redaction.request({ [name]: value }) as object)
    return safe === value ? value : standIn(String(value))
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]))
}

function shownFile(file: UploadedFile | FileHead, hides: boolean, isWhole: boolean): object {
  const { sentName: name, type } = file
  if (!('bytes' in file)) return { name, type, size: file.size }
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (hides) return { name, type, ...(isPkcs12(bytes) ? { base64: emptyKey } : { text: blanked }) }
  // The answer to a zip depends on its contents.
  if (!isWhole && !file.entries) {
    return { name, type, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  return { name, type, ...(isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') }) }
}

/** The beginning of a PFX structure, without a key in it. */
const emptyKey = Buffer.from([0x30, 8, 2, 1, 3, 0x30, 3, 6, 1, 0]).toString('base64')

/** Replaces a secret text, by JSON if the text is JSON. */
function standIn(text: string): string {
  try {
    return JSON.stringify(blank(JSON.parse(text)))
  } catch {
    return blanked
  }
}

type Call = NonNullable<ScenarioStep['call']>

export interface CallTexts {
  contract: Contract
  /** The journal with the answers. */
  journal: Journal
  /** Whether uploads are included in full; otherwise only size and digest. */
  isWhole: boolean
}

/** A request as a step, without secrets; undefined: no client could send it again. */
export function callStep(recorded: RecordedCall, { contract, journal, isWhole }: CallTexts): ScenarioStep | undefined {
  const operation = recorded.operation === undefined ? undefined : contract.operations.get(recorded.operation)
  const redaction = operation && contract.redactionOf(operation)
  const address = addressOf(contract, operation, recorded)
  if (!address) return undefined
  const { user, request } = recorded
  const { headers, ...body } = bodyOf(recorded, redaction, isWhole)
  const call: Call = {
    ...address,
    ...(user !== (contract.api.users.common[0] ?? 'admin') && { user }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...body,
    expect: expectationOf(recorded, journal, redaction?.takesSecrets ?? false)
  }
  return { call, ...(request !== undefined && { note: request }) }
}

/** Its address: by operation, if that is complete. */
function addressOf(
  contract: Contract,
  operation: Operation | undefined,
  recorded: RecordedCall
): Partial<Call> | undefined {
  const { method } = recorded
  const url = redactUrl(recorded.target)
  const [path = '', search] = url.split(/\?(.*)/s, 2)
  // Clients resolve dots, and read two slashes as the start of a host.
  if (!path.startsWith('/') || path.startsWith('//') || /\\|\/(\.|%2e){1,2}(\/|$)/i.test(path)) return undefined
  if (!canBeSent(method) || recorded.target.includes('#')) return undefined
  if (operation?.method === method) {
    const isNumber = /^(0|[1-9]\d{0,14})$/
    const params = Object.entries(recorded.params).map(([name, it]) => [name, isNumber.test(it) ? Number(it) : it])
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
    // JSON has no minus zero, and no numbers beyond its range.
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)) return { headers, body: redactBody(value) }
  }
  if (!isJsonType(type)) headers['content-type'] = type
  // A text that may contain secrets is replaced by one that is refused for the same reason.
  const hidden = form === 'malformed' ? '{' : blanked
  return { headers, text: hides ? hidden : (redactBody(text, type) as string) }
}

/** For longer answers, in characters of JSON, only the status is expected. */
const longest = 16 * 1024

function expectationOf(
  { method, status, request }: RecordedCall,
  journal: Journal,
  takesSecrets: boolean
): Expectation {
  // An answer to HEAD has no body. A 401 shows how the token was wrong, a 422 what was sent.
  if (status === 0 || status === 401 || method === 'HEAD' || request === undefined || (takesSecrets && status >= 400))
    return { status }
  const body = withoutBlanks(journal.find(request)?.response.body)
  return body === undefined || body === '' || JSON.stringify(body).length > longest ? { status } : { status, body }
}

/** The parts of an answer that are not secret; undefined: there are none. */
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
