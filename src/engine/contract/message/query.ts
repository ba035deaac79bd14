import { decode } from '../match.js'

/** `whichCounts` is called for each repeated parameter. All values of the parameters in `lists` count. */
export function readQuery<Lists extends ReadonlySet<string> | undefined = undefined>(
  search: string,
  whichCounts = (): 'last' | 'first' => 'last',
  lists?: Lists
): Record<string, Lists extends undefined ? string : string | string[]> {
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
  return Object.fromEntries(parameters) as never
}

/** Decodes a name or value of a query. */
function text(part: string): string {
  return decode(part.includes('+') ? part.replaceAll('+', ' ') : part)
}

type Tree = Map<string, unknown>

/** The most objects and lists around a field of a form. */
const deepest = 20

/**
 * The fields of a form with those that are written as `metadata[key]`, `items[0][price]` and `tags[]` in objects and lists.
 * `isWhole`: whether a field is an object or a list.
 */
export function nested(fields: Record<string, unknown>, isWhole: (name: string) => boolean): Record<string, unknown> {
  const tree: Tree = new Map()
  for (const [name, value] of Object.entries(fields)) {
    const [, root = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? []
    const steps = [root, ...rest.slice(1, -1).split('][')]
    if (rest === '' || isWhole(name) || !isWhole(root) || steps.length > deepest) {
      tree.set(name, value)
      continue
    }
    // `tags[]` has all values that are sent under this name.
    const last = steps.pop() as string
    let at = tree
    for (const step of steps) {
      const next = at.get(step) instanceof Map ? (at.get(step) as Tree) : new Map()
      at.set(step, next)
      at = next
    }
    const values = last === '' && Array.isArray(value) ? value : undefined
    if (values) for (const it of values) at.set(String(at.size), it)
    else at.set(last, value)
  }
  return Object.fromEntries([...tree].map(([name, it]) => [name, settled(it)]))
}

/** An object, or a list if all names are numbers or empty. */
function settled(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const entries = [...(value as Tree)].map(([name, it]): [string, unknown] => [name, settled(it)])
  if (!entries.every(([name]) => /^\d*$/.test(name))) return Object.fromEntries(entries)
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, it]) => it)
}
