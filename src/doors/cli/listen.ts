import { constants } from 'node:os'
import type { Command } from 'commander'
import { DataError } from '../../engine/keep/edge.js'
import type { ServerOptions } from '../options/table.js'
import { createLog, type Log } from '../program/log.js'
import { type OpenServer, startMock } from '../program/server.js'

/** Listens until SIGINT or SIGTERM and then exits with 0. Exits with 2 on a wrong option and 3 if it cannot listen. */
export async function listen(
  options: ServerOptions,
  command: Command,
  hints: (url: string) => string[]
): Promise<void> {
  const { mock, log } = await started(options, command)
  process.stdout.write(`ready ${mock.url}\n`)
  log.turn(`ready ${mock.url}`)
  log.hints(hints(mock.url))
}

/** A mock that listens, until a signal or `stop`. */
export async function started(
  options: ServerOptions,
  command: Command
): Promise<{ mock: OpenServer; log: Log; stop: (why: string) => Promise<void> }> {
  const log = createLog(options.log ?? 'info')
  const mock = await startMock(options).catch((error: NodeJS.ErrnoException) => {
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
function stopOnSignals(mock: OpenServer, log: Log): (why: string) => Promise<void> {
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
