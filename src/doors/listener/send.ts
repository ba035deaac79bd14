import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { setImmediate } from 'node:timers'
import { onSocket } from '../../serve/message/contain.js'
import type { Answer, Outcome } from '../../serve/message/message.js'
import { breakOff } from './faults.js'
import { giveUp, linger } from './linger.js'
import type { NodeRequest } from './node-request.js'

/** Puts what came of a request on the wire. The connection ends where a body was refused unread. */
export function send({ message, response }: NodeRequest, outcome: Outcome): void {
  if (!outcome || response.headersSent || response.destroyed) return
  if ('fault' in outcome) {
    breakOff(message, response, outcome)
    return
  }
  writeHead(message, response, outcome)
  const { body } = outcome
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) sendPieces(message, response, outcome, body)
  else if (isLastOf(message, outcome.status)) {
    response.write(body)
    // A HEAD has no body to write, and an answer that is not ended sends no headers of itself.
    response.flushHeaders()
    endReading(message, response)
  } else endThisTurn(response, body)
}

function writeHead(message: IncomingMessage, response: ServerResponse, { status, message: text, headers }: Answer) {
  const isLast = isLastOf(message, status)
  if (Array.isArray(headers)) {
    // It has a date already, if it was given one.
    response.sendDate = false
    const list = isLast ? [...headers, 'Connection', 'close'] : headers
    response.writeHead(status, text, list as string[])
  } else {
    if (isLast) response.setHeader('Connection', 'close')
    response.writeHead(status, headers as Record<string, string | number>)
  }
}

/** Sends a body as it comes, no faster than its client reads. One that breaks off, breaks the connection. */
function sendPieces(
  { method }: IncomingMessage,
  response: ServerResponse,
  { trailers }: Answer,
  body: AsyncIterable<string | Uint8Array>
): void {
  if (method === 'HEAD') return void response.end()
  response.flushHeaders()
  async function* pieces() {
    yield* body
    if (trailers) response.addTrailers(trailers())
  }
  // A client that goes away ends it.
  pipeline(Readable.from(pieces()), response, () => {})
}

/** Whether nothing is read after a request: it was refused before its body came. */
function isLastOf(message: IncomingMessage, status: number): boolean {
  return status >= 400 && hasUnreadBody(message)
}

/** Answers that only wait to be sent. */
let ready: { response: ServerResponse; body: string | Uint8Array }[] = []
let isEnding = false

/**
 * Sends an answer when all requests that came in this turn of the event loop are answered. One that is sent between two
 * of them wakes its client, which costs more than most rules; after the first of many the client is awake.
 */
function endThisTurn(response: ServerResponse, body: string | Uint8Array): void {
  ready.push({ response, body })
  sendThisTurn()
}

/** Sends at the end of this turn what is ready by then: after what is to be done there already. */
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
      // The others are still to be sent.
      response.destroy()
    }
  }
}

/**
 * Reads on until the client ends too. The response is not ended, since node would then close at once: what follows in
 * the pipeline would reset the connection, and with it answers go that were not read yet.
 */
function endReading(message: IncomingMessage, response: ServerResponse): void {
  const { socket } = message
  giveUp(socket)
  const end = onSocket(socket, () => void socket.end())
  const endInTurn = onSocket(socket, () => {
    if (response.socket) end()
    // The answers before are out one turn after the connection is ours.
    else response.once('socket', soon)
  })
  const soon = onSocket(socket, () => void setImmediate(end))
  message.once('end', endInTurn)
  message.resume()
  // The time for that begins when the answers before are given: these may take longer.
  const wait = onSocket(socket, () => {
    const stop = linger(socket, () => socket.destroy())
    socket.once('close', stop)
  })
  if (response.socket) wait()
  else response.once('socket', wait)
}

/** Takes no more requests from a connection, and ends it when this one is read to its end. */
export function endAfterRequest(message: IncomingMessage, end: () => void): void {
  giveUp(message.socket)
  if (hasUnreadBody(message)) readOn(message, end)
  else end()
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** Reads what the client goes on writing, and drops it. */
function readOn(message: IncomingMessage, end: () => void): void {
  const stop = linger(message.socket, end)
  message.once('end', stop)
  message.once('close', stop)
  message.resume()
}
