import { Refusal } from './message/refusal.js'
import { skipDigits } from './pydantic/datetime.js'
import { isLarge } from './pydantic/scalars.js'

/** Whether a media type is JSON, or based on it, such as application/problem+json. */
export function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)
}

/** Where a text is not valid JSON: the character (code point) and Python's message. */
export interface JsonError {
  offset: number
  error: string
}

/** Parses JSON. Errors have the character offset and message of Python's json module. */
export function parseJson(text: string): { value: unknown } | JsonError {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const { at, error } = findError(text)
    return { offset: characters(text, at), error }
  }
}

interface ScanError {
  at: number
  error: string
}

const propertyName = 'Expecting property name enclosed in double quotes'

/** The first error in a text. The scan has its own stack, because a body may consist only of brackets. */
function findError(text: string): ScanError {
  if (text.startsWith('\ufeff')) return { at: 0, error: 'Unexpected UTF-8 BOM (decode using utf-8-sig)' }
  // 1 for each open bracket of an object.
  const open = new Uint8Array(text.length)
  let depth = 0
  let at = skipSpace(text, 0)
  for (;;) {
    // A value starts here.
    const char = text[at]
    if (char === '{' || char === '[') {
      open[depth++] = char === '{' ? 1 : 0
      at = skipSpace(text, at + 1)
      if (text[at] !== (char === '{' ? '}' : ']')) {
        if (char === '[') continue
        const value = afterName(text, at)
        if (typeof value === 'object') return value
        at = value
        continue
      }
      depth--
      at++
    } else {
      const end = char === '"' ? stringEnd(text, at) : scalarEnd(text, at)
      if (typeof end === 'object') return end
      at = end
    }
    // A value ends here, and perhaps others that contain it.
    at = skipSpace(text, at)
    while (depth > 0 && text[at] === (open[depth - 1] ? '}' : ']')) {
      depth--
      at = skipSpace(text, at + 1)
    }
    // If there is no error, JSON.parse failed because of the size.
    if (depth === 0) return at < text.length ? { at, error: 'Extra data' } : { at: 0, error: 'Expecting value' }
    if (text[at] !== ',') return { at, error: "Expecting ',' delimiter" }
    at = skipSpace(text, at + 1)
    if (open[depth - 1]) {
      const value = afterName(text, at)
      if (typeof value === 'object') return value
      at = value
    }
  }
}

/** The position of a property's value. `at` is the start of its name. */
function afterName(text: string, at: number): number | ScanError {
  if (text[at] !== '"') return { at, error: propertyName }
  const end = stringEnd(text, at)
  if (typeof end === 'object') return end
  const colon = skipSpace(text, end)
  return text[colon] === ':' ? skipSpace(text, colon + 1) : { at: colon, error: "Expecting ':' delimiter" }
}

function stringEnd(text: string, start: number): number | ScanError {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return { at, error: 'Invalid control character at' }
    if (code !== 0x5c) at++
    else {
      const escaped = text[at + 1]
      if (escaped === undefined) break
      if (escaped !== 'u') {
        if (!'"\\/bfnrt'.includes(escaped)) return { at, error: 'Invalid \\escape' }
        at += 2
      } else {
        // Python requires one more character after the digits, even if it is the quote.
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) || at + 6 >= text.length) {
          return { at: at + 1, error: 'Invalid \\uXXXX escape' }
        }
        at += 6
      }
    }
  }
  return { at: start, error: 'Unterminated string starting at' }
}

const literals: Record<string, string> = { n: 'null', t: 'true', f: 'false' }

/** The end of a number or literal. NaN and Infinity are rejected, although Python accepts them. */
function scalarEnd(text: string, start: number): number | ScanError {
  const literal = literals[text[start] as string]
  if (literal) return text.startsWith(literal, start) ? start + literal.length : { at: start, error: 'Expecting value' }
  const whole = text[start] === '-' ? start + 1 : start
  let at = text[whole] === '0' ? whole + 1 : digitsFrom(text, whole)
  if (at === undefined) return { at: start, error: 'Expecting value' }
  // A point or an exponent without digits is not part of the number: it is extra data.
  if (text[at] === '.') at = digitsFrom(text, at + 1) ?? at
  if (text[at] === 'e' || text[at] === 'E') {
    const signed = text[at + 1] === '+' || text[at + 1] === '-'
    at = digitsFrom(text, at + (signed ? 2 : 1)) ?? at
  }
  return at
}

/** The end of some digits. Undefined if there are none. */
function digitsFrom(text: string, from: number): number | undefined {
  const end = skipDigits(text, from)
  return end > from ? end : undefined
}

function skipSpace(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
  }
}

/** The number of code points before a place in a text. */
function characters(text: string, end: number): number {
  let count = end
  for (let at = 1; at < end; at++) {
    const low = text.charCodeAt(at) & 0xfc00
    if (low === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--
  }
  return count
}

/** A number or a name in a JSON text, as written. */
export interface Literal {
  loc: (string | number)[]
  text: string
}

/** A number written with a fraction of zeros or an exponent, if no quote follows. */
const oddNumber = /\d(?:\.0+|[eE][-+]?\d+)(?=[\s,}\]]|$)/

/**
 * The numbers of a JSON text whose value does not show how they are written: large ones, and whole ones such as 1.0. Also the
 * names that an object has twice. Most texts have neither, which is found without reading them again.
 */
export function literalsIn(text: string, value: unknown): { numbers: Literal[]; repeated: Literal[] } {
  const facts = survey(value)
  // A colon in a string causes a search that finds nothing.
  if (!facts.hasLarge && colonsIn(text) === facts.names && !oddNumber.test(text)) return { numbers: [], repeated: [] }
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
const deepestSearch = 64

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
    if (first === '"') at = endOfString(text, start) + 1
    else if (!marks.includes(first)) while (at < text.length && !ends.includes(text[at] as string)) at++
    yield text.slice(start, at)
  }
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
      const isWhole = /[.eE]/.test(token) && Number.isInteger(value) && open.length <= deepestSearch
      if (isLarge(value) ? large++ < mostReported : isWhole) numbers.push({ loc: place(), text: token })
    }
    last = token
  }
  return { numbers, repeated }
}

const deepest = 500
/** The highest number of members and items in a JSON body, and in JSON within a form. */
export const mostJsonValues = 20_000
/** What is wrong with such a text. */
export const tooDeep = `nests deeper than ${deepest} levels`

export function isTooDeep(text: string): boolean {
  // Most texts have too few brackets for that. Counting them is several times as fast as reading the text.
  if (countOf(text, '{') + countOf(text, '[') < deepest) return false
  return excessOf(text, Number.POSITIVE_INFINITY) === 'depth'
}

/** The value of a JSON text. Any other text stays text, and so does one that nests too deeply for a recursive function. */
export function jsonOrText(text: string): unknown {
  if (isTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** How often a text has a mark, up to the deepest nesting. */
function countOf(text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0 && count < deepest; at = text.indexOf(mark, at + 1)) count++
  return count
}

/** Errors contain the field's name, so a long one makes them long. Without a limit of values, names have none. */
const longestName = 1000
const quote = 0x22
const backslash = 0x5c

/**
 * Rejects a JSON text with too many members and items, or with too long a name, before it is parsed. `what` names the text in
 * the error. `deep` creates the error for a text that nests too deeply, which could overflow the stack in JSON.stringify.
 */
export function checkSize(
  text: string,
  what: string,
  deep: (problem: string) => Refusal,
  mostValues = mostJsonValues
): void {
  const excess = excessOf(text, mostValues)
  if (excess === 'depth') throw deep(tooDeep)
  if (excess === 'values') throw tooMany(what, mostValues)
  if (excess === 'name') {
    const detail = `${what} has a field whose name is longer than ${longestName} characters.`
    throw new Refusal('too-large', { detail })
  }
}

/** Rejects the same of a value that was parsed already, level by level: it may nest deeper than calls can. */
export function checkValue(value: unknown, mostValues: number, what: string, deep: (problem: string) => Refusal): void {
  let level = [value]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) throw deep(tooDeep)
    level = level.flatMap((it) => (typeof it === 'object' && it !== null ? Object.values(it) : []))
    values += level.length
    if (values > mostValues) throw tooMany(what, mostValues)
  }
}

function tooMany(what: string, mostValues: number): Refusal {
  return new Refusal('too-large', { detail: `${what} has more than ${mostValues} values.` })
}

/** The limit that a text exceeds: levels, members and items, or characters in a name. */
function excessOf(text: string, mostValues: number): 'depth' | 'values' | 'name' | undefined {
  if (text.length <= Math.min(deepest, mostValues)) return undefined
  let depth = 0
  let values = 0
  // No comma precedes the first member or item after an opening bracket.
  let isFirst = false
  let opened = 0
  let closed = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isFirst && code > 0x20) {
      isFirst = false
      if (code !== 0x7d && code !== 0x5d && ++values > mostValues) return 'values'
    }
    if (code === quote) {
      opened = at
      closed = endOfString(text, at)
      at = closed
    } else if (code === 0x2c) {
      if (++values > mostValues) return 'values'
    } else if (code === 0x3a) {
      if (closed - opened - 1 > longestName && mostValues < Number.POSITIVE_INFINITY) return 'name'
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) return 'depth'
      isFirst = true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return undefined
}

/** The closing quote of a string, or the end of a text that lacks it. Searching is several times as fast as reading. */
function endOfString(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let start = at
    while (text.charCodeAt(start - 1) === backslash) start--
    // Backslashes in pairs are text, and a single one makes the quote text.
    if ((at - start) % 2 === 0) return at
  }
  return text.length
}
