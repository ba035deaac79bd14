/** A number or a name in a JSON text, as written. */
export interface Literal {
  loc: (string | number)[]
  text: string
}

/** JavaScript cannot keep such a number as it was sent. */
export function isLarge(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER
}

/** A number written with a fraction of zeros or an exponent, if no quote follows. */
const oddNumber = /\d(?:\.0+|[eE][-+]?\d+)(?=[\s,}\]]|$)/

/**
 * The numbers of a JSON text whose value does not show how they are written: large ones, and whole ones such as 1.0. Also the
 * names that an object has twice. Most texts have neither, which is found without reading them again.
 */
export function literalsIn(text: string, value: unknown): { numbers: Literal[]; repeated: Literal[] } {
  const found = survey(value)
  // A colon in a string causes a search that finds nothing.
  if (!found.hasLarge && colonsIn(text) === found.names && !oddNumber.test(text)) return { numbers: [], repeated: [] }
  return search(text)
}

/** How many names objects have in a value, and whether it has a large number. */
export function survey(value: unknown): { names: number; hasLarge: boolean } {
  let names = 0
  let hasLarge = false
  // A list instead of recursion: a text may nest deeper than calls can.
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'number') hasLarge ||= isLarge(next)
    else if (Array.isArray(next)) for (const item of next) waiting.push(item)
    else if (typeof next === 'object' && next !== null) {
      for (const item of Object.values(next)) {
        names++
        waiting.push(item)
      }
    }
  }
  return { names, hasLarge }
}

function colonsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count++
  return count
}

/** The highest number of reported large numbers and repeated names. One is enough to refuse a body. */
const mostReported = 100
/** Whole numbers are searched for this many levels deep, because their places take time and memory. */
const deepest = 64

const marks = '{}[]:,'
const spaces = ' \t\n\r'
const ends = `${marks}${spaces}"`

/** The tokens of a JSON text. They are read by index: a regular expression takes memory for each character of the text. */
export function* tokensOf(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const start = at
    const first = text[at] as string
    at++
    if (spaces.includes(first)) continue
    if (first === '"') at = endOfText(text, at)
    else if (!marks.includes(first)) while (at < text.length && !ends.includes(text[at] as string)) at++
    yield text.slice(start, at)
  }
}

/** The place after the quote that ends a text. A quote after an odd number of backslashes does not. */
function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text[before] === '\\') before--
    if ((quote - before) % 2 === 1) return quote + 1
  }
  return text.length
}

function search(text: string): { numbers: Literal[]; repeated: Literal[] } {
  const numbers: Literal[] = []
  const repeated: Literal[] = []
  const open: { step: string | number; names: Set<string> | undefined }[] = []
  const place = () => open.map(({ step }) => step)
  let last = ''
  let large = 0
  for (const token of tokensOf(text)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ step: '', names: new Set() })
    else if (token === '[') open.push({ step: 0, names: undefined })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof inner?.step === 'number') inner.step++
    else if (token === ':' && inner?.names) {
      inner.step = JSON.parse(last) as string
      if (inner.names.has(inner.step) && repeated.length < mostReported) repeated.push({ loc: place(), text: last })
      inner.names.add(inner.step)
    } else if (/^[-\d]/.test(token)) {
      const value = Number(token)
      const isWhole = /[.eE]/.test(token) && Number.isInteger(value) && open.length <= deepest
      if (isLarge(value) ? large++ < mostReported : isWhole) numbers.push({ loc: place(), text: token })
    }
    last = token
  }
  return { numbers, repeated }
}
