import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer before it is put on the wire; `body` undefined: none. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
  /** The media type of a body that is a text as it stands; else it is written as JSON. */
  media?: string | undefined
}

/** Statuses of answers that never have a body (RFC 9110, 15). */
export const bodilessStatuses: readonly number[] = [204, 205, 304]

/** How much more is read of a body that was refused: more than a request may carry. */
const patience = 128 * 1024 * 1024

const ending = new WeakSet<object>()

/** Whether the connection of a request was given up before: then nothing more on it is a request (RFC 9112, 9.6). */
export function isEnding({ socket }: IncomingMessage): boolean {
  return ending.has(socket)
}

/** One stringify, one write; returns the text of the body. The connection ends where a body was refused unread. */
export function write(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  headers: Record<string, string | number>
): string {
  if (response.headersSent || response.destroyed) return ''
  const text = textOf(reply)
  if (reply.headers) Object.assign(headers, reply.headers)
  if (reply.body !== undefined) headers['Content-Type'] ??= reply.media ?? 'application/json'
  if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(text)
  if (reply.status < 400 || !hasUnreadBody(request)) {
    response.writeHead(reply.status, headers)
    response.end(text)
    return text
  }
  headers.Connection = 'close'
  response.writeHead(reply.status, headers)
  response.write(text)
  endAfterRequest(request, () => response.end())
  return text
}

function textOf({ body, media }: Reply): string {
  if (body === undefined) return ''
  return media === undefined ? JSON.stringify(body) : String(body)
}

/** Takes no more requests from a connection, and ends it when this one is read to its end. */
export function endAfterRequest(request: IncomingMessage, end: () => void): void {
  ending.add(request.socket)
  if (hasUnreadBody(request)) readOn(request, end)
  else end()
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/**
 * Reads what a client goes on writing. To close on it would reset the connection, and a client that writes to its end
 * before it reads would never see the answer.
 */
function readOn(request: IncomingMessage, done: () => void): void {
  let left = patience
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) done()
  })
  request.once('end', done)
  request.once('close', done)
  request.resume()
}
