import type { JournalEntry } from '../contract/types.gen.js'
import { breakOff } from '../http/faults.js'
import { type Reply, sendThisTurn, write } from '../http/write.js'
import type { Relayed } from '../proxy/forward.js'
import { relayStream, relayWhole } from '../proxy/relay.js'
import type { Edge } from '../store/edge.js'
import { beginAgain, type Exchange, lap } from './exchange.js'
import { record, recordOpen } from './record.js'
import { failed } from './reply.js'

/** What is done with a request that has its reply. */
export interface Ending {
  /** Keeps what requests change. */
  edge: Edge
  onExchange: (entry: JournalEntry) => void
}

/** Answers when what the request changed or saw is kept. An answer of `undefined` is none: see `finishUnanswered`. */
export function settle(ending: Ending, exchange: Exchange, answer: () => Reply | undefined): void | Promise<void> {
  const reply = answer()
  const kept = ending.edge.keepRows(exchange.sandbox, exchange.touches.writes, exchange.used)
  if (!kept) return end(ending, exchange, reply)
  // The log is written at the end of this turn: what waits for it can be sent right after, and not a turn later.
  sendThisTurn()
  return kept.then(
    (isKept) => {
      lap(exchange, 'keep')
      if (isKept) return end(ending, exchange, reply)
      beginAgain(exchange)
      return settle(ending, exchange, answer)
    },
    (error) => finish(ending, exchange, failed(exchange, error))
  )
}

function end(ending: Ending, exchange: Exchange, reply: Reply | undefined): void {
  if (reply) finish(ending, exchange, reply)
  else finishUnanswered(ending, exchange)
}

export function finish(ending: Ending, exchange: Exchange, reply: Reply): void {
  const { request, response } = exchange
  const headers = headersOf(exchange)
  let text: string
  try {
    text = write(request, response, reply, headers)
  } catch (error) {
    reply = failed(exchange, error)
    text = write(request, response, reply, headers)
  }
  lap(exchange, 'write')
  told(ending, exchange, record(exchange, reply, text, headers))
}

/** Passes on what the service behind a proxy answered. Rejects where that cannot be passed on. */
export async function finishRelayed(ending: Ending, exchange: Exchange, relayed: Relayed): Promise<void> {
  const reply = { status: relayed.status, body: undefined }
  if (Buffer.isBuffer(relayed.body)) {
    exchange.violations.push(...(await relayed.check(relayed.body)))
    const headers = headersOf(exchange)
    relayWhole(exchange, relayed, headers)
    lap(exchange, 'upstream')
    told(ending, exchange, record(exchange, reply, relayed.textOf(relayed.body) ?? '', headers))
    return
  }
  const headers = headersOf(exchange)
  const ended = relayStream(exchange, relayed, headers)
  const close = recordOpen(exchange, reply, headers)
  const bytes = await ended
  lap(exchange, 'upstream')
  told(ending, exchange, close(bytes ? (relayed.textOf(bytes) ?? '') : ''))
}

/** Ends an exchange that gets no answer: a fault breaks its connection, or its client has gone. */
function finishUnanswered(ending: Ending, exchange: Exchange): void {
  const { request, response, fault, sandbox } = exchange
  if (fault !== undefined) {
    const garbage = () => sandbox.chance.garbage()
    breakOff(fault, { request, response, headers: headersOf(exchange), garbage })
    lap(exchange, 'write')
  }
  told(ending, exchange, record(exchange, { status: 0, body: undefined }, '', {}))
}

function told({ edge, onExchange }: Ending, { sandbox }: Exchange, entry: JournalEntry): void {
  edge.countRequest(sandbox)
  onExchange(entry)
}

/** What every answer says of itself. */
function headersOf({ sandbox, assumed, violations }: Exchange): Record<string, string | number> {
  const headers: Record<string, string | number> = { 'X-Mock-Request-Id': sandbox.journal.nextId() }
  if (assumed.size > 0) headers['X-Mock-Assumed'] = [...assumed].join(', ')
  if (violations.length > 0) headers['X-Mock-Violations'] = violations.length
  return headers
}
