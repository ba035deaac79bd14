const deepest = 500
const quote = 0x22
const backslash = 0x5c

/** Whether a JSON text nests too deep to be walked: JSON.stringify, for one, takes room on the stack per level. */
export function nestsTooDeep(text: string): boolean {
  if (text.length <= deepest) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === backslash) at++
      else if (code === quote) quoted = false
    } else if (code === quote) quoted = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
