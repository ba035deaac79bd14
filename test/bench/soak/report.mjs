import { describe } from '../machine.mjs'
import { short } from '../numbers.mjs'
import { table } from '../report.mjs'
import { line, svg, text } from '../svg.mjs'

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`

/** The soak as Markdown: what was measured, and a row for each tenth of the time. */
export function soakReport({ date, machine, full, rate, minutes, requests, wrong, stalls, growth, samples }) {
  const parts = tenths(samples)
  return `${[
    '# Soak',
    `${date}. ${describe(machine)}. The built server alone: ${short(full)} requests a second of mixed workload are all that it ` +
      `answers here; then ${short(rate)} a second, half of that, for ${minutes} minutes. \`npm run soak\` repeats it.`,
    '![Memory and latency over the time](soak.svg)',
    table(
      ['', ''],
      [
        ['requests', String(requests)],
        ['wrong answers', String(wrong)],
        ['longest delay of the event loop', ms(Math.max(...samples.map(({ lag }) => lag)))],
        [`looks in which it was over ${stalls.over} ms`, `${stalls.count} of ${samples.length}`],
        ['heap after collections, last quarter over second', `${growth.heap.toFixed(2)} ×`],
        ['resident memory, last quarter over second', `${growth.rss.toFixed(2)} ×`]
      ]
    ),
    'Latencies begin when a request was due. Heap: the least and the most of the looks, which are between collections.',
    table(
      ['minutes', 'requests a second', 'p50', 'p99', 'longest', 'heap', 'resident'],
      parts.map((part) => [
        `${(part[0].at / 60).toFixed(1)}–${(part.at(-1).at / 60).toFixed(1)}`,
        short(mean(part, 'perSecond')),
        ms(mean(part, 'p50')),
        ms(mean(part, 'p99')),
        ms(most(part, 'max')),
        `${mib(least(part, 'heap'))}–${mib(most(part, 'heap'))}`,
        mib(most(part, 'rss'))
      ])
    )
  ].join('\n\n')}\n`
}

const area = { left: 70, right: 800, width: 900 }

/** The same as lines over the time. */
export function soakPlot({ date, machine, rate, minutes, samples }) {
  const title = `Half of the full load for ${minutes} minutes: ${short(rate)} requests a second`
  const panels = [
    {
      title: 'memory, MiB',
      lines: [
        { name: 'resident', colour: 'limit', kind: 'quiet', values: samples.map(({ rss }) => rss / 2 ** 20) },
        { name: 'heap', colour: 'own', kind: 'own', values: samples.map(({ heap }) => heap / 2 ** 20) }
      ]
    },
    {
      title: 'latency, ms',
      lines: [
        { name: 'p99', colour: 'warn', kind: 'warn', values: samples.map(({ p99 }) => p99) },
        { name: 'p50', colour: 'own', kind: 'own', values: samples.map(({ p50 }) => p50) }
      ]
    },
    {
      title: 'longest delay of the event loop, ms',
      lines: [{ name: 'longest', colour: 'own', kind: 'own', values: samples.map(({ lag }) => lag) }]
    }
  ]
  const height = 60 + panels.length * 170 + 30
  const description = panels
    .map((panel) => `${panel.title}: ${panel.lines.map((it) => `${it.name} ${range(it.values)}`).join(', ')}.`)
    .join(' ')
  return svg({ width: area.width, height, title, description }, [
    text(16, 28, title, { kind: 'head' }),
    panels.map((panel, i) => drawn(panel, samples, 60 + i * 170)),
    text(16, height - 12, `${date}. ${describe(machine)}.`, { kind: 'quiet' })
  ])
}

function drawn({ title, lines }, samples, top) {
  const bottom = top + 130
  const highest = Math.max(1, ...lines.flatMap(({ values }) => values)) * 1.1
  const last = samples.at(-1).at
  const x = (seconds) => area.left + (seconds / last) * (area.right - area.left)
  const y = (value) => bottom - (value / highest) * (bottom - top - 14)
  const across = (at) => [
    [area.left, at],
    [area.right, at]
  ]
  return [
    text(16, top + 4, title, { kind: 'panel' }),
    [0, 0.5, 1].map((share) => [
      line(across(y(highest * share)), 'rule'),
      text(area.left - 8, y(highest * share) + 4, short(highest * share), { kind: 'quiet', anchor: 'end' })
    ]),
    lines.map(({ colour, values }) =>
      line(
        values.map((value, i) => [x(samples[i].at), y(value)]),
        colour,
        1.5
      )
    ),
    // The upper line comes first, so the labels of two that end together are one below the other.
    lines.map(({ name, kind }, i) => {
      const own = y(lines[i].values.at(-1)) + 4
      const above = i === 0 ? own : y(lines[i - 1].values.at(-1)) + 4
      return text(area.right + 8, i > 0 && own - above < 14 ? above + 14 : own, name, { kind })
    }),
    text(area.right, bottom + 16, `${(last / 60).toFixed(0)} min`, { kind: 'quiet', anchor: 'end' })
  ]
}

/** How the last quarter of the time compares with the second: the first fills journals and caches. */
export function growthOf(samples, of) {
  const quarter = Math.floor(samples.length / 4)
  const second = samples.slice(quarter, 2 * quarter)
  return of(samples.slice(-quarter)) / of(second)
}

export const least = (samples, name) => Math.min(...samples.map((it) => it[name]))
export const most = (samples, name) => Math.max(...samples.map((it) => it[name]))
const mean = (samples, name) => samples.reduce((sum, it) => sum + it[name], 0) / samples.length

function tenths(samples) {
  const size = Math.ceil(samples.length / 10)
  return Array.from({ length: Math.ceil(samples.length / size) }, (_, i) => samples.slice(i * size, (i + 1) * size))
}

function range(values) {
  return `${short(Math.min(...values))} to ${short(Math.max(...values))}`
}
