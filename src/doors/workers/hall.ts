import { createServer, type Server, type Socket } from 'node:net'
import { clearTimeout, setTimeout } from 'node:timers'
import { told } from '../listener/connection.js'

/** Milliseconds that a connection may be silent before it is given to any worker. */
const patience = 50

export interface Connection {
  socket: Socket
  /** What its client has sent so far. */
  first: Uint8Array | undefined
  /** Whether there are too many. */
  isFull: boolean
}

/** Accepts the connections of all workers. */
export interface ConnectionQueue {
  server: Server
  /** Gives connections that wait for a worker. */
  goOn(): void
  /** Takes back a connection that its worker did not get. */
  takeBack(connection: Connection): void
  /** So many connections of workers are closed. */
  closed(count: number): void
  /** Accepts no more. */
  close(): void
}

/** `most`: the highest number of connections. `give`: returns false if no worker can take one now. */
export function openHall(most: number, give: (connection: Connection) => boolean): ConnectionQueue {
  /** Of the clients that have sent nothing yet, and of those for whom there is no worker. */
  const here = new Set<Socket>()
  let waiting: Connection[] = []
  let open = 0

  const pass = (connection: Connection) => {
    const { socket } = connection
    here.add(socket)
    if (socket.destroyed) leave(socket)
    else if (give(connection)) here.delete(socket)
    else waiting.push(connection)
  }
  const leave = (socket: Socket) => {
    if (here.delete(socket)) open -= 1
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    if (open >= most + told) return void socket.destroy()
    open += 1
    const isFull = open > most
    here.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => leave(socket))
    const read = (first?: Uint8Array) => {
      clearTimeout(late)
      socket.off('data', read)
      stopReading(socket)
      pass({ socket, first, isFull })
    }
    const late = setTimeout(read, patience)
    socket.once('data', read)
    socket.resume()
  })
  return {
    server,
    goOn() {
      const before = waiting
      waiting = []
      for (const connection of before) pass(connection)
    },
    takeBack: pass,
    closed(count) {
      open -= count
    },
    close() {
      server.close()
      for (const socket of here) socket.destroy()
    }
  }
}

/** Node goes on reading a paused socket for a while. What is read here would be lost to the worker. */
function stopReading(socket: Socket): void {
  const { _handle: handle } = socket as Socket & { _handle?: { readStop(): void } | null }
  socket.pause()
  handle?.readStop()
}
