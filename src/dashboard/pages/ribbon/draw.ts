import type { Event, Kind } from './events.js'

/** Where events are on the ribbon, in pixels. */
interface Scale {
  width: number
  /** The width of one event. */
  slot: number
}

const widest = 14

export function scaleOf(width: number, count: number): Scale {
  return { width, slot: Math.min(widest, width / Math.max(1, count)) }
}

export function indexAt({ slot }: Scale, x: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(x / slot)))
}

/** Below the ticks of exchanges are the marks of control calls. */
const markHeight = 11
/** If events share a pixel, the most important one is drawn. */
const rank: Record<Kind, number> = {
  start: 0,
  fine: 1,
  rows: 2,
  other: 3,
  lifecycle: 4,
  override: 5,
  clock: 6,
  whole: 7,
  refused: 8,
  broken: 9
}
const colors: Record<Kind, string> = {
  start: '--line-strong',
  fine: '--line-strong',
  refused: '--warn',
  broken: '--bad',
  clock: '--accent',
  whole: '--bad',
  override: '--warn',
  lifecycle: '--good',
  rows: '--accent',
  other: '--quiet'
}
const isExchange = (kind: Kind) => kind === 'fine' || kind === 'refused' || kind === 'broken'

/** Draws all events. Ticks of writes are taller than those of reads. */
export function draw(canvas: HTMLCanvasElement, events: readonly Event[], { width, slot }: Scale): void {
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
    pen.fillStyle = style.getPropertyValue(isWrite && kind === 'fine' ? '--good' : colors[kind])
    pen.fillRect(x + (slot - bar) / 2, 2 + room - tall, bar, tall)
  }
  pen.globalAlpha = 1
  for (const [x, { kind }] of marks) {
    pen.fillStyle = style.getPropertyValue(colors[kind])
    pen.setTransform(ratio, 0, 0, ratio, (x + slot / 2) * ratio, (height - markHeight / 2 - 1) * ratio)
    pen.fill(shapes[kind] ?? disc)
  }
}

function weight({ kind, isWrite }: Event): number {
  return rank[kind] * 2 + Number(isWrite)
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
