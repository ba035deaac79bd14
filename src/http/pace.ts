import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onSocket } from './contain.js'

/**
 * Stops reading a connection while `most` of its requests wait for their answers. What came with them in one read, 64 KiB
 * at most, waits too.
 */
export function createPace(most: number): (request: IncomingMessage, response: ServerResponse) => void {
  const unanswered = new WeakMap<Socket, number>()
  const countOf = (socket: Socket) => unanswered.get(socket) ?? 0

  // Node goes on reading when it reads a body, and after each answer.
  const hold = (socket: Socket) => {
    if (countOf(socket) < most) return
    // Only one that flows can be paused.
    if (socket.isPaused()) socket.resume()
    else socket.pause()
  }

  return ({ socket }, response) => {
    if (!unanswered.has(socket)) {
      const holdAgain = onSocket(socket, () => hold(socket))
      socket.on('resume', holdAgain)
    }
    const count = countOf(socket) + 1
    unanswered.set(socket, count)
    const answered = onSocket(socket, () => {
      const left = countOf(socket) - 1
      unanswered.set(socket, left)
      if (left === most - 1) socket.resume()
    })
    response.once('close', answered)
    if (count === most) hold(socket)
  }
}
