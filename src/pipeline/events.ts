import type { JournalEntry, Operations } from '../contract/types.gen.js'
import { guarded } from '../http/contain.js'
import { whenOver } from '../http/over.js'
import { type Journal, type JournalEvent, numberOf } from '../mock/journal.js'
import { filterOf, type Test } from '../rules/control/request-filter.js'
import { line } from '../rules/control/requests.js'
import type { Exchange } from './exchange.js'

type Query = Operations['streamEvents']['input']['query']

/** Proxies close what stays silent: so many milliseconds. */
const heartbeat = 15_000

/**
 * The journal of a sandbox as server-sent events: those that the client missed, then each as it comes. What a client
 * has yet to get waits in the journal, not for each client anew: who is so slow that the journal forgets it first is
 * given up, and may come back with the id of its last event. Throws Invalid for a wrong filter.
 */
export function streamJournal({ request, response, sandbox: { journal }, contract }: Exchange, query: Query): void {
  const { since, ...filter } = query
  const passes = filterOf(filter, contract)
  const last = request.headers['last-event-id']
  let position = startOf(journal, typeof last === 'string' && numberOf(last) !== undefined ? last : since, (text) =>
    filterOf({ since: text }, contract)
  )

  const send = (type: string, data: object, id?: string) =>
    response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
  const sendOn = () => {
    if (position < journal.forgotten) return void response.destroy()
    for (; position < journal.position && !response.writableNeedDrain; position++) {
      const entry = journal.entryAt(position) as JournalEntry
      if (passes(entry)) send('exchange', line(journal, contract, entry), entry.id)
    }
  }
  // What happens here is called by the exchange of another connection, by a timer or by the socket.
  const fail = () => void response.destroy()
  const react = ({ type }: JournalEvent) => {
    if (type === 'exchange') return sendOn()
    if (type === 'cleared' && response.writableNeedDrain) return void response.destroy()
    position = journal.position
    if (type !== 'closed') send(type, {})
    if (type !== 'cleared') response.end()
  }

  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    Connection: 'close'
  })
  if (request.method === 'HEAD') return void response.end()
  response.write(': the journal\n\n')
  const stop = journal.listen(guarded(fail, react))
  const keepOpen = () => {
    if (!response.writableNeedDrain) response.write(':\n\n')
  }
  const beat = setInterval(guarded(fail, keepOpen), heartbeat).unref()
  response.on('drain', guarded(fail, sendOn))
  whenOver(response, () => {
    stop()
    clearInterval(beat)
  })
  sendOn()
}

/** How many exchanges came before the first that is sent. An id that is yet to come is one of before a reset. */
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
