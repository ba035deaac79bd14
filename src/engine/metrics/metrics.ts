import { inMap } from '../contract/once.js'
import type { JournalEntry } from '../contract/types.gen.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { gauge, type Metric, type Sample } from './exposition.js'
import { createProcessMetrics } from './process.js'

/** The upper bounds of the duration buckets, in seconds. One more bucket counts longer durations. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10] as const

class Tally {
  /** Answers by status; 0 if the connection was broken. */
  readonly statuses = new Map<number, number>()
  /** Answers by duration: the count of each bucket, then the count above all bounds. */
  readonly buckets: number[] = new Array(bounds.length + 1).fill(0)
  seconds = 0
  violations = 0
}

/** Counts over all sandboxes since the start. They are never reset: a Prometheus counter must not fall. */
export class Traffic {
  /** By operation; null: requests without an operation. */
  readonly tallies = new Map<string | null, Tally>()

  count({ operation, status, duration_ms, violations }: JournalEntry): void {
    const tally = inMap(this.tallies, operation, () => new Tally())
    const seconds = duration_ms / 1000
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
    tally.buckets[bucket] = (tally.buckets[bucket] as number) + 1
    tally.seconds += seconds
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
    tally.violations += violations.length
  }
}

export interface MetricSources {
  traffic: Traffic
  sandboxes: Sandboxes
  version: string
  prefix: string
  more?: (() => Metric[]) | undefined
}

/** Returns a function that reads the metrics. The event loop is measured from its first call on. */
export function createMetrics(measured: MetricSources): () => Metric[] {
  const ofProcess = createProcessMetrics()
  return () => [...ofRequests(measured), ...ofState(measured), ...(measured.more?.() ?? []), ...ofProcess()]
}

function ofRequests({ traffic: { tallies }, prefix }: MetricSources): Metric[] {
  const each = (samplesOf: (tally: Tally, labels: Labels) => Sample[]) =>
    [...tallies].flatMap(([operation, tally]) => samplesOf(tally, { operation: operation ?? 'none' }))
  return [
    {
      name: `${prefix}_requests_total`,
      type: 'counter',
      help: 'Requests by operation and status; 0: the connection was broken.',
      samples: each(({ statuses }, labels) =>
        [...statuses].map(([status, value]) => ({ labels: { ...labels, status }, value }))
      )
    },
    {
      name: `${prefix}_contract_violations_total`,
      type: 'counter',
      help: 'Contract violations that were let through.',
      samples: each(({ violations }, labels) => [{ labels, value: violations }])
    },
    {
      name: `${prefix}_request_duration_seconds`,
      type: 'histogram',
      help: 'Time from the headers of a request to its answer, including deliberate delays.',
      samples: each(durations)
    }
  ]
}

type Labels = Record<string, string | number>

/** In Prometheus, each bucket includes the ones below it. */
function durations({ buckets, seconds }: Tally, labels: Labels): Sample[] {
  let value = 0
  const samples = buckets.map((count, at): Sample => {
    value += count
    return { suffix: '_bucket', labels: { ...labels, le: bounds[at] ?? '+Inf' }, value }
  })
  return [...samples, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value }]
}

function ofState({ sandboxes, version, prefix }: MetricSources): Metric[] {
  const journals = sandboxes.list().map(({ journal }) => journal)
  const sum = (of: (journal: (typeof journals)[number]) => number) => journals.reduce((all, it) => all + of(it), 0)
  return [
    {
      name: `${prefix}_info`,
      type: 'gauge',
      help: 'Version of the mock.',
      samples: [{ labels: { version }, value: 1 }]
    },
    gauge(`${prefix}_sandboxes`, 'Sandboxes.', journals.length),
    gauge(
      `${prefix}_journal_entries`,
      'Exchanges in all journals.',
      sum(({ size }) => size)
    ),
    gauge(
      `${prefix}_journal_bytes`,
      'Approximate size of all journals.',
      sum(({ weight }) => weight)
    )
  ]
}
