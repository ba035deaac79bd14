import { boundIn, directions, filteredBy, pageWords, sortedBy, sorts, totalHeader } from '../../engine/answers/page.js'
import { ownerFields } from '../../engine/answers/shown.js'
import {
  type Api,
  type CollectionParts,
  contractsOnly,
  type DocumentApi,
  type NotUnderstood,
  type Rule,
  type StatusContext,
  type TokenPlace
} from '../../engine/api.js'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import {
  type Choices,
  type Documents,
  isObject,
  type Json,
  type JsonObject,
  schemaOf
} from '../../engine/contract/load.js'
import type { OpenApiDocument } from '../../engine/contract/model.js'
import { once } from '../../engine/contract/once.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import type { Marks, MarksOf } from '../../engine/contract/reader/document.js'
import { fieldsIn } from '../../engine/contract/schemas/schemas.js'
import type { FixturesFrom, RowsByCollection } from '../../engine/sandbox/starts.js'
import type { AnyRow } from '../../engine/store/collection.js'
import { inferredMarks, mockUsers, userFieldsIn } from './infer.js'
import { lifecycleOf, rowNow, type StatusOfRows } from './lifecycles.js'

/** A user of an API. The key is the token. */
export interface ApiUser {
  key: string
  name?: string
  email?: string
  role?: string
}

/** The fields of a collection of the document that has the users. */
export interface ApiUserFields {
  collection: string
  token: string
  role?: string
  active?: string
  email?: string
}

/** What `api.js` adds to the document of an API. */
export interface ApiDefinition {
  title?: string
  /** The document, or its path relative to this file. */
  document?: string | object
  users?: readonly ApiUser[] | ApiUserFields
  /** `x-mock-collections` in addition to those of the document. */
  collections?: Record<string, JsonObject & { schema?: string | object; references?: Record<string, string | null> }>
  /** The functions of operations, by their ids. */
  // biome-ignore lint/suspicious/noExplicitAny: each rule has the input of its operation
  rules?: Record<string, Rule<any, any>>
  fixtures?: RowsByCollection | ((from: FixturesFrom) => RowsByCollection)
  /** How the status of rows changes with the clock, by their collections. */
  lifecycles?: Record<string, StatusOfRows>
  /** Its own questions, which its rules read with `assume(id)`. */
  ledger?: readonly (Omit<LedgerEntry, 'place' | 'observed'> & Partial<LedgerEntry>)[]
  /** Scenario files, relative to this file. */
  scenarios?: readonly string[]
  /** The choices that hide secrets. */
  secrets?: Choices
}

const usualUsers: ApiUser[] = [
  { key: 'admin', name: 'Admin', role: 'admin' },
  { key: 'user', name: 'User', role: 'user' }
]

/** Reads the marks of an API from its document, with the collections of its definition and that of the mock's users. */
export function marksWith({ collections = {}, users }: ApiDefinition): MarksOf {
  return (document, documents) => {
    const inferred = inferredMarks(document, documents)
    const marks = isMapping(users) ? ofUsers(inferred, users.collection) : inferred
    const own = Object.entries(collections).map(([name, it]) => [
      name,
      { ...marks.collections[name], ...it } as JsonObject
    ])
    return {
      ...marks,
      collections: {
        ...marks.collections,
        ...Object.fromEntries(own),
        ...(!isMapping(users) &&
          marks.users === undefined && {
            [mockUsers]: usersOfMock(documents, marks, userFieldsIn(document, documents, marks), listed(users).length)
          })
      }
    }
  }
}

/** The users of the mock. Their keys are the tokens. Their ids are UUIDs where the document's users, or the owners of rows, have such. */
function usersOfMock(documents: Documents, { collections }: Marks, fields: JsonObject, count: number): JsonObject {
  const rows = Object.values(collections).map(({ schema = {} }) => fieldsIn({ documents }, schema).properties)
  const ids = [fields.id, ...rows.flatMap((row) => ownerFields.flatMap((it) => row[it] ?? []))]
  const format = ids.map((it) => schemaOf(documents, it).format).find((it) => it === 'uuid')
  return {
    schema: {
      type: 'object',
      required: ['name', 'email'],
      properties: {
        ...fields,
        id: format === undefined ? { type: 'integer' } : { type: 'string', format },
        name: { type: 'string' },
        email: { type: 'string', format: 'email' }
      }
    },
    count,
    users: true
  }
}

const listed = (users: ApiDefinition['users']): readonly ApiUser[] =>
  isMapping(users) ? [] : ((users as readonly ApiUser[] | undefined) ?? usualUsers)

/** Marks where the users are those of a collection of the definition. */
function ofUsers(marks: Marks, collection: string): Marks {
  const entries = Object.entries(marks.collections).map(([name, { users: _, parent, ...it }]): [string, JsonObject] => [
    name,
    { ...it, ...(parent !== undefined && { parent: parent === (marks.users ?? mockUsers) ? collection : parent }) }
  ])
  return { ...marks, collections: Object.fromEntries(entries) }
}

function isMapping(users: ApiDefinition['users']): users is ApiUserFields {
  return users !== undefined && !Array.isArray(users)
}

/** The API that a document describes. */
export function apiOf(
  document: OpenApiDocument,
  facts: ApiDefinition,
  ledger: readonly LedgerEntry[],
  notUnderstood: () => NotUnderstood[]
): Api {
  const { users, secrets = {} } = facts
  const lifecycles = Object.entries(facts.lifecycles ?? {}).map(([name, it]) => [name, lifecycleOf(name, it)] as const)
  const whole = document.document
  const info = isObject(whole.info) ? whole.info : {}
  const title = facts.title ?? (typeof info.title === 'string' ? info.title : document.name)
  const list = listed(users).map(({ key, name = key, email = `${key}@example.com`, role = 'user' }) => {
    return { key, name, email, role }
  })
  const theirs = document.collections.find(({ isUsers }) => isUsers)
  const own = { collection: theirs?.name ?? mockUsers, token: 'key', role: 'role', active: 'is_active', list }
  const of = isMapping(users) ? users : own
  const byToken: CollectionParts = { indices: { byToken: [of.token, 'id'] } }
  const reads = document.operations.filter(({ method }) => method === 'GET')
  const example = reads.find(({ path }) => !path.includes('{')) ?? reads[0] ?? document.operations[0]
  const body = document.operations.find(({ input }) => isObject(input.body?.properties))
  const [field = 'name'] = Object.keys((body?.input.body?.properties ?? {}) as JsonObject)
  return {
    title,
    description: typeof info.description === 'string' ? info.description : title,
    prefix: 'mock',
    users: { role: 'role', email: 'email', ...of, common: list.map(({ key }) => key) },
    collections: {
      [of.collection]: byToken,
      ...Object.fromEntries(
        lifecycles.map(([name, it]) => {
          const shown = (at: StatusContext, row: AnyRow) => rowNow(it, at, row)
          return [name, name === of.collection ? { ...byToken, shown } : { shown }]
        })
      )
    },
    lifecycles: Object.fromEntries(lifecycles),
    rules: {},
    // All rows are those of the document's collections.
    fixtures: { ...contractsOnly.fixtures, sets: ['empty', 'demo', 'large', 'awkward'] },
    scenarios: [],
    ledger: { trailingSlash: 'paths.trailing-slash' },
    examples: {
      path: example?.path ?? '/',
      operation: example?.id ?? '',
      row: `${document.collections[0]?.name ?? mockUsers}/1`,
      field: `${body?.id ?? 'operation'}.${field}`
    },
    secrets,
    document: {
      info: { ...info, title } as JsonObject,
      ...securityOf(whole),
      canRestOn: resting(document, ledger),
      get notUnderstood() {
        return notUnderstood()
      }
    }
  }
}

/** Headers of replies that follow from rows. */
const ownHeader = /^(location|link|content-.+)$/
/** Headers of requests that no answer follows from. */
const conditional = /^(if-.+|(x-)?idempotency-key)$/i
const filtering = /^filter\[.+\]$/

/** Operations without a collection, a session or a rule, and parameters of lists that select no rows. */
export function notUnderstoodIn(
  { key, document, operations, collections }: OpenApiDocument,
  ruled: ReadonlySet<string>
): NotUnderstood[] {
  const documents = { [key]: document }
  return operations.flatMap((of) => {
    const { id: operation, mock, input, method, origin } = of
    if (ruled.has(operation) || mock?.session !== undefined || mock?.row?.action || mock?.row?.isChange) return []
    const collection = collections.find(({ name }) => name === mock?.collection)
    if (!collection && mock?.row?.isShown)
      return method === 'GET' ? [] : [{ operation, why: 'It answers with a row, and changes nothing.' }]
    if (!collection)
      return [{ operation, why: 'It has no collection: its answer is an example, or made from its schema.' }]
    const [, path = '', verb = ''] = origin?.path ?? []
    const whole: Documents = { '': document }
    const described = schemaOf(whole, (document.paths as JsonObject)[path])[verb]
    const { content = {} } = schemaOf(whole, isObject(described) ? described.requestBody : undefined)
    const types = Object.keys(content as JsonObject)
    if (types.length > 0 && !types.some((it) => /form|json/.test(it) && !it.includes('json-patch')))
      return [{ operation, why: `Its body is ${types[0]}, which changes nothing.` }]
    const unread = types.filter((it) => it.includes('json-patch'))
    const { properties } = fieldsIn({ documents }, collection.row)
    const reply = responseOf(of, statusOf(of))
    const hasIncluded = Object.hasOwn(fieldsIn({ documents }, reply?.schema ?? {}).properties, 'included')
    const query = (input.query?.properties ?? {}) as JsonObject
    const attributes = fieldsIn({ documents }, properties.attributes ?? {}).properties
    const isField = (it: string) =>
      [properties, attributes].some((fields) => filteredBy(documents, it, fields) !== undefined)
    /** Whether it sorts by no field of the rows, or says how another parameter sorts, and there is none. */
    const isIdle = (it: string) => {
      const { enum: values } = schemaOf(documents, query[it])
      if (directions.includes(it)) return !isField(it) && !sorts.some((name) => Object.hasOwn(query, name))
      const names = Object.keys({ ...properties, ...attributes })
      const isSorted = (value: Json) => sortedBy(`${value}`, names) !== undefined
      return sorts.includes(it) && Array.isArray(values) && !values.some(isSorted)
    }
    const without = Object.keys(query).filter((it) => {
      if (it === 'include') return !hasIncluded
      const isBound = boundIn(it, Object.keys(properties)) !== undefined
      return method !== 'GET' || isIdle(it) || !(pageWords.includes(it) || filtering.test(it) || isField(it) || isBound)
    })
    const headers = Object.keys(reply?.headers ?? {}).filter((it) => !ownHeader.test(it) && !totalHeader.test(it))
    const conditions = Object.keys((input.header?.properties ?? {}) as JsonObject).filter((it) => conditional.test(it))
    const parts = (part: NotUnderstood['part'], names: string[], why: (name: string) => string): NotUnderstood[] =>
      names.map((name) => ({ operation, part, name, why: why(name) }))
    return [
      ...parts('body', unread, (it) => `Its body ${it} is refused: send another type that it lists.`),
      ...parts('request-header', conditions, (it) => `Its request header ${it} has no effect.`),
      ...parts('query', without, (it) => `Its query parameter ${it} has no effect.`),
      ...parts('response-header', headers, (it) => `Its response header ${it} says nothing of the rows.`)
    ]
  })
}

/** Which questions are open at which operations. Those of other documents may rest on all. */
function resting({ operations }: OpenApiDocument, ledger: readonly LedgerEntry[]): DocumentApi['canRestOn'] {
  const own = new Set(operations.map(({ id }) => id))
  const places = new Map(ledger.map((it) => [it.id, once(() => new Set(it.place))]))
  return (question, operation) => {
    const place = places.get(question)?.()
    if (!place || place.size === 0 || operation === undefined || !own.has(operation)) return place !== undefined
    return place.has(operation)
  }
}

/** The security of a document, and where its keys are. */
function securityOf(document: JsonObject): Omit<DocumentApi, 'info' | 'canRestOn' | 'notUnderstood'> {
  const documents: Documents = { '': document }
  const { securitySchemes = {} } = (isObject(document.components) ? document.components : {}) as Record<
    string,
    JsonObject
  >
  const schemes = Object.values(securitySchemes).map((it: Json) => schemaOf(documents, it))
  const placeOf = ({ type, in: place, name, scheme }: JsonObject): TokenPlace => {
    if (type === 'apiKey' && (place === 'query' || place === 'cookie')) return { in: place, name: String(name) }
    if (type === 'apiKey') return { in: 'header', name: String(name).toLowerCase() }
    const isBasic = String(scheme).toLowerCase() === 'basic'
    return { in: 'header', name: 'authorization', scheme: isBasic ? 'Basic' : 'Bearer' }
  }
  const places = schemes.map(placeOf)
  const namesIn = (place: string) =>
    places.flatMap((it) => (it.in === place && it.name !== 'authorization' ? [it.name] : []))
  return {
    security: document.security ?? [],
    securitySchemes,
    keys: { headers: namesIn('header'), query: namesIn('query'), cookies: namesIn('cookie') },
    placesOf({ origin }) {
      const [, path = '', method = ''] = origin?.path ?? []
      const item = schemaOf(documents, (document.paths as JsonObject)[path])
      const { security = document.security } = (isObject(item[method]) ? item[method] : {}) as JsonObject
      const ways = Array.isArray(security) ? security.filter(isObject) : []
      return ways.map((way) => {
        const all = Object.keys(way).map((it) => placeOf(schemaOf(documents, securitySchemes[it])))
        // A request has a header once.
        return [...new Map(all.map((it) => [`${it.in} ${it.name}`, it])).values()]
      })
    }
  }
}
