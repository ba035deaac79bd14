import type { Contract } from '../contract/contract.js'
import { type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import type { Operation } from '../contract/model.js'
import { didYouMean } from '../contract/nearest.js'
import { openapiOf, usedIn } from '../contract/openapi/openapi.js'
import { type Fields, fieldsIn } from '../contract/schemas/schemas.js'
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

  getOperation({ path: { id }, query: { full } }, { contract, ledger, sandbox: { choices }, server }) {
    const operation = contract.operations.get(id)
    if (!operation) {
      throw new Refusal('unknown-operation', { id, nearest: didYouMean(id, [...contract.operations.keys()]) })
    }
    return full
      ? operationDocument(contract, { entries: ledger(), choices }, operation, server)
      : brief(contract, operation)
  }
}

/** What a call of an operation needs: required fields with their types, names of the others, an example, answers, refusals. */
function brief(
  { documents }: Contract,
  { id, method, path, summary, input, examples, responses, refusals }: Operation
) {
  const parts = Object.entries(input).map(([part, schema]) => [part, fieldsIn({ documents }, schema)] as const)
  const inParts = (pick: (fields: Fields) => object): object =>
    Object.fromEntries(
      parts.map(([part, fields]) => [part, pick(fields)] as const).filter(([, it]) => Object.keys(it).length > 0)
    )
  const typeOf = (schema: Json | undefined) => {
    const { enum: values, type, format } = schemaOf(documents, schema)
    return values ?? (format && type ? `${type} (${format})` : (type ?? 'any'))
  }
  return {
    id,
    method,
    path,
    summary,
    required: inParts(({ properties, required }) =>
      Object.fromEntries(required.map((it) => [it, typeOf(properties[it])]))
    ),
    optional: inParts(({ properties, required }) => Object.keys(properties).filter((it) => !required.includes(it))),
    example: Object.values(examples)[0],
    answers: Object.fromEntries(Object.entries(responses).map(([status, { description }]) => [status, description])),
    refusals: Object.fromEntries(
      Object.entries(refusals).map(([name, { status, body }]) => [name, { status, ...body }])
    )
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
  const ids = new Set(JSON.stringify([part, schemas]).match(/(?<![a-z])[a-z]+(?:[.-][a-z]+)+/g))
  return {
    openapi: openapi as string,
    servers: servers as JsonObject[],
    paths: { [path]: part },
    components: { schemas },
    'x-assumptions': Object.fromEntries(Object.entries(entries as JsonObject).filter(([id]) => ids.has(id)))
  }
}
