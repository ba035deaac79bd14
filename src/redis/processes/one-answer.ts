import type { SandboxInfo } from '../../engine/contract/types.gen.js'
import type { AllSandboxes } from '../../engine/control/rule.js'
import { gauge, type Metric } from '../../engine/metrics/exposition.js'
import { timestamp } from '../../engine/sandbox/clock.js'
import type { Replies } from './everybody.js'

/** The report of a process about its sandboxes. */
export interface SandboxReport {
  /** The most recently used first. */
  sandboxes: (SandboxInfo & { usedAt: number })[]
  /** The names that it has without a sandbox, because a client only read there. */
  unmade: string[]
}

/** Sandboxes that are in no process's memory. */
export interface SleepingSandboxes {
  total: number
  latest: { name: string; usedAt: number }[]
}

/** The sandboxes of all processes, and those that sleep. */
export function sandboxesIn({ told, silent }: Replies<SandboxReport>, asleep: SleepingSandboxes): AllSandboxes {
  const all = told.flatMap(({ told: { sandboxes } }) => sandboxes).sort((a, b) => a.usedAt - b.usedAt)
  // A sandbox that is moving may be reported twice.
  const awake = [...new Map(all.map((it) => [it.name, it])).values()].sort((a, b) => b.usedAt - a.usedAt)
  return {
    sandboxes: awake.map(({ usedAt: _, ...info }) => info),
    asleep: {
      total: asleep.total,
      sandboxes: asleep.latest.map(({ name, usedAt }) => ({ name, used_at: timestamp(usedAt) }))
    },
    silent
  }
}

/** The metrics of all processes, and of the engine that they share. */
export function metricsIn({ told, silent }: Replies<Metric[]>, shared: Metric[]): Metric[] {
  const answers = [...told.map(({ node }) => ({ node, value: 1 })), ...silent.map(({ node }) => ({ node, value: 0 }))]
  const up: Metric = {
    ...gauge('kcm_process_answers', 'Whether a process answered when it was asked for its metrics.', 0),
    samples: answers.map(({ node, value }) => ({ labels: { node }, value }))
  }
  return [...together(told), up, ...shared]
}

/** The metrics of several processes as one list. Each sample names its process, in the label `node`. */
function together(all: readonly { node: string; told: readonly Metric[] }[]): Metric[] {
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
