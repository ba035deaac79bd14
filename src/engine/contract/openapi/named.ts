import type { Operation } from '../model.js'

/** The operations that globs match by id or number, in order of number. `*` matches any letters. */
export function operationsNamed(operations: Iterable<Operation>, globs: string | readonly string[]): Operation[] {
  const patterns = [globs].flat().flatMap((glob) => glob.split(',').map((one) => one.trim().toLowerCase().split('*')))
  return [...operations]
    .filter(({ id, code }) =>
      patterns.some((parts) => fits(id.toLowerCase(), parts) || fits(code.toLowerCase(), parts))
    )
    .sort((a, b) => Number(a.code.slice(1)) - Number(b.code.slice(1)))
}

/** Whether a name has these parts in this order, the first at its start and the last at its end. */
function fits(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop()
  if (last === undefined) return name === first
  let at = first.length
  const inOrder = others.every((part) => {
    const index = name.indexOf(part, at)
    at = index + part.length
    return index >= 0
  })
  return inOrder && name.startsWith(first) && name.endsWith(last) && name.length - last.length >= at
}
