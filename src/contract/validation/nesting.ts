import { Refusal } from '../refusal.js'

const deepest = 500
/** Errors name the field, so a long name takes long to tell. What may have any number of values may have any name. */
const longestName = 1000
const quote = 0x22
const backslash = 0x5c

/**
 * Refuses a JSON text of a client before it is parsed: `what`, as the refusal calls it, with too many members and items
 * or too long a name. One that nests too deep is refused as the caller says: JSON.stringify, for one, takes room on the
 * stack per level.
 */
export function checkSize(text: string, mostValues: number, what: string, deep: (problem: string) => Refusal): void {
  const excess = excessOf(text, mostValues)
  if (excess === 'depth') throw deep(`nests deeper than ${deepest} levels`)
  if (excess === 'values') {
    throw new Refusal('too-large', { detail: `${what} holds more than ${mostValues} values (--max-json-values).` })
  }
  if (excess === 'name') {
    const detail = `${what} has a field whose name is longer than ${longestName} characters.`
    throw new Refusal('too-large', { detail })
  }
}

/** What a text has too many of: levels, members and items, or characters in a name. */
function excessOf(text: string, mostValues: number): 'depth' | 'values' | 'name' | undefined {
  if (text.length <= Math.min(deepest, mostValues)) return undefined
  let depth = 0
  let values = 0
  let quoted = false
  // After an opening bracket: the first member or item has no comma before it.
  let isFirst = false
  let opened = 0
  let closed = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === backslash) at++
      else if (code === quote) {
        quoted = false
        closed = at
      }
      continue
    }
    if (isFirst && code > 0x20) {
      isFirst = false
      if (code !== 0x7d && code !== 0x5d && ++values > mostValues) return 'values'
    }
    if (code === quote) {
      quoted = true
      opened = at
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
