import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageRoot } from '../../src/engine/contract/load.js'

// The SDK is loaded without its types: an optional peer may be missing where types are checked.
const load = createRequire(import.meta.url)
const { Client: McpClient } = load('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js')
const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js')

/** An agent: the SDK's own client. */
export interface Agent {
  sandbox: string
  instructions: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  tools(): Promise<any[]>
  /** The result of a tool. Throws its text if the tool failed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  use(tool: string, given?: object): Promise<any>
  /** The text of a tool that fails. */
  fails(tool: string, given?: object): Promise<string>
  /** Ends the session, if the transport has one. */
  leave(): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own
  transport: any
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own
  client: any
}

const open = new Set<Agent>()
afterAll(() => Promise.all([...open].map((agent) => agent.client.close())))

/** One that starts the mock itself. */
export function stdioAgent(args: string[] = [], env: Record<string, string> = {}): Promise<Agent> {
  const main = join(packageRoot(), 'dist/main.js')
  return connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, 'mcp', '--log', 'silent', ...args],
      env: { ...(process.env as Record<string, string>), NODE_OPTIONS: '', ...env },
      stderr: 'ignore'
    })
  )
}

/** One that talks to a mock that runs. */
export function httpAgent(url: string, headers: Record<string, string> = {}, options: object = {}): Promise<Agent> {
  const address = new URL('/__mock/mcp', url)
  return connected(new StreamableHTTPClientTransport(address, { requestInit: { headers }, ...options }))
}

async function connected(transport: Agent['transport']): Promise<Agent> {
  const client = new McpClient({ name: 'test', version: '1' })
  await client.connect(transport)
  const instructions: string = client.getInstructions()
  const ask = async (name: string, given: object) => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    return { text: content[0].text as string, isError: isError === true }
  }
  const agent: Agent = {
    sandbox: /mcp-[0-9a-f-]{36}/.exec(instructions)?.[0] ?? 'none',
    instructions,
    tools: async () => (await client.listTools()).tools,
    async use(name, given = {}) {
      const { text, isError } = await ask(name, given)
      if (isError) throw new Error(text)
      return JSON.parse(text)
    },
    async fails(name, given = {}) {
      const { text, isError } = await ask(name, given)
      if (!isError) throw new Error(`it did not fail: ${text}`)
      return text
    },
    async leave() {
      await transport.terminateSession?.()
      await client.close()
    },
    transport,
    client
  }
  open.add(agent)
  return agent
}
