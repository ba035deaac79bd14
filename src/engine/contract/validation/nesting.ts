import { Refusal } from '../message/refusal.js'

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

/** How often a text has a mark, up to the deepest nesting. */
function countOf(text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0 && count < deepest; at = text.indexOf(mark, at + 1)) count++
  return count
}

/**
 * Errors contain the field's name, so a long name causes long errors. Where the number of values has no limit, names have none either.
 */
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
  return new Refusal('too-large', { detail: `${what} holds more than ${mostValues} values.` })
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
