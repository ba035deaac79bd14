import type { Contract } from '../contract/contract.js'
import type { JsonObject } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import type { Operation } from '../contract/model.js'
import { didYouMean } from '../contract/nearest.js'
import { openapiOf } from '../contract/openapi/openapi.js'
import { usedIn } from '../contract/openapi/published.js'
import type { Ledger } from '../contract/validation/assumption-lists.js'
import type { ControlRules } from './rule.js'

export const operationRules: ControlRules<'listOperations' | 'getOperation'> = {
  listOperations: (_, { contract }) => ({
    operations: [...contract.operations.values()].map(({ id, method, path, summary, origin }) => ({
      id,
      method,
      path,
      summary,
      ...(origin && { document: origin.document })
    }))
  }),

  getOperation({ path: { id } }, { contract, ledger, sandbox: { choices }, server }) {
    const operation = contract.operations.get(id)
    if (operation) return operationDocument(contract, { entries: ledger(), choices }, operation, server)
    throw new Refusal('unknown-operation', { id, nearest: didYouMean(id, [...contract.operations.keys()]) })
  }
}

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
