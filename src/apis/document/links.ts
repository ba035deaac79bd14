import type { Json, JsonObject } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { memberField, shownKey, singularOf } from '../../engine/contract/reader/document.js'
import { fieldsIn, flattened, partsOf, rowFieldsIn } from '../../engine/contract/schemas/schemas.js'
import { barePath, isRowPath, plain } from '../../engine/contract/text.js'
import { actionOf } from './actions.js'
import { isParameter, mockUsers, nameIn, shapeOf } from './infer.js'

/** Notes which rows fields and paths name. */
export function link(document: OpenApiDocument): void {
  linkCollections(document)
  linkOperations(document)
}

/** Notes which row the path of an operation names that is not a plain call of a collection: `/orders/{id}/cancel`. */
function linkOperations({ key, document, operations, collections }: OpenApiDocument): void {
  const documents = { [key]: document }
  const items = new Map(
    operations.flatMap(({ path, mock }) =>
      mock?.collection !== undefined && isRowPath(path) ? [[shapeOf(barePath(path).split('/')), mock.collection]] : []
    )
  )
  for (const operation of operations) {
    const { mock, origin, path } = operation
    const item = (document.paths as Record<string, JsonObject>)[origin?.path[1] as string]
    const isMarked = (item?.[origin?.path[2] as string] as JsonObject | undefined)?.['x-mock'] !== undefined
    if (mock?.collection !== undefined || mock?.session !== undefined || isMarked) continue
    // Google writes `/orders/{id}:cancel`.
    const segments = path.replace('}:', '}/').split('/')
    const length = segments.findLastIndex((_, at) => items.has(shapeOf(segments.slice(0, at))))
    const name = length < 1 ? undefined : items.get(shapeOf(segments.slice(0, length)))
    const collection = collections.find((it) => it.name === name)
    if (!collection) continue
    const row = fieldsIn({ documents }, collection.row)
    const reply = rowFieldsIn(documents, responseOf(operation, statusOf(operation))?.schema, row)
    const names = Object.keys(reply.properties)
    const isShown = names.includes(shownKey(collection)) && names.every((it) => Object.hasOwn(row.properties, it))
    const parameters = segments.slice(0, length).filter(isParameter).length
    const isAction = operation.method !== 'GET' && segments.length === length + 1
    const action = isAction ? actionOf(operation.method, segments.at(-1) as string, row, documents) : undefined
    const fields = Object.keys(rowFieldsIn(documents, operation.input.body, row).properties)
    const isOfRow = fields.every((it) => Object.hasOwn(row.properties, it) && it !== shownKey(collection))
    const isWriting = isAction && (isShown || /PUT|PATCH/.test(operation.method))
    const isChange = !action && isWriting && fields.length > 0 && isOfRow
    operation.mock = { ...mock, row: { collection: collection.name, parameters, isShown, action, isChange } }
  }
}

/** Notes which fields have the ids of rows of other collections, or the keys of those that they belong to. */
function linkCollections(of: OpenApiDocument): void {
  const { key: name, document, operations, collections } = of
  const documents = { [name]: document }
  const others = collections.filter((it) => it.name !== mockUsers && !it.isSingle)
  const byOne: NamesByOne = new Map(others.map((it) => [singularOf(it.name).toLowerCase(), it]))
  const bodiesOf = (collection: string) =>
    operations
      .filter(({ mock, method }) => method === 'POST' && mock?.collection === collection)
      .map(({ input }) => flattened(documents, input.body ?? {}).properties)
  for (const it of collections) {
    const paths = operations.filter(({ mock, path }) => mock?.collection === it.name && isRowPath(path))
    const isBelow = ({ path }: Operation) => barePath(path).split('/').filter(isParameter).length > 1
    if (it.parent && it.key !== undefined && paths.length > 0) it.parent.isScope = paths.every(isBelow)
  }
  for (const it of collections) linkParent(of, it)
  for (const it of collections) {
    const properties = propertiesOf(it)
    const isFree = (field: string) => field !== (it.key ?? 'id') && !it.unlinked?.includes(field)
    const links = Object.keys(properties).flatMap((field): [string, string][] => {
      const other = namedBy(field, byOne) ?? namedAs(of, it, field, byOne)
      return other && isFree(field) ? [[field, other.name]] : []
    })
    it.links = { ...Object.fromEntries(links), ...it.links }
    it.inner = Object.entries(properties).flatMap(([field, schema]) =>
      partsOf(documents, schema)
        .flatMap((part) => Object.keys(fieldsIn({ documents }, part.items ?? part).properties))
        .flatMap((name): [string, string, string][] => {
          const other = namedBy(name, byOne)
          return other ? [[field, name, other.name]] : []
        })
    )
    linkShown(of, it)
    const key = collections.find((other) => other.name === it.parent?.collection)?.key
    const isShown = key !== undefined && key !== it.key && Object.hasOwn(properties, key)
    if (it.parent && isShown && !bodiesOf(it.name).some((fields) => Object.hasOwn(fields, key))) it.parent.key = key
  }
  for (const it of collections) linkAbove(of, it)
  for (const it of collections) linkMembers(of, it, byOne)
}

/** Collections by what one of their rows is called. */
type NamesByOne = ReadonlyMap<string, CollectionRow>

/** The collection whose rows a field or a parameter names: `author_id`, `customerId`. */
function namedBy(field: string, byOne: NamesByOne): CollectionRow | undefined {
  const [, one] = /^(.+?)_?[iI][dD]$/.exec(field) ?? []
  return byOne.get(one?.replace(/_$/, '').toLowerCase() ?? '')
}

/**
 * The collection whose rows a text names that is called as one of them: by a slug, by the row itself in its place (`anyOf`), or as
 * the description says (`ID of the customer`).
 */
function namedAs(of: OpenApiDocument, it: CollectionRow, field: string, byOne: NamesByOne): CollectionRow | undefined {
  const documents = { [of.key]: of.document }
  const other = byOne.get(field.toLowerCase())
  if (!other || other === it) return undefined
  const { key = 'id' } = other
  const parts = partsOf(documents, propertiesOf(it)[field] as Json)
  const isText = parts.some(({ type, enum: listed }) => [type].flat().includes('string') && listed === undefined)
  const isWhole = parts.some((part) => Object.hasOwn(fieldsIn({ documents }, part).properties, key))
  const text = parts.map(({ description = '' }) => description).join()
  const isSaid =
    /\b(id|identifier|slug|key|code|handle) (of|for) /i.test(text) && text.toLowerCase().includes(field.toLowerCase())
  const isKey = formOf(of, propertiesOf(other)[key]).startsWith('string') && (isWhole || isSaid || key !== 'id')
  return isText && isKey ? other : undefined
}

/**
 * Notes whose rows the key of a collection names. Several rows below different parents may name the same one, so rows that show its
 * id as theirs have a key that replies do not show.
 */
function linkMembers({ operations }: OpenApiDocument, it: CollectionRow, byOne: NamesByOne) {
  const isItem = ({ mock, method, path }: Operation) =>
    mock?.collection === it.name && method === 'PUT' && isRowPath(path)
  const segments = barePath(operations.find(isItem)?.path ?? '').split('/')
  const parameter = nameIn(segments.at(-1) as string)
  const other = namedBy(parameter, byOne)
  if (!it.parent || !other || other === it || other.name === it.parent.collection) return
  it.member = { collection: other.name, parameter }
  it.parent.isScope = true
  const key = propertiesOf(other)[other.key ?? 'id'] as Json
  if (it.key === undefined)
    for (const { properties } of [it.row, ...(it.kinds ?? [])]) (properties as JsonObject)[memberField] = key
  it.key ??= memberField
}

const propertiesOf = ({ row }: CollectionRow) => (row.properties ?? {}) as JsonObject

/** Notes the field that names a row's parent, which may be called like the parameter of its path: `card_id` at `{cardId}`. */
function linkParent(of: OpenApiDocument, it: CollectionRow): void {
  const [above] = ancestorsOf(of, it)
  const { parent } = it
  if (!parent || !above) return
  const properties = propertiesOf(it)
  const field = parent.field.startsWith('_') ? namingField(of, it, 0) : undefined
  if (field !== undefined) {
    for (const { properties } of [it.row, ...(it.kinds ?? [])]) delete (properties as JsonObject)[parent.field]
    parent.field = field
  }
  const [form, ofId] = [properties[parent.field], propertiesOf(above).id].map((schema) => formOf(of, schema))
  const isKey = above.key === parent.field || (form !== '' && form !== ofId)
  if (above.key === undefined || !isKey) return
  if (!above.parent?.isScope || parent.field.startsWith('_')) {
    parent.by = above.key
    return
  }
  // The key alone does not say which row it is.
  parent.above = { [parent.field]: above.key }
  parent.field = `_${above.name}`
  for (const { properties } of [it.row, ...(it.kinds ?? [])]) (properties as JsonObject)[parent.field] = {}
}

/** Notes the parent in the one field that names it: `category` of a product at `/categories/{slug}/products`. */
function linkShown(of: OpenApiDocument, { parent, links = {}, row, kinds = [] }: CollectionRow): void {
  const above = of.collections.find(({ name }) => name === parent?.collection)
  const [field, ...others] = Object.keys(links).filter((it) => links[it] === parent?.collection)
  if (!parent?.field.startsWith('_') || above?.parent?.isScope || !field || others.length > 0) return
  for (const { properties } of [row, ...kinds]) delete (properties as JsonObject)[parent.field]
  parent.field = field
  parent.by = above?.key ?? 'id'
}

/** Notes the fields that name the rows which a row's parent belongs to: a note of a card may have `board_id`, too. */
function linkAbove(of: OpenApiDocument, it: CollectionRow): void {
  for (let level = 1; level < ancestorsOf(of, it).length; level++) {
    const field = namingField(of, it, level)
    if (field !== undefined && field !== it.parent?.field) noteAbove(of, it, field, level)
  }
}

/** Notes that a field of rows is what a field of their parent is. A parent without one gets one that replies do not show. */
function noteAbove(of: OpenApiDocument, it: CollectionRow, field: string, level: number): void {
  const [parent] = ancestorsOf(of, it)
  if (!it.parent || !parent?.parent) return
  let theirs = level === 1 ? parent.parent.field : namingField(of, parent, level - 1)
  if (theirs === undefined) {
    theirs = `_above${level}`
    for (const { properties } of [parent.row, ...(parent.kinds ?? [])]) (properties as JsonObject)[theirs] = {}
    noteAbove(of, parent, theirs, level - 1)
  }
  it.parent.above = { ...it.parent.above, [field]: theirs }
}

/** The collections that rows belong to, the nearest first. A circle ends before it begins again. */
function ancestorsOf(of: OpenApiDocument, it: CollectionRow, below = [it.name]): CollectionRow[] {
  const parent = of.collections.find(({ name }) => name === it.parent?.collection && !below.includes(name))
  return parent ? [parent, ...ancestorsOf(of, parent, [...below, parent.name])] : []
}

/** The field of rows that names the row of an ancestor, by its parameter in the path, or by what the path calls its rows. */
function namingField(of: OpenApiDocument, it: CollectionRow, level: number): string | undefined {
  const ancestor = ancestorsOf(of, it)[level]
  const names = of.operations.flatMap(({ mock, path }) => {
    const segments = mock?.collection === it.name ? barePath(path).split('/') : []
    const at = [...segments.keys()].filter((position) => isParameter(segments[position]))
    const above = at.at(-1 - level - (isRowPath(path) ? 1 : 0))
    if (above === undefined) return []
    const parameter = nameIn(segments[above] as string)
    // Rows may have a key of the same name: `slug`.
    const isKey = parameter === ancestor?.key && !/id$/i.test(parameter)
    return [`${singularOf(segments[above - 1] as string)}id`, ...(isKey ? [] : [parameter])].map(plain)
  })
  if (!ancestor) return undefined
  const typeOf = (schema: Json | undefined) => formOf(of, schema).split(' ')[0]
  const types = ['id', ancestor.key ?? 'id'].map((key) => typeOf(propertiesOf(ancestor)[key]))
  const isNaming = ([field, schema]: [string, Json]) =>
    field !== 'id' && field !== it.key && names.includes(plain(field)) && types.includes(typeOf(schema))
  return Object.entries(propertiesOf(it)).find(isNaming)?.[0]
}

/** The type of a schema besides null, with its format. */
function formOf({ key, document }: OpenApiDocument, schema: Json | undefined): string {
  const forms = partsOf({ [key]: document }, schema ?? {}).flatMap(({ type, format = '' }) =>
    [type ?? []].flat().flatMap((it) => (it === 'null' ? [] : `${it} ${format}`))
  )
  return forms[0] ?? ''
}
