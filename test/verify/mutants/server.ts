import { once } from 'node:events'
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { startMock } from '../../../src/doors/program/server.js'
import { createContract } from '../../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../../src/engine/contract/ledger.js'
import { readDocuments } from '../../../src/engine/contract/load.js'
import type { Operation } from '../../../src/engine/contract/model.js'

/** A reply on its way back. `body` is what its JSON holds; altering it alters what is sent. */
export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies of every shape
  body: any
  /** Sent in place of the JSON. */
  text?: string
}

/** A request on its way, and the mock behind. */
export interface Asked {
  operation: string | undefined
  params: Record<string, string>
  query: URLSearchParams
  method: string
  url: string
  headers: IncomingHttpHeaders
  bytes: Buffer
  /** Destroyed, the request is never answered. */
  socket: Socket
  // biome-ignore lint/suspicious/noExplicitAny: see Reply
  body: any
  /** Asks the mock behind; what is given replaces that part of the request. */
  pass(changed?: { method?: string; url?: string; headers?: Record<string, string>; body?: unknown }): Promise<Reply>
}

/** A fault: what it does to a request and its reply. It may remember what it saw. */
export type Fault = () => (asked: Asked) => Promise<Reply> | Reply

export const contract = createContract(readDocuments(), defaultChoices(readLedger()))
export const operations = contract.operations

export interface Broken {
  url: string
  close(): Promise<void>
}

/** A real server: the mock, and before it one fault. */
export async function startBroken(fault: Fault): Promise<Broken> {
  const mock = await startMock({ port: 0 })
  const alter = fault()
  const agent = new Agent({ keepAlive: true })
  const server = createServer(async (incoming, response) => {
    const reply = await alter(await asked(incoming, mock.url, agent))
    const {
      'content-length': _length,
      'transfer-encoding': _encoding,
      connection: _connection,
      ...headers
    } = reply.headers
    response.writeHead(reply.status, headers as Record<string, string>)
    response.end(incoming.method === 'HEAD' ? undefined : textOf(reply))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await mock.close()
    }
  }
}

async function asked(incoming: IncomingMessage, base: string, agent: Agent): Promise<Asked> {
  const bytes = await bytesOf(incoming)
  const { method = 'GET', url = '/', headers } = incoming
  const { pathname, searchParams } = new URL(url, base)
  const match = contract.match(method, pathname)
  return {
    operation: match.kind === 'operation' ? match.operation.id : undefined,
    params: match.kind === 'operation' ? match.params : {},
    query: searchParams,
    method,
    url,
    headers,
    bytes,
    socket: incoming.socket,
    body: jsonOf(bytes.toString()),
    pass(changed = {}) {
      const body = changed.body === undefined ? bytes : Buffer.from(JSON.stringify(changed.body))
      const own = { ...(headers as Record<string, string>), ...changed.headers }
      const length: Record<string, string> = changed.body === undefined ? {} : { 'content-length': String(body.length) }
      return forward(base, agent, changed.method ?? method, changed.url ?? url, { ...own, ...length }, body)
    }
  }
}

function forward(
  base: string,
  agent: Agent,
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Buffer
): Promise<Reply> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: url, headers, agent }, (response) => {
      bytesOf(response).then((bytes) => {
        const text = bytes.toString()
        const value = jsonOf(text)
        const reply = { status: response.statusCode as number, headers: response.headers, body: value }
        resolve(text !== '' && value === undefined ? { ...reply, text } : reply)
      }, reject)
    })
    // The mock may close an idle connection just as it is used again.
    sent.on('error', (error) =>
      sent.reusedSocket ? resolve(forward(base, new Agent(), method, url, headers, body)) : reject(error)
    )
    sent.end(body)
  })
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is sent of a reply. */
export function textOf({ text, body }: Reply): string {
  return text ?? (body === undefined ? '' : JSON.stringify(body))
}

export function operationOf(id: string): Operation {
  return operations.get(id) as Operation
}
