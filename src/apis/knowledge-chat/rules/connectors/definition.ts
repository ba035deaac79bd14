import { isObject } from '../../../../engine/contract/load.js'
import { shortened } from '../../../../engine/contract/message/refusal.js'
import type { ToolMethod } from '../../types.gen.js'

type Fields = Record<string, unknown>
interface PathItem {
  path: string
  parameters: unknown
  methods: (ToolMethod & { spec: Fields })[]
}

/** The keys of a path item that are not methods. Extensions (`x-…`) are not methods either. */
const otherKeys = new Set(['parameters', 'summary', 'description', 'servers', '$ref'])
const supportedMethods = new Set(['get', 'post', 'put', 'delete', 'patch'])

/** The highest number of references to follow. It ends cycles and limits the work. */
const maxHops = 16

/** No real path has more placeholders. */
const maxPlaceholders = 100

/** An error in a definition, as a sentence. */
class Flaw extends Error {}

/** E19: the methods of an OpenAPI 3 document (2.14) in its order, or the error in it. */
export function methodsOf(definition: Fields): ToolMethod[] | string {
  try {
    const resolve = resolverOf(definition)
    const paths = checkSections(definition)
    checkServers(definition)
    const items = Object.entries(paths).map(([path, item]) => readPathItem(path, item))
    const methods = items.flatMap((item) => item.methods)
    if (methods.length === 0) throw new Flaw('No methods found in OpenAPI schema')
    for (const item of items) if (item.methods.length > 0) checkMethods(resolve, item)
    return methods
  } catch (error) {
    if (error instanceof Flaw) return error.message
    throw error
  }
}

function checkSections(definition: Fields): Fields {
  if (!has(definition, 'info')) throw new Flaw('`info` section is required in OpenAPI schema')
  const info = object(definition.info, '`info` section')
  if (!has(info, 'title')) throw new Flaw('`title` is required in `info` section of OpenAPI schema')
  if (!has(info, 'description')) throw new Flaw('`description` is required in `info` section of OpenAPI schema')
  if (!has(definition, 'openapi')) throw new Flaw('`openapi` field which specifies OpenAPI schema version is required')
  const version = text(definition.openapi, '`openapi` field')
  if (!version.startsWith('3.')) throw new Flaw(`OpenAPI version '${shortened(version)}' is not supported`)
  if (!has(definition, 'paths')) throw new Flaw('`paths` section is required in OpenAPI schema')
  return object(definition.paths, '`paths` section')
}

function checkServers({ servers = [] }: Fields): void {
  const urls = list(servers, '`servers` section')
    .map((server) => object(server, 'Each of `servers`').url)
    .filter((url) => url !== undefined && url !== null && url !== '')
    .map((url) => `'${text(url, '`url` of a server')}'`)
  if (urls.length !== 1) {
    throw new Flaw(`Expected exactly one URL in OpenAPI schema, but found [${shortened(urls.join(', '))}]`)
  }
}

function readPathItem(path: string, value: unknown): PathItem {
  const item = object(value, `Path item ${path}`)
  const keys = Object.keys(item).filter((key) => !otherKeys.has(key) && !key.startsWith('x-'))
  const methods = keys.map((method) => {
    const title = titleOf(method, path)
    const spec = object(item[method], `Operation ${title}`)
    if (!spec.operationId) throw new Flaw(`Operation ID is not specified for ${title}`)
    const name = text(spec.operationId, `Operation ID for ${title}`)
    const summary = spec.summary || spec.description
    if (!summary) throw new Flaw(`Summary is not specified for ${title}`)
    return { name, summary: text(summary, `Summary for ${title}`), path, method, spec }
  })
  return { path, parameters: item.parameters, methods }
}

function checkMethods(resolve: Resolve, { path, parameters, methods }: PathItem): void {
  const placeholders = placeholdersOf(path)
  const shared = pathParameters(resolve, parameters, `Parameters of ${path}`)
  for (const { method, spec } of methods) {
    const title = titleOf(method, path)
    const own = pathParameters(resolve, spec.parameters, `Parameters of ${title}`)
    const missing = placeholders.find((name) => !own.has(name) && !shared.has(name))
    if (missing !== undefined) throw new Flaw(`Missing path parameter: '${missing}'`)
    checkRequestBody(resolve, spec, title)
    if (!supportedMethods.has(method.toLowerCase())) throw new Flaw(`HTTP method '${method}' is not supported.`)
  }
}

function pathParameters(resolve: Resolve, parameters: unknown = [], what: string): Set<unknown> {
  const all = list(parameters, what).map((parameter) => resolve(object(parameter, `Each of ${what}`)))
  return new Set(all.flatMap((parameter) => (parameter?.in === 'path' ? [parameter.name] : [])))
}

function checkRequestBody(resolve: Resolve, spec: Fields, title: string): void {
  if (spec.requestBody === undefined) return
  const body = resolve(object(spec.requestBody, `Request body of ${title}`))
  if (body?.content === undefined || body.content === null) return
  const types = Object.keys(object(body.content, `Content of the request body of ${title}`))
  if (types.length > 0 && !types.includes('application/json')) {
    throw new Flaw(
      `Unsupported content type: '${shortened(types[0] as string)}'. Only 'application/json' is supported.`
    )
  }
}

function titleOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`
}

function placeholdersOf(path: string): string[] {
  const names: string[] = []
  for (const [, name] of path.matchAll(/\{([^{}]*)\}/g)) {
    if (names.push(name as string) > maxPlaceholders) {
      throw new Flaw(`Path ${shortened(path)} has more than ${maxPlaceholders} parameters`)
    }
  }
  return names
}

/** Follows references within the document. Undefined if the target is not an object. */
type Resolve = (start: Fields) => Fields | undefined

/** Each reference is followed once, no matter how many objects have it. */
function resolverOf(definition: Fields): Resolve {
  const targets = new Map<string, unknown>()
  return (start) => {
    let value: unknown = start
    for (let hops = 0; isObject(value); hops++) {
      const reference: unknown = value.$ref
      if (typeof reference !== 'string') return value
      if (hops === maxHops || !reference.startsWith('#/')) return undefined
      if (!targets.has(reference)) targets.set(reference, targetOf(definition, reference))
      value = targets.get(reference)
    }
    return undefined
  }
}

/** Names have up to 1000 characters (limits.upload), and each may be written with two. */
const longestStep = 2000

/** The target of a reference. Stops at the first missing step. */
function targetOf(definition: Fields, reference: string): unknown {
  let value: unknown = definition
  for (let start = 2; start <= reference.length && isObject(value); ) {
    const slash = reference.indexOf('/', start)
    const end = slash < 0 ? reference.length : slash
    // No name is that long, and unescaping millions of characters takes long.
    if (end - start > longestStep) return undefined
    const step = reference.slice(start, end).replaceAll('~1', '/').replaceAll('~0', '~')
    value = has(value, step) ? value[step] : undefined
    start = end + 1
  }
  return value
}

function object(value: unknown, what: string): Fields {
  if (!isObject(value)) throw new Flaw(`${what} must be an object`)
  return value
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new Flaw(`${what} must be a list`)
  return value
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Flaw(`${what} must be a string`)
  return value
}

/** Checks own fields only, so that `constructor` and `__proto__` are normal names. */
function has(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name)
}
