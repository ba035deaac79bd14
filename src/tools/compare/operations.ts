import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { type OpenApiDocument, target } from './document.js'
import { listOf } from './keywords.js'

/** One operation of a document, with references resolved. Schemas stay unresolved. */
export type DocumentOperation = ReturnType<typeof operationOf>
export type Parameter = ReturnType<typeof parameterOf>[1]
export type Response = ReturnType<typeof responseOf>

/** Schemas by media type. */
export type Content = Map<string, Json[]>

/** No authentication is needed. */
export const openToAll = '[]'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The path with unnamed parameters: their names do not appear in requests. */
export function wirePath(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}')
}

/** The operations of a document, by method and path. Throws if there are none. */
export function operationsOf(document: OpenApiDocument): Map<string, DocumentOperation> {
  const operations = new Map<string, DocumentOperation>()
  for (const [path, value] of Object.entries(document.root.paths as JsonObject)) {
    const item = target(document, value)
    for (const method of methods.filter((it) => it in item)) {
      const operation = target(document, item[method])
      const key = `${method} ${wirePath(path)}`
      operations.set(key, operationOf(document, `${method.toUpperCase()} ${path}`, path, item, operation))
    }
  }
  if (operations.size === 0) throw new Error(`${document.name} has no operations: there is nothing to compare.`)
  return operations
}

function operationOf(document: OpenApiDocument, name: string, path: string, item: JsonObject, operation: JsonObject) {
  const { operationId, deprecated, requestBody, responses, security = document.root.security } = operation
  const ways = listOf(security).map((it) => Object.entries(it as Record<string, string[]>).sort())
  const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)]
  const body = requestBody === undefined ? undefined : target(document, requestBody)
  return {
    /** `PATCH /api/things/{id}`. */
    name,
    path,
    id: typeof operationId === 'string' ? operationId : undefined,
    isDeprecated: deprecated === true,
    /** Each way to authenticate: its names with their scopes, by their JSON. */
    security: new Map((ways.length > 0 ? ways : [[]]).map((way) => [JSON.stringify(way), way])),
    parameters: new Map(parameters.map((it) => parameterOf(document, path, target(document, it)))),
    body: body && { isRequired: body.required === true, content: contentOf(document, body.content) },
    responses: new Map(
      entriesOf(responses)
        .filter(([status]) => !status.startsWith('x-'))
        .map(([status, value]) => [status.toUpperCase(), responseOf(document, target(document, value))])
    )
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
function contentOf(document: OpenApiDocument, content: Json | undefined): Content {
  return new Map(
    entriesOf(content).map(([type, media]) => {
      const { schema } = target(document, media)
      return [(type.split(';', 1)[0] as string).trim().toLowerCase(), schema === undefined ? [] : [schema]]
    })
  )
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value) : []
}
