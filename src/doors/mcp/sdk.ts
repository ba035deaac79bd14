import { lazily } from '../../engine/contract/lazy.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import type { ToolResult } from './call.js'
import type { Tool } from './tools.js'

/** The parts of a protocol message that we read. */
export interface Message {
  method?: string
  id?: string | number
  params?: Record<string, unknown>
}

/** An entry for messages of the protocol. */
export interface Transport {
  onmessage?: (message: Message, more?: unknown) => void
  send(message: object): Promise<void>
  close(): Promise<void>
}

interface HttpTransport extends Transport {
  handleRequest(request: Request, options: { parsedBody?: unknown }): Promise<Response>
}

interface Handlers {
  list: () => { tools: Tool[] }
  call: (request: ToolCall, more: { signal: AbortSignal }) => Promise<ToolResult>
}

export interface ToolCall {
  params: { name: string; arguments?: Record<string, unknown> }
}

export interface Server {
  onerror?: (error: Error) => void
  connect(transport: Transport): Promise<void>
  setRequestHandler<Name extends keyof Handlers>(schema: { of?: Name }, handler: Handlers[Name]): void
}

/** The part of the protocol's SDK that the mock uses. Users install the SDK themselves, so its types may be missing. */
export interface Sdk {
  Server: new (
    about: { name: string; version: string },
    options: { capabilities: object; instructions: string }
  ) => Server
  StdioServerTransport: new (input: NodeJS.ReadableStream, output: NodeJS.WritableStream) => Transport
  WebStandardStreamableHTTPServerTransport: new (options: { enableJsonResponse: true }) => HttpTransport
  ListToolsRequestSchema: { of?: 'list' }
  CallToolRequestSchema: { of?: 'call' }
}

const name = '@modelcontextprotocol/sdk'
const parts = ['server/index.js', 'server/stdio.js', 'server/webStandardStreamableHttp.js', 'types.js']

/** Loads the SDK when the first agent connects. Throws a Refusal that says how to install it. */
export function loadSdk(load: (module: string) => unknown = lazily): Sdk {
  try {
    return Object.assign({}, ...parts.map((part) => load(`${name}/${part}`))) as Sdk
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error
    const detail = `Agents need the package ${name} beside knowledge-chat-mock: npm install --save-dev ${name}`
    throw new Refusal('node-needed', { detail })
  }
}
