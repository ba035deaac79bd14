import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { clearInterval, setInterval } from 'node:timers'
import { onSocket } from '../../engine/serve/message/contain.js'

/** The highest number of waiting requests, over all connections. Each takes memory. */
const mostWaiting = 100_000
/** The highest number of reads (64 KiB each) while a connection is held without any answer. */
const mostPeeks = 16
/** The highest number of bytes that are not a request and arrive before an answer is complete. */
const mostDropped = 1024 * 1024
/** Milliseconds between two checks of connections. */
const pause = 1000

interface PacedConnection {
  answered: () => void
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
    const previous = lines.get(socket)
    if (previous) return previous
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
      for (const [client, its] of lines) onSocket(client, () => look(client, its))()
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
  const watch = setInterval(look, Math.min(lingerPause, milliseconds)).unref()
  return stop
}

/** Milliseconds between two checks for new data. */
const lingerPause = 50

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
