import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Contract } from '../../engine/contract/contract.js'
import { type Documents, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { Operation, RawInput } from '../../engine/contract/model.js'
import { inMap } from '../../engine/contract/once.js'
import { invalid } from '../../engine/control/rule.js'

export interface OperationTool {
  tool: Tool
  operation: Operation
  /** The part of the request that each argument goes to. `whole`: the argument is the body. */
  parts: Map<string, 'path' | 'query' | 'body' | 'whole'>
}

const made = new WeakMap<Contract, Map<string, OperationTool>>()

/** The tools of a contract by name: the operations of the control API that are marked as tools. */
export function toolsOf(contract: Contract): Map<string, OperationTool> {
  return inMap(made, contract, () => {
    const operations = [...contract.control.values()].filter(({ tool }) => tool)
    return new Map(operations.map((it) => [it.tool?.name ?? it.id, toolOf(contract, it)]))
  })
}

/** Parameters and body fields are both arguments. A body that may have any fields is one argument. */
function toolOf({ documents }: Contract, operation: Operation): OperationTool {
  const { id, summary, method, input, responses, isReading, tool = {} } = operation
  const { name = id, about = summary, destructive = destroys.has(method), arguments: shown } = tool
  const { path = {}, query = {} } = input
  const body = schemaOf(documents, input.body)
  const isWhole = input.body !== undefined && body.additionalProperties !== false
  const from = { path, query, ...(isWhole ? { whole: { properties: { body: input.body as JsonObject } } } : { body }) }
  const fields = Object.entries(from).flatMap(([part, { properties = {} }]) =>
    Object.entries(properties as JsonObject).map(([name, schema]) => ({ part: part as 'path', name, schema }))
  )
  const required = Object.values(from).flatMap((it) => ('required' in it ? (it.required as string[]) : []))
  const seen = fields.filter((it) => shown?.includes(it.name) ?? true)
  const properties = Object.fromEntries(seen.map(({ name, schema }) => [name, argument(documents, schema)]))
  const { required: always } = schemaOf(documents, responses['200']?.schema)
  const described = {
    name,
    description: about,
    inputSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
    outputSchema: { type: 'object', ...(always && { required: always }) },
    annotations: {
      ...(isReading ? { readOnlyHint: true } : { destructiveHint: destructive }),
      ...(idempotent.has(method) && { idempotentHint: true })
    }
  }
  return { tool: described as Tool, operation, parts: new Map(fields.map(({ name, part }) => [name, part])) }
}

const destroys = new Set(['DELETE', 'PUT'])
const idempotent = new Set(['PUT', 'DELETE'])

/**
 * The schema of an argument, as short as possible, because agents pay for each character: the type, the values, and the first
 * sentence of the description. The contract checks the whole, and its errors name the field and the valid values.
 */
function argument(documents: Documents, given: Json): JsonObject {
  const { type, description, enum: values } = schemaOf(documents, given)
  const [about] = /^.+?[.:](?= |$)/.exec(String(description ?? '')) ?? ['']
  const few = Array.isArray(values) && values.length <= 8 && { enum: values }
  return { ...(type && { type }), ...few, ...(about.length > 12 && { description: about.slice(0, -1) }) }
}

/** The arguments as the parts of a request. Throws an Invalid that names an unknown argument and the known ones. */
export function inputOf({ parts }: OperationTool, given: Record<string, unknown>): RawInput {
  const input = { path: {}, query: {}, body: {} }
  for (const [name, value] of Object.entries(given)) {
    const part = parts.get(name)
    if (!part) throw invalid(['arguments', name], 'This is not known here.', [...parts.keys()])
    if (part === 'whole') Object.assign(input, { body: value })
    else if (part === 'body') Object.assign(input.body, { [name]: value })
    // Some agents send null for fields that they leave out.
    else if (value !== null) Object.assign(input[part], { [name]: String(value) })
  }
  return input
}
