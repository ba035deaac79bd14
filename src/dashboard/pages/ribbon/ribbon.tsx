import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call, Refused } from '../client.js'
import { useLoad } from '../load.js'
import { useKeys } from '../parts/keys.js'
import { mockTime, wallTime } from '../parts/time.js'
import { momentShown, route, setQuery } from '../route.js'
import { draw, indexAt, scaleOf } from './draw.js'
import { type Event, indexBefore, stretchIn } from './events.js'
import { Readout } from './readout.js'

/** Why the moment in the URL cannot be shown, in the mock's words. Undefined: it can, or it is now. */
export function useMomentProblem(): string | undefined {
  const at = momentShown()
  const load = async () => (at === undefined ? undefined : call('getClock', { query: { at } }))
  const { error } = useLoad(load, `moment ${at}`)
  return error instanceof Refused ? error.message : undefined
}

/** How far a pointer may move for a click. */
const still = 4
const farther = 10

/** Exchanges and control calls as ticks. The user can go back to any of them; with `isFilter`, also choose a stretch. */
export function Ribbon({ events, isFilter = false }: { events: readonly Event[]; isFilter?: boolean }) {
  const { query } = route.value
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [pointed, point] = useState<number>()
  const [drag, setDrag] = useState<{ from: number; to: number }>()
  const [theme, setTheme] = useState(0)
  const scale = scaleOf(width, events.length)
  const count = events.length
  const at = momentShown()
  const problem = useMomentProblem()
  const own = at === undefined ? count : events.findIndex((event) => event.at === at)
  const shown = own < 0 ? indexBefore(events, at as string) : own
  const stretch = drag ?? (isFilter ? placed(events, query.get('stretch')) : undefined)

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
  useLayoutEffect(() => draw(canvas.current as HTMLCanvasElement, events, scale), [events, width, theme])

  const show = (index: number) => {
    const first = events.findIndex(({ isKept }) => isKept)
    setQuery({ at: events[Math.max(first, index)]?.at })
  }
  const choose = (from: number, to: number) => setQuery({ stretch: stretchIn(events.slice(from, to + 1)) })
  useKeys({
    '[': () => show(Math.max(0, shown - 1)),
    ']': () => show(shown + 1),
    Escape: () => at !== undefined && setQuery({ at: undefined })
  })

  const press = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (event.key === 'Escape') {
      if (!drag && stretch) setQuery({ stretch: undefined })
      setQuery({ at: undefined })
    } else if (event.key === 'Home') show(0)
    else if (event.key === 'End') setQuery({ at: undefined })
    else if (step === undefined) return
    else {
      const index = Math.max(0, shown + step)
      if (event.shiftKey && isFilter) {
        const last = Math.min(count - 1, index)
        choose(Math.min(last, stretch?.from ?? last), Math.max(Math.min(count - 1, shown), stretch?.to ?? 0))
      }
      show(index)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const indexOf = ({ offsetX }: MouseEvent) => indexAt(scale, offsetX, count)
  const begin = (event: PointerEvent) => {
    if (event.button !== 0 || count === 0) return
    ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
    const from = indexOf(event)
    const start = event.offsetX
    const target = event.currentTarget as HTMLElement
    let to = from
    let isDragged = false
    const move = (next: PointerEvent) => {
      isDragged ||= Math.abs(next.offsetX - start) > still
      to = indexOf(next)
      if (isDragged && isFilter) setDrag({ from: Math.min(from, to), to: Math.max(from, to) })
      else if (isDragged) show(to)
    }
    const end = () => {
      target.removeEventListener('pointermove', move)
      setDrag(undefined)
      if (isDragged && isFilter) choose(Math.min(from, to), Math.max(from, to))
      else show(to)
    }
    target.addEventListener('pointermove', move)
    target.addEventListener('pointerup', end, { once: true })
    target.addEventListener('pointercancel', end, { once: true })
  }
  const here = own < 0 ? unnamed(at as string) : events[shown]
  const isPast = at !== undefined && problem === undefined
  return (
    <section class="ribbon" aria-label="Time">
      <div
        class="track panel"
        role="slider"
        tabIndex={0}
        aria-label={isFilter ? 'Moment. Shift and arrows choose a stretch' : 'Moment'}
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
        {stretch && (
          <span
            class="stretch"
            style={{ left: stretch.from * scale.slot, width: (stretch.to - stretch.from + 1) * scale.slot }}
          />
        )}
        {isPast && <span class="after" style={{ left: (shown + 1) * scale.slot }} />}
        {pointed !== undefined && <span class="pointed" style={{ left: (pointed + 0.5) * scale.slot }} />}
        {isPast && <span class="head" style={{ left: (shown + 0.5) * scale.slot }} />}
      </div>
      <Readout
        event={pointed === undefined ? here : events[pointed]}
        isPointed={pointed !== undefined}
        at={at}
        problem={problem}
        count={count}
        stretch={isFilter && stretch ? stretch.to - stretch.from + 1 : undefined}
      />
    </section>
  )
}

const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -farther,
  PageUp: farther
}

/** A moment in the URL that has no event. */
function unnamed(at: string): Event {
  return { at, kind: 'start', text: 'A moment between events', isWrite: false, isKept: true }
}

function textOf({ at, text, wall, mock }: Event): string {
  return `${at}: ${text}${wall === undefined ? '' : `, ${wallTime(wall)}, mock time ${mockTime(mock ?? wall)}`}`
}

/** The position of a stretch among the events. */
function placed(events: readonly Event[], stretch: string | null): { from: number; to: number } | undefined {
  const [first, last] = stretch?.split('-') ?? []
  const from = events.findIndex(({ at }) => at === first)
  const to = events.findLastIndex(({ at }) => at === last)
  return from < 0 || to < from ? undefined : { from, to }
}
