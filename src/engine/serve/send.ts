import type { JournalEntry } from '../contract/types.gen.js'
import type { Edge } from '../keep/edge.js'
import { failed } from './act.js'
import { beginAgain, type Exchange, lap, type Setting } from './exchange.js'
import type { CorsAnswer } from './message/cors.js'
import type { Answer, AnswerHeaders, Outcome, Reply, Request } from './message/message.js'
import { forgetCall, noteLeaving, record, recordCall, recordOpen } from './record.js'
import { passOn, type RelayedAnswer, relayedHead } from './relay.js'

export interface SendParts {
  /** Saves the changes of requests. */
  edge: Edge
  onExchange: (entry: JournalEntry) => void
}

/**
 * Answers once the changes of the request, and the changes that it saw, are stored. Without a reply, `finishUnanswered`
 * ends it.
 */
export function settle(
  ending: SendParts,
  exchange: Exchange,
  answer: () => Reply | undefined
): Outcome | Promise<Outcome> {
  const reply = answer()
  if (reply || exchange.fault !== undefined) recordCall(exchange, reply?.status ?? 0)
  else noteLeaving(exchange)
  const kept = ending.edge.keepRows(exchange.sandbox, exchange.transaction)
  if (!kept) return end(ending, exchange, reply)
  // The log is written at the end of this turn, so the answer can be sent in this turn too.
  exchange.request.soon()
  return kept.then(
    (isKept) => {
      lap(exchange, 'keep')
      if (isKept) return end(ending, exchange, reply)
      forgetCall(exchange)
      beginAgain(exchange)
      return settle(ending, exchange, answer)
    },
    (error) => {
      forgetCall(exchange)
      return finish(ending, exchange, failed(exchange, error))
    }
  )
}

function end(ending: SendParts, exchange: Exchange, reply: Reply | undefined): Outcome {
  return reply ? finish(ending, exchange, reply) : finishUnanswered(ending, exchange)
}

export function finish(ending: SendParts, exchange: Exchange, reply: Reply): Answer {
  recordCall(exchange, reply.status)
  const headers = headersOf(exchange)
  let text: string
  try {
    text = textOf(reply)
  } catch (error) {
    reply = failed(exchange, error)
    text = textOf(reply)
  }
  const answer = answerOf(reply, text, headers)
  lap(exchange, 'write')
  const { call, change } = exchange
  const id = exchange.sandbox.journal.nextId()
  if (call) call.request = id
  if (change) change.request = id
  const { isGone, answered } = exchange.request
  told(ending, exchange, record(exchange, reply, isGone || answered !== undefined ? '' : text, headers))
  // The journal has its copy.
  add(exchange.entry.headers, headers)
  return answer
}

/** Forwards the answer of the service behind a proxy. Rejects if it cannot be forwarded. */
export async function finishRelayed(ending: SendParts, exchange: Exchange, relayed: RelayedAnswer): Promise<Answer> {
  const reply = { status: relayed.status, body: undefined }
  if (Buffer.isBuffer(relayed.body)) {
    exchange.violations.push(...(await relayed.check(relayed.body)))
    const headers = headersOf(exchange)
    const answer = { ...relayedHead(exchange, relayed, headers), body: relayed.body }
    lap(exchange, 'upstream')
    told(ending, exchange, record(exchange, reply, relayed.textOf(relayed.body) ?? '', headers))
    return answer
  }
  const headers = headersOf(exchange)
  const head = relayedHead(exchange, relayed, headers)
  const close = recordOpen(exchange, reply, headers)
  const body = passOn(exchange, relayed, relayed.body, (bytes) => {
    lap(exchange, 'upstream')
    told(ending, exchange, close(bytes ? (relayed.textOf(bytes) ?? '') : ''))
  })
  return { ...head, body }
}

/** Ends an exchange without an answer: a fault breaks its connection, or its client has left. */
function finishUnanswered(ending: SendParts, exchange: Exchange): Outcome {
  const {
    fault,
    sandbox: { chance }
  } = exchange
  const headers = headersOf(exchange)
  const request = Number(`${headers['X-Mock-Request-Id']}`.slice(1))
  told(ending, exchange, record(exchange, { status: 0, body: undefined }, '', {}))
  return fault === undefined
    ? undefined
    : { fault, headers: { ...exchange.entry.headers, ...headers }, garbage: () => chance.garbage(request) }
}

function told({ edge, onExchange }: SendParts, { sandbox }: Exchange, entry: JournalEntry): void {
  edge.countRequest(sandbox)
  onExchange(entry)
}

/** The headers of every answer. */
function headersOf({ sandbox, assumed, violations }: Exchange): AnswerHeaders {
  const headers: AnswerHeaders = { 'X-Mock-Request-Id': sandbox.journal.nextId() }
  if (assumed.size > 0) headers['X-Mock-Assumed'] = [...assumed].join(', ')
  if (violations.length > 0) headers['X-Mock-Violations'] = violations.length
  return headers
}

/** The answer for a reply. Adds the headers of the reply to `headers`. */
export function answerOf(reply: Reply, text: string, headers: AnswerHeaders): Answer {
  if (reply.headers) Object.assign(headers, reply.headers)
  if (reply.body !== undefined) headers['Content-Type'] ??= reply.media ?? 'application/json'
  const body = ArrayBuffer.isView(reply.body) ? bytesOf(reply.body) : text
  if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(body)
  return { status: reply.status, headers, body }
}

/** The answer with the headers that were decided before the first step. */
export function passed(answer: Answer, { entry }: Exchange): Answer {
  if (!entry.headers) return answer
  return { ...answer, headers: add(entry.headers, { ...answer.headers } as AnswerHeaders) }
}

/** Adds the headers that let pages of other origins read the answer. Returns the answer to a preflight. */
export function allow(exchange: Setting<'entry'>, share: (request: Request) => CorsAnswer): Answer | undefined {
  const { headers, preflight } = share(exchange.request)
  exchange.entry = { ...exchange.entry, headers: { ...exchange.entry.headers, ...headers } }
  return preflight && { ...preflight, headers: { ...exchange.entry.headers }, body: '' }
}

/** One by one: spreading a second object into the first one takes longer than most rules. */
function add(passed: AnswerHeaders | undefined, headers: AnswerHeaders): AnswerHeaders {
  for (const name in passed) headers[name] ??= passed[name] as string
  return headers
}

/** The text of a reply. Bytes have none, so the journal does not keep them. */
export function textOf({ body, media }: Reply): string {
  if (body === undefined || ArrayBuffer.isView(body)) return ''
  return media === undefined ? JSON.stringify(body) : String(body)
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
}
