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

/** The figures in a text in the format of Prometheus: one number for the whole process each. */
export function figuresIn(metrics: string): Figure[] {
  const helps = new Map<string, string>()
  const figures: Figure[] = []
  for (const line of metrics.split('\n')) {
    const help = /^# HELP (\S+) (.*)$/.exec(line)
    if (help) helps.set(help[1] as string, help[2] as string)
    const [, name, value] = /^([a-z_0-9]+) (\S+)$/.exec(line) ?? []
    const label = helps.get(name ?? '')
    if (name === undefined || label === undefined || !shown.test(name)) continue
    figures.push({ name, label: label.replace(/\.$/, ''), text: textOf(name, Number(value)) })
  }
  return figures
}

function textOf(name: string, value: number): string {
  if (name.endsWith('_bytes')) return `${(value / 1e6).toFixed(1)} MB`
  if (/_seconds(_total)?$/.test(name)) return value === 0 ? '0 ms' : duration(value * 1000)
  return value.toLocaleString('en')
}
