import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers'
import { guarded, onSocket } from '../../serve/message/contain.js'

/**
 * Follows a server's connections, so that it can be closed without breaking off an answer. What is returned takes no
 * more connections, ends each that is open after the answer that it waits for, and resolves when all are closed; what
 * is not answered after `patience` milliseconds is broken off.
 */
export function createDrain(server: Server): (patience: number) => Promise<void> {
  /** The last answer of each connection: it is given when all before it are. */
  const last = new Map<Socket, ServerResponse | undefined>()
  let isDraining = false

  const follow = guarded(
    (_, socket) => void socket.destroy(),
    (socket: Socket) => {
      last.set(socket, undefined)
      const forget = onSocket(socket, () => void last.delete(socket))
      socket.once('close', forget)
    }
  )
  const note = guarded(
    (_, { socket }) => void socket.destroy(),
    ({ socket }: IncomingMessage, response: ServerResponse) => {
      last.set(socket, response)
      if (isDraining) endAfter(response)
    }
  )
  server.on('connection', follow)
  server.prependListener('request', note)

  const endAfter = (response: ServerResponse): void => {
    // Else it is too late to say so: the client learns it when the connection, idle again, is closed.
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }

  return (patience) => {
    isDraining = true
    return new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), patience).unref()
      const watch = setInterval(() => server.closeIdleConnections(), pause)
      server.close(() => {
        clearTimeout(timer)
        clearInterval(watch)
        resolve()
      })
      for (const [socket, response] of last) {
        if (response && !response.writableFinished) endAfter(response)
        // Nothing was asked on it, and its client may never do so.
        else if (!response && socket.bytesRead === 0) socket.destroy()
      }
      server.closeIdleConnections()
    })
  }
}

/** Milliseconds between two looks for connections that have become idle. */
const pause = 20
