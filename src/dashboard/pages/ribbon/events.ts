import type { History, JournalEntry, StatusChange } from '../../../engine/contract/types.gen.js'
import { rowLabel, several } from '../state/labels.js'

const tick = 'M-2 -3H2V5H-2Z'
const disc = 'M-3 0a3 3 0 1 1 6 0a3 3 0 1 1 -6 0Z'

/**
 * The kinds of exchanges and control calls: colour, shape and meaning. Marks differ by shape, not only by colour. If events share
 * a pixel, the last of these is drawn.
 */
export const kinds = {
  start: ['--line-strong', 'M-1 -5H1V5H-1Z', 'The earliest state that is kept'],
  fine: ['--line-strong', tick, 'A request'],
  wrote: ['--good', 'M-2 -6H2V6H-2Z', 'A request that changed rows: a tall tick'],
  rows: ['--accent', 'M-4 -1.5H4V1.5H-4Z', 'Rows were added, edited or deleted here'],
  other: ['--quiet', disc, 'Another control call'],
  lifecycle: ['--good', disc, 'A status changed, by itself or by hand'],
  override: ['--warn', 'M0 -4.5L4.5 4H-4.5Z', 'Overrides or the weather changed'],
  clock: ['--accent', 'M0 -4.5L4.5 0L0 4.5L-4.5 0Z', 'The clock was set'],
  whole: ['--bad', 'M-4 -4H4V4H-4Z', 'The whole state was replaced'],
  refused: ['--warn', tick, 'A request that was answered with 4xx: a low tick'],
  broken: ['--bad', tick, 'A 5xx, a broken connection or a violation']
} as const
export type Kind = keyof typeof kinds

export interface Event {
  /** Its id in the control API: r12, m12 or m12.3200. */
  at: string
  kind: Kind
  text: string
  /** Real time, and the time of the sandbox. Missing at the start. */
  wall?: string
  mock?: string
  isKept: boolean
}

type Entries = readonly JournalEntry[]

/** What calls of the control API do, in words. Others are shown by name. */
const calls: Record<string, [kind: Kind, text: string]> = {
  setClock: ['clock', 'Clock was set'],
  resetSandbox: ['whole', 'Reset'],
  replaceState: ['whole', 'State was replaced'],
  restoreSnapshot: ['whole', 'Snapshot was restored:'],
  goBack: ['whole', 'Went back to'],
  undoChange: ['other', 'Undone:'],
  moveRow: ['lifecycle', 'Status was changed:'],
  addRow: ['rows', 'Rows were added:'],
  replaceRow: ['rows', 'Row was edited:'],
  changeRow: ['rows', 'Row was edited:'],
  removeRow: ['rows', 'Row was deleted:'],
  addOverride: ['override', 'Override was added'],
  replaceOverrides: ['override', 'Overrides were replaced'],
  switchOverride: ['override', 'Override was switched:'],
  deleteOverride: ['override', 'Override was removed:'],
  deleteOverrides: ['override', 'Overrides were removed'],
  setWeather: ['override', 'Weather was changed'],
  changeAssumptions: ['other', 'Assumptions were changed'],
  takeSnapshot: ['other', 'Snapshot was taken:'],
  deleteSnapshot: ['other', 'Snapshot was deleted:'],
  clearRequests: ['other', 'Journal was emptied'],
  restoreRequests: ['other', 'Journal was restored']
}

/** Exchanges (newest first), control calls, and changes that came only with time, in order, oldest first. */
export function eventsOf(entries: Entries, history: History): Event[] {
  const { moments, earliest, first_request, status_changes } = history
  const first = first_request === null ? Number.POSITIVE_INFINITY : numberOf(first_request)
  // After a reset that empties the journal, earlier events come before all exchanges.
  const reset = moments.findLastIndex((it) => it.operation === 'resetSandbox' && it.after_request === null)
  const calls = moments.map((moment, index) => ({
    event: callEvent(moment),
    place: index <= reset ? 0 : numberOf(moment.after_request ?? 'r0')
  }))
  const exchanges = entries.toReversed().map((entry) => {
    const number = numberOf(entry.id)
    return { event: exchangeEvent(entry, number >= first), place: number - 0.5 }
  })
  const events = [...calls, ...exchanges].sort((a, b) => a.place - b.place).map(({ event }) => event)
  const begin = events.findIndex(({ isKept }) => isKept)
  const text = 'The earliest state that is kept'
  const start: Event = { at: earliest, kind: 'start', text, isKept: true }
  events.splice(begin < 0 ? events.length : begin, 0, start)
  return merged(events, statusEvents(status_changes))
}

type Moment = History['moments'][number]

export function textOfCall({ operation, of }: Moment): string {
  const [kind, call] = calls[operation] ?? ['other', operation]
  return `${call} ${['rows', 'lifecycle'].includes(kind) ? rowsOf(of) : of}`.trim()
}

function callEvent(moment: Moment): Event {
  const { operation, id, time, real_time } = moment
  const [kind] = calls[operation] ?? ['other']
  return { at: id, kind, text: textOfCall(moment), wall: real_time, mock: time, isKept: true }
}

/** Changes of status at the same moment are one event. */
function statusEvents(changes: readonly StatusChange[]): Event[] {
  return [...Map.groupBy(changes, ({ id }) => id).values()].map((together) => {
    const { id, name, from, to, time, real_time } = together[0] as StatusChange
    const others = together.length > 1 ? `, and ${together.length - 1} more` : ''
    const text = `${name}: ${from} → ${to}${others}`
    return { at: id, kind: 'lifecycle', text, wall: real_time, mock: time, isKept: true }
  })
}

/** By real time. Changes that a clock passed when it was set come before the setting. */
function merged(events: readonly Event[], changes: readonly Event[]): Event[] {
  const rest = [...changes]
  const all = events.flatMap((event) => {
    const later = rest.findIndex(({ wall = '' }) => event.wall === undefined || wall > event.wall)
    return [...rest.splice(0, later < 0 ? rest.length : later), event]
  })
  return [...all, ...rest]
}

/** What a path names, in words: a collection, or a row of one. */
function rowsOf(path: string): string {
  const [collection = '', id] = path.split(' ')
  return id === undefined ? several(collection) : rowLabel(collection, id)
}

function exchangeEvent(entry: JournalEntry, isKept: boolean): Event {
  const { id, method, url, status, changed, violations, time, real_time } = entry
  const isBroken = status === 0 || status >= 500 || violations.length > 0
  const kind = isBroken ? 'broken' : status >= 400 ? 'refused' : changed ? 'wrote' : 'fine'
  const text = `${method} ${url} → ${status === 0 ? 'broken' : status}`
  return { at: id, kind, text, wall: real_time, mock: time, isKept }
}

/** The place of a moment. Without an event, it is at the latest call before it, or at the start. */
export function indexAt(events: readonly Event[], at: string): number {
  const exact = events.findIndex((event) => event.at === at)
  if (exact >= 0) return exact
  const calls = events.findLastIndex((event) => event.at.startsWith('m') && numberOf(event.at) <= numberOf(at))
  return at.startsWith('m') ? Math.max(0, calls) : 0
}

function numberOf(id: string): number {
  return Number(id.slice(1))
}

/** The exchanges of a range, as in the URL: r3-r9. Undefined if there are none. */
export function stretchIn(events: readonly Event[]): string | undefined {
  const exchanges = events.filter(({ at }) => at.startsWith('r'))
  const [first, last] = [exchanges[0], exchanges.at(-1)]
  return first && last && `${first.at}-${last.at}`
}

export function until(entries: Entries, events: readonly Event[], at: string | undefined): Entries {
  if (at === undefined) return entries
  const last = events.slice(0, indexAt(events, at) + 1).findLast((event) => event.at.startsWith('r'))
  return entries.filter(({ id }) => last !== undefined && numberOf(id) <= numberOf(last.at))
}

/** The exchanges that are in a range; all of them if there is none. */
export function within(entries: Entries, stretch: string | null): Entries {
  const [, first, last] = /^r(\d+)-r(\d+)$/.exec(stretch ?? '') ?? []
  if (first === undefined) return entries
  return entries.filter(({ id }) => numberOf(id) >= Number(first) && numberOf(id) <= Number(last))
}
