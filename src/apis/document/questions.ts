import { join } from 'node:path'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { contractsFolder, type Json, type JsonObject, readJson, schemaOf } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { once } from '../../engine/contract/once.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { type Fields, fieldsIn, rowFieldsIn } from '../../engine/contract/schemas/schemas.js'
import { isRowPath } from '../../engine/contract/text.js'
import { type AnyOf, openInRequests, requestsOf } from './requests.js'

/** A question that a document leaves open, with the calls that would answer it. */
export interface Question extends LedgerEntry {
  probe: string[]
}

/** An operation of a collection. */
interface Of {
  operation: Operation
  collection: CollectionRow
  /** Whether its path names a row. */
  isItem: boolean
  /** Whether other rows belong to its rows, and whether others only name them in a field. */
  isParent: boolean
  isNamed: boolean
  /** The fields of its body. */
  body(): Fields
  /** Whether its answer has a row. */
  hasRow(): boolean
  /** Whether a row can be without what a request has in a field: it may be absent, null, or a default. */
  canLack(field: string): boolean
}

const isTime = /(creat|updat|modif|chang)/i
/** Fields with the user that a row belongs to. */
export const owners = /^(user|owner|author)_?id$|^created_?by$/i
const has = ({ collection }: Of, form: RegExp) =>
  Object.keys((collection.row.properties ?? {}) as JsonObject).some((it) => form.test(it))
const isMethod = (method: string) => (of: Of) => of.operation.method === method
const isList = ({ operation, isItem, collection }: Of) => operation.method === 'GET' && !isItem && !collection.isSingle
const isCreation = ({ operation, isItem, collection }: Of) =>
  operation.method === 'POST' && !isItem && !collection.isSingle
const queryOf = ({ operation }: Of) => Object.keys((operation.input.query?.properties ?? {}) as JsonObject)

/** Whether an operation leaves a question about rows open. */
const openInRows: Record<string, (of: Of) => boolean> = {
  'missing.status': ({ operation, isItem, collection }) =>
    (isItem || (collection.parent !== undefined && operation.path.includes('{'))) && !operation.responses[404],
  'delete.again': (of) => isMethod('DELETE')(of) && !of.hasRow(),
  'delete.children': (of) => isMethod('DELETE')(of) && (of.isParent || of.isNamed),
  'put.absent': (of) =>
    isMethod('PUT')(of) &&
    Object.keys(of.body().properties).some((it) => !of.body().required.includes(it) && of.canLack(it)),
  'put.unknown-id': (of) => of.isItem && isMethod('PUT')(of),
  'create.absent': (of) =>
    isCreation(of) && Object.keys(of.body().properties).some((it) => !of.body().required.includes(it)),
  'create.location': (of) =>
    isCreation(of) && statusOf(of.operation) === 201 && !responseOf(of.operation, 201)?.headers?.location,
  'unique.fields': (of) => isCreation(of) && has(of, /^(email|username|slug|sku)$/),
  'references.unknown': (of) =>
    /POST|PUT|PATCH/.test(of.operation.method) &&
    Object.keys(of.collection.links ?? {}).some((it) => Object.hasOwn(of.body().properties, it)),
  'ids.again': (of) =>
    isCreation(of) &&
    /integer|number/.test(
      String(schemaOf({}, ((of.collection.row.properties ?? {}) as JsonObject)[of.collection.key ?? 'id']).type)
    ),
  'times.change': (of) => /PUT|PATCH/.test(of.operation.method) && has(of, /(updat|modif|chang)/i) && has(of, isTime),
  'rows.order': isList,
  'rows.visible': (of) => (isList(of) || of.isItem) && has(of, owners),
  'rows.foreign': (of) => of.isItem && /PUT|PATCH|DELETE/.test(of.operation.method) && has(of, owners),
  'pages.size': (of) =>
    isList(of) &&
    !queryOf(of).some(
      (it) => /^(limit|(page|per)_?(size|page)?|size|count)$/i.test(it) && of.operation.defaults?.[it] !== undefined
    ),
  'pages.beyond': (of) => isList(of) && queryOf(of).some((it) => /^(page|offset|skip|start)/i.test(it)),
  'search.case': (of) => isList(of) && queryOf(of).some((it) => /^(q|query|search)$/.test(it))
}

/** The usual choices that the operations of a document decide. */
const usual: Record<string, (requests: readonly AnyOf[], calls: readonly Of[]) => string> = {
  'errors.invalid-request': (requests) => {
    const has = (status: number) => requests.some(({ operation: { responses } }) => responses[status] !== undefined)
    return has(400) && !has(422) ? '400' : '422'
  },
  'delete.children': (_, calls) => (calls.some((it) => isMethod('DELETE')(it) && it.isNamed) ? 'below' : 'removed'),
  'put.absent': (_, calls) =>
    calls.some((it) => it.operation.method === 'PUT' && it.body().required.length > 0) ? 'removed' : 'kept',
  'unique.fields': (_, calls) => (calls.some(({ operation: { responses } }) => responses[409]) ? 'refused' : 'accepted')
}

/** The texts of all questions that documents may leave open, by id. */
const texts = once(
  () => readJson(join(contractsFolder, 'any-api', 'questions.json')) as unknown as Record<string, Omit<Question, 'id'>>
)

/** The ledger of a document: what its answers rest on and it leaves open. Questions without an effect are left out. */
export function ledgerOf(of: OpenApiDocument): Question[] {
  const { length } = of.operations
  const requests = requestsOf(of)
  const calls = callsOf(of)
  const open = <It extends { operation: Operation }>(all: readonly It[], isOpen: ((of: It) => boolean) | undefined) =>
    isOpen && { isAny: all.some(isOpen), all: () => all.filter(isOpen).map(({ operation }) => operation.id) }
  return Object.entries(texts()).flatMap(([id, entry]): Question[] => {
    // Others are about requests without an operation.
    const at = open(requests, openInRequests[id]) ?? open(calls, openInRows[id]) ?? { isAny: true, all: () => [] }
    if (!at.isAny) return []
    const choice = usual[id]?.(requests, calls) ?? entry.default
    // The first place is enough for the start. Without a place, a question is about all operations.
    const place = once(() => {
      const ids = at.all()
      return ids.length === length ? [] : ids
    })
    return [
      {
        ...entry,
        id,
        default: choice,
        observed: choice,
        get place() {
          return place()
        }
      }
    ]
  })
}

/** The operations of collections. */
function callsOf({ key, document, operations, collections }: OpenApiDocument): Of[] {
  const documents = { [key]: document }
  const byName = new Map(collections.map((it) => [it.name, it]))
  const parents = new Set(collections.map(({ parent, isSingle }) => (isSingle ? undefined : parent?.collection)))
  const named = new Set(
    collections.flatMap(({ parent, links = {} }) => Object.values(links).filter((it) => it !== parent?.collection))
  )
  return operations.flatMap((operation): Of[] => {
    const collection = byName.get(operation.mock?.collection ?? '')
    if (!collection) return []
    const { name } = collection
    const row = fieldsIn({ documents }, collection.row)
    const body = once(() => rowFieldsIn(documents, operation.input.body, row))
    const reply = once(() => rowFieldsIn(documents, responseOf(operation, statusOf(operation))?.schema, row))
    const canLack = (field: string) => {
      const schemas = [row.properties[field], body().properties[field]].map((it) => schemaOf(documents, it))
      const [{ type, anyOf = [] } = {}] = schemas
      const types = [type, ...(anyOf as Json[]).map((it) => schemaOf(documents, it).type)].flat()
      return !row.required.includes(field) || types.includes('null') || schemas.some((it) => it.default !== undefined)
    }
    const isItem = isRowPath(operation.path)
    const hasRow = () => Object.hasOwn(reply().properties, collection.key ?? 'id')
    return [
      { operation, collection, isItem, isParent: parents.has(name), isNamed: named.has(name), body, hasRow, canLack }
    ]
  })
}
