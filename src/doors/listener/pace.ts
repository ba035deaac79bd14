import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clearInterval, setInterval } from 'node:timers'
import { onSocket } from '../../engine/serve/message/contain.js'
import { isGivenUp, lingerLimits } from './linger.js'

/** The highest number of waiting requests, over all connections. Each takes memory. */
const mostWaiting = 100_000
/** The highest number of reads (64 KiB each) while a connection is held without any answer. */
const mostPeeks = 16
/** The highest number of bytes that are not a request and arrive before an answer is complete. */
const mostDropped = 1024 * 1024
/** Milliseconds between two checks of connections. */
const pause = 1000

interface PacedConnection {
  /** Called at the end of each answer. */
  answered: () => void
  /** Requests that were started and not yet answered. */
  started: number
  waiting: (() => void)[]
  last: IncomingMessage
  isPeeking: boolean
  peeks: number
  bytesRead: number
  /** The bytes received when its last request was found to be complete. */
  complete: number | undefined
}

/**
 * Lets `most` requests of a connection run at once, and stops reading it until one of them is answered. Requests that were
 * already read wait for their turn. An unread connection does not show when its client leaves, so a held one is read every
 * `interval` milliseconds. One with answers that its client has not read yet shows it without that.
 */
export function createPace(
  most: number,
  interval = pause
): (request: IncomingMessage, response: ServerResponse, start: () => void) => void {
  const lines = new Map<Socket, PacedConnection>()
  let waiting = 0
  let timer: NodeJS.Timeout | undefined

  // Node resumes reading when a body is read, and after each answer. While answers wait for their client, node pauses a resumed
  // connection at once. So nothing is resumed here: the two would react to each other forever.
  const hold = (socket: Socket, line: PacedConnection) => {
    if (line.started >= most && !socket.isPaused()) socket.pause()
  }

  const look = (socket: Socket, line: PacedConnection) => {
    if (line.started === 0 || !line.last.complete) line.complete = undefined
    else line.complete ??= socket.bytesRead
    // Node keeps reading, and drops what it cannot use: an event stream may never end. What follows a refusal in a pipeline is
    // dropped as long as the answers before it take.
    const most = isGivenUp(socket) ? lingerLimits.bytes : mostDropped
    if (socket.bytesRead - (line.complete ?? socket.bytesRead) > most) socket.destroy()
    else peek(socket, line)
  }

  const peek = (socket: Socket, line: PacedConnection) => {
    const isHeld = line.started >= most
    // The body in progress is still being read, at the speed of its reader.
    if (!isHeld && (!socket.isPaused() || line.started === 0 || !line.last.complete)) return
    if (socket.writableLength > 0) return
    if (line.isPeeking && socket.bytesRead > line.bytesRead) line.peeks += 1
    if (line.peeks > mostPeeks) return void socket.destroy()
    line.bytesRead = socket.bytesRead
    line.isPeeking = true
    // This reads once, even if the socket is paused.
    socket._read(0)
  }

  const lineOf = (request: IncomingMessage): PacedConnection => {
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
    const line: PacedConnection = {
      answered,
      started: 0,
      waiting: [],
      last: request,
      isPeeking: false,
      peeks: 0,
      bytesRead: 0,
      complete: undefined
    }
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
      for (const [held, its] of lines) onSocket(held, () => look(held, its))()
    }, interval).unref()
    return line
  }

  return (request, response, start) => {
    const { socket } = request
    if (socket.destroyed) return
    const line = lineOf(request)
    line.last = request
    line.complete = undefined
    if (line.isPeeking) {
      line.isPeeking = false
      line.peeks += 1
      if (socket.isPaused()) socket.resume()
    }
    if (line.started < most) {
      line.started += 1
      response.once('close', line.answered)
      start()
      if (line.started < most) return
      // Only a flowing socket can be paused. One that was read once still reads, although it is not flowing.
      if (socket.isPaused()) socket.resume()
      else socket.pause()
    } else if (waiting >= mostWaiting) socket.destroy()
    else {
      waiting += 1
      const begin = onSocket(socket, () => {
        line.started += 1
        response.once('close', line.answered)
        // The body may have failed during the wait.
        if (!response.writableEnded) start()
      })
      line.waiting.push(begin)
    }
  }
}
