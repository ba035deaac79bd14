import { usersName } from '../../engine/answers/shown.js'
import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import { freeName } from '../../engine/contract/openapi/document.js'
import { mainType } from '../../engine/contract/pydantic/coerce.js'
import { type Marks, singularOf } from '../../engine/contract/reader/document.js'
import { plainPath } from '../../engine/contract/reader/operation.js'
import { fieldsIn, kindsIn } from '../../engine/contract/schemas/schemas.js'
import { barePath, plain } from '../../engine/contract/text.js'

/** The collection of the mock's own users. */
export const mockUsers = 'mockUsers'

/** A path with its operations by method. */
export interface PathItem {
  path: string
  /** Its segments. A trailing slash does not count. */
  segments: string[]
  parameters?: Json | undefined
  operations: Record<string, JsonObject>
}

interface Found {
  base: string[]
  name: string
  list: PathItem | undefined
  item: PathItem | undefined
  schema: Json
  key: string
  parent: Found | undefined
  /** Its lists below rows of its parent, if its own path is not there. */
  nested: PathItem[]
  /** Whether its path has one row, without a key. */
  isSingle?: boolean
}

export const isParameter = (segment: string | undefined) => segment !== undefined && /^\{[^{}]*\}$/.test(segment)
export const nameIn = (segment: string) => segment.slice(1, -1)
/** A path whatever its parameters are called. */
export const shapeOf = (segments: readonly string[]) => segments.map((it) => (isParameter(it) ? '{}' : it)).join('/')

/**
 * The marks that a document could have: `/things` and `/things/{id}` are the collection `things`, and paths to sign in and up are
 * sessions. What the document marks itself is left out.
 */
export function inferredMarks(document: JsonObject, documents: Documents): Marks {
  const schemas = createSchemas(documents)
  const paths = pathsOf(document)
  const { groups, users } = collectionsIn(paths, schemas, document)
  const operations = new Map<string, JsonObject>()
  const mark = ({ path, operations: byMethod }: PathItem, method: string, value: JsonObject) => {
    if (byMethod[method] && byMethod[method]['x-mock'] === undefined) operations.set(`${method} ${path}`, value)
  }
  const below = new Map<string, PathItem[]>()
  for (const it of paths) {
    const above = shapeOf(it.segments.slice(0, -1))
    below.set(above, [...(below.get(above) ?? []), it])
  }
  for (const it of groups) {
    for (const method of methodsOf(it, schemas)) mark(...method, { collection: it.name })
    for (const other of listsOf(it, below.get(shapeOf(it.base)) ?? [], schemas))
      mark(other, 'get', { collection: it.name })
  }
  for (const item of paths) {
    for (const method of Object.keys(item.operations)) {
      const session = operations.has(`${method} ${item.path}`) ? undefined : sessionOf(item, method, schemas)
      if (session) mark(item, method, { session })
    }
  }
  const collections = groups.map((it) => {
    const { name, schema, key, parent, item, base, isSingle } = it
    const mark: JsonObject = {
      schema: withKey(schema, key, parameterOf(item, schemas), schemas),
      ...(key !== 'id' && { key }),
      ...(parent && { parent: parent.name }),
      ...(it === users && { users: true }),
      ...(isSingle && { single: true, ...(!parent && { count: base.some(isParameter) ? 0 : 1 }) })
    }
    return [name, mark]
  })
  return { collections: Object.fromEntries(collections), users: users?.name, operations }
}

/** The schema of a path's last parameter. */
function parameterOf(item: PathItem | undefined, schemas: Schemas): JsonObject {
  const [operation] = Object.values(item?.operations ?? {})
  const parameters = [operation?.parameters, item?.parameters].flatMap((it) => (Array.isArray(it) ? it : []))
  const name = nameIn(item?.segments.at(-1) ?? '{}')
  return schemas.at(parameters.map((it) => schemas.at(it)).find((it) => it.in === 'path' && it.name === name)?.schema)
}

/** The schema of rows whose keys the path takes: it may say more of them than the rows do. */
function withKey(rowSchema: Json, key: string, parameter: JsonObject, schemas: Schemas): Json {
  const schema = schemas.isUnion(rowSchema) ? schemas.at(rowSchema) : rowSchema
  const own = schemas.at(schemas.fields(schema)[key])
  const isCloser = (parameter.format ?? parameter.pattern) !== undefined && (own.format ?? own.pattern) === undefined
  if (own.type !== 'string' || parameter.type !== 'string' || own.enum || !isCloser) return schema
  return { allOf: [schema, { properties: { [key]: { ...own, ...parameter } } }] }
}

export function pathsOf({ paths = {} }: JsonObject): PathItem[] {
  // A path may be there in several forms.
  const bareOf = (path: string) => (Object.hasOwn(paths as JsonObject, barePath(path)) ? path : barePath(path))
  return Object.entries(paths as JsonObject).flatMap(([path, item]): PathItem[] => {
    if (!isObject(item)) return []
    const own = Object.entries(item).filter((it): it is [string, JsonObject] => {
      return ['get', 'post', 'put', 'patch', 'delete'].includes(it[0]) && isObject(it[1])
    })
    const segments = plainPath(bareOf(path)).split('/').filter(Boolean)
    return [{ path, segments, parameters: item.parameters, operations: Object.fromEntries(own) }]
  })
}

type Schemas = ReturnType<typeof createSchemas>

/** Reads the schemas of a document. */
export function createSchemas(documents: Documents) {
  const targets = new Map<Json, JsonObject>()
  const at = (schema: Json | undefined): JsonObject => {
    const reference = isObject(schema) ? schema.$ref : undefined
    if (reference === undefined) return only(schemaOf(documents, schema))
    const target = targets.get(reference) ?? only(schemaOf(documents, schema))
    targets.set(reference, target)
    return target
  }
  const only = (whole: JsonObject): JsonObject => {
    const all = [whole.anyOf, whole.oneOf].flat().filter((it) => it !== undefined && at(it).type !== 'null')
    const one = all.filter((it) => !isGone(it))
    return one.length === 1 && (kindsIn(whole).length === 0 || one.length < all.length) ? at(one[0]) : whole
  }
  /** Whether it says of a row only that it is deleted. */
  const isGone = (schema: Json | undefined): boolean => {
    const names = Object.keys(fieldsIn({ documents }, at(schema)).properties)
    return names.includes('deleted') && names.every((it) => /^(id|object|type|deleted)$/.test(it))
  }
  const media = (message: Json | undefined): Json | undefined => {
    const { content } = schemaOf(documents, message)
    const types = Object.entries(isObject(content) ? content : {})
    const [, value] = types.find(([type]) => /json/i.test(type)) ?? types.find(([type]) => /form|\*/.test(type)) ?? []
    return isObject(value) ? value.schema : undefined
  }
  const replies = new WeakMap<JsonObject, Json | undefined>()
  return {
    /** The schemas of the items of lists, by the schema of a reply. */
    items: new WeakMap<JsonObject, Json | undefined>(),
    isUnion: (schema: Json) => at(schema) !== schemaOf(documents, schema),
    at,
    isList: (schema: Json | undefined) => mainType(at(schema)) === 'array',
    fields: (schema: Json | undefined) => fieldsIn({ documents }, at(schema)).properties,
    /** The schema of a request's body, and of the first success. */
    body: (operation: JsonObject | undefined) => media(operation?.requestBody),
    reply(operation: JsonObject = {}): Json | undefined {
      if (replies.has(operation)) return replies.get(operation)
      const responses = (operation.responses ?? {}) as JsonObject
      const status = Object.keys(responses)
        .filter((it) => /^2/.test(it))
        .sort()
        .find((it) => media(responses[it]) !== undefined)
      const reply = media(status === undefined ? responses.default : responses[status])
      replies.set(operation, reply)
      return reply
    }
  }
}

function collectionsIn(
  paths: readonly PathItem[],
  schemas: Schemas,
  document: JsonObject
): { groups: Found[]; users: Found | undefined } {
  const byShape = new Map(paths.map((it) => [shapeOf(it.segments), it]))
  const bases = new Map<string, string[]>()
  for (const { segments, operations } of paths) {
    const isItem = isParameter(segments.at(-1))
    const base = isItem ? segments.slice(0, -1) : segments
    if (base.length === 0 || isParameter(base.at(-1))) continue
    if (isItem || (operations.get && operations.post && !isSearch({ path: '', segments, operations }, schemas)))
      bases.set(shapeOf(base), base)
  }
  const groups = new Map<string, Found>()
  // Those that others are below come first.
  for (const [shape, base] of [...bases].sort(([, a], [, b]) => a.length - b.length)) {
    const list = byShape.get(shape)
    const item = byShape.get(`${shape}/{}`)
    const schema = rowSchemaOf(list, item, schemas)
    if (schema === undefined) continue
    const parent = parentOf(base, groups)
    const key = keyOf(item, base, schemas.fields(schema), schemas)
    groups.set(shape, { base, name: '', list, item, schema, key, parent, nested: [] })
  }
  const shallow = [...groups.values()].filter(({ base, item }) => item !== undefined && !base.some(isParameter))
  const byLast = new Map(shallow.reverse().map((it) => [it.base.at(-1), it]))
  for (const path of paths) {
    const own = byLast.get(path.segments.at(-1))
    if (own) joinNested(path, own, groups, schemas)
  }
  const users = usersIn(paths, [...groups.values()], schemas)
  const isGuarded = ({ security = document.security }: JsonObject) => Array.isArray(security) && security.length > 0
  for (const path of paths) addSingle(path, groups, schemas, (get) => (isGuarded(get) ? (users ?? ofMock) : undefined))
  const allNames = new Set(['uuid', mockUsers, ...Object.getOwnPropertyNames(Object.prototype)])
  for (const it of groups.values()) {
    const names = namesFor(it)
    it.name = names.find((name) => !allNames.has(name)) ?? freeName(allNames, (count) => `${names.at(-1)}${count}`)
    allNames.add(it.name)
  }
  return { groups: [...groups.values()], users }
}

/** The mock's own users, where the document has none. */
const ofMock = { name: mockUsers } as Found

/** The rows of those who sign up and in. */
function usersIn(paths: readonly PathItem[], groups: readonly Found[], schemas: Schemas): Found | undefined {
  const sessions = paths.flatMap((item) =>
    Object.keys(item.operations)
      .filter((it) => /^(login|signup|me)$/.test(sessionOf(item, it, schemas) ?? ''))
      .map((it) => schemas.reply(item.operations[it]))
  )
  if (sessions.length === 0) return undefined
  const shown = new Set(sessions.flatMap((it) => [it, ...Object.values(schemas.fields(it))].map(schemas.at)))
  const hasName = ({ schema }: Found) => {
    const { key, is_active: active, ...fields } = schemas.fields(schema)
    const isFree = key === undefined && (active === undefined || schemas.at(active).type === 'boolean')
    return isFree && ['email', 'username', 'login'].some((it) => Object.hasOwn(fields, it))
  }
  const all = groups.filter((it) => !it.parent && it.item !== undefined && hasName(it))
  const isNamed = ({ base }: Found) => usersName.test(base.at(-1) ?? '')
  return all.find(({ schema }) => shown.has(schemas.at(schema))) ?? all.find(isNamed)
}

/** Notes that `/projects/{id}/tasks` has the rows of `/tasks/{id}`, if both have the same schema. */
function joinNested(path: PathItem, own: Found, groups: Map<string, Found>, schemas: Schemas): void {
  const { segments, operations } = path
  const shape = shapeOf(segments)
  const parent = parentOf(segments, groups)
  const isOther = own.parent !== undefined && own.parent !== parent
  if (!parent || isOther || groups.get(shape)?.item || isBelow(parent, own)) return
  const row = itemsIn(schemas.reply(operations.get), schemas) ?? groups.get(shape)?.schema
  if (row === undefined || schemas.at(row) !== schemas.at(own.schema)) return
  own.parent = parent
  own.nested.push(path)
  groups.delete(shape)
}

/** Parts of paths that are about the caller. */
const ofCaller = /^(me|my|self|current-?_?user|user|account|profile|preferences)$/i

/** Adds a path that has one row without a key: `/settings`, with GET, and PUT or PATCH of its fields. */
function addSingle(
  path: PathItem,
  groups: Map<string, Found>,
  schemas: Schemas,
  callerOf: (operation: JsonObject) => Found | undefined
): void {
  const { segments, operations } = path
  const { get, put, patch, post } = operations
  const shape = shapeOf(segments)
  const word = segments.at(-1) ?? '{}'
  if (!get || !(put ?? patch ?? post) || word.includes('{') || groups.has(shape)) return
  const reply = schemas.reply(get)
  if (schemas.isList(reply) || [...groups.values()].some(({ nested }) => nested.includes(path))) return
  if (Object.keys(operations).some((it) => sessionOf(path, it, schemas) !== undefined)) return
  const schema = rowIn(reply, 'id', singularOf(word).toLowerCase(), schemas)
  const row = schemas.fields(schema)
  const isOfRow = (fields: JsonObject) => Object.keys(fields).some((it) => Object.hasOwn(row, it))
  const isChange = [put, patch].some((it) => {
    const fields = schemas.fields(schemas.body(it))
    return [fields, ...Object.values(fields).map((inner) => schemas.fields(inner))].some(isOfRow)
  })
  const isPosted = schemas.body(post) !== undefined && schemas.at(schemas.reply(post)) === schemas.at(reply)
  if (schema === undefined || !(isChange || (isPosted && Object.keys(row).length > 0))) return
  const isCallers = !segments.some(isParameter) && segments.some((it) => ofCaller.test(it))
  const parent = isCallers ? callerOf(get) : parentOf(segments, groups)
  const single = { base: segments, list: path, item: undefined, schema, parent }
  groups.set(shape, { ...single, name: '', key: 'id', nested: [], isSingle: true })
}

/** Whether rows belong to those of another collection, or are these. */
function isBelow(it: Found | undefined, other: Found): boolean {
  return it !== undefined && (it === other || isBelow(it.parent, other))
}

/** The collection that rows below a path belong to: that of the last row that the path names. */
function parentOf(base: readonly string[], groups: ReadonlyMap<string, Found>): Found | undefined {
  const at = base.findLastIndex(isParameter)
  return at < 1 ? undefined : groups.get(shapeOf(base.slice(0, at)))
}

/** The names that a collection may have, the best first. */
function namesFor({ base, parent }: Found): string[] {
  const words = base.filter((it) => !isParameter(it))
  const first =
    parent && base.some(isParameter) ? [parent.base.at(-1) as string, words.at(-1) as string] : words.slice(-1)
  return [first, ...words.map((_, at) => words.slice(-at - 1)).slice(1)].map(camelCase)
}

function camelCase(words: readonly string[]): string {
  const parts = words.flatMap((it) => it.split(/[^A-Za-z0-9]+/)).filter(Boolean)
  const name = parts
    .map((it, at) => (at === 0 ? it.charAt(0).toLowerCase() : it.charAt(0).toUpperCase()) + it.slice(1))
    .join('')
  return (/^[a-z]/i.test(name) ? name : `c${name}`).slice(0, 60)
}

/** The schema of a collection's rows. Undefined: its paths have none, or are not those of a collection. */
function rowSchemaOf(list: PathItem | undefined, item: PathItem | undefined, schemas: Schemas): Json | undefined {
  const parameter = nameIn(item?.segments.at(-1) ?? '{id}')
  const word = singularOf((list?.segments ?? item?.segments)?.findLast((it) => !isParameter(it)) ?? '').toLowerCase()
  const own = (operation: JsonObject | undefined) => rowIn(schemas.reply(operation), parameter, word, schemas)
  const items = itemsIn(schemas.reply(list?.operations.get), schemas)
  const { get, put, patch } = item?.operations ?? {}
  const { length } = Object.keys(item?.operations ?? {})
  const posted = rowIn(schemas.body(list?.operations.post), parameter, word, schemas)
  const isCollection = item
    ? items !== undefined || list?.operations.post || length > 1
    : items !== undefined && [own(list?.operations.post), posted].some((it) => isAlike(it, items, schemas))
  if (!isCollection) return undefined
  const isGood = (schema: Json | undefined) => Object.keys(schemas.fields(schema)).length > 0
  const first = [get, patch, put].find((it) => isGood(own(it)))
  return first ? own(first) : [items, own(list?.operations.post), posted].find(isGood)
}

/** Whether one of two schemas has all fields of the other. */
function isAlike(a: Json | undefined, b: Json | undefined, schemas: Schemas): boolean {
  const [few = [], many = []] = [a, b].map((it) => Object.keys(schemas.fields(it))).sort((a, b) => a.length - b.length)
  return few.length > 0 && few.every((it) => many.includes(it))
}

/** Fields around a row that say something of the answer, and fields that have a row of any kind. */
const aroundRow =
  /^(success|ok|status|code|message|errors?|meta|links?|paging|pagination|total|count|request_?id|timestamp|included|jsonapi|version|warnings?)$/i
const anyRow = /^(data|result|item|payload|response|record|entity|resource|object)$/i

/** The schema of the row in a reply: the whole, or the one object in it. `word` is what a row is called, in lower case. */
function rowIn(schema: Json | undefined, parameter: string, word: string, schemas: Schemas): Json | undefined {
  if (schema === undefined || schemas.isList(schema)) return undefined
  const fields = schemas.fields(schema)
  const hasKey = (of: JsonObject) => keysFor(parameter).some((it) => fieldFor(it, of) !== undefined)
  if (hasKey(fields)) return schema
  const isWrapper = (name: string) =>
    anyRow.test(name) ||
    singularOf(name).toLowerCase() === word ||
    Object.keys(fields).every((it) => it === name || aroundRow.test(it))
  const objects = Object.entries(fields).filter(([, it]) => Object.keys(schemas.fields(it)).length > 0)
  const keyed = objects.filter(([, it]) => hasKey(schemas.fields(it)))
  const [only, ...others] = keyed.length === 1 ? keyed : objects
  return only && others.length === 0 && isWrapper(only[0]) ? only[1] : schema
}

/** The schema of the items of a list: the whole, or the one list in it, at most two levels deep. */
export function itemsIn(schema: Json | undefined, schemas: Schemas): Json | undefined {
  const whole = schemas.at(schema)
  if (!schemas.items.has(whole)) schemas.items.set(whole, itemsWithin(whole, schemas, 0))
  return schemas.items.get(whole)
}

function itemsWithin(schema: Json | undefined, schemas: Schemas, depth: number): Json | undefined {
  const whole = schemas.at(schema)
  if (schemas.isList(whole)) return Object.keys(schemas.fields(whole.items)).length > 0 ? whole.items : undefined
  if (depth > 1) return undefined
  // The children of a row of a tree are not a list of rows.
  const isTree = (it: Json) => schemas.at(schemas.at(it).items) === whole
  const fields = Object.entries(schemas.fields(schema)).filter(([, it]) => !isTree(it))
  const lists = fields.filter(([, it]) => schemas.isList(it) && itemsWithin(it, schemas, 2) !== undefined)
  const usual = lists.find(([name]) => /^(items|data|results?|records|rows|content|list|values|entries)$/i.test(name))
  const [, one] = usual ?? (lists.length === 1 ? lists[0] : undefined) ?? []
  if (one !== undefined) return itemsWithin(one, schemas, 2)
  if (lists.length > 0) return undefined
  const inner = fields.map(([, it]) => itemsWithin(it, schemas, depth + 1)).filter((it) => it !== undefined)
  return inner.length === 1 ? inner[0] : undefined
}

/** The fields that a path parameter may name a row by, the best first: for `item_id` also `id`. */
function keysFor(parameter: string): string[] {
  const last = parameter.split(/[_-]|(?=[A-Z])/).at(-1) as string
  return [parameter, 'id', last.charAt(0).toLowerCase() + last.slice(1)]
}

/** The field of a name, or of its other spelling: `ThingId` at `/things/{thingId}`. */
function fieldFor(name: string, fields: JsonObject): string | undefined {
  const bare = (it: string) => it.toLowerCase().replace(/[_-]/g, '')
  return Object.hasOwn(fields, name) ? name : Object.keys(fields).find((it) => bare(it) === bare(name))
}

/** The key of rows: `number` at `/issues/{issue_number}`, and no `id` that is of another type than the parameter. */
function keyOf(item: PathItem | undefined, base: readonly string[], fields: JsonObject, schemas: Schemas): string {
  if (!item) return 'id'
  const [whole, id, last] = keysFor(nameIn(item.segments.at(-1) as string)) as [string, string, string]
  const { type } = parameterOf(item, schemas)
  const isAlike = (field: string) => type === undefined || schemas.at(fields[field]).type === type
  const isNamed = plain(whole) === plain(`${singularOf(base.at(-1) as string)} ${last}`)
  const all = [whole, ...(isNamed ? [last, id] : [id, last])]
  const names = all.map((it) => fieldFor(it, fields)).filter((it) => it !== undefined)
  return names.find(isAlike) ?? names[0] ?? 'id'
}

/** The operations of a collection, with their paths. */
function methodsOf({ list, nested, item, key, schema, isSingle }: Found, schemas: Schemas): [PathItem, string][] {
  if (isSingle && list) return Object.keys(list.operations).map((method): [PathItem, string] => [list, method])
  return [
    ...[list, ...nested].flatMap((it) => methodsOfList(it, key, schemas)),
    ...['get', 'put', 'patch', 'delete', 'post'].flatMap((method): [PathItem, string][] => {
      const operation = item?.operations[method]
      const reply = schemas.at(schemas.reply(operation))
      // Stripe changes rows by POST.
      const isChange =
        method !== 'post' ||
        (schemas.body(operation) !== undefined &&
          [schemas.reply(item?.operations.get), schema].some((it) => reply === schemas.at(it)))
      return item && operation && !schemas.isList(reply) && isChange ? [[item, method]] : []
    })
  ]
}

function methodsOfList(list: PathItem | undefined, key: string, schemas: Schemas): [PathItem, string][] {
  const { get, post, put, patch } = list?.operations ?? {}
  const isNew =
    post !== undefined &&
    !schemas.isList(schemas.reply(post)) &&
    schemas.body(post) !== undefined &&
    !isSearch(list, schemas)
  const ofBase: [JsonObject | undefined | false, string][] = [
    [itemsIn(schemas.reply(get), schemas) !== undefined && get, 'get'],
    [isNew && post, 'post'],
    [put && Object.hasOwn(schemas.fields(schemas.body(put)), key) && put, 'put'],
    [patch && Object.hasOwn(schemas.fields(schemas.body(patch)), key) && patch, 'patch']
  ]
  return ofBase.filter(([operation]) => operation).map(([, method]): [PathItem, string] => [list as PathItem, method])
}

/** Whether a POST answers with the same list as the GET of its path. */
function isSearch(list: PathItem | undefined, schemas: Schemas): boolean {
  const got = itemsIn(schemas.reply(list?.operations.get), schemas)
  const reply = schemas.reply(list?.operations.post)
  // A new row may have a list of rows like itself.
  if (got === undefined || schemas.at(reply) === schemas.at(got)) return false
  const posted = itemsIn(reply, schemas)
  return posted !== undefined && schemas.at(got) === schemas.at(posted)
}

/** Other lists of the same rows: `/pet/findByStatus` next to `/pet/{id}`. */
function listsOf({ schema }: Found, below: readonly PathItem[], schemas: Schemas): PathItem[] {
  const row = schemas.at(schema)
  return below.filter(
    ({ segments, operations }) =>
      !isParameter(segments.at(-1)) &&
      operations.get &&
      schemas.at(itemsIn(schemas.reply(operations.get), schemas)) === row
  )
}

/** What an operation does with the session of its caller, by its path and body. */
function sessionOf({ segments, operations }: PathItem, method: string, schemas: Schemas): string | undefined {
  const last = (segments.at(-1) ?? '').toLowerCase()
  const isLogin = /^(log-?_?in|sign-?_?in|authenticate|auth|token|access-?_?token|sessions?)$/.test(last)
  if (method === 'post' && (isLogin || /^(sign-?_?up|register|registration|users?|accounts?)$/.test(last))) {
    const whole = schemas.fields(schemas.body(operations[method]))
    const all = [whole, ...Object.values(whole).map((it) => schemas.fields(it))]
    const has = (...names: string[]) => all.some((fields) => names.some((it) => Object.hasOwn(fields, it)))
    if (has('password') && has('email', 'username', 'login', 'user')) return isLogin ? 'login' : 'signup'
  }
  if (/^(log-?_?out|sign-?_?out)$/.test(last)) return 'logout'
  const isMe = ['get', 'put', 'patch'].includes(method) && /^(me|whoami|current|current-?_?user|user)$/.test(last)
  return isMe && Object.keys(schemas.fields(schemas.reply(operations.get))).length > 0 ? 'me' : undefined
}

/** What the document says of users who sign up, and change themselves: the fields of requests and answers. */
export function userFieldsIn(document: JsonObject, documents: Documents, { operations }: Marks): JsonObject {
  const schemas = createSchemas(documents)
  const whole = pathsOf(document).flatMap((item) =>
    Object.entries(item.operations).flatMap(([method, operation]) => {
      const session = operations.get(`${method} ${item.path}`)?.session
      return session === 'signup' || session === 'me' ? [schemas.body(operation), schemas.reply(operation)] : []
    })
  )
  const inner = (schema: Json | undefined) => {
    const fields = schemas.fields(schema)
    const isUser = (it: JsonObject) => ['email', 'username', 'name'].some((name) => Object.hasOwn(it, name))
    return [fields, ...Object.values(fields).map((it) => schemas.fields(it))].find(isUser) ?? {}
  }
  const fields = Object.assign({}, ...whole.reverse().map(inner)) as JsonObject
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !/password|token/i.test(name)))
}
