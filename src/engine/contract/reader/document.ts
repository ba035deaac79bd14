import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import type { CollectionRow, Mistake, MockAnswer, OpenApiDocument, Operation } from '../model.js'
import { freeName, publishedOperation, publishedSchemas } from '../openapi/document.js'
import { type Fields, flattened, hasNames, hasValues, keyPrefix, kindsIn } from '../schemas/schemas.js'
import { withoutEnd } from '../text.js'
import { withChildren } from './inheritance.js'
import { idOf, plainPath, readOperation, urlPath } from './operation.js'
import { Reader } from './schemas.js'

/** The number of rows that a collection starts with. */
export const usualCount = 10
const mostRows = 10_000

/** The collections that a document declares for its operations (`x-mock-collections`). */
function collectionsIn(reader: Reader, names: Set<string>): CollectionRow[] {
  const { documents, document, key, mistakes } = reader
  const byName = document['x-mock-collections'] ?? {}
  if (!isObject(byName)) {
    reader.wrong(['x-mock-collections'], 'give an object of collections by name')
    return []
  }
  return Object.entries(byName).flatMap(([name, value]): CollectionRow[] => {
    const wrong = (text: string, ...steps: string[]): CollectionRow[] => {
      reader.wrong(['x-mock-collections', name, ...steps], text)
      return []
    }
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name))
      return wrong('the name of a collection has letters, digits and _, and begins with a letter')
    // All objects have the last ones, such as `constructor`.
    if (names.has(name) || name === 'uuid' || name in {})
      return wrong(`the collection ${name} exists already: choose another name`)
    if (!isObject(value)) return wrong('a collection is an object: { schema, count }')
    const { schema: reference, key: keyField, parent, single, users, references = {}, ...others } = value
    const { count = single === true && parent !== undefined ? countOf(byName[parent as string]) : usualCount } = others
    delete others.count
    const schema = typeof reference === 'string' ? { $ref: reference } : reference
    const [unknown] = Object.keys(others)
    if (schema === undefined) wrong('a collection has a schema')
    else reader.read(schema, ['x-mock-collections', name, 'schema'])
    const isRead = mistakes.length === 0
    const fields = isRead ? flattened(documents, schema as JsonObject) : nothing
    const { properties } = fields
    const { type = 'string' } = schemaOf(documents, properties.id)
    if (![type].flat().some((it) => it === 'string' || it === 'integer' || it === 'number'))
      wrong('the id of its rows must be a string or an integer')
    if (unknown !== undefined)
      wrong(`a collection has only schema, count, key, parent, single, users and references, not ${unknown}`, unknown)
    if (
      keyField !== undefined &&
      isRead &&
      !(typeof keyField === 'string' && (keyField === 'id' || Object.hasOwn(properties, keyField)))
    )
      wrong('key is a field of its rows', 'key')
    if (parent !== undefined && !(typeof parent === 'string' && Object.hasOwn(byName, parent)))
      wrong('parent is another collection', 'parent')
    const links = Object.entries(isObject(references) ? references : { '': references })
    for (const [field, to] of isRead ? links : [])
      if (!Object.hasOwn(properties, field) || !(to === null || Object.hasOwn(byName, String(to))))
        wrong(
          `references has fields of its rows, each with the collection that it names, or null: not ${field}`,
          'references'
        )
    if (!Number.isInteger(count) || (count as number) < 0 || (count as number) > mostRows)
      wrong(`count must be a whole number from 0 to ${mostRows}`, 'count')
    if (mistakes.length > 0) return []
    names.add(name)
    const { description } = schemaOf(documents, schema)
    const { title = 'own' } = isObject(document.info) ? document.info : {}
    const field = typeof parent === 'string' ? parentField(parent, properties) : ''
    const kinds = kindsIn(schemaOf(documents, schema))
    // Every row has an id, whatever its schema says.
    const rowWith = ({ properties, required }: Fields): JsonObject => ({
      type: 'object',
      required: [...new Set(['id', ...(typeof keyField === 'string' ? [keyField] : []), ...required])],
      properties: {
        id: { type: 'integer' },
        ...(field !== '' && { [field]: {} }),
        ...(single === true && { [pathField]: {} }),
        ...(users === true && hiddenOfUsers),
        ...properties,
        ...(typeof keyField === 'string' && { [keyField]: notNull(schemaOf(documents, properties[keyField])) })
      }
    })
    return [
      {
        name,
        resource: key.replace(/\.json$/, ''),
        description: typeof description === 'string' ? description : `Of ${title}.`,
        references: {},
        row: rowWith(fields),
        ...(kinds.length > 0 && { kinds: kinds.map((it) => rowWith(flattened(documents, it))) }),
        count: count as number,
        ...(keyField !== undefined && keyField !== 'id' && { key: keyField as string }),
        ...(typeof parent === 'string' && { parent: { collection: parent, field } }),
        ...(single === true && { isSingle: true }),
        ...(users === true && { isUsers: true }),
        ...(links.length > 0 && {
          links: Object.fromEntries(links.filter((it): it is [string, string] => it[1] !== null)),
          unlinked: links.flatMap(([field, to]) => (to === null ? field : []))
        })
      }
    ]
  })
}

const countOf = (collection: Json | undefined) => (isObject(collection) ? collection.count : undefined) ?? usualCount

/** The field of a row without a key that has the parameters of its path. */
export const pathField = '_path'

/** The field of a row with the key of a row of another collection that it shows as its id. */
export const memberField = '_member'
/** The field of replies that has the key of a row. */
export const shownKey = ({ key = 'id' }: Pick<CollectionRow, 'key'>) => (key === memberField ? 'id' : key)

/** What rows of users have, and replies do not show. A password is kept as a number that it leads to. */
export const hiddenOfUsers: JsonObject = {
  key: { type: 'string' },
  role: { type: 'string' },
  is_active: { type: 'boolean' },
  _password: { type: 'integer' }
}

function notNull({ type, ...schema }: JsonObject): JsonObject {
  return type === undefined
    ? schema
    : { ...schema, type: Array.isArray(type) ? type.filter((it) => it !== 'null') : type }
}

/** The field of a row that names the row of another collection which it belongs to: a usual one, or one that replies do not show. */
function parentField(parent: string, properties: JsonObject): string {
  const one = singularOf(parent)
  const usual = [`${one}_id`, `${one}Id`, `${parent}_id`, `${parent}Id`]
  return usual.find((it) => Object.hasOwn(properties, it)) ?? `_${parent}`
}

/** `article` for `articles`. */
export function singularOf(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}

const nothing = { properties: {} as JsonObject, required: [] as string[] }

/** Names that a document may not use because another one does. */
export interface TakenNames {
  /** By method and path; see `addressOf`. */
  operations: Map<string, Pick<Operation, 'id' | 'code' | 'origin'>>
  ids: Set<string>
  collections: Set<string>
  schemas: Set<string>
  keys: Set<string>
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head']

/** Marks that a document could have: `x-mock-collections`, and the `x-mock` of operations by `<method> <path>`. */
export interface Marks {
  collections: Record<string, JsonObject>
  /** The collection of those who sign up and in, if it is one of them. */
  users?: string | undefined
  operations: ReadonlyMap<string, JsonObject>
}

export type MarksOf = (document: JsonObject, documents: Documents) => Marks

/**
 * Reads an OpenAPI document. `registry` has the names in use; the document's names are added to it. `marksOf` reads marks for what the
 * document does not mark. `keepsShared`: also few operations of the platform stay its own.
 */
export function readDocument(
  name: string,
  source: unknown,
  registry: TakenNames,
  marksOf?: MarksOf,
  keepsShared = false
): OpenApiDocument {
  const slug = name
    .toLowerCase()
    .replace(/\.[a-z]+$/, '')
    .replace(/[^a-z0-9]+/g, '-')
  const key = freeName(registry.keys, (count) => `${keyPrefix}${slug}${count === 1 ? '' : `-${count}`}.json`)
  registry.keys.add(key)
  const fault = formMistake(source)
  const document = fault ? {} : withChildren(upgraded(source as JsonObject))
  const reader = new Reader(document, key)
  const { mistakes, notes } = reader
  const result: OpenApiDocument = {
    name,
    key,
    document,
    operations: [],
    collections: [],
    schemas: () => ({}),
    webhooks: () => ({}),
    kept: [],
    replaced: [],
    parts: reader.parts,
    mistakes,
    notes
  }
  if (fault) return { ...result, mistakes: [fault] }
  const { schemas } = isObject(document.components) ? document.components : {}
  reader.readEach(
    Object.entries(isObject(schemas) ? schemas : {}).map(([it, schema]) => [schema, ['components', 'schemas', it]])
  )
  const names = publishedSchemas(document, name, registry.schemas)
  result.schemas = names.schemas
  result.webhooks = (): JsonObject =>
    document.webhooks === undefined ? {} : { webhooks: names.rename(document.webhooks) }
  const marks = mistakes.length === 0 ? marksOf?.(document, reader.documents) : undefined
  if (marks)
    document['x-mock-collections'] = { ...marks.collections, ...(document['x-mock-collections'] as JsonObject) }
  const candidates = operationsIn(reader, marksOf !== undefined)
  if (candidates.length === 0 && mistakes.length === 0) notes.push('the document has no operations.')
  const shared = candidates.filter(({ address }) => registry.operations.get(address)?.code)
  const isPlatforms = keepsShared || isOfPlatform(shared.length)
  for (const { address, base, path, operation } of candidates) {
    const mark = operation['x-mock'] ?? marks?.operations.get(`${path[2]} ${path[1]}`) ?? {}
    const { replace, ...mock } = mockOf(reader, mark, path)
    const there = registry.operations.get(address)
    if (there && !replace) {
      const shown = address.replaceAll('{}', '{…}')
      const whose = there.origin ? `${there.origin.document} has it already` : `the platform has it as ${there.id}`
      const advice = 'Leave it out, or replace it with x-mock: { replace: true }.'
      if (isPlatforms && there.code) result.kept.push({ id: there.id, path: base + path[1], place: path })
      else if (result.operations.some((it) => it === there)) {
        notes.push(`${shown} appears twice: the first one is used.`)
      } else reader.wrong(path, `${shown}: ${whose}. ${advice}`)
      continue
    }
    if (there) {
      result.replaced.push(there.id)
      registry.ids.delete(there.id)
    }
    const published = () => publishedOperation(names.rename(operation) as JsonObject, marksOf !== undefined)
    const origin = { document: name, path, published }
    const isSignIn = path[2] === 'post' && /^(login|signup)$/.test(mock.session ?? '')
    const whole = isSignIn && operation.requestBody === undefined ? { ...operation, requestBody: anyBody } : operation
    const item = readOperation(reader, { base, path, operation: whole, mock, origin })
    if (mock.redirect !== undefined)
      item.responses = { 302: { description: 'Redirects a browser.' }, ...item.responses }
    const { id } = item
    if (registry.ids.has(id)) {
      const isNamed = operation.operationId !== undefined
      // An API may use the names of the control API.
      if (isNamed && !marks && !result.operations.some((it) => it.id === id)) {
        const text = `another operation has the id ${id}: choose a unique operationId`
        reader.wrong([...path, 'operationId'], text)
        continue
      }
      const usual = idOf(item.method, item.path)
      item.id = freeName(registry.ids, (count) => (count === 1 ? usual : usual + count))
      if (isNamed) notes.push(`two operations have the id ${id}: ${item.method} ${item.path} gets the id ${item.id}.`)
    }
    if (item.withForm) Object.assign(item.withForm, { id: item.id, responses: item.responses })
    registry.ids.add(item.id)
    registry.operations.set(address, item)
    result.operations.push(item)
  }
  result.collections = collectionsIn(reader, registry.collections)
  return result
}

const anyBody: JsonObject = {
  content: { 'application/json': { schema: {} }, 'application/x-www-form-urlencoded': { schema: { type: 'object' } } }
}

/** Whether a document with so many of the platform's operations describes the platform: most of them. */
export const isOfPlatform = (count: number) => count > 15

/** The method and path, whatever its parameters are called. */
export function addressOf({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`
}

function formMistake(source: unknown): Mistake | undefined {
  const wrong = (text: string, ...path: string[]): Mistake => ({ path, text })
  if (!isObject(source)) return wrong('this is not an OpenAPI document: it must be an object')
  const { swagger, openapi, paths = {} } = source
  if (swagger !== undefined)
    return wrong('this is Swagger 2.0: convert it to OpenAPI 3, for example with npx swagger2openapi', 'swagger')
  if (!/^3\.[012](\.|$)/.test(String(openapi)))
    return wrong(
      `openapi is ${JSON.stringify(openapi)}: give an OpenAPI document of version 3.0, 3.1 or 3.2`,
      'openapi'
    )
  return isObject(paths) ? undefined : wrong('paths must be an object', 'paths')
}

/** The prefix of paths: the path of the first server. */
export function basePath(servers: Json | undefined): string {
  const [server] = Array.isArray(servers) ? servers : []
  if (!isObject(server)) return ''
  const variables = (isObject(server.variables) ? server.variables : {}) as Record<string, JsonObject | undefined>
  const url = String(server.url ?? '').replace(/\{([^{}]*)\}/g, (it, name) => String(variables[name]?.default ?? it))
  const [path = ''] = /^\/[^?#]*/.exec(url.replace(/^https?:\/\/[^/]*/, '')) ?? []
  return path.includes('{') ? '' : withoutEnd(path, '/')
}

interface FoundOperation {
  address: string
  base: string
  path: string[]
  operation: JsonObject
}

/** The operations of a document, with the parameters of their paths. Some APIs have a path twice, with a mark after `#`. */
function operationsIn(reader: Reader, isApi: boolean): FoundOperation[] {
  const { document } = reader
  return Object.entries((document.paths ?? {}) as JsonObject).flatMap(([path, value]) => {
    const at = ['paths', path]
    if (isApi && path.includes('#')) {
      reader.notes.push(`the path ${path} is left out: requests have no fragment.`)
      return []
    }
    const item = reader.resolved(value, at)
    const usual = isObject(item) ? basePath(item.servers ?? document.servers) : ''
    const text = isObject(item) ? pathMistake(path, usual) : 'a path must be an object of operations'
    if (!isObject(item) || text !== undefined) {
      reader.wrong(at, text as string)
      return []
    }
    return methods.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      if (!isObject(operation)) {
        reader.wrong([...at, method], 'an operation must be an object')
        return []
      }
      const base = operation.servers === undefined ? usual : basePath(operation.servers)
      const wrong = base === usual ? undefined : pathMistake(path, base)
      if (wrong !== undefined) reader.wrong([...at, method, 'servers'], wrong)
      const whole = { ...operation, parameters: [...listOf(item.parameters), ...listOf(operation.parameters)] }
      const address = addressOf({ method: method.toUpperCase(), path: urlPath(base + plainPath(path)) })
      return [{ address, base, path: [...at, method], operation: whole }]
    })
  })
}

function pathMistake(path: string, base: string): string | undefined {
  if (!path.startsWith('/')) return 'a path must begin with a slash'
  if (/[{}]/.test(path.replace(/\{[^{}/]+\}/g, ''))) return 'a parameter of a path is {name}, within one segment'
  if (/[?#]/.test(path)) return 'a path must not contain ? or #: declare query parameters under parameters'
  return /^\/__mock(\/|$)/.test(base + path) ? 'paths under /__mock belong to the control API' : undefined
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

type XMock = MockAnswer & { replace?: boolean }

/** Reads `x-mock`. Adds mistakes if it is wrong. */
function mockOf(reader: Reader, mock: Json, path: string[]): XMock {
  const wrong = (text: string): XMock => reader.wrong([...path, 'x-mock'], text) ?? {}
  if (!isObject(mock))
    return wrong('x-mock must be an object with collection, view, session, redirect, replace or stream')
  const { collection, view, session, redirect, replace, stream, ...others } = mock
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    return wrong(`x-mock has only collection, view, session, redirect, replace and stream, not ${unknown}`)
  const isText = (value: Json | undefined) => value === undefined || typeof value === 'string'
  if (!isText(collection) || !isText(view)) return wrong('collection and view must be names')
  if (view !== undefined && collection === undefined) return wrong('view needs a collection')
  if (session !== undefined && !['login', 'signup', 'logout', 'me'].includes(session as string))
    return wrong('session must be login, signup, logout or me')
  if (session !== undefined && collection !== undefined) return wrong('give session or collection')
  if (redirect !== undefined && !(typeof redirect === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(redirect)))
    return wrong('redirect must be a path of this host, such as /auth/callback')
  if (replace !== undefined && typeof replace !== 'boolean') return wrong('replace must be true or false')
  if (stream !== undefined && !isPace(stream))
    return wrong('stream has first and every: milliseconds from 0 to 3600000')
  return mock as XMock
}

/** One hour in milliseconds. */
const longestPause = 3_600_000

function isPace(stream: Json): boolean {
  const isTime = (value: Json) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= longestPause
  return (
    isObject(stream) &&
    Object.entries(stream).every(([name, value]) => ['first', 'every'].includes(name) && isTime(value))
  )
}

/** Converts an OpenAPI 3.0 document to 3.1, whose schemas are JSON Schema 2020-12. A 3.1 document stays the same. */
export function upgraded(document: JsonObject): JsonObject {
  if (!String(document.openapi).startsWith('3.0')) return document
  return { ...(upgrade(document, false) as JsonObject), openapi: '3.1.0' }
}

/** `isNames`: the object's keys are names, not keywords. */
function upgrade(value: Json, isNames: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => upgrade(item, false))
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    result[key] = !isNames && hasValues(key) ? item : upgrade(item, !isNames && hasNames(key))
  }
  if (isNames) return result
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, nullable } = result
  if (typeof exclusiveMinimum === 'boolean') exclude(result, 'Minimum', exclusiveMinimum, minimum)
  if (typeof exclusiveMaximum === 'boolean') exclude(result, 'Maximum', exclusiveMaximum, maximum)
  if (typeof nullable !== 'boolean') return result
  delete result.nullable
  return nullable ? orNull(result) : result
}

/** In 3.1 an exclusive bound is a number. */
function exclude(schema: JsonObject, bound: 'Minimum' | 'Maximum', isExcluded: boolean, limit: Json | undefined): void {
  delete schema[`exclusive${bound}`]
  if (!isExcluded || limit === undefined) return
  schema[`exclusive${bound}`] = limit
  delete schema[bound.toLowerCase()]
}

function orNull(schema: JsonObject): JsonObject {
  const isComposed = ['allOf', 'anyOf', 'oneOf', '$ref'].some((it) => Object.hasOwn(schema, it))
  if (typeof schema.type !== 'string' || isComposed) return { anyOf: [schema, { type: 'null' }] }
  const values = Array.isArray(schema.enum) && { enum: [...new Set([...schema.enum, null])] }
  return { ...schema, type: [schema.type, 'null'], ...values }
}
