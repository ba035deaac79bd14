const deepest = 500
const quote = 0x22
const backslash = 0x5c

/** Whether a JSON text nests too deep to be walked: JSON.stringify, for one, takes room on the stack per level. */
export function nestsTooDeep(text: string): boolean {
  return excessOf(text, Number.POSITIVE_INFINITY) === 'depth'
}

/** What a JSON text has too much of, if anything, before it is parsed: levels, or members and items. */
export function excessOf(text: string, mostValues: number): 'depth' | 'values' | undefined {
  if (text.length <= Math.min(deepest, mostValues)) return undefined
  let depth = 0
  let values = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === backslash) at++
      else if (code === quote) quoted = false
    } else if (code === quote) quoted = true
    else if (code === 0x2c || code === 0x3a) {
      if (++values > mostValues) return 'values'
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) return 'depth'
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return undefined
}

/** How the refusal of a text that nests too deep says so. */
export const tooDeep = `nests deeper than ${deepest} levels`
