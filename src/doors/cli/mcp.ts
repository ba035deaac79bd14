import { Command } from 'commander'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { meet } from '../mcp/agents.js'
import { loadSdk, type Sdk } from '../mcp/sdk.js'
import { addOptions } from '../options/command-line.js'
import { type ServerOptions, serveTable } from '../options/table.js'
import { started } from './serve.js'

/** Editors start it without checking which ports are free. */
const mcpTable = { ...serveTable, port: { ...serveTable.port, default: 0 } }

/** `mcp`: exits with 0 when its client leaves, otherwise like `serve`. */
export function mcpCommand(): Command {
  return addOptions(new Command('mcp'), mcpTable)
    .description('serve the mock to a coding agent, over stdin and stdout')
    .action(async (options: ServerOptions, command: Command) => {
      const { StdioServerTransport } = sdk()
      const { mock, log, stop } = await started(options, command)
      const session = await mock.agents.open(mock.url)
      const leave = async () => {
        await session.end()
        await stop('the client has gone')
      }
      process.stdin.once('end', leave)
      const transport = new StdioServerTransport()
      await meet(session.server, transport)
      session.server.onerror = ({ message }) => log.message(`a message of the client is wrong: ${message}`)
      log.hints([`mcp      ${mock.url}`, `sandbox  ${session.sandbox}`])
    })
}

function sdk(): Sdk {
  try {
    return loadSdk()
  } catch (error) {
    throw error instanceof Refusal ? new Error(String(error.values.detail)) : error
  }
}
