import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { clearInterval, setInterval } from 'node:timers'
import { onSocket } from '../../serve/message/contain.js'

/** How long a connection that was given up is still read. */
export interface Linger {
  bytes: number
  milliseconds: number
}

export const standardLinger: Linger = { bytes: 128 * 1024 * 1024, milliseconds: 10_000 }

const limits = new WeakMap<Socket, Linger>()
const ending = new WeakSet<Socket>()
const ignored = new WeakMap<Socket, number>()
const mostIgnored = 1000

export function limitLinger(socket: Socket, limit: Linger): void {
  limits.set(socket, limit)
}

/** Notes that nothing more on a connection is a request (RFC 9112, 9.6). */
export function giveUp(socket: Socket): void {
  ending.add(socket)
}

export function isGivenUp(socket: Socket): boolean {
  return ending.has(socket)
}

/** Passes over what follows on a connection that was given up, up to a number: each takes room. */
export function ignoreRequest(socket: Socket): void {
  const count = (ignored.get(socket) ?? 0) + 1
  ignored.set(socket, count)
  if (count > mostIgnored) socket.destroy()
}

/**
 * Waits while a client writes on, within the limits of its connection, which somebody else reads; then calls `end`. To
 * close at once would reset the connection, and a client that writes to its end before it reads would never see the
 * answer. Returns what ends the waiting early.
 */
export function linger(socket: Socket, end: () => void): () => void {
  const { bytes, milliseconds } = limits.get(socket) ?? standardLinger
  const most = socket.bytesRead + bytes
  const latest = performance.now() + milliseconds
  const stop = onSocket(socket, () => {
    clearInterval(watch)
    end()
  })
  const look = onSocket(socket, () => {
    if (socket.bytesRead > most || performance.now() > latest) stop()
  })
  const watch = setInterval(look, Math.min(pause, milliseconds)).unref()
  return stop
}

/** Milliseconds between two looks at what came. */
const pause = 50
