import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers'
import type { Contract } from '../contract/contract.js'
import type { JournalEntry, Operations } from '../contract/types.gen.js'
import { type JournalEvent, numberOf } from '../journal/journal.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Exchange } from '../serve/exchange.js'
import { guarded } from '../serve/message/contain.js'
import type { Answer } from '../serve/message/message.js'
import { filterOf } from './journal/request-filter.js'
import { line } from './journal/requests.js'

type Query = Operations['streamEvents']['input']['query']

/** Milliseconds between heartbeats. Proxies close silent connections. */
const heartbeat = 15_000

/** A client with more waiting characters counts as slow. */
const most = 16 * 1024

/**
 * Streams the journal of a sandbox as server-sent events: first the exchanges that the client missed, then each new one.
 * Waiting events stay in the journal and are not copied per client. If the journal drops an exchange before a slow client gets
 * it, the connection closes; the client may reconnect with its last event id. A stream of a sandbox that does not exist waits
 * until it is created. Throws Invalid for a wrong filter.
 */
export function streamJournal(
  exchange: Exchange,
  query: Query,
  awaitMade: (listener: (sandbox: Sandbox | undefined) => void) => () => void
): Answer {
  const { request, contract } = exchange
  let { journal } = exchange.sandbox
  const { since, every = 0, control: tellsControl = false, ...filter } = query
  let passes = filterOf(filter, contract, exchange.sandbox)
  const last = request.headers['last-event-id']
  const from = typeof last === 'string' && numberOf(last) !== undefined ? last : since
  let position = startOf(exchange.sandbox, from, contract)
  let text = ': the journal\n\n'
  let isOver = false
  /** Whether a request has begun or ended to wait since the client was informed. */
  let isWaitNew = false
  let wake = () => {}

  const add = (type: string, data: object, id?: string) => {
    text += `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }
  const isSlow = () => text.length >= most
  const fail = () => request.drop()
  /** Waits until the next time to send exchanges. */
  let waiting: NodeJS.Timeout | undefined
  const addLatest = () => {
    waiting = undefined
    position = Math.max(position, journal.position - 1)
    addEntries()
    addWait()
    wake()
  }
  const addWait = () => {
    if (isWaitNew && !isSlow()) add('waiting', {})
    isWaitNew = false
  }
  const addEntries = () => {
    if (position < journal.forgotten) return request.drop()
    for (; position < journal.position && !isSlow(); position++) {
      const entry = journal.entryAt(position) as JournalEntry
      if (passes(entry)) add('exchange', line(journal, contract, entry), entry.id)
    }
  }
  // Another connection's exchange or a timer calls this, so errors must not reach the caller.
  const react = (event: JournalEvent) => {
    const { type } = event
    if (type === 'exchange' || type === 'waiting') {
      if (type === 'waiting' && !tellsControl) return
      isWaitNew ||= type === 'waiting'
      if (every > 0) {
        waiting ??= setTimeout(guarded(fail, addLatest), every)
        return
      }
      if (type === 'exchange') addEntries()
      else addWait()
    } else if (type === 'control' || type === 'ended') {
      if (!tellsControl || isSlow()) return
      add(type, type === 'control' ? { operation: event.operation } : {})
    } else if (type === 'cleared' && isSlow()) request.drop()
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
    let stop = journal.listen(guarded(fail, react))
    const stopWaiting = awaitMade((sandbox) => {
      stop()
      if (!sandbox) {
        isOver = true
        return wake()
      }
      journal = sandbox.journal
      position = journal.position
      passes = filterOf(filter, contract, sandbox)
      stop = journal.listen(guarded(fail, react))
    })
    const timer = setInterval(guarded(fail, beat), heartbeat)
    timer.unref()
    const unwatch = request.whenOver(() => {
      isOver = true
      wake()
    })
    try {
      for (;;) {
        if (every === 0) addEntries()
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
      stopWaiting()
      clearTimeout(waiting)
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

/** The number of exchanges before the first one to send. An id from the future is from before a reset. */
function startOf(sandbox: Sandbox, since: string | undefined, contract: Contract): number {
  const { journal } = sandbox
  if (since === undefined) return journal.position
  const number = numberOf(since) ?? 0
  if (number > journal.position) return journal.forgotten
  const isSince = filterOf({ since }, contract, sandbox)
  let position = Math.max(number, journal.forgotten)
  for (; position < journal.position; position++) {
    const entry = journal.entryAt(position)
    if (entry && isSince(entry)) break
  }
  return position
}
