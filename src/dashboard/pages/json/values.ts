import { shortId } from '../state/labels.js'

/** The value of a text that is JSON. Any other text is its own value, so that the contract reports the error. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The same for a number. The type is that of a valid text. */
export function numberIn(text: string): number {
  return (Number.isNaN(Number(text)) ? text : Number(text)) as number
}

export function pretty(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

export function short(value: unknown, most = 60): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > most ? `${text.slice(0, most)}…` : text
}

export type JsonPath = readonly (string | number)[]

/** A place where two JSON values differ. A side without the place is undefined. */
export type Difference = { place: JsonPath; before: unknown; after: unknown }

export function differences(before: unknown, after: unknown, place: JsonPath = []): Difference[] {
  if (before === after) return []
  if (!isObject(before) || !isObject(after)) return [{ place, before, after }]
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, place)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differences(before[name], after[name], [...place, name]))
}

/** Rows are compared by id, in their places `#7`. In other lists, what is the same at both ends is left out. */
function listDifferences(before: readonly unknown[], after: readonly unknown[], place: JsonPath): Difference[] {
  const [was, is] = [byId(before), byId(after)]
  if (was && is) {
    const apart = [...new Set([...was.keys(), ...is.keys()])].flatMap((id) =>
      differences(was.get(id), is.get(id), [...place, `#${shortId(String(id))}`])
    )
    const order = [[...was.keys()].filter((id) => is.has(id)), [...is.keys()].filter((id) => was.has(id))] as const
    const isMoved = !isSame(order[0], order[1])
    return isMoved ? [...apart, { place: [...place, 'order'], before: order[0], after: order[1] }] : apart
  }
  const shorter = Math.min(before.length, after.length)
  let [start, end] = [0, 0]
  while (start < shorter && isSame(before[start], after[start])) start++
  while (end < shorter - start && isSame(before.at(-1 - end), after.at(-1 - end))) end++
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return Array.from({ length: Math.max(old.length, now.length) }, (_, at) => at).flatMap((at) =>
    differences(old[at], now[at], [...place, start + at])
  )
}

/** The rows of a list. Undefined if it is not a list of rows with an id each. */
function byId(list: readonly unknown[]): ReadonlyMap<unknown, unknown> | undefined {
  const rows = new Map(list.map((item) => [isObject(item) ? item.id : undefined, item]))
  return rows.size === list.length && !rows.has(undefined) ? rows : undefined
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The differences by single values: what is only on one side is there with all its fields. */
export function byValue(list: readonly Difference[]): Difference[] {
  return list.flatMap(({ place, before, after }) => {
    const [was, is] = [leavesOf(before), leavesOf(after)]
    if (was.length === 1 && is.length === 1 && !was[0]?.place.length && !is[0]?.place.length)
      return [{ place, before, after }]
    const at = (inner: JsonPath) => [...place, ...inner]
    return [
      ...was.map((it) => ({ place: at(it.place), before: it.value, after: undefined })),
      ...is.map((it) => ({ place: at(it.place), before: undefined, after: it.value }))
    ]
  })
}

function leavesOf(value: unknown, place: JsonPath = []): { place: JsonPath; value: unknown }[] {
  if (value === undefined) return []
  if (!isObject(value) || Object.keys(value).length === 0) return [{ place, value }]
  return Object.keys(value).flatMap((name) => leavesOf(value[name], [...place, name]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

export interface JsonLine {
  indent: number
  place: JsonPath
  key?: string
  /** The value if it is not an object or list, or a bracket. */
  text: string
  kind: 'string' | 'number' | 'word' | 'bracket'
  comma: boolean
}

export function linesOf(value: unknown, start: Partial<JsonLine> = {}): JsonLine[] {
  const { indent = 0, place = [], key, comma = false } = start
  const line = (text: string, kind: JsonLine['kind'], hasComma = comma): JsonLine => {
    return { indent, place, key, text, kind, comma: hasComma }
  }
  const kind = typeof value === 'string' || typeof value === 'number' ? (typeof value as JsonLine['kind']) : 'word'
  if (!isObject(value)) return [line(JSON.stringify(value) ?? 'undefined', kind)]
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const names = Object.keys(value)
  if (names.length === 0) return [line(open + close, 'bracket')]
  const inner = names.flatMap((name, at) =>
    linesOf(value[name], {
      indent: indent + 1,
      place: [...place, isList ? at : name],
      key: isList ? undefined : name,
      comma: at < names.length - 1
    })
  )
  return [line(open, 'bracket', false), ...inner, { ...line(close, 'bracket'), key: undefined }]
}

export type Remark = { place: JsonPath; text: string }

/** The remarks by line: the line of their place, or of its nearest existing parent. */
export function marksByLine(lines: JsonLine[], marks: Remark[]): Map<number, string[]> {
  const byLine = new Map<number, string[]>()
  for (const { place, text } of marks) {
    let best = 0
    let depth = 0
    lines.forEach((line, at) => {
      const isAround = line.place.length > depth && line.place.every((step, i) => String(step) === String(place[i]))
      if (isAround) [best, depth] = [at, line.place.length]
    })
    const missing = place.slice(depth).join('.')
    byLine.set(best, [...(byLine.get(best) ?? []), missing ? `${missing}: ${text}` : text])
  }
  return byLine
}
