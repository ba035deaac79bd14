/** A text without these characters at its end. A regular expression for that takes quadratic time. */
export function withoutEnd(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && marks.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** A text itself, or another value as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** A path without a slash, or a form such as `.json`, at its end. */
export const barePath = (path: string) => path.replace(/(\/|\.(json|xml))$/, '')

/** A name whatever its spelling is. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

export const isRowPath = (path: string) => barePath(path).endsWith('}')

/** A number in letters, for patterns without digits. */
export const lettersOf = (number: number) =>
  number.toString(26).replace(/\w/g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))

/** The words of a text as a part of a path: `how-to-train-your-dragon`. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
}

/** The names in a path, in their order. */
export const parametersOf = ({ path }: { path: string }): string[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string)
