import { randomUUID } from 'node:crypto'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import type { Contract } from '../../engine/contract/contract.js'
import { isObject, packageVersion } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { serverOf } from '../../engine/control/steps.js'
import type { Sandboxes } from '../../engine/sandbox/sandboxes.js'
import type { Exchange } from '../../engine/serve/exchange.js'
import type { Answer } from '../../engine/serve/message/message.js'
import { native } from '../fetch.js'
import type { Ask } from '../program/scenarios/drive.js'
import { loadSdk } from './sdk.js'
import { callTool, failed, toolsOf } from './tools.js'

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
