import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { eachSchema, flattened } from '../../engine/contract/schemas/schemas.js'

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
  /** The fields of its body. */
  body: { properties: JsonObject; required: string[] }
}

interface Entry {
  id: string
  question: string
  choices: Record<string, string>
  default: string | ((all: Of[]) => string)
  reason: string
  /** Whether an operation leaves it open. */
  isOpen(of: Of): boolean
  /** The calls that answer it, with the paths of an operation. */
  probe: string[]
}

const isTime = /(creat|updat|modif|chang)/i
/** Fields with the user that a row belongs to. */
export const owners = /^(user|owner|author)_?id$|^created_?by$/i
const has = ({ collection }: Of, form: RegExp) =>
  Object.keys((collection.row.properties ?? {}) as JsonObject).some((it) => form.test(it))
const isMethod = (method: string) => (of: Of) => of.operation.method === method
const isList = ({ operation, isItem }: Of) => operation.method === 'GET' && !isItem
const queryOf = ({ operation }: Of) => Object.keys((operation.input.query?.properties ?? {}) as JsonObject)

/** The questions about rows that documents leave open. */
export const catalogue: Entry[] = [
  {
    id: 'missing.status',
    question: 'What is the status of a row that does not exist?',
    choices: { '404': '404.', '410': '410, as if it had existed.' },
    default: '404',
    reason: 'It is what nearly every API answers.',
    isOpen: ({ operation, isItem }) => isItem && !operation.responses[404],
    probe: ['GET {item} of an unknown row']
  },
  {
    id: 'delete.again',
    question: 'What does a second DELETE of the same row answer?',
    choices: { '404': 'That the row does not exist.', success: 'The same as the first one.' },
    default: '404',
    reason: 'The effect is the same, but the row is gone (RFC 9110, 9.2.2).',
    isOpen: isMethod('DELETE'),
    probe: ['DELETE {item}', 'DELETE {item}']
  },
  {
    id: 'put.absent',
    question: 'What does a PUT do with fields that it does not have?',
    choices: { removed: 'It removes them, if the row need not have them.', kept: 'It keeps them.' },
    default: (all) =>
      all.some((it) => it.operation.method === 'PUT' && it.body.required.length > 0) ? 'removed' : 'kept',
    reason:
      'A PUT whose fields are required replaces the row (RFC 9110, 9.3.4). One whose fields are all optional changes it.',
    isOpen: isMethod('PUT'),
    probe: ['PUT {item} without an optional field', 'GET {item}']
  },
  {
    id: 'put.unknown-id',
    question: 'What does a PUT of an unknown id do?',
    choices: { '404': 'Nothing: the row does not exist.', created: 'It creates the row with this id.' },
    default: '404',
    reason: 'Most services choose the ids themselves.',
    isOpen: (of) => of.isItem && isMethod('PUT')(of),
    probe: ['PUT {item} of an unknown row']
  },
  {
    id: 'create.absent',
    question: 'What has a new row in a field that the request leaves out?',
    choices: {
      absent: 'The default of the document, or nothing.',
      null: 'The default of the document, or null where the field may be null.',
      'made-up': 'A value made from the schema.'
    },
    default: 'absent',
    reason: 'A service does not invent what nobody gave it.',
    isOpen: (of) =>
      isMethod('POST')(of) && Object.keys(of.body.properties).some((it) => !of.body.required.includes(it)),
    probe: ['POST {list} without an optional field']
  },
  {
    id: 'create.location',
    question: 'Does the answer to a new row name its address in Location?',
    choices: { sent: 'Yes.', absent: 'No.' },
    default: 'absent',
    reason: 'The document does not name the header.',
    isOpen: ({ operation }) => operation.method === 'POST' && statusOf(operation) === 201,
    probe: ['POST {list}']
  },
  {
    id: 'unique.fields',
    question: 'May two rows have the same address, user name, slug or stock number?',
    choices: { refused: 'No: 409, or the 422 or 400 of the document.', accepted: 'Yes.' },
    default: (all) => (all.some(({ operation: { responses } }) => responses[409]) ? 'refused' : 'accepted'),
    reason: 'A document with a 409 has values that are unique. Others do not say it.',
    isOpen: (of) => isMethod('POST')(of) && has(of, /^(email|username|slug|sku)$/),
    probe: ['POST {list}', 'POST {list} with the same values']
  },
  {
    id: 'ids.again',
    question: 'Does a number come again after its row was deleted?',
    choices: { never: 'No.', 'when-highest': 'Yes, if it was the highest.' },
    default: 'never',
    reason: 'Databases count on.',
    isOpen: (of) =>
      isMethod('POST')(of) &&
      /integer|number/.test(String(schemaOf({}, ((of.collection.row.properties ?? {}) as JsonObject).id).type)),
    probe: ['POST {list}', 'DELETE {item}', 'POST {list}']
  },
  {
    id: 'times.change',
    question: 'Does a change set the time of the last change?',
    choices: { changed: 'Yes.', kept: 'No.' },
    default: 'changed',
    reason: 'The name of the field says so.',
    isOpen: (of) => /PUT|PATCH/.test(of.operation.method) && has(of, /(updat|modif|chang)/i) && has(of, isTime),
    probe: ['PATCH {item}', 'GET {item}']
  },
  {
    id: 'rows.order',
    question: 'In which order are the rows of a list?',
    choices: { ids: 'In the order of their ids.', 'newest-first': 'The newest first.' },
    default: 'ids',
    reason: 'It is the usual order of a table.',
    isOpen: isList,
    probe: ['POST {list}', 'POST {list}', 'GET {list}']
  },
  {
    id: 'rows.visible',
    question: 'Whose rows does a list have?',
    choices: { all: 'Those of all users.', own: 'Those of the calling user.' },
    default: 'all',
    reason: 'The document does not say that others are hidden.',
    isOpen: (of) => isList(of) && has(of, owners),
    probe: ['POST {list} as one user', 'GET {list} as another']
  },
  {
    id: 'rows.foreign',
    question: "May a user change another user's row?",
    choices: { allowed: 'Yes.', '403': 'No: 403.' },
    default: 'allowed',
    reason: 'The document does not name who may.',
    isOpen: (of) => of.isItem && /PUT|PATCH|DELETE/.test(of.operation.method) && has(of, owners),
    probe: ['POST {list} as one user', 'DELETE {item} as another']
  },
  {
    id: 'pages.size',
    question: 'How many rows has a page that names no size?',
    choices: { all: 'All.', '<n>': 'This number.' },
    default: 'all',
    reason: 'The document has no default.',
    isOpen: (of) =>
      isList(of) &&
      !queryOf(of).some(
        (it) => /^(limit|(page|per)_?(size|page)?|size|count)$/i.test(it) && of.operation.defaults?.[it] !== undefined
      ),
    probe: ['GET {list}']
  },
  {
    id: 'pages.beyond',
    question: 'What is a page after the last one?',
    choices: { empty: 'An empty list.', '404': '404.' },
    default: 'empty',
    reason: 'The list exists.',
    isOpen: (of) => isList(of) && queryOf(of).some((it) => /^(page|offset|skip|start)/i.test(it)),
    probe: ['GET {list} after the last page']
  },
  {
    id: 'search.case',
    question: 'Does the case of letters count in a search?',
    choices: { any: 'No.', exact: 'Yes.' },
    default: 'any',
    reason: 'People search that way.',
    isOpen: (of) => isList(of) && queryOf(of).some((it) => /^(q|query|search)$/.test(it)),
    probe: ['GET {list} with a search in capitals']
  }
]

/** A question of the engine, about operations with and without a collection. */
interface EngineEntry extends Omit<Entry, 'isOpen' | 'default'> {
  default: string
  /** Whether an operation leaves it open. Absent: it is about requests without an operation. */
  isOpen?(of: AnyOf): boolean
}

/** An operation, and what its requests and errors are like. */
interface AnyOf {
  operation: Operation
  /** The types and formats in its parameters and its body. */
  parts: ReadonlySet<string>
  body: ReadonlySet<string>
  /** Whether its errors about a request have the places of the problems, as those of the mock and of FastAPI have. */
  hasPlaces: boolean
  isBearer: boolean
  /** Whether a cookie may hold its token. */
  hasCookie: boolean
}

const isJson = ({ operation: { input, form, media } }: AnyOf) =>
  input.body !== undefined && !form && media === undefined
/** Whether a document has all of these statuses, or none: it then leaves open which is answered. */
const chooses = ({ responses }: Operation, ...statuses: number[]) =>
  new Set(statuses.map((it) => responses[it] !== undefined)).size === 1

/** The questions about requests and errors that documents leave open. Those without an effect for a document are not asked. */
const common: EngineEntry[] = [
  {
    id: 'auth.unauthenticated',
    question: 'What is the status of a request without a valid token?',
    choices: { '401': '401 with WWW-Authenticate.', '403': '403.' },
    default: '401',
    reason: 'A missing or invalid token is a 401 (RFC 9110, 15.5.2).',
    isOpen: ({ operation }) => !operation.open && chooses(operation, 401, 403),
    probe: ['any operation with security, without a token']
  },
  {
    id: 'auth.scheme-case',
    question: 'Does the case of the word Bearer matter?',
    choices: { any: 'No: bearer and BEARER are accepted too.', exact: 'Yes: another case counts as no token.' },
    default: 'any',
    reason: 'Schemes are the same in any case (RFC 9110, 11.1).',
    isOpen: ({ operation, isBearer }) => !operation.open && isBearer,
    probe: ['any operation with security, with Authorization: bearer <token>']
  },
  {
    id: 'auth.cookie',
    question: 'Does the cookie of a sign-in count as a token?',
    choices: { entered: 'Only if the mock has set it.', any: 'Yes, whoever has set it: its value is the token.' },
    default: 'entered',
    reason: 'The document asks for a token elsewhere.',
    isOpen: ({ operation, hasCookie }) => !operation.open && hasCookie,
    probe: ['any operation with security, with the cookie alone']
  },
  {
    id: 'auth.unknown-token',
    question: 'What happens with a token that no user has?',
    choices: { refused: 'It is refused like a missing token.', admin: 'It counts as that of the first user.' },
    default: 'refused',
    reason: 'A token that names nobody must not open anything.',
    isOpen: ({ operation }) => !operation.open,
    probe: ['any operation with security, with an unknown token']
  },
  {
    id: 'auth.order',
    question: 'What is checked first?',
    choices: {
      'body-token-input': 'Malformed JSON, then the token, then path, query and body together.',
      'token-first': 'The token, then malformed JSON, then path, query and body together.'
    },
    default: 'body-token-input',
    reason: 'Most frameworks parse the body before they look for a user.',
    isOpen: (of) => !of.operation.open && isJson(of),
    probe: ['POST {list} with malformed JSON and without a token']
  },
  {
    id: 'errors.unknown-path',
    question: 'What does the body of a 404 for an unknown path say?',
    choices: { plain: '{"detail": "Not Found"}', stringified: '{"detail": "404: Not Found"}' },
    default: 'plain',
    reason: 'It is the shortest form.',
    probe: ['GET of an unknown path']
  },
  {
    id: 'errors.wrong-method',
    question: 'How is HEAD answered on a path that has GET?',
    choices: { 'head-served': 'With the headers that GET would send.', 'head-refused': '405 with Allow.' },
    default: 'head-served',
    reason: 'A server supports GET and HEAD (RFC 9110, 9.1).',
    probe: ['HEAD {list}']
  },
  {
    id: 'errors.unreadable-body',
    question: 'What is the status of a body that cannot be read, such as text that is not UTF-8?',
    choices: { '400': '400.', '422': '422.' },
    default: '422',
    reason: 'It is answered like any other wrong body.',
    isOpen: ({ operation }) => operation.input.body !== undefined && chooses(operation, 400, 422),
    probe: ['POST {list} with bytes that are not UTF-8']
  },
  {
    id: 'errors.wrong-host',
    question: 'How is a request answered whose Host header names neither this machine nor an allowed host?',
    choices: {
      refused: '403 {detail}, before anything is read.',
      served: 'It is served: only for a mock behind a proxy that checks Host itself.'
    },
    default: 'refused',
    reason: 'A page on another site can point its own name at 127.0.0.1; the mock must not answer it.',
    probe: ['any operation, with another Host']
  },
  {
    id: 'errors.validation-dialect',
    question: 'Which words do errors about a request use?',
    choices: {
      'pydantic-2': 'Those of pydantic 2: "Field required", missing.',
      'pydantic-1': 'Those of pydantic 1: "field required", value_error.missing.'
    },
    default: 'pydantic-2',
    reason: 'Errors of this form are usual in FastAPI, which speaks pydantic 2 today.',
    isOpen: ({ hasPlaces }) => hasPlaces,
    probe: ['POST {list} with a wrong body']
  },
  {
    id: 'errors.input-and-ctx',
    question: 'Do errors about a request have input and ctx?',
    choices: { never: 'No.', always: 'Every one has input, and ctx where there is one.' },
    default: 'never',
    reason: 'The document does not name them.',
    isOpen: ({ hasPlaces }) => hasPlaces,
    probe: ['POST {list} with a wrong body']
  },
  {
    id: 'requests.coercion',
    question: 'Is "7" an integer in a JSON body?',
    choices: { strict: 'No. In paths, queries and forms it is one.', lax: 'Yes.' },
    default: 'strict',
    reason: 'JSON Schema: a string is not an integer, and a client that sends one has a bug to find.',
    isOpen: (of) => isJson(of) && ['integer', 'number', 'boolean'].some((it) => of.body.has(it)),
    probe: ['POST {list} with "7" for 7']
  },
  {
    id: 'requests.unknown-fields',
    question: 'What happens with a field or parameter that the document does not name?',
    choices: {
      reported: 'It is ignored, and counted in X-Mock-Violations.',
      ignored: 'It is ignored, and not mentioned.',
      rejected: 'It is refused as a wrong request.'
    },
    default: 'reported',
    reason: 'The document does not forbid it; a misspelt field should be noticed.',
    isOpen: () => true,
    probe: ['POST {list} with an unknown field']
  },
  {
    id: 'requests.no-content-type',
    question: 'How is a body without a Content-Type read?',
    choices: { json: 'As JSON.', text: 'As text, which is a wrong body.' },
    default: 'json',
    reason: 'The document has JSON there.',
    isOpen: isJson,
    probe: ['POST {list} without a Content-Type']
  },
  {
    id: 'requests.repeated',
    question: 'Which value counts when a parameter or form field that takes one value is sent several times?',
    choices: { last: 'The last one.', first: 'The first one.' },
    default: 'last',
    reason: 'Most frameworks take the last one.',
    isOpen: ({ operation: { input, form } }) => input.query !== undefined || form !== false,
    probe: ['GET {list} with a parameter twice']
  },
  {
    id: 'requests.integers',
    question: 'What happens with an integer beyond 2^53 - 1, which JSON programs round?',
    choices: { refused: 'It is a wrong value.', rounded: 'It is rounded, and counted in X-Mock-Violations.' },
    default: 'refused',
    reason: 'Only integers up to 2^53 - 1 are the same to every program (RFC 8259, 6). A changed id is a silent loss.',
    isOpen: (of) => isJson(of) || of.parts.has('integer') || of.parts.has('number'),
    probe: ['POST {list} with 9007199254740993']
  },
  {
    id: 'requests.whole-numbers',
    question: 'Is 1.0 an integer in a JSON body?',
    choices: { accepted: 'Yes, it is 1.', refused: 'No.' },
    default: 'accepted',
    reason: 'JSON Schema: a number whose fraction is zero is an integer.',
    isOpen: (of) => isJson(of) && of.body.has('integer'),
    probe: ['POST {list} with 1.0 for 1']
  },
  {
    id: 'requests.repeated-names',
    question: 'What happens with a name that a JSON object has twice?',
    choices: { last: 'The last value counts.', refused: 'It is a wrong body.' },
    default: 'last',
    reason: 'Most programs take the last one (RFC 8259, 4).',
    isOpen: isJson,
    probe: ['POST {list} with a name twice']
  },
  {
    id: 'requests.uuid-spelling',
    question: 'Which spellings of a UUID are accepted?',
    choices: {
      any: 'Also capitals, and a text without hyphens, in braces or after urn:uuid:. All become lower case with hyphens.',
      canonical: 'Only lower case with hyphens.'
    },
    default: 'any',
    reason: 'Hexadecimal digits are read in either case (RFC 9562, 4).',
    isOpen: ({ parts }) => parts.has('uuid'),
    probe: ['GET {item} with its id in capitals']
  },
  {
    id: 'requests.times-without-offset',
    question: 'How is a date-time without an offset read?',
    choices: { utc: 'As UTC.', refused: 'It is a wrong value.' },
    default: 'utc',
    reason: 'ISO 8601 allows it.',
    isOpen: ({ parts }) => parts.has('date-time'),
    probe: ['POST {list} with 2026-01-01T00:00:00']
  },
  {
    id: 'requests.unread-bodies',
    question: 'What happens with a body that is sent to an operation without one?',
    choices: { ignored: 'It is ignored.', refused: 'It is a wrong request.' },
    default: 'ignored',
    reason: 'Such a body has no meaning (RFC 9110, 9.3.1).',
    isOpen: ({ operation }) => operation.input.body === undefined,
    probe: ['DELETE {item} with a body']
  },
  {
    id: 'limits.upload',
    question: 'How large may a request be?',
    choices: {
      standard: '20 files, 100 MiB together; JSON 10 MiB; more: 413 {detail}.',
      none: 'As large as memory allows; JSON has up to 20000 values and 500 levels.',
      'files:<n>,total:<n>,json:<n>,entries:<n>,unpacked:<n>': 'These numbers; sizes in MiB.'
    },
    default: 'standard',
    reason: 'One request must not fill the memory of a local server.',
    probe: ['POST {list} with long texts']
  }
]

/** The question of a path with one slash too many or too few. */
export const trailingSlash: EngineEntry = {
  id: 'paths.trailing-slash',
  question: 'What does a path with one slash too many or too few get?',
  choices: { served: 'The answer.', redirected: 'A redirect with 307.' },
  default: 'served',
  reason: 'Clients write both.',
  probe: ['GET {list} with a slash at its end']
}

/** The types and formats in schemas, at any depth. */
function wordsIn(documents: Documents, schemas: Json[]): Set<string> {
  const words = new Set<string>()
  eachSchema(documents, schemas, ({ type, format }) => {
    for (const it of [type, format].flat()) if (typeof it === 'string') words.add(it)
  })
  return words
}

/** Whether an error about a request has the places of its problems: `{ detail: [{ loc, msg, type }] }`. */
function hasPlaces(documents: Documents, operation: Operation): boolean {
  const { input, responses } = operation
  if (Object.keys(input).length === 0) return false
  const row = responses[422] ?? responses[400] ?? responseOf(operation, 422)
  const detail = schemaOf(documents, flattened(documents, row?.schema ?? {}).properties.detail)
  const { properties } = flattened(documents, detail.items ?? {})
  return row === undefined || ['loc', 'msg', 'type'].every((it) => Object.hasOwn(properties, it))
}

/** The ledger of a document: what its answers rest on and it leaves open. Questions without an effect are left out. */
export function ledgerOf({ key, document, operations, collections }: OpenApiDocument): Question[] {
  const documents = { [key]: document }
  const { securitySchemes = {} } = (isObject(document.components) ? document.components : {}) as JsonObject
  const schemes = Object.values(securitySchemes as JsonObject).map((it) => schemaOf(documents, it))
  const isBearer = schemes.some(({ type, scheme }) => type !== 'apiKey' && String(scheme).toLowerCase() !== 'basic')
  const hasCookie = operations.some(({ mock }) => mock?.session === 'login')
  const every = operations.map((operation): AnyOf => {
    const { path, query, body } = operation.input
    return {
      operation,
      parts: wordsIn(
        documents,
        [path, query, body].filter((it) => it !== undefined)
      ),
      body: wordsIn(documents, body ? [body] : []),
      hasPlaces: hasPlaces(documents, operation),
      isBearer,
      hasCookie
    }
  })
  const all = operations.flatMap((operation): Of[] => {
    const collection = collections.find(({ name }) => name === operation.mock?.collection)
    if (!collection) return []
    const body = flattened(documents, operation.input.body ?? {})
    return [{ operation, collection, isItem: operation.path.replace(/\/$/, '').endsWith('}'), body }]
  })
  /** A question that some operations leave open. Without a place, it is about all of them. */
  const asked = (
    entry: Omit<Question, 'place' | 'observed'>,
    open: readonly { operation: Operation }[]
  ): Question[] => {
    const place = open.map(({ operation }) => operation.id)
    if (place.length === 0) return []
    return [{ ...entry, place: place.length === operations.length ? [] : place, observed: entry.default }]
  }
  return [
    ...[...common, trailingSlash].flatMap(({ isOpen, ...entry }) =>
      isOpen ? asked(entry, every.filter(isOpen)) : [{ ...entry, place: [], observed: entry.default }]
    ),
    ...catalogue.flatMap(({ isOpen, ...entry }) => {
      const usual = typeof entry.default === 'string' ? entry.default : entry.default(all)
      return asked({ ...entry, default: usual }, all.filter(isOpen))
    })
  ]
}
