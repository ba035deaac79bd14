import { constants } from 'node:os'
import type { Command } from 'commander'
import { fixtureSets } from '../../fixtures/index.js'
import { createLog, type Log, type LogForm, logForms } from '../log.js'
import { type RunningMock, type ServerOptions, startMock } from '../server.js'
import { DataError } from '../store/edge.js'
import { syncModes } from '../store/log.js'
import { connectionOptions } from './connection.js'
import {
  assumeOption,
  contractsOption,
  notNegative,
  option,
  portNumber,
  positiveNumber,
  profileOption,
  wholeNumber
} from './options.js'

/** What `serve` and `proxy` have in common. */
export interface ListenOptions extends ServerOptions {
  log: LogForm
}

/** Adds the options of what listens. */
export function withListenOptions(command: Command): Command {
  command
    .addOption(option('--port <number>', 'port to listen on; 0: any free one').argParser(portNumber).default(4010))
    .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(option('--seed <number>', 'seeds fixtures and identifiers').argParser(wholeNumber).default(1))
    .addOption(
      option('--fixtures <name>', 'the state to start from')
        .choices([...fixtureSets])
        .default('demo')
    )
    .addOption(option('--scale <number>', 'size of the fixtures "large"').argParser(positiveNumber).default(1))
    .addOption(
      option(
        '--now <time>',
        'start at this time (ISO 8601), with the clock standing still (default: the real time, running)'
      )
    )
    .addOption(profileOption())
    .addOption(assumeOption())
    .addOption(contractsOption())
    .addOption(option('--watch', 'reload contracts, assumptions and fixtures when they change on disk'))
    .addOption(option('--data <folder>', 'keep the state in this folder (default: in memory only)'))
    .addOption(
      option('--sync <when>', 'when kept state is forced onto the disk; a kill loses nothing in any case')
        .choices([...syncModes])
        .default('second')
    )
    .addOption(option('--cors-origin <origins>', 'origins that pages may call from, separated by commas').default('*'))
    .addOption(option('--allow-host <names>', 'host names to answer to, beside localhost and IP addresses'))
    .addOption(option('--control <state>', 'off: no control API').choices(['on', 'off']).default('on'))
    .addOption(
      option('--control-token <token>', 'token of the control API; needed where other machines can reach the mock')
    )
    .addOption(
      option('--max-sandboxes <number>', 'the most sandboxes at once (default: 10000; 1000 with --public)').argParser(
        positiveNumber
      )
    )
    .addOption(
      option(
        '--max-sandbox-bytes <number>',
        'bytes of rows that a sandbox may hold beside its start (default: 256 MiB; 128 KiB with --public)'
      ).argParser(notNegative)
    )
    .addOption(
      option(
        '--sandbox-idle <seconds>',
        'drop a sandbox that nobody used for so long; 0: never (default: 0; 3600 with --public)'
      ).argParser(notNegative)
    )
    .addOption(
      option(
        '--journal-entries <number>',
        "exchanges that a sandbox's journal keeps (default: 1000; 100 with --public)"
      ).argParser(positiveNumber)
    )
    .addOption(
      option(
        '--journal-bytes <number>',
        "bytes that a sandbox's journal keeps (default: 16 MiB; 256 KiB with --public)"
      ).argParser(notNegative)
    )
    .addOption(
      option('--shutdown-timeout <seconds>', 'how long to wait for requests in progress when stopping')
        .argParser(notNegative)
        .default(8)
    )
    .addOption(
      option(
        '--max-delay <milliseconds>',
        'how long Prefer: delay may hold an answer back (default: 3600000; 5000 with --public)'
      ).argParser(notNegative)
    )
    .addOption(
      option(
        '--max-upload-bytes <number>',
        'the most bytes that all bodies in progress hold together (default: 512 MiB; 64 MiB with --public)'
      ).argParser(positiveNumber)
    )
    .addOption(
      option('--max-json-values <number>', 'the most values in a JSON body').argParser(positiveNumber).default(20_000)
    )
    .addOption(option('--port-file <file>', 'write the port there once it accepts requests'))
    .addOption(
      option('--log <form>', 'info: hints, and requests that went wrong; json: every request, a line each')
        .choices([...logForms])
        .default('info')
    )
  for (const made of connectionOptions()) command.addOption(made)
  return command
}

/** Listens until SIGINT or SIGTERM, which end with 0; ends with 2 on a wrong option, with 3 when it cannot listen. */
export async function listen(
  options: ListenOptions,
  command: Command,
  hints: (url: string) => string[]
): Promise<void> {
  const log = createLog(options.log)
  const mock = await startMock(options).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof DataError) {
      console.error(`error: ${error.message}`)
      return process.exit(2)
    }
    if (error.syscall !== 'listen') return command.error(`error: ${error.message}`, { exitCode: 2 })
    console.error(`error: ${cannotListen(error, options)}`)
    return process.exit(3)
  })
  stopOnSignals(mock, log)
  process.stdout.write(`ready ${mock.url}\n`)
  log.turn(`ready ${mock.url}`)
  log.hints(hints(mock.url))
}

/** The first signal finishes what is being answered, the second ends at once. */
function stopOnSignals(mock: RunningMock, log: Log): void {
  let isStopping = false
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) process.exit(128 + constants.signals[signal])
    isStopping = true
    log.turn(`${signal}: takes no more requests, finishes what it answers`)
    await mock.close()
    log.turn('stopped')
    process.exit(0)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: ListenOptions): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} is taken. Give another with --port, or --port 0 for any free one.`
  return `cannot listen on ${host}:${port}: ${error.message}`
}
