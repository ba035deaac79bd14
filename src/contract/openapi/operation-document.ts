import type { Contract, Operation } from '../contract.js'
import type { JsonObject } from '../load.js'
import type { Ledger } from '../validation/assumption-lists.js'
import { openapiOf } from './openapi.js'
import { usedIn } from './published.js'

/** The part of the OpenAPI document that describes one operation. */
export function operationDocument(
  contract: Contract,
  ledger: Ledger,
  { path, method }: Operation,
  server: string
): JsonObject {
  const { openapi, servers, paths, components, 'x-assumptions': entries } = openapiOf(contract, ledger, server)
  const { [path]: item } = paths as Record<string, JsonObject>
  const part = { [method.toLowerCase()]: item?.[method.toLowerCase()] as JsonObject }
  const schemas = usedIn(part, new Map(Object.entries((components as JsonObject).schemas as JsonObject)))
  const named = new Set(JSON.stringify([part, schemas]).match(/(?<![a-z])[a-z]+(?:[.-][a-z]+)+/g))
  return {
    openapi: openapi as string,
    servers: servers as JsonObject[],
    paths: { [path]: part },
    components: { schemas },
    'x-assumptions': Object.fromEntries(Object.entries(entries as JsonObject).filter(([id]) => named.has(id)))
  }
}
