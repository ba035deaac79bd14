import type { Operation } from '../contract.js'

/** The operations that globs match by id or number, in order of number. `*` matches any letters. */
export function operationsNamed(operations: Iterable<Operation>, globs: string | readonly string[]): Operation[] {
  const patterns = [globs].flat().flatMap((glob) => glob.split(',').map((one) => patternOf(one.trim())))
  return [...operations]
    .filter(({ id, code }) => patterns.some((it) => it.test(id) || it.test(code)))
    .sort((a, b) => Number(a.code.slice(1)) - Number(b.code.slice(1)))
}

function patternOf(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'i')
}
