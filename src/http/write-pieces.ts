import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { jsonPieces } from './pieces.js'
import { type Reply, write } from './write.js'

/**
 * Writes an answer whose JSON may be large: piece by piece with turns of the event loop between them, and no faster than
 * its client reads. One that is small is written at once. The body must not change meanwhile.
 */
export async function writeInPieces(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  headers: Record<string, string | number>
): Promise<void> {
  const { status, body, media } = reply
  if (body === undefined || media !== undefined || status >= 400) return void write(request, response, reply, headers)
  const pieces = jsonPieces(body)
  const [first, second] = [pieces.next(), pieces.next()]
  if (second.done) {
    return void write(request, response, { ...reply, body: first.value, media: 'application/json' }, headers)
  }
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers, ...reply.headers })
  if (request.method === 'HEAD') return void response.end()
  async function* inTurns() {
    yield first.value
    yield second.value
    for (const piece of pieces) {
      await setImmediate()
      yield piece
    }
  }
  // A client that goes away ends it.
  await pipeline(Readable.from(inTurns()), response).catch(() => {})
}
