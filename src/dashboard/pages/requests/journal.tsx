import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { memo } from 'preact/compat'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { JournalEntry, WaitingRequest } from '../../../engine/contract/types.gen.js'
import { call, emptied, epoch, latestExchange, Refused, type Reply, useCall, useLoad } from '../client.js'
import { focusNextTime } from '../next-time.js'
import { Button, useKeys } from '../parts/actions.js'
import { Sorter } from '../parts/page.js'
import { count, grouped, milliseconds, mockTime, Short, Status, wallTime } from '../parts/text.js'
import { exchangeHref, go, replace } from '../route.js'
import { several } from '../state/labels.js'
import { type Query, withoutFaults } from './query.js'

const most = 10_000

const changedChoices = signal<ReadonlySet<string>>(new Set())

/** Keeps the choices that are not the documented ones, for the remarks. */
export function useChangedChoices(): void {
  const { value } = useCall('getAssumptions')
  useEffect(() => {
    const changed = value?.assumptions.filter(({ choice, default: documented }) => choice !== documented) ?? []
    changedChoices.value = new Set(changed.map(({ id }) => id))
  }, [value])
}

export interface Journal {
  shown: JournalEntry[]
  waiting: JournalEntry[]
  /** The requests whose answers are delayed. */
  delayed: readonly Line[]
  /** How many older ones the mock has dropped, regardless of the query. */
  dropped: number
  /** What is wrong with the query. The terms that are right count. */
  mistake?: string | undefined
}

/**
 * Loads the exchanges of a query, and after that only new ones. While the list is held, new exchanges wait, so that
 * nothing moves. Everything is loaded again if the journal was emptied or the connection was lost.
 */
export function useJournal(query: Query, isHeld: boolean) {
  const empty = { shown: [], waiting: [], delayed: [], dropped: 0, of: '', since: 0 }
  const list = useRef<Journal & { of: string; since: number }>(empty)
  const hold = useRef(isHeld)
  hold.current = isHeld
  const [, redraw] = useState(0)

  const load = async (): Promise<Journal> => {
    // Nothing is lost between the first load and the first connection.
    const of = JSON.stringify([query, Math.max(1, epoch.peek()), emptied.peek()])
    const isWhole = list.current.of !== of
    const part = isWhole ? { limit: most } : { since: `r${list.current.since}` }
    const latest = latestExchange
    let mistake: string | undefined
    const ask = (query: Query): Promise<Reply<'listRequests'>> =>
      call('listRequests', { query: { ...query, ...part } }).catch((error) => {
        const rest = error instanceof Refused && withoutFaults(query, error.reasons)
        if (!rest) throw error
        mistake ??= error.reasons
        return ask(rest)
      })
    const { requests, dropped = 0, waiting: delayed = [] } = await ask(query)
    const { shown, waiting, since } = isWhole ? empty : list.current
    const isWaiting = hold.current && !isWhole
    const isNothing = isWaiting || requests.length + waiting.length === 0
    list.current = {
      of,
      dropped,
      mistake,
      delayed: delayed.map(delayedLine),
      since: Math.max(since, latest, Number(requests[0]?.id.slice(1) ?? 0)),
      shown: isNothing ? shown : [...requests, ...waiting, ...shown].slice(0, most),
      waiting: isWaiting ? [...requests, ...waiting].slice(0, most) : []
    }
    return list.current
  }
  const every = list.current.delayed.length > 0 ? 1000 : undefined
  const loaded = useLoad(load, JSON.stringify(query), { live: true, every })
  const take = () => {
    const { shown, waiting } = list.current
    if (waiting.length === 0) return
    list.current = { ...list.current, shown: [...waiting, ...shown].slice(0, most), waiting: [] }
    redraw((times) => times + 1)
  }
  const journal: Journal | undefined = list.current.of === '' ? undefined : list.current
  return { loaded, journal, take }
}

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 26
const spare = 10
/** Elements are reused for other rows, which is faster than creating new ones. There are never this many rows. */
const slots = 512

/** The title of a group of exchanges, which is a line of the list. */
type Group = { id: string; group: string; of: readonly JournalEntry[] }

/** A request without its answer. */
type Delayed = JournalEntry & { until?: string }

export type Line = Delayed | Group

function delayedLine({ real_time, ...wait }: WaitingRequest): Delayed {
  const facts = { time: '', real_time, status: Number.NaN, violations: [], assumptions: [] }
  return { ...wait, ...facts, duration_ms: Date.now() - Date.parse(real_time) }
}

const isExchange = (line: Line) => !('group' in line || 'until' in line)

/** How exchanges can be grouped, with the name of the group of each. */
const groupings: Record<string, readonly [label: string, nameOf: (entry: JournalEntry) => string]> = {
  test: ['by test', (entry) => entry.test_case ?? 'No X-Test-Case'],
  user: ['by user', (entry) => entry.user ?? 'nobody'],
  client: ['by client', (entry) => entry.client ?? 'No User-Agent'],
  load: ['by page load', () => '']
}

export const groupNames = Object.entries(groupings).map(([name, [label]]) => [name, label] as const)

/** Requests of a page come together, so a silence of this many milliseconds begins a new page load. */
const silence = 2000

/** The lines of a list: sorted, and below the titles of their groups. */
export function linesOf(entries: readonly JournalEntry[], sort: string, by: string): readonly Line[] {
  const sign = sort.startsWith('-') ? -1 : 1
  const keyOf = columns[sort.replace('-', '')]?.[2]
  const compare = (a: string | number, b: string | number) => (a < b ? -sign : a > b ? sign : 0)
  const sorted = keyOf ? entries.toSorted((a, b) => compare(keyOf(a), keyOf(b))) : entries
  const nameOf = groupings[by]?.[1]
  if (!nameOf) return sorted
  const loads = by === 'load' ? loadsOf(entries) : undefined
  const groups = Map.groupBy(sorted, (entry) => loads?.get(entry.id) ?? nameOf(entry))
  return [...groups].flatMap(([group, of]) => [{ id: `group ${group}`, group, of }, ...of])
}

/** What is wrong with the order in the address. */
export function orderMistake(sort: string, by: string): string | undefined {
  const sorts = Object.keys(columns).filter((name) => columns[name]?.[2])
  const groups = Object.keys(groupings)
  if (!['', ...groups].includes(by)) return `There is no group "${by}". Groups: ${groups.join(', ')}.`
  if (['', ...sorts].includes(sort.replace('-', ''))) return undefined
  return `Exchanges are not sorted by "${sort}". They can be by ${sorts.join(', ')}.`
}

/** The page load of each exchange. */
function loadsOf(entries: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const loads = new Map<string, string>()
  let [load, before] = ['', 0]
  for (const { id, real_time } of entries.toReversed()) {
    const time = Date.parse(real_time)
    if (time - before > silence) load = `Since ${wallTime(real_time).slice(0, 8)}`
    before = time
    loads.set(id, load)
  }
  return loads
}

interface Props {
  entries: readonly Line[]
  sort: string
  chosen: string | undefined
  waiting: number
  /** Reports whether rows must stay in place: the user scrolls, points at them, or moves through them. */
  onHold: (isHeld: boolean) => void
  take: () => void
}

/** Exchanges, newest first. Only the visible rows are in the document, and the one that has the focus. */
export function List({ entries, sort, chosen, waiting, onHold, take }: Props) {
  const box = useRef<HTMLTableSectionElement>(null)
  const [first, setFirst] = useState(0)
  const [height, setHeight] = useState(800)
  const [cursor, setCursor] = useState<string>()
  /** What to do with the row at the cursor. */
  const nextView = useRef<'view' | 'focus' | undefined>(undefined)
  const hold = useRef({ scrolled: false, pointed: false, focused: false })

  const note = (change: Partial<typeof hold.current>) => {
    Object.assign(hold.current, change)
    onHold(Object.values(hold.current).some(Boolean))
  }
  const takeAll = () => {
    box.current?.scrollTo({ top: 0 })
    take()
  }
  // Browsers report a scroll with the next frame, when the list may be gone.
  const scroll = ({ currentTarget: { scrollTop } }: { currentTarget: Element }) => {
    setFirst(Math.floor(scrollTop / rowHeight))
    note({ scrolled: scrollTop > 0 })
  }
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 800))
    observer.observe(box.current as HTMLTableSectionElement)
    return () => observer.disconnect()
  }, [])

  const at = entries.findIndex(({ id }) => id === (cursor ?? chosen))
  const move = (steps: number) => () => {
    const begin = at < 0 ? 0 : at + steps
    const rest = steps < 0 ? entries.slice(0, begin + 1).reverse() : entries.slice(begin)
    const next = rest.find(isExchange)
    if (!next) return
    nextView.current = 'focus'
    setCursor(next.id)
    if (chosen !== undefined) replace(exchangeHref(next.id))
  }
  useKeys({
    j: move(1),
    k: move(-1),
    n: () => {
      const entry = entries[at] ?? entries.find(isExchange)
      if (chosen !== undefined || !entry) return false
      focusNextTime()
      go(exchangeHref(entry.id))
    },
    Escape: () => {
      if (chosen === undefined) return false
      nextView.current = 'focus'
      setCursor(chosen)
      go(exchangeHref())
    }
  })
  useLayoutEffect(() => {
    const rows = box.current as HTMLTableSectionElement
    if (!nextView.current || at < 0) return
    const top = at * rowHeight
    if (top < rows.scrollTop) rows.scrollTop = top
    else rows.scrollTop = Math.max(rows.scrollTop, top + rowHeight - rows.clientHeight)
    const link = rows.querySelector<HTMLElement>(`[data-id="${cursor}"] a`)
    if (nextView.current === 'focus') link?.focus({ preventScroll: true })
    nextView.current = undefined
  }, [cursor, chosen, at])
  // The exchange in the address is in view, also when the address changes elsewhere.
  useLayoutEffect(() => {
    if (chosen !== undefined && chosen !== cursor) nextView.current = 'view'
    setCursor(chosen ?? cursor)
  }, [chosen])

  const stop = entries.findIndex(isExchange)
  const begin = Math.max(0, first - spare)
  const end = first + Math.ceil(height / rowHeight) + spare
  const shown = entries.slice(begin, end).map((entry, i) => [entry, begin + i] as const)
  if (at >= 0 && !shown.some(([, index]) => index === at)) shown.push([entries[at] as Line, at])
  return (
    <div class="journal panel">
      {waiting > 0 && <Button text={`↑ ${grouped(waiting)} new`} class="primary waiting" run={takeAll} />}
      <table aria-rowcount={entries.length + 1}>
        <caption class="hidden">Exchanges, newest first</caption>
        <thead>
          <tr class="line">
            {Object.entries(columns).map(([name, [title, , keyOf]]) =>
              keyOf ? (
                <Sorter key={name} field={name} label={title} sort={sort} class={name} />
              ) : (
                <th key={name} scope="col" class={name}>
                  {title}
                </th>
              )
            )}
          </tr>
        </thead>
        <tbody
          ref={box}
          class="rows"
          style={{ '--all': `${entries.length * rowHeight}px` }}
          onScroll={scroll}
          onMouseEnter={() => note({ pointed: true })}
          onMouseLeave={() => note({ pointed: false })}
          onFocusCapture={() => note({ focused: true })}
          onBlurCapture={({ relatedTarget }) =>
            note({ focused: box.current?.contains(relatedTarget as Node | null) === true })
          }
        >
          {shown.map(([entry, index]) =>
            'group' in entry ? (
              <GroupLine key={entry.id} index={index} {...entry} />
            ) : (
              <Row
                key={index === at ? entry.id : index % slots}
                entry={entry}
                index={index}
                isChosen={entry.id === chosen}
                isStop={index === (at < 0 ? stop : at)}
              />
            )
          )}
        </tbody>
      </table>
      {entries.length === 0 && <p class="none quiet">No exchange matches.</p>}
    </div>
  )
}

/** `isStop`: the Tab key stops here. It stops at one row only. */
type RowProps = { entry: Delayed; index: number; isChosen: boolean; isStop: boolean }
type Column = [title: string, cell: (row: RowProps) => ComponentChildren, key?: (entry: Delayed) => string | number]

/** The columns, and by what those are sorted that can be. */
const columns: Record<string, Column> = {
  wall: ['Time', ({ entry }) => wallTime(entry.real_time), ({ id }) => Number(id.slice(1))],
  state: ['Status', ({ entry: { status, violations } }) => <Status {...{ status, violations }} />, (it) => it.status],
  request: ['Request', Request, ({ url }) => url],
  operation: ['Operation', ({ entry }) => entry.operation ?? 'no operation', ({ operation }) => operation ?? ''],
  source: ['Source', ({ entry }) => entry.source ?? '–', ({ source }) => source ?? ''],
  user: ['User', ({ entry }) => entry.user ?? '–', ({ user }) => user ?? ''],
  changed: ['Changed', Changed],
  remarks: ['Remarks', Remarks],
  took: ['Took', ({ entry }) => milliseconds(entry.duration_ms), ({ duration_ms }) => duration_ms],
  mock: ['Mock time', ({ entry }) => mockTime(entry.time), ({ time }) => time]
}

function GroupLine({ group, of, index }: Group & { index: number }) {
  const failed = of.filter(({ status, violations }) => status === 0 || status >= 400 || violations.length > 0).length
  return (
    <tr class="line group" aria-rowindex={index + 2} style={{ top: index * rowHeight }}>
      <th scope="rowgroup" colSpan={Object.keys(columns).length}>
        {group} <span class="quiet">{count(of.length, 'exchange')}</span>{' '}
        {failed > 0 && <span class="tag bad">{failed} failed</span>}
      </th>
    </tr>
  )
}

/** Exchanges in the journal never change. */
const Row = memo(function Row(row: RowProps) {
  const { entry, index, isChosen } = row
  const style = { top: index * rowHeight }
  return (
    <tr class={isChosen ? 'line chosen' : 'line'} aria-rowindex={index + 2} data-id={entry.id} style={style}>
      {Object.entries(columns).map(([name, [, cell]]) => (
        <td key={name} class={name}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
})

function Request({ entry: { id, method, url, until }, isChosen, isStop }: RowProps) {
  const Link = until ? 'span' : 'a'
  return (
    <Link href={until ? undefined : exchangeHref(id)} tabIndex={isStop ? 0 : -1} aria-current={isChosen || undefined}>
      <span class="method">{method}</span> <Short text={url} most={200} />
    </Link>
  )
}

function Changed({ entry: { changed = [] } }: RowProps) {
  return changed.map(({ collection, added, changed, removed }) => {
    const title = `${several(collection)}: ${added} added, ${changed} changed, ${removed} removed`
    return (
      <span key={collection} class="delta" title={title}>
        {several(collection)}
        {added > 0 && <b class="added">+{added}</b>}
        {changed > 0 && <b class="altered">~{changed}</b>}
        {removed > 0 && <b class="removed">−{removed}</b>}
      </span>
    )
  })
}

/** What is unusual: every answer depends on assumptions, but few on choices that were changed. */
function Remarks({ entry: { status, violations, override, fault, failure, assumptions, until, source } }: RowProps) {
  const unusual = assumptions.filter((id) => changedChoices.value.has(id))
  return (
    <>
      {violations.length > 0 && <span class="tag bad">{count(violations.length, 'violation')}</span>}
      {failure !== undefined && <span class="tag bad">failure</span>}
      {fault !== undefined && <span class="tag warn">fault</span>}
      {status === 0 && fault === undefined && <span class="tag plain">the client left</span>}
      {until && <span class="tag plain">until {wallTime(until).slice(0, 8)}</span>}
      {override !== undefined && (
        <span class="tag accent">
          {override !== 'Prefer' ? 'override' : source === 'override' ? 'forced' : 'delayed'}
        </span>
      )}
      {unusual.length > 0 && (
        <span class="tag plain" title={unusual.join(', ')}>
          {unusual[0]} {unusual.length > 1 && `+${unusual.length - 1}`}
        </span>
      )}
    </>
  )
}
