/** Groups items by a key, in the order of the keys' first appearance. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? []
    groups.set(keyOf(item), group)
    group.push(item)
  }
  return [...groups]
}

/** A number with its noun: "1 finding", "2 findings". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** A text as one word of a command: in single quotes if it has characters that a shell interprets. */
export function inShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** GitHub shows ten annotations of one level per step, so the last one counts the rest. */
export function fitting<T>(all: readonly T[]): [shown: T[], rest: T[]] {
  const shown = all.length > 10 ? 9 : all.length
  return [all.slice(0, shown), all.slice(shown)]
}

/** A workflow command of GitHub. */
export function annotation(level: string, properties: Record<string, string | number>, text: string): string {
  const data = (value: string) => value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (value: string) => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const pairs = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`)
  return `::${level} ${pairs.join(',')}::${data(text)}\n`
}

/** The attributes of an element, each after a space. */
export function attributesOf(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value))}"`)
    .join('')
}

/** XML 1.0 allows no control characters except tabs and line ends, and no lone surrogates. */
export function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}
