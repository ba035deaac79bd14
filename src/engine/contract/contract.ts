import { type Api, contractsOnly } from '../api.js'
import { builtDocuments, type Choices, controlDocument, type Documents, follow, type JsonObject } from './load.js'
import { createMatcher, type Matcher } from './match.js'
import { createRedactions, type Redaction } from './message/redaction.js'
import type { CollectionRow, CommonParts, OpenApiDocument, Operation, RefusalRow } from './model.js'
import { inMap } from './once.js'
import { readContract } from './reader/contracts.js'
import { resolve } from './resolve.js'
import { createSamples, type Samples } from './samples/samples.js'
import { createValidators, type Validators } from './validation/compile.js'
import { documentValidators } from './validation/documents.js'
import { withFields } from './validation/field-choices.js'
import { prebuiltValidators } from './validation/prebuilt.js'
import { type Checks, createChecks } from './validation/validate.js'

export interface Contract extends CommonParts, Checks, Samples {
  api: Api
  documents: Documents
  operations: Map<string, Operation>
  control: Map<string, Operation>
  collections: Map<string, CollectionRow>
  extensions: readonly OpenApiDocument[]
  controlRefusals: Record<string, RefusalRow>
  /** The values that a definition allows, such as `common.json#/$defs/Role`. Null: any. */
  valuesOf(definition: string): ReadonlySet<string> | null
  match: Matcher
  matchControl: Matcher
  validators: Validators
  /** Removes the secrets from an operation's messages. Undefined if there are none. */
  redactionOf(operation: Operation): Redaction | undefined
}

/** The contract under these choices, with the user's documents. Building it takes some milliseconds, so keep it. */
export function createContract(
  raw: Documents,
  choices: Choices,
  extensions: readonly OpenApiDocument[] = [],
  api = contractsOnly
): Contract {
  const resolved = builtDocuments(raw, choices) ?? resolve(withFields(raw, choices), choices)
  const documents = extensions.length === 0 ? resolved : withDocuments(resolved, extensions)
  const files = Object.keys(resolved).filter((file) => file !== controlDocument)
  const operations = new Map<string, Operation>()
  const collections = new Map<string, CollectionRow>()
  for (const part of [...files.map((file) => ({ replaced: [], ...readContract(documents, file) })), ...extensions]) {
    for (const id of part.replaced) operations.delete(id)
    for (const operation of part.operations) operations.set(operation.id, operation)
    for (const collection of part.collections) collections.set(collection.name, collection)
  }
  const compiled = prebuiltValidators(resolved, createValidators(resolved))
  const validators = extensions.length === 0 ? compiled : documentValidators(documents, extensions, compiled)
  const common = documents['common.json'] as unknown as CommonParts
  const allowed = new Map<string, ReadonlySet<string> | null>()
  const samples = createSamples(documents, validators, collections)
  const checks = createChecks(documents, common, validators, samples.whyCut)
  return {
    api,
    documents,
    operations,
    get control() {
      const { operations } = readContract(documents, controlDocument)
      return replaced(this, 'control', new Map(operations.map((it) => [it.id, it])))
    },
    collections,
    extensions,
    access: common.access,
    guard: common.guard,
    refusals: common.refusals,
    get controlRefusals() {
      return (documents[controlDocument]?.refusals ?? {}) as unknown as Contract['controlRefusals']
    },
    valuesOf: (definition) =>
      inMap(allowed, definition, () => {
        const { enum: values } = follow(documents, definition) as JsonObject
        return values ? new Set(values as string[]) : null
      }),
    match: createMatcher([...operations.values()]),
    get matchControl() {
      return replaced(this, 'matchControl', createMatcher([...this.control.values()]))
    },
    redactionOf: createRedactions(documents),
    validators,
    ...samples,
    ...checks
  }
}

/** Puts a value in the place of the getter that has made it. */
function replaced<Value>(owner: object, name: string, value: Value): Value {
  Object.defineProperty(owner, name, { value })
  return value
}

/** The documents with the user's. Those that are created on first use still are. */
function withDocuments(documents: Documents, extensions: readonly OpenApiDocument[]): Documents {
  const all: Documents = Object.defineProperties({}, Object.getOwnPropertyDescriptors(documents))
  for (const { key, document } of extensions) all[key] = document
  return all
}
