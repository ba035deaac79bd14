import type { Contract } from '../../engine/contract/contract.js'
import type { Documents, Json, JsonObject } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { freeName } from '../../engine/contract/openapi/document.js'
import { singularOf } from '../../engine/contract/reader/document.js'
import { fieldsIn } from '../../engine/contract/schemas/schemas.js'
import { createSchemas, inferredMarks, isParameter, itemsIn, type PathItem, pathsOf } from './infer.js'

/** Marks for the operations of a document: with them its paths show the rows of that API. */
export interface Proposals {
  /** `x-mock-collections`, by name. */
  collections: Record<string, JsonObject>
  operations: Proposal[]
}

export interface Proposal {
  method: string
  path: string
  /** The `x-mock` of the operation. */
  mark: JsonObject
  /** The values that the document allows in fields of the rows of a shared collection. */
  enums?: Record<string, Json[]>
}

/** Proposes marks for what an API does not answer itself. A collection is new only if the API has none like it. */
export function proposalsFor(
  document: JsonObject,
  { kept, operations: all }: Pick<OpenApiDocument, 'kept' | 'operations'>,
  contract: Contract
): Proposals {
  const documents: Documents = { '': document }
  const schemas = createSchemas(documents)
  const inferred = inferredMarks(document, documents)
  const shared = [...contract.collections.values()]
  const views = new Map(shared.map((it) => [it.name, viewOf(contract, it)]))
  const names = new Map<string, string>()
  const allNames = new Set([...contract.collections.keys(), ...Object.keys(document['x-mock-collections'] ?? {})])

  const ownName = (inferredName: string): string | undefined => {
    const { id } = schemas.fields(inferred.collections[inferredName]?.schema)
    const { type = 'string' } = schemas.at(id)
    if (![type].flat().some((it) => it === 'string' || it === 'integer' || it === 'number')) return undefined
    const free = (count: number) => (count === 1 ? inferredName : `${inferredName}${count}`)
    const name = names.get(inferredName) ?? freeName(allNames, free)
    names.set(inferredName, name)
    allNames.add(name)
    return name
  }

  /** The reply of an operation that the API answers, as the document has it. */
  const replyOf = (id: string | undefined): Json | undefined => {
    const place = kept.find((it) => it.id === id)?.place
    return place && schemas.reply(place.reduce((it, step) => it[step] as JsonObject, document))
  }

  /** The collection of the API whose rows a path shows: that of an operation with the same reply, or one that the path names. */
  const likeOf = (path: string, row: Json | undefined): string | undefined => {
    const whole = schemas.at(row)
    const isSame = (reply: Json | undefined) => reply !== undefined && schemas.at(reply) === whole
    const same = shared.find(({ name }) => isSame(replyOf(views.get(name)?.id)))
    if (same) return same.name
    const fields = Object.keys(schemas.fields(whole))
    const has = (field: string) => (it: CollectionRow) => Object.hasOwn(fieldsIn(contract, it.row).properties, field)
    const alike = shared.filter((it) => {
      const both = fields.filter((field) => has(field)(it))
      return both.includes('id') && both.length * 2 >= fields.length
    })
    const [match] = namesIn(path, alike)
    if (match !== undefined) return match
    // Fields that hardly any other collection has.
    const rare = fields.filter((field) => shared.filter(has(field)).length <= 2)
    return alike.find((it) => rare.filter((field) => has(field)(it)).length >= 3)?.name
  }

  const markOf = (item: PathItem, method: string): JsonObject | undefined => {
    const { path, segments, operations } = item
    const mark = inferred.operations.get(`${method} ${path}`)
    if (mark?.session !== undefined) return mark
    // FastAPI Users, Auth.js and others have a pair of these for each provider.
    const end = method === 'get' ? ['authorize', 'callback'].find((it) => path.endsWith(`/${it}`)) : undefined
    const other = `${path.slice(0, path.lastIndexOf('/'))}/${end === 'authorize' ? 'callback' : 'authorize'}`
    const pair = all.find((it) => it.method === 'GET' && it.origin?.path[1] === other)
    if (end !== undefined && pair)
      return end === 'authorize' ? { redirect: pair.path } : { session: 'login', redirect: '/' }
    const items = itemsIn(schemas.reply(operations[method]), schemas)
    const isList = method === 'get' && items !== undefined && !segments.some(isParameter)
    if (!mark && !isList) return undefined
    const row = items ?? schemas.reply(operations[method]) ?? schemas.reply(operations.get)
    const like = likeOf(path, row)
    const view = like === undefined ? undefined : views.get(like)
    if (like !== undefined) return { collection: like, ...(view && { view: view.id }) }
    const name = mark && ownName(mark.collection as string)
    return name === undefined ? undefined : { collection: name }
  }

  const enumsIn = (row: Json | undefined): Record<string, Json[]> => {
    const fields = Object.entries(schemas.fields(schemas.at(row))).map(([name, it]) => [name, schemas.at(it).enum])
    return Object.fromEntries(fields.filter(([, values]) => Array.isArray(values)))
  }

  const operations = pathsOf(document).flatMap((item) =>
    Object.keys(item.operations).flatMap((method): Proposal[] => {
      const { path } = item
      const isKept = kept.some(({ place }) => place[1] === path && place[2] === method)
      const isMarked = item.operations[method]?.['x-mock'] !== undefined
      const mark = isKept || isMarked ? undefined : markOf(item, method)
      const reply = schemas.reply(item.operations[method])
      const isShared = contract.collections.has(mark?.collection as string)
      return mark ? [{ method, path, mark, ...(isShared && { enums: enumsIn(itemsIn(reply, schemas) ?? reply) }) }] : []
    })
  )
  const collections = [...names].map(([inferredName, name]) => {
    const { parent, users: _, ...rest } = inferred.collections[inferredName] as JsonObject
    const owner = names.get(parent as string)
    return [name, { ...rest, ...(owner !== undefined && { parent: owner }) }]
  })
  return { collections: Object.fromEntries(collections), operations }
}

/** The operation that shows one row of a collection. */
function viewOf({ operations, collections }: Contract, { name, resource }: CollectionRow): Operation | undefined {
  const isAlone = [...collections.values()].filter((it) => it.resource === resource).length === 1
  return [...operations.values()].find(
    (it) =>
      it.method === 'GET' &&
      it.resource === resource &&
      it.path.endsWith('}') &&
      (isAlone || namesIn(it.path, [{ name, description: '' }]).length > 0)
  )
}

const plain = (words: readonly string[]) =>
  words.map((it) => singularOf(it.toLowerCase().replace(/[^a-z0-9]/g, ''))).join('')

/**
 * The names of some collections that words of a path make, the last first: `orderItems` in `/order/items/recent`. A short description
 * is a name, too: `personas` are agents.
 */
function namesIn(path: string, collections: readonly Pick<CollectionRow, 'name' | 'description'>[]): string[] {
  const words = path.split('/').filter((it) => it !== '' && !isParameter(it))
  const matches = collections.flatMap(({ name, description }) =>
    words.flatMap((_, end) =>
      words.slice(0, end + 1).flatMap((__, start) => {
        const word = plain(words.slice(start, end + 1))
        const isName = word === plain([name]) || word === plain([description.split('.')[0] as string])
        return isName ? [{ name, end, length: end - start }] : []
      })
    )
  )
  return matches.sort((a, b) => b.end - a.end || b.length - a.length).map(({ name }) => name)
}
