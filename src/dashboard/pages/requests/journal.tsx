import { memo } from 'preact/compat'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { JournalEntry } from '../../../engine/contract/types.gen.js'
import { call, emptied, epoch, type LoadState, latestExchange, useLoad } from '../client.js'
import { Button, useKeys } from '../parts/actions.js'
import { count, milliseconds, mockTime, Short, Status, wallTime } from '../parts/text.js'
import { exchangeHref, go, replace } from '../route.js'
import { several } from '../state/labels.js'
import type { Query } from './query.js'

const most = 10_000

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
  const empty = { shown: [], waiting: [], dropped: 0, of: '', since: 0 }
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
    const { requests, dropped } = await call('listRequests', { query: { ...query, ...part } })
    const { shown, waiting, since } = isWhole ? empty : list.current
    const isWaiting = hold.current && !isWhole
    const isNothing = isWaiting || requests.length + waiting.length === 0
    list.current = {
      of,
      dropped,
      since: Math.max(since, latest, Number(requests[0]?.id.slice(1) ?? 0)),
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

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 26
const spare = 10
/** Elements are reused for other rows, which is faster than creating new ones. There are never this many rows. */
const slots = 512

interface Props {
  entries: readonly JournalEntry[]
  chosen: string | undefined
  waiting: number
  /** Reports whether rows must stay in place: the user scrolls, points at them, or moves through them. */
  onHold: (isHeld: boolean) => void
  take: () => void
}

/** Exchanges, newest first. Only the visible rows are in the document, and the one that has the focus. */
export function List({ entries, chosen, waiting, onHold, take }: Props) {
  const box = useRef<HTMLTableSectionElement>(null)
  const [first, setFirst] = useState(0)
  const [height, setHeight] = useState(800)
  const [cursor, setCursor] = useState<string>()
  const isMoved = useRef(false)
  /** Whether to show the exchange that the URL named at the start. */
  const isSought = useRef(chosen !== undefined)
  const hold = useRef({ scrolled: false, pointed: false, focused: false })

  const note = (change: Partial<typeof hold.current>) => {
    Object.assign(hold.current, change)
    onHold(Object.values(hold.current).some(Boolean))
  }
  const takeAll = () => {
    box.current?.scrollTo({ top: 0 })
    take()
  }
  const scroll = () => {
    const { scrollTop } = box.current as HTMLTableSectionElement
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
    const next = entries[Math.max(0, Math.min(at < 0 ? 0 : at + steps, entries.length - 1))]
    if (!next) return
    isMoved.current = true
    setCursor(next.id)
    if (chosen !== undefined) replace(exchangeHref(next.id))
  }
  useKeys({
    j: move(1),
    k: move(-1),
    Escape: () => {
      if (chosen === undefined) return false
      isMoved.current = true
      setCursor(chosen)
      go(exchangeHref())
    }
  })
  useLayoutEffect(() => {
    if (!isMoved.current) return
    isMoved.current = false
    reveal(box.current as HTMLTableSectionElement, at)
    const link = box.current?.querySelector<HTMLElement>(`[data-id="${cursor}"] a`)
    link?.focus({ preventScroll: true })
  }, [cursor, chosen])

  useLayoutEffect(() => {
    if (!isSought.current || at < 0) return
    isSought.current = false
    reveal(box.current as HTMLTableSectionElement, at)
  }, [at])

  const begin = Math.max(0, first - spare)
  const end = first + Math.ceil(height / rowHeight) + spare
  const shown = entries.slice(begin, end).map((entry, i) => [entry, begin + i] as const)
  if (at >= 0 && !shown.some(([, index]) => index === at)) shown.push([entries[at] as JournalEntry, at])
  return (
    <div class="journal panel">
      {waiting > 0 && <Button text={`↑ ${waiting.toLocaleString('en')} new`} class="primary waiting" run={takeAll} />}
      <table aria-rowcount={entries.length + 1}>
        <caption class="hidden">Exchanges, newest first</caption>
        <thead>
          <tr class="line">
            {columns.map(([name, title]) => (
              <th key={name} scope="col" class={name}>
                {title}
              </th>
            ))}
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
          {shown.map(([entry, index]) => (
            <Row
              key={index === at ? entry.id : index % slots}
              entry={entry}
              index={index}
              isChosen={entry.id === chosen}
              isStop={at < 0 ? index === 0 : index === at}
            />
          ))}
        </tbody>
      </table>
      {entries.length === 0 && <p class="none quiet">No exchange matches.</p>}
    </div>
  )
}

function reveal(box: HTMLTableSectionElement, index: number): void {
  const top = index * rowHeight
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
}

const columns = [
  ['wall', 'Time'],
  ['state', 'Status'],
  ['request', 'Request'],
  ['operation', 'Operation'],
  ['user', 'User'],
  ['changed', 'Changed'],
  ['remarks', 'Remarks'],
  ['took', 'Took'],
  ['mock', 'Mock time']
] as const

interface RowProps {
  entry: JournalEntry
  index: number
  isChosen: boolean
  /** Whether the Tab key stops here. It stops at one row only. */
  isStop: boolean
}

/** Exchanges in the journal never change. */
const Row = memo(function Row({ entry, index, isChosen, isStop }: RowProps) {
  const { id, time, real_time, method, url, operation, status, duration_ms, user, violations } = entry
  return (
    <tr
      class={isChosen ? 'line chosen' : 'line'}
      aria-rowindex={index + 2}
      data-id={id}
      style={{ top: index * rowHeight }}
    >
      <td class="wall">{wallTime(real_time)}</td>
      <td class="state">
        <Status status={status} violations={violations} />
      </td>
      <td class="request">
        <a href={exchangeHref(id)} tabIndex={isStop ? 0 : -1} aria-current={isChosen || undefined}>
          <span class="method">{method}</span> <Short text={url} most={200} />
        </a>
      </td>
      <td class="operation">{operation ?? 'no operation'}</td>
      <td class="user">{user ?? '–'}</td>
      <td class="changed">
        <Changed entry={entry} />
      </td>
      <td class="remarks">
        <Remarks entry={entry} />
      </td>
      <td class="took">{milliseconds(duration_ms)}</td>
      <td class="mock">{mockTime(time)}</td>
    </tr>
  )
})

function Changed({ entry: { changed = [] } }: { entry: JournalEntry }) {
  return changed.map(({ collection, added, changed, removed }) => (
    <span
      key={collection}
      class="delta"
      title={`${collection}: ${added} added, ${changed} changed, ${removed} removed`}
    >
      {several(collection)}
      {added > 0 && <b class="added">+{added}</b>}
      {changed > 0 && <b class="altered">~{changed}</b>}
      {removed > 0 && <b class="removed">−{removed}</b>}
    </span>
  ))
}

function Remarks({ entry: { violations, override, fault, failure, assumptions } }: { entry: JournalEntry }) {
  return (
    <>
      {violations.length > 0 && <span class="tag bad">{count(violations.length, 'violation')}</span>}
      {failure !== undefined && <span class="tag bad">failure</span>}
      {fault !== undefined && <span class="tag warn">fault</span>}
      {override !== undefined && <span class="tag accent">{override === 'Prefer' ? 'forced' : 'override'}</span>}
      {assumptions.length > 0 && <span class="quiet">{count(assumptions.length, 'assumption')}</span>}
    </>
  )
}
