import { decode } from '../match.js'

/** `whichCounts` is called for each repeated parameter. All values of the parameters in `lists` count. */
export function readQuery(search: string, whichCounts?: () => 'last' | 'first'): Record<string, string>
export function readQuery(
  search: string,
  whichCounts: () => 'last' | 'first',
  lists: ReadonlySet<string> | undefined
): Record<string, string | string[]>
export function readQuery(
  search: string,
  whichCounts = (): 'last' | 'first' => 'last',
  lists?: ReadonlySet<string>
): Record<string, string | string[]> {
  if (search === '') return {}
  const parameters = new Map<string, string | string[]>()
  for (const part of search.split('&')) {
    if (part === '') continue
    const mark = part.indexOf('=')
    const name = text(mark < 0 ? part : part.slice(0, mark))
    const value = mark < 0 ? '' : text(part.slice(mark + 1))
    const before = parameters.get(name)
    if (lists?.has(name)) parameters.set(name, [...(before ?? []), value])
    else if (before === undefined || whichCounts() === 'last') parameters.set(name, value)
  }
  return Object.fromEntries(parameters)
}

/** Decodes a name or value of a query. */
function text(part: string): string {
  return decode(part.includes('+') ? part.replaceAll('+', ' ') : part)
}
