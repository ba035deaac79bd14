import { clearInterval, setInterval } from 'node:timers'
import type { JournalEntry, Operations } from '../../contract/types.gen.js'
import { type Journal, type JournalEvent, numberOf } from '../../mock/journal/journal.js'
import { filterOf, type Test } from '../../rules/control/request-filter.js'
import { line } from '../../rules/control/requests.js'
import type { Exchange } from '../exchange.js'
import { guarded } from '../message/contain.js'
import type { Answer } from '../message/message.js'

type Query = Operations['streamEvents']['input']['query']

/** Milliseconds between heartbeats. Proxies close silent connections. */
const heartbeat = 15_000

/** A client with more waiting characters counts as slow. */
const most = 16 * 1024

/**
 * Streams the journal of a sandbox as server-sent events: first the exchanges that the client missed, then each new
 * one. Waiting events stay in the journal and are not copied per client. If the journal drops an exchange before a slow
 * client gets it, the connection closes; the client may reconnect with its last event id. Throws Invalid for a wrong
 * filter.
 */
export function streamJournal(exchange: Exchange, query: Query): Answer {
  const { request, contract } = exchange
  const { journal } = exchange.sandbox
  const { since, ...filter } = query
  const passes = filterOf(filter, contract)
  const last = request.headers['last-event-id']
  let position = startOf(journal, typeof last === 'string' && numberOf(last) !== undefined ? last : since, (text) =>
    filterOf({ since: text }, contract)
  )
  /** The text that is ready to be sent. */
  let text = ': the journal\n\n'
  let isOver = false
  let wake = () => {}

  const add = (type: string, data: object, id?: string) => {
    text += `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }
  const isSlow = () => text.length >= most
  const fail = () => request.drop()
  const addEntries = () => {
    if (position < journal.forgotten) return request.drop()
    for (; position < journal.position && !isSlow(); position++) {
      const entry = journal.entryAt(position) as JournalEntry
      if (passes(entry)) add('exchange', line(journal, contract, entry), entry.id)
    }
  }
  // Another connection's exchange or a timer calls this, so errors must not reach the caller.
  const react = ({ type }: JournalEvent) => {
    if (type === 'exchange') addEntries()
    else if (type === 'cleared' && isSlow()) request.drop()
    else {
      position = journal.position
      if (type !== 'closed') add(type, {})
      isOver ||= type !== 'cleared'
    }
    wake()
  }
  const beat = () => {
    if (!isSlow()) text += ':\n\n'
    wake()
  }

  async function* events(): AsyncGenerator<string> {
    const stop = journal.listen(guarded(fail, react))
    const timer = setInterval(guarded(fail, beat), heartbeat)
    timer.unref()
    const unwatch = request.whenOver(() => {
      isOver = true
      wake()
    })
    try {
      for (;;) {
        addEntries()
        if (text !== '') {
          const ready = text
          text = ''
          yield ready
        } else if (isOver) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      stop()
      clearInterval(timer)
      unwatch()
    }
  }
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    Connection: 'close'
  }
  return { status: 200, headers, body: events() }
}

/** The number of exchanges before the first one to send. An id from the future dates from before a reset. */
function startOf(journal: Journal, since: string | undefined, testOf: (since: string) => Test): number {
  if (since === undefined) return journal.position
  const number = numberOf(since) ?? 0
  if (number > journal.position) return journal.forgotten
  const isSince = testOf(since)
  let position = Math.max(number, journal.forgotten)
  for (; position < journal.position; position++) {
    const entry = journal.entryAt(position)
    if (entry && isSince(entry)) break
  }
  return position
}
