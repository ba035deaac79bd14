import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers'
import { guarded, onSocket } from '../../engine/serve/message/contain.js'

/** Closes a server without cutting off answers. */
export interface Drain {
  /** Makes each connection end after its answer. New ones are still accepted. */
  announce(): void
  /**
   * Accepts no more connections, ends each open one after its pending answer, and resolves when all are closed. After
   * `patience` milliseconds it closes the rest.
   */
  close(patience: number): Promise<void>
}

/** Tracks a server's connections. */
export function createDrain(server: Server): Drain {
  /** The latest response of each connection. It is sent after all earlier ones. */
  const last = new Map<Socket, ServerResponse | undefined>()
  let isDraining = false
  let gone = () => {}

  const follow = guarded(
    (_, socket) => void socket.destroy(),
    (socket: Socket) => {
      last.set(socket, undefined)
      const forget = onSocket(socket, () => {
        last.delete(socket)
        gone()
      })
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
    // If the headers are sent, the client notices when the idle connection is closed.
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }

  const announce = () => {
    isDraining = true
  }
  const close = (patience: number) => {
    announce()
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), patience).unref()
      const watch = setInterval(() => server.closeIdleConnections(), pause)
      let isClosed = false
      // The server does not count connections that it has from another process.
      gone = () => {
        if (!isClosed || last.size > 0) return
        clearTimeout(timer)
        clearInterval(watch)
        resolve()
      }
      server.close(() => {
        isClosed = true
        gone()
      })
      for (const [socket, response] of last) {
        if (response && !response.writableFinished) endAfter(response)
        // Nothing was sent on it, and perhaps nothing ever will be.
        else if (!response && socket.bytesRead === 0) socket.destroy()
      }
      server.closeIdleConnections()
    })
  }
  return { announce, close }
}

/** Milliseconds between two checks for idle connections. */
const pause = 20
