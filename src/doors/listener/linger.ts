import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { clearInterval, setInterval } from 'node:timers'
import { onSocket } from '../../engine/serve/message/contain.js'

/** How much of an abandoned connection is still read. */
export const lingerLimits = { bytes: 128 * 1024 * 1024, milliseconds: 10_000 }

const ending = new WeakSet<Socket>()
const ignored = new WeakMap<Socket, number>()
const mostIgnored = 1000

/** Marks a connection as abandoned: nothing more on it is a request (RFC 9112, 9.6). */
export function giveUp(socket: Socket): void {
  ending.add(socket)
}

export function isGivenUp(socket: Socket): boolean {
  return ending.has(socket)
}

/** Drops what follows on an abandoned connection. The number is limited, because each request takes memory. */
export function ignoreRequest(request: IncomingMessage): void {
  const { socket } = request
  // A client may read its answers only after it has written everything.
  request.resume()
  const count = (ignored.get(socket) ?? 0) + 1
  ignored.set(socket, count)
  if (count > mostIgnored) socket.destroy()
}

/**
 * Waits while a client keeps sending, within the limits, and then calls `end`. Someone else reads the
 * data. Closing at once would reset the connection, and a client that reads only after sending everything would never
 * see the answer. Returns a function that ends the wait early.
 */
export function linger(socket: Socket, end: () => void): () => void {
  const { bytes, milliseconds } = lingerLimits
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

/** Milliseconds between two checks for new data. */
const pause = 50

/**
 * Ends a connection as in RFC 9112, 9.6, whichever side ends it. Node would close it at once after its last answer. Later data
 * in the pipeline would then reset it, and lose answers that the client has not read yet. First the rest of the body is read,
 * because many clients stop writing when the other side ends.
 */
export function endSlowly(socket: Socket, unread?: IncomingMessage): void {
  let isEnding = false
  socket.destroySoon = onSocket(socket, () => {
    if (isEnding) return
    isEnding = true
    giveUp(socket)
    if (!socket.writable) return void socket.destroy()
    const stop = linger(socket, () => socket.destroy())
    socket.once('close', stop)
    const end = onSocket(socket, () => void socket.end())
    if (!unread || unread.complete) end()
    else unread.once('end', end)
    socket.resume()
  })
}
