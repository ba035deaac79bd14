import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Contract } from '../../engine/contract/contract.js'
import { type Documents, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import { withoutSecrets } from '../../engine/contract/message/redaction.js'
import type { Operation, RawInput } from '../../engine/contract/model.js'
import { didYouMean } from '../../engine/contract/nearest.js'
import { inMap } from '../../engine/contract/once.js'
import type { Problem } from '../../engine/contract/types.gen.js'
import { checkedInput } from '../../engine/control/call.js'
import { invalid } from '../../engine/control/rule.js'
import { requestOfControl } from '../../engine/control/scenarios/request.js'
import { foreseen, ProblemError } from '../../engine/serve/problem.js'
import type { Ask } from '../program/scenarios/drive.js'

interface OperationTool {
  tool: Tool
  operation: Operation
  /** The part of the request that each argument goes to. `whole`: the argument is the body. */
  parts: Map<string, 'path' | 'query' | 'body' | 'whole'>
}

const cache = new WeakMap<Contract, Map<string, OperationTool>>()

/** The tools of a contract by name: the operations of the control API that are marked as tools. */
export function toolsOf(contract: Contract): Map<string, OperationTool> {
  return inMap(cache, contract, () => {
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
  const subset = fields.filter((it) => shown?.includes(it.name) ?? true)
  const properties = Object.fromEntries(subset.map(({ name, schema }) => [name, argument(documents, schema)]))
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
function argument(documents: Documents, schema: Json): JsonObject {
  const { type, description, enum: values } = schemaOf(documents, schema)
  const [about] = /^.+?[.:](?= |$)/.exec(String(description ?? '')) ?? ['']
  const few = Array.isArray(values) && values.length <= 8 && { enum: values }
  return { ...(type && { type }), ...few, ...(about.length > 12 && { description: about.slice(0, -1) }) }
}

/** The arguments as the parts of a request. Throws an Invalid that names an unknown argument and the known ones. */
function inputOf({ parts }: OperationTool, values: Record<string, unknown>): RawInput {
  const input = { path: {}, query: {}, body: {} }
  for (const [name, value] of Object.entries(values)) {
    const part = parts.get(name)
    if (!part) throw invalid(['arguments', name], 'This is not known here.', [...parts.keys()])
    if (part === 'whole') Object.assign(input, { body: value })
    else if (part === 'body') Object.assign(input.body, { [name]: value })
    // Some agents send null for fields that they leave out.
    else if (value !== null) Object.assign(input[part], { [name]: String(value) })
  }
  return input
}

/** The longest result in characters, and how much of a longer list is shown. Agents pay for each character. */
const longest = 40_000
const enough = 10_000
/** Longer answers are not read to their end. */
const mostBytes = 64 * 1024 ** 2

/** Calls a tool through the control API. Errors are results, so that an agent reads them and corrects its call. */
export async function callTool(
  contract: Contract,
  { name, arguments: values = {} }: { name: string; arguments?: Record<string, unknown> },
  ask: Ask,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal }
): Promise<CallToolResult> {
  const tools = toolsOf(contract)
  const tool = tools.get(name)
  if (!tool) return failed(`There is no tool "${name}". ${didYouMean(name, [...tools.keys()])}`)
  const { operation } = tool
  try {
    const raw = inputOf(tool, values)
    checkedInput({ operation, contract, raw, assumed: new Set() })
    const { method, target, body } = requestOfControl(contract, operation.id, raw)
    const sent = body && 'json' in body && { body: JSON.stringify(body.json) }
    const init = { method, headers: { ...headers, 'Content-Type': 'application/json' }, signal, ...sent }
    const response = await ask(target, init)
    const text = await textOf(response)
    if (text === undefined)
      return failed(`The answer is longer than ${mostBytes} bytes: ask for less, such as by limit.`)
    const whole = JSON.parse(text)
    // A description has names of secrets, and no values of them.
    const answer = operation.id === 'getOperation' ? whole : withoutSecrets(contract, whole)
    if (!response.ok) return failed(new ProblemError(answer as Problem).message)
    // Of the ledger, the entries whose choices were changed.
    const isChanged = ({ id }: { id: string }) => Object.hasOwn(raw.body as object, id)
    const part = operation.id === 'changeAssumptions' ? { assumptions: whole.assumptions.filter(isChanged) } : answer
    const shown = shortened(part as object)
    // As structured content, and as text for clients that read no other.
    return { content: [{ type: 'text', text: JSON.stringify(shown) }], structuredContent: { ...shown } }
  } catch (error) {
    const problem = foreseen({ operation, contract }, error)
    if (!problem) throw error
    return failed(new ProblemError(problem.body).message)
  }
}

/** The body of an answer. Undefined: it is too long. */
async function textOf(response: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    pieces.push(read.value)
    size += read.value.length
    if (size <= mostBytes) continue
    await reader?.cancel()
    return undefined
  }
  return Buffer.concat(pieces).toString()
}

/** Of a list that is too long, only the first items. An answer without one has the start of its text in `cut`. */
function shortened(answer: object): object {
  const text = JSON.stringify(answer)
  if (text.length <= longest) return answer
  const [name, list] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? []
  if (name === undefined) {
    const empty = Object.fromEntries(Object.keys(answer).map((it) => [it, null]))
    return { ...empty, cut: `${text.slice(0, longest)}… This is the start of ${text.length} characters.` }
  }
  let room = enough
  const first = (list as unknown[]).filter((item) => {
    room -= JSON.stringify(item).length
    return room > 0
  })
  return { ...answer, [name]: first, cut: `${first.length} of ${list.length}: ask for less.` }
}

export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
