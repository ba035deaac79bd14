import { isObject } from '../../contract/load.js'

/** The bounds of judging rows: of a longer list, this many rows. */
const mostRows = 1000

/** After this many replies with a longer list, an operation is judged by samples. */
const mostWhole = 3

/** What is judged of replies with long lists, so that a run ends in time. */
export class Samples {
  private readonly whole = new Map<string, Set<object>>()
  private readonly made = new WeakMap<object, unknown>()

  /** The body itself, if its lists are short or it is among the first of its operation. */
  of(id: string, body: unknown): unknown {
    if (typeof body !== 'object' || body === null) return body
    const known = this.made.get(body) ?? sampleOf(body)
    this.made.set(body, known)
    if (known === body) return body
    const whole = this.whole.get(id) ?? new Set()
    this.whole.set(id, whole)
    if (whole.size < mostWhole) whole.add(body)
    return whole.has(body) ? body : known
  }
}

/** The same value where no list in it is long, else a copy with the first rows of long lists and some of all others. */
function sampleOf(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    const every = Math.ceil(value.length / (mostRows / 2))
    if (value.length > mostRows) return value.filter((_, n) => n < mostRows / 2 || n % every === 0)
  }
  if (!isObject(value) && !Array.isArray(value)) return value
  if (depth === 3) return value
  const parts = Object.entries(value).map(([name, item]) => [name, sampleOf(item, depth + 1)] as const)
  if (parts.every(([name, item]) => item === (value as Record<string, unknown>)[name])) return value
  return Array.isArray(value) ? parts.map(([, item]) => item) : Object.fromEntries(parts)
}
