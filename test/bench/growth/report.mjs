import { describe } from '../machine.mjs'
import { short, times } from '../numbers.mjs'
import { table } from '../report.mjs'
import { line, svg, text } from '../svg.mjs'

/** What counts as flat, and as an answer that is the same size. */
const flat = 1.25
const sameSize = 1.1

/** The growth as Markdown. */
export function growthReport({ date, machine, rounds, sizes, operations }) {
  const searches = operations.filter(({ isSearch }) => isSearch)
  return `${[
    '# Growth',
    `${date}. ${describe(machine)}. Server CPU per request in µs, medians of ${rounds} rounds, while one user has so many ` +
      'chat sessions and every other collection a tenth as many rows of other users. Growth: the last size over the first.',
    '![CPU time per request by number of chat sessions, as a ratio to the smallest](growth.svg)',
    table(
      ['operation', ...sizes.map(count), 'growth', 'answer, bytes'],
      operations.map(({ title, figures }) => [
        title,
        ...figures.map(({ cpu }) => short(cpu)),
        growthOf(figures) > flat ? `**${growthOf(figures).toFixed(2)} ×**` : `${growthOf(figures).toFixed(2)} ×`,
        bytesOf(figures)
      ])
    ),
    ...(searches.length === 0
      ? []
      : [
          '## Searches',
          'Milliseconds at the median, one at a time.',
          table(
            ['search', ...sizes.map(count)],
            searches.map(({ title, figures }) => [
              title,
              ...figures.map(({ latency }) => latency.toFixed(latency < 10 ? 2 : 0))
            ])
          )
        ])
  ].join('\n\n')}\n`
}

function growthOf(figures) {
  return figures.at(-1).cpu / figures[0].cpu
}

function bytesOf(figures) {
  const [first, last] = [figures[0].bytes, figures.at(-1).bytes]
  return last > first * sameSize ? `${short(first)} → ${short(last)}` : short(first)
}

const count = (size) => size.toLocaleString('en')

const width = 920
const area = { left: 64, right: 660, top: 84, bottom: 400 }

/** The growth as lines: cost over rows, both scales logarithmic. */
export function growthPlot({ date, machine, sizes, operations }) {
  const lines = operations.map(({ title, figures }) => ({
    title,
    ratios: figures.map(({ cpu }) => cpu / figures[0].cpu),
    isMore: figures.at(-1).bytes > figures[0].bytes * sameSize
  }))
  const most = Math.max(2, ...lines.flatMap(({ ratios }) => ratios))
  const least = Math.min(0.5, ...lines.flatMap(({ ratios }) => ratios))
  const x = (i) => area.left + (i * (area.right - area.left)) / Math.max(1, sizes.length - 1)
  const y = (ratio) =>
    area.bottom - ((Math.log(ratio) - Math.log(least)) / (Math.log(most) - Math.log(least))) * (area.bottom - area.top)
  const title = 'CPU time per request as the state grows'
  const steep = lines.filter(({ ratios }) => ratios.at(-1) > flat).toSorted((a, b) => b.ratios.at(-1) - a.ratios.at(-1))
  const labels = spread(steep.map((it) => ({ ...it, at: y(it.ratios.at(-1)) })))
  const height = Math.max(area.bottom + 90, (labels.at(-1)?.at ?? 0) + 60)
  const verdict = `${lines.length - steep.length} of ${lines.length} stay within ${flat} ×.`
  const description = `${verdict} ${steep.map((it) => `${it.title}: ${times(it.ratios.at(-1))}`).join(', ')}`
  return svg({ width, height, title, description }, [
    text(16, 28, title, { kind: 'head' }),
    text(
      16,
      48,
      `As a ratio to the cost at ${count(sizes[0])} chat sessions of one user; a line per operation. ${verdict}`,
      {
        kind: 'quiet'
      }
    ),
    ticks(least, most).map((tick) => [
      line(
        [
          [area.left, y(tick)],
          [area.right, y(tick)]
        ],
        'rule'
      ),
      text(area.left - 8, y(tick) + 4, `${tick} ×`, { kind: 'quiet', anchor: 'end' })
    ]),
    sizes.map((size, i) => {
      const anchor = i === sizes.length - 1 ? 'end' : 'middle'
      return text(x(i), area.bottom + 22, count(size), { kind: 'quiet', anchor })
    }),
    lines.map(({ ratios, isMore }) =>
      line(
        ratios.map((ratio, i) => [x(i), y(ratio)]),
        ratios.at(-1) <= flat ? 'own' : isMore ? 'limit' : 'warn',
        1.5
      )
    ),
    labels.map(({ title: name, at, ratios, isMore }) =>
      text(area.right + 8, at + 4, `${name} ${times(ratios.at(-1))}`, { kind: isMore ? 'quiet' : 'warn' })
    ),
    text(16, height - 34, 'Blue: flat. Grey: the answer itself grows. Orange: grows.', { kind: 'quiet' }),
    text(16, height - 14, `${date}. ${describe(machine)}.`, { kind: 'quiet' })
  ])
}

function ticks(least, most) {
  return [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 10_000].filter((tick) => tick >= least && tick <= most)
}

/** Labels from the top down, none over another. */
function spread(labels) {
  let next = area.top
  return labels.map((label) => {
    const at = Math.max(label.at, next)
    next = at + 15
    return { ...label, at }
  })
}
