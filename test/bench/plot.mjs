import { describe } from './machine.mjs'
import { times } from './numbers.mjs'
import { bar, line, svg, text } from './svg.mjs'

const width = 920
const columns = 2
const labels = 178
const values = 56
const rowHeight = 17
const headHeight = 64

/** The results as bars: a panel per workload, and one for the start. */
export function plot(results) {
  const { servers, workloads } = results
  const bare = servers.find(({ id }) => id === 'bare')
  const panels = [
    ...workloads.map(({ id, title }) => ({
      title,
      unit: 'CPU time per request',
      bars: ratios(servers, (server) => server.loads[id]?.cpu, bare?.loads[id]?.cpu)
    })),
    { title: 'start to first 200', unit: 'time', bars: ratios(servers, ({ start }) => start, bare?.start) }
  ]
  const most = Math.max(10, ...panels.flatMap(({ bars }) => bars.map(({ ratio }) => ratio ?? 1)))
  const panelHeight = servers.length * rowHeight + 44
  const height = headHeight + Math.ceil(panels.length / columns) * panelHeight + 34
  const title = 'CPU time per request and start, as ratios to bare node:http'
  return svg({ width, height, title, description: sentence(panels) }, [
    text(16, 28, title, { kind: 'head' }),
    text(
      16,
      48,
      'Less is better. Logarithmic scale: the line at the left is bare node:http with the same bytes, 1 ×.',
      {
        kind: 'quiet'
      }
    ),
    panels.map((panel, i) => {
      const x = 16 + (i % columns) * (width / columns)
      return drawn(panel, x, headHeight + Math.floor(i / columns) * panelHeight, most)
    }),
    text(16, height - 12, `${results.date}. ${describe(results.machine)}.`, { kind: 'quiet' })
  ])
}

function ratios(servers, value, base) {
  return servers.map((server) => {
    const own = value(server)
    return { id: server.id, title: server.title.replaceAll('`', ''), ratio: own && base ? own / base : undefined }
  })
}

function drawn({ title, bars }, x, y, most) {
  const left = x + labels
  const room = width / columns - labels - values - 24
  const top = y + 26
  return [
    text(x, y + 16, title, { kind: 'panel' }),
    line(
      [
        [left, top],
        [left, top + bars.length * rowHeight]
      ],
      'rule'
    ),
    bars.map(({ id, title: name, ratio }, i) => {
      const base = top + i * rowHeight + 12
      const kind = id === 'mock' ? 'own' : 'quiet'
      if (ratio === undefined) return [text(x, base, name, { kind }), text(left + 6, base, '–', { kind: 'quiet' })]
      const length = (Math.max(0, Math.log(ratio)) / Math.log(most)) * room
      return [
        text(x, base, name, { kind }),
        bar(left, base - 10, length, 12, id === 'mock' ? 'own' : id === 'bare' ? 'limit' : 'peer'),
        text(left + length + 6, base, times(ratio), { kind: id === 'mock' ? 'own' : '' })
      ]
    })
  ]
}

function sentence(panels) {
  return panels
    .map(({ title, bars }) => {
      const shown = bars.filter(({ ratio }) => ratio !== undefined).map((it) => `${it.title} ${times(it.ratio)}`)
      return `${title}: ${shown.join(', ')}.`
    })
    .join(' ')
}
