import type { Contract, Operation, RefusalRow, ResponseRow } from '../contract.js'
import type { Json, JsonObject } from '../load.js'
import { fill } from '../message/refusal.js'
import { exampleValues, formOf, invalidFormOf, refusalsOf } from '../outcomes.js'
import { invalidExamples } from '../pydantic/invalid-examples.js'
import { type Ledger, marksIn } from '../validation/assumption-lists.js'
import { published } from './published.js'

/** The responses of an operation by status: its own, its refusals, and a request that breaks the contract. */
export function responsesOf(contract: Contract, ledger: Ledger, operation: Operation): JsonObject {
  const responses: JsonObject = {}
  for (const [status, row] of Object.entries(operation.responses)) {
    responses[status] = responseObject(contract, row)
  }
  if (operation.control) return { ...responses, '4XX': problemObject() }
  const refusals = refusalsOf(contract, operation)
  for (const status of new Set(Object.values(refusals).map((row) => row.status))) {
    const rows = Object.entries(refusals).filter(([, row]) => row.status === status)
    responses[status] = refusalObject(operation, rows)
  }
  const form = invalidFormOf(operation)
  const schema = { $ref: `#/components/schemas/${form}` }
  const marks = marksIn(contract.documents, { $ref: `common.json#/$defs/${form}` })
  const rows = Object.values(refusals).filter(({ status }) => status === 422)
  responses[422] = {
    description: 'The request breaks the contract (2.16)',
    'x-assumed': [...new Set([...marks, ...rows.flatMap(({ assumed }) => assumed)])],
    content: { 'application/json': { schema, examples: invalidExamples(contract, operation, ledger) } }
  }
  return responses
}

function responseObject(contract: Contract, row: ResponseRow): JsonObject {
  const { media = 'application/json', schema, assumed = [] } = row
  const head: JsonObject = { description: row.description, ...(assumed.length > 0 && { 'x-assumed': assumed }) }
  if (!schema) return head
  const examples = Object.entries(row.examples ?? {}).map(([name, value]) => [name, { value }])
  const content = { schema: published(contract.documents, schema), examples: Object.fromEntries(examples) }
  return { ...head, content: { [media]: content } }
}

function problemObject(): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' }
  return { description: 'A problem document (RFC 9457)', content: { 'application/problem+json': { schema } } }
}

/** The refusals of one status. All of them are assumed, because the description shows only 200 and 422 (7.3). */
function refusalObject({ examples }: Operation, rows: [string, RefusalRow][]): JsonObject {
  const path = Object.values(examples)[0]?.path ?? {}
  const exampleOf = (row: RefusalRow): Json => ({ value: fill(row.body, exampleValues(row, path)) })
  const forms = new Set(rows.map(([, row]) => formOf(row)))
  const schemas = [...forms].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return {
    description: rows.map(([reason]) => reason.replaceAll('-', ' ')).join(', or '),
    'x-assumed': [...new Set(rows.flatMap(([, row]) => row.assumed))],
    content: {
      'application/json': {
        schema: schemas.length === 1 ? (schemas[0] as JsonObject) : { anyOf: schemas },
        examples: Object.fromEntries(rows.map(([reason, row]) => [reason, exampleOf(row)]))
      }
    }
  }
}
