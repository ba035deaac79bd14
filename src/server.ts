import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { packageVersion } from './contract/load.js'
import { dataOptions } from './data.js'
import { createHttpServer } from './http/connection.js'
import type { ConnectionOptions } from './http/connection-limits.js'
import { isLoopback } from './http/host.js'
import { createMock, type MockOptions, type OpenMock } from './mock.js'
import { Edge } from './store/edge.js'
import type { SyncMode } from './store/log.js'

/** The options of `serve`. */
export interface ServerOptions extends MockOptions, ConnectionOptions {
  /** 0: any free port. Default 4010. */
  port?: number
  /** The address to listen on. Default 127.0.0.1: this machine only. */
  host?: string
  /** A folder that keeps the state. Default: none, memory only. */
  data?: string
  /** When what was written there is forced onto the disk. Default: within a second. A kill loses nothing in any case. */
  sync?: SyncMode
}

/** A mock that listens. */
export interface RunningMock extends OpenMock {
  /** Its base address, such as http://127.0.0.1:4010. */
  url: string
  /** Ends open connections, writes what is to be kept, and closes. */
  close(): Promise<void>
}

/**
 * Starts a mock on a port. Rejects with an Error that names the good values when an option is wrong, and with the
 * listener's own error (EADDRINUSE, EADDRNOTAVAIL) when it cannot listen.
 */
export async function startMock(options: ServerOptions = {}): Promise<RunningMock> {
  const { port = 4010, host = '127.0.0.1', data, sync = 'second' } = options
  const edge =
    data === undefined ? Edge.inMemory() : await Edge.inFolder(dataOptions(options, data, sync, packageVersion()))
  const mock = createMock(options, { edge, isExposed: !isLoopback(host) })
  const server = createHttpServer(options, mock.listener)
  await listen(server, port, host)
  return {
    get app() {
      return mock.app
    },
    listener: mock.listener,
    sandboxes: mock.sandboxes,
    reset: mock.reset,
    url: addressOf(server.address() as AddressInfo),
    async close() {
      mock.sandboxes.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 1000).unref()
      })
      await edge.close()
    }
  }
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
