import { constants } from 'node:os'
import type { Command } from 'commander'
import { DataError } from '../../mock/persistence/edge.js'
import type { ServerOptions } from '../options/table.js'
import { createLog, type Log } from '../program/log.js'
import type { RunningMock } from '../program/open-mock.js'
import { type OpenServer, startMock } from '../program/server.js'

/** Listens until SIGINT or SIGTERM and then exits with 0. Exits with 2 on a wrong option and 3 if it cannot listen. */
export async function listen(
  options: ServerOptions,
  command: Command,
  hints: (url: string) => string[],
  start?: Start<Listener>
): Promise<void> {
  const { mock, log } = await started<Listener>(options, command, start ?? ((given) => startMock(given)))
  process.stdout.write(`ready ${mock.url}\n`)
  log.turn(`ready ${mock.url}`)
  log.hints(hints(mock.url))
}

type Listener = Pick<RunningMock, 'url' | 'close'>
type Start<Mock> = (options: ServerOptions, log: Log) => Promise<Mock>

/** A mock that listens, until a signal or `stop`. */
export async function started<Mock extends Listener = OpenServer>(
  options: ServerOptions,
  command: Command,
  start: Start<Mock>
): Promise<{ mock: Mock; log: Log; stop: (why: string) => Promise<void> }> {
  const log = createLog(options.log ?? 'info')
  const mock = await start(options, log).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof DataError) {
      console.error(`error: ${error.message}`)
      return process.exit(2)
    }
    if (!['listen', 'getaddrinfo'].includes(error.syscall ?? ''))
      return command.error(`error: ${error.message}`, { exitCode: 2 })
    console.error(`error: ${cannotListen(error, options)}`)
    return process.exit(3)
  })
  return { mock, log, stop: stopOnSignals(mock, log) }
}

/** The first signal lets requests in progress finish. The second one exits at once. */
function stopOnSignals(mock: Listener, log: Log): (why: string) => Promise<void> {
  let isStopping = false
  const stop = async (why: string): Promise<void> => {
    if (isStopping) process.exit(128 + (constants.signals[why as NodeJS.Signals] ?? 0))
    isStopping = true
    log.turn(`${why}: finishes the requests in progress`)
    await mock.close()
    log.turn('stopped')
    process.exit(0)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return stop
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: ServerOptions): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} is taken. Give another with --port, or --port 0 for any free one.`
  return `cannot listen on ${host}:${port}: ${error.message}`
}
