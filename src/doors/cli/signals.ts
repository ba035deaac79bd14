import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'

/** Milliseconds in which a further SIGTERM is the same one: `timeout` sends it to the process, and to its group. */
const sameSignal = 100

/** Calls `stop` at the first SIGINT or SIGTERM. The next one ends the process at once. */
export function onSignal(stop: (signal: NodeJS.Signals) => unknown): void {
  let first: number | undefined
  const take = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now()
      stop(signal)
    } else if (signal === 'SIGINT' || performance.now() - first > sameSignal)
      process.exit(128 + constants.signals[signal])
  }
  process.on('SIGINT', take).on('SIGTERM', take)
}
