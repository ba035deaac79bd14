import { monitorEventLoopDelay } from 'node:perf_hooks'
import { once } from '../contract/once.js'
import { gauge, type Metric } from './exposition.js'

/** Milliseconds between two measurements of the event loop. */
const resolution = 10

/** The metrics of the process. The event loop is watched from the first call on. */
export function createProcessMetrics(): () => Metric[] {
  const delay = once(() => {
    const histogram = monitorEventLoopDelay({ resolution })
    histogram.enable()
    return histogram
  })

  /** The delay of the event loop since the last call. Other Node services use the same names. */
  const eventLoop = (): Metric[] => {
    const { max, count } = delay()
    const lag = (nanoseconds: number) => (count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - resolution / 1000))
    const gauges = [
      gauge('nodejs_eventloop_lag_p50_seconds', 'Median delay of the event loop.', lag(delay().percentile(50))),
      gauge(
        'nodejs_eventloop_lag_p99_seconds',
        '99th percentile of the delay of the event loop.',
        lag(delay().percentile(99))
      ),
      gauge('nodejs_eventloop_lag_max_seconds', 'Maximum delay of the event loop.', lag(max))
    ]
    delay().reset()
    return gauges
  }

  return () => [...eventLoop(), ...ofProcess()]
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
