import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers'

/** Work in steps, so that other requests can be served between them. */
export type Steps<T> = Generator<void, T>

/** Milliseconds of work in one turn of the event loop. A single step may take longer. */
const turn = 10

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
    if (performance.now() - since < turn) continue
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
