import type { Contract } from '../contract.js'
import type { LedgerEntry } from '../ledger.js'
import { type Choices, type Documents, follow, isObject, type Json, type JsonObject, schemaOf } from '../load.js'
import { fill } from '../message/refusal.js'
import type { Operation, RawInput, RefusalRow, ResponseRow } from '../model.js'
import { inMap } from '../once.js'
import { exampleValues, formOf, invalidFormOf, refusalsOf, unknownParameter } from '../outcomes.js'
import { validationError } from '../pydantic/dialect.js'
import { foundMistakes } from '../pydantic/typical-mistake.js'
import {
  assumptionsByOperation,
  assumptionsTable,
  assumptionsText,
  idsOn,
  type Ledger,
  marksIn
} from '../validation/assumption-lists.js'
import { coercionUnder } from '../validation/validate.js'
import { documentedOperation, documentedTag } from './document.js'

/** The version of the description, which does not state one. */
export const interfaceVersion = '1.0.0'

/** A document, and its text for the address of the last request, because clients often request it again. */
interface Document {
  parts: JsonObject
  last?: { server: string; text: string }
}

/** Documents, cached with their contract and choices. Creating one takes a tenth of a second. */
const cache = new WeakMap<Contract, WeakMap<Choices, Map<boolean, Document>>>()

interface DocumentParts {
  contract: Contract
  ledger: Ledger
  assumptions: ReturnType<typeof assumptionsByOperation>
}

/** The OpenAPI 3.1 document of a contract. `server` is the base address in it. `control` includes the control API. */
export function openapiOf(
  contract: Contract,
  ledger: Ledger,
  server = 'http://127.0.0.1:4010',
  control = false
): JsonObject {
  return withServer(cached(contract, ledger, control), server)
}

/** The same document as JSON, without the control API. */
export function openapiText(contract: Contract, ledger: Ledger, server: string): string {
  const document = cached(contract, ledger, false)
  if (document.last?.server !== server) {
    document.last = { server, text: JSON.stringify(withServer(document, server)) }
  }
  return document.last.text
}

function cached(contract: Contract, ledger: Ledger, control: boolean): Document {
  const byChoices = inMap(cache, contract, () => new WeakMap<Choices, Map<boolean, Document>>())
  const documents = inMap(byChoices, ledger.choices, () => new Map<boolean, Document>())
  return inMap(documents, control, () => ({ parts: documentOf(contract, ledger, control) }))
}

function withServer({ parts }: Document, url: string): JsonObject {
  return { ...parts, servers: [{ url }] }
}

function documentOf(contract: Contract, ledger: Ledger, control: boolean): JsonObject {
  const operations = [...contract.operations.values()].sort((a, b) => numberOf(a) - numberOf(b))
  if (control) operations.push(...contract.control.values())
  const of: DocumentParts = { contract, ledger, assumptions: assumptionsByOperation(contract, ledger) }
  const paths: Record<string, JsonObject> = {}
  const tags = new Map<Json, JsonObject>()
  for (const operation of operations) {
    const document = contract.documents[`${operation.resource}.json`] as JsonObject
    const result = operation.origin ? documentedOperation(operation, document) : operationObject(of, operation)
    for (const name of result.tags as Json[]) {
      const { title = name, description = '' } = document
      const ours = { name, 'x-displayName': title, description }
      if (!tags.has(name)) tags.set(name, operation.origin ? documentedTag(document, name) : ours)
    }
    const item = paths[operation.path] ?? {}
    item[operation.method.toLowerCase()] = result
    paths[operation.path] = item
  }
  const { document } = contract.api
  return {
    openapi: '3.1.0',
    info: document?.info ?? {
      title: contract.api.title,
      version: interfaceVersion,
      description: `${contract.api.description}\n\nWhat the description of the interface leaves open is decided by assumptions. \`x-assumed\` names those that a part of this document rests on; \`x-assumptions\` says of each what it asks, what its choices are and which is in force.`,
      license: { name: 'MIT', identifier: 'MIT' }
    },
    servers: [],
    security: document?.security ?? [{ bearer: [] }],
    tags: [...tags.values()],
    paths,
    ...(document && contract.extensions[0]?.webhooks()),
    components: {
      schemas: Object.assign(
        usedIn(paths, schemasOf(contract.documents)),
        ...contract.extensions.map(({ schemas }) => schemas())
      ),
      securitySchemes: document?.securitySchemes ?? {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The key of a user: admin, curator or basic (section 5).'
        }
      }
    },
    'x-assumptions': assumptionsTable(ledger, of.assumptions)
  }
}

/** The number of one of the platform's operations. Others come last. */
export function numberOf(operation: Operation): number {
  return Number(operation.code.replace(/\D/g, '')) || Number.MAX_SAFE_INTEGER
}

function operationObject(of: DocumentParts, operation: Operation): JsonObject {
  const { contract, ledger, assumptions } = of
  const rests = assumptions.get(operation.id) ?? []
  const result: JsonObject = {
    operationId: operation.id,
    tags: [operation.resource],
    summary: operation.summary,
    description: operation.control
      ? 'An operation of the mock itself.'
      : `${operation.description}\n\n*${operation.code} of the description.*${assumptionsText(rests, ledger)}`
  }
  if (rests.length > 0) result['x-assumed'] = rests.map(({ id }) => id)
  const parameters = [...parametersOf(contract, operation, 'path'), ...parametersOf(contract, operation, 'query')]
  if (parameters.length > 0) result.parameters = parameters
  if (operation.input.body) result.requestBody = requestBodyOf(contract, operation, rests)
  result.responses = responsesOf(contract, ledger, operation)
  return result
}

/** The assumptions of every body, and of bodies of each kind. */
const ofBodies = ['requests.unknown-fields']
const ofForms = ['requests.repeated']
const ofJson = ['requests.coercion', 'requests.no-content-type']

function requestBodyOf(contract: Contract, operation: Operation, rests: LedgerEntry[]): JsonObject {
  const { control, form, input } = operation
  const ids = rests.map(({ id }) => id).filter((id) => id.startsWith('requests.'))
  const assumed = control ? [] : [...ids, ...ofBodies, ...(form ? ofForms : ofJson)]
  const media: JsonObject = {
    schema: published(contract.documents, input.body as JsonObject),
    examples: examplesOf(operation)
  }
  if (form) media.encoding = encodingOf(contract, operation)
  return {
    description: form ? 'A form. Each file is a separate part.' : 'A JSON object.',
    required: true,
    ...(assumed.length > 0 && { 'x-assumed': assumed }),
    content: { [form ? 'multipart/form-data' : 'application/json']: media }
  }
}

function encodingOf({ documents }: Contract, { input }: Operation): JsonObject {
  const fields = Object.entries((input.body?.properties ?? {}) as Record<string, JsonObject>)
  const typed = fields.flatMap(([name, field]): [string, Json][] => {
    const { items = field } = schemaOf(documents, field)
    const type = schemaOf(documents, items).contentMediaType
    // JSON in a field is text. With a JSON type for the part, clients would send a file.
    return type === undefined || type === 'application/json' ? [] : [[name, { contentType: type }]]
  })
  return Object.fromEntries(typed)
}

/** The parameters, each with an example from the operation's examples, or else its own. */
function parametersOf(contract: Contract, operation: Operation, place: 'path' | 'query'): JsonObject[] {
  const schema = operation.input[place]
  if (!schema) return []
  const { required = [], properties = {} } = schema as { required?: string[]; properties?: Record<string, JsonObject> }
  return Object.entries(properties).map(([name, field]) => {
    const { description, examples, 'x-assumed': _, ...rest } = field
    const values = Object.values(operation.examples).map((example) => example[place]?.[name])
    const example = values.find((value) => value !== undefined) ?? (examples as Json[] | undefined)?.[0]
    const assumed = idsOn(field)
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      ...(assumed.length > 0 && { 'x-assumed': assumed }),
      schema: published(contract.documents, rest),
      ...(example !== undefined && { example })
    }
  })
}

function examplesOf(operation: Operation): JsonObject {
  const bodies = Object.entries(operation.examples).filter(([, example]) => example.body !== undefined)
  return Object.fromEntries(bodies.map(([name, { body }]) => [name, { value: publishedExample(body as Json) }]))
}

/** The responses of an operation by status: its own, its refusals, and a request that breaks the contract. */
function responsesOf(contract: Contract, ledger: Ledger, operation: Operation): JsonObject {
  const responses: JsonObject = {}
  for (const [status, row] of Object.entries(operation.responses)) {
    responses[status] = responseObject(contract, row)
  }
  if (operation.control) return { ...responses, '4XX': problemObject() }
  const refusals = refusalsOf(contract, operation)
  for (const status of new Set(Object.values(refusals).map((row) => row.status))) {
    const rows = Object.entries(refusals).filter(([, row]) => row.status === status)
    responses[status] = refusalObject(operation, rows)
  }
  const form = invalidFormOf(operation)
  const schema = { $ref: `#/components/schemas/${form}` }
  const marks = marksIn(contract.documents, { $ref: `common.json#/$defs/${form}` })
  const rows = Object.values(refusals).filter(({ status }) => status === 422)
  responses[422] = {
    description: 'The request breaks the contract (2.16)',
    'x-assumed': [...new Set([...marks, ...rows.flatMap(({ assumed }) => assumed)])],
    content: { 'application/json': { schema, examples: invalidExamples(contract, operation, ledger) } }
  }
  return responses
}

function responseObject(contract: Contract, row: ResponseRow): JsonObject {
  const { media = 'application/json', schema, assumed = [] } = row
  const head: JsonObject = { description: row.description, ...(assumed.length > 0 && { 'x-assumed': assumed }) }
  if (!schema) return head
  const examples = Object.entries(row.examples ?? {}).map(([name, value]) => [name, { value }])
  const content = { schema: published(contract.documents, schema), examples: Object.fromEntries(examples) }
  return { ...head, content: { [media]: content } }
}

function problemObject(): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description: 'A problem document (RFC 9457)', content: { 'application/problem+json': { schema } } }
}

/** The refusals of one status. All of them are assumed, because the description shows only 200 and 422 (7.3). */
function refusalObject({ examples }: Operation, rows: [string, RefusalRow][]): JsonObject {
  const path = Object.values(examples)[0]?.path ?? {}
  const exampleOf = (row: RefusalRow): Json => ({ value: fill(row.body, exampleValues(row, path)) })
  const forms = new Set(rows.map(([, row]) => formOf(row)))
  const schemas = [...forms].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return {
    description: rows.map(([reason]) => reason.replaceAll('-', ' ')).join(', or '),
    'x-assumed': [...new Set(rows.flatMap(([, row]) => row.assumed))],
    content: {
      'application/json': {
        schema: schemas.length === 1 ? (schemas[0] as JsonObject) : { anyOf: schemas },
        examples: Object.fromEntries(rows.map(([reason, row]) => [reason, exampleOf(row)]))
      }
    }
  }
}

/**
 * Examples for an operation's 422, from its own checks: the most common mistake in the body, the path and the query. An
 * operation without input rejects only unknown fields.
 */
export function invalidExamples(contract: Contract, operation: Operation, { choices }: Ledger): JsonObject {
  const check = (raw: RawInput, noted: Set<string>) =>
    contract.checkInput(operation, raw, coercionUnder(choices), noted)
  const examples: Record<string, Json> = {}
  for (const { name, problem } of foundMistakes(contract.documents, operation, check)) {
    const isFirst = Object.keys(examples).length === 0
    if (name in examples || (name === unknownParameter && !isFirst)) continue
    examples[name] = { value: validationError([problem], choices, operation.chat ?? false) as unknown as Json }
  }
  return examples
}

const mockKeywords = new Set([
  'tsType',
  'x-documented',
  'x-embedded',
  'x-secret',
  'x-undocumented',
  'x-null',
  'x-assumed'
])

/** A schema in the form of OpenAPI: references into components, binary files, without the mock's own keywords. */
export function published(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => published(documents, item))
  if (!isObject(value)) return value
  const { $ref, ...rest } = value
  const result = typeof $ref === 'string' ? publishedReference(documents, $ref) : {}
  for (const [key, item] of Object.entries(rest)) {
    if (key === 'examples') result.examples = item
    // API explorers recognize files by this format, not by contentMediaType.
    else if (key === 'x-file') Object.assign(result, { type: 'string', format: 'binary' })
    else if (!mockKeywords.has(key)) result[key] = published(documents, item)
  }
  const assumed = idsOn(value)
  if (assumed.length > 0) result['x-assumed'] = assumed
  return result
}

/**
 * `chat.json#/$defs/X` becomes `#/components/schemas/X`. References into a schema, such as `#/$defs/X/properties/y`,
 * are replaced by their target, because not every tool follows them.
 */
function publishedReference(documents: Documents, reference: string): JsonObject {
  const name = /#\/\$defs\/([^/]+)$/.exec(reference)?.[1]
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return published(documents, follow(documents, reference)) as JsonObject
}

/** An example of a body in a document. A file is shown as its bytes, one character per byte. */
function publishedExample(value: Json): Json {
  if (Array.isArray(value)) return value.map(publishedExample)
  if (!isObject(value)) return value
  const file = value['x-file']
  if (isObject(file)) {
    const { text = '', base64 } = file as Record<string, string>
    return base64 === undefined
      ? Buffer.from(text).toString('latin1')
      : Buffer.from(base64, 'base64').toString('latin1')
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, publishedExample(item)]))
}

export function schemasOf(documents: Documents): Map<string, Json> {
  const all = Object.values(documents).flatMap(({ $defs }) => Object.entries(($defs ?? {}) as JsonObject))
  return new Map(all.map(([name, schema]) => [name, published(documents, schema)]))
}

/** The schemas that a part of a document refers to, in their order. */
export function usedIn(part: JsonObject, schemas: ReadonlyMap<string, Json>): JsonObject {
  const names = new Set<string>()
  const use = (value: Json | undefined): void => {
    if (Array.isArray(value)) for (const item of value) use(item)
    if (!isObject(value)) return
    const name = String(value.$ref ?? '').replace('#/components/schemas/', '')
    if (schemas.has(name) && !names.has(name)) {
      names.add(name)
      use(schemas.get(name))
    }
    for (const item of Object.values(value)) use(item)
  }
  use(part)
  return Object.fromEntries([...schemas].filter(([name]) => names.has(name)))
}
