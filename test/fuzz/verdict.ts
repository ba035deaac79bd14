import type { Failure, Report } from './run.js'
import type { Stall } from './target.js'

/** The longest allowed block of the event loop, and the allowed growth of memory, in bytes. */
const longestStall = 200
const mostGrowth = 16 * 1024 * 1024

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** The text of a report, its sums last, and whether it has a failure. */
export function verdict(report: Report, only?: string): { text: string; failed: boolean } {
  const { answers, failures, stalls, memory } = report
  const [before, after] = memory.map(({ heapUsed, external }) => heapUsed + external)
  const growth = before === undefined || after === undefined ? Number.NaN : after - before
  const tooLong = stalls.filter((it) => ownOf(it) > longestStall)
  const lines = [
    'answers, by kind and status:',
    ...Object.entries(answers).map(([kind, statuses]) => `  ${kind}: ${listed(statuses)}`),
    ...tooLong.map((it) => `STALL ${lengthOf(it)}: ${it.during}`),
    ...failures.map(({ seed, number, kind, what }) => {
      const again = `npm run fuzz -- --replay ${seed}:${number}${only ? ` --only ${only}` : ''}`
      return `FAILED case ${number} (${kind}): ${what}\n  ${again}`
    }),
    '',
    ...sumOf(report).map(([name, value]) => `${name.padEnd(40)}${value}`)
  ]
  const failed = failures.length > 0 || tooLong.length > 0 || !(growth <= mostGrowth)
  return { text: lines.join('\n'), failed }
}

/** A long run at a glance. */
function sumOf({ requests, seconds, compared, failures, stalls, memory }: Report): [name: string, value: string][] {
  const count = (of: Failure['of']) => String(failures.filter((it) => it.of === of).length)
  const over = (lengths: number[]) =>
    `${lengths.filter((it) => it > longestStall).length} (the longest ${Math.max(0, ...lengths).toFixed(0)} ms)`
  const [before = '?', after = '?'] = memory.map((it) => `${mib(it.heapUsed + it.external)} (resident ${mib(it.rss)})`)
  return [
    ['requests', `${requests} in ${seconds.toFixed(0)} s, ${(requests / seconds).toFixed(0)} a second`],
    ['5xx', count('5xx')],
    ['crashes', count('crash')],
    ['connections left without answer or end', count('connection')],
    [
      'states changed by refused requests',
      `${count('change')} (${compared.requests} in ${compared.runs} runs compared)`
    ],
    [`stalls over ${longestStall} ms, of its own work`, over(stalls.map(ownOf))],
    [`stalls over ${longestStall} ms, by the clock`, over(stalls.map(({ delay }) => delay))],
    ['memory after the warm-up, collected', before],
    ['memory at the end, collected', after]
  ]
}

/** The milliseconds of a stall in which the process worked: the rest of the time it had no processor. */
function ownOf({ delay, busy }: Stall): number {
  return Math.min(delay, busy)
}

function lengthOf({ delay, busy, collecting }: Stall): string {
  return `${delay.toFixed(0)} ms, of it ${busy.toFixed(0)} work, ${collecting.toFixed(0)} garbage`
}

function listed(statuses: Record<string, number>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ')
}
