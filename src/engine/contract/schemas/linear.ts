// The build bundles this and its engine into one file: only documents with patterns need them.
import { RE2JS } from 're2js'

/** The most characters and classes in a pattern, counting repetitions, because a linear-time engine expands them all. */
const mostParts = 300

/**
 * Tests texts with a pattern in linear time. Throws for a pattern that no such engine supports, such as one with back
 * references, and for one that would be large.
 */
export function linear(source: string, flags: string): (text: string) => boolean {
  if (partsOf(source.match(pieces) ?? []) > mostParts) throw new Error('The pattern repeats too much.')
  const conditions = conditionsOf(source).map((it) => ({ ...it, engine: engineOf(it.source, flags) }))
  return (text) => conditions.every(({ engine, isWanted }) => engine.test(text) === isWanted)
}

/** One piece of a pattern: an escape, a class, the start of a group, a character. */
const pieces =
  /\\x\{d[89ab]..\}\\x\{d[c-f]..\}|\\x\{[^}]*\}|\\[pP]\{[^}]*\}|\\[\s\S]|\[\^?\]|\[(?:[^\]\\]|\\[\s\S])*\]|\((?:\?(?:P?<\w+>|<?[=!:]?))?|[\s\S]/giu

/** How many parts a pattern has, with repeated ones as often as `{n,m}` says. */
function partsOf(all: string[]): number {
  const groups = [0]
  let last = 0
  for (const [at, piece] of all.entries()) {
    if (piece.startsWith('(')) groups.push(0)
    else if (piece === ')' && groups.length > 1) {
      last = groups.pop() as number
      groups.push((groups.pop() as number) + last)
    } else if (piece === '{') {
      const [, least = 1, most] = /^\{(\d+)(?:,(\d*))?\}/.exec(all.slice(at, at + 20).join('')) ?? []
      groups.push((groups.pop() as number) + last * (Number(most || least) - 1))
    } else {
      last = 1
      groups.push((groups.pop() as number) + last)
    }
  }
  return groups.reduce((sum, it) => sum + it, 0)
}

const space = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const noSpace =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/**
 * What must and must not match if a pattern begins with look-aheads: `^(?!a)(?=b)c` is b and c, but not a. No linear-time
 * engine has look-aheads. In other places they are left to the deadline.
 */
function conditionsOf(source: string): { source: string; isWanted: boolean }[] {
  const all = source.match(pieces) ?? []
  const conditions: { source: string; isWanted: boolean }[] = []
  let at = all[0] === '^' ? 1 : 0
  while (at > 0 && (all[at] === '(?=' || all[at] === '(?!')) {
    const start = at
    let depth = 0
    do {
      if (all[at]?.startsWith('(')) depth++
      if (all[at] === ')') depth--
      at++
    } while (depth > 0)
    conditions.push({ source: `^(?:${all.slice(start + 1, at - 1).join('')})`, isWanted: all[start] === '(?=' })
  }
  const rest = all.slice(at)
  let depth = 0
  const isChoice = rest.some((it) => {
    depth += it.startsWith('(') ? 1 : it === ')' ? -1 : 0
    return it === '|' && depth === 0
  })
  if (conditions.length === 0 || isChoice) return [{ source, isWanted: true }]
  return [...conditions, { source: `^${rest.join('')}`, isWanted: true }]
}

function engineOf(source: string, flags: string): RE2JS {
  const translated = String(RE2JS.translateRegExp(new RegExp(source, flags)))
  return RE2JS.compile(translated.replace(pieces, inRe2), RE2JS.LOOKBEHINDS)
}

/** A piece in RE2's syntax, with the meaning of JavaScript. */
function inRe2(piece: string): string {
  if (piece === '.') return '[^\\n\\r\\x{2028}\\x{2029}]'
  if (piece === '\\s') return `[${space}]`
  if (piece === '\\S') return `[^${space}]`
  if (piece === '(' || /^\(\?P?<\w/.test(piece)) return '(?:'
  if (piece.length > 6 && /^\\x\{d.*\}\\x/i.test(piece)) {
    const [high, low] = piece.match(/d[^}]*/gi) as [string, string]
    return `\\x{${String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0)?.toString(16)}}`
  }
  if (/^\\p\{/i.test(piece)) return piece.replace(/\{(?:\w+=)/, '{')
  // Other letters have no meaning in JavaScript, but have one in RE2.
  if (/^\\[a-z]$/i.test(piece) && !/[bdfnrstvwx]/i.test(piece)) return piece.slice(1)
  if (piece.length < 2 || !piece.startsWith('[')) return piece
  const inner = piece.slice(1, -1).replace(/\\[\s\S]|\[/g, (it) => {
    if (it === '\\s') return space
    if (it === '\\S') return noSpace
    return it === '\\b' ? '\\x08' : it === '[' ? '\\[' : it
  })
  return `[${inner}]`
}
