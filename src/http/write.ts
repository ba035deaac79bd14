import type { ServerResponse } from 'node:http'

/** An answer before it is put on the wire; `body` undefined: none. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
}

/** One stringify, one write. */
export function write(response: ServerResponse, reply: Reply, headers: Record<string, string | number>): void {
  if (response.headersSent || response.destroyed) return
  if (reply.headers) Object.assign(headers, reply.headers)
  if (reply.body === undefined) {
    if (reply.status !== 204) headers['Content-Length'] = 0
    response.writeHead(reply.status, headers)
    response.end()
    return
  }
  const text = JSON.stringify(reply.body)
  headers['Content-Type'] = 'application/json'
  headers['Content-Length'] = Buffer.byteLength(text)
  response.writeHead(reply.status, headers)
  response.end(text)
}
