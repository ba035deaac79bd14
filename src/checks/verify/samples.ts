import { isObject } from '../../contract/load.js'

/** The bounds of judging rows: of a longer list, this many rows. */
const mostRows = 1000

/** After this many replies with a longer list, an operation is judged by samples. */
const mostWhole = 3

/** What is judged of replies with long lists, so that a run ends in time. The client gives the same object for the same body. */
export class Samples {
  /** How many replies of an operation were judged whole. */
  private readonly whole = new Map<string, number>()
  private readonly made = new WeakMap<object, unknown>()

  /** The body itself, if its lists are short or it is among the first of its operation. */
  of(id: string, body: unknown): unknown {
    if (typeof body !== 'object' || body === null) return body
    const known = this.made.get(body)
    if (known !== undefined) return known
    const sample = sampleOf(body)
    this.made.set(body, sample)
    const whole = this.whole.get(id) ?? 0
    if (sample === body || whole >= mostWhole) return sample
    this.whole.set(id, whole + 1)
    return body
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
