import { duration } from '../parts/time.js'

/** A figure of a process, as its metrics have it. */
export interface Figure {
  /** The name of the metric. */
  name: string
  label: string
  text: string
}

const shown =
  /^(kcm_(?!info)|process_cpu_seconds_total|process_resident_memory_bytes|nodejs_heap_size_used_bytes|nodejs_eventloop_lag_p99_seconds)/

/** The figures in a text in the format of Prometheus, by process: one number for the whole process each. `own`: the one without a name there. */
export function figuresIn(metrics: string, own: string): Map<string, Figure[]> {
  const helps = new Map<string, string>()
  const figures = new Map<string, Figure[]>()
  for (const line of metrics.split('\n')) {
    const help = /^# HELP (\S+) (.*)$/.exec(line)
    if (help) helps.set(help[1] as string, help[2] as string)
    const [, name, node = own, value] = /^([a-z_0-9]+)(?:\{node="(\w+)"\})? (\S+)$/.exec(line) ?? []
    const label = helps.get(name ?? '')
    if (name === undefined || label === undefined || !shown.test(name)) continue
    const list = figures.get(node) ?? []
    figures.set(node, list)
    list.push({ name, label: label.replace(/\.$/, ''), text: textOf(name, Number(value)) })
  }
  return figures
}

function textOf(name: string, value: number): string {
  if (name.endsWith('_bytes')) return `${(value / 1e6).toFixed(1)} MB`
  if (/_seconds(_total)?$/.test(name)) return value === 0 ? '0 ms' : duration(value * 1000)
  return value.toLocaleString('en')
}
