import {
  cursors,
  isFromZero,
  mores,
  nexts,
  pages as pageNames,
  searches,
  sizes,
  starts,
  totals
} from '../../../engine/answers/page.js'
import { ownerFields } from '../../../engine/answers/shown.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Coercion, CollectionRow, OpenApiDocument, Operation } from '../../../engine/contract/model.js'
import { isNeverEmpty, responseOf, statusOf } from '../../../engine/contract/outcomes.js'
import { shownKey } from '../../../engine/contract/reader/document.js'
import { fieldsIn, rowFieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { barePath, isRowPath } from '../../../engine/contract/text.js'
import { unknownNumber, unknownUuid } from '../../../tools/verify/api.js'
import type { Asker, Exchange, Reply } from '../../../tools/verify/calls/client.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { type Input, parametersOf, rawOf } from '../../../tools/verify/calls/request.js'
import { exampleOf } from '../../../tools/verify/phases/documents.js'
import type { Scene } from '../../../tools/verify/scene.js'

/** The operations of a collection. */
export interface Rows {
  collection: CollectionRow
  /** The field that paths name its rows by. */
  key: string
  parent?: Rows | undefined
  list?: Operation | undefined
  create?: Operation | undefined
  read?: Operation | undefined
  replace?: Operation | undefined
  change?: Operation | undefined
  remove?: Operation | undefined
  /** The operations of a row without a key. */
  single?: Operation[]
}

/** The keys of the rows that a row belongs to, the outermost first. */
export type Owners = readonly Json[]

export const isItem = ({ path }: Operation) => isRowPath(path)
const shapeOf = (path: string) => barePath(path.replace(/\{[^{}]*\}/g, '{}'))

/** The collections of a document with their operations, parents first. */
export function rowsOf({ operations, collections }: OpenApiDocument): Rows[] {
  const found = new Map<string, Rows>()
  for (const collection of collections) {
    const own = operations.filter(({ mock }) => mock?.collection === collection.name)
    if (collection.isSingle) {
      found.set(collection.name, { collection, key: 'id', single: own })
      continue
    }
    const item = own.find(isItem)
    const base = shapeOf(item?.path ?? own[0]?.path ?? '').replace(/\/\{\}$/, '')
    const at = (method: string, path: string) => own.find((it) => it.method === method && shapeOf(it.path) === path)
    // `/projects/{id}/tasks` for `/tasks/{id}`.
    const nested = (method: string) =>
      own.find((it) => it.method === method && shapeOf(it.path).endsWith(`{}/${base.split('/').at(-1)}`))
    found.set(collection.name, {
      collection,
      key: shownKey(collection),
      list: at('GET', base) ?? nested('GET'),
      create: at('POST', base) ?? nested('POST'),
      read: at('GET', `${base}/{}`),
      replace: at('PUT', `${base}/{}`),
      change: at('PATCH', `${base}/{}`) ?? at('POST', `${base}/{}`),
      remove: at('DELETE', `${base}/{}`)
    })
  }
  for (const it of found.values()) {
    // Where no path names the row that it belongs to, its body does.
    const isNested = operationsOf(it).some((operation) => !isItem(operation) && operation.path.includes('{'))
    it.parent = isNested ? found.get(it.collection.parent?.collection ?? '') : undefined
  }
  return [...found.values()].filter(({ list, create, read, single }) => list ?? create ?? read ?? single)
}

export const operationsOf = ({ list, create, read, replace, change, remove, single = [] }: Rows): Operation[] =>
  [list, create, read, replace, change, remove, ...single].filter((it) => it !== undefined)

/** The path of an operation: the last parameters are keys of rows, and others have an example in the document. */
export function pathOf({ run }: Scene, operation: Operation, keys: readonly Json[]): JsonObject {
  const names = parametersOf(operation)
  const { properties = {} } = operation.input.path ?? {}
  return Object.fromEntries(
    names.map((name, at) => {
      const value =
        keys[at - names.length + keys.length] ?? exampleOf(run.readings.first, (properties as JsonObject)[name])
      if (value === undefined) throw new Stopped(`the document has no example of its path parameter ${name}`)
      return [name, value]
    })
  )
}

/** The operations of a collection that rows name. */
export const linkedRows = ({ run }: Scene, name: string): Rows | undefined =>
  rowsOf(run.readings.first.extensions[0] as OpenApiDocument).find(({ collection }) => collection.name === name)

/** A key that no row has. */
export function unknownKey({ run }: Scene, rows: Rows): Json {
  const { type, format } = schemaOf(run.readings.first.documents, fieldsOf(rows)[rows.key])
  const operation = rows.read ?? rows.change ?? rows.replace ?? rows.remove
  const parameter = (operation?.input.path?.properties ?? {}) as JsonObject
  const inPath = schemaOf(
    run.readings.first.documents,
    operation && parameter[parametersOf(operation).at(-1) as string]
  )
  if ([type, inPath.type].flat().some((it) => it === 'integer' || it === 'number')) return unknownNumber
  if (format === 'uuid' || inPath.format === 'uuid') return unknownUuid
  const { first: contract } = run.readings
  const { pattern = inPath.pattern } = schemaOf(contract.documents, fieldsOf(rows)[rows.key])
  return pattern === undefined
    ? run.mark('none')
    : contract.sample({ type: 'string', pattern }, run.random.next(1e6), 0)
}

export const fieldsOf = ({ collection }: Rows): JsonObject => (collection.row.properties ?? {}) as JsonObject

/** Whether a field has a default, in the rows or in the requests of an operation. */
export function hasDefault({ run }: Scene, rows: Rows, { input }: Operation, name: string): boolean {
  const { documents } = run.readings.first
  const asked = rowFieldsIn(documents, input.body, fieldsIn({ documents }, rows.collection.row)).properties
  return [asked[name], fieldsOf(rows)[name]].some((it) => schemaOf(documents, it).default !== undefined)
}

/** The row in the body of a reply: the whole, or the object in it that has the key. */
export function rowIn({ key }: Rows, body: unknown): JsonObject | undefined {
  const has = (it: unknown): it is JsonObject => isObject(it) && (it[key] ?? null) !== null
  return has(body) ? body : isObject(body) ? Object.values(body).find(has) : undefined
}

/** The list in the body of a reply: the whole, or the first list of objects in it. */
export function itemsIn(body: unknown, depth = 0): JsonObject[] | undefined {
  if (Array.isArray(body)) return body.every(isObject) ? body : undefined
  if (!isObject(body) || depth > 2) return undefined
  const lists = Object.values(body).flatMap((it) => {
    const items = itemsIn(it, depth + 1)
    return items ? [items] : []
  })
  return lists.find((it) => it.length > 0) ?? lists[0]
}

/** The first value of a field with one of these names, at most two levels deep. */
function fieldNamed(body: unknown, isNamed: (name: string) => boolean, depth = 0): Json | undefined {
  if (!isObject(body) || depth > 2) return undefined
  const own = Object.entries(body).find(
    ([name, value]) => isNamed(name) && (value === null || typeof value !== 'object')
  )?.[1]
  const inner = () => Object.values(body).map((it) => fieldNamed(it, isNamed, depth + 1))
  return own ?? inner().find((it) => it !== undefined)
}

/** The query parameters of a list, by what they do. */
export function pagingOf({ list }: Rows) {
  const query = list?.input.query
  const properties = (query?.properties ?? {}) as JsonObject
  const named = (usual: readonly string[]) => usual.find((it) => Object.hasOwn(properties, it))
  const page = named(pageNames)
  return {
    properties,
    size: named(sizes),
    start: named(starts),
    cursor: named(cursors),
    search: named(searches),
    page,
    first: page !== undefined && isFromZero(query, page) ? 0 : 1
  }
}

/** A list, read page by page. */
export interface Listing {
  rows: JsonObject[]
  /** The number of all rows, as the replies say. */
  total?: number | undefined
  /** A number that may be that of all rows, or of one page. */
  count?: number
  /** Whether no parameter leads to another page. */
  isFixed: boolean
  /** Whether the last page was read. */
  isWhole: boolean
  pages: JsonObject[][]
}

const mostPages = 50

/** The cursor in what an answer says of its next page, which may be a link. */
function cursorIn(next: Json | undefined, name: string): Json | undefined {
  const isLink = typeof next === 'string' && /^(https?:|\/|\?)/.test(next)
  return isLink ? new URL(next, 'http://localhost').searchParams.get(name) : next
}

/** Reads a list to its end, with pages of a size if one is given. */
export async function listed(
  scene: Scene,
  rows: Rows,
  owners: Owners,
  { query = {}, size, as }: { query?: JsonObject; size?: number; as?: Asker } = {}
): Promise<Listing> {
  const { list } = rows
  if (!list) throw new Stopped('no operation lists such rows')
  const { first: contract } = scene.run.readings
  const { size: sizeName, start, page, cursor, first, properties } = pagingOf(rows)
  const { maximum } = schemaOf(contract.documents, properties[sizeName ?? ''])
  const wanted = size ?? Math.min(Number(maximum ?? 100), 100)
  const usual = { ...neededBy(scene, list), ...query, ...(sizeName !== undefined && { [sizeName]: wanted }) }
  const isFixed = [sizeName, start, page, cursor].every((it) => it === undefined)
  const listing: Listing = { rows: [], isWhole: false, pages: [], isFixed }
  const cannotEnd = isNeverEmpty(contract.documents, list)
  let next: JsonObject | undefined = {}
  let isCut = false
  while (next && listing.pages.length < mostPages) {
    const input: Input = { path: pathOf(scene, list, owners), query: { ...usual, ...next } }
    const { status, body }: Reply = (
      await (listing.pages.length === 0 ? accepted(scene, list, input, as) : scene.ask(list.id, input, undefined, as))
    ).reply
    // There may be no page after the last one.
    if (status === 404) break
    const items = itemsIn(body)
    if (!items) throw new Stopped('no list was found in its answer')
    // Where a page must have a row, the last one may come again.
    if (cannotEnd && JSON.stringify(items) === JSON.stringify(listing.pages.at(-1))) break
    listing.pages.push(items)
    listing.rows.push(...items)
    const total = fieldNamed(body, (name) => totals.test(name) && !/^count$/i.test(name))
    if (typeof total === 'number') listing.total ??= total
    const count = fieldNamed(body, (name) => /^count$/i.test(name))
    if (typeof count === 'number' && listing.pages.length === 1) listing.count = count
    const following =
      cursor === undefined
        ? undefined
        : cursorIn(
            fieldNamed(body, (name) => nexts.includes(name)),
            cursor
          )
    const isFull = items.length > 0 && (sizeName === undefined || items.length >= wanted)
    isCut = isFull && (start ?? page) === undefined && sizeName !== undefined
    if (cursor !== undefined) {
      // Some name the last row.
      const last = fieldNamed(body, (name) => mores.includes(name)) === true ? items.at(-1)?.[rows.key] : undefined
      const at = following ?? last ?? ''
      next = at === '' ? undefined : { [cursor]: at }
      isCut =
        isFull &&
        next === undefined &&
        following === undefined &&
        fieldNamed(body, (name) => mores.includes(name)) === undefined
    } else if (!isFull) next = undefined
    else if (start !== undefined) next = { [start]: listing.rows.length }
    else next = page === undefined ? undefined : { [page]: first + listing.pages.length }
  }
  const isPart = isFixed && (listing.total ?? listing.count ?? 0) > listing.rows.length
  listing.isWhole = listing.pages.length < mostPages && !isCut && !isPart
  return listing
}

/** The query parameters that an operation requires. */
export function neededBy({ run }: Scene, { input }: Operation): JsonObject {
  const { first: contract } = run.readings
  const { properties = {}, required = [] } = input.query ?? {}
  const valueFor = (schema: Json | undefined) =>
    exampleOf(contract, schema) ?? contract.sample(schemaOf(contract.documents, schema), 1, 0)
  return Object.fromEntries((required as string[]).map((name) => [name, valueFor((properties as JsonObject)[name])]))
}

/** Calls an operation with a valid input. One that is refused for reasons of the server stops the scene. */
export async function accepted(scene: Scene, operation: Operation, given: Input, as?: Asker): Promise<Exchange> {
  const input = { ...given, query: { ...neededBy(scene, operation), ...given.query } }
  const exchange = await scene.ask(operation.id, input, undefined, as)
  const { status, text } = exchange.reply
  if (status < 400) {
    const promised = Object.entries(responseOf(operation, status)?.headers ?? {}).filter(([, it]) => it.isRequired)
    const [missing] = promised.find(([name]) => exchange.reply.headers[name] === undefined) ?? []
    if (promised.length > 0)
      scene.check('response_schema_conformance', operation.id, missing === undefined, `the header ${missing}`)
    return exchange
  }
  if (((operation.input.header?.required ?? []) as string[]).length > 0)
    throw new Stopped('it needs headers, which only the checks of single requests send')
  if (!responseOf(operation, status)) {
    scene.check('positive_data_acceptance', operation.id, false, 'a success: the request is valid')
    throw new Stopped()
  }
  throw new Stopped(`it was refused, as the document allows: ${status} ${text.slice(0, 80)}`)
}

/** Whether an operation takes a part of an input. */
export function takes(
  { run }: Scene,
  operation: Operation,
  part: 'path' | 'query' | 'body',
  input: Input,
  coercion: Coercion = 'lax'
): boolean {
  const { problems } = run.readings.first.checkInput(operation, rawOf(operation, input), coercion, new Set())
  return problems.every(({ loc }) => loc[0] !== part)
}

/** The rows that a new row belongs to. They are created, if that is possible. */
export async function ownersOf(scene: Scene, { parent }: Rows): Promise<Owners> {
  if (!parent) return []
  const above = await ownersOf(scene, parent)
  const isMade = parent.create && scene.run.settings.mutating
  const row = isMade ? (await created(scene, parent, above)).row : (await listed(scene, parent, above)).rows[0]
  if (!row) throw new Stopped(`no row of ${parent.collection.name} is known`)
  return [...above, row[parent.key] as Json]
}

/** A row that a scene created. */
export interface Made {
  row: JsonObject
  key: Json
  /** The fields that were sent. */
  sent: JsonObject
  body: JsonObject
  exchange: Exchange
}

/** Creates a row. The end of the scene removes it, if there is an operation for it. */
export async function created(scene: Scene, rows: Rows, owners: Owners, given?: JsonObject, as?: Asker): Promise<Made> {
  const { create } = rows
  if (!create) return madeBySource(scene, rows)
  const body = given ?? (await bodyFor(scene, rows, create))
  const exchange = await accepted(scene, create, { path: pathOf(scene, create, owners), body }, as)
  const made = madeBy(scene, rows, owners, body, exchange, as)
  if (!made) throw new Stopped(`its answer has no ${rows.key} of the new row`)
  return made
}

/** A row that the module of `--rows` creates. */
async function madeBySource(scene: Scene, { collection, parent, read, remove, ...rows }: Rows): Promise<Made> {
  const key = parent ? undefined : await scene.run.make(collection.name, { read: read?.id, remove: remove?.id })
  if (key === undefined || !read) throw new Stopped('no operation creates such rows: see --rows')
  const exchange = await accepted(scene, read, { path: pathOf(scene, read, [key]) })
  const row = rowIn({ collection, ...rows }, exchange.reply.body)
  if (!row) throw new Stopped(`its answer has no ${rows.key}`)
  return { row, key, sent: {}, body: {}, exchange }
}

/** The row of an accepted creation. */
export function madeBy(
  scene: Scene,
  rows: Rows,
  owners: Owners,
  body: JsonObject,
  exchange: Exchange,
  as?: Asker
): Made | undefined {
  const row = rowIn(rows, exchange.reply.body) ?? sentIn(rows, body)
  const key = row[rows.key]
  if (key === undefined || key === null) return undefined
  const item = rows.read ?? rows.remove
  if (item && !takes(scene, item, 'path', { path: pathOf(scene, item, [...owners, key]) }))
    throw new Stopped(`the path of ${item.id} does not take ${key}`)
  const { remove } = rows
  if (remove) {
    // Rows that belong to others go first.
    scene.undo.unshift(async () => {
      await scene.run.tried(remove.id, { path: pathOf(scene, remove, [...owners, key]) }, as)
    })
  }
  return { row, key, sent: sentIn(rows, body), body, exchange }
}

/** The fields of a row in the body of a request, which may be in one object of it. */
export function sentIn(rows: Rows, body: JsonObject): JsonObject {
  const own = Object.keys(fieldsOf(rows))
  const has = (it: unknown): it is JsonObject => isObject(it) && Object.keys(it).some((name) => own.includes(name))
  const row = has(body) ? body : (Object.values(body).find(has) ?? {})
  return Object.fromEntries(Object.entries(row).filter(([name]) => own.includes(name)))
}

/** The body with other fields of its row. */
export function withFields(rows: Rows, body: JsonObject, fields: JsonObject): JsonObject {
  const own = Object.keys(sentIn(rows, body))
  const isFlat = Object.keys(body).some((name) => Object.hasOwn(fieldsOf(rows), name))
  const wrapper = Object.entries(body).find(([, it]) => isObject(it) && own.every((name) => Object.hasOwn(it, name)))
  if (isFlat || !wrapper) return { ...body, ...fields }
  return { ...body, [wrapper[0]]: { ...(wrapper[1] as JsonObject), ...fields } }
}

/**
 * A valid body with all fields that the document has, or only the required ones. Texts are of this run, and ids are those of
 * rows. What the server sets is left out.
 */
export async function bodyFor(scene: Scene, rows: Rows, operation: Operation, isWhole = true): Promise<JsonObject> {
  const { run } = scene
  const { first: contract } = run.readings
  const schema = operation.input.body
  if (!schema || operation.media !== undefined) throw new Stopped('its body is no JSON')
  const links: JsonObject = {}
  for (const [field, name] of Object.entries(rows.collection.links ?? {})) {
    const other = linkedRows(scene, name)
    const row = other && !other.parent && other.list ? (await listed(scene, other, [])).rows[0] : undefined
    // A row may be named by its id where paths name it by another key.
    const value = [row?.[other?.key ?? ''], row?.id].find(
      (it) =>
        it !== undefined &&
        !contract.checkRow(rows.collection, { [field]: it }).problems.some(({ loc }) => loc[1] === field)
    )
    if (value !== undefined) links[field] = value
  }
  const reply = responseOf(operation, statusOf(operation))?.schema
  const isKeyOfClient =
    operation === rows.create && Object.keys(fieldsIn(contract, reply ?? {}).properties).length === 0
  for (let attempt = 0; attempt < 8; attempt++) {
    const sample = contract.sample(schema, run.random.next(1e6), attempt)
    // The values of the schema, if those of this run do not fit.
    for (const isOwn of [true, false]) {
      const body = fitted(sample, schema, true, isOwn)
      if (isObject(body) && takes(scene, operation, 'body', { body }, 'strict')) return body
    }
  }
  throw new Stopped('no valid body could be made from its schema')

  function fitted(value: Json, of: Json, isRow: boolean, isOwn: boolean): Json {
    if (!isObject(value)) return value
    const isOfRow = Object.keys(value).some((name) => Object.hasOwn(fieldsOf(rows), name))
    const { properties, required } = fieldsIn(contract, schemaOf(contract.documents, of))
    const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
      const whole = schemaOf(contract.documents, properties[name])
      const kinds = ((whole.anyOf ?? whole.oneOf ?? [whole]) as Json[]).map((it) => schemaOf(contract.documents, it))
      const field = kinds.find((it) => it.type !== 'null') ?? whole
      const isNeeded = required.includes(name)
      const isKey = name === rows.key || name === 'id'
      const isInner = isObject(item) && isRow && !isOfRow
      if (
        !isNeeded &&
        !(isInner && Object.keys(item).some((it) => Object.hasOwn(fieldsOf(rows), it))) &&
        !(isKey && isKeyOfClient && !field.readOnly) &&
        (!isWhole || field.readOnly || isKey || ownerFields.includes(name))
      )
        return []
      const file = { 'x-file': { name: 'notes.txt', type: 'text/plain', text: run.mark('file') } }
      if (field['x-file'] === true) return [[name, file]]
      if (schemaOf(contract.documents, field.items)['x-file'] === true) return [[name, [file]]]
      if (isOwn && Object.hasOwn(links, name)) return [[name, links[name] as Json]]
      // A form has no null.
      if (operation.form && item === null) return []
      return [[name, isInner ? fitted(item, field, false, isOwn) : isOwn ? ownValue(name, item, field) : item]]
    })
    return Object.fromEntries(entries)
  }

  /** Texts and ids of this run, where the schema leaves them free. */
  function ownValue(name: string, value: Json, field: JsonObject): Json {
    const isKey = name === rows.key || name === 'id'
    if (isKey && typeof value === 'number') return 1_000_000_000 + ((Date.now() + run.random.next(1e6)) % 900_000_000)
    // The rows may take fewer values than the requests.
    const own = schemaOf(contract.documents, fieldsOf(rows)[name])
    if ((own.enum && !field.enum) || (own.pattern && !field.pattern))
      return contract.sample(own, run.random.next(1e6), 0)
    if (typeof value !== 'string' || field.enum || field.const || field.pattern) return value
    // Many services want an address, whatever the document says.
    if ((field.format ?? (/e-?mail$/i.test(name) && 'email')) === 'email') return `${run.mark('e')}@example.com`
    const most = Number(field.maxLength ?? 200)
    return field.format === undefined && most > 20 ? run.mark(name.replace(/\W/g, '')).slice(0, most) : value
  }
}
