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

/** The end of a string. */
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

function skipDigits(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++
  return at
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
