import type { Json } from '../../engine/contract/load.js'
import { isOfMedia } from '../../engine/contract/message/media.js'
import { basePath } from '../../engine/contract/reader/document.js'
import { type Change, type Level, levels, type Values } from './change.js'
import type { OpenApiDocument } from './document.js'
import {
  type Content,
  type DocumentOperation,
  type Encodings,
  openToAll,
  operationsOf,
  type Parameter,
  type Requirement,
  type Response,
  wirePath
} from './operations.js'
import { createSchemaComparison, type Place, type SchemaComparison } from './schemas.js'
import { takesEmptyText, takesLists } from './shape.js'

/**
 * The changes from one document to another, breaking first, in the order of the documents. Names of schemas, path
 * parameters and media type parameters, descriptions and examples do not count. Throws an Error with a readable message
 * if a document cannot be compared.
 */
export function compareDocuments(old: OpenApiDocument, now: OpenApiDocument): Change[] {
  const [before, after] = [operationsOf(old), operationsOf(now)]
  const changes: Change[] = []
  const schemas = createSchemaComparison(old, now, (change) => void changes.push(change))
  const reportOf = ({ name: operation }: DocumentOperation): ReportChange => {
    return (id, level, place = '', values = {}) => changes.push({ id, level, operation, place, ...values })
  }
  const [was, is] = [old, now].map(
    ({ root: { servers } }) => (servers as Json[] | undefined)?.length && (basePath(servers) || '/')
  )
  if (was && is && was !== is)
    changes.push({ id: 'api-base-path-changed', level: 'breaking', operation: '*', place: '', was, is })
  const paths = new Set([...after.values()].map(({ path }) => wirePath(path)))
  for (const [key, was] of before) {
    const is = after.get(key)
    const what = was.isReversed ? 'webhook' : paths.has(wirePath(was.path)) ? 'api' : 'api-path'
    const isEarly = was.sunset !== undefined && Date.parse(was.sunset) > Date.now()
    if (is) compareOperations(was, is, schemas, reportOf(is))
    else if (was.isDeprecated && isEarly)
      reportOf(was)(`${what}-removed-before-sunset`, 'breaking', '', { was: was.sunset as string })
    else if (was.isDeprecated) reportOf(was)(`${what}-removed-with-deprecation`, 'info')
    else reportOf(was)(`${what}-removed-without-deprecation`, 'breaking')
  }
  for (const [key, is] of after) {
    if (!before.has(key)) reportOf(is)(is.isReversed ? 'webhook-added' : 'endpoint-added', 'info')
  }
  return changes.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
}

type ReportChange = (id: string, level: Level, place?: string, values?: Values) => void

function compareOperations(
  was: DocumentOperation,
  is: DocumentOperation,
  schemas: SchemaComparison,
  report: ReportChange
): void {
  if (was.id !== undefined && was.id !== is.id) {
    report('api-operation-id-removed', 'info', '', { was: was.id, ...(is.id !== undefined && { is: is.id }) })
  }
  if (!was.isDeprecated && is.isDeprecated) report('endpoint-deprecated', 'info')
  if (was.isDeprecated && !is.isDeprecated) report('endpoint-reactivated', 'info')
  // The server sends the requests of webhooks and callbacks, and reads the replies.
  const [request, response] = is.isReversed ? (['response', 'request'] as const) : (['request', 'response'] as const)
  if (!is.isReversed) compareSecurity()
  compareParameters()
  compareBody()
  compareResponses()

  function compareSecurity(): void {
    const [wasOpen, isOpen] = [was.security.has(openToAll), is.security.has(openToAll)]
    const textOf = (way: Way) => way.map(([name, scopes]) => [name, ...scopes].join(' ')).join(' and ') || 'none'
    for (const [key, way] of was.security) {
      if (is.security.has(key) || key === openToAll) continue
      const isEnough = isOpen || [...is.security.values()].some((other) => isPartOf(other, way))
      report('api-security-removed', isEnough ? 'info' : 'breaking', '', { was: textOf(way) })
    }
    for (const [key, way] of is.security) {
      if (was.security.has(key)) continue
      report('api-security-added', wasOpen && !isOpen ? 'breaking' : 'info', '', { is: textOf(way) })
    }
  }

  function compareParameters(): void {
    for (const [key, before] of was.parameters) {
      const after = is.parameters.get(key)
      if (!after)
        report('request-parameter-removed', is.isReversed && before.isRequired ? 'breaking' : 'warning', before.name)
      else {
        const at: Place = { ...placeOf(request, 'request-parameter', after.name), text: 'value' }
        schemas.requiredness(before.isRequired, after.isRequired, at)
        compareWriting(before, after)
        if (after.isExploded) schemas.asValues(before.schemas, after.schemas, at)
        else schemas.compare(before.schemas, after.schemas, at)
      }
    }
    for (const [key, { name, place, isRequired }] of is.parameters) {
      if (was.parameters.has(key)) continue
      if (is.isReversed) report('new-request-parameter', 'info', name)
      else if (place === 'path') report('new-request-path-parameter', 'breaking', name)
      else if (isRequired) report('new-required-request-parameter', 'breaking', name)
      else report('new-optional-request-parameter', 'info', name)
    }
  }

  /** How a value is written. A single value is written in the same way by most styles. */
  function compareWriting(before: Parameter, after: Parameter): void {
    const [was, is] = [before.style, after.style]
    const [wasShape, isShape] = [schemas.shapes[0](before.schemas), schemas.shapes[1](after.schemas)]
    const isPrefixed = [was, is].some((style) => /^(label|matrix)/.test(style))
    if (was !== is && (isPrefixed || (takesLists(wasShape) && takesLists(isShape))))
      report('request-parameter-style-changed', 'breaking', after.name, { was, is })
    if (before.allowsEmpty === after.allowsEmpty || takesEmptyText(isShape)) return
    if (after.allowsEmpty) report('request-parameter-empty-value-allowed', 'info', after.name)
    else report('request-parameter-empty-value-forbidden', 'breaking', after.name)
  }

  function compareBody(): void {
    const [before, after] = [was.body, is.body]
    const at = placeOf(request, 'request-body', 'request body')
    if (before && after) {
      schemas.requiredness(before.isRequired, after.isRequired, at)
      compareContent(before.content, after.content, 'request-body-media-type', at)
      for (const [type, form] of before.forms) {
        const other = after.forms.get(type)
        if (other && (form.isSaid || other.isSaid)) compareEncodings(form.encodings(), other.encodings())
      }
    } else if (before) report('request-body-removed', 'breaking', at.message)
    else if (after?.isRequired && !is.isReversed) report('request-body-added-required', 'breaking', at.message)
    else if (after) report('request-body-added-optional', 'info', at.message)
  }

  /** A field that both have may be written as before. */
  function compareEncodings(before: Encodings, after: Encodings): void {
    for (const [name, was] of before) {
      const is = after.get(name)
      if (!is) continue
      const [types, others] = [was.types.join(', '), is.types.join(', ')]
      const isTaken = was.types.every((type) => is.types.some((other) => isOfMedia(type, other)))
      const place = `request body ${name}`
      if (types !== others)
        report('request-body-encoding-changed', isTaken ? 'info' : 'breaking', place, { was: types, is: others })
      if (was.style !== is.style)
        report('request-body-encoding-style-changed', 'breaking', place, { was: was.style, is: is.style })
    }
  }

  function compareResponses(): void {
    const kindOf = (status: string) => (status.startsWith('2') ? 'success' : 'non-success')
    for (const [status, before] of was.responses) {
      const same = statusesFor(status, is.responses)
      for (const it of same) compareResponse(it, before, is.responses.get(it) as Response)
      const kind = kindOf(status)
      const level = kind === 'success' ? 'breaking' : 'info'
      if (same.length === 0) report(`response-${kind}-status-removed`, level, `response ${status}`)
    }
    for (const status of is.responses.keys()) {
      if (statusesFor(status, was.responses).length > 0) continue
      report(`response-${kindOf(status)}-status-added`, 'info', `response ${status}`)
    }
  }

  function compareResponse(status: string, before: Response, after: Response): void {
    const message = `response ${status}`
    compareContent(before.content, after.content, 'response-media-type', placeOf(response, 'response-body', message))
    for (const [name, header] of before.headers) {
      const place = `${message} header ${name}`
      const other = after.headers.get(name)
      const at = placeOf(response, 'response-header', place)
      if (!other && header.isRequired) report('required-response-header-removed', 'breaking', place)
      else if (!other) report('optional-response-header-removed', 'warning', place)
      else {
        schemas.requiredness(header.isRequired, other.isRequired, at)
        schemas.compare(header.schemas, other.schemas, { ...at, text: 'value' })
      }
    }
  }

  function compareContent(before: Content, after: Content, id: string, at: Place): void {
    for (const [type, schema] of before) {
      const range = [...after.keys()].find((it) => isOfMedia(type, it))
      const other = after.get(type) ?? (range === undefined ? undefined : after.get(range))
      const isForm = /^(multipart\/|application\/x-www-form-urlencoded)/.test(type)
      if (other) schemas.compare(schema, other, isForm ? { ...at, text: 'fields' } : at)
      else report(`${id}-removed`, 'breaking', at.message, { was: type })
    }
    for (const type of after.keys()) if (!before.has(type)) report(`${id}-added`, 'info', at.message, { is: type })
  }

  function placeOf(direction: Place['direction'], area: string, message: string): Place {
    return { operation: is.name, direction, area, message, path: '' }
  }
}

/** The responses that include a status, and those that it includes: 200 is in 2XX. */
function statusesFor(status: string, responses: Map<string, Response>): string[] {
  if (responses.has(status)) return [status]
  const isIn = (one: string, range: string) => range === `${one[0]}XX`
  return [...responses.keys()].filter((it) => isIn(status, it) || isIn(it, status))
}

type Way = Requirement[]

/** Whether one way to authenticate requires nothing that another does not. */
function isPartOf(one: Way, other: Way): boolean {
  const byName = new Map(other)
  return one.every(([name, scopes]) => scopes.every((it) => byName.get(name)?.includes(it)) && byName.has(name))
}
