import { knowledgeChat } from '../../src/apis/knowledge-chat/api.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { choose, defaultChoices, type Profile, readLedger } from '../../src/engine/contract/ledger.js'
import { type JsonObject, readDocuments } from '../../src/engine/contract/load.js'
import { openapiOf } from '../../src/engine/contract/openapi/openapi.js'

const documents = readDocuments()
const entries = readLedger()

/** The ids of the interface's operations. */
export const operationIds = [...createContract(documents, defaultChoices(entries)).operations.keys()]

/** The OpenAPI document under a profile and single choices. */
export function documentUnder(profile: Profile, pairs: [string, string][] = [], control = false): JsonObject {
  const choices = choose(entries, profile, pairs)
  return openapiOf(createContract(documents, choices, [], knowledgeChat), { entries, choices }, undefined, control)
}

/** An operation as a document has it. */
export interface Described {
  operationId: string
  description: string
  parameters?: { name: string; in: 'path' | 'query'; description: string; example?: unknown; 'x-assumed'?: string[] }[]
  requestBody?: { content: Record<string, { schema: JsonObject; examples: Record<string, { value: unknown }> }> }
  responses: Record<string, JsonObject>
  'x-assumed'?: string[]
}

/** The operations of a document, with where each is. */
export function operationsOf(document: JsonObject): (Described & { path: string; method: string })[] {
  return Object.entries(document.paths as unknown as Record<string, Record<string, Described>>).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() }))
  )
}
