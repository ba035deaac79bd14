import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { Command } from 'commander'
import type { JournalEntry } from '../../engine/contract/types.gen.js'
import { faultIn } from '../../engine/journal/recorded.js'
import { toHaveNoViolations } from '../../tools/matchers/no-violations.js'
import { addOptions } from '../options/command-line.js'
import { flag } from '../options/kinds.js'
import type { Settled, Table } from '../options/option.js'
import { type ServerOptions, serveTable } from '../options/table.js'
import { createLog } from '../program/log.js'
import { type OpenServer, startMock } from '../program/server.js'

export const execTable = {
  noViolations: {
    is: flag,
    default: false,
    help: 'exit with 1 if a request did not keep to the contract, in any sandbox'
  }
} as const satisfies Table

/** The exit codes of a shell for a command that is not there, and for one that may not be run. */
const notFound = 127
const notExecutable = 126

/**
 * `exec`: starts a mock on a free port, runs a command with its address in MOCK_URL, and stops the mock. Exits as the command
 * did, with 1 if it passed and `--no-violations` found some, and with 2 if the mock cannot start.
 */
export function execCommand(): Command {
  return addOptions(addOptions(new Command('exec'), serveTable), execTable)
    .description('start a mock on a free port, run a command with its address in MOCK_URL, and stop the mock')
    .argument('<command...>', 'the command with its arguments, after --')
    .action(async (words: string[], settings: ServerOptions & Settled<typeof execTable>, command: Command) => {
      const { noViolations, ...options } = settings
      // A port of the environment is that of another mock.
      const port = command.getOptionValueSource('port') === 'cli' ? options.port : 0
      const log = command.getOptionValueSource('log') === 'default' ? 'silent' : (options.log ?? 'silent')
      const { exchange } = createLog(log)
      let faults = 0
      const onExchange = (entry: JournalEntry) => {
        if (faultIn(entry)) faults += 1
        exchange(entry)
      }
      const mock = await startMock({ ...options, port, log, onExchange })
      const code = await run(words, mock)
      const isBroken = noViolations && faults > 0
      if (isBroken) console.error(reportOf(mock, faults))
      await mock.close()
      process.exit(code === 0 && isBroken ? 1 : code)
    })
}

/** The requests that did not keep to the contract. A test may have reset or dropped the sandbox of some. */
function reportOf(mock: OpenServer, faults: number): string {
  const { pass, message } = toHaveNoViolations(mock)
  if (!pass) return message()
  return `${faults === 1 ? '1 request' : `${faults} requests`} did not keep to the contract, in sandboxes that were reset or dropped since.`
}

/** Runs a command to its end, and resolves to its exit code. Signals go to the command, and the mock stops after it. */
function run([name = '', ...args]: string[], { url }: OpenServer): Promise<number> {
  const child = spawn(name, args, {
    stdio: 'inherit',
    env: { ...process.env, MOCK_URL: url },
    // On Windows npm is a script, which only a shell starts.
    shell: process.platform === 'win32'
  })
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    // A terminal sends SIGINT to both.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)))
  }
  return new Promise((resolve) => {
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      console.error(`error: ${code === 'ENOENT' ? `there is no command "${name}"` : message}`)
      resolve(code === 'ENOENT' ? notFound : notExecutable)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal as NodeJS.Signals]))
  })
}
