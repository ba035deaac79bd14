import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { once } from '../../engine/contract/once.js'
import { responseOf } from '../../engine/contract/outcomes.js'
import { eachSchema, fieldsIn } from '../../engine/contract/schemas/schemas.js'

/** A question that operations may leave open. */
export interface Entry<Of> extends Omit<LedgerEntry, 'place' | 'observed' | 'default'> {
  /** The usual choice, which operations may decide. */
  default: string | ((all: readonly Of[]) => string)
  /** The calls that answer it, with the paths of an operation. */
  probe: string[]
  /** Whether an operation leaves it open. Absent: it is about requests without an operation. */
  isOpen?(of: Of): boolean
}

/** An operation, and what its requests and errors are like. */
interface AnyOf {
  operation: Operation
  /** The types and formats in its parameters and its body. */
  parts(): ReadonlySet<string>
  body(): ReadonlySet<string>
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

/** The questions about requests and errors that documents leave open. Those without an effect for a document are not asked. */
export const requestQuestions: Entry<AnyOf>[] = [
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
    id: 'auth.password',
    question: 'Does a sign-in check the password?',
    choices: { any: 'No: any password will do.', own: 'Yes: others than that of the sign-up are a 401.' },
    default: 'any',
    reason: 'The users of the mock have no passwords that a client could know.',
    isOpen: ({ operation, body }) => operation.mock?.session === 'login' && body().has('.password'),
    probe: ['the sign-up', 'the sign-in with another password']
  },
  {
    id: 'signup.again',
    question: 'What does a second sign-up with the same name or address answer?',
    choices: { '409': '409, or the 422 or 400 of the document.', '422': '422.', accepted: 'It makes another user.' },
    default: '409',
    reason: 'A name that two users have signs nobody in.',
    isOpen: ({ operation: { mock, method }, body }) =>
      mock?.session === 'signup' || (mock?.collection !== undefined && method === 'POST' && body().has('.password')),
    probe: ['the sign-up', 'the sign-up']
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
    id: 'errors.invalid-request',
    question: 'What is the status of a wrong request to an operation that lists neither 400 nor 422?',
    choices: { '400': '400.', '422': '422.' },
    default: (all) => {
      const has = (status: number) => all.some(({ operation: { responses } }) => responses[status] !== undefined)
      return has(400) && !has(422) ? '400' : '422'
    },
    reason: 'It is the status that other operations of the document have, or else 422 (RFC 9110, 15.5.21).',
    isOpen: ({ operation: { input, responses } }) =>
      Object.keys(input).length > 0 && responses[400] === undefined && responses[422] === undefined,
    probe: ['POST {list} with a wrong body']
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
    isOpen: ({ hasPlaces }) => hasPlaces(),
    probe: ['POST {list} with a wrong body']
  },
  {
    id: 'errors.input-and-ctx',
    question: 'Do errors about a request have input and ctx?',
    choices: { never: 'No.', always: 'Every one has input, and ctx where there is one.' },
    default: 'never',
    reason: 'The document does not name them.',
    isOpen: ({ hasPlaces }) => hasPlaces(),
    probe: ['POST {list} with a wrong body']
  },
  {
    id: 'requests.coercion',
    question: 'Is "7" an integer in a JSON body?',
    choices: { strict: 'No. In paths, queries and forms it is one.', lax: 'Yes.' },
    default: 'strict',
    reason: 'JSON Schema: a string is not an integer, and a client that sends one has a bug to find.',
    isOpen: (of) => isJson(of) && ['integer', 'number', 'boolean'].some((it) => of.body().has(it)),
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
    isOpen: (of) => isJson(of) || of.parts().has('integer') || of.parts().has('number'),
    probe: ['POST {list} with 9007199254740993']
  },
  {
    id: 'requests.whole-numbers',
    question: 'Is 1.0 an integer in a JSON body?',
    choices: { accepted: 'Yes, it is 1.', refused: 'No.' },
    default: 'accepted',
    reason: 'JSON Schema: a number whose fraction is zero is an integer.',
    isOpen: (of) => isJson(of) && of.body().has('integer'),
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
    isOpen: ({ parts }) => parts().has('uuid'),
    probe: ['GET {item} with its id in capitals']
  },
  {
    id: 'requests.times-without-offset',
    question: 'How is a date-time without an offset read?',
    choices: { utc: 'As UTC.', refused: 'It is a wrong value.' },
    default: 'utc',
    reason: 'ISO 8601 allows it.',
    isOpen: ({ parts }) => parts().has('date-time'),
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
export const trailingSlash: Entry<AnyOf> = {
  id: 'paths.trailing-slash',
  question: 'What does a path with one slash too many or too few get?',
  choices: { served: 'The answer.', redirected: 'A redirect with 307.' },
  default: 'served',
  reason: 'Clients write both.',
  probe: ['GET {list} with a slash at its end']
}

/** The types and formats in schemas, at any depth, and `.password` if they have one. */
function wordsIn(documents: Documents, schemas: Json[]): Set<string> {
  const words = new Set<string>()
  eachSchema(documents, schemas, ({ type, format, properties }) => {
    for (const it of [type, format].flat()) if (typeof it === 'string') words.add(it)
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
  return operations.map((operation) => {
    const { path = {}, query = {}, body: given = {} } = operation.input
    const body = once(() => wordsIn(documents, [given]))
    const parts = once(() => new Set([...wordsIn(documents, [path, query]), ...body()]))
    return { operation, parts, body, hasPlaces: () => hasPlaces(documents, operation), isBearer, hasCookie }
  })
}
