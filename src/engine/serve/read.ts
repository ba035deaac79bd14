import { isUtf8 } from 'node:buffer'
import { isJsonType, isTooDeep, mostJsonValues, parseJson } from '../contract/json.js'
import type { Body, UploadedFile } from '../contract/message/body.js'
import { isOfMedia } from '../contract/message/media.js'
import { nested, readQuery } from '../contract/message/query.js'
import { Refusal } from '../contract/message/refusal.js'
import { refuse } from '../contract/message/reply.js'
import type { Operation } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { type JsonLimits, readJsonBody, readTextBody } from './body/body.js'
import { type Limits, limitsOf, tooLarge, type UploadShare } from './body/limits.js'
import { maxFields, noBoundary, type Part, unreadable } from './body/part.js'
import { readParts } from './body/parts.js'
import { Upload } from './body/storage.js'
import { expandZips } from './body/zip.js'
import { assume, choice, type Exchange, type FoundExchange, isFound, type Setting } from './exchange.js'
import { again, type Request } from './message/message.js'

/** The size limits of a request in this sandbox. */
function limitsIn(exchange: Exchange): Limits {
  return limitsOf(choice(exchange, 'limits.upload'))
}

export function jsonLimitsIn(exchange: Exchange): JsonLimits {
  return { bytes: limitsIn(exchange).json, values: mostJsonValues }
}

/** The exchange's share of the memory for bodies. */
export function shareOf({ uploads, request }: Exchange): UploadShare {
  return uploads.open(request)
}

export function readBody(exchange: FoundExchange): Promise<Body> {
  const { operation } = exchange
  if (operation.form) return readForm(exchange, operation)
  if (operation.media !== undefined) {
    const { 'content-type': type } = exchange.request.headers
    if (type !== undefined && !operation.media.some((it) => isOfMedia(type, it)))
      refuse(415, `The body may be ${operation.media.join(' or ')}, not ${type}.`)
    return readTextBody(exchange.request, jsonLimitsIn(exchange), shareOf(exchange))
  }
  const untyped = () => assume(exchange, 'requests.no-content-type')
  return readJsonBody(exchange.request, jsonLimitsIn(exchange), shareOf(exchange), untyped)
}

/** The body that an override needs to match. If no operation reads the body, JSON is parsed and kept for the next reader. */
export async function readAnyBody(exchange: Setting<'request' | 'unreadable'>): Promise<Body | undefined> {
  const { request, operation } = exchange
  if (isFound(exchange) && operation?.input.body) return readBody(exchange)
  const { 'content-type': type = 'application/json', 'content-encoding': encoding } = request.headers
  if (!isJsonType(type) || encoding !== undefined) return undefined
  const limits = jsonLimitsIn(exchange)
  const bytes = request.leave && (await request.body.peek?.(limits.bytes))
  try {
    const from = bytes ? again(request, bytes) : request
    const body = await readJsonBody(from, limits, shareOf(exchange), () => 'json')
    if (!request.body.parsed) exchange.request = again(request, Buffer.from(body.text ?? ''))
    return body
  } catch (error) {
    if (operation || !request.leave) throw error
    exchange.unreadable = error
    return undefined
  }
}

async function readForm(exchange: Exchange, operation: Operation): Promise<Body> {
  const limits = limitsIn(exchange)
  const { formLists, formObjects, origin } = operation
  const isWhole = (name: string) => formLists.has(name) || formObjects.includes(name)
  const deep = (value: Record<string, unknown>) => (origin ? nested(value, isWhole) : value)
  const has = (name: string) => formLists.has(name) || (name.endsWith('[]') && origin !== undefined)
  const fields = { lists: { has } as ReadonlySet<string>, whichCounts: () => repeatedIn(exchange) }
  if (operation.isUrlEncoded && isUrlEncoded(exchange.request)) {
    const { parsed } = exchange.request.body
    if (parsed) return parsed
    const { text = '' } = await readTextBody(exchange.request, jsonLimitsIn(exchange), shareOf(exchange))
    return { value: deep(readQuery(text, fields.whichCounts, fields.lists)), text }
  }
  const value = deep(await readMultipart(exchange.request, fields, limits, shareOf(exchange)))
  if (operation.zips && assume(exchange, 'upload.zip') !== 'stored') {
    for (const name of formLists) await expandZips((value[name] ?? []) as UploadedFile[], limits)
  }
  for (const name of formObjects) {
    if (Object.hasOwn(value, name)) value[name] = parsed(value[name])
  }
  // The JSON of a file has its name, type and size, not its contents.
  return { value, text: JSON.stringify(value) }
}

/** A text parsed as JSON, or unchanged if it is not JSON. */
function parsed(value: unknown): unknown {
  const result = typeof value === 'string' && !isTooDeep(value) ? parseJson(value) : {}
  return 'value' in result ? result.value : value
}

function isUrlEncoded({ headers }: Request): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')
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
  const lists = exchange.operation?.lists
  return readQuery(exchange.search, () => repeatedIn(exchange), lists)
}

/** The same with one value per parameter. */
export function plainQueryOf(exchange: Exchange): Record<string, string> {
  return readQuery(exchange.search, () => repeatedIn(exchange))
}

function repeatedIn(exchange: Exchange): 'last' | 'first' {
  return assume(exchange, 'requests.repeated')
}

interface FormFields {
  /** The names of array fields. */
  lists: ReadonlySet<string>
  /** Which value of another repeated field to use. Called only if a field is repeated. */
  whichCounts: () => 'last' | 'first'
}

/** Reads a multipart/form-data body. Any other is a form without fields. A rejected one is not read to its end. */
export async function readMultipart(
  request: Request,
  fields: FormFields,
  limits: Limits,
  share: UploadShare
): Promise<Record<string, unknown>> {
  const parts: Part[] = []
  try {
    const isFormData = isForm(request)
    const { parsed } = request.body
    if (isFormData && parsed) parts.push(...partsOf(parsed))
    else if (isFormData) await readParts(request, limits, share, parts)
  } catch (error) {
    share.release()
    throw refusal(error as Error & { code?: string }, limits)
  }
  return formOf(parts, fields)
}

function isForm({ headers, body }: Request): boolean {
  const type = headers['content-type'] ?? ''
  const encoding = headers['content-encoding']
  if (!/^multipart\/form-data\s*(;|$)/i.test(type) || !body.isExpected) return false
  if (encoding && encoding !== 'identity') throw new Refusal('unsupported-encoding', { encoding })
  if (!/;\s*boundary=/i.test(type)) throw unreadable(noBoundary)
  return true
}

/** The parts of a form that another part of the app has parsed. */
function partsOf({ value, files = [] }: NonNullable<Request['body']['parsed']>): Part[] {
  const texts = Object.entries(value ?? {}).flatMap(([name, field]) =>
    [field].flat().map((it): Part => [name, `${it}`])
  )
  const uploads = files.map(({ fieldname, originalname, mimetype, buffer }): Part => {
    const file = new Upload(nameOf(originalname), mimetype)
    file.add(buffer)
    return [fieldname, file]
  })
  return [...texts, ...uploads]
}

/** multer reads names as Latin-1 by default, but browsers send UTF-8. */
function nameOf(name: string): string {
  const bytes = Buffer.from(name, 'latin1')
  return isUtf8(bytes) && bytes.toString('latin1') === name ? bytes.toString('utf8') : name
}

function formOf(parts: Part[], { lists, whichCounts }: FormFields): Record<string, unknown> {
  const form = new Map<string, unknown>()
  const names = new Set<string>()
  for (const [name, value] of parts) {
    if (!lists.has(name)) {
      if (names.has(name) && whichCounts() === 'first') continue
      names.add(name)
      if (value === '') form.delete(name)
      else form.set(name, value)
    } else if (value !== '') {
      const list = form.get(name) as unknown[] | undefined
      if (list) list.push(value)
      else form.set(name, [value])
    }
  }
  return Object.fromEntries(form)
}

function refusal(error: Error & { code?: string }, limits: Limits): Refusal {
  if (error instanceof Refusal) return error
  switch (error.code) {
    case 'LIMIT_FILE_COUNT':
      return new Refusal('too-large', { detail: `There are more than ${limits.files} files (limits.upload: files).` })
    case 'LIMIT_FIELD_VALUE':
      return tooLarge('form fields', limits.json, 'json')
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return unreadable(`Too many fields. Maximum number of fields is ${maxFields}.`)
    default:
      return unreadable('Invalid multipart data.')
  }
}
