import { createContract } from './contract/contract.js'
import type { JsonObject } from './contract/load.js'
import { openapiOf } from './contract/openapi.js'
import { readDefinitions } from './mock/edition.js'
import { type StartOptions, startChoices } from './mock/starts.js'

export interface OpenapiOptions extends Pick<StartOptions, 'profile' | 'assume'> {
  /** The folder of the contracts and the ledger. Default: those that the mock comes with. */
  contracts?: string | undefined
  /** The base address that the document names. Default http://127.0.0.1:4010. */
  server?: string
}

/** The OpenAPI 3.1 document under these choices. Throws an Error that names the good values when an option is wrong. */
export function openapi({ contracts, server, ...options }: OpenapiOptions = {}): JsonObject {
  const definitions = readDefinitions(contracts)
  const choices = startChoices(definitions, options)
  return openapiOf(createContract(definitions.documents, choices), { entries: definitions.ledger, choices }, server)
}
