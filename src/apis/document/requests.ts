import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { once } from '../../engine/contract/once.js'
import { responseOf } from '../../engine/contract/outcomes.js'
import { eachSchema, fieldsIn } from '../../engine/contract/schemas/schemas.js'

/** An operation, and what its requests and errors are like. */
export interface AnyOf {
  operation: Operation
  /** Whether its parameters or its body have a type or format, or its body alone. */
  has(word: string): boolean
  bodyHas(word: string): boolean
  /** Whether its errors about a request have the places of the problems, as those of the mock and of FastAPI have. */
  hasPlaces(): boolean
  isBearer: boolean
  /** Whether a cookie may hold its token. */
  hasCookie: boolean
}

const isJson = ({ operation: { input, form, media } }: AnyOf) =>
  input.body !== undefined && !form && media === undefined
/** Whether a document has all of these statuses, or none: it then leaves open which is answered. */
const chooses = ({ responses }: Operation, ...statuses: number[]) =>
  new Set(statuses.map((it) => responses[it] !== undefined)).size === 1

/** Whether an operation leaves a question about requests and errors open. */
export const openInRequests: Record<string, (of: AnyOf) => boolean> = {
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
export function requestsOf({ key, document, operations }: OpenApiDocument): AnyOf[] {
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
  return operations.map((operation) => {
    const { path = {}, query = {}, body: given = {} } = operation.input
    const body = once(() => wordsIn(documents, [given]))
    const parameters = once(() => wordsIn(documents, [path, query]))
    const bodyHas = (word: string) => all().has(word) && body().has(word)
    const has = (word: string) => bodyHas(word) || (all().has(word) && parameters().has(word))
    return { operation, has, bodyHas, hasPlaces: () => hasPlaces(documents, operation), isBearer, hasCookie }
  })
}
