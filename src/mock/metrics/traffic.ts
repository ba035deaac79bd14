import type { JournalEntry } from '../../contract/types.gen.js'

/** The upper bounds of the duration buckets, in seconds. One more bucket holds what takes longer. */
export const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10] as const

/** The counts of one operation. */
export class Tally {
  /** Answers by status; 0 where the connection was broken instead. */
  readonly statuses = new Map<number, number>()
  /** Answers by duration: those of each bucket alone, and at last those over all bounds. */
  readonly buckets: number[] = new Array(bounds.length + 1).fill(0)
  /** All durations together. */
  seconds = 0
  violations = 0
}

/** Counts of all sandboxes since the mock started. Nothing resets them, because a Prometheus counter never falls. */
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
