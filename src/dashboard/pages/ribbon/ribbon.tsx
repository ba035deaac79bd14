import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalEntry } from '../../../engine/contract/types.gen.js'
import { call, changes, Refused, useCall, useLoad } from '../client.js'
import { Button, DialogButton, Link, useKeys } from '../parts/actions.js'
import { TextForm } from '../parts/fields.js'
import { count, mockTime, Note, Short, wallTime } from '../parts/text.js'
import { useJournal } from '../requests/journal.js'
import { atMoment, go, href, route, setQuery } from '../route.js'
import { makeSandbox, undoable } from '../undo.js'
import { type Event, eventsOf, indexBefore, type Kind, kinds, stretchIn } from './events.js'

const everything = {}
export const none: readonly JournalEntry[] = []

export function Timeline() {
  const { journal } = useJournal(everything, false)
  return <Ribbon events={useEvents(journal?.shown ?? none)} />
}

export function useEvents(entries: readonly JournalEntry[]): readonly Event[] {
  const { value: history } = useCall('getHistory', {}, { every: 10_000 })
  const isBefore = history?.first_request === null
  const newest = entries[0]?.id
  // The state after the first exchange is kept. Only then does the history say from which one on.
  useEffect(() => {
    if (isBefore && newest !== undefined) changes.value += 1
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

/** Exchanges and control calls as ticks. The user can go back to any of them; with `isFilter`, also choose a range. */
export function Ribbon({ events, isFilter = false }: { events: readonly Event[]; isFilter?: boolean }) {
  const { query } = route.value
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [pointed, point] = useState<number>()
  const [drag, setDrag] = useState<Range>()
  const [theme, setTheme] = useState(0)
  const count = events.length
  /** The width of one event. */
  const slot = Math.min(14, width / Math.max(1, count))
  const { at } = atMoment()
  const problem = useMomentProblem()
  const exact = at === undefined ? count : events.findIndex((event) => event.at === at)
  const shown = exact < 0 ? indexBefore(events, at as string) : exact
  const range = drag ?? (isFilter ? rangeIn(events, query.get('stretch')) : undefined)

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
  useLayoutEffect(() => draw(canvas.current as HTMLCanvasElement, events, width, slot), [events, width, theme])

  const show = (index: number) => {
    const first = events.findIndex(({ isKept }) => isKept)
    setQuery({ at: events[Math.max(first, index)]?.at })
  }
  const choose = ({ from, to }: Range) => setQuery({ stretch: stretchIn(events.slice(from, to + 1)) })
  useKeys({
    '[': () => show(Math.max(0, shown - 1)),
    ']': () => show(shown + 1),
    Escape: () => at !== undefined && backToNow()
  })

  const press = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (event.key === 'Escape') {
      if (!drag && range) setQuery({ stretch: undefined })
      backToNow()
    } else if (event.key === 'Home') show(0)
    else if (event.key === 'End') backToNow()
    else if (step === undefined) return
    else {
      const index = Math.max(0, shown + step)
      if (event.shiftKey && isFilter) {
        const last = Math.min(count - 1, index)
        choose({
          from: Math.min(last, range?.from ?? last),
          to: Math.max(Math.min(count - 1, shown), range?.to ?? 0)
        })
      }
      show(index)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const indexOf = ({ offsetX }: MouseEvent) => Math.max(0, Math.min(count - 1, Math.floor(offsetX / slot)))
  const begin = (event: PointerEvent) => {
    if (event.button !== 0 || count === 0) return
    const target = event.currentTarget as HTMLElement
    target.setPointerCapture(event.pointerId)
    const from = indexOf(event)
    const start = event.offsetX
    let to = from
    let isDragged = false
    const dragged = () => ({ from: Math.min(from, to), to: Math.max(from, to) })
    const move = (next: PointerEvent) => {
      isDragged ||= Math.abs(next.offsetX - start) > still
      to = indexOf(next)
      if (isDragged && isFilter) setDrag(dragged())
      else if (isDragged) show(to)
    }
    const end = () => {
      target.removeEventListener('pointermove', move)
      setDrag(undefined)
      if (isDragged && isFilter) choose(dragged())
      else show(to)
    }
    target.addEventListener('pointermove', move)
    target.addEventListener('pointerup', end, { once: true })
    target.addEventListener('pointercancel', end, { once: true })
  }
  const unnamed: Event = { at: at ?? '', kind: 'start', text: 'A moment between events', isWrite: false, isKept: true }
  const here = exact < 0 ? unnamed : events[shown]
  const isPast = at !== undefined && problem === undefined
  return (
    <section class="ribbon" aria-label="Time">
      <div
        class="track panel"
        role="slider"
        tabIndex={0}
        aria-label={isFilter ? 'Moment. Shift and arrows choose a range' : 'Moment'}
        aria-valuemin={0}
        aria-valuemax={count}
        aria-valuenow={shown}
        aria-valuetext={at === undefined ? 'Now' : (problem ?? (here && textOf(here)))}
        onKeyDown={press}
        onPointerDown={begin}
        onPointerMove={(event) => point(count > 0 ? indexOf(event) : undefined)}
        onPointerLeave={() => point(undefined)}
      >
        <canvas ref={canvas} />
        {range && (
          <span class="stretch" style={{ left: range.from * slot, width: (range.to - range.from + 1) * slot }} />
        )}
        {isPast && <span class="after" style={{ left: (shown + 1) * slot }} />}
        {pointed !== undefined && <span class="pointed" style={{ left: (pointed + 0.5) * slot }} />}
        {isPast && <span class="head" style={{ left: (shown + 0.5) * slot }} />}
      </div>
      <Readout
        event={pointed === undefined ? here : events[pointed]}
        isPointed={pointed !== undefined}
        problem={problem}
        events={count}
        inRange={isFilter && range ? range.to - range.from + 1 : undefined}
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
}

function Readout({ event, isPointed, problem, events, inRange }: ReadoutProps) {
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
            {!event.isKept && ' · its state is no longer kept'}
          </span>
        </p>
      )}
      <div class="buttons">
        {inRange !== undefined && (
          <Button text={`Range of ${count(inRange, 'event')} ×`} run={() => setQuery({ stretch: undefined })} />
        )}
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
      </div>
    </div>
  )
}

/** Below the ticks of exchanges are the marks of control calls. */
const markHeight = 11
const isExchange = (kind: Kind) => kind === 'fine' || kind === 'refused' || kind === 'broken'

/** Draws all events. Ticks of writes are taller than those of reads. */
function draw(canvas: HTMLCanvasElement, events: readonly Event[], width: number, slot: number): void {
  const height = canvas.clientHeight
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D
  const style = getComputedStyle(canvas)
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  const [ticks, marks] = [new Map<number, Event>(), new Map<number, Event>()]
  events.forEach((event, index) => {
    const x = Math.floor(index * slot)
    const lane = isExchange(event.kind) ? ticks : marks
    const there = lane.get(x)
    if (!there || weight(event) > weight(there)) lane.set(x, event)
  })
  const bar = Math.max(1, Math.min(4, slot * 0.6))
  const room = height - markHeight - 4
  for (const [x, { kind, isWrite, isKept }] of ticks) {
    const tall = isWrite ? room : room * (kind === 'fine' ? 0.45 : 0.75)
    pen.globalAlpha = isKept ? 1 : 0.35
    pen.fillStyle = style.getPropertyValue(isWrite && kind === 'fine' ? '--good' : kinds[kind])
    pen.fillRect(x + (slot - bar) / 2, 2 + room - tall, bar, tall)
  }
  pen.globalAlpha = 1
  for (const [x, { kind }] of marks) {
    pen.fillStyle = style.getPropertyValue(kinds[kind])
    pen.setTransform(ratio, 0, 0, ratio, (x + slot / 2) * ratio, (height - markHeight / 2 - 1) * ratio)
    pen.fill(shapes[kind] ?? disc)
  }
}

function weight({ kind, isWrite }: Event): number {
  return Object.keys(kinds).indexOf(kind) * 2 + Number(isWrite)
}

/** Marks differ by shape, not only by colour. */
const disc = new Path2D('M-3 0a3 3 0 1 1 6 0a3 3 0 1 1 -6 0Z')
const shapes: Partial<Record<Kind, Path2D>> = {
  clock: new Path2D('M0 -4.5L4.5 0L0 4.5L-4.5 0Z'),
  whole: new Path2D('M-4 -4H4V4H-4Z'),
  override: new Path2D('M0 -4.5L4.5 4H-4.5Z'),
  start: new Path2D('M-1 -5H1V5H-1Z'),
  rows: new Path2D('M-4 -1.5H4V1.5H-4Z')
}
