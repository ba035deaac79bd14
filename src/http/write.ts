import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers'
import { onSocket } from './contain.js'
import { giveUp, linger } from './linger.js'

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
  if (isLastOf(request, reply.status)) headers.Connection = 'close'
  response.writeHead(reply.status, headers)
  sendBody(request, response, text)
  return text
}

export type OwnHeaders = Record<string, string | number>

/** Headers as names and values in turn. */
export function written(headers: OwnHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
}

/** An answer as bytes, its headers as names and values in turn. */
export interface WholeAnswer {
  status: number
  message: string
  headers: string[]
  bytes: Buffer
}

/** Sends an answer that somebody else made; the connection ends as with `write`. */
export function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, headers, bytes }: WholeAnswer
): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, message, isLastOf(request, status) ? [...headers, 'Connection', 'close'] : headers)
  sendBody(request, response, bytes)
}

/** Whether nothing is read after a request: it was refused before its body came. */
function isLastOf(request: IncomingMessage, status: number): boolean {
  return status >= 400 && hasUnreadBody(request)
}

function sendBody(request: IncomingMessage, response: ServerResponse, body: string | Buffer): void {
  if (isLastOf(request, response.statusCode)) {
    response.write(body)
    // A HEAD has no body to write, and an answer that is not ended sends no headers of itself.
    response.flushHeaders()
    endReading(request, response)
  } else endThisTurn(response, body)
}

/** Answers that only wait to be sent. */
let ready: { response: ServerResponse; body: string | Buffer }[] = []
let isEnding = false

/**
 * Sends an answer when all requests that came in this turn of the event loop are answered. One that is sent between two
 * of them wakes its client, which costs more than most rules; after the first of many the client is awake.
 */
function endThisTurn(response: ServerResponse, body: string | Buffer): void {
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
function endReading(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  giveUp(socket)
  const end = onSocket(socket, () => void socket.end())
  const endInTurn = onSocket(socket, () => {
    if (response.socket) end()
    // The answers before are out one turn after the connection is ours.
    else response.once('socket', soon)
  })
  const soon = onSocket(socket, () => void setImmediate(end))
  request.once('end', endInTurn)
  request.resume()
  // The time for that begins when the answers before are given: these may take longer.
  const wait = onSocket(socket, () => {
    const stop = linger(socket, () => socket.destroy())
    socket.once('close', stop)
  })
  if (response.socket) wait()
  else response.once('socket', wait)
}

function textOf({ body, media }: Reply): string {
  if (body === undefined) return ''
  return media === undefined ? JSON.stringify(body) : String(body)
}

/** Takes no more requests from a connection, and ends it when this one is read to its end. */
export function endAfterRequest(request: IncomingMessage, end: () => void): void {
  giveUp(request.socket)
  if (hasUnreadBody(request)) readOn(request, end)
  else end()
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
}

/** Reads what the client goes on writing, and drops it. */
function readOn(request: IncomingMessage, end: () => void): void {
  const stop = linger(request.socket, end)
  request.once('end', stop)
  request.once('close', stop)
  request.resume()
}
