import type { LedgerEntry } from '../../engine/contract/ledger.js'
import { type Documents, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { once } from '../../engine/contract/once.js'
import { responseOf, statusOf } from '../../engine/contract/outcomes.js'
import { type Fields, fieldsIn } from '../../engine/contract/schemas/schemas.js'
import { type Entry, requestQuestions, requestsOf, trailingSlash } from './requests.js'

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
  /** Whether other rows belong to its rows. */
  isParent: boolean
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

/** The questions about rows that documents leave open. */
const catalogue: Entry<Of>[] = [
  {
    id: 'missing.status',
    question: 'What is the status of a row that does not exist?',
    choices: { '404': '404.', '410': '410, as if it had existed.' },
    default: '404',
    reason: 'It is what nearly every API answers.',
    isOpen: ({ operation, isItem, collection }) =>
      (isItem || (collection.parent !== undefined && operation.path.includes('{'))) && !operation.responses[404],
    probe: ['GET {item} of an unknown row']
  },
  {
    id: 'delete.again',
    question: 'What does a second DELETE of the same row answer?',
    choices: { '404': 'That the row does not exist.', success: 'The same as the first one.' },
    default: '404',
    reason: 'The effect is the same, but the row is gone (RFC 9110, 9.2.2).',
    isOpen: (of) => isMethod('DELETE')(of) && !of.hasRow(),
    probe: ['DELETE {item}', 'DELETE {item}']
  },
  {
    id: 'delete.children',
    question: 'What happens to the rows below a deleted row?',
    choices: { removed: 'They go with it.', kept: 'They stay.', refused: 'A row with others below it stays: 409.' },
    default: 'removed',
    reason: 'The paths of these rows name the deleted row.',
    isOpen: (of) => isMethod('DELETE')(of) && of.isParent,
    probe: ['POST a row below {item}', 'DELETE {item}']
  },
  {
    id: 'put.absent',
    question: 'What does a PUT do with fields that it does not have?',
    choices: { removed: 'It removes them, if the row need not have them.', kept: 'It keeps them.' },
    default: (all) =>
      all.some((it) => it.operation.method === 'PUT' && it.body().required.length > 0) ? 'removed' : 'kept',
    reason:
      'A PUT whose fields are required replaces the row (RFC 9110, 9.3.4). One whose fields are all optional changes it.',
    isOpen: (of) =>
      isMethod('PUT')(of) &&
      Object.keys(of.body().properties).some((it) => !of.body().required.includes(it) && of.canLack(it)),
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
    isOpen: (of) => isCreation(of) && Object.keys(of.body().properties).some((it) => !of.body().required.includes(it)),
    probe: ['POST {list} without an optional field']
  },
  {
    id: 'create.location',
    question: 'Does the answer to a new row name its address in Location?',
    choices: { sent: 'Yes.', absent: 'No.' },
    default: 'absent',
    reason: 'The document does not name the header.',
    isOpen: (of) =>
      isCreation(of) && statusOf(of.operation) === 201 && !responseOf(of.operation, 201)?.headers?.location,
    probe: ['POST {list}']
  },
  {
    id: 'unique.fields',
    question: 'May two rows have the same address, user name, slug or stock number?',
    choices: { refused: 'No: 409, or the 422 or 400 of the document.', accepted: 'Yes.' },
    default: (all) => (all.some(({ operation: { responses } }) => responses[409]) ? 'refused' : 'accepted'),
    reason: 'A document with a 409 has values that are unique. Others do not say it.',
    isOpen: (of) => isCreation(of) && has(of, /^(email|username|slug|sku)$/),
    probe: ['POST {list}', 'POST {list} with the same values']
  },
  {
    id: 'references.unknown',
    question: 'What does a request answer that names a row of another collection which does not exist?',
    choices: { accepted: 'A success: the value is kept.', '404': '404.', '422': '422, or the 400 of the document.' },
    default: 'accepted',
    reason: 'The document does not say that the other row must exist.',
    isOpen: (of) =>
      /POST|PUT|PATCH/.test(of.operation.method) &&
      Object.keys(of.collection.links ?? {}).some((it) => Object.hasOwn(of.body().properties, it)),
    probe: ['POST {list} with the id of no row']
  },
  {
    id: 'ids.again',
    question: 'Does a number come again after its row was deleted?',
    choices: { never: 'No.', 'when-highest': 'Yes, if it was the highest.' },
    default: 'never',
    reason: 'Databases count on.',
    isOpen: (of) =>
      isCreation(of) &&
      /integer|number/.test(
        String(schemaOf({}, ((of.collection.row.properties ?? {}) as JsonObject)[of.collection.key ?? 'id']).type)
      ),
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
    question: 'Whose rows does a user see?',
    choices: { all: 'Those of all users.', own: 'Those of the calling user.' },
    default: 'all',
    reason: 'The document does not say that others are hidden.',
    isOpen: (of) => (isList(of) || of.isItem) && has(of, owners),
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

/** The fields of a schema, or of the one object in it that has fields of a row. */
export function rowFieldsIn(documents: Documents, schema: Json | undefined, { properties }: Fields): Fields {
  const whole = fieldsIn({ documents }, schemaOf(documents, schema))
  const isOfRow = (fields: Fields) => Object.keys(fields.properties).some((it) => Object.hasOwn(properties, it))
  const inner = () => Object.values(whole.properties).map((it) => fieldsIn({ documents }, schemaOf(documents, it)))
  return isOfRow(whole) ? whole : (inner().find(isOfRow) ?? whole)
}

/** The ledger of a document: what its answers rest on and it leaves open. Questions without an effect are left out. */
export function ledgerOf(of: OpenApiDocument): Question[] {
  const { length } = of.operations
  const ask = <It extends { operation: Operation }>(entries: readonly Entry<It>[], all: readonly It[]): Question[] =>
    entries.flatMap(({ isOpen, ...entry }) => {
      if (isOpen && !all.some(isOpen)) return []
      const usual = typeof entry.default === 'string' ? entry.default : entry.default(all)
      // The first places are enough for the start. Without a place, a question is about all operations.
      const place = once(() => {
        const open = isOpen ? all.filter(isOpen) : []
        return open.length === length ? [] : open.map(({ operation }) => operation.id)
      })
      return [
        {
          ...entry,
          default: usual,
          observed: usual,
          get place() {
            return place()
          }
        }
      ]
    })
  return [...ask([...requestQuestions, trailingSlash], requestsOf(of)), ...ask(catalogue, callsOf(of))]
}

/** The operations of collections. */
function callsOf({ key, document, operations, collections }: OpenApiDocument): Of[] {
  const documents = { [key]: document }
  const byName = new Map(collections.map((it) => [it.name, it]))
  const parents = new Set(collections.map(({ parent, isSingle }) => (isSingle ? undefined : parent?.collection)))
  return operations.flatMap((operation): Of[] => {
    const collection = byName.get(operation.mock?.collection ?? '')
    if (!collection) return []
    const row = fieldsIn({ documents }, collection.row)
    const body = once(() => rowFieldsIn(documents, operation.input.body, row))
    const reply = once(() => rowFieldsIn(documents, responseOf(operation, statusOf(operation))?.schema, row))
    const canLack = (field: string) => {
      const schemas = [row.properties[field], body().properties[field]].map((it) => schemaOf(documents, it))
      const [{ type, anyOf = [] } = {}] = schemas
      const types = [type, ...(anyOf as Json[]).map((it) => schemaOf(documents, it).type)].flat()
      return !row.required.includes(field) || types.includes('null') || schemas.some((it) => it.default !== undefined)
    }
    const isItem = operation.path.replace(/\/$/, '').endsWith('}')
    const hasRow = () => Object.hasOwn(reply().properties, collection.key ?? 'id')
    return [{ operation, collection, isItem, isParent: parents.has(collection.name), body, hasRow, canLack }]
  })
}
