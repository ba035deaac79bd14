import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'

/** What a service got, byte for byte. */
export interface Got {
  method: string
  url: string
  /** Names and values in turn. */
  headers: string[]
  body: Buffer
}

export interface Service {
  url: string
  got: Got[]
}

type Answer = (response: ServerResponse, got: Got, request: IncomingMessage) => void

const running: Server[] = []
afterAll(async () => {
  for (const server of running) {
    server.close()
    ;(server as unknown as { closeAllConnections(): void }).closeAllConnections()
  }
})

/** A real service on a free port, which records its requests and gives the configured answers. */
export async function startService(answer: Answer, tls?: { key: string; cert: string }): Promise<Service> {
  const got: Got[] = []
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const { method = '', url = '', rawHeaders } = request
    const message = { method, url, headers: rawHeaders, body: Buffer.concat(chunks) }
    got.push(message)
    answer(response, message, request)
  }
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  running.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`, got }
}

/** Answers with JSON. */
export const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
