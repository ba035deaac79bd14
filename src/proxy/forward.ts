import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { Operation } from '../contract/contract.js'
import type { Reply } from '../http/write.js'
import { defaultChoices, type LedgerEntry } from '../mock/assumptions.js'
import type { Exchange } from '../pipeline/exchange.js'
import { problemDocument } from '../pipeline/problem.js'
import { failed } from '../pipeline/reply.js'
import { Readings } from '../verify/readings.js'
import { checkRequest } from './check-request.js'
import { Copy, largest } from './copy.js'
import { judge, textOf } from './judge.js'
import { type Begun, createUpstream, endToEnd, UpstreamError, type UpstreamOptions } from './upstream.js'

export interface ForwardOptions extends UpstreamOptions {
  /** The operations that the mock answers, not the service. */
  mocked: ReadonlySet<string>
  /** An answer that breaks the contract becomes a 502. */
  strict: boolean
}

/** An answer of the service, as it is passed on. */
export interface Relayed {
  status: number
  message: string
  /** Names and values in turn. */
  headers: string[]
  /** Whole, or as it comes where it is large or endless. */
  body: Buffer | IncomingMessage
  /** For the journal; undefined where it was not looked at. */
  text: string | undefined
}

/** Asks the service instead of a rule. */
export interface Forward {
  /** Whether the service is asked, and not the mock. */
  takes(operation: Operation | undefined): boolean
  /** `mock`: the service does not implement the operation (501); what was read of the request is there again. */
  ask(exchange: Exchange): Promise<Relayed | 'mock'>
  close(): void
}

export function createForward(options: ForwardOptions, ledger: LedgerEntry[]): Forward {
  const upstream = createUpstream(options)
  const readings = new Readings(ledger, defaultChoices(ledger, 'observed'))
  return {
    takes: (operation) => !operation || !options.mocked.has(operation.id),
    close: () => upstream.close(),

    async ask(exchange) {
      const { request, operation } = exchange
      const sent = new Copy(request)
      const begun = await upstream.ask(request)
      const { message: answer } = begun
      if (answer.statusCode === 501 && operation && sent.isWhole) {
        answer.resume()
        exchange.request = again(request, sent.bytes())
        return 'mock'
      }
      const relayed = await receive(begun)
      if (!operation) return relayed
      if (sent.isWhole) {
        exchange.violations.push(
          ...(await checkRequest({ ...exchange, request: again(request, sent.bytes()) }, readings))
        )
      }
      if (Buffer.isBuffer(relayed.body) && request.method !== 'HEAD') {
        const { status, body: bytes } = relayed
        const found = judge(readings, operation, { status, headers: answer.headers, bytes })
        exchange.violations.push(...found)
        if (options.strict && found.length > 0) throw new BrokenContract(found)
      }
      return relayed
    }
  }
}

/** A broken answer of the service, under --strict. */
export class BrokenContract extends Error {
  constructor(readonly violations: string[]) {
    super(`The answer of the service breaks the contract: ${violations.join('; ')}`)
  }
}

/** A request that was read, to be read once more. */
function again(request: IncomingMessage, bytes: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, socket } = request
  const stream = Readable.from(bytes.length > 0 ? [bytes] : [])
  return Object.assign(stream, {
    method,
    url,
    headers,
    rawHeaders,
    socket,
    complete: true
  }) as unknown as IncomingMessage
}

/** Waits for the whole of an answer, unless it is large, or has no end. */
async function receive({ message: answer, explain }: Begun): Promise<Relayed> {
  const { statusCode = 0, statusMessage = '', rawHeaders } = answer
  const head = { status: statusCode, message: statusMessage, headers: endToEnd(rawHeaders, answer.headers.connection) }
  if (/^text\/event-stream/i.test(answer.headers['content-type'] ?? ''))
    return { ...head, body: answer, text: undefined }
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk)
      size += chunk.length
      if (size > largest) break
    }
  } catch (error) {
    throw explain(error)
  }
  if (size > largest) {
    for (const chunk of chunks.reverse()) answer.unshift(chunk)
    return { ...head, body: answer, text: undefined }
  }
  const bytes = Buffer.concat(chunks)
  return { ...head, body: bytes, text: textOf(answer.headers, bytes) }
}

/** Passes an answer on: its bytes as they came, its headers with the mock's own. */
export function relay(response: ServerResponse, { status, message, headers, body }: Relayed, own: object): void {
  response.sendDate = false
  response.writeHead(status, message, [...headers, ...Object.entries(own).flat()])
  if (Buffer.isBuffer(body)) response.end(body)
  else pipeline(body, response, () => {})
}

/** What a client is told when the service gave no answer, or none that may be passed on. */
export function failedUpstream(exchange: Exchange, error: unknown): Reply {
  if (error instanceof UpstreamError || error instanceof BrokenContract) exchange.failure = error.message
  if (error instanceof UpstreamError) return problemDocument('upstream', error.status, error.message)
  if (error instanceof BrokenContract) {
    const errors = error.violations.map((detail) => ({ field: 'response', detail }))
    return problemDocument('broken-contract', 502, error.message, { errors })
  }
  return failed(exchange, error)
}
