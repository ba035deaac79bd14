import { performance } from 'node:perf_hooks'
import { promisedHeaders } from '../answers/errors.js'
import { isStreamType } from '../contract/message/media.js'
import { RuleReply, typeIn } from '../contract/message/reply.js'
import type { AnswerSource, JournalEntry } from '../contract/types.gen.js'
import type { Frames } from '../journal/recorded.js'
import type { Edge } from '../keep/edge.js'
import { historyOf, watchRoom } from '../sandbox/sandbox.js'
import { Transaction } from '../sandbox/transaction.js'
import { assumptionsOf, type Exchange, lap, type Setting } from './exchange.js'
import type { CorsAnswer } from './message/cors.js'
import type { Answer, AnswerHeaders, Outcome, Reply, Request, ValueStream } from './message/message.js'
import { failed } from './problem.js'
import { record, recordCall, recordOpen } from './record.js'
import { passOn, type RelayedAnswer, relayedHead } from './relay.js'
import { describedIn, frameOf, piecesOf, type StreamEnd } from './stream.js'

export interface SendParts {
  /** The size limit of a sandbox in bytes, without the rows that it started with. */
  sandboxBytes: number
  strict: boolean
  edge: Edge
  onExchange: (entry: JournalEntry) => void
}

/** The most characters of a streamed answer that the journal keeps. */
const mostOfStream = 64 * 1024
/** The most writes of one that it keeps. */
const mostWritesOfStream = 10_000

/**
 * Sends the values of a reply one by one. What a rule writes between two values is one transaction, which is kept before the
 * second is sent. A first value that cannot be sent is a 500.
 */
export async function finishStream(
  ending: SendParts,
  exchange: Setting<'frames' | 'transaction' | 'failure'>,
  reply: Reply,
  stream: ValueStream
): Promise<Outcome> {
  const { sandbox, request, contract, operation, transaction, violations, waits } = exchange
  const media = typeIn(reply.headers) ?? reply.media ?? 'application/x-ndjson'
  const frames: Frames = { count: 0 }
  let text = ''
  const check = (value: unknown) => {
    frames.count += 1
    const at = Math.round(performance.now() - exchange.started)
    const json = JSON.stringify([at, ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : value])
    if (text.length + json.length < mostOfStream) text += `${text === '' ? '' : ','}${json}`
    // Under another type than one of streams, the contract describes the whole.
    if (!operation || !isStreamType(media) || !contract.hasStatus(operation, reply.status)) return
    const [wrong = [], ...others] = describedIn(value, media).map((it) =>
      contract.checkReply(operation, reply.status, it, exchange.assumed)
    )
    if (others.some((it) => it.length === 0)) return
    if (wrong.length > 0 && ending.strict) {
      throw new Error(`Value ${frames.count} breaks the contract: ${wrong.join('; ')}`)
    }
    violations.push(...wrong.map((it) => `value ${frames.count}: ${it}`))
  }
  const frame = (value: unknown) => {
    try {
      return frameOf(value, media)
    } catch (error) {
      throw new Error(`The answer of ${operation?.id ?? request.method} cannot be sent: ${(error as Error).message}`)
    }
  }
  const { rows } = sandbox
  const next = async (rest: ValueStream['rest']) => {
    if (sandbox.rows !== rows) throw new Error('The state of its sandbox was replaced.')
    const step = new Transaction(sandbox)
    exchange.transaction = step
    const checkRoom = watchRoom(sandbox, ending.sandboxBytes)
    let result: IteratorResult<unknown>
    try {
      const outcome = step.run(() => rest.next())
      result = outcome instanceof Promise ? await outcome : outcome
      if (step.writes.length > 0) checkRoom()
    } catch (error) {
      step.takeBack()
      if (!(error instanceof RuleReply)) throw error
      throw new Error(`The rule refused with ${error.status} after its first value: ${JSON.stringify(error.body)}`)
    }
    const { written: writes, countersBefore: counters } = step
    if (writes.length > 0 || counters) {
      const now = step.moment ?? sandbox.clock.now
      const change = historyOf(sandbox).add(sandbox, { now, writes, counters })
      change.request = exchange.call?.request
      if ((await ending.edge.keepRows(sandbox, step)) === false) throw new Error('Its changes were rolled back.')
      if (transaction.writes.length < mostWritesOfStream) transaction.join(step)
    }
    return result
  }
  try {
    const { done, value } = await stream.first
    if (!done) {
      frame(value)
      check(value)
    }
  } catch (error) {
    void stream.rest.return?.()
    return finish(ending, exchange, failed(exchange, error))
  }
  exchange.frames = frames
  const isHead = request.method === 'HEAD'
  const counts = request.takesChunks && isStreamType(media) && !isHead
  const headers: AnswerHeaders = { ...headersOf(exchange), ...reply.headers }
  headers['Content-Type'] ??= media
  if (counts) headers.Trailer = 'X-Mock-Violations'
  identify(exchange)
  const close = recordOpen(exchange, reply, headers)
  const end = (how: StreamEnd, error?: unknown) => {
    frames.end = how
    if (how === 'error') exchange.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    exchange.transaction = transaction
    lap(exchange, 'write')
    publish(ending, exchange, close(`[${text}]`))
  }
  const { status } = reply
  add(exchange.entry.headers, headers)
  if (isHead) {
    void stream.rest.return?.()
    end('whole')
    return { status, headers, body: '' }
  }
  const forced = Object.entries(exchange.pace ?? {}).filter(([, value]) => value !== undefined)
  const pace = { ...stream.pace, ...Object.fromEntries(forced) }
  const body = piecesOf({ ...stream, pace }, { request, waits, frame, check, next, end })
  const trailers = (): Record<string, string> =>
    violations.length > 0 ? { 'X-Mock-Violations': String(violations.length) } : {}
  return { status, headers, body, ...(counts && { trailers }) }
}

/** Gives what the exchange did the id that the exchange will have in the journal. */
function identify({ sandbox, call, change }: Exchange): void {
  const id = sandbox.journal.nextId()
  if (call) call.request = id
  if (change) change.request = id
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
  if (exchange.contract.api.document && exchange.operation) Object.assign(headers, promisedHeaders(exchange, reply))
  const answer = asAnswer(reply, text, headers)
  lap(exchange, 'write')
  identify(exchange)
  const { isGone, answered } = exchange.request
  publish(ending, exchange, record(exchange, reply, isGone || answered !== undefined ? '' : text, headers))
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
    publish(ending, exchange, record(exchange, reply, relayed.textOf(relayed.body) ?? '', headers))
    return answer
  }
  const headers = headersOf(exchange)
  const head = relayedHead(exchange, relayed, headers)
  const close = recordOpen(exchange, reply, headers)
  const body = passOn(exchange, relayed, relayed.body, (bytes) => {
    lap(exchange, 'upstream')
    publish(ending, exchange, close(bytes ? (relayed.textOf(bytes) ?? '') : ''))
  })
  return { ...head, body }
}

/** Ends an exchange without an answer: a fault breaks its connection, or its client has left. */
export function finishUnanswered(ending: SendParts, exchange: Exchange): Outcome {
  const {
    fault,
    sandbox: { chance }
  } = exchange
  const headers = headersOf(exchange)
  const request = Number(`${headers['X-Mock-Request-Id']}`.slice(1))
  publish(ending, exchange, record(exchange, { status: 0, body: undefined }, '', {}))
  return fault === undefined
    ? undefined
    : { fault, headers: { ...exchange.entry.headers, ...headers }, garbage: () => chance.garbage(request) }
}

function publish({ edge, onExchange }: SendParts, { sandbox }: Exchange, entry: JournalEntry): void {
  edge.countRequest(sandbox)
  onExchange(entry)
}

function headersOf(exchange: Exchange): AnswerHeaders {
  const { sandbox, source, violations } = exchange
  const assumed = assumptionsOf(exchange)
  const headers: AnswerHeaders = { 'X-Mock-Request-Id': sandbox.journal.nextId(), 'X-Mock-Source': source }
  if (assumed.length > 0) headers['X-Mock-Assumed'] = assumed.join(', ')
  if (violations.length > 0) headers['X-Mock-Violations'] = violations.length
  return headers
}

/** The answer for a reply. Adds the headers of the reply to `headers`. */
export function asAnswer(reply: Reply, text: string, headers: AnswerHeaders): Answer {
  if (reply.headers) Object.assign(headers, reply.headers)
  if (reply.body !== undefined) headers['Content-Type'] ??= reply.media ?? 'application/json'
  const body = ArrayBuffer.isView(reply.body) ? bytesOf(reply.body) : text
  if (reply.status !== 204) headers['Content-Length'] = Buffer.byteLength(body)
  return { status: reply.status, headers, body }
}

export function passedPage(page: Answer, exchange: Exchange): Answer {
  return passed(page, exchange, 'Location' in page.headers ? 'refusal' : 'page')
}

/** The answer with the headers that were decided before the first step. */
export function passed(answer: Answer, { entry }: Exchange, source: AnswerSource): Answer {
  const headers = { ...answer.headers, 'X-Mock-Source': source } as AnswerHeaders
  return { ...answer, headers: add(entry.headers, headers) }
}

/** Adds the headers that let pages of other origins read the answer. Returns the answer to a preflight. */
export function allow(exchange: Setting<'entry'>, share: (request: Request) => CorsAnswer): Answer | undefined {
  const { headers, preflight } = share(exchange.request)
  exchange.entry = { ...exchange.entry, headers: { ...exchange.entry.headers, ...headers } }
  return preflight && { ...preflight, headers: { ...exchange.entry.headers }, body: '' }
}

/** One by one: spreading a second object into the first one takes longer than most rules. */
function add(passed: AnswerHeaders | undefined, headers: AnswerHeaders): AnswerHeaders {
  for (const name in passed) {
    const value = passed[name] as string
    const isCookie = name === 'Set-Cookie' && headers[name] !== undefined
    headers[name] = isCookie ? [value, String(headers[name])] : (headers[name] ?? value)
  }
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
