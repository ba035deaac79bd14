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
  const isList = Array.isArray(before) && Array.isArray(after)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differences(before[name], after[name], [...place, isList ? Number(name) : name]))
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
