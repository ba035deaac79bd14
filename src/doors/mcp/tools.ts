import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Contract } from '../../engine/contract/contract.js'
import { type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { Operation, RawInput } from '../../engine/contract/model.js'
import { published, schemasOf, usedIn } from '../../engine/contract/openapi/published.js'
import { Invalid } from '../../engine/contract/pydantic/explain.js'
import { wrong } from '../../engine/control/rule.js'

/** A tool with the operation that it calls. */
export interface OperationTool {
  tool: Tool
  operation: Operation
  /** The part of the request that each argument goes to. `whole`: the argument is the body. */
  parts: Map<string, 'path' | 'query' | 'body' | 'whole'>
}

const made = new WeakMap<Contract, Map<string, OperationTool>>()

/** The tools of a contract by name: the operations of the control API that are marked as such. */
export function toolsOf(contract: Contract): Map<string, OperationTool> {
  let tools = made.get(contract)
  if (!tools) {
    const schemas = schemasOf(contract.documents)
    const operations = [...contract.control.values()].filter(({ tool }) => tool)
    tools = new Map(operations.map((it) => [it.id, toolOf(contract, it, schemas)]))
    made.set(contract, tools)
  }
  return tools
}

/** Parameters and body fields are both arguments. A body that may have any fields is one argument. */
function toolOf({ documents }: Contract, operation: Operation, schemas: Map<string, Json>): OperationTool {
  const { id, summary, method, input } = operation
  const { path = {}, query = {} } = input
  const body = schemaOf(documents, input.body)
  const isWhole = input.body !== undefined && body.additionalProperties !== false
  const from = { path, query, ...(isWhole ? { whole: { properties: { body: input.body as JsonObject } } } : { body }) }
  const fields = Object.entries(from).flatMap(([part, { properties = {} }]) =>
    Object.entries(properties as JsonObject).map(([name, schema]) => ({ part: part as 'path', name, schema }))
  )
  const required = Object.values(from).flatMap((it) => ('required' in it ? (it.required as Json[]) : []))
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, published(documents, schema)]))
  const schema: JsonObject = { type: 'object', properties, required, additionalProperties: false }
  const whole = JSON.stringify({ ...schema, $defs: usedIn(schema, schemas) })
  const tool = {
    name: id,
    description: [summary, operation.tool].filter((it) => typeof it === 'string').join('. '),
    inputSchema: JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')) as Tool['inputSchema'],
    annotations: { readOnlyHint: method === 'GET' }
  }
  return { tool, operation, parts: new Map(fields.map(({ name, part }) => [name, part])) }
}

/** The arguments as the parts of a request. Throws an Invalid that names an unknown argument and the known ones. */
export function inputOf({ parts }: OperationTool, given: Record<string, unknown>): RawInput {
  const input = { path: {}, query: {}, body: {} }
  for (const [name, value] of Object.entries(given)) {
    const part = parts.get(name)
    if (!part) throw new Invalid([wrong(['arguments', name], 'This is not known here.', [...parts.keys()])])
    if (part === 'whole') Object.assign(input, { body: value })
    else if (part === 'body') Object.assign(input.body, { [name]: value })
    // Some agents send null for fields that they leave out.
    else if (value !== null) Object.assign(input[part], { [name]: String(value) })
  }
  return input
}
