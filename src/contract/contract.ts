import { type Choices, type Documents, follow, isObject, type Json, type JsonObject } from './load.js'
import { createMatcher, type Matcher } from './match.js'
import type { Common } from './outcomes.js'
import { createSamples, type Samples } from './own/sample.js'
import type { OwnDocument } from './own/translate.js'
import type { Own } from './own/types.js'
import { ownValidators } from './own/validators.js'
import { createRedactions, type Redaction } from './redaction.js'
import { resolve } from './resolve.js'
import { createValidators } from './validation/compile.js'
import { withFields } from './validation/field-choices.js'
import { prebuiltValidators } from './validation/prebuilt.js'
import { type Checks, createChecks, type Validators } from './validation/validate.js'

/** A refusal that a rule may throw, as it is sent. Texts hold {placeholders}. */
export interface RefusalRow {
  status: number
  assumed: string[]
  headers?: Record<string, string>
  body: JsonObject
  /** What the {placeholders} stand for in an example; those of the path stand for themselves. */
  example?: Record<string, string>
}

export interface ResponseRow {
  description: string
  /** The media type, where it is not JSON. */
  media?: string
  /** Absent: the response has no body. */
  schema?: JsonObject
  examples?: Record<string, Json>
  /** The assumptions that shape it as a whole. */
  assumed?: string[]
}

export type Access = { roles: string[] | null; detail: string }

/** One operation of the interface: a row of contracts/<resource>.json, resolved. */
export interface Operation {
  id: string
  /** E1 to E30, its place in the description; empty for an operation of the control API. */
  code: string
  /** An operation of the control API: the mock's own. */
  control: boolean
  resource: string
  method: string
  path: string
  summary: string
  /** What the description says of it, in Markdown; empty for an operation of the control API. */
  description: string
  /** Who may call it, by the choice of `auth.roles`. */
  access: Record<string, string>
  /** Chat operations answer 422 with input and ctx (2.16). */
  chat: boolean
  /** The body is multipart/form-data. */
  form: boolean
  /** Uploaded zips are expanded; see upload.zip. */
  zips: boolean
  /** Of the control API: needs no token. */
  open: boolean
  /** The answer does not end: server-sent events. */
  stream: boolean
  /** The answer sends a browser on, and has no body. */
  redirect: boolean
  /** Of the control API: plays a scenario, whose calls wait. */
  plays: boolean
  /** Of the control API: the body may hold any number of values. */
  bulk: boolean
  input: { path?: JsonObject; query?: JsonObject; header?: JsonObject; cookie?: JsonObject; body?: JsonObject }
  examples: Record<string, { path?: JsonObject; query?: JsonObject; body?: Json }>
  responses: Record<string, ResponseRow>
  refusals: Record<string, RefusalRow>
  /** Of an operation of the user's own. */
  own?: Own
}

/** A collection of rows: how they look, and which rows of other collections it names. */
export interface CollectionRow {
  name: string
  resource: string
  description: string
  references: Record<string, string>
  /** What its rows can be made as, by name. */
  traits?: Record<string, string>
  /** Fields whose values together no two rows have. */
  unique?: [string, ...string[]][]
  row: JsonObject
}

export interface Contract extends Checks, Samples {
  documents: Documents
  /** What the interface documents. */
  operations: Map<string, Operation>
  /** The control API. */
  control: Map<string, Operation>
  collections: Map<string, CollectionRow>
  /** The documents of the user's own that it has beside the platform's. */
  own: readonly OwnDocument[]
  access: Record<string, Access>
  /** Names the entry of an operation's `access` that guards it. Without such an entry, anybody may call it. */
  guard: { by: string }
  /** Refusals that any operation can answer. */
  refusals: Record<string, RefusalRow>
  /** Refusals that any operation of the control API can answer. */
  controlRefusals: Record<string, RefusalRow>
  /** The values of DocumentSource; null where any will do. */
  sources: ReadonlySet<string> | null
  /** Finds the operation of the interface that a request is for. */
  match: Matcher
  matchControl: Matcher
  validators: Validators
  /** What takes the secrets out of an operation's messages; undefined where there are none. */
  redactionOf(operation: Operation): Redaction | undefined
}

/** The contract under these choices, with operations and collections of the user's own. Costs some milliseconds: keep it. */
export function createContract(raw: Documents, choices: Choices, own: readonly OwnDocument[] = []): Contract {
  const resolved = resolve(withFields(raw, choices), choices)
  const documents = { ...resolved, ...Object.fromEntries(own.map(({ key, document }) => [key, document])) }
  const operations = new Map<string, Operation>()
  const control = new Map<string, Operation>()
  const collections = new Map<string, CollectionRow>()
  for (const [file, document] of Object.entries(resolved)) {
    const resource = file.replace(/\.json$/, '')
    for (const [id, row] of Object.entries((document.operations ?? {}) as Record<string, JsonObject>)) {
      const operation = operationOf(documents, resource, id, row)
      const kind = operation.control ? control : operations
      kind.set(id, operation)
    }
    for (const [name, row] of Object.entries((document.collections ?? {}) as Record<string, JsonObject>)) {
      collections.set(name, { name, resource, ...row } as unknown as CollectionRow)
    }
  }
  for (const document of own) {
    for (const id of document.replaced) operations.delete(id)
    for (const operation of document.operations) operations.set(operation.id, operation)
    for (const collection of document.collections) collections.set(collection.name, collection)
  }
  const platform = prebuiltValidators(resolved, createValidators(resolved))
  const validators = own.length === 0 ? platform : ownValidators(documents, platform)
  const common = documents['common.json'] as unknown as Common
  const sources = (follow(documents, 'common.json#/$defs/DocumentSource') as JsonObject).enum
  return {
    documents,
    operations,
    control,
    collections,
    own,
    access: common.access,
    guard: common.guard,
    refusals: common.refusals,
    controlRefusals: (documents['control.json']?.refusals ?? {}) as unknown as Contract['controlRefusals'],
    sources: sources ? new Set(sources as string[]) : null,
    match: createMatcher([...operations.values()]),
    matchControl: createMatcher([...control.values()]),
    redactionOf: createRedactions(documents),
    validators,
    ...createSamples(documents, validators, collections),
    ...createChecks(documents, common, validators)
  }
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
    plays: false,
    bulk: false,
    input: {},
    ...row,
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

/** Examples may be built of other examples: puts these in place of their references. */
function inline(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => inline(documents, item))
  if (!isObject(value)) return value
  if (typeof value.$ref === 'string') return inline(documents, follow(documents, value.$ref))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inline(documents, item)]))
}
