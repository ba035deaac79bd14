import type { JournalEntry } from '../contract/types.gen.js'

/** The upper bounds of the duration buckets, in seconds. One more bucket counts longer durations. */
export const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10] as const

/** The counts of one operation. */
export class Tally {
  /** Answers by status; 0 if the connection was broken. */
  readonly statuses = new Map<number, number>()
  /** Answers by duration: the count of each bucket, then the count above all bounds. */
  readonly buckets: number[] = new Array(bounds.length + 1).fill(0)
  /** The sum of all durations. */
  seconds = 0
  violations = 0
}

/**
 * Counts over all sandboxes since the mock started. They are never reset, because a Prometheus counter must not fall.
 */
export class Traffic {
  /** By operation; null: requests without an operation. */
  readonly tallies = new Map<string | null, Tally>()

  count({ operation, status, duration_ms, violations }: JournalEntry): void {
    let tally = this.tallies.get(operation)
    if (!tally) {
      tally = new Tally()
      this.tallies.set(operation, tally)
    }
    const seconds = duration_ms / 1000
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
    tally.buckets[bucket] = (tally.buckets[bucket] as number) + 1
    tally.seconds += seconds
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    tally.violations += violations.length
  }
}
