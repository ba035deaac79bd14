import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { type OpenApiDocument, target } from './document.js'
import { listOf } from './keywords.js'

/** One operation of a document, with references resolved. Schemas stay unresolved. */
export type DocumentOperation = ReturnType<typeof operationOf>
export type Parameter = ReturnType<typeof parameterOf>[1]
export type Response = ReturnType<typeof responseOf>
export type Encodings = ReturnType<ReturnType<typeof formOf>['encodings']>

/** Schemas by media type. */
export type Content = Map<string, Json[]>

/** No authentication is needed. */
export const openToAll = '[]'

/** The spec leaves these to security, and to the media types of bodies and replies. */
const ignoredHeaders = ['authorization', 'content-type', 'accept']

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The path with unnamed parameters: their names do not appear in requests. */
export function wirePath(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}')
}

/** The operations of a document, by method and path, with its webhooks and callbacks. Throws if there are none. */
export function operationsOf(document: OpenApiDocument): Map<string, DocumentOperation> {
  const operations = new Map<string, DocumentOperation>()
  add(document.root.paths, '', false)
  if (operations.size === 0) throw new Error(`${document.name} has no operations: there is nothing to compare.`)
  for (const [name, value] of entriesOf(document.root.webhooks)) add({ [name]: value }, 'webhook ', true)
  return operations

  /** `isReversed`: the server sends the requests. */
  function add(paths: Json | undefined, prefix: string, isReversed: boolean): void {
    for (const [path, value] of entriesOf(paths)) {
      const item = target(document, value)
      for (const method of methods.filter((it) => it in item)) {
        const operation = target(document, item[method])
        const key = `${prefix}${method} ${wirePath(path)}`
        const name = `${prefix}${method.toUpperCase()} ${path}`
        operations.set(key, operationOf(document, name, path, item, operation, isReversed))
        for (const [name, callback] of entriesOf(operation.callbacks)) {
          add(target(document, callback), `callback ${name} of ${key}: `, true)
        }
      }
    }
  }
}

function operationOf(
  document: OpenApiDocument,
  name: string,
  path: string,
  item: JsonObject,
  operation: JsonObject,
  isReversed: boolean
) {
  const { operationId, deprecated, requestBody, responses, security = document.root.security } = operation
  const ways = listOf(security).map((it) => Object.entries(it as Record<string, string[]>))
  const sent = ways.map((way) => way.map(([it, scopes]) => [schemeOf(document, it), scopes] as Requirement).sort())
  const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)].map((it) => target(document, it))
  const body = requestBody === undefined ? undefined : target(document, requestBody)
  const isIgnored = (it: JsonObject) => it.in === 'header' && ignoredHeaders.includes(String(it.name).toLowerCase())
  return {
    /** `PATCH /api/things/{id}`. */
    name,
    path,
    isReversed,
    id: typeof operationId === 'string' ? operationId : undefined,
    isDeprecated: deprecated === true,
    /** Until when it stays, after it was deprecated. */
    sunset: typeof operation['x-sunset'] === 'string' ? operation['x-sunset'] : undefined,
    /** Each way to authenticate: what is sent, with the scopes, by their JSON. The names of schemes do not count. */
    security: new Map((sent.length > 0 ? sent : [[]]).map((way) => [JSON.stringify(way), way])),
    parameters: new Map(parameters.filter((it) => !isIgnored(it)).map((it) => parameterOf(document, path, it))),
    body: body && {
      isRequired: body.required === true,
      content: contentOf(document, body.content),
      /** How the fields of forms are written, by media type. */
      forms: new Map(
        entriesOf(body.content).map(([type, media]) => [typeOf(type), formOf(document, target(document, media))])
      )
    },
    responses: new Map(
      entriesOf(responses)
        .filter(([status]) => !status.startsWith('x-'))
        .map(([status, value]) => [status.toUpperCase(), responseOf(document, target(document, value))])
    )
  }
}

/** What is sent to authenticate, and the scopes. */
export type Requirement = [scheme: string, scopes: string[]]

/** What a security scheme sends, in words. Without a definition, its name. */
function schemeOf(document: OpenApiDocument, name: string): string {
  const schemes = (document.root.components as JsonObject | undefined)?.securitySchemes
  const defined = target(document, isObject(schemes) ? schemes[name] : undefined)
  const { type, in: place, name: field, scheme, flows } = defined
  const key = place === 'header' ? String(field).toLowerCase() : field
  if (type === 'apiKey') return `the ${place} ${key}`
  if (type === 'http') return `HTTP ${String(scheme).toLowerCase()}`
  return type === 'oauth2' ? ['OAuth2', ...entriesOf(flows).map(([flow]) => flow)].join(' ') : name
}

/** How the fields of a form are written: their media types and styles, and whether the document says so. */
function formOf(document: OpenApiDocument, { schema, encoding }: JsonObject) {
  const encodingOf = ([name, value]: [string, Json]) => {
    const { contentType, style, explode } = target(document, isObject(encoding) ? encoding[name] : undefined)
    const field = target(document, value)
    const { type, format } = field.type === 'array' ? target(document, field.items) : field
    const usual =
      format === 'binary' ? 'application/octet-stream' : type === 'object' ? 'application/json' : 'text/plain'
    const types = String(contentType ?? usual).split(',')
    return [name, { types: types.map(typeOf), style: [style ?? 'form', explode ?? ''].join(' ').trim() }] as const
  }
  return {
    isSaid: isObject(encoding),
    encodings: () => new Map(entriesOf(target(document, schema).properties).map(encodingOf))
  }
}

/** A parameter and its key: a path parameter's position, or else its name. */
function parameterOf(document: OpenApiDocument, path: string, row: JsonObject) {
  const [name, place] = [String(row.name), String(row.in)]
  const index = [...path.matchAll(/\{([^{}]*)\}/g)].findIndex((match) => match[1] === name)
  const [content = []] = contentOf(document, row.content).values()
  const key = place === 'path' ? `path ${index}` : `${place} ${place === 'header' ? name.toLowerCase() : name}`
  const form = String(row.style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple'))
  const isRepeated = (row.explode ?? form === 'form') === true
  const style = row.content !== undefined ? 'content' : isRepeated ? `${form}, repeated` : form
  const parameter = {
    /** `query parameter page`. */
    name: `${place} parameter ${name}`,
    place,
    isRequired: place === 'path' || row.required === true,
    schemas: row.schema === undefined ? content : [row.schema],
    /** How lists and objects are written: `form, repeated`. */
    style,
    /** Whether a list repeats the parameter. One value is then a list of one. */
    isExploded: style === 'form, repeated',
    allowsEmpty: place === 'query' && row.allowEmptyValue === true
  }
  return [key, parameter] as const
}

function responseOf(document: OpenApiDocument, response: JsonObject) {
  const headers = entriesOf(response.headers).map(([name, value]) => {
    const header = target(document, value)
    const schemas = header.schema === undefined ? [] : [header.schema]
    return [name.toLowerCase(), { isRequired: header.required === true, schemas }] as const
  })
  return { content: contentOf(document, response.content), headers: new Map(headers) }
}

/** Parameters of a media type, such as a charset, do not count. */
const typeOf = (type: string) => (type.split(';', 1)[0] as string).trim().toLowerCase()

function contentOf(document: OpenApiDocument, content: Json | undefined): Content {
  return new Map(
    entriesOf(content).map(([type, media]) => {
      const { schema } = target(document, media)
      return [typeOf(type), schema === undefined ? [] : [schema]]
    })
  )
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : []
}
