import { join } from 'node:path'
import { cursors } from '../../engine/answers/page.js'
import { ownerFieldsIn } from '../../engine/answers/shown.js'
import type { NotUnderstood } from '../../engine/api.js'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import {
  contractsFolder,
  type Documents,
  isObject,
  type Json,
  type JsonObject,
  readJson,
  schemaOf
} from '../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { once } from '../../engine/contract/once.js'
import { isNeverEmpty, responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { shownKey } from '../../engine/contract/reader/document.js'
import { eachSchema, fieldsIn, rowFieldsIn } from '../../engine/contract/schemas/schemas.js'
import { isRowPath } from '../../engine/contract/text.js'

/** A question that a document leaves open, with the calls that would answer it. */
export interface Question extends LedgerEntry {
  probe: string[]
}

type Of = ReturnType<typeof callsOf>[number]

const isTime = /(creat|updat|modif|chang)/i
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
  'put.member': (of) => of.isItem && isMethod('PUT')(of) && of.collection.member !== undefined,
  'create.absent': (of) =>
    isCreation(of) && Object.keys(of.body().properties).some((it) => !of.body().required.includes(it)),
  'create.location': (of) =>
    isCreation(of) && statusOf(of.operation) === 201 && !responseOf(of.operation, 201)?.headers?.location,
  'unique.fields': (of) => isCreation(of) && has(of, /^(email|username|slug|sku)$/),
  'references.unknown': (of) =>
    /POST|PUT|PATCH/.test(of.operation.method) &&
    Object.keys(of.collection.links ?? {}).some((it) => Object.hasOwn(of.body().properties, it)),
  'ids.again': (of) => isCreation(of) && /integer|number/.test(String(of.schemaOf(of.collection.key ?? 'id').type)),
  'times.change': (of) => /PUT|PATCH/.test(of.operation.method) && has(of, /(updat|modif|chang)/i) && has(of, isTime),
  'rows.order': isList,
  'rows.visible': (of) => (isList(of) || of.isItem) && of.isOwned,
  'rows.foreign': (of) => of.isItem && /PUT|PATCH|DELETE/.test(of.operation.method) && of.isOwned,
  'pages.size': (of) =>
    isList(of) &&
    !queryOf(of).some(
      (it) => /^(limit|(page|per)_?(size|page)?|size|count)$/i.test(it) && of.operation.defaults?.[it] !== undefined
    ),
  'pages.beyond': (of) => isList(of) && queryOf(of).some((it) => /^(page|offset|skip|start)/i.test(it)),
  'pages.cursor': (of) =>
    isList(of) &&
    queryOf(of).some((it) => cursors.includes(it)) &&
    ![400, 422].some((it) => of.operation.responses[it]),
  'search.case': (of) => isList(of) && queryOf(of).some((it) => /^(q|query|search)$/.test(it))
}

/** The usual choices that the operations of a document decide. */
const usual: Record<string, (requests: readonly AnyOf[], calls: readonly Of[]) => string> = {
  'errors.invalid-request': (requests) => {
    const has = (status: number) => requests.some(({ operation: { responses } }) => responses[status] !== undefined)
    return has(400) && !has(422) ? '400' : '422'
  },
  'delete.children': (_, calls) => (calls.some((it) => isMethod('DELETE')(it) && it.isNamed) ? 'below' : 'removed'),
  'pages.beyond': (_, calls) => (calls.some((it) => isList(it) && it.isNeverEmpty()) ? 'last' : 'empty'),
  'put.absent': (_, calls) =>
    calls.some((it) => it.operation.method === 'PUT' && it.body().required.length > 0) ? 'removed' : 'kept',
  'put.unknown-id': (_, calls) => {
    const names = new Set(calls.filter(isCreation).map(({ collection }) => collection.name))
    const isMade = ({ operation, isItem, collection: { name, member } }: Of) =>
      operation.method === 'PUT' && isItem && operation.responses[201] !== undefined && !member && !names.has(name)
    return calls.some(isMade) ? 'created' : '404'
  },
  'unique.fields': (_, calls) => (calls.some(({ operation: { responses } }) => responses[409]) ? 'refused' : 'accepted')
}

/** The texts of all questions that documents may leave open, by id. */
const texts = once(
  () => readJson(join(contractsFolder, 'any-api', 'questions.json')) as unknown as Record<string, Omit<Question, 'id'>>
)

/** The ledger of a document: what its answers rest on and it leaves open. Questions without an effect are left out. */
export function ledgerOf(of: OpenApiDocument, notUnderstood: () => NotUnderstood[]): Question[] {
  const { length } = of.operations
  const requests = requestsOf(of, notUnderstood)
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
function callsOf({ key, document, operations, collections }: OpenApiDocument) {
  const documents = { [key]: document }
  const byName = new Map(collections.map((it) => [it.name, it]))
  const users = collections.find(({ isUsers }) => isUsers)?.name
  const parents = new Set(collections.map(({ parent, isSingle }) => (isSingle ? undefined : parent?.collection)))
  const targets = new Set(
    collections.flatMap(({ parent, links = {} }) => Object.values(links).filter((it) => it !== parent?.collection))
  )
  return operations.flatMap((operation) => {
    const collection = byName.get(operation.mock?.collection ?? '')
    if (!collection) return []
    const { name } = collection
    const row = fieldsIn({ documents }, collection.row)
    const body = once(() => rowFieldsIn(documents, operation.input.body, row))
    const reply = once(() => rowFieldsIn(documents, responseOf(operation, statusOf(operation))?.schema, row))
    /** Whether a row can be without what a request has in a field: it may be absent, null, or a default. */
    const canLack = (field: string) => {
      const schemas = [row.properties[field], body().properties[field]].map((it) => schemaOf(documents, it))
      const [{ type, anyOf = [] } = {}] = schemas
      const types = [type, ...(anyOf as Json[]).map((it) => schemaOf(documents, it).type)].flat()
      return !row.required.includes(field) || types.includes('null') || schemas.some((it) => it.default !== undefined)
    }
    return [
      {
        operation,
        collection,
        isItem: isRowPath(operation.path),
        /** Whether other rows belong to its rows, and whether others only name them in a field. */
        isParent: parents.has(name),
        isNamed: targets.has(name),
        isOwned: ownerFieldsIn(collection, users).length > 0,
        schemaOf: (field: string) => schemaOf(documents, row.properties[field]),
        body,
        hasRow: () => Object.hasOwn(reply().properties, shownKey(collection)),
        isNeverEmpty: () => isNeverEmpty(documents, operation),
        canLack
      }
    ]
  })
}

type AnyOf = ReturnType<typeof requestsOf>[number]

const isJson = ({ operation: { input, form, media } }: AnyOf) =>
  input.body !== undefined && !form && media === undefined
/** Whether a document has all of these statuses, or none: it then leaves open which is answered. */
const chooses = ({ responses }: Operation, ...statuses: number[]) =>
  new Set(statuses.map((it) => responses[it] !== undefined)).size === 1

/** Whether an operation leaves a question about requests and errors open. */
const openInRequests: Record<string, (of: AnyOf) => boolean> = {
  'actions.status': ({ operation }) =>
    operation.mock?.row?.action !== undefined || operation.mock?.row?.isChange === true,
  'actions.again': ({ operation }) =>
    operation.mock?.row?.action !== undefined && operation.responses[409] !== undefined,
  'auth.unauthenticated': ({ operation }) => !operation.open && chooses(operation, 401, 403),
  'auth.scheme-case': ({ operation, isBearer }) => !operation.open && isBearer,
  'auth.cookie': ({ operation, hasCookie }) => !operation.open && hasCookie,
  'auth.unknown-token': ({ operation }) => !operation.open,
  'auth.password': ({ operation, bodyHas }) => operation.mock?.session === 'login' && bodyHas('.password'),
  'signup.again': ({ operation: { mock, method }, bodyHas }) =>
    mock?.session === 'signup' || (mock?.collection !== undefined && method === 'POST' && bodyHas('.password')),
  'auth.order': (of) => !of.operation.open && isJson(of),
  'errors.unreadable-body': ({ operation }) => operation.input.body !== undefined && chooses(operation, 400, 422),
  'errors.invalid-request': ({ operation: { input, responses } }) =>
    Object.keys(input).length > 0 && responses[400] === undefined && responses[422] === undefined,
  'errors.validation-dialect': ({ hasPlaces }) => hasPlaces(),
  'errors.input-and-ctx': ({ hasPlaces }) => hasPlaces(),
  'requests.coercion': (of) => isJson(of) && ['integer', 'number', 'boolean'].some(of.bodyHas),
  'requests.unknown-fields': () => true,
  'requests.no-content-type': isJson,
  'requests.repeated': ({ operation: { input, form } }) => input.query !== undefined || form !== false,
  'requests.integers': (of) => isJson(of) || of.has('integer') || of.has('number'),
  'requests.whole-numbers': (of) => isJson(of) && of.bodyHas('integer'),
  'requests.repeated-names': isJson,
  'requests.uuid-spelling': ({ has }) => has('uuid'),
  'requests.times-without-offset': ({ has }) => has('date-time'),
  'requests.not-understood': ({ isUnread }) => isUnread(),
  'requests.unread-bodies': ({ operation }) => operation.input.body === undefined
}

/** The types and formats in schemas, at any depth, and `.password` if they have one. */
function wordsIn(documents: Documents, schemas: Json[]): Set<Json | undefined> {
  const words = new Set<Json | undefined>()
  eachSchema(documents, schemas, ({ type, format, properties }) => {
    if (Array.isArray(type)) for (const it of type) words.add(it)
    else words.add(type)
    words.add(format)
    if (isObject(properties) && Object.hasOwn(properties, 'password')) words.add('.password')
  })
  return words
}

/** Whether an error about a request has the places of its problems: `{ detail: [{ loc, msg, type }] }`. */
function hasPlaces(documents: Documents, operation: Operation): boolean {
  const { input, responses } = operation
  if (Object.keys(input).length === 0) return false
  const row = responses[422] ?? responses[400] ?? responseOf(operation, 422)
  const fields = (schema: Json | undefined) => fieldsIn({ documents }, schemaOf(documents, schema)).properties
  const properties = fields(schemaOf(documents, fields(row?.schema).detail).items)
  return row === undefined || ['loc', 'msg', 'type'].every((it) => Object.hasOwn(properties, it))
}

/** What the questions about requests ask of each operation. */
function requestsOf({ key, document, operations }: OpenApiDocument, notUnderstood: () => NotUnderstood[]) {
  const documents = { [key]: document }
  const { securitySchemes = {} } = (isObject(document.components) ? document.components : {}) as JsonObject
  const schemes = Object.values(securitySchemes as JsonObject).map((it) => schemaOf(documents, it))
  const isBearer = schemes.some(({ type, scheme }) => type !== 'apiKey' && String(scheme).toLowerCase() !== 'basic')
  const hasCookie = operations.some(({ mock }) => mock?.session === 'login')
  // Most words are in no request, so all are read once before each is.
  const all = once(() =>
    wordsIn(
      documents,
      operations.flatMap(({ input: { path = {}, query = {}, body = {} } }) => [path, query, body])
    )
  )
  const unread = once(
    () => new Set(notUnderstood().flatMap(({ part, operation }) => (part === 'response-header' ? [] : operation)))
  )
  return operations.map((operation) => {
    const { path = {}, query = {}, body: bodySchema = {} } = operation.input
    const body = once(() => wordsIn(documents, [bodySchema]))
    const parameters = once(() => wordsIn(documents, [path, query]))
    // Whether its body has a type or format, or its parameters too.
    const bodyHas = (word: string) => all().has(word) && body().has(word)
    const has = (word: string) => bodyHas(word) || (all().has(word) && parameters().has(word))
    return {
      operation,
      has,
      bodyHas,
      hasPlaces: () => hasPlaces(documents, operation),
      isBearer,
      hasCookie,
      isUnread: () => unread().has(operation.id)
    }
  })
}
