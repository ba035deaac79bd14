import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import { onSocket } from '../../engine/serve/message/contain.js'
import type { Answer, Break, Outcome } from '../../engine/serve/message/message.js'
import { endSlowly, giveUp, linger } from './pace.js'

/** Writes the outcome of a request. The connection ends if a body was rejected unread. */
export function send(
  { message, response }: { message: IncomingMessage; response: ServerResponse },
  outcome: Outcome
): void {
  if (!outcome || response.headersSent || response.destroyed) return
  if ('fault' in outcome) {
    breakOff(message, response, outcome)
    return
  }
  writeHead(message, response, outcome)
  const { body } = outcome
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) sendPieces(message, response, outcome, body)
  else endThisTurn(response, body)
}

/**
 * The headers of an answer without those that middleware before the mock, such as `cors()`, has set. Otherwise a browser would
 * see a mix of two CORS policies.
 */
function besides(response: ServerResponse, headers: Answer['headers']): Answer['headers'] {
  const set = response.getHeaderNames()
  if (set.length === 0) return headers
  const vary = String(response.getHeader('Vary') ?? '')
  const isDecided = set.some((name) => name.startsWith('access-control-')) || /\borigin\b/i.test(vary)
  const isKept = (name: string) =>
    !isDecided ||
    !/^access-control-/i.test(name) ||
    (/expose-headers$/i.test(name) && !set.includes(name.toLowerCase()))
  if (Array.isArray(headers)) return headers.filter((_, at) => isKept(headers[at - (at % 2)]))
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)))
  if (rest.Vary && vary !== '') rest.Vary = vary.includes(`${rest.Vary}`) ? vary : `${vary}, ${rest.Vary}`
  return rest
}

function writeHead(
  message: IncomingMessage,
  response: ServerResponse,
  { status, message: text, headers: ownHeaders }: Answer
) {
  const headers = besides(response, ownHeaders)
  // A body that was rejected unread ends the connection.
  const isLast = status >= 400 && hasUnreadBody(message)
  if (isLast) {
    giveUp(message.socket)
    // The server may belong to another app.
    endSlowly(message.socket, message)
  }
  if (Array.isArray(headers)) {
    // The headers may contain a Date already.
    response.sendDate = false
    const list = isLast ? [...headers, 'Connection', 'close'] : headers
    response.writeHead(status, text, list as string[])
  } else {
    if (isLast) response.setHeader('Connection', 'close')
    response.writeHead(status, headers as Record<string, string | number>)
  }
}

/** Streams a body as fast as the client reads. If the stream fails, the connection breaks. */
function sendPieces(
  { method }: IncomingMessage,
  response: ServerResponse,
  { trailers }: Answer,
  body: AsyncIterable<string | Uint8Array>
): void {
  if (method === 'HEAD') return void response.end()
  response.flushHeaders()
  void writePieces(response, body).then(
    () => {
      if (trailers) response.addTrailers(trailers())
      response.end()
    },
    () => response.destroy()
  )
}

/** Writes each piece when the client has taken the one before. If the body fails, what was written is sent first. */
async function writePieces(response: ServerResponse, body: AsyncIterable<string | Uint8Array>): Promise<void> {
  // A write that waits for its turn on the connection is not called back when that closes.
  let wake = () => {}
  response.once('close', () => {
    wake()
    // The answer of another process may have no further piece, after which its client would be missed.
    ;(body as { destroy?: () => void }).destroy?.()
  })
  for await (const piece of body) {
    if (response.destroyed) return
    await new Promise<void>((resolve) => {
      wake = resolve
      response.write(piece, () => resolve())
    })
  }
}

/** Finished answers that wait for the end of this turn. */
let ready: { response: ServerResponse; body: string | Uint8Array }[] = []
let isEnding = false

/**
 * Sends an answer after all requests of this turn of the event loop are answered. Sending between two of them would
 * wake the client, which costs more than most rules.
 */
function endThisTurn(response: ServerResponse, body: string | Uint8Array): void {
  ready.push({ response, body })
  sendThisTurn()
}

/** Sends the finished answers at the end of this turn, after the tasks that are already queued. */
export function sendThisTurn(): void {
  if (isEnding) return
  setImmediate(endReady)
  isEnding = true
}

function endReady(): void {
  isEnding = false
  const all = ready
  ready = []
  for (const { response, body } of all) {
    try {
      response.end(body)
    } catch {
      // The other answers must still be sent.
      response.destroy()
    }
  }
}

/** Takes no more requests from a connection, and ends it when this one is read to its end. */
function endAfterRequest(message: IncomingMessage): void {
  const { socket } = message
  giveUp(socket)
  if (!hasUnreadBody(message)) return void socket.destroySoon()
  const stop = linger(socket, () => socket.destroySoon())
  message.once('end', stop).once('close', stop).resume()
}

export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** Breaks a connection instead of answering, after the answers to earlier requests are sent. */
function breakOff(request: IncomingMessage, response: ServerResponse, { fault, headers, garbage }: Break): void {
  const { socket } = request
  const breakNow = onSocket(socket, () => {
    if (fault === 'CONNECTION_RESET_BY_PEER') return reset(socket)
    const bytes = fault === 'EMPTY_RESPONSE' ? undefined : garbage()
    if (fault === 'MALFORMED_RESPONSE_CHUNK') {
      response.writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })
      response.flushHeaders()
    }
    if (bytes) socket.write(bytes)
    endAfterRequest(request)
  })
  const breakSoon = onSocket(socket, () => void setImmediate(breakNow))
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
