const deepest = 500
/** What is wrong with a field is told with its name, and a long one takes long to tell. */
export const longestName = 1000
const quote = 0x22
const backslash = 0x5c

/** Whether a JSON text nests too deep to be walked: JSON.stringify, for one, takes room on the stack per level. */
export function nestsTooDeep(text: string): boolean {
  return excessOf(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY) === 'depth'
}

/** What a JSON text has too much of, if anything, before it is parsed: levels, members and items, or a field's name. */
export function excessOf(
  text: string,
  mostValues: number,
  mostInName = longestName
): 'depth' | 'values' | 'name' | undefined {
  if (text.length <= Math.min(deepest, mostValues)) return undefined
  let depth = 0
  let values = 0
  let quoted = false
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
    } else if (code === quote) {
      quoted = true
      opened = at
    } else if (code === 0x2c || code === 0x3a) {
      if (++values > mostValues) return 'values'
      if (code === 0x3a && closed - opened - 1 > mostInName) return 'name'
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) return 'depth'
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return undefined
}

/** How the refusal of a text that nests too deep says so. */
export const tooDeep = `nests deeper than ${deepest} levels`
