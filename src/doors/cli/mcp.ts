import { Transform, type Writable } from 'node:stream'
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
      const transport = new StdioServerTransport(process.stdin.pipe(bounded(process.stdout)), process.stdout)
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

/** The longest message of the protocol over stdin, in bytes. */
const most = 8 * 1024 * 1024

/** Forwards messages, one per line. One that is too long is answered with an error, and the others continue. */
export function bounded(output: Writable): Transform {
  let size = 0
  let pieces: Buffer[] = []

  const refuse = (end: Buffer): void => {
    // Clients write the id at the start or at the end.
    const ends = `${pieces[0]?.subarray(0, 200)}\n${end.subarray(-200)}`
    const id = /"id"\s*:\s*(\d+|"[\w-]+")/.exec(ends)?.[1] ?? 'null'
    const message = `The message has ${size} bytes. The most are ${most}.`
    output.write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"${message}"}}\n`)
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let rest = chunk
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const last = rest.subarray(0, end + 1)
        size += last.length
        if (size > most) refuse(last)
        else this.push(Buffer.concat([...pieces, last]))
        ;[size, pieces, rest] = [0, [], rest.subarray(end + 1)]
      }
      size += rest.length
      pieces = size > most ? pieces.slice(0, 1) : [...pieces, rest]
      done()
    }
  })
}
