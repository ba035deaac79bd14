import events from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { once } from '../../engine/contract/once.js'
import type { JournalEntry } from '../../engine/contract/types.gen.js'
import { isUnknown, nearMisses } from '../../engine/journal/near-misses.js'
import { Edge } from '../../engine/keep/edge.js'
import { Folder } from '../../engine/keep/folder.js'
import type { Edition } from '../../engine/ledger/edition.js'
import { isLoopback } from '../../engine/serve/message/caller.js'
import { createForward } from '../../tools/proxy/forward.js'
import { createHttpServer } from '../listener/connection.js'
import { type MockOptions, mockTable } from '../options/mock-table.js'
import { pick, settle } from '../options/option.js'
import { type ServerOptions, serveTable } from '../options/table.js'
import { watchFiles } from '../watch/watch.js'
import { loadAll } from '../with/modules.js'
import { modulesOf } from '../with/with.js'
import { stateOptions } from './data.js'
import { joinProcesses } from './join-processes.js'
import { createLog } from './log.js'
import { createMock } from './mock.js'
import type { OpenMock, RunningMock } from './open-mock.js'
import { isStateFile, StateFile } from './state-file.js'

/** A running mock with its internals. */
export interface OpenServer extends OpenMock, RunningMock {
  close(): Promise<void>
  /** The first step of `close`: it is no longer ready, others take over, and each connection ends after its answer. */
  leave(): Promise<void>
}

/**
 * Starts a mock on a port. Rejects with an Error that names the valid values if an option is wrong, and with the listener's
 * error (EADDRINUSE, EADDRNOTAVAIL) if it cannot listen.
 */
export async function startMock(input: ServerOptions = {}): Promise<OpenServer> {
  const settled = settle(serveTable, input)
  const nearest = (entry: JournalEntry) => nearestIn(mock.edition, entry)
  const log = settled.log && createLog(settled.log, nearest)
  const options = {
    ...(log && { onExchange: log.exchange, onProblem: log.problem, onReload: log.message }),
    ...settled
  }
  const { port, host, data, portFile, upstream, onReload = console.error, onProblem = console.error } = options
  const load = await loadAll(modulesOf(options.with, options.api))
  const state = once(() => stateOptions(options, load))
  const joined = await joinProcesses(options, state)
  const file = isStateFile(data) ? new StateFile(data) : undefined
  if (file && options.public)
    throw new Error('data (--data) is a file, which is written whole at each change: give a public mock a folder.')
  const keptIn = (folder: string) => Edge.keptIn(() => Folder.open(folder, onProblem), state())
  const alone = () => (file || data === undefined ? new Edge(file) : keptIn(data))
  const edge = joined?.edge ?? (await alone())
  let url = ''
  let isLeaving = false
  // It answers the calls of the sandbox `shadow`, as if there were no service.
  const follower = upstream?.shadow && createMock(shadowOptions(pick(mockTable, options)), { edge, load })
  const shadow = follower && upstream?.shadow?.(follower)
  const mock = createMock(pick(mockTable, options), {
    edge,
    isExposed: !isLoopback(host),
    url: () => url,
    problem: () => (isLeaving ? 'it is shutting down' : joined?.problem()),
    upstream: upstream && ((ledger) => createForward(upstream, ledger, shadow)),
    realTime: joined?.realTime,
    joined,
    load
  })
  // Their mistakes stop the start, not the first request.
  if (!upstream) for (const routerOf of mock.edition.extensions.routes) routerOf()
  const http = createHttpServer(options.door === 'express' ? mock.app : mock.listener, {
    maxConnections: options.maxConnections,
    hasPeers: joined !== undefined
  })
  const watching = options.watch ? watchFiles(mock, options, file, onReload) : undefined
  try {
    await mock.ready
    await file?.open(mock, edge)
    const address = await listen(http.server, port, host)
    // A connection could not be accepted, perhaps because too many files are open.
    http.server.on('error', ({ message }) => onProblem(`a connection was not accepted: ${message}`))
    url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
    await joined?.begin(url)
    if (portFile) writePort(portFile, address.port)
  } catch (error) {
    http.server.close()
    watching?.close()
    await edge.close()
    await joined?.close()
    throw error
  }
  const leave = once(async () => {
    isLeaving = true
    watching?.close()
    http.announceEnd()
    await joined?.leave()
  })
  const { close } = mock
  return Object.assign(mock, {
    url,
    leave,
    async close() {
      const delay = options.shutdownDelay * 1000
      await Promise.all([leave(), delay > 0 && setTimeout(delay)])
      await close(() => http.close(options.shutdownTimeout * 1000))
      await joined?.close()
    }
  })
}

/** Tokens of the service are not users of the mock, and its exchanges are not calls of clients. */
function shadowOptions(options: MockOptions): MockOptions {
  return { ...options, auth: 'strict', scenario: undefined, strict: false, onExchange: undefined } as MockOptions
}

/** The operation that an unknown request is nearest to, in words. */
function nearestIn({ contractOf, choices }: Edition, entry: JournalEntry): string | undefined {
  if (!isUnknown(entry)) return undefined
  const path = entry.url.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0] as string
  const [near] = nearMisses(contractOf(choices).operations.values(), entry.method, path)
  return near && `nearest: ${near.method} ${near.path} (${near.operation}): ${near.difference}`
}

function writePort(file: string, port: number): void {
  try {
    writeFileSync(file, `${port}\n`)
  } catch (error) {
    throw new Error(`portFile (--port-file) cannot be written: ${(error as Error).message}`)
  }
}

async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  server.listen(port, host)
  await events.once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') error.message += '. Give another port, or port: 0 for any free one.'
    throw error
  })
  return server.address() as AddressInfo
}
