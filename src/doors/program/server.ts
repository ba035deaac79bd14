import { writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { packageVersion } from '../../contract/load.js'
import { Edge } from '../../mock/persistence/edge.js'
import { Folder } from '../../mock/persistence/folder.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import type { UploadBudget } from '../../serve/body/upload-budget.js'
import { isLoopback } from '../../serve/message/host.js'
import { createHttpServer } from '../listener/connection.js'
import { createDrain } from '../listener/drain.js'
import type { Agents } from '../mcp/agents.js'
import { pick, settle } from '../options/settle.js'
import { mockTable, type ServerOptions, serveTable } from '../options/table.js'
import { isEngine } from '../replicas/address.js'
import { watchFile } from '../watch/file.js'
import { watchDefinitions } from '../watch/watch.js'
import { loadAll } from '../with/modules.js'
import { modulesOf } from '../with/with.js'
import { stateOptions } from './data.js'
import { createLog, type Log } from './log.js'
import { createMock, type Mock } from './mock.js'
import { isScenarioFile } from './scenarios/files.js'

/** A mock that listens. */
export interface RunningMock extends Mock {
  /** Its base address, such as http://127.0.0.1:4010. */
  url: string
  /** Accepts no more requests, finishes those in progress, saves the state and closes. */
  close(): Promise<void>
}

/** A running mock with its internals. */
export interface OpenServer extends RunningMock {
  sandboxes: Sandboxes
  agents: Agents
  /** The memory of all request bodies. */
  uploads: UploadBudget
}

/**
 * Starts a mock on a port. Rejects with an Error that names the good values if an option is wrong, and with the
 * listener's error (EADDRINUSE, EADDRNOTAVAIL) if it cannot listen.
 */
export async function startMock(given: ServerOptions = {}): Promise<OpenServer> {
  const settled = settle(serveTable, given)
  const options = { ...(settled.log && toldBy(createLog(settled.log))), ...settled }
  const { port, host, data, portFile, onReload = console.error, onProblem = console.error } = options
  const load = await loadAll(modulesOf(options.with))
  const joined =
    data !== undefined && isEngine(data)
      ? await (await import('../replicas/cluster.js')).join(
          data,
          options,
          stateOptions(options, packageVersion(), load)
        )
      : undefined
  const edge =
    joined?.replicas.edge ??
    (data === undefined
      ? Edge.inMemory()
      : await Edge.keptIn(
          () => Folder.open(data, options.onProblem ?? console.error),
          stateOptions(options, packageVersion(), load)
        ))
  let url = ''
  let isReady = true
  const mock = createMock(pick(mockTable, options), {
    edge,
    isExposed: !isLoopback(host),
    url: () => url,
    isReady: () => isReady,
    upstream: options.upstream,
    joined: joined?.around,
    load
  })
  const server = createHttpServer(options, mock.listener, joined !== undefined)
  const drain = createDrain(server)
  const watching = options.watch ? [watchDefinitions(mock, options, onReload)] : []
  const { overrides, scenario } = options
  if (options.watch && overrides !== undefined) {
    const takeUp = () => `overrides: ${mock.takeUpOverrides()}`
    watching.push(watchFile({ file: overrides, what: 'overrides', takeUp, tell: onReload }))
  }
  if (options.watch && scenario !== undefined && isScenarioFile(scenario)) {
    const takeUp = () => mock.playStartAgain().then(() => 'played again')
    watching.push(watchFile({ file: scenario, what: 'scenario', takeUp, tell: onReload }))
  }
  try {
    await mock.ready
    await listen(server, port, host)
    // A connection could not be accepted, perhaps because too many files are open.
    server.on('error', ({ message }) => onProblem(`a connection was not accepted: ${message}`))
    const address = server.address() as AddressInfo
    url = addressOf(address)
    await joined?.begin(url)
    if (portFile) writePort(portFile, address.port)
  } catch (error) {
    server.close()
    for (const it of watching) it.close()
    await edge.close()
    await joined?.close()
    throw error
  }
  return {
    get app() {
      return mock.app
    },
    listener: mock.listener,
    fetch: mock.fetch,
    sandbox: mock.sandbox,
    sandboxes: mock.sandboxes,
    agents: mock.agents,
    uploads: mock.uploads,
    ready: mock.ready,
    reset: mock.reset,
    url,
    async close() {
      isReady = false
      for (const it of watching) it.close()
      // The others take over at once, while this process finishes what it has begun.
      await joined?.replicas.drain()
      await mock.close(() => drain(options.shutdownTimeout * 1000))
      await joined?.close()
    }
  }
}

function toldBy(log: Log): Pick<ServerOptions, 'onExchange' | 'onProblem' | 'onReload'> {
  return { onExchange: log.exchange, onProblem: log.problem, onReload: log.message }
}

function writePort(file: string, port: number): void {
  try {
    writeFileSync(file, `${port}\n`)
  } catch (error) {
    throw new Error(`portFile (--port-file) cannot be written: ${(error as Error).message}`)
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') error.message += '. Give another port, or port: 0 for any free one.'
      reject(error)
    }
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
