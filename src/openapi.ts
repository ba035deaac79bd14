import { createContract } from './contract/contract.js'
import type { JsonObject } from './contract/load.js'
import { openapiOf } from './contract/openapi.js'
import { readDefinitions } from './mock/edition.js'
import { startChoices } from './mock/starts.js'
import { text } from './options/kinds.js'
import type { Options, Table } from './options/option.js'
import { settle } from './options/settle.js'
import { choiceTable, contractsTable } from './options/start.js'

export const openapiTable = {
  ...choiceTable,
  ...contractsTable,
  server: {
    is: text('url'),
    otherwise: 'http://127.0.0.1:4010',
    help: 'the base address that the document names',
    only: 'program'
  }
} as const satisfies Table

export type OpenapiOptions = Options<typeof openapiTable>

/** The OpenAPI 3.1 document under these choices. Throws an Error that names the good values when an option is wrong. */
export function openapi(given: OpenapiOptions = {}): JsonObject {
  const { contracts, server, ...options } = settle(openapiTable, given)
  const definitions = readDefinitions(contracts)
  const choices = startChoices(definitions, options)
  return openapiOf(createContract(definitions.documents, choices), { entries: definitions.ledger, choices }, server)
}
