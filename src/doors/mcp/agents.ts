import { randomUUID } from 'node:crypto'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallToolResult, JSONRPCMessage, MessageExtraInfo, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Contract } from '../../engine/contract/contract.js'
import {
  type Documents,
  isObject,
  type Json,
  type JsonObject,
  packageVersion,
  schemaOf
} from '../../engine/contract/load.js'
import { withoutSecrets } from '../../engine/contract/message/redaction.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import type { Operation, RawInput } from '../../engine/contract/model.js'
import { didYouMean } from '../../engine/contract/nearest.js'
import { inMap } from '../../engine/contract/once.js'
import type { Problem } from '../../engine/contract/types.gen.js'
import { checkedInput } from '../../engine/control/call.js'
import { invalid } from '../../engine/control/rule.js'
import { requestOfControl } from '../../engine/control/scenarios/request.js'
import { serverOf } from '../../engine/control/steps.js'
import type { Sandboxes } from '../../engine/sandbox/sandboxes.js'
import type { Exchange } from '../../engine/serve/exchange.js'
import type { Answer } from '../../engine/serve/message/message.js'
import { foreseen, ProblemError } from '../../engine/serve/problem.js'
import { native } from '../fetch.js'
import type { Ask } from '../program/scenarios/drive.js'
import { loadSdk } from './sdk.js'

/** The sessions of coding agents. Each has a sandbox, whose name is the session's id. Nothing else is stored. */
export interface Agents {
  /** Answers a message of the protocol over HTTP, or ends a session. */
  answer(exchange: Exchange): Promise<Answer>
  /** A session that does not use HTTP. `url`: the base address of the mock. Rejects with a Refusal. */
  open(url: string): Promise<{ server: Server; sandbox: string; end(): Promise<void> }>
}

export interface AgentsInside {
  /** Calls the mock, past its guards against others. */
  ask: Ask
  /** The same, but only for the sandbox that it names. */
  askBound: Ask
  contractIn: (sandbox: string) => Contract
  sandboxes: Sandboxes
  /** Milliseconds since 1970. */
  realTime: () => number
}

const prefix = 'mcp-'

const mimeType = 'application/json'
const resources = [
  ['contract', 'The OpenAPI document in force', '/__mock/openapi.json'],
  ['ledger', 'The assumptions, with their choices', '/__mock/assumptions'],
  ['journal', 'The requests, newest first', '/__mock/requests']
].map(([name = '', description, path = '']) => ({ uri: `mock://${name}`, name, description, path, mimeType }))

/** The headers that the protocol reads. */
const heard = ['accept', 'content-type', 'mcp-protocol-version']

/** A session ends after a day without use, because not every agent ends its session. In milliseconds. */
const longestPause = 24 * 60 * 60 * 1000

export function createAgents({ ask, askBound, contractIn, sandboxes, realTime }: AgentsInside): Agents {
  const drop = async (sandbox: string) => void (await ask(`/__mock/sandboxes/${sandbox}`, { method: 'DELETE' }))

  /** Rejects with a Refusal if there are too many. */
  const begin = async (): Promise<string> => {
    const since = realTime() - longestPause
    for (const { name, usedAt } of sandboxes.list()) {
      if (name.startsWith(prefix) && usedAt < since) await drop(name)
    }
    const sandbox = `${prefix}${randomUUID()}`
    const headers = { 'Content-Type': 'application/json' }
    const reply = await ask('/__mock/sandboxes', { method: 'POST', headers, body: JSON.stringify({ name: sandbox }) })
    if (!reply.ok) throw new Refusal('too-many-sandboxes', { name: sandbox, limit: sandboxes.limits.count })
    return sandbox
  }

  const serverFor = (sandbox: string, url: string): Server => {
    const { Server, ListToolsRequestSchema, CallToolRequestSchema, ...sdk } = loadSdk()
    const about = { name: 'knowledge-chat-mock', version: packageVersion() }
    const server = new Server(about, {
      capabilities: { tools: {}, resources: {} },
      instructions: instructions(sandbox, url, [...contractIn(sandbox).collections.keys()])
    })
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...toolsOf(contractIn(sandbox)).values()].map(({ tool }) => tool)
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
      callTool(contractIn(sandbox), params, askBound, { headers: { 'X-Mock-Sandbox': sandbox }, signal })
    )
    server.setRequestHandler(sdk.ListResourcesRequestSchema, () => ({
      resources: resources.map(({ path: _, ...resource }) => resource)
    }))
    server.setRequestHandler(sdk.ReadResourceRequestSchema, async ({ params: { uri } }) => {
      const resource = resources.find((it) => it.uri === uri)
      if (!resource) throw new Error(`There is no resource ${uri}. ${resources.map((it) => it.uri).join(', ')} exist.`)
      const response = await askBound(resource.path, { headers: { 'X-Mock-Sandbox': sandbox } })
      return { contents: [{ uri, mimeType, text: await response.text() }] }
    })
    return server
  }

  const sessionOf = ({ request }: Exchange): string => {
    const id = request.headers['mcp-session-id']
    if (id === undefined) throw new Refusal('session-needed')
    if (!String(id).startsWith(prefix) || !sandboxes.existing(String(id))) throw new Refusal('unknown-session', { id })
    return String(id)
  }

  return {
    async answer(exchange) {
      const { request, body } = exchange
      if (request.method === 'DELETE') {
        await drop(sessionOf(exchange))
        return { status: 200, headers: {}, body: '' }
      }
      const parsedBody = body && 'value' in body ? body.value : undefined
      const isFirst = isObject(parsedBody) && parsedBody.method === 'initialize'
      const session = isFirst ? undefined : sessionOf(exchange)
      const { WebStandardStreamableHTTPServerTransport } = loadSdk()
      const sandbox = session ?? (await begin())
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      await meet(serverFor(sandbox, serverOf(exchange)), transport)
      const { Request } = native()
      const message = new Request(serverOf(exchange), {
        method: 'POST',
        headers: Object.fromEntries(heard.map((name) => [name, request.headers[name]]).filter(([, text]) => text)),
        body: body?.text ?? ''
      })
      const end = new Promise<undefined>((resolve) => request.whenOver(() => resolve(undefined)))
      const response = await Promise.race([end, transport.handleRequest(message, { parsedBody })])
      await transport.close()
      if (isFirst && !response?.ok) await drop(sandbox)
      return {
        status: response?.status ?? 503,
        headers: {
          'Cache-Control': 'no-store',
          ...Object.fromEntries(response?.headers ?? []),
          ...(isFirst && { 'Mcp-Session-Id': sandbox })
        },
        body: (await response?.text()) ?? ''
      }
    },

    async open(url) {
      loadSdk()
      const sandbox = await begin()
      return { server: serverFor(sandbox, url), sandbox, end: () => drop(sandbox) }
    }
  }
}

function instructions(sandbox: string, url: string, collections: string[]): string {
  return [
    `You have a sandbox of a mock server, ${sandbox}: rows, clock, overrides and journal are yours alone, until you leave.`,
    `An app that you work on asks ${url} with the header X-Mock-Sandbox: ${sandbox}, or with the bearer token`,
    `admin~${sandbox}, basic~${sandbox} or that of another user. Begin with listOperations and getOperation. Arrange by`,
    'addRow, playScenario, setClock and forceAnswer. Where an answer is not what you expected, getRequest says why.',
    `Collections: ${collections.join(', ')}.`
  ].join('\n')
}

/**
 * Connects a server. Malformed calls of tools are answered here, because the SDK's own error shows its schema, and agents
 * correct themselves by the text of a result.
 */
export async function meet(server: Server, transport: Transport): Promise<void> {
  await server.connect(transport)
  const { onmessage } = transport
  transport.onmessage = <T extends JSONRPCMessage>(message: T, more?: MessageExtraInfo) => {
    const isCall = 'method' in message && message.method === 'tools/call' && 'id' in message
    const wrong = isCall ? wrongCall(message.params) : undefined
    if (!isCall || wrong === undefined) return onmessage?.(message, more)
    transport.send({ jsonrpc: '2.0', id: message.id, result: failed(wrong) }).catch(() => {})
  }
}

function wrongCall(params: Record<string, unknown> | undefined): string | undefined {
  if (typeof params?.name !== 'string') return 'The name of the tool is missing. The list of tools has all names.'
  // Some agents send null for fields that they leave out.
  if (params.arguments === null) delete params.arguments
  const { arguments: value } = params
  if (value === undefined || isObject(value)) return undefined
  return `arguments is ${JSON.stringify(value).slice(0, 100)}: give an object with the arguments by name.`
}

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
