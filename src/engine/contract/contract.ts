import { type Api, contractsOnly } from '../api.js'
import {
  builtDocuments,
  type Choices,
  controlDocument,
  type Documents,
  follow,
  isObject,
  type Json,
  type JsonObject,
  schemaOf
} from './load.js'
import { createMatcher, type Matcher } from './match.js'
import { createRedactions, type Redaction } from './message/redaction.js'
import type { CollectionRow, CommonParts, OpenApiDocument, Operation, RefusalRow } from './model.js'
import { once } from './once.js'
import { resolve } from './resolve.js'
import { createSamples, type Samples } from './samples/samples.js'
import { createValidators, type Validators } from './validation/compile.js'
import { documentValidators } from './validation/documents.js'
import { withFields } from './validation/field-choices.js'
import { prebuiltValidators } from './validation/prebuilt.js'
import { type Checks, createChecks } from './validation/validate.js'

export interface Contract extends CommonParts, Checks, Samples {
  /** The API that it is a part of. */
  api: Api
  documents: Documents
  /** The operations of the interface. */
  operations: Map<string, Operation>
  /** The control API. */
  control: Map<string, Operation>
  collections: Map<string, CollectionRow>
  /** The user's own documents. */
  own: readonly OpenApiDocument[]
  /** Refusals of any operation of the control API. */
  controlRefusals: Record<string, RefusalRow>
  /** The values that a definition allows, such as `common.json#/$defs/Role`. Null: any. */
  valuesOf(definition: string): ReadonlySet<string> | null
  /** Finds the operation of a request. */
  match: Matcher
  matchControl: Matcher
  validators: Validators
  /** Removes the secrets from an operation's messages. Undefined if there are none. */
  redactionOf(operation: Operation): Redaction | undefined
}

/**
 * The contract under these choices, with the user's own operations and collections. Building it takes some
 * milliseconds, so keep it.
 */
export function createContract(
  raw: Documents,
  choices: Choices,
  own: readonly OpenApiDocument[] = [],
  api = contractsOnly
): Contract {
  const resolved = builtDocuments(raw, choices) ?? resolve(withFields(raw, choices), choices)
  const documents = own.length === 0 ? resolved : withDocuments(resolved, own)
  const files = Object.keys(resolved).filter((file) => file !== controlDocument)
  const operations = new Map(files.flatMap((file) => operationsIn(documents, file)))
  const collections = new Map<string, CollectionRow>()
  for (const file of files) {
    for (const [name, row] of Object.entries((documents[file]?.collections ?? {}) as Record<string, JsonObject>)) {
      collections.set(name, { name, resource: resourceOf(file), ...row } as unknown as CollectionRow)
    }
  }
  for (const document of own) {
    for (const id of document.replaced) operations.delete(id)
    for (const operation of document.operations) operations.set(operation.id, operation)
    for (const collection of document.collections) collections.set(collection.name, collection)
  }
  const control = once(() => new Map(operationsIn(documents, controlDocument)))
  const matchControl = once(() => createMatcher([...control().values()]))
  const platform = prebuiltValidators(resolved, createValidators(resolved))
  const validators = own.length === 0 ? platform : documentValidators(documents, platform)
  const common = documents['common.json'] as unknown as CommonParts
  const allowed = new Map<string, ReadonlySet<string> | null>()
  const samples = createSamples(documents, validators, collections)
  const checks = createChecks(documents, common, validators)
  return {
    api,
    documents,
    operations,
    get control() {
      return control()
    },
    collections,
    own,
    access: common.access,
    guard: common.guard,
    refusals: common.refusals,
    get controlRefusals() {
      return (documents[controlDocument]?.refusals ?? {}) as unknown as Contract['controlRefusals']
    },
    valuesOf(definition) {
      if (!allowed.has(definition)) {
        const { enum: values } = follow(documents, definition) as JsonObject
        allowed.set(definition, values ? new Set(values as string[]) : null)
      }
      return allowed.get(definition) ?? null
    },
    match: createMatcher([...operations.values()]),
    matchControl: (method, path) => matchControl()(method, path),
    redactionOf: createRedactions(documents),
    validators,
    ...samples,
    ...checks,
    checkReply(operation, status, body, assumed) {
      const found = checks.checkReply(operation, status, body, assumed)
      const why = found.length > 0 && samples.whyCut(operation, status)
      return why ? [why, ...found] : found
    }
  }
}

/** The documents with the user's own ones. Those that are created on first use still are. */
function withDocuments(documents: Documents, own: readonly OpenApiDocument[]): Documents {
  const all: Documents = Object.defineProperties({}, Object.getOwnPropertyDescriptors(documents))
  for (const { key, document } of own) all[key] = document
  return all
}

function resourceOf(file: string): string {
  return file.replace(/\.json$/, '')
}

function operationsIn(documents: Documents, file: string): [string, Operation][] {
  const rows = Object.entries((documents[file]?.operations ?? {}) as Record<string, JsonObject>)
  return rows.map(([id, row]) => [id, operationOf(documents, resourceOf(file), id, row)])
}

function operationOf(documents: Documents, resource: string, id: string, row: JsonObject): Operation {
  const { include, ...own } = row.responses as JsonObject
  const shared = include ? (follow(documents, `common.json#/replies/${include}`) as JsonObject) : {}
  const { 'x-assumed': assumed = [], ...responses } = { ...shared, ...own }
  const { 'x-assumed': _, ...examples } = row.examples as JsonObject
  const { 'x-assumed': __, ...refusals } = (row.refusals ?? {}) as JsonObject
  return {
    id,
    resource,
    code: '',
    description: '',
    control: documents[`${resource}.json`]?.control === true,
    access: {},
    chat: false,
    form: false,
    zips: false,
    open: false,
    stream: false,
    redirect: false,
    waits: false,
    looks: false,
    wide: false,
    agents: false,
    tool: false,
    bulk: false,
    cost: 1,
    ...row,
    input: parametersIn(documents, row.input as Operation['input'] | undefined),
    refusals,
    examples: inline(documents, examples),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const { examples: named, ...rest } = response as JsonObject
        return [status, { ...rest, assumed, ...(named !== undefined && { examples: inline(documents, named) }) }]
      })
    )
  } as unknown as Operation
}

/** The input with the schemas of path and query instead of references, as their readers expect. Operations may share them. */
function parametersIn(documents: Documents, { path, query, ...input }: Operation['input'] = {}): Operation['input'] {
  return {
    ...(path && { path: schemaOf(documents, path) }),
    ...(query && { query: schemaOf(documents, query) }),
    ...input
  }
}

/** Replaces references between examples. Fields next to a reference are added, or replace those of the example. */
function inline(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => inline(documents, item))
  if (!isObject(value)) return value
  const { $ref, ...own } = value
  if (typeof $ref === 'string') return { ...(inline(documents, follow(documents, $ref)) as JsonObject), ...own }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inline(documents, item)]))
}
