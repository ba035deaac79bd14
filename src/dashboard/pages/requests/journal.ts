import { useRef, useState } from 'preact/hooks'
import type { JournalEntry } from '../../../engine/contract/types.gen.js'
import { call } from '../client.js'
import { emptied, epoch, latestExchange } from '../live.js'
import { type LoadState, useLoad } from '../load.js'
import type { Query } from './query.js'

/** The highest number of exchanges in the list. */
const most = 10_000

/** The exchanges of a query, newest first. */
interface Journal {
  shown: JournalEntry[]
  /** New ones that are not shown yet. */
  waiting: JournalEntry[]
  /** How many older ones the mock has dropped, regardless of the query. */
  dropped: number
}

/**
 * Loads the exchanges of a query, and after that only new ones. While the list is held, new exchanges wait, so that
 * nothing moves. Everything is loaded again if the journal was emptied or the connection was lost.
 */
export function useJournal(
  query: Query,
  isHeld: boolean
): { loaded: LoadState<Journal>; journal: Journal | undefined; take: () => void } {
  const list = useRef<Journal & { of: string; since: number }>({
    shown: [],
    waiting: [],
    dropped: 0,
    of: '',
    since: 0
  })
  const hold = useRef(isHeld)
  hold.current = isHeld
  const [, redraw] = useState(0)

  const load = async (): Promise<Journal> => {
    // Nothing is lost between the first load and the first connection.
    const of = JSON.stringify([query, Math.max(1, epoch.peek()), emptied.peek()])
    const isWhole = list.current.of !== of
    const part = isWhole ? { limit: most } : { since: `r${list.current.since}` }
    const latest = latestExchange()
    const { requests, dropped } = await call('listRequests', { query: { ...query, ...part } })
    const { shown, waiting, since } = isWhole ? { shown: [], waiting: [], since: 0 } : list.current
    const isWaiting = hold.current && !isWhole
    const isNothing = isWaiting || requests.length + waiting.length === 0
    list.current = {
      of,
      dropped,
      since: Math.max(since, latest, numberOf(requests[0])),
      shown: isNothing ? shown : [...requests, ...waiting, ...shown].slice(0, most),
      waiting: isWaiting ? [...requests, ...waiting].slice(0, most) : []
    }
    return list.current
  }
  const loaded = useLoad(load, JSON.stringify(query), { live: true })
  const take = () => {
    const { shown, waiting } = list.current
    if (waiting.length === 0) return
    list.current = { ...list.current, shown: [...waiting, ...shown].slice(0, most), waiting: [] }
    redraw((times) => times + 1)
  }
  return { loaded, journal: list.current.of === '' ? undefined : list.current, take }
}

function numberOf(entry: JournalEntry | undefined): number {
  return entry ? Number(entry.id.slice(1)) : 0
}
