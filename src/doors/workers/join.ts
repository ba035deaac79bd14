import type { RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { StateOptions } from '../../mock/persistence/state-log.js'
import { createHttpServer } from '../listener/connection.js'
import type { SettledServer } from '../options/table.js'
import type { OpenMock } from '../program/open-mock.js'
import { listen } from '../program/server.js'
import { isEngine } from '../replicas/address.js'
import type { ClusterMember } from '../replicas/cluster.js'
import { joinTeam, type MemberStart } from './member.js'
import { type MessageHandlers, say } from './work.js'

/** Joins the workers of a primary. */
export async function joinWorkers(
  given: MemberStart,
  options: SettledServer,
  state: () => StateOptions,
  hearing: MessageHandlers
): Promise<ClusterMember> {
  const joined = await doorOf(given, options, state, hearing)
  /** Connections above the limit of all workers. */
  const full = new WeakSet<Socket>()
  const life = `${given.index}.${process.pid}`
  let peers: Server | undefined
  return {
    ...joined,
    isFull: (socket) => full.has(socket),
    async attach(server, mock) {
      hearing.connection = ({ id, first, isFull }, socket) => {
        say({ op: 'taken', id })
        if (!socket) return say({ op: 'closed' })
        socket.once('close', () => say({ op: 'closed' }))
        if (isFull) full.add(socket)
        takeUp(server, socket, first)
      }
      // A server that has its connections from elsewhere does not look for slow ones by itself.
      server.emit('listening')
      const { host, peer } = options
      peers = createHttpServer(unlimited(options), joined.listener(mock), { hasPeers: true })
      await listen(peers, 0, isEngine(options.data ?? '') ? host : '127.0.0.1')
      const { port } = peers.address() as AddressInfo
      const address = `http://${peer === undefined ? hostIn(peers) : new URL(peer).hostname}:${port}`
      await joined.begin(address)
      say({ op: 'ready', place: { life, address } })
    },
    allDone() {
      say({ op: 'finished' })
      return new Promise((resolve) => {
        hearing.end = resolve
      })
    },
    async close() {
      await joined.close()
      peers?.closeAllConnections()
      peers?.close()
    }
  }
}

/** What a worker needs besides its part in the others' requests. */
export interface Door extends ClusterMember {
  /** Answers the requests of the other workers. */
  listener: (mock: OpenMock) => RequestListener
}

/** Sandboxes live in one of the workers for good, or where the engine says. */
async function doorOf(
  given: MemberStart,
  options: SettledServer,
  state: () => StateOptions,
  hearing: MessageHandlers
): Promise<Door> {
  const { data, peer } = options
  if (data === undefined || !isEngine(data)) return joinTeam(given, options, state, hearing)
  const { join } = await import('../replicas/cluster.js')
  const host = peer === undefined ? options.host : new URL(peer).hostname
  const joined = await join(data, { ...options, host, peer: undefined }, state())
  return { ...joined, listener: (mock) => mock.listener }
}

function hostIn(server: Server): string {
  const { address, family } = server.address() as AddressInfo
  return family === 'IPv6' ? `[${address}]` : address
}

/** Takes up a connection of which the primary has read the beginning. */
function takeUp(server: Server, socket: Socket, first: Uint8Array | undefined): void {
  // As node's own HTTP server has it: who has sent the last request may still read.
  socket.allowHalfOpen = true
  server.emit('connection', socket)
  if (first) socket.emit('data', Buffer.from(first.buffer, first.byteOffset, first.byteLength))
}

/** The worker that passes a request on has checked it. Its own headers come on top. */
function unlimited(options: SettledServer): SettledServer {
  const { maxHeaderBytes, maxHeaders } = options
  return {
    ...options,
    maxConnections: Number.MAX_SAFE_INTEGER,
    maxHeaderBytes: maxHeaderBytes + 4096,
    maxHeaders: maxHeaders + 8,
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: 0
  }
}
