import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onSocket } from '../../serve/message/contain.js'

/** The callbacks of each connection, so that one listener serves all of its requests. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls back once, when a request has its answer or its connection has gone. A pipelined answer that waits for earlier
 * ones gets no such event from node. Returns a function that stops waiting.
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
