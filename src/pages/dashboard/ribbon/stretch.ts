import type { JournalEntry } from '../../../contract/types.gen.js'
import { type Event, indexBefore, numberOf } from './events.js'

/** The exchanges of a stretch, as the address has them: r3-r9. Undefined if there are none. */
export function stretchIn(events: readonly Event[]): string | undefined {
  const exchanges = events.filter(({ at }) => at.startsWith('r'))
  const [first, last] = [exchanges[0], exchanges.at(-1)]
  return first && last && `${first.at}-${last.at}`
}

/** The exchanges that there were at a moment. */
export function until(
  entries: readonly JournalEntry[],
  events: readonly Event[],
  at: string | undefined
): readonly JournalEntry[] {
  if (at === undefined) return entries
  const own = events.findIndex((event) => event.at === at)
  const there = own < 0 ? indexBefore(events, at) : own
  const last = events.slice(0, there + 1).findLast((event) => event.at.startsWith('r'))
  return entries.filter(({ id }) => last !== undefined && numberOf(id) <= numberOf(last.at))
}

/** The exchanges that are in a stretch; all of them if there is none. */
export function within(entries: readonly JournalEntry[], stretch: string | null): readonly JournalEntry[] {
  const [, first, last] = /^r(\d+)-r(\d+)$/.exec(stretch ?? '') ?? []
  if (first === undefined) return entries
  return entries.filter(({ id }) => numberOf(id) >= Number(first) && numberOf(id) <= Number(last))
}
