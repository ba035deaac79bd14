import type { Exchange } from './exchange.js'

/** A client that does not read is given up when so many bytes wait for it. */
const patience = 1024 * 1024
/** Proxies close what stays silent. */
const heartbeat = 15_000

/** The journal of a sandbox as server-sent events: those that the client missed, then each as it comes. */
export function streamJournal({ request, response, sandbox }: Exchange): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no'
  })
  const send = (text: string) => {
    response.write(text)
    if (response.writableLength > patience) response.destroy()
  }
  const sendEntry = ({ entry }: { entry: { id: string } }) =>
    send(`id: ${entry.id}\nevent: exchange\ndata: ${JSON.stringify(entry)}\n\n`)
  send(': the journal\n\n')
  const last = request.headers['last-event-id']
  if (typeof last === 'string') for (const missed of missedSince(sandbox.journal.entries(), last)) sendEntry(missed)
  const stop = sandbox.journal.listen(sendEntry)
  const beat = setInterval(() => send(':\n\n'), heartbeat).unref()
  response.once('close', () => {
    stop()
    clearInterval(beat)
  })
}

function missedSince<T extends { entry: { id: string } }>(entries: Iterable<T>, last: string): T[] {
  const missed: T[] = []
  for (const recorded of entries) {
    if (recorded.entry.id === last) break
    missed.unshift(recorded)
  }
  return missed
}
