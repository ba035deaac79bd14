import { writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkMockOptions } from './check-options.js'
import { packageVersion } from './contract/load.js'
import { dataOptions } from './data.js'
import { createHttpServer } from './http/connection.js'
import type { ConnectionOptions } from './http/connection-limits.js'
import { createDrain } from './http/drain.js'
import { isLoopback } from './http/host.js'
import type { UploadBudget } from './http/upload-budget.js'
import { createLog, type Log, type LogForm } from './log.js'
import type { Sandboxes } from './mock/sandboxes.js'
import { createMock, type Mock } from './mock.js'
import type { MockOptions } from './mock-options.js'
import type { ForwardOptions } from './proxy/forward.js'
import { withPublicDefaults } from './public.js'
import { Edge } from './store/edge.js'
import type { SyncMode } from './store/log.js'
import { watchDefinitions } from './watch/watch.js'

/** The options of `serve`. */
export interface ServerOptions extends MockOptions, ConnectionOptions {
  /** 0: any free port. Default 4010. */
  port?: number
  /** The address to listen on. Default 127.0.0.1: this machine only. */
  host?: string
  /** Take up contracts, assumptions and fixtures that change on disk. Default false. */
  watch?: boolean
  /** Gets a line for every reload: what was taken up, or where a file is broken. Default: they go to stderr. */
  onReload?: (line: string) => void
  /** A folder that keeps the state. Default: none, memory only. */
  data?: string
  /** When what was written there is forced onto the disk. Default: within a second. A kill loses nothing in any case. */
  sync?: SyncMode
  /** A real service that answers instead of the rules: the mock is then a proxy before it. */
  upstream?: ForwardOptions
  /** A file that gets the port once requests are accepted. */
  portFile?: string
  /**
   * What it tells on stderr: requests that went wrong, or every request as a line of JSON. `onExchange`, `onProblem` and
   * `onReload` take the place of that. Default: nothing of requests.
   */
  log?: LogForm
  /** How many seconds `close()` waits for what is being answered. Default 1; of the command line 8. */
  shutdownTimeout?: number
}

/** A mock that listens. */
export interface RunningMock extends Mock {
  sandboxes: Sandboxes
  /** What the bodies of all requests hold. */
  uploads: UploadBudget
  /** Its base address, such as http://127.0.0.1:4010. */
  url: string
  /** Takes no more requests, finishes what it answers, writes what is to be kept, and closes. */
  close(): Promise<void>
}

/**
 * Starts a mock on a port. Rejects with an Error that names the good values when an option is wrong, and with the
 * listener's own error (EADDRINUSE, EADDRNOTAVAIL) when it cannot listen.
 */
export async function startMock(given: ServerOptions = {}): Promise<RunningMock> {
  checkMockOptions(given)
  const options = withPublicDefaults({ ...(given.log && toldBy(createLog(given.log))), ...given })
  const {
    port = 4010,
    host = '127.0.0.1',
    data,
    portFile,
    sync = 'second',
    watch = false,
    onReload = console.error,
    onProblem = console.error,
    shutdownTimeout = 1
  } = options
  if (!(Number.isInteger(port) && port >= 0 && port <= 65535)) {
    throw new Error(`port is ${port}: give a whole number from 1 to 65535, or 0 for any free one.`)
  }
  if (!(shutdownTimeout >= 0)) throw new Error(`shutdownTimeout is ${shutdownTimeout}: give a number from 0.`)
  const edge =
    data === undefined ? Edge.inMemory() : await Edge.inFolder(dataOptions(options, data, sync, packageVersion()))
  let url = ''
  let isReady = true
  const mock = createMock(options, {
    edge,
    isExposed: !isLoopback(host),
    url: () => url,
    isReady: () => isReady,
    upstream: options.upstream
  })
  const server = createHttpServer(options, mock.listener)
  const drain = createDrain(server)
  const watching = watch ? watchDefinitions(mock, options, onReload) : undefined
  try {
    await listen(server, port, host)
    // A connection that could not be accepted: there may be too many open files.
    server.on('error', ({ message }) => onProblem(`a connection was not accepted: ${message}`))
    const address = server.address() as AddressInfo
    url = addressOf(address)
    if (portFile) writeFileSync(portFile, `${address.port}\n`)
  } catch (error) {
    server.close()
    watching?.close()
    await edge.close()
    throw error
  }
  return {
    get app() {
      return mock.app
    },
    listener: mock.listener,
    sandbox: mock.sandbox,
    sandboxes: mock.sandboxes,
    uploads: mock.uploads,
    reset: mock.reset,
    url,
    async close() {
      isReady = false
      watching?.close()
      mock.sandboxes.close()
      await drain(shutdownTimeout * 1000)
      mock.release()
      await edge.close()
    }
  }
}

function toldBy(log: Log): Pick<ServerOptions, 'onExchange' | 'onProblem' | 'onReload'> {
  return { onExchange: log.exchange, onProblem: log.problem, onReload: log.message }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
