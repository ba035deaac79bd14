import type { Steps } from './steps.js'

/** The number of items that one step sorts or merges. */
const sizeOfStep = 5000

type Order<T> = (a: T, b: T) => number

/** Sorts in steps: first parts, then pairs of parts are merged until there is one. */
export function* sorting<T>(items: T[], order: Order<T>): Steps<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += sizeOfStep) {
    runs.push(items.slice(at, at + sizeOfStep).sort(order))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merging(runs[at] as T[], runs[at + 1] ?? [], order))
    runs = merged
  }
  return runs[0] ?? []
}

/** Equal items of `a` come first. */
function* merging<T>(a: T[], b: T[], order: Order<T>): Steps<T[]> {
  const merged: T[] = []
  let next = 0
  for (const item of a) {
    while (next < b.length && order(b[next] as T, item) < 0) merged.push(b[next++] as T)
    merged.push(item)
    if (merged.length % sizeOfStep === 0) yield
  }
  while (next < b.length) merged.push(b[next++] as T)
  return merged
}
