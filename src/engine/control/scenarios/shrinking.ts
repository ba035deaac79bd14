/**
 * Finds the fewest items with which a condition is still true (delta debugging). It yields lists to try, and takes whether it
 * was true. No single item of its result can be left out.
 */
export function* shrinking<T>(all: readonly T[]): Generator<readonly T[], readonly T[], boolean> {
  let kept = all
  let size = Math.ceil(kept.length / 2)
  while (size > 0 && kept.length > 0) {
    let hasShrunk = false
    for (let from = 0; from < kept.length; ) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (yield rest) {
        kept = rest
        hasShrunk = true
      } else from += size
    }
    if (size > 1) size = Math.ceil(size / 2)
    else if (!hasShrunk) break
  }
  return kept
}
