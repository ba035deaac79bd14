import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import type { Fault } from '../../contract/types.gen.js'
import { onSocket } from '../../serve/message/contain.js'
import type { Break } from '../../serve/message/message.js'
import { endAfterRequest } from './send.js'

/** What a fault breaks, and what it may send before. */
interface Breakable extends Break {
  request: IncomingMessage
  response: ServerResponse
}

/** How each fault breaks a connection, on the wire. */
const breaks: Record<Fault, (it: Breakable, socket: Socket) => void> = {
  CONNECTION_RESET_BY_PEER: (_, socket) => reset(socket),

  EMPTY_RESPONSE: ({ request }, socket) => endAfterRequest(request, () => socket.destroySoon()),

  MALFORMED_RESPONSE_CHUNK({ request, response, headers, garbage }, socket) {
    const bytes = garbage()
    response.writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })
    response.flushHeaders()
    socket.write(bytes)
    endAfterRequest(request, () => socket.destroySoon())
  },

  RANDOM_DATA_THEN_CLOSE({ request, garbage }, socket) {
    socket.write(garbage())
    endAfterRequest(request, () => socket.destroySoon())
  }
}

/** Breaks a connection off in place of an answer, when the answers to earlier requests on it are out. */
export function breakOff(request: IncomingMessage, response: ServerResponse, how: Break): void {
  const it = { ...how, request, response }
  const breakNow = onSocket(request.socket, () => breaks[how.fault](it, request.socket))
  const breakSoon = onSocket(request.socket, () => void setImmediate(breakNow))
  if (response.socket) breakNow()
  // The answer before is handed over then, and on its way one turn of the event loop later.
  else response.once('socket', breakSoon)
}

/** Only a plain TCP connection can be reset; any other is closed. */
function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy()
  } catch {
    socket.destroy()
  }
}
