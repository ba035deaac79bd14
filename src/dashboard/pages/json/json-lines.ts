/** A step into a JSON value: a field's name or a position. */
export type JsonPath = readonly (string | number)[]

/** One line of a displayed JSON value. */
export interface JsonLine {
  indent: number
  place: JsonPath
  /** The field's name. */
  key?: string
  /** The value if it is not an object or list, or a bracket. */
  text: string
  kind: 'string' | 'number' | 'word' | 'bracket'
  comma: boolean
}

/** The lines of a JSON value, one per field. */
export function linesOf(value: unknown): JsonLine[] {
  const lines: JsonLine[] = []
  add(lines, value, [], 0, undefined, false)
  return lines
}

function add(
  lines: JsonLine[],
  value: unknown,
  place: JsonPath,
  indent: number,
  key: string | undefined,
  comma: boolean
) {
  const start = { indent, place, ...(key !== undefined && { key }) }
  if (typeof value !== 'object' || value === null) {
    lines.push({ ...start, text: JSON.stringify(value) ?? 'undefined', kind: kindOf(value), comma })
    return
  }
  const isList = Array.isArray(value)
  const entries = isList ? value.map((item, at) => [at, item] as const) : Object.entries(value)
  const [open, close] = isList ? '[]' : '{}'
  if (entries.length === 0) {
    lines.push({ ...start, text: `${open}${close}`, kind: 'bracket', comma })
    return
  }
  lines.push({ ...start, text: open as string, kind: 'bracket', comma: false })
  entries.forEach(([name, item], at) => {
    add(lines, item, [...place, name], indent + 1, isList ? undefined : String(name), at < entries.length - 1)
  })
  lines.push({ indent, place, text: close as string, kind: 'bracket', comma })
}

function kindOf(value: unknown): JsonLine['kind'] {
  return typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'word'
}

/** A remark on a place of a value. */
export interface Remark {
  place: JsonPath
  text: string
}

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
