import { monitorEventLoopDelay } from 'node:perf_hooks'
import { once } from '../sandbox/once.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { exposition, type Metric, type Sample } from './exposition.js'
import { bounds, type Tally, type Traffic } from './traffic.js'

export interface Measured {
  traffic: Traffic
  sandboxes: Sandboxes
  version: string
}

/** Milliseconds between two measurements of the event loop. */
const resolution = 10

/**
 * Returns a function that writes the metrics in the text format of Prometheus. Requests are only counted, which costs
 * almost nothing. The event loop is measured from the first call on.
 */
export function createMetrics(measured: Measured): () => string {
  const delay = once(() => {
    const histogram = monitorEventLoopDelay({ resolution })
    histogram.enable()
    return histogram
  })

  /** The delay of the event loop since the last call. Other Node services use the same names. */
  const eventLoop = (): Metric[] => {
    const { max, count } = delay()
    const lag = (nanoseconds: number) => (count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - resolution / 1000))
    const told = [
      gauge('nodejs_eventloop_lag_p50_seconds', 'Median delay of the event loop.', lag(delay().percentile(50))),
      gauge(
        'nodejs_eventloop_lag_p99_seconds',
        '99th percentile of the delay of the event loop.',
        lag(delay().percentile(99))
      ),
      gauge('nodejs_eventloop_lag_max_seconds', 'Maximum delay of the event loop.', lag(max))
    ]
    delay().reset()
    return told
  }

  return () => exposition([...ofRequests(measured.traffic), ...ofState(measured), ...eventLoop(), ...ofProcess()])
}

function ofRequests({ tallies }: Traffic): Metric[] {
  const each = (samplesOf: (tally: Tally, labels: Labels) => Sample[]) =>
    [...tallies].flatMap(([operation, tally]) => samplesOf(tally, { operation: operation ?? 'none' }))
  return [
    {
      name: 'kcm_requests_total',
      type: 'counter',
      help: 'Requests by operation and status; 0: the connection was broken.',
      samples: each(({ statuses }, labels) =>
        [...statuses].map(([status, value]) => ({ labels: { ...labels, status }, value }))
      )
    },
    {
      name: 'kcm_contract_violations_total',
      type: 'counter',
      help: 'Contract violations that were let through.',
      samples: each(({ violations }, labels) => [{ labels, value: violations }])
    },
    {
      name: 'kcm_request_duration_seconds',
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
  const told = buckets.map((count, at): Sample => {
    value += count
    return { suffix: '_bucket', labels: { ...labels, le: bounds[at] ?? '+Inf' }, value }
  })
  return [...told, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value }]
}

function ofState({ sandboxes, version }: Measured): Metric[] {
  const journals = sandboxes.list().map(({ journal }) => journal)
  const sum = (of: (journal: (typeof journals)[number]) => number) => journals.reduce((all, it) => all + of(it), 0)
  return [
    { name: 'kcm_info', type: 'gauge', help: 'Version of the mock.', samples: [{ labels: { version }, value: 1 }] },
    gauge('kcm_sandboxes', 'Sandboxes.', journals.length),
    gauge(
      'kcm_journal_entries',
      'Exchanges in all journals.',
      sum(({ size }) => size)
    ),
    gauge(
      'kcm_journal_bytes',
      'Approximate size of all journals.',
      sum(({ weight }) => weight)
    )
  ]
}

function ofProcess(): Metric[] {
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const started = Date.now() / 1000 - process.uptime()
  return [
    { ...gauge('process_cpu_seconds_total', 'CPU time.', (user + system) / 1e6), type: 'counter' },
    gauge('process_start_time_seconds', 'Start time in seconds since 1970.', started),
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('nodejs_heap_size_used_bytes', "V8's heap.", heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory that objects of the heap hold outside of it.', external)
  ]
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, samples: [{ value }] }
}
