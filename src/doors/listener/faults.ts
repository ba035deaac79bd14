import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import type { Fault } from '../../contract/types.gen.js'
import { onSocket } from '../../serve/message/contain.js'
import type { Break } from '../../serve/message/message.js'
import { endAfterRequest } from './send.js'

/** The response to break, and what may be sent before. */
interface BrokenResponse extends Break {
  request: IncomingMessage
  response: ServerResponse
}

const breaks: Record<Fault, (it: BrokenResponse, socket: Socket) => void> = {
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

/** Breaks a connection instead of answering, after the answers to earlier requests are sent. */
export function breakOff(request: IncomingMessage, response: ServerResponse, how: Break): void {
  const it = { ...how, request, response }
  const breakNow = onSocket(request.socket, () => breaks[how.fault](it, request.socket))
  const breakSoon = onSocket(request.socket, () => void setImmediate(breakNow))
  if (response.socket) breakNow()
  // The socket is handed over together with the previous answer, which is sent one turn of the event loop later.
  else response.once('socket', breakSoon)
}

/** Only plain TCP connections can be reset. Others are closed. */
function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy()
  } catch {
    socket.destroy()
  }
}
