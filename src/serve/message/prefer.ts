const part = /[ \t]*(?:([,;=])|([!#$%&'*+.^_`|~0-9A-Za-z-]+)|"((?:[^"\\]|\\.)*)")[ \t]*/y

/** A part of a header: a separator, or a word that may have been quoted. */
type Token = { separator: string } | { word: string }

/**
 * The preferences of a Prefer header (RFC 7240, 2), by lower-case name. The first of each counts, parameters are
 * ignored, and a missing value is empty. `undefined` if the header is not a list of preferences.
 */
export function readPrefer(header: string): Map<string, string> | undefined {
  const parts = partsOf(header)
  if (!parts) return undefined
  const preferences = new Map<string, string>()
  for (const item of splitAt(',', parts)) {
    const pairs = splitAt(';', item).map(readPair)
    if (pairs.includes(undefined)) return undefined
    const [name, value] = pairs[0] as [string, string]
    if (name !== '' && !preferences.has(name)) preferences.set(name, value)
  }
  return preferences
}

/** Reads every part once, so that the time depends only on the header's length. */
function partsOf(header: string): Token[] | undefined {
  const parts: Token[] = []
  part.lastIndex = 0
  while (part.lastIndex < header.length) {
    const found = part.exec(header)
    if (!found) return undefined
    const [, separator, token, quoted] = found
    if (separator !== undefined) parts.push({ separator })
    else parts.push({ word: token ?? (quoted as string).replace(/\\(.)/g, '$1') })
  }
  return parts
}

function splitAt(mark: string, parts: Token[]): Token[][] {
  const pieces: Token[][] = [[]]
  for (const it of parts) {
    if ('separator' in it && it.separator === mark) pieces.push([])
    else pieces.at(-1)?.push(it)
  }
  return pieces
}

/** A name in lower case and its value. Both are empty if there is nothing. */
function readPair([name, equals, value, ...rest]: Token[]): [name: string, value: string] | undefined {
  if (!name) return ['', '']
  if (!('word' in name) || rest.length > 0) return undefined
  if (equals && !('separator' in equals)) return undefined
  if (value && !('word' in value)) return undefined
  return [name.word.toLowerCase(), value?.word ?? '']
}
