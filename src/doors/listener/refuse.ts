import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { onSocket } from '../../serve/message/contain.js'
import type { ConnectionRefusal } from './connection-limits.js'
import { giveUp } from './linger.js'
import { NodeRequest } from './node-request.js'
import { send } from './send.js'

/** Refuses a request. Its connection ends. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, detail }: ConnectionRefusal
): void {
  giveUp(request.socket)
  const body = JSON.stringify({ detail })
  send(new NodeRequest(request, response), { status, headers: { ...headersOf(body), Connection: 'close' }, body })
}

/** Answers a request whose body cannot be read to its end. */
export function breakOff(response: ServerResponse, { status, detail }: ConnectionRefusal): void {
  const { socket } = response.req
  giveUp(socket)
  // Tells the reader of the body that the rest will not arrive. Node does so only before the response has started.
  const drop = onSocket(socket, () => void response.req.destroy())
  socket.once('close', drop)
  const body = JSON.stringify({ detail })
  response.writeHead(status, { ...headersOf(body), Connection: 'close' })
  response.end(body)
}

/** Sends the reason on the bare connection and ends it. */
export function end(socket: Socket, { status, detail }: ConnectionRefusal): void {
  giveUp(socket)
  // Its last answer may have ended it, and the client may not have read that yet.
  if (!socket.writable) return void socket.destroySoon()
  const body = JSON.stringify({ detail })
  const headers = Object.entries({ ...headersOf(body), Connection: 'close' }).map(([name, text]) => `${name}: ${text}`)
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, '', body].join('\r\n'))
  socket.destroySoon()
}

function headersOf(body: string): Record<string, string | number> {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
}
