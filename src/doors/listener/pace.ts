import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, setInterval } from 'node:timers'
import { onSocket } from '../../serve/message/contain.js'

/** Requests of all connections together that may wait for their turn: each takes room. */
const mostWaiting = 100_000
/** Reads of one connection that may come while it is held and has no answer: 64 KiB each. */
const mostPeeks = 16
/** Milliseconds between two looks at the connections that are held. */
const pause = 1000

interface Line {
  /** For the end of each answer. */
  answered: () => void
  /** Requests that were started and are not answered. */
  started: number
  /** Starts of requests that wait for their turn. */
  waiting: (() => void)[]
  last: IncomingMessage
  isPeeking: boolean
  peeks: number
  bytesRead: number
}

/**
 * Has `most` requests of a connection in progress, and stops reading it until one of them has its answer. Requests of the
 * read that was under way wait for their turn. A connection that is not read does not tell that its client has left, so
 * a held one is read once a second.
 */
export function createPace(
  most: number
): (request: IncomingMessage, response: ServerResponse, start: () => void) => void {
  const lines = new Map<Socket, Line>()
  let waiting = 0
  let timer: NodeJS.Timeout | undefined

  // Node goes on reading when it reads a body, and after each answer.
  const hold = (socket: Socket, line: Line) => {
    if (line.started < most) return
    // Only one that flows can be paused.
    if (socket.isPaused()) socket.resume()
    else socket.pause()
  }

  const peek = (socket: Socket, line: Line) => {
    const isHeld = line.started >= most
    // A body in progress is read as fast as it is taken.
    if (!isHeld && (!socket.isPaused() || line.started === 0 || !line.last.complete)) return
    if (line.isPeeking && socket.bytesRead > line.bytesRead) line.peeks += 1
    if (line.peeks > mostPeeks) return void socket.destroy()
    line.bytesRead = socket.bytesRead
    line.isPeeking = true
    // It reads once where the connection is paused, whoever paused it.
    socket._read(0)
  }

  const lineOf = (request: IncomingMessage): Line => {
    const { socket } = request
    const known = lines.get(socket)
    if (known) return known
    const answered = onSocket(socket, () => {
      line.started -= 1
      line.peeks = 0
      if (socket.destroyed) return
      const next = line.waiting.shift()
      if (next) {
        waiting -= 1
        next()
      } else if (line.started === most - 1) socket.resume()
    })
    const line: Line = { answered, started: 0, waiting: [], last: request, isPeeking: false, peeks: 0, bytesRead: 0 }
    const holdAgain = onSocket(socket, () => hold(socket, line))
    socket.on('resume', holdAgain)
    const forget = onSocket(socket, () => {
      waiting -= line.waiting.length
      line.waiting.length = 0
      lines.delete(socket)
      if (lines.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
    socket.once('close', forget)
    lines.set(socket, line)
    timer ??= setInterval(() => {
      for (const [held, its] of lines) onSocket(held, () => peek(held, its))()
    }, pause).unref()
    return line
  }

  return (request, response, start) => {
    const { socket } = request
    if (socket.destroyed) return
    const line = lineOf(request)
    line.last = request
    if (line.isPeeking) {
      line.isPeeking = false
      line.peeks += 1
      if (socket.isPaused()) socket.resume()
    }
    if (line.started < most) {
      line.started += 1
      response.once('close', line.answered)
      start()
      if (line.started === most) hold(socket, line)
    } else if (waiting >= mostWaiting) socket.destroy()
    else {
      waiting += 1
      const begin = onSocket(socket, () => {
        line.started += 1
        response.once('close', line.answered)
        // Its body may have broken off while it waited.
        if (!response.writableEnded) start()
      })
      line.waiting.push(begin)
    }
  }
}
