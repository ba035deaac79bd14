import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer before it is put on the wire; `body` undefined: none. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
}

/** How much more is read of a body that was refused: more than a request may carry. */
const patience = 128 * 1024 * 1024

/** One stringify, one write. The connection ends where a body was refused unread. */
export function write(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  headers: Record<string, string | number>
): void {
  if (response.headersSent || response.destroyed) return
  const text = reply.body === undefined ? '' : JSON.stringify(reply.body)
  if (reply.headers) Object.assign(headers, reply.headers)
  if (reply.body !== undefined) headers['Content-Type'] = 'application/json'
  if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(text)
  if (request.complete || reply.status < 400) {
    response.writeHead(reply.status, headers)
    response.end(text)
    return
  }
  headers.Connection = 'close'
  response.writeHead(reply.status, headers)
  response.write(text)
  readOn(request, () => response.end())
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
