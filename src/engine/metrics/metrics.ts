import type { Sandboxes } from '../sandbox/sandboxes.js'
import { gauge, type Metric, type Sample } from './exposition.js'
import { createProcessMetrics } from './process.js'
import { bounds, type Tally, type Traffic } from './traffic.js'

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
