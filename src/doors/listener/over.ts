import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onSocket } from '../../serve/message/contain.js'

/** What waits for the end of each connection: one listener serves all its requests. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls back once: when a request has its answer, or when its connection has gone. An answer that waits in a pipeline
 * for others hears nothing of that by itself. Returns what stops the waiting.
 */
export function whenOver(response: ServerResponse, callback: () => void): () => void {
  const { socket } = response.req
  let isOver = false
  const stop = () => {
    isOver = true
    response.off('close', over)
    waitingOn(socket).delete(over)
  }
  const over = onSocket(socket, () => {
    if (isOver) return
    stop()
    callback()
  })
  response.once('close', over)
  waitingOn(socket).add(over)
  if (socket.destroyed) void Promise.resolve().then(over)
  return stop
}

function waitingOn(socket: Socket): Set<() => void> {
  let all = waiting.get(socket)
  if (!all) {
    const made = new Set<() => void>()
    const close = onSocket(socket, () => {
      for (const over of [...made]) over()
    })
    socket.once('close', close)
    waiting.set(socket, made)
    all = made
  }
  return all
}
