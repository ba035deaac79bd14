import type { Metric } from './exposition.js'

/** The metrics of several processes as one list: each sample names its process, in the label `node`. */
export function together(all: readonly { node: string; told: readonly Metric[] }[]): Metric[] {
  const byName = new Map<string, Metric>()
  for (const { node, told } of all) {
    for (const { samples, ...metric } of told) {
      const known = byName.get(metric.name) ?? { ...metric, samples: [] }
      byName.set(metric.name, known)
      known.samples.push(...samples.map((it) => ({ ...it, labels: { node, ...it.labels } })))
    }
  }
  return [...byName.values()]
}
