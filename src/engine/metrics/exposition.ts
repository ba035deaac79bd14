/** One value of a metric. `suffix` distinguishes the series of a histogram. */
export interface Sample {
  labels?: Record<string, string | number>
  suffix?: '_bucket' | '_sum' | '_count'
  value: number
}

export interface Metric {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: Sample[]
}

/** Metrics in the text format of Prometheus, version 0.0.4. */
export function exposition(metrics: Metric[]): string {
  return metrics
    .map(({ name, type, help, samples }) => {
      const rows = samples.map(({ labels = {}, suffix = '', value }) => `${name}${suffix}${textOf(labels)} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${rows.join('')}`
    })
    .join('')
}

function textOf(labels: Record<string, string | number>): string {
  const escaped = (value: unknown) => String(value).replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join()}}`
}

export function gauge(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, samples: [{ value }] }
}
