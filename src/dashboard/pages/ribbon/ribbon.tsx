import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalEntry } from '../../../engine/contract/types.gen.js'
import { call, Refused, useLoad } from '../client.js'
import { Button, DialogButton, Link, useKeys } from '../parts/actions.js'
import { TextForm } from '../parts/fields.js'
import { count, mockTime, Note, Short, Terms, wallTime } from '../parts/text.js'
import { useJournal } from '../requests/journal.js'
import { atMoment, go, href, route, setQuery } from '../route.js'
import { makeSandbox, undoable } from '../undo.js'
import { type Event, eventsOf, indexAt, type Kind, kinds, stretchIn } from './events.js'

const everything = {}
export const none: readonly JournalEntry[] = []

/** What a range on the ribbon is for: exchanges are filtered, or the states before and after it are compared. */
type RangeUse = { use?: 'filter' | 'comparison' }

export function Timeline({ use }: RangeUse) {
  const { journal } = useJournal(everything, false)
  return <Ribbon events={useEvents(journal?.shown ?? none)} use={use} />
}

export function useEvents(entries: readonly JournalEntry[]): readonly Event[] {
  const [times, again] = useState(0)
  const { value: history } = useLoad(() => call('getHistory'), `history ${times}`, { every: 10_000 })
  const isBefore = history?.first_request === null
  const newest = entries[0]?.id
  // The state after the first exchange is kept. Only then does the history say from which one on.
  useEffect(() => {
    if (isBefore && newest !== undefined) again((before) => before + 1)
  }, [isBefore, newest])
  return useMemo(() => (history ? eventsOf(entries, history) : []), [entries, history])
}

/** Why the moment in the URL cannot be shown, in the mock's words. Undefined: it can, or it is now. */
export function useMomentProblem(): string | undefined {
  const { at } = atMoment()
  const load = async () => (at === undefined ? undefined : call('getClock', { query: { at } }))
  const { error } = useLoad(load, `moment ${at}`)
  return error instanceof Refused ? error.message : undefined
}

/** How far a pointer may move for a click. */
const still = 4

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10
}

const backToNow = () => setQuery({ at: undefined })

/** The fewest events in view. */
const closest = 20

/** Exchanges and control calls as ticks. The user can go back to any of them, choose a range if a page has a use for it, and zoom. */
export function Ribbon({ events, use }: RangeUse & { events: readonly Event[] }) {
  const isFilter = use === 'filter'
  const { query } = route.value
  const canvas = useRef<HTMLCanvasElement>(null)
  /** The events between which Shift and the arrow keys choose a range: where it began, and where it is now. */
  const reach = useRef<[begin: number, end: number] | undefined>(undefined)
  const [width, setWidth] = useState(0)
  const [pointed, point] = useState<number>()
  const [drag, setDrag] = useState<Range>()
  const [theme, setTheme] = useState(0)
  const [zoom, setZoom] = useState({ from: 0, size: Number.POSITIVE_INFINITY })
  const count = events.length
  const size = Math.min(zoom.size, count)
  /** The width of one event. */
  const slot = Math.min(14, width / Math.max(1, size))
  const { at } = atMoment()
  const problem = useMomentProblem()
  const shown = at === undefined ? count : indexAt(events, at)
  // The moment that is shown is in view.
  const [low, high] =
    at === undefined ? [0, count - size] : [Math.max(0, shown - size + 1), Math.min(shown, count - size)]
  const from = Math.max(low, Math.min(zoom.from, high))
  const against = events.findIndex((event) => event.at === query.get('against'))
  const compared =
    use === 'comparison' && against >= 0 && against < shown ? { from: against + 1, to: shown } : undefined
  const range = drag ?? (isFilter ? rangeIn(events, query.get('stretch')) : compared)

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(canvas.current as HTMLCanvasElement)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setTheme((times) => times + 1)
    dark.addEventListener('change', follow)
    return () => {
      observer.disconnect()
      dark.removeEventListener('change', follow)
    }
  }, [])
  useLayoutEffect(() => {
    // Without a width, the browser would lay out the page for it at once.
    if (width > 0) draw(canvas.current as HTMLCanvasElement, events.slice(from, from + size), width, slot)
  }, [events, width, theme, from, size])

  const show = (index: number) => {
    const first = events.findIndex(({ isKept }) => isKept)
    setQuery({ at: events[Math.max(first, index)]?.at })
  }
  const choose = ({ from, to }: Range) => {
    if (isFilter) setQuery({ stretch: stretchIn(events.slice(from, to + 1)) })
    else setQuery({ against: events[Math.max(0, from - 1)]?.at, at: events[to]?.at })
  }
  /** Extends the range by so many events, or until it has an exchange to filter by. */
  const reachTo = (step: number) => {
    const last = count - 1
    const [begin, before] = reach.current ?? [Math.min(shown, last), shown]
    let end = before
    let chosen: Range
    do {
      end = Math.max(0, Math.min(last, end + step))
      chosen = { from: Math.min(begin, end), to: Math.max(begin, end) }
    } while (isFilter && end > 0 && end < last && !stretchIn(events.slice(chosen.from, chosen.to + 1)))
    reach.current = [begin, end]
    choose(chosen)
    if (isFilter) show(end)
  }
  /** Around an event in view. At the end, the newest events stay in view. */
  const zoomBy = (factor: number, around = shown - from) => {
    const next = Math.round(Math.max(closest, size * factor))
    const begin = around >= size ? Number.POSITIVE_INFINITY : Math.round(from + around * (1 - next / size))
    setZoom({ from: begin, size: next < count ? next : Number.POSITIVE_INFINITY })
  }
  useKeys({
    '[': () => show(Math.max(0, shown - 1)),
    ']': () => show(shown + 1),
    Escape: () => at !== undefined && backToNow()
  })

  const press = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (!event.shiftKey) reach.current = undefined
    if (event.key === 'Escape') {
      if (!drag && range) setQuery({ stretch: undefined, against: undefined })
      backToNow()
    } else if (event.key === '+' || event.key === '-') zoomBy(event.key === '+' ? 0.5 : 2)
    else if (event.key === 'Home') show(0)
    else if (event.key === 'End') backToNow()
    else if (step === undefined) return
    else if (event.shiftKey && use) reachTo(step)
    else show(Math.max(0, shown + step))
    event.preventDefault()
    event.stopPropagation()
  }
  const indexOf = ({ offsetX }: MouseEvent) => Math.max(0, Math.min(count - 1, from + Math.floor(offsetX / slot)))
  const begin = (event: PointerEvent) => {
    if (event.button !== 0 || count === 0) return
    reach.current = undefined
    const target = event.currentTarget as HTMLElement
    target.setPointerCapture(event.pointerId)
    const first = indexOf(event)
    const start = event.offsetX
    let to = first
    let isDragged = false
    const dragged = () => ({ from: Math.min(first, to), to: Math.max(first, to) })
    const move = (next: PointerEvent) => {
      isDragged ||= Math.abs(next.offsetX - start) > still
      to = indexOf(next)
      if (isDragged && use) setDrag(dragged())
      else if (isDragged) show(to)
    }
    const end = () => {
      target.removeEventListener('pointermove', move)
      setDrag(undefined)
      if (isDragged && use) choose(dragged())
      else show(to)
    }
    target.addEventListener('pointermove', move)
    target.addEventListener('pointerup', end, { once: true })
    target.addEventListener('pointercancel', end, { once: true })
  }
  const unnamed: Event = { at: at ?? '', kind: 'start', text: 'A moment between events', isKept: true }
  const here = at === undefined || events[shown]?.at === at ? events[shown] : unnamed
  const isPast = at !== undefined && problem === undefined
  return (
    <section class="ribbon" aria-label="Time">
      <div
        class="track panel"
        role="slider"
        tabIndex={0}
        aria-label={use ? 'Moment. Shift and arrows choose a range' : 'Moment'}
        aria-valuemin={0}
        aria-valuemax={count}
        aria-valuenow={shown}
        aria-valuetext={at === undefined ? 'Now' : (problem ?? (here && textOf(here)))}
        onKeyDown={press}
        onPointerDown={begin}
        onPointerMove={(event) => point(count > 0 ? indexOf(event) : undefined)}
        onPointerLeave={() => point(undefined)}
        onWheel={(event) => {
          if (!event.ctrlKey) return
          event.preventDefault()
          zoomBy(event.deltaY < 0 ? 0.8 : 1.25, event.offsetX / slot)
        }}
      >
        <canvas ref={canvas} />
        {range && (
          <span
            class="stretch"
            style={{ left: (range.from - from) * slot, width: (range.to - range.from + 1) * slot }}
          />
        )}
        {isPast && <span class="after" style={{ left: Math.max(0, shown + 1 - from) * slot }} />}
        {pointed !== undefined && <span class="pointed" style={{ left: (pointed - from + 0.5) * slot }} />}
        {isPast && <span class="head" style={{ left: (shown - from + 0.5) * slot }} />}
      </div>
      <Readout
        event={pointed === undefined ? here : events[pointed]}
        isPointed={pointed !== undefined}
        problem={problem}
        events={count}
        inRange={range && range.to - range.from + 1}
        zoom={count > closest ? { by: zoomBy, isAll: size === count } : undefined}
      />
    </section>
  )
}

function textOf({ at, text, wall, mock }: Event): string {
  return `${at}: ${text}${wall === undefined ? '' : `, ${wallTime(wall)}, mock time ${mockTime(mock ?? wall)}`}`
}

type Range = { from: number; to: number }

function rangeIn(events: readonly Event[], stretch: string | null): Range | undefined {
  const [first, last] = stretch?.split('-') ?? []
  const from = events.findIndex(({ at }) => at === first)
  const to = events.findLastIndex(({ at }) => at === last)
  return from < 0 || to < from ? undefined : { from, to }
}

interface ReadoutProps {
  /** The event under the pointer, or else the one that is shown. */
  event: Event | undefined
  isPointed: boolean
  problem: string | undefined
  events: number
  inRange: number | undefined
  zoom: { by: (factor: number) => void; isAll: boolean } | undefined
}

function Readout({ event, isPointed, problem, events, inRange, zoom }: ReadoutProps) {
  const { sandbox, page } = route.value
  const { at } = atMoment()
  const isPast = at !== undefined && problem === undefined
  const fork = async (name: string) => {
    await makeSandbox({ name, from: sandbox, at }, `Sandbox ${name} was forked from ${at}.`)
    go(href('state', [], {}, name))
  }
  const goBack = async () => {
    await undoable('goBack', { path: { id: at as string } }, `Went back to ${at}.`)
    backToNow()
  }
  const isEvent = (isPointed || at !== undefined) && event
  const isShown = isPointed || problem === undefined
  return (
    <div class="readout">
      {!isShown && <Note class="problem" role="alert" text={problem} />}
      {isShown && !isEvent && (
        <p class="quiet">Now · {count(events, 'event')}. Click or use the arrow keys to look back.</p>
      )}
      {isShown && isEvent && (
        <p>
          {!isPointed && event.kind !== 'start' && <b>After </b>}
          <Short text={event.text} most={120} />{' '}
          <span class="quiet number">
            {event.at}
            {event.wall !== undefined && ` · ${wallTime(event.wall)}`}
            {event.mock !== undefined && ` · mock ${mockTime(event.mock)}`}
            {!event.isKept && ' · its state is not in the history'}
          </span>
        </p>
      )}
      <div class="buttons">
        {inRange !== undefined && (
          <Button
            text={`Range of ${count(inRange, 'event')} ×`}
            run={() => setQuery({ stretch: undefined, against: undefined })}
          />
        )}
        {isPast && page === 'state' && <Button text="Compare from here" run={() => setQuery({ against: at })} />}
        {isPast && page !== 'state' && <Link text="State then" href={href('state')} />}
        {isPast && (
          <DialogButton text="Fork from here" title={`Fork from ${at}`} end="Cancel">
            <p>A new sandbox starts from this moment: rows, clock, choices and overrides. This one does not change.</p>
            <TextForm label="Name of the new sandbox" verb="Fork" run={fork} />
          </DialogButton>
        )}
        {isPast && <Button text="Go back to here" run={goBack} />}
        {at !== undefined && (
          <Button class="primary" run={backToNow}>
            Now <kbd>Esc</kbd>
          </Button>
        )}
        {zoom && <Button text="+" aria-label="Zoom in" run={() => zoom.by(0.5)} />}
        {zoom && <Button text="−" aria-label="Zoom out" disabled={zoom.isAll} run={() => zoom.by(2)} />}
        <DialogButton text="Legend" title="Legend of the ribbon" end="Close">
          <Terms
            class="keys legend"
            list={Object.entries(kinds)}
            term={(_, [colour, shape]) => (
              <svg viewBox="-6 -6 12 12" width="18" height="18" aria-hidden="true">
                <path d={shape} style={{ fill: `var(${colour})` }} />
              </svg>
            )}
            value={([, , meaning]) => meaning}
          />
        </DialogButton>
      </div>
    </div>
  )
}

/** Below the ticks of exchanges are the marks of control calls, and at the bottom the times. */
const [markHeight, scaleHeight, scaleStep] = [11, 13, 110]
/** The heights of ticks, as parts of the ribbon. Where several kinds share a pixel, the worst is in front, and lower. */
const heights: Partial<Record<Kind, number>> = { fine: 0.6, wrote: 1, refused: 0.35, broken: 0.8 }

/** Draws all events, each kind once per pixel. */
function draw(canvas: HTMLCanvasElement, events: readonly Event[], width: number, slot: number): void {
  const [height, ratio] = [canvas.clientHeight, devicePixelRatio]
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D
  const style = getComputedStyle(canvas)
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  const bar = Math.max(1, Math.min(4, slot * 0.6))
  const room = height - markHeight - scaleHeight - 4
  const places = Map.groupBy(events.keys(), (index) => (events[index] as Event).kind)
  for (const kind of Object.keys(kinds) as Kind[]) {
    const [colour, shape] = kinds[kind]
    const tall = room * (heights[kind] ?? 0)
    pen.fillStyle = style.getPropertyValue(colour)
    const byPixel = new Map(places.get(kind)?.map((index) => [Math.floor(index * slot), events[index]?.isKept]))
    for (const [x, isKept] of byPixel) {
      pen.globalAlpha = isKept ? 1 : 0.35
      if (tall > 0) pen.fillRect(Math.round(x + (slot - bar) / 2), 2 + room - tall, bar, tall)
      else {
        pen.save()
        pen.translate(x + slot / 2, room + 3 + markHeight / 2)
        pen.fill(new Path2D(shape))
        pen.restore()
      }
    }
  }
  pen.globalAlpha = 1
  pen.fillStyle = style.getPropertyValue('--quiet')
  pen.font = `10px ${style.fontFamily}`
  let before = ''
  for (let x = 0; x < slot * events.length; x += scaleStep) {
    const wall = events.slice(Math.floor(x / slot)).find((event) => event.wall)?.wall
    const time = wall && wallTime(wall)
    if (!time || time === before) continue
    // Within a second, only the milliseconds are new.
    const isSame = time.slice(0, 8) === before.slice(0, 8)
    pen.fillText(isSame ? time.slice(8) : time.slice(0, 8), x + 3, height - 3)
    before = time
  }
}
