import type { Report } from './run.js'

/** The longest that the event loop may stand still, and how much more may be held at the end, in bytes. */
const longestStall = 200
const mostGrowth = 16 * 1024 * 1024

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** What a report says, and whether anything in it must not be. */
export function verdict(report: Report, only?: string): { text: string; failed: boolean } {
  const { requests, seconds, answers, compared, failures, stalls, memory } = report
  const own = stalls.map(({ delay, busy }) => Math.min(delay, busy))
  const longest = Math.max(0, ...own)
  const [before, after] = memory.map(({ heapUsed, external }) => heapUsed + external)
  const growth = before === undefined || after === undefined ? Number.NaN : after - before
  const lines = [
    `${requests} requests in ${seconds.toFixed(0)} s (${(requests / seconds).toFixed(0)} a second)`,
    ...Object.entries(answers).map(([kind, statuses]) => `  ${kind}: ${listed(statuses)}`),
    `state: ${compared.requests} refused requests in ${compared.runs} runs, compared after each run`,
    `event loop: its own work held it for ${longest.toFixed(0)} ms at most, ${own.filter((it) => it > longestStall).length} times over ${longestStall} ms; with the time it had no processor ${Math.max(0, ...stalls.map(({ delay }) => delay)).toFixed(0)} ms`,
    ...stalls
      .filter(({ delay, busy }) => Math.min(delay, busy) > longestStall)
      .map(
        (it) =>
          `  ${it.delay.toFixed(0)} ms, of it ${it.busy.toFixed(0)} work, ${it.collecting.toFixed(0)} garbage: ${it.during}`
      ),
    `memory in use: ${memory.map(({ heapUsed, external }) => mib(heapUsed + external)).join(' after the warm-up, ')} at the end; resident ${memory.map(({ rss }) => mib(rss)).join(', ')}`,
    ...failures.map(({ seed, number, kind, what }) => {
      const again = `npm run fuzz -- --replay ${seed}:${number}${only ? ` --only ${only}` : ''}`
      return `FAILED case ${number} (${kind}): ${what}\n  ${again}`
    })
  ]
  return { text: lines.join('\n'), failed: failures.length > 0 || longest > longestStall || !(growth <= mostGrowth) }
}

function listed(statuses: Record<string, number>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ')
}
