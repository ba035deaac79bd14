import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { statusOf } from '../../engine/contract/outcomes.js'
import { flattened } from '../../engine/contract/schemas/schemas.js'

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

/** The calls that answer questions of the engine, by their area. */
const probes: Record<string, string> = {
  auth: 'any operation with security, without a token and with an unknown one',
  errors: 'any operation, by another method, host or with a wrong body',
  requests: 'POST {list} with a value in another spelling',
  responses: 'GET {item} of a row without an optional field',
  limits: 'POST {list} with long texts, many times',
  delete: 'DELETE {item}'
}

/** The questions of the engine that any document leaves open. */
const common = [
  'auth.unauthenticated',
  'auth.scheme-case',
  'auth.cookie',
  'auth.unknown-token',
  'auth.roles',
  'auth.order',
  'errors.unknown-path',
  'errors.wrong-method',
  'errors.unreadable-body',
  'errors.wrong-host',
  'errors.missing',
  'errors.validation-body',
  'errors.validation-dialect',
  'errors.input-and-ctx',
  'requests.coercion',
  'requests.unknown-fields',
  'requests.no-content-type',
  'requests.repeated',
  'requests.integers',
  'requests.whole-numbers',
  'requests.repeated-names',
  'requests.uuid-spelling',
  'requests.times-without-offset',
  'requests.unread-bodies',
  'requests.required',
  'requests.null',
  'responses.null',
  'limits.upload',
  'limits.rate',
  'limits.text',
  'delete.body'
]

/** The question of a path with one slash too many or too few. */
export const trailingSlash: LedgerEntry = {
  id: 'paths.trailing-slash',
  question: 'What does a path with one slash too many or too few get?',
  place: [],
  choices: { served: 'The answer.', redirected: 'A redirect with 307.' },
  default: 'served',
  observed: 'served',
  reason: 'Clients write both.'
}

/** The ledger of a document: the questions of the engine, and those that its collections leave open. */
export function ledgerOf(engine: readonly LedgerEntry[], document: OpenApiDocument): Question[] {
  const { operations, collections } = document
  const documents = { [document.key]: document.document }
  const known = engine
    .filter(({ id }) => common.includes(id))
    .map((it) => ({
      ...it,
      place: [],
      observed: it.default,
      probe: [probes[it.id.split('.')[0] as string] as string]
    }))
  const all = operations.flatMap((operation): Of[] => {
    const collection = collections.find(({ name }) => name === operation.mock?.collection)
    if (!collection) return []
    const body = flattened(documents, operation.input.body ?? {})
    return [{ operation, collection, isItem: operation.path.replace(/\/$/, '').endsWith('}'), body }]
  })
  const asked = catalogue.flatMap(({ isOpen, ...entry }): Question[] => {
    const place = all.filter(isOpen).map(({ operation }) => operation.id)
    if (place.length === 0) return []
    const usual = typeof entry.default === 'string' ? entry.default : entry.default(all)
    return [{ ...entry, place, default: usual, observed: usual }]
  })
  return [...known, { ...trailingSlash, probe: ['GET {list} with a slash at its end'] }, ...asked]
}
