import { cursors, isFromZero, pages as pageNames, searches, sizes, starts } from '../../../engine/answers/page.js'
import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../../engine/contract/model.js'
import { shownKey } from '../../../engine/contract/reader/document.js'
import { barePath, isRowPath } from '../../../engine/contract/text.js'

/** A collection with its operations, and how requests and replies have its rows. */
export class Rows {
  parent?: Rows | undefined
  readonly list?: Operation | undefined
  readonly create?: Operation | undefined
  readonly read?: Operation | undefined
  readonly replace?: Operation | undefined
  readonly change?: Operation | undefined
  readonly remove?: Operation | undefined
  /** The operations of a row without a key. */
  readonly single?: Operation[]
  /** The operations that set a status of a row. */
  readonly actions: readonly Operation[] = []
  /** The field that paths name its rows by. */
  readonly key: string

  constructor(
    readonly collection: CollectionRow,
    calls: Partial<Rows>
  ) {
    Object.assign(this, calls)
    this.key = shownKey(collection)
  }

  get operations(): Operation[] {
    const { list, create, read, replace, change, remove, single = [] } = this
    return [list, create, read, replace, change, remove, ...single].filter((it) => it !== undefined)
  }

  /** Whether a PUT with a new key is the only way to make a row. */
  get isPut(): boolean {
    const { create, replace, collection } = this
    return !create && !collection.member && replace?.responses[201] !== undefined
  }

  get fields(): JsonObject {
    return (this.collection.row.properties ?? {}) as JsonObject
  }

  /** The query parameters of the list, by what they do. */
  get paging() {
    const query = this.list?.input.query
    const properties = (query?.properties ?? {}) as JsonObject
    const nameOf = (usual: readonly string[]) => usual.find((it) => Object.hasOwn(properties, it))
    const page = nameOf(pageNames)
    return {
      properties,
      size: nameOf(sizes),
      start: nameOf(starts),
      cursor: nameOf(cursors),
      search: nameOf(searches),
      page,
      first: page !== undefined && isFromZero(query, page) ? 0 : 1
    }
  }

  keysOf(items: readonly JsonObject[]): string[] {
    return items.map((it) => String(it[this.key]))
  }

  /** The row in the body of a reply: the whole, or the object in it that has the key. */
  rowIn(body: unknown): JsonObject | undefined {
    const has = (it: unknown): it is JsonObject => isObject(it) && (it[this.key] ?? null) !== null
    return has(body) ? body : isObject(body) ? Object.values(body).find(has) : undefined
  }

  /** Whether an object has a field of the rows. */
  isOfRow(value: unknown): boolean {
    return isObject(value) && Object.keys(value).some((name) => Object.hasOwn(this.fields, name))
  }

  /** The fields of a row in the body of a request, which may be in one object of it. */
  sentIn(body: JsonObject): JsonObject {
    const row = [body, ...Object.values(body)].find((it) => this.isOfRow(it)) ?? {}
    return Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(this.fields, name)))
  }

  /** The body with other fields of its row. */
  withFields(body: JsonObject, fields: JsonObject): JsonObject {
    const own = Object.keys(this.sentIn(body))
    const wrapper = Object.entries(body).find(([, it]) => isObject(it) && own.every((name) => Object.hasOwn(it, name)))
    if (this.isOfRow(body) || !wrapper) return { ...body, ...fields }
    return { ...body, [wrapper[0]]: { ...(wrapper[1] as JsonObject), ...fields } }
  }
}

export const isItem = ({ path }: Operation) => isRowPath(path)
const shapeOf = (path: string) => barePath(path.replace(/\{[^{}]*\}/g, '{}'))

/** The collections of a document with their operations, parents first. */
export function rowsOf({ operations, collections }: OpenApiDocument): Rows[] {
  const byName = new Map<string, Rows>()
  const others: Rows[] = []
  for (const collection of collections) {
    const own = operations.filter(({ mock }) => mock?.collection === collection.name)
    if (collection.isSingle) {
      byName.set(collection.name, new Rows(collection, { single: own }))
      continue
    }
    const item = own.find(isItem)
    const base = shapeOf(item?.path ?? own[0]?.path ?? '').replace(/\/\{\}$/, '')
    const at = (method: string, path: string) => own.find((it) => it.method === method && shapeOf(it.path) === path)
    // `/projects/{id}/tasks` for `/tasks/{id}`.
    const nested = (method: string) =>
      own.find((it) => it.method === method && shapeOf(it.path).endsWith(`{}/${base.split('/').at(-1)}`))
    const rows = new Rows(collection, {
      list: at('GET', base) ?? nested('GET'),
      create: at('POST', base) ?? nested('POST'),
      read: at('GET', `${base}/{}`),
      replace: at('PUT', `${base}/{}`),
      change: at('PATCH', `${base}/{}`) ?? at('POST', `${base}/{}`),
      remove: at('DELETE', `${base}/{}`),
      actions: operations.filter(({ mock }) => mock?.row?.action && mock.row.collection === collection.name)
    })
    byName.set(collection.name, rows)
    const below = nested('GET')
    // Both `/tasks` and `/projects/{id}/tasks` list them.
    if (below && below !== rows.list) others.push(new Rows(collection, { list: below, create: nested('POST') }))
  }
  const all = [...byName.values(), ...others]
  for (const it of all) {
    // Where no path names the row that it belongs to, its body does.
    const isNested = it.operations.some((operation) => !isItem(operation) && operation.path.includes('{'))
    it.parent = isNested ? byName.get(it.collection.parent?.collection ?? '') : undefined
  }
  return all.filter(({ list, create, read, single }) => list ?? create ?? read ?? single)
}

export const isKey = (a: Json | undefined, b: Json) => String(a) === String(b)

/** Fields that clocks change, or that are of a reply and not of a row. */
export const moving = /^(time_?|date_?)?(last_?)?(updated|modified|changed|accessed|seen|version|etag)|_?token$/i

/**
 * The fields of a row that another reply must show too: plain values, without those that clocks change, or that the document has
 * in another type there.
 */
export function steady(row: JsonObject, than?: JsonObject): JsonObject {
  const isThere = (name: string, type: string) =>
    !than || than[name] === null || (than[name] !== undefined && typeof than[name] === type)
  const isSteady = ([name, value]: [string, Json]) =>
    !moving.test(name) && typeof value !== 'object' && isThere(name, typeof value)
  return Object.fromEntries(Object.entries(row).filter(isSteady))
}

/** A filter may search in a text. */
export function isFilteredBy(field: Json | undefined, value: Json): boolean {
  const lower = (it: Json | undefined) => String(it).toLowerCase()
  return [field].flat().some((it) => isObject(it) || lower(it).includes(lower(value)))
}
