import { createContract } from '../../engine/contract/contract.js'
import type { JsonObject } from '../../engine/contract/load.js'
import { openapiOf } from '../../engine/contract/openapi/openapi.js'
import { startChoices } from '../../engine/sandbox/starts.js'
import { settle } from '../options/option.js'
import { type OpenapiOptions, openapiTable } from '../options/table.js'
import { definitionsOf } from './edition/edition.js'

/** The OpenAPI 3.1 document under these choices. Throws an Error that names the valid values if an option is wrong. */
export function openapi(input: OpenapiOptions = {}): JsonObject {
  const { server, ...options } = settle(openapiTable, input)
  const definitions = definitionsOf(options, console.error)
  const choices = startChoices(definitions, options)
  return openapiOf(
    createContract(definitions.documents, choices, definitions.extensions.documents, definitions.api),
    { entries: definitions.ledger, choices },
    server
  )
}
