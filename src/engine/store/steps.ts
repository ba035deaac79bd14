import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers'

/** Work in steps, so that other requests can be served between them. */
export type Steps<T> = Generator<void, T>

/** Milliseconds of work in one turn of the event loop. A single step may take longer. */
export const turn = { milliseconds: 10 }

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs all steps, with turns of the event loop between them. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - since < turn.milliseconds) continue
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}

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
