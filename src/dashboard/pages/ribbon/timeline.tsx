import { useEffect, useMemo } from 'preact/hooks'
import type { JournalEntry } from '../../../engine/contract/types.gen.js'
import { useCall } from '../load.js'
import { useJournal } from '../requests/journal.js'
import { type Event, eventsOf } from './events.js'
import { Ribbon } from './ribbon.js'

const everything = {}
const none: readonly JournalEntry[] = []

/** The ribbon of a page that shows earlier moments, with all exchanges. */
export function Timeline() {
  const { journal } = useJournal(everything, false)
  return <Ribbon events={useEvents(journal?.shown ?? none)} />
}

/** These exchanges, and all other events. */
export function useEvents(entries: readonly JournalEntry[]): readonly Event[] {
  const { value: history, reload } = useCall('getHistory', {}, { every: 10_000 })
  const isBefore = history?.first_request === null
  const newest = entries[0]?.id
  // The state after the first exchange is kept. Only then does the history say from which one on.
  useEffect(() => void (isBefore && newest !== undefined && reload()), [isBefore, newest])
  return useMemo(() => (history ? eventsOf(entries, history) : []), [entries, history])
}
