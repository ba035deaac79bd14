import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { onSocket } from '../http/contain.js'
import { type OwnHeaders, sendBytes, written } from '../http/write.js'
import type { Exchange } from '../pipeline/exchange.js'
import { Copy } from './copy.js'
import type { Relayed } from './forward.js'
import { UpstreamError } from './upstream.js'

/** The trailer that counts the violations of an answer that was checked while it was passed on. */
const trailer = 'X-Mock-Violations'

/** Passes a whole answer on: its bytes as they came, its headers with the mock's own. */
export function relayWhole({ request, response }: Exchange, relayed: Relayed, own: OwnHeaders): void {
  response.sendDate = false
  const { status, message, headers, body } = relayed
  asAnswer(() =>
    sendBytes(request, response, { status, message, headers: [...headers, ...written(own)], bytes: body as Buffer })
  )
}

/**
 * Passes an answer on as it comes. Its head is written at once, or throws; resolves at its end to its bytes, undefined
 * where it is too large to be looked at or broke off. What is wrong with it is noted in the exchange, and counted in a
 * trailer where there can be one.
 */
export function relayStream(exchange: Exchange, relayed: Relayed, own: OwnHeaders): Promise<Buffer | undefined> {
  const { request, response } = exchange
  const { status, message, headers } = relayed
  const source = relayed.body as IncomingMessage
  const isChunked = source.headers['content-length'] === undefined && request.httpVersion !== '1.0'
  const announced = isChunked ? ['Trailer', trailer] : []
  response.sendDate = false
  asAnswer(() => response.writeHead(status, message, [...headers, ...announced, ...written(own)]))
  response.flushHeaders()
  const copy = new Copy(source)
  source.pipe(response, { end: false })
  const stop = onSocket(request.socket, () => void source.destroy())
  response.once('close', stop)
  return ended()

  async function ended(): Promise<Buffer | undefined> {
    const error = await new Promise<unknown>((resolve) => finished(source, resolve))
    if (error) {
      exchange.failure ??= response.destroyed ? 'The client went away.' : relayed.explain(error).message
      response.destroy()
      return undefined
    }
    const bytes = copy.isWhole ? copy.bytes() : undefined
    exchange.violations.push(...(await relayed.check(bytes)))
    if (isChunked && exchange.violations.length > 0) response.addTrailers({ [trailer]: exchange.violations.length })
    response.end()
    return bytes
  }
}

/** A head that node does not write, such as one with a line feed in it, is no answer. */
function asAnswer(write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new UpstreamError(502, `The answer of the service cannot be passed on: ${(error as Error).message}.`)
  }
}
