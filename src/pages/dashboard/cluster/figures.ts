import { duration } from '../parts/time.js'

/** A figure of the processes, as the metrics have it. */
export interface Figure {
  /** The name of the metric. */
  name: string
  label: string
  /** What each process has, and under "" what belongs to none of them. */
  texts: Map<string, string>
}

const shown =
  /^(kcm_(?!info|process_answers)|process_cpu_seconds_total|process_resident_memory_bytes|nodejs_heap_size_used_bytes|nodejs_eventloop_lag_p99_seconds)/
const sample = /^([a-z_0-9]+)(?:\{node="([^"]*)"\})? (\S+)$/

/** The figures in a text in the format of Prometheus: those that are one number for each process. */
export function figuresIn(metrics: string): Figure[] {
  const figures = new Map<string, Figure>()
  for (const line of metrics.split('\n')) {
    const help = /^# HELP (\S+) (.*)$/.exec(line)
    if (help) {
      const [, name = '', label = ''] = help
      if (shown.test(name)) figures.set(name, { name, label: label.replace(/\.$/, ''), texts: new Map() })
      continue
    }
    const [, name = '', node = '', value] = sample.exec(line) ?? []
    figures.get(name)?.texts.set(node, textOf(name, Number(value)))
  }
  return [...figures.values()].filter(({ texts }) => texts.size > 0)
}

function textOf(name: string, value: number): string {
  if (name.endsWith('_bytes')) return `${(value / 1e6).toFixed(1)} MB`
  if (/_seconds(_total)?$/.test(name)) return value === 0 ? '0 ms' : duration(value * 1000)
  return value.toLocaleString('en')
}
